"""Turns: calls fed while they arrive, results in call order, cancel of one or all."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Acts, ErrorCode, Permission, Tool, ToolCall, ToolContext, ToolInput, Toolkit
from ankrcode.protocol.acts import file
from ankrcode.protocol.modifier import PermissionGranted, QueueCommand
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.registry import Registry


class GateInput(ToolInput):
    name: str
    reads: list[str] = []
    writes: list[str] = []


class Gate(Tool[GateInput]):
    """Notes when it starts and waits until the test opens its gate."""

    name = "Gate"
    permission = Permission.READ
    shares_repeats = False

    def __init__(self) -> None:
        self.log: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.running: set[str] = set()

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    def acts(self, args: GateInput, ctx: ToolContext) -> Acts:
        return Acts(
            reads=tuple(map(file, args.reads)),
            writes=tuple(f"state:{name}" for name in args.writes),
        )

    def is_concurrency_safe(self, args: GateInput) -> bool:
        return not args.writes

    async def run(self, args: GateInput, ctx: ToolContext) -> str:
        self.log.append(f"+{args.name}")
        self.running.add(args.name)
        try:
            await self.gate(args.name).wait()
        finally:
            self.running.discard(args.name)
        self.log.append(f"-{args.name}")
        return args.name


@pytest.fixture
def gate() -> Gate:
    return Gate()


def kit_of(*tools: Tool[Any], **options: Any) -> Toolkit:
    return Toolkit(registry=Registry(tools), **options)


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name="Gate", id=name, arguments={"name": name, **arguments})


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until something holds; a bound instead of a sleep."""
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


@pytest.mark.requirement("S4-003")
async def test_a_call_starts_while_later_ones_have_not_arrived_yet(gate: Gate) -> None:
    async with kit_of(gate).turn() as turn:
        turn.feed(call("first"))
        await until(lambda: "first" in gate.running)
        turn.feed(call("second"))
        for name in ("second", "first"):
            gate.gate(name).set()
        assert [result.text for result in await turn.results()] == ["first", "second"]


@pytest.mark.requirement("S4-002", "S0-116", "S0-131", "S4-128", "S4-253")
async def test_calls_that_do_not_conflict_overlap_and_conflicting_ones_keep_their_order(
    gate: Gate,
) -> None:
    kit = kit_of(gate)
    async with kit.turn() as turn:
        for name, writes in (("a", ["x"]), ("b", ["x"]), ("c", ["y"])):
            turn.feed(call(name, writes=writes))
        await until(lambda: gate.running == {"a", "c"})
        gate.gate("c").set()
        gate.gate("b").set()
        await until(lambda: "-c" in gate.log)
        assert "+b" not in gate.log
        gate.gate("a").set()
        results = await turn.results()
    assert [result.text for result in results] == ["a", "b", "c"]
    assert gate.log.index("-a") < gate.log.index("+b")


@pytest.mark.requirement("S4-127")
async def test_the_partition_policy_runs_safe_calls_first_and_unsafe_ones_in_order(
    gate: Gate,
) -> None:
    kit = kit_of(gate, scheduling="partition")
    async with kit.turn() as turn:
        turn.feed(call("write 1", writes=["x"]))
        turn.feed(call("read 1"))
        turn.feed(call("write 2", writes=["y"]))
        turn.feed(call("read 2"))
        await until(lambda: gate.running == {"read 1", "read 2"})
        for name in ("write 1", "write 2", "read 1", "read 2"):
            gate.gate(name).set()
        results = await turn.results()
    assert [result.text for result in results] == ["write 1", "read 1", "write 2", "read 2"]
    assert gate.log[-4:] == ["+write 1", "-write 1", "+write 2", "-write 2"]


async def test_one_call_can_be_cancelled_and_the_others_go_on(gate: Gate) -> None:
    async with kit_of(gate).turn() as turn:
        for name in ("a", "b"):
            turn.feed(call(name))
        await until(lambda: gate.running == {"a", "b"})
        turn.cancel("a")
        gate.gate("b").set()
        first, second = await turn.results()
    assert first.error is not None
    assert first.error.code is ErrorCode.CANCELLED
    assert second.text == "b"


async def test_cancelling_a_turn_gives_every_call_a_result_started_or_not(gate: Gate) -> None:
    async with kit_of(gate).turn() as turn:
        turn.feed(call("running", writes=["x"]))
        turn.feed(call("waiting", writes=["x"]))
        await until(lambda: "running" in gate.running)
        turn.feed(call("not even begun"))
        turn.cancel()
        results = await turn.results()
    assert [r.error.code for r in results if r.error] == [ErrorCode.CANCELLED] * 3
    assert [result.call_id for result in results] == ["running", "waiting", "not even begun"]
    assert gate.running == set()


async def test_whoever_awaits_a_call_can_be_cancelled_and_the_tool_stops(gate: Gate) -> None:
    kit = kit_of(gate)
    task = asyncio.create_task(kit.call("Gate", name="a"))
    await until(lambda: "a" in gate.running)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gate.running == set()
    gate.gate("b").set()
    assert (await kit.call("Gate", name="b")).text == "b", "the table was left clean"


