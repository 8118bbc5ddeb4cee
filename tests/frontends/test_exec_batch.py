"""`ankrcode exec --batch`: calls as JSON lines in, one answer for each, at once and in order."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from frontends.command import Batch, ankrcode, answers

BAD_REQUEST = 'The line must be {"id": …, "tool": "NAME", "params": {…}}.'


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside\n", encoding="utf-8")
    return work


def batch(work: Path, *lines: object, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Everything at once; the exit code must be 0 and each line gets one answer."""
    given = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    done = ankrcode("exec", "--batch", *arguments, cwd=work, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(answers(done)) == len(lines)
    return answers(done)


def read(path: str, request_id: Any = 1) -> dict[str, Any]:
    return {"id": request_id, "tool": "Read", "params": {"file_path": path}}


# ── the form ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-154", "S0-005", "S0-010")
def test_an_answer_has_the_whole_result(work: Path) -> None:
    (answer,) = batch(work, read("a.txt", "first"))
    duration = answer["metadata"].pop("duration_ms")
    modified = answer["value"].pop("modified")
    assert answer == {
        "id": "first",
        "ok": True,
        "title": f"Read {work}/a.txt",
        "value": {
            "file_path": f"{work}/a.txt",
            "kind": "text",
            "content": "one\n",
            "encoding": "utf-8",
            "size": 4,
            "first_line": 1,
            "lines": 1,
            "total_lines": 1,
            "is_cut": False,
            "tokens": 3,
            "error": "",
            "files_read": 1,
            "files": [],
        },
        "text": "     1\tone",
        "metadata": {"size": 4, "modified": modified, "encoding": "utf-8"},
        "attachments": [],
        "error": None,
    }
    assert duration > 0


@pytest.mark.requirement("S1-002", "S1-050", "S2-048", "S2-064")
def test_a_failed_call_says_what_happened_and_what_to_do(work: Path) -> None:
    (answer,) = batch(work, read("b.txt"))
    assert (answer["ok"], answer["value"]) == (False, None)
    assert answer["error"] == {
        "code": "FILE_NOT_FOUND",
        "kind": "user_error",
        "message": f"There is no file at {work}/b.txt.",
        "suggestion": f"Did you mean {work}/a.txt?",
        "details": {"path": f"{work}/b.txt"},
    }
    assert answer["text"] == f"{answer['error']['message']} {answer['error']['suggestion']}"


@pytest.mark.parametrize(
    "request_id",
    [0, -1, 2**70, 1.5, "", "क", "x\u2028y", None, True, [1, [2]], {"a": {"b": None}}],
    ids=repr,
)
def test_an_id_of_any_type_is_echoed(request_id: Any, work: Path) -> None:
    good, bad = batch(work, read("a.txt", request_id), {"id": request_id})
    assert (good["id"], type(good["id"])) == (request_id, type(request_id))
    assert bad == {"id": request_id, "error": BAD_REQUEST}


def test_a_call_without_an_id_or_parameters_is_answered(work: Path) -> None:
    (answer,) = batch(work, {"tool": "List"})
    assert (answer["id"], answer["ok"]) == (None, True)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("nope", "The line is not JSON: "),
        ('{"id": 1, "tool": "Read"', "The line is not JSON: "),
        ('{"id": 1} {"id": 2}', "The line is not JSON: "),
        ("[" * 100_000, "The line is not JSON: "),
        ("[]", BAD_REQUEST),
        ('"Read"', BAD_REQUEST),
        ("null", BAD_REQUEST),
        ("7", BAD_REQUEST),
    ],
    ids=["text", "truncated", "two", "deep", "list", "string", "null", "number"],
)
def test_a_malformed_line_is_answered_and_the_work_goes_on(
    line: str, error: str, work: Path
) -> None:
    bad, good = batch(work, line, read("a.txt"))
    assert list(bad) == ["id", "error"]
    assert bad["id"] is None
    assert bad["error"].startswith(error)
    assert good["ok"]


@pytest.mark.parametrize("tool", [None, 7, ["Read"], {}])
def test_a_tool_that_is_no_name_is_refused_under_its_id(tool: object, work: Path) -> None:
    (answer,) = batch(work, {"id": 9, "tool": tool, "params": {}})
    assert answer == {"id": 9, "error": BAD_REQUEST}


