"""`ankrcode rl`: one sentence, done; or only checked."""

import json
from pathlib import Path
from typing import Any

import pytest

from frontends.command import Done, ankrcode, answers
from frontends.rocket_bench import small_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


def rl(project: Path, *words: str, given: str = "") -> Done:
    return ankrcode("rl", *words, cwd=project, given=given)


def checked(*requests: dict[str, Any] | str, cwd: Path) -> list[dict[str, Any]]:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in requests]
    done = ankrcode("rl", "--check", "--json", cwd=cwd, given="\n".join(lines))
    assert done.returncode == 0, done.stderr
    return answers(done)


# ── doing ─────────────────────────────────────────────────────────────────────────────────────
def test_a_sentence_is_done(project: Path) -> None:
    done = rl(project, "README.md padho")
    assert (done.returncode, done.stderr) == (0, "")
    assert "A small project." in done.stdout


def test_words_that_the_shell_took_apart_are_one_sentence(project: Path) -> None:
    (project / "app.py").write_text('NAME = "a b"\n', encoding="utf-8")
    done = rl(project, "app.py", "mein", "a b", "ko", "c d", "se", "badlo")
    assert done.returncode == 0, done.stderr
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "c d"\n'


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("app.py mat hatao", 2, "kuch nahi kiya"),
        ("frobnicate the gizmo", 2, "not understood"),
        ("hatao", 2, "file"),
        ("nope.py padho", 1, "nope.py"),
        ("push karo", 4, "nobody is there to ask"),
        ("/etc/passwd hatao", 4, "nobody is there to ask"),
        ("app.py samjhao", 3, "model"),
        ("app.py hatoa", 4, "app.py hatao"),
    ],
)
def test_what_is_not_done_says_why_and_ends_with_its_code(
    text: str, code: int, said: str, project: Path
) -> None:
    done = rl(project, text)
    assert done.returncode == code
    assert done.stdout == ""
    assert said in done.stderr
    assert (project / "app.py").exists()


def test_yes_answers_the_question(project: Path) -> None:
    assert rl(project, "old.log hatoa").returncode == 4
    assert (project / "old.log").exists()
    done = rl(project, "--yes", "old.log hatoa")
    assert done.returncode == 0, done.stderr
    assert not (project / "old.log").exists()


def test_plan_mode_refuses_also_what_was_said(project: Path) -> None:
    done = rl(project, "--permission-mode", "plan", "old.log hatao")
    assert done.returncode == 4
    assert (project / "old.log").exists()
    assert rl(project, "--permission-mode", "plan", "README.md padho").returncode == 0


def test_a_dry_run_prints_the_calls_and_makes_none(project: Path) -> None:
    done = rl(project, "--dry-run", "old.log hatao phir app.py padho")
    assert answers(done) == [
        {"tool": "Delete", "args": {"path": "old.log"}},
        {"tool": "Read", "args": {"file_path": "app.py"}},
    ]
    assert (project / "old.log").exists()


def test_lines_from_a_pipe_are_done_one_by_one(project: Path) -> None:
    done = rl(
        project, given='old.log hatao\nnonsense of mine\napp.py mein "foo" ko "bar" se badlo\n'
    )
    assert done.returncode == 2
    assert "nonsense of mine" in done.stderr
    assert not (project / "old.log").exists()
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "bar"\n'


def test_a_file_that_holds_commands_for_terminals_only_shows_them(project: Path) -> None:
    (project / "evil.txt").write_text("\x1b[2Jx", encoding="utf-8")
    assert "x" in rl(project, "evil.txt padho").stdout


