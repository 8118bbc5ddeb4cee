"""What a tool is given besides its input."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Acts, Mode, Permission, Tool, ToolContext, ToolInput, Toolkit, ToolOptions
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import FixedSource
from ankrcode.tooling.registry import Registry
from ankrcode.workspace.reads import ReadRecord, version_of


class PeekInput(ToolInput):
    pass


class Peek(Tool[PeekInput]):
    """Keeps the context it was given."""

    name = "Peek"
    permission = Permission.READ
    optional_permissions = frozenset({Permission.NETWORK})

    ctx: ToolContext

    def acts(self, args: PeekInput, ctx: ToolContext) -> Acts:
        return Acts(writes=("state:todos",))

    async def run(self, args: PeekInput, ctx: ToolContext) -> ToolResult:
        Peek.ctx = ctx
        ctx.todos.append("seen")
        ctx.values["count"] = ctx.values.get("count", 0) + 1
        return ToolResult(text=str(ctx.values["count"]))


async def context(kit: Toolkit) -> ToolContext:
    assert (await kit.call("Peek")).ok
    return Peek.ctx


def kit_in(folder: Path, **options: Any) -> Toolkit:
    return Toolkit(registry=Registry([Peek]), cwd=folder, **options)


@pytest.mark.requirement("S3-006", "S3-007", "S3-008", "S3-010", "S4-020")
async def test_who_asks_session_turn_agent_and_call(tmp_path: Path) -> None:
    kit = kit_in(tmp_path, session_id="s1")
    kit.agent.turn_id = "turn 7"
    result = await kit.call("Peek")
    ctx = Peek.ctx
    assert ctx.session_id == "s1"
    assert ctx.turn_id == ctx.message_id == "turn 7"
    assert ctx.agent == "main"
    assert ctx.agent_id == kit.agent.agent_id
    assert ctx.call_id == result.call_id


@pytest.mark.requirement("S4-021", "S4-022")
async def test_where_directory_roots_and_extra_directories(tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "extra").mkdir()
    ctx = await context(kit_in(tmp_path / "main", extra_directories=[tmp_path / "extra"]))
    assert ctx.cwd == str(tmp_path / "main")
    assert ctx.extra_directories == (str(tmp_path / "extra"),)
    assert ctx.workspace.contains(str(tmp_path / "extra" / "a"))


@pytest.mark.requirement("S3-009", "S4-025")
async def test_cancel_can_be_looked_at(tmp_path: Path) -> None:
    ctx = await context(kit_in(tmp_path))
    assert ctx.cancel.requested is False
    ctx.cancel.check()
    ctx.cancel.requested = True
    with pytest.raises(asyncio.CancelledError):
        ctx.cancel.check()


@pytest.mark.requirement("S4-024", "S4-019")
async def test_read_state_is_shared_by_the_calls_of_an_agent_and_by_no_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_text("x", encoding="utf-8")
    kit = kit_in(tmp_path)
    version = version_of(str(tmp_path / "a"))
    assert version is not None
    (await context(kit)).reads.record(str(tmp_path / "a"), ReadRecord(version=version))
    assert (await context(kit)).reads.get(str(tmp_path / "a")) is not None
    assert (await context(kit.for_agent("child"))).reads.get(str(tmp_path / "a")) is None


@pytest.mark.requirement("S4-026", "S3-023")
async def test_permissions_can_be_looked_at(tmp_path: Path) -> None:
    kit = kit_in(tmp_path, mode="acceptEdits", permissions=["read", "network"])
    ctx = await context(kit)
    assert ctx.mode is Mode.ACCEPT_EDITS
    assert ctx.granted == {Permission.READ, Permission.NETWORK}
    assert not ctx.is_allowed("Bash", "ls")
    kit.agent.policy.grant("Bash", "ls*")
    assert ctx.is_allowed("Bash", "ls -l")
    assert not ctx.is_allowed("Bash", "rm")


@pytest.mark.requirement("S4-023")
async def test_messages_can_be_read_but_not_changed(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    message = Message(role="user", parts=(TextPart(text="hi"),))
    kit.agent.messages.append(message)
    assert (await context(kit)).messages == (message,)


@pytest.mark.requirement("S4-027")
async def test_todos_and_values_live_as_long_as_the_agent(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    assert [(await kit.call("Peek")).text for _ in range(3)] == ["1", "2", "3"]
    assert kit.agent.todos == ["seen"] * 3


@pytest.mark.requirement("S4-028", "S4-029", "S4-030", "S4-158")
async def test_options_name_the_tools_visible_here_and_the_model(tmp_path: Path) -> None:
    options = ToolOptions(
        tools=("Peek",), model="m", max_thinking_tokens=7, agent_definitions=("Explore",)
    )
    ctx = await context(kit_in(tmp_path, options=options))
    assert ctx.options == options
    assert (await context(kit_in(tmp_path))).options.tools == ("Peek",)


@pytest.mark.requirement("S4-032")
async def test_a_child_agent_has_the_same_chain_one_level_deeper(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    child = kit.for_agent("explorer", tools=["Peek"])
    ctx = await context(child)
    assert ctx.chain_id == kit.agent.chain_id != ""
    assert (ctx.depth, ctx.agent) == (1, "explorer")
    assert ctx.agent_id != kit.agent.agent_id


async def test_a_child_agent_never_has_more_rights(tmp_path: Path) -> None:
    kit = kit_in(tmp_path, permissions=["read"])
    child = kit.for_agent("child")
    child.agent.policy.grant("Peek")
    assert child.agent.policy.granted == kit.agent.policy.granted
    assert not kit.agent.policy.is_granted("Peek", "*"), "what a child is granted stays its own"


async def test_clock_and_ids_come_from_one_source_so_runs_can_be_repeated(tmp_path: Path) -> None:
    results = []
    for _ in range(2):
        kit = kit_in(tmp_path, source=FixedSource(now=5.0))
        results.append(await kit.call("Peek"))
        assert Peek.ctx.now() == 5.0
        assert Peek.ctx.new_id("x").startswith("x_")
    assert results[0] == results[1]
