"""Tools for another framework's agent: initialised, called by `invoke`, their results kept."""

import asyncio
import json
from pathlib import Path

import pytest

from ankrcode import ErrorCode, Permission, ToolContext, ToolError, Toolkit, ToolResult, tool
from ankrcode.frontends.served import Served, ServedTool
from ankrcode.testing import NO, FakePerson


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    return tmp_path


# ── what is served ────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-018")
def test_all_tools_come_with_name_description_and_schema(work: Path) -> None:
    kit = Toolkit(cwd=work)
    tools = {one.name: one for one in Served(kit).tools()}
    assert list(tools) == kit.registry.names
    assert str(work) in tools["Glob"].description  # told for this working directory
    assert tools["Read"].args_schema["properties"]["file_path"]["type"] == "string"
    assert all(one.description and one.args_schema["type"] == "object" for one in tools.values())


@pytest.mark.requirement("S3-018", "S3-025")
def test_asked_again_they_are_the_same(work: Path) -> None:
    served = Served(Toolkit(cwd=work))
    assert served.tools() == served.tools()
    assert served.tool("Read") in served.tools()


@pytest.mark.requirement("S3-018", "S3-021")
def test_only_what_may_be_used_is_served(work: Path) -> None:
    names = {one.name for one in Served(Toolkit(cwd=work, permissions=["read"])).tools()}
    assert {"Read", "Glob", "TodoRead"} <= names
    assert not {"Write", "Bash", "Task"} & names


def test_a_tool_that_is_not_there_is_answered_with_the_nearest(work: Path) -> None:
    with pytest.raises(ToolError, match="Unknown tool: Raed") as raised:
        Served(Toolkit(cwd=work)).tool("Raed")
    assert "Read" in raised.value.suggestion


# ── calls ─────────────────────────────────────────────────────────────────────────────────────
def read(served: Served) -> ServedTool:
    return served.tool("Read")


@pytest.mark.requirement("S3-018", "S3-029")
async def test_invoke_gives_the_text_that_a_model_should_see(work: Path) -> None:
    one = read(Served(Toolkit(cwd=work)))
    seen = "     1\tone"
    assert await one.ainvoke({"file_path": "a.txt"}) == seen
    assert await one.ainvoke(file_path="a.txt") == seen
    assert await one.ainvoke(json.dumps({"file_path": "a.txt"})) == seen
    assert one.invoke(file_path="a.txt") == seen  # also inside a running loop


@pytest.mark.requirement("S3-029")
async def test_data_is_told_as_json(work: Path) -> None:
    @tool(permission=Permission.READ)
    def count() -> dict[str, int]:
        """Count."""
        return {"files": 3}

    served = Served(Toolkit([count], cwd=work))
    assert json.loads(await served.tool("count").ainvoke()) == {"files": 3}


@pytest.mark.requirement("S3-027")
async def test_the_last_result_of_each_tool_is_kept(work: Path) -> None:
    served = Served(Toolkit(cwd=work))
    assert served.last_results == {}
    await read(served).ainvoke(file_path="a.txt")
    await served.tool("Glob").ainvoke(pattern="*.txt")
    await read(served).ainvoke(file_path="missing.txt")
    assert set(served.last_results) == {"Read", "Glob"}
    assert served.last_results["Glob"].ok
    failed = served.last_results["Read"].error
    assert failed is not None
    assert failed.code is ErrorCode.FILE_NOT_FOUND


@pytest.mark.requirement("S3-027", "S3-028", "S3-018")
async def test_each_result_is_told_in_the_order_of_its_end(work: Path) -> None:
    told: list[ToolResult] = []
    served = Served(Toolkit(cwd=work), on_tool_result=told.append)
    await read(served).ainvoke(file_path="a.txt")
    await served.tool("TodoWrite").ainvoke(todos=[{"content": "x", "status": "pending"}])
    await read(served).ainvoke(nonsense=1)
    assert [one.ok for one in told] == [True, True, False]
    assert told[-1] is served.last_results["Read"]
    assert len({one.call_id for one in told}) == 3


@pytest.mark.requirement("S3-052")
async def test_the_context_of_each_call_may_be_chosen(work: Path) -> None:
    seen: list[tuple[str, str]] = []

    @tool(permission=Permission.READ)
    def who(ctx: ToolContext) -> str:
        """Say who calls."""
        seen.append((ctx.agent, ctx.call_id))
        return ctx.agent

    kit = Toolkit([who], cwd=work)
    asked: list[tuple[str, str]] = []

    def context(name: str, call_id: str) -> Toolkit:
        asked.append((name, call_id))
        return kit.for_agent(f"caller {len(asked)}")

    one = Served(kit, create_context=context).tool("who")
    assert [await one.ainvoke(), await one.ainvoke()] == ["caller 1", "caller 2"]
    assert [name for name, _ in asked] == ["who", "who"]
    assert [call_id for _, call_id in asked] == [call_id for _, call_id in seen]


@pytest.mark.requirement("S3-052")
async def test_without_a_choice_a_read_counts_for_a_later_edit(work: Path) -> None:
    served = Served(Toolkit(cwd=work, mode="bypass"))
    change = {"file_path": "a.txt", "old_string": "one", "new_string": "two"}
    assert "read" in (await served.tool("Edit").ainvoke(change)).casefold()
    await read(served).ainvoke(file_path="a.txt")
    await served.tool("Edit").ainvoke(change)
    assert (work / "a.txt").read_text(encoding="utf-8") == "two\n"


# ── nothing is allowed by being called from elsewhere ─────────────────────────────────────────
async def test_who_may_say_no_is_asked_as_ever(work: Path) -> None:
    person = FakePerson([NO])
    served = Served(Toolkit(cwd=work, approve=person))
    said = await served.tool("Write").ainvoke(file_path="b.txt", content="x")
    assert "denied" in said
    assert [one.tool for one in person.asked] == ["Write"]
    assert not (work / "b.txt").exists()


@pytest.mark.requirement("S3-037")
async def test_task_says_that_a_model_is_needed(work: Path) -> None:
    served = Served(Toolkit(cwd=work))
    await served.tool("Task").ainvoke(description="d", prompt="p", subagent_type="explore")
    assert served.last_results["Task"].metadata["error"] == "LLM_ASSIST_REQUIRED"


async def test_several_at_once_keep_their_own_answers(work: Path) -> None:
    for number in range(8):
        (work / f"{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    one = read(Served(Toolkit(cwd=work)))
    texts = await asyncio.gather(*(one.ainvoke(file_path=f"{n}.txt") for n in range(8)))
    assert texts == [f"     1\t{number}" for number in range(8)]
