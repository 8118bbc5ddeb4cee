"""Spec 1, to the letter, through its dialect."""

import time
from pathlib import Path
from typing import Any

import pytest

from ankrcode.app import Toolkit
from ankrcode.dialects import load
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import FakePerson
from workspace.running import alive, long_sleep

ALLY = load("ally")


class Desk:
    """A toolkit that is spoken to in the dialect."""

    def __init__(self, folder: Path, mode: str = "bypass") -> None:
        self.person = FakePerson()
        self.kit = Toolkit(cwd=folder, mode=mode, approve=self.person)

    async def __call__(self, tool: str, /, **arguments: Any) -> Any:
        return await self.kit.call_in(ALLY, ToolCall(name=tool, arguments=arguments))

    async def bash(self, **arguments: Any) -> Any:
        return await self("bash", **arguments)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "below").mkdir()
    return Desk(tmp_path)


def schema(tool: str = "bash") -> Any:
    forms = {form["name"]: form["inputSchema"] for form in Toolkit().definitions("mcp", ALLY)}
    return forms[tool]


@pytest.mark.requirement("S1-066")
def test_bash_takes_four_arguments_and_needs_one() -> None:
    assert list(schema()["properties"]) == ["command", "description", "timeout", "working_dir"]
    assert schema()["required"] == ["command"]
    assert schema()["additionalProperties"] is False


@pytest.mark.requirement("S1-025")
def test_its_time_is_in_seconds_5_if_not_said_60_at_most() -> None:
    timeout = schema()["properties"]["timeout"]
    assert (timeout["default"], timeout["minimum"], timeout["maximum"]) == (5, 1, 60)
    assert "Seconds" in timeout["description"]


@pytest.mark.requirement("S1-025")
async def test_after_so_many_seconds_it_is_stopped(desk: Desk) -> None:
    sleep, started = long_sleep(), time.monotonic()
    reply = await desk.bash(command=f"echo a; {sleep}", timeout=1)
    assert 1 <= time.monotonic() - started < 6  # a bound for a busy machine
    assert reply["success"] is False
    assert reply["output"] == "a\n"
    assert "1 s" in reply["error"] or "1.0" in reply["error"]
    assert not alive(sleep)


@pytest.mark.requirement("S1-025")
@pytest.mark.parametrize("seconds", [0, 61, 120_000, -1, "5"])
async def test_another_time_is_refused(desk: Desk, seconds: Any) -> None:
    reply = await desk.bash(command="touch made", timeout=seconds)
    assert reply["success"] is False
    assert reply["error_type"] == "validation_error"
    assert "timeout" in reply["error"]
    assert not list(Path(desk.kit.agent.workspace.root).glob("made"))


@pytest.mark.requirement("S1-027")
async def test_working_dir_says_where_it_runs(desk: Desk, tmp_path: Path) -> None:
    reply = await desk.bash(command="pwd", working_dir="below")
    assert reply["output"] == f"{tmp_path}/below\n"
    assert (await desk.bash(command="pwd"))["output"] == f"{tmp_path}\n"
    missing = await desk.bash(command="pwd", working_dir="nowhere")
    assert missing["success"] is False
    assert "nowhere" in missing["error"]


@pytest.mark.requirement("S1-029", "S1-038", "S1-039")
async def test_a_reply_has_success_error_output_and_return_code(desk: Desk) -> None:
    reply = await desk.bash(command="echo a; echo b >&2", description="Say a and b")
    assert reply == {"success": True, "error": "", "output": "a\nb\n", "return_code": 0}


@pytest.mark.requirement("S1-029", "S1-038", "S1-068")
async def test_a_failure_keeps_the_output_and_the_code(desk: Desk) -> None:
    reply = await desk.bash(command="echo a; exit 3")
    assert (reply["success"], reply["output"], reply["return_code"]) == (False, "a\n", 3)
    assert reply["error"] == 'bash(command="echo a; exit 3"): Exit code: 3'
    assert reply["error_type"] in ("user_error", "system_error")


@pytest.mark.requirement("S1-038", "S1-068")
async def test_wrong_arguments_are_answered_with_an_error_and_how_to_mend_it(desk: Desk) -> None:
    for arguments in ({}, {"command": ""}, {"command": "true", "cwd": "."}, {"command": 1}):
        reply = await desk.bash(**arguments)
        assert reply["success"] is False
        assert reply["error"]
        assert reply["error_type"] == "validation_error"
        assert "output" not in reply


async def test_who_is_not_allowed_is_told_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path, mode="default")
    reply = await desk.bash(command="touch made")
    assert reply["success"] is False
    assert reply["error_type"] == "permission_error"
    assert desk.person.asked
    assert not (tmp_path / "made").exists()


async def test_a_tool_that_the_dialect_does_not_have_is_unknown(desk: Desk) -> None:
    reply = await desk.kit.call_in(ALLY, ToolCall(name="Bash", arguments={"command": "true"}))
    assert reply["success"] is False
    assert "bash" in reply["suggestion"]


# ── read ──────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def library(desk: Desk, tmp_path: Path) -> Desk:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("red\n", encoding="utf-8")
    return desk


@pytest.mark.requirement("S1-067", "S1-030")
def test_read_takes_a_list_of_files_limit_and_offset_and_needs_the_list() -> None:
    assert list(schema("read")["properties"]) == ["file_paths", "limit", "offset"]
    assert schema("read")["required"] == ["file_paths"]
    assert schema("read")["properties"]["file_paths"]["type"] == "array"


@pytest.mark.requirement("S1-036", "S1-037", "S1-038", "S1-039")
async def test_its_reply_has_the_text_under_headings_and_how_many_were_read(
    library: Desk, tmp_path: Path
) -> None:
    reply = await library("read", file_paths=["a.txt", "b.txt"], limit=2)
    assert reply["success"] is True
    assert reply["error"] == ""
    assert reply["files_read"] == 2
    first, second = reply["content"].split("\n\n=== ")
    assert first.startswith(f"=== {tmp_path}/a.txt ===\n     1\tone\n     2\ttwo")
    assert "three" not in first
    assert second == f"{tmp_path}/b.txt ===\n     1\tred"


@pytest.mark.requirement("S1-031", "S1-032")
async def test_lines_count_from_one_and_a_limit_of_0_means_all(library: Desk) -> None:
    reply = await library("read", file_paths=["a.txt"], offset=2, limit=0)
    assert reply["content"].endswith("===\n     2\ttwo\n     3\tthree")


@pytest.mark.requirement("S1-041")
async def test_a_file_that_is_missing_is_for_the_person_to_mend(library: Desk) -> None:
    reply = await library("read", file_paths=["nope.txt"])
    assert (reply["success"], reply["error_type"]) == (False, "user_error")
    assert reply["error"].startswith('read(file_paths=["nope.txt"]): None of the 1 files')
    some = await library("read", file_paths=["nope.txt", "b.txt"])
    assert (some["success"], some["files_read"]) == (True, 1)
    assert "There is no file" in some["content"]


@pytest.mark.parametrize("given", [{}, {"file_paths": "a.txt"}, {"file_path": "a.txt"}])
async def test_read_without_a_list_is_refused(library: Desk, given: dict[str, Any]) -> None:
    reply = await library("read", **given)
    assert reply["error_type"] == "validation_error"
    assert "file_paths" in reply["error"]