@pytest.mark.parametrize("params", [None, [], "text", 7], ids=repr)
@pytest.mark.requirement("S0-006")
def test_parameters_that_are_no_object_are_an_error_result(params: object, work: Path) -> None:
    (answer,) = batch(work, {"id": 1, "tool": "Read", "params": params})
    assert answer["error"]["code"] == "INVALID_INPUT"


def test_parameters_may_come_as_text_as_models_send_them(work: Path) -> None:
    (answer,) = batch(work, {"id": 1, "tool": "Read", "params": '{"file_path": "a.txt"}'})
    assert answer["ok"]


def test_nesting_at_the_edge_of_what_can_be_parsed_never_kills(work: Path) -> None:
    depths = range(900, 1_100)
    lines = [f'{{"id": {"[" * depth}{"]" * depth}, "tool": "Read"}}' for depth in depths]
    given = "\n".join([*lines, json.dumps(read("a.txt", "last"))])
    done = ankrcode("exec", "--batch", cwd=work, given=given)
    *found, last = done.stdout.splitlines()
    assert len(found) == len(depths)
    assert json.loads(last)["id"] == "last"
    assert done.returncode == 0


def test_invalid_utf8_and_bare_controls_are_answered(work: Path) -> None:
    lines = [b'{"id": 1, "tool": "\xff"}', b"\0\x1b", b"\xff", b'{"id":"\\ud800","tool":"List"}']
    done = ankrcode("exec", "--batch", cwd=work, given=b"\n".join(lines))
    assert done.returncode == 0
    assert [answer["id"] for answer in answers(done)] == [None] * 4
    assert all("error" in answer for answer in answers(done))


def test_empty_lines_are_passed_over_and_the_last_needs_no_newline(work: Path) -> None:
    given = f"\n  \r\n{json.dumps(read('a.txt'))}\r\n\n{json.dumps(read('a.txt', 2))}"
    done = ankrcode("exec", "--batch", cwd=work, given=given)
    assert [answer["id"] for answer in answers(done)] == [1, 2]


def test_no_input_is_no_answer_and_no_error(work: Path) -> None:
    done = ankrcode("exec", "--batch", cwd=work)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_line_that_is_too_long_is_answered_and_skipped(work: Path) -> None:
    too_long = b"x" * (64 * 1024 * 1024 + 1)
    given = b"%s\n%s\n" % (too_long, json.dumps(read("a.txt", 2)).encode())
    done = ankrcode("exec", "--batch", cwd=work, given=given)
    first, second = answers(done)
    assert first == {"id": None, "error": "The line is too long."}
    assert (second["id"], second["ok"]) == (2, True)


def test_more_arguments_than_are_accepted_is_an_error_result(work: Path) -> None:
    (answer,) = batch(work, read("x" * (17 * 1024 * 1024)))
    assert answer["error"]["code"] == "INVALID_INPUT"
    assert len(answer["text"]) < 1_000


# ── order, time and state ─────────────────────────────────────────────────────────────────────
def test_each_answer_comes_before_the_next_line_is_sent(work: Path) -> None:
    with Batch(work) as process:
        assert process.ask(read("a.txt", 1))["text"] == "     1\tone"
        (work / "a.txt").write_text("changed\n", encoding="utf-8")
        assert process.ask(read("a.txt", 2))["text"] == "     1\tchanged"
        assert process.ask("nope")["id"] is None
        assert process.ask({"id": 3, "tool": "List"})["ok"]
        assert process.end() == (0, "")


def test_answers_come_in_the_order_of_the_lines(work: Path) -> None:
    found = batch(work, *(read("a.txt" if n % 3 else "missing", n) for n in range(200)))
    assert [answer["id"] for answer in found] == list(range(200))
    assert [answer["ok"] for answer in found] == [bool(n % 3) for n in range(200)]


def test_a_call_that_fails_again_and_again_is_reminded_and_then_stopped(work: Path) -> None:
    """One process has one state: what happened earlier in the batch counts later."""
    found = batch(work, *(read("missing", n) for n in range(10)))
    codes = [answer["error"]["code"] for answer in found]
    assert codes == ["FILE_NOT_FOUND"] * 8 + ["REPEATED_FAILURE"] * 2
    assert "failed 3 times in a row" in found[2]["text"]


def test_the_mode_holds_for_the_whole_batch_and_nothing_ever_asks(work: Path) -> None:
    outside = read("../outside.txt")
    (denied,) = batch(work, outside)
    assert denied["error"]["code"] == "PERMISSION_DENIED"
    assert denied["error"]["kind"] == "permission_error"
    (allowed,) = batch(work, outside, arguments=("--permission-mode", "bypass"))
    assert allowed["value"]["content"] == "outside\n"