# ── checking ──────────────────────────────────────────────────────────────────────────────────
def test_a_check_answers_line_by_line_and_runs_nothing(project: Path) -> None:
    found = checked(
        {"id": 1, "text": "app.py padho"},
        {"id": "b", "text": "old.log hatoa"},
        {"id": None, "text": "old.log mat hatao"},
        cwd=project,
    )
    assert found[0] == {
        "id": 1,
        "calls": [{"tool": "Read", "args": {"file_path": "app.py"}}],
        "confirm": False,
        "lang": "hi",
        "explain": found[0]["explain"],
        "error": None,
    }
    assert "app.py" in found[0]["explain"]
    assert (found[1]["id"], found[1]["confirm"]) == ("b", True)
    assert found[1]["calls"] == [{"tool": "Delete", "args": {"path": "old.log"}}]
    assert (found[2]["calls"], found[2]["error"]["code"]) == ([], "negated")
    assert found[2]["error"]["suggestions"] == []
    assert (project / "old.log").exists()


def test_a_script_is_played_against_its_stubs(project: Path) -> None:
    glob = {"tool": "Glob", "args": {"pattern": "**/*.py", "path": "src"}}
    script = "files = src mein python files dhoondo\nhar f $files mein:\n  $f padho\nend"
    (found,) = checked(
        {"id": 1, "text": script, "stubs": [{"call": glob, "ok": True, "result": ["a.py"]}]},
        cwd=project,
    )
    assert found["calls"] == [glob, {"tool": "Read", "args": {"file_path": "a.py"}}]
    (found,) = checked({"id": 1, "text": script}, cwd=project)
    assert found["calls"] == [glob]


def test_a_fault_in_a_script_has_its_line(project: Path) -> None:
    (found,) = checked({"id": 1, "text": '"a" bolo\nagar pass\n push karo'}, cwd=project)
    assert found["calls"] == []
    assert (found["error"]["code"], found["error"]["line"]) == ("missing_end", 2)


def test_what_is_no_request_gets_an_answer_and_the_next_one_too(project: Path) -> None:
    found = checked(
        "not json",
        {"id": 2, "words": "app.py padho"},
        "[1]",
        {"id": 4, "text": "app.py padho"},
        cwd=project,
    )
    assert [one["id"] for one in found] == [None, 2, None, 4]
    assert [bool(one["error"]) for one in found] == [True, True, True, False]


def test_one_sentence_can_be_checked_by_a_person(project: Path) -> None:
    done = rl(project, "--check", "old.log hatao")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == '{"tool":"Delete","args":{"path":"old.log"}}'
    done = rl(project, "--check", "--json", "old.log mat hatao")
    assert (done.returncode, answers(done)[0]["error"]["code"]) == (2, "negated")
    done = rl(project, "--check", "old.log mat hatao")
    assert (done.returncode, done.stdout) == (2, "")
    assert (project / "old.log").exists()


# ── macros ────────────────────────────────────────────────────────────────────────────────────
MACROS = "macro clean\n old.log hatao\nend\n"


def test_the_persons_own_macros_are_commands(project: Path, own_home: Path) -> None:
    folder = own_home / ".config" / "ankrcode"
    folder.mkdir(parents=True)
    (folder / "macros.rl").write_text(MACROS, encoding="utf-8")
    assert rl(project, "clean karo").returncode == 0
    assert not (project / "old.log").exists()


def test_the_macros_of_a_project_count_once_it_is_trusted(project: Path) -> None:
    (project / ".ankrcode").mkdir()
    (project / ".ankrcode" / "macros.rl").write_text(MACROS, encoding="utf-8")
    done = rl(project, "clean karo")
    assert done.returncode == 2
    assert "trust" in done.stderr
    assert (project / "old.log").exists()
    assert ankrcode("trust", "add", cwd=project).returncode == 0
    assert rl(project, "clean karo").returncode == 0
    assert not (project / "old.log").exists()


def test_a_broken_file_of_macros_is_a_warning(project: Path, own_home: Path) -> None:
    folder = own_home / ".config" / "ankrcode"
    folder.mkdir(parents=True)
    (folder / "macros.rl").write_text("macro clean\n old.log hatao\n", encoding="utf-8")
    done = rl(project, "README.md padho")
    assert done.returncode == 0
    assert "macros.rl" in done.stderr
