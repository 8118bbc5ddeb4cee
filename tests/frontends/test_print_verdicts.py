"""What may happen, tried on the real thing: a scripted model asks for it, canary files tell."""

import json
from pathlib import Path

import pytest

from frontends.headless import ask, call, calls, lines_of

CANARY = "canary"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    (work / CANARY).write_text("alive\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside\n", encoding="utf-8")
    return work


def tried(work: Path, one: dict[str, object], *options: str) -> dict[str, object]:
    """Let the model call this, once, and nothing else; the result object."""
    done = ask(work, "go", *options, "--output-format", "json", turns=[calls(one), "Done."])
    return lines_of(done)[0]


WRITES = [
    call("Write", file_path="new.txt", content="x"),
    call("Edit", file_path="a.txt", old_string="one", new_string="two"),
    call("Delete", path=CANARY),
    call("Move", source=CANARY, destination="moved"),
    call("Bash", command=f"rm {CANARY}"),
    call("Bash", command="echo x > new.txt"),
    call("Bash", command='python3 -c \'open("new.txt","w")\''),
]
CODE = call("RunCode", language="python", code="open('new.txt','w').write('x')")
TRIED = [
    *(("default", one) for one in WRITES),
    *(("plan", one) for one in WRITES),
    *(("dontAsk", one) for one in WRITES[::3]),
]


def picture(work: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in work.iterdir()}


@pytest.mark.parametrize(("mode", "one"), TRIED, ids=lambda one: json.dumps(one)[:50])
def test_nothing_changes_where_nobody_says_yes(
    work: Path, mode: str, one: dict[str, object]
) -> None:
    before = picture(work)
    result = tried(work, one, "--permission-mode", mode)
    assert picture(work) == before
    assert result["is_error"] is True


@pytest.mark.parametrize("mode", ["default", "plan"])
def test_code_may_run_but_changes_nothing(work: Path, mode: str) -> None:
    before = picture(work)
    tried(work, CODE, "--permission-mode", mode)
    assert picture(work) == before


@pytest.mark.parametrize(
    "options",
    [
        ["--allowed-tools", "Write"],
        ["--allowedTools", "Read,Write"],
        ["--allowed-tools", "Read Write(new.txt)"],
        ["--permission-mode", "acceptEdits"],
        ["--permission-mode", "bypass"],
        ["--permission-mode", "bypassPermissions"],
    ],
    ids=" ".join,
)
def test_what_a_rule_or_a_mode_allows_is_done(work: Path, options: list[str]) -> None:
    result = tried(work, WRITES[0], *options)
    assert result["subtype"] == "success"
    assert (work / "new.txt").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize(
    "options",
    [
        ["--permission-mode", "bypass", "--disallowed-tools", "Write"],
        ["--permission-mode", "bypass", "--disallowedTools", "Bash(rm:*),Write(*.txt)"],
        ["--allowed-tools", "Write", "--disallowed-tools", "Write"],
        ["--allowed-tools", "Write(other.txt)"],
    ],
    ids=" ".join,
)
def test_what_is_disallowed_is_not_done_whatever_else_is_said(
    work: Path, options: list[str]
) -> None:
    result = tried(work, WRITES[0], *options)
    assert not (work / "new.txt").exists()
    assert result["subtype"] == "error_denied"


def test_what_only_reads_runs_in_every_mode(work: Path) -> None:
    for mode in ("default", "plan", "dontAsk"):
        result = tried(work, call("Bash", command="cat a.txt"), "--permission-mode", mode)
        assert result["subtype"] == "success", mode


def test_outside_of_the_workspace_nothing_is_read_unless_it_is_added(work: Path) -> None:
    outside = work.parent / "outside.txt"
    refused = tried(work, call("Read", file_path=str(outside)))
    assert refused["is_error"] is True
    (work.parent / "more").mkdir()
    (work.parent / "more" / "b.txt").write_text("b\n", encoding="utf-8")
    added = tried(
        work,
        call("Read", file_path=str(work.parent / "more" / "b.txt")),
        *("--add-dir", str(work.parent / "more")),
    )
    assert added["subtype"] == "success"


def test_a_no_that_later_work_made_good_is_listed_but_no_failure(work: Path) -> None:
    turns = [
        calls(call("Write", file_path="/etc/nowhere/x", content="x")),
        calls(call("Write", file_path="new.txt", content="x")),
        "Done.",
    ]
    done = ask(
        work, "go", "--permission-mode", "acceptEdits", "--output-format", "json", turns=turns
    )
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"]) == (0, "success")
    assert [one["tool_name"] for one in result["permission_denials"]] == ["Write"]
