"""Sentences at work with real tools: what they do, what they find, what they cannot do yet."""

from pathlib import Path

import pytest

from ankrcode.app import Toolkit
from ankrcode.config.settings import RocketLangSettings, Settings
from ankrcode.frontends.rocket import shortcut
from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.blocks import Macro
from frontends.rocket_bench import Speaker, small_project

DONE, FAILED, NO_MODEL, DENIED = 0, 1, 3, 4


@pytest.fixture
def speaker(tmp_path: Path) -> Speaker:
    return Speaker(small_project(tmp_path / "work"))


async def test_a_file_is_changed_that_nobody_has_read_before(speaker: Speaker) -> None:
    assert await speaker.says('app.py mein "foo" ko "bar" se badlo') == DONE
    assert speaker.read("app.py") == 'NAME = "bar"\n'
    assert [tool for tool, _ in speaker.results] == ["Edit"], "the look before it is not shown"


async def test_a_file_is_overwritten_and_brought_back(speaker: Speaker) -> None:
    assert await speaker.says('README.md mein "gone" likho') == DONE
    assert speaker.read("README.md") == "gone"
    assert await speaker.says("wapas lo") == DONE
    assert speaker.read("README.md").startswith("# Small")
    assert await speaker.says("redo") == DONE
    assert speaker.read("README.md") == "gone"


async def test_undo_goes_back_step_by_step(speaker: Speaker) -> None:
    await speaker.says('app.py mein "foo" ko "bar" se badlo')
    await speaker.says('app.py mein "bar" ko "baz" se badlo')
    await speaker.says("old.log hatao")
    assert await speaker.says("wapas lo\nwapas lo\nwapas lo") == DONE
    assert (speaker.read("app.py"), speaker.has("old.log")) == ('NAME = "foo"\n', True)
    assert await speaker.says("wapas lo") == DONE
    assert "nothing to undo" in speaker.last.text


async def test_what_is_not_there_once_is_not_changed_by_a_guess(speaker: Speaker) -> None:
    (speaker.folder / "app.py").write_text('a = "foo"\nb = "foo"\n', encoding="utf-8")
    assert await speaker.says('app.py mein "foo" ko "bar" se badlo') == FAILED
    assert await speaker.says('app.py mein sab jagah "foo" ko "bar" se badlo') == DONE
    assert speaker.read("app.py") == 'a = "bar"\nb = "bar"\n'


async def test_what_is_found_is_worked_on(speaker: Speaker) -> None:
    text = 'src mein TODO dhoondo | padho\nagar pass to "found" bolo'
    assert await speaker.says(text) == DONE
    assert [tool for tool, _ in speaker.results] == ["Grep", "Read", "Say"]
    assert "TODO: all of it" in speaker.results[1][1].text


async def test_a_script_goes_through_real_files(speaker: Speaker) -> None:
    for name in ("one two.txt", "it's.txt", "$(echo x).txt"):
        (speaker.folder / "src" / name).write_text("foo\n", encoding="utf-8")
    text = (
        "files = src/*.txt dhoondo\n"
        "har f $files mein:\n"
        '  {f} mein "foo" ko "bar" se badlo\n'
        "  $ cat {f} >> all.txt\n"
        "khatam\n"
        "agar all.txt hai to all.txt padho warna app.py hatao"
    )
    assert await speaker.says(text) == DONE, speaker.last.text
    assert speaker.read("all.txt") == "bar\n" * 3
    assert speaker.has("app.py")


async def test_a_name_that_looks_like_an_option_is_a_name(speaker: Speaker) -> None:
    (speaker.folder / "src" / "--help").mkdir()
    (speaker.folder / "-n.txt").write_text("content of it\n", encoding="utf-8")
    assert await speaker.says("files = *.txt dhoondo\nhar f $files mein:\n  $ cat {f}\nend") == DONE
    assert "content of it" in speaker.last.text