def test_an_oversized_result_is_saved_under_the_session_and_can_be_read_on(
    work: Path, own_home: Path
) -> None:
    (work / "big.txt").write_text("x" * 1_500 + "\n", encoding="utf-8")
    with Batch(work, "--session", "my-session", "--set", "limits.result_chars=200") as process:
        for number in range(30):
            (work / f"{number}.txt").touch()
        answer = process.ask({"id": 1, "tool": "List", "params": {}})
        saved = answer["metadata"]["saved_to"]
        assert Path(saved).parent.name == "my-session"
        assert Path(saved).is_relative_to(own_home)
        assert f"Full content saved to: {saved}" in answer["text"]
        assert process.ask(read(saved))["value"]["total_lines"] == 32


PLUGIN = """
from ankrcode import Permission, ToolContext, tool

@tool(permission=Permission.READ)
def was_read(path: str, ctx: ToolContext) -> str:
    "Tell whether this agent has read a file, and whether it is still the same."
    ctx.reads.check_current(ctx.workspace.resolve(path))
    return "yes"
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plugin as pip would install it: a module, and an entry point that names its tool."""
    (tmp_path / "reader.py").write_text(PLUGIN, encoding="utf-8")
    facts = tmp_path / "reader-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Name: reader\nVersion: 1.0\n", encoding="utf-8")
    points = "[ankrcode.tools]\nreader = reader:was_read\n"
    (facts / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return 'plugins=["reader"]'


@pytest.mark.requirement("S4-019", "S4-024", "S4-035")
def test_a_read_earlier_in_the_batch_counts_later(work: Path, plugin: str) -> None:
    asked = {"id": 1, "tool": "was_read", "params": {"path": "a.txt"}}
    with Batch(work, "--set", plugin) as process:
        assert process.ask(asked)["error"]["code"] == "NOT_READ"
        assert process.ask(read("a.txt"))["ok"]
        assert process.ask(asked)["value"] == "yes"
        (work / "a.txt").write_text("changed\n", encoding="utf-8")
        assert process.ask(asked)["error"]["code"] == "CHANGED_SINCE_READ"
    (alone,) = batch(work, asked, arguments=("--set", plugin))
    assert alone["error"]["code"] == "NOT_READ"


# ── another dialect ───────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement(
    "S2-001", "S2-002", "S2-006", "S2-007", "S2-057", "S2-046", "S2-064", "S2-048"
)
def test_another_dialect_answers_in_its_own_shape_under_result(work: Path) -> None:
    (work / ".hidden").touch()
    listed, content, failed, unknown = batch(
        work,
        {"id": 1, "tool": "list_directory", "params": {"path": ".", "includeHidden": True}},
        {"id": 2, "tool": "read_file", "params": {"path": "a.txt", "encoding": "base64"}},
        {"id": 3, "tool": "read_file", "params": {"path": "b.txt"}},
        {"id": 4, "tool": "Read", "params": {"file_path": "a.txt"}},
        arguments=("--dialect", "workspace"),
    )
    assert list(listed) == ["id", "result"]
    entries = listed["result"]["value"]["entries"]
    assert [(entry["name"], entry["type"]) for entry in entries] == [
        (".hidden", "file"),
        ("a.txt", "file"),
    ]
    value = content["result"]["value"]
    assert (content["result"]["ok"], value["content"], value["size"]) == (True, "b25lCg==", 4)
    assert set(value) == {"content", "size", "modified"}
    assert failed["result"]["error"]["code"] == "FILE_NOT_FOUND"
    assert unknown["result"]["error"]["code"] == "UNKNOWN_TOOL"


# ── the end ───────────────────────────────────────────────────────────────────────────────────
def test_an_interrupt_ends_it_with_130_and_no_traceback(work: Path) -> None:
    with Batch(work) as process:
        process.ask(read("a.txt"))  # it is running, and waits for the next line
        os.kill(process.process.pid, signal.SIGINT)
        assert process.process.wait(timeout=10) == 130
        assert process.end() == (130, "")


def test_a_reader_that_goes_away_in_between_ends_it_quietly(work: Path) -> None:
    with Batch(work) as process:
        process.ask(read("a.txt"))
        assert process.process.stdout is not None
        process.process.stdout.close()
        process.send(read("a.txt"))
        assert process.process.wait(timeout=10) == 1
        assert process.process.stderr is not None
        assert process.process.stderr.read() == b""
