"""Spec 2, to the letter, through its dialect."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest

from ankrcode.app import Toolkit
from ankrcode.dialects import load
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import FakePerson
from ankrcode.tooling.validator import validator_for

WORKSPACE = load("workspace")
ISO_8601 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")


class Desk:
    """A toolkit that is spoken to in the dialect, with nobody who would say yes."""

    def __init__(self, folder: Path) -> None:
        self.person = FakePerson()
        self.kit = Toolkit(cwd=folder, approve=self.person)

    async def __call__(self, tool: str, /, **arguments: Any) -> Any:
        return await self.kit.call_in(WORKSPACE, ToolCall(name=tool, arguments=arguments))

    def schema(self, tool: str, side: str) -> Any:
        forms = self.kit.definitions("mcp", WORKSPACE)
        return next(form[side] for form in forms if form["name"] == tool)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("नमस्ते\n", encoding="utf-8")
    (tmp_path / "docs" / ".hidden").touch()
    (tmp_path / "photo.bin").write_bytes(b"\x00\xff")
    (tmp_path / "link").symlink_to("photo.bin")
    return Desk(tmp_path)


def names(reply: Any) -> list[str]:
    assert reply["ok"], reply
    return [entry["name"] for entry in reply["value"]["entries"]]


@pytest.mark.requirement("S2-001")
async def test_list_directory_goes_deeper_and_shows_hidden_files_only_if_asked(desk: Desk) -> None:
    assert names(await desk("list_directory", path=".")) == ["docs", "link", "photo.bin"]
    assert names(await desk("list_directory", path="docs", includeHidden=True)) == [
        ".hidden",
        "a.md",
    ]
    deep = names(await desk("list_directory", path=".", recursive=True))
    assert deep == ["docs", "docs/a.md", "link", "photo.bin"]


@pytest.mark.requirement("S2-002", "S2-003", "S2-004")
async def test_each_entry_has_name_type_size_and_time(desk: Desk) -> None:
    reply = await desk("list_directory", path=".")
    entries = {entry["name"]: entry for entry in reply["value"]["entries"]}
    types = {name: entry["type"] for name, entry in entries.items()}
    assert types == {"docs": "directory", "link": "symlink", "photo.bin": "file"}
    assert entries["photo.bin"]["size"] == 2
    assert all(ISO_8601.fullmatch(entry["modified"]) for entry in entries.values())


@pytest.mark.requirement("S2-006", "S2-007")
async def test_read_file_gives_content_size_and_time(desk: Desk) -> None:
    reply = await desk("read_file", path="docs/a.md")
    assert reply["value"]["content"] == "नमस्ते\n"
    assert reply["value"]["size"] == len("नमस्ते\n".encode())
    assert ISO_8601.fullmatch(reply["value"]["modified"])
    assert set(reply["value"]) == {"content", "size", "modified"}


@pytest.mark.requirement("S2-006")
async def test_read_file_gives_bytes_as_base64(desk: Desk) -> None:
    reply = await desk("read_file", path="photo.bin", encoding="base64")
    assert base64.b64decode(reply["value"]["content"]) == b"\x00\xff"
    reply = await desk("read_file", path="photo.bin", encoding="utf-16")
    assert reply["error"]["code"] == "INVALID_INPUT"
    assert "'base64', 'utf-8'" in reply["error"]["message"]


async def test_read_file_gives_the_whole_of_a_long_file(desk: Desk, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(2_500))
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    assert (await desk("read_file", path="long.txt"))["value"]["content"] == text


@pytest.mark.requirement("S2-057")
async def test_paths_are_relative_to_the_root_wherever_the_agent_is(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_text("outer", encoding="utf-8")
    (tmp_path / "inner" / "a.txt").write_text("inner", encoding="utf-8")
    desk = Desk(tmp_path)
    desk.kit = desk.kit.for_agent("helper", cwd=tmp_path / "inner")
    assert (await desk("read_file", path="a.txt"))["value"]["content"] == "outer"
    assert (await desk.kit.call("Read", file_path="a.txt")).value.content == "inner"


@pytest.mark.requirement("S2-005", "S2-008")
async def test_reading_and_listing_ask_nobody(desk: Desk) -> None:
    await desk("list_directory", path=".", recursive=True)
    await desk("read_file", path="docs/a.md")
    assert desk.person.asked == []


@pytest.mark.requirement("S2-046")
@pytest.mark.parametrize("tool", ["list_directory", "read_file"])
async def test_a_reply_fits_the_output_schema_that_was_promised(desk: Desk, tool: str) -> None:
    path = "." if tool == "list_directory" else "docs/a.md"
    reply = await desk(tool, path=path)
    assert set(reply) == {"ok", "value"}
    assert validator_for(desk.schema(tool, "outputSchema")).is_valid(reply["value"])


@pytest.mark.requirement("S2-048", "S2-046", "S2-064")
async def test_a_missing_file_is_file_not_found(desk: Desk, tmp_path: Path) -> None:
    reply = await desk("read_file", path="docs/b.md")
    assert (reply["ok"], set(reply)) == (False, {"ok", "error"})
    assert reply["error"]["code"] == "FILE_NOT_FOUND"
    assert str(tmp_path / "docs" / "b.md") in reply["error"]["message"]
    assert reply["error"]["details"] == {"path": str(tmp_path / "docs" / "b.md")}


@pytest.mark.requirement("S2-047")
@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "docs/../../x", "a\0b", "  "])
async def test_a_path_outside_or_malformed_is_invalid(desk: Desk, path: str) -> None:
    for tool in ("read_file", "list_directory"):
        reply = await desk(tool, path=path)
        assert (reply["ok"], reply["error"]["code"]) == (False, "INVALID_PATH")
    assert desk.person.asked == []


async def test_a_link_out_of_the_workspace_is_invalid_too(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    assert (await desk("read_file", path="out/passwd"))["error"]["code"] == "INVALID_PATH"


@pytest.mark.requirement("S2-064")
async def test_faults_are_named_in_the_parameters_of_spec_2(desk: Desk) -> None:
    reply = await desk("list_directory", pth=".", includeHidden="yes")
    faults = {fault["parameter"] for fault in reply["error"]["details"]["faults"]}
    assert faults == {"path", "pth", "includeHidden"}
    assert "did you mean 'path'" in reply["error"]["message"]


async def test_native_names_are_not_spoken_here(desk: Desk) -> None:
    reply = await desk("Read", file_path="docs/a.md")
    assert reply["error"]["code"] == "UNKNOWN_TOOL"
    assert reply["error"]["message"] == "Unknown tool: Read. Did you mean read_file?"


# ── run_code ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-020", "S2-021", "S2-023", "S2-061")
async def test_run_code_gives_streams_exit_code_and_duration(desk: Desk) -> None:
    reply = await desk(
        "run_code",
        language="bash",
        code="echo $1 $A; echo err >&2; exit 3",
        args=["x"],
        env={"A": "b"},
        timeout=30,
    )
    if desk.kit.agent.processes.confinement.name == "none":
        assert reply["error"]["code"] == "PERMISSION_DENIED"
        return
    assert reply["ok"], "a program that fails is an answer, not an error"
    assert set(reply["value"]) == {"stdout", "stderr", "exitCode", "duration"}
    assert reply["value"]["stdout"] == "x b\n"
    assert reply["value"]["stderr"] == "err\n"
    assert reply["value"]["exitCode"] == 3
    assert reply["value"]["duration"] > 0
    assert desk.person.asked == []
    assert validator_for(desk.schema("run_code", "outputSchema")).is_valid(reply["value"])


@pytest.mark.requirement("S2-022")
async def test_run_code_counts_its_time_in_seconds_sixty_by_default(desk: Desk) -> None:
    assert desk.schema("run_code", "inputSchema")["properties"]["timeout"]["default"] == 60
    if desk.kit.agent.processes.confinement.name != "none":
        reply = await desk("run_code", language="bash", code="sleep 60", timeout=0.3)
        assert reply["error"]["code"] == "TIMEOUT"
