"""Spec 3, to the letter, through its dialect."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode.app import Toolkit
from ankrcode.dialects import load
from ankrcode.protocol.call import ToolCall
from documents import png
from tools.suite import count_tokens

PLAIN = load("plain")
SIMPLE = ("glob", "list", "todowrite", "todoread")
COMPLEX = ("read", "write", "edit", "grep", "bash", "task")


class Desk:
    """A toolkit that is spoken to in the dialect."""

    def __init__(self, folder: Path) -> None:
        self.kit = Toolkit(cwd=folder, mode="bypass")

    async def __call__(self, tool: str, /, **arguments: Any) -> Any:
        return await self.kit.call_in(PLAIN, ToolCall(name=tool, arguments=arguments))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    return Desk(tmp_path)


def forms() -> dict[str, Any]:
    return {form["name"]: form for form in Toolkit().definitions("mcp", PLAIN)}


def test_it_has_ten_tools_by_their_short_names() -> None:
    assert set(forms()) == {*SIMPLE, *COMPLEX}


# ── descriptions ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-041")
@pytest.mark.parametrize("name", SIMPLE)
def test_a_simple_tool_is_described_in_one_sentence_of_10_to_20_tokens(name: str) -> None:
    told = forms()[name]["description"]
    assert 10 <= count_tokens(told) <= 20
    assert told.count(".") == 1


@pytest.mark.requirement("S3-042")
@pytest.mark.parametrize("name", COMPLEX)
def test_a_complex_tool_is_described_in_25_to_40_tokens(name: str) -> None:
    assert 25 <= count_tokens(forms()[name]["description"]) <= 40


@pytest.mark.requirement("S3-042", "S3-043")
def test_such_a_description_tells_constraints_and_defaults_and_no_code() -> None:
    told = {name: form["description"] for name, form in forms().items()}
    assert "2000 lines" in told["read"]
    assert "must have been read before" in told["write"]
    assert "exactly once" in told["edit"]
    assert "by default" in told["grep"]
    assert "two minutes" in told["bash"]
    assert "20 turns" in told["task"]
    assert not [one for one in told.values() if set(one) & set("`{}=\n")]


@pytest.mark.requirement("S3-044")
def test_every_parameter_is_described() -> None:
    for form in forms().values():
        assert all(one["description"] for one in form["inputSchema"]["properties"].values())


# ── replies ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-012", "S3-054")
async def test_a_reply_has_title_metadata_and_output(desk: Desk, tmp_path: Path) -> None:
    reply = await desk("read", path="a.txt", offset=2, limit=1)
    assert set(reply) == {"title", "metadata", "output"}
    assert reply["title"] == f"Read {tmp_path}/a.txt"
    assert reply["metadata"]["size"] == 14
    assert reply["output"].startswith("     2\ttwo")
    assert "three" not in reply["output"]


@pytest.mark.requirement("S3-013")
async def test_a_picture_is_attached(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(png(4, 4))
    reply = await desk("read", path="dot.png")
    (picture,) = reply["attachments"]
    assert (picture["type"], picture["mime"]) == ("image", "image/png")
    assert picture["data"]


async def test_what_went_wrong_stands_in_the_metadata(desk: Desk) -> None:
    missing = await desk("read", path="nope.txt")
    assert missing["metadata"]["error"] == "FILE_NOT_FOUND"
    assert "There is no file" in missing["output"]
    failed = await desk("bash", command="echo hi; exit 3")
    assert (failed["metadata"]["error"], failed["metadata"]["exit_code"]) == ("EXECUTION_ERROR", 3)
    assert failed["output"] == "hi\n\nExit code: 3"


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("read", {}, "INVALID_INPUT"),
        ("read", {"file_path": "a.txt"}, "INVALID_INPUT"),
        ("todoread", {"x": 1}, "INVALID_INPUT"),
        ("Read", {"path": "a.txt"}, "UNKNOWN_TOOL"),
        ("webfetch", {"url": "http://localhost"}, "UNKNOWN_TOOL"),
    ],
)
async def test_wild_calls_are_answered_in_the_same_shape(
    desk: Desk, tool: str, given: dict[str, Any], code: str
) -> None:
    reply = await desk(tool, **given)
    assert reply["metadata"]["error"] == code
    assert reply["output"]


# ── tools ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-037")
async def test_task_without_an_agent_says_that_a_model_is_needed(desk: Desk) -> None:
    given = {"description": "look around", "prompt": "find main", "subagent_type": "explore"}
    reply = await desk("task", **given)
    assert reply["title"] == "look around"
    assert reply["metadata"]["error"] == "LLM_ASSIST_REQUIRED"
    assert reply["metadata"]["prompt"] == "find main"


@pytest.mark.requirement("S3-038")
async def test_todowrite_keeps_the_list_that_todoread_shows(desk: Desk) -> None:
    todos = [
        {"content": "Look", "status": "completed"},
        {"content": "Mend", "status": "in_progress", "activeForm": "Mending"},
    ]
    written = await desk("todowrite", todos=todos)
    assert written["output"] == "Todo list updated. Active: Mending"
    assert written["metadata"] == {"done": 1, "total": 2}
    assert (await desk("todoread"))["output"] == "✅ Look\n🔄 Mending"


@pytest.mark.requirement("S3-033", "S3-055", "S3-056")
async def test_files_are_written_and_edited_under_their_path(desk: Desk, tmp_path: Path) -> None:
    written = await desk("write", path="new/b.txt", content="red\n")
    assert "error" not in written["metadata"]
    edited = await desk("edit", path="new/b.txt", old_string="red", new_string="blue")
    assert "error" not in edited["metadata"], edited
    assert (tmp_path / "new" / "b.txt").read_text(encoding="utf-8") == "blue\n"
    unread = await desk("edit", path="a.txt", old_string="one", new_string="1")
    assert unread["metadata"]["error"] == "NOT_READ"


@pytest.mark.requirement("S3-057", "S3-058", "S3-034")
async def test_files_are_found_searched_and_listed(desk: Desk, tmp_path: Path) -> None:
    assert (await desk("glob", pattern="*.txt"))["output"] == f"{tmp_path}/a.txt"
    around = {"output_mode": "content", "-A": 1}
    found = await desk("grep", pattern="t.o", **around)
    assert found["output"] == f"{tmp_path}/a.txt:2:two\n{tmp_path}/a.txt-3-three"
    (tmp_path / "z.txt").touch()
    cut = await desk("list", path=".", limit=1)
    assert "a.txt" in cut["output"]
    assert "z.txt" not in cut["output"]
    assert cut["metadata"]["total"] == 2


@pytest.mark.requirement("S3-035")
async def test_a_command_is_stopped_in_time(desk: Desk) -> None:
    reply = await desk("bash", command="echo a; sleep 30", timeout=200)
    assert reply["metadata"]["error"] == "TIMEOUT"
    assert "a\n" in reply["output"]


@pytest.mark.requirement("S3-040")
def test_each_tool_needs_the_permission_of_its_kind() -> None:
    kinds = {
        "read": {"read", "glob", "grep", "list", "todowrite", "todoread"},
        "write": {"write", "edit"},
        "execute": {"bash", "task"},
    }
    shown = [PLAIN.outward(one) for one in Toolkit().registry.definitions()]
    found = {one.name: one.permissions for one in shown if one is not None}
    assert found == {name: {kind} for kind, names in kinds.items() for name in names}
