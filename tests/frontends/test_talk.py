"""A conversation in RocketLang: what is remembered, where answers go, what is never guessed."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode.frontends.talk import Talk, is_open
from frontends.rocket_bench import small_project

DONE, FAILED, USAGE, DENIED = 0, 1, 2, 4


def options(folder: Path, **more: object) -> argparse.Namespace:
    usual = {"cwd": str(folder), "set": [], "debug": False, "yes": False, "permission_mode": None}
    return argparse.Namespace(**(usual | more))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


@pytest.fixture
def talk(project: Path) -> Iterator[Talk]:
    talk = Talk(options(project))
    yield talk
    talk.close()


async def test_results_go_to_one_stream_and_failures_to_the_other(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await talk.answer("README.md padho") == DONE
    shown = capsys.readouterr()
    assert "A small project." in shown.out
    assert shown.err == ""
    assert await talk.answer("nope.md padho") == FAILED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ankrcode: ")


async def test_each_line_has_its_own_exit_code(talk: Talk) -> None:
    assert await talk.answer("nope.md padho") == FAILED
    assert await talk.answer("README.md padho") == DONE
    assert await talk.answer("old.log mat hatao") == USAGE
    assert await talk.answer("old.log hatoa") == DENIED
    assert await talk.answer("push karo") == DENIED
    assert await talk.answer('"fine" bolo') == DONE


async def test_what_was_said_before_is_remembered(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await talk.answer('who = "all"') == DONE
    assert await talk.answer('macro greet\n "hello {who}" bolo\nend') == DONE
    assert await talk.answer("greet karo") == DONE
    assert capsys.readouterr().out == "hello all\n"
    assert await talk.answer("files = src mein python files dhoondo") == DONE
    assert await talk.answer("har f $files mein: $f padho") == DONE
    assert "TODO: all of it" in capsys.readouterr().out


async def test_what_failed_can_be_asked_about_in_the_next_line(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await talk.answer('agar fail to "x" bolo') == USAGE, "nothing was called yet"
    assert await talk.answer("$ exit 1") == FAILED
    capsys.readouterr()
    assert await talk.answer('agar fail to "seen" bolo') == DONE
    assert capsys.readouterr().out == "seen\n"


async def test_a_line_that_is_wrong_changes_nothing_that_is_remembered(talk: Talk) -> None:
    await talk.answer('x = "kept"')
    assert await talk.answer('x = "lost"\nfrobnicate the gizmo') == USAGE
    assert talk.memory.variables["x"].text == "kept"


async def test_an_edit_hits_exactly_what_was_quoted(talk: Talk, project: Path) -> None:
    (project / "app.py").write_text("if  x:\n    y()\n", encoding="utf-8")
    assert await talk.answer('app.py mein "if x:" ko "if z:" se badlo') == FAILED
    assert (project / "app.py").read_text(encoding="utf-8") == "if  x:\n    y()\n"


async def test_a_rehearsal_is_not_remembered(talk: Talk) -> None:
    from ankrcode.rocketlang.api import play

    play(talk.read('y = "1"\n"{y}" bolo'))
    assert "y" not in talk.memory.variables
    assert talk.memory.ok is None


async def test_a_setting_of_the_run_counts(project: Path) -> None:
    talk = Talk(options(project, permission_mode="plan"))
    assert await talk.answer("old.log hatao") == DENIED
    talk.close()
    talk = Talk(options(project, yes=True))
    assert await talk.answer("old.log hatoa") == DONE
    talk.close()
    assert not (project / "old.log").exists()


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("agar pass", True),
        ("agar pass to\n push karo", True),
        ("agar pass\n push karo\nwarna", True),
        ("3 baar:", True),
        ("3 baar:\n 2 baar:\n  push karo\n end", True),
        ("har f $x mein:", True),
        ("macro ship", True),
        ("agar pass to push karo", False),
        ("3 baar: push karo", False),
        ("3 baar:\n push karo\nend", False),
        ("push karo", False),
        ("end", False),
        ("agar kuch bhi to", False),
        ("", False),
        ('"agar pass" bolo', False),
    ],
)
def test_a_block_is_open_until_its_end(text: str, opened: bool) -> None:
    assert is_open(text) is opened


def test_macros_of_the_person_and_of_a_trusted_project_come_together(
    project: Path, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = own_home / ".config" / "ankrcode" / "macros.rl"
    own.parent.mkdir(parents=True)
    own.write_text('macro mine\n "mine" bolo\nend\n', encoding="utf-8")
    theirs = project / ".ankrcode" / "macros.rl"
    theirs.parent.mkdir()
    theirs.write_text('macro theirs\n "theirs" bolo\nend\n', encoding="utf-8")
    talk = Talk(options(project))
    assert list(talk.memory.macros) == ["mine"]
    assert str(theirs) in capsys.readouterr().err
    talk.close()
    from ankrcode.config.trust import TrustStore

    TrustStore.of({"HOME": str(own_home)}).add(project)
    talk = Talk(options(project))
    assert list(talk.memory.macros) == ["mine", "theirs"]
    talk.close()