async def test_what_was_guessed_is_no_statement(speaker: Speaker) -> None:
    program = parse("old.log hatoa", place=speaker.rocket.place)
    assert program.confirm
    speaker.rocket.confirms = lambda reading, text: False
    await speaker.rocket.run(program)
    assert (speaker.rocket.code, speaker.has("old.log")) == (DENIED, True)
    speaker.rocket.confirms = lambda reading, text: True
    await speaker.rocket.run(program)
    assert (speaker.rocket.code, speaker.has("old.log")) == (DONE, False)


async def test_existence_counts_hidden_ignored_and_folders(speaker: Speaker) -> None:
    (speaker.folder / ".gitignore").write_text("secret.txt\n", encoding="utf-8")
    (speaker.folder / "secret.txt").write_text("", encoding="utf-8")
    (speaker.folder / ".git").mkdir()
    for name in (".gitignore", "secret.txt", "src", "src/work.py", "*.log"):
        speaker.results.clear()
        assert await speaker.says(f'agar {name} hai to "yes" bolo warna "no" bolo') == DONE
        assert speaker.last.text == "yes", name
    await speaker.says('agar nope.txt hai to "yes" bolo warna "no" bolo')
    assert speaker.last.text == "no"


async def test_a_command_that_fails_ends_the_script(speaker: Speaker) -> None:
    assert await speaker.says("$ exit 3\nold.log hatao") == FAILED
    assert speaker.has("old.log")
    assert await speaker.says('$ exit 3\nagar fail to "handled" bolo') == DONE
    assert speaker.last.text == "handled"


@pytest.mark.parametrize(
    ("text", "tool", "code"),
    [
        ('yaad rakho "tests pytest se chalte hain"', "Remember", FAILED),
        ('"deploy" yaad karo', "Recall", FAILED),
        ("GSTIN 27AAPFU0939F1ZV jaancho", "gst_validate", FAILED),
        ('explore agent se poocho "auth kahan hai"', "Task", NO_MODEL),
        ("app.py samjhao", "Task", NO_MODEL),
    ],
)
async def test_what_is_not_there_says_so_in_one_sentence(
    text: str, tool: str, code: int, speaker: Speaker
) -> None:
    if tool in speaker.kit.registry.names and code == FAILED:
        assert await speaker.says(text) == DONE  # by now it is
        return
    assert await speaker.says(text) == code
    (said,) = speaker.told
    assert said.startswith(f"{tool} ")
    assert "kuch nahi kiya" in said
    assert speaker.results == []


async def test_the_help_speaks_the_language_of_the_question(speaker: Speaker) -> None:
    for text, word in {
        "madad": "padho",
        "मदद": "पढ़ो",
        "help": "read src/app.py",
        "உதவி": "படி",
        "sahayam": "chaduvu",
        "ಸಹಾಯ": "ಓದು",
    }.items():
        assert await speaker.says(text) == DONE
        assert word in speaker.last.text


async def test_macros_are_commands(tmp_path: Path) -> None:
    (macro,) = parse("macro clean\n old.log hatao\nend").script.statements
    assert isinstance(macro, Macro)
    speaker = Speaker(small_project(tmp_path / "work"), macros={"clean": macro})
    assert await speaker.says("clean karo") == DONE
    assert not speaker.has("old.log")


@pytest.mark.parametrize(
    ("mode", "text", "is_taken"),
    [
        ("auto", "app.py padho", True),
        ("auto", "old.log hatao", True),
        ("auto", "old.log hatoa", False),
        ("auto", "app.py mat hatao", False),
        ("auto", "why does the login fail", False),
        ("auto", "explain app.py", False),
        ("auto", "please refactor the whole thing", False),
        ("only", "old.log hatoa", True),
        ("only", "why does the login fail", True),
        ("off", "app.py padho", False),
    ],
)
def test_only_what_is_read_in_full_never_reaches_the_model(
    mode: str, text: str, is_taken: bool, tmp_path: Path
) -> None:
    rocketlang = RocketLangSettings(mode=mode)  # type: ignore[arg-type]
    kit = Toolkit(cwd=tmp_path, settings=Settings(rocketlang=rocketlang))
    assert (shortcut(text, kit.settings, kit.agent.workspace) is not None) is is_taken