async def test_a_timeout_around_a_call_is_the_callers_own(gate: Gate) -> None:
    kit = kit_of(gate)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await kit.call("Gate", name="a")
    assert gate.running == set()


async def test_an_id_that_comes_twice_still_gives_two_results(gate: Gate) -> None:
    gate.gate("a").set()
    gate.gate("b").set()
    first, second = call("a"), ToolCall(name="Gate", id="a", arguments={"name": "b"})
    results = await kit_of(gate).call_all([first, second])
    assert [result.text for result in results] == ["a", "b"]
    assert results[0].call_id != results[1].call_id


async def test_a_thousand_calls_keep_their_order(gate: Gate) -> None:
    calls = [call(str(number)) for number in range(1_000)]
    for number in range(1_000):
        gate.gate(str(number)).set()
    results = await kit_of(gate).call_all(calls)
    assert [result.text for result in results] == [str(number) for number in range(1_000)]


class GiveInput(ToolInput):
    times: int = 1


class Give(Tool[GiveInput]):
    """Asks for something to happen through a modifier of its result."""

    name = "Give"
    permission = Permission.READ

    def acts(self, args: GiveInput, ctx: ToolContext) -> Acts:
        return Acts(writes=("state:permissions",))

    async def run(self, args: GiveInput, ctx: ToolContext) -> ToolResult:
        follow_up = ToolCall(name="Note", arguments={"text": "queued"})
        return ToolResult(
            text="given",
            modifiers=(
                PermissionGranted(tool="Note", pattern="*"),
                *(QueueCommand(call=follow_up) for _ in range(args.times)),
            ),
        )


class NoteInput(ToolInput):
    text: str


class Note(Tool[NoteInput]):
    """Needs approval until it is granted."""

    name = "Note"
    permission = Permission.EXECUTE

    def __init__(self) -> None:
        self.notes: list[str] = []

    async def run(self, args: NoteInput, ctx: ToolContext) -> str:
        self.notes.append(args.text)
        return args.text


@pytest.mark.requirement("S4-036", "S4-140")
async def test_a_granted_permission_silences_the_next_matching_call_of_the_same_turn() -> None:
    note = Note()
    kit = kit_of(Give(), note)
    assert not (await kit.call("Note", text="too early")).ok
    calls = [
        ToolCall(name="Give", arguments={"times": 0}),
        ToolCall(name="Note", arguments={"text": "x"}),
    ]
    given, noted = await kit.call_all(calls)
    assert given.ok
    assert noted.ok
    assert note.notes == ["x"]


@pytest.mark.requirement("S4-037")
async def test_a_queued_command_runs_after_the_turn_through_the_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # what is uncommitted around us would be told of
    note = Note()
    kit = kit_of(Give(), note)
    async with kit.turn() as turn:
        turn.feed(ToolCall(name="Give", arguments={"times": 2}))
        results = await turn.results()
    assert [result.text for result in results] == ["given"]
    assert [result.text for result in turn.queued_results] == ["queued", "queued"]
    assert note.notes == ["queued", "queued"]


async def test_a_queued_command_is_judged_like_any_other() -> None:
    note = Note()

    class Sneak(Give):
        name = "Sneak"

        async def run(self, args: GiveInput, ctx: ToolContext) -> ToolResult:
            follow_up = ToolCall(name="Note", arguments={"text": "sneaked"})
            return ToolResult(text="ok", modifiers=(QueueCommand(call=follow_up),))

    async with kit_of(Sneak(), note).turn() as turn:
        turn.feed(ToolCall(name="Sneak"))
        await turn.results()
    (queued,) = turn.queued_results
    assert queued.error is not None
    assert queued.error.code is ErrorCode.PERMISSION_DENIED
    assert note.notes == []


async def test_the_current_directory_is_looked_at_after_an_earlier_call_moved_it(
    tmp_path: Path,
) -> None:
    class Wander(Tool[NoteInput]):
        name = "Wander"
        permission = Permission.READ

        def acts(self, args: NoteInput, ctx: ToolContext) -> Acts:
            return Acts(writes=("state:cwd",))

        async def run(self, args: NoteInput, ctx: ToolContext) -> str:
            ctx.workspace.cwd = f"{ctx.workspace.root}/{args.text}"
            return ctx.cwd

    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("inner\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("outer\n", encoding="utf-8")
    kit = Toolkit([Wander()], cwd=tmp_path)
    _, read = await kit.call_all(
        [
            ToolCall(name="Wander", arguments={"text": "sub"}),
            ToolCall(name="Read", arguments={"file_path": "a.txt"}),
        ]
    )
    assert read.text == "     1\tinner"


async def test_a_call_made_while_cleaning_up_after_a_cancel_is_an_ordinary_call(
    gate: Gate,
) -> None:
    kit = kit_of(gate)
    gate.gate("tidy").set()
    tidied = asyncio.Event()

    async def worker() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            assert (await kit.call("Gate", name="tidy")).text == "tidy"
            tidied.set()
            raise

    task = asyncio.create_task(worker())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tidied.is_set()
