"""Agents in programs of people who have read the documents once: every argument, every way out."""

import asyncio
import copy
import inspect
import json
import pickle
import sys
import threading
import typing
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import anyio
import msgspec
import pydantic
import pytest

import ankrcode
from agent.talking import call, calls, check_accepted, texts
from ankrcode import (
    Agent,
    ApprovalAnswer,
    Attachment,
    ErrorCode,
    Event,
    HookAnswer,
    Options,
    Permission,
    Settings,
    ToolError,
    Toolkit,
    ToolResult,
    UsageError,
    hook,
    tool,
)
from ankrcode.protocol.message import ToolResultPart
from ankrcode.protocol.stream import TextGrew
from ankrcode.providers.scripted import ScriptedModel
from ankrcode.providers.wire import ModelRequest

READ = call("Read", file_path="a.txt")
WRITE = call("Write", file_path="b.txt", content="beta\n")
BOUND_S = 20
PUBLIC: list[str] = vars(ankrcode)["__all__"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    return tmp_path


def last_result(model: ScriptedModel) -> str:
    """What the model was told of its last call."""
    parts = [part for message in model.requests[-1].messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, ToolResultPart)][-1]


# ── arguments ─────────────────────────────────────────────────────────────────────────────────
class Bare:
    """Not a model yet."""

    name = "bare"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"model": 5}, "5 is no model: it lacks name, context_tokens, stream, close"),
        ({"model": Bare()}, "it lacks context_tokens, stream, close"),
        ({"model": ScriptedModel}, r"it lacks \(\) behind the name of its class"),
        ({"tools": 5}, "tools takes a list"),
        ({"tools": [5]}, "5 is not a tool"),
        ({"hooks": 5}, "hooks takes a list"),
        ({"hooks": [print]}, "is not a hook"),
        ({"extra_directories": "abc"}, r"Write extra_directories=\['abc'\]"),
        ({"mode": "careless"}, "There is no mode 'careless'"),
        ({"max_turns": 0}, "max_turns must be a whole number of 1 or more, not 0"),
        ({"max_turns": -1}, "not -1"),
        ({"max_turns": "many"}, "not 'many'"),
        ({"max_turns": 1.5}, "not 1.5"),
        ({"max_cost_usd": -1}, "max_cost_usd must be more than 0"),
        ({"max_cost_usd": float("nan")}, "max_cost_usd must be more than 0"),
        ({"allowed_tools": "Read"}, "allowed_tools takes a list"),
    ],
)
def test_what_cannot_be_meant_is_said_when_the_agent_is_made(
    arguments: dict[str, Any], said: str, work: Path
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        Agent(**{"model": ScriptedModel([]), "cwd": work, **arguments})
    assert caught.value.suggestion or "Modes:" in str(caught.value)


@dataclass
class Verdict:
    ok: bool


class Row(TypedDict):
    ok: bool


class Box(msgspec.Struct):
    ok: bool


class Form(pydantic.BaseModel):
    ok: bool


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"task": 5}, "A task is text, not int"),
        ({"task": None}, "A task is text, not NoneType"),
        ({"attachments": ["a.png"]}, "'a.png' is no attachment"),
        ({"attachments": "a.png"}, "attachments takes a list"),
        ({"attachments": Attachment(type="image", mime="image/png", path="a")}, "takes a list"),
        ({"max_turns": 0}, "1 or more"),
        ({"schema": Verdict}, r"is a type, not a JSON Schema.*msgspec\.json\.schema"),
        ({"schema": Row}, "is a type"),
        ({"schema": Box}, "is a type"),
        ({"schema": Form}, r"model_json_schema\(\)"),
        ({"schema": list[int]}, "is a type"),
        ({"schema": {"type": "nonsense"}}, "no JSON Schema"),
    ],
)
async def test_what_is_no_task_is_said_and_the_next_one_is_done(
    arguments: dict[str, Any], said: str, work: Path
) -> None:
    model = ScriptedModel(["done"])
    async with Agent(model, cwd=work) as agent:
        with pytest.raises(UsageError, match=said):
            await agent.run(**{"task": "x", **arguments})
        assert not model.requests
        assert (await agent.run("y")).text == "done"


@pytest.mark.parametrize(
    "schema",
    [
        msgspec.json.schema(Verdict),
        msgspec.json.schema(Row),
        msgspec.json.schema(Box),
        Form.model_json_schema(),
        {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
    ],
    ids=["dataclass", "TypedDict", "Struct", "pydantic", "by hand"],
)
async def test_the_schema_of_a_type_gives_data_that_makes_one(
    schema: dict[str, Any], work: Path
) -> None:
    async with Agent(ScriptedModel(['{"ok": "yes"}', '{"ok": true}']), cwd=work) as agent:
        answer = await agent.run("Is it?", schema=schema)
    assert answer.ok
    assert msgspec.convert(answer.structured, Box) == Box(ok=True)
    assert Form.model_validate(answer.structured).ok


async def test_every_argument_at_once(work: Path) -> None:
    (work / "more").mkdir()
    model = ScriptedModel([calls(READ), "done"])

    async def yes(_: object) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True)

    @tool(permission=Permission.READ)
    def own() -> str:
        """Nothing."""
        return ""

    agent = Agent(
        model,
        tools=iter([own]),
        cwd=str(work),
        extra_directories=(work / "more",),
        mode="acceptEdits",
        approve=yes,
        hooks=(hook("PreToolUse")(lambda _: None),),
        settings=Settings(),
        append_system_prompt="Be brief.",
        max_turns=5,
        max_cost_usd=1.0,
        records=True,
        persona="a gardener",
        language="Marathi",
        allowed_tools={"Read"},
        disallowed_tools=("Task",),
        options=Options(temperature=0),
        trusted=False,
    )
    async with agent:
        answer = await agent.run("go", max_turns=3)
    assert (answer.ok, answer.turns) == (True, 2)
    told = "\n".join(texts(message) for message in model.requests[0].messages)
    assert all(one in told for one in ("Be brief.", "gardener", "Marathi"))
    assert model.requests[0].options.temperature == 0
    names = [one.name for one in model.requests[0].tools]
    assert "own" in names
    assert "Task" not in names


# ── streams ───────────────────────────────────────────────────────────────────────────────────
async def test_two_streams_at_once_are_one_too_many_and_the_first_goes_on(work: Path) -> None:
    async with Agent(ScriptedModel([calls(READ), "one", "two"]), cwd=work) as agent:
        first, second = agent.stream("x"), agent.stream("y")
        assert (await anext(first)).type == "turn_start"
        with pytest.raises(UsageError):
            await anext(second)
        assert [event.type async for event in first][-1] == "turn_end"
        assert [event.type async for event in agent.stream("z")][-1] == "turn_end"


async def test_a_stream_that_nobody_reads_costs_nothing(work: Path) -> None:
    model = ScriptedModel(["done"])
    async with Agent(model, cwd=work) as agent:
        agent.stream("never")
        assert (await agent.run("x")).text == "done"
    assert len(model.requests) == 1


async def test_a_closed_stream_stays_closed(work: Path) -> None:
    async with Agent(ScriptedModel([calls(READ), "x", "done"]), cwd=work) as agent:
        stream = agent.stream("x")
        await anext(stream)
        for _ in range(2):
            await stream.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        assert (await agent.run("y")).ok


async def test_an_exception_thrown_into_a_stream_comes_out_again(work: Path) -> None:
    async with Agent(ScriptedModel([calls(READ), "x", "done"]), cwd=work) as agent:
        stream = agent.stream("x")
        await anext(stream)
        with pytest.raises(ValueError, match="mine"):
            await stream.athrow(ValueError("mine"))
        assert agent.answer is not None
        assert agent.answer.subtype == "error_cancelled"
        assert (await agent.run("y")).ok


# ── scopes that cancel ────────────────────────────────────────────────────────────────────────
class Waiting:
    """A tool that waits for ever, and tells when it began and whether it was stopped."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.was_stopped = False

        @tool(permission=Permission.READ)
        async def wait() -> str:
            """Wait for ever."""
            self.has_begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.was_stopped = True
            return ""

        self.agent = Agent(ScriptedModel([calls(call("wait")), "next"]), tools=[wait])

    async def check(self) -> None:
        """It was stopped, and the conversation goes on."""
        assert self.was_stopped
        assert self.agent.answer is not None
        assert self.agent.answer.subtype == "error_cancelled"
        assert (await self.agent.run("and now?")).text == "next"
        await self.agent.close()


async def test_a_task_group_whose_other_task_fails_stops_it() -> None:
    waiting = Waiting()

    async def failing() -> None:
        await waiting.has_begun.wait()
        raise ValueError

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(waiting.agent.run("x"))
            group.create_task(failing())

    with pytest.raises(ExceptionGroup):
        await both()
    await waiting.check()


async def test_a_scope_of_anyio_stops_it_and_is_left_in_order() -> None:
    """It knows its own cancel by the words in it, and sends it until it is obeyed."""
    waiting = Waiting()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:

            async def cancel() -> None:
                await waiting.has_begun.wait()
                scope.cancel()

            group.start_soon(cancel)
            await waiting.agent.run("x")
    assert scope.cancelled_caught
    await waiting.check()


async def test_a_stream_in_a_scope_of_anyio_is_stopped_as_well() -> None:
    waiting = Waiting()
    with anyio.CancelScope() as scope:
        async for event in waiting.agent.stream("x"):
            if event.type == "tool_call_start":
                await waiting.has_begun.wait()
                scope.cancel()
    assert scope.cancelled_caught
    await waiting.check()


async def test_the_words_of_a_cancel_reach_whoever_waits() -> None:
    waiting = Waiting()
    working = asyncio.create_task(waiting.agent.run("x"))
    await waiting.has_begun.wait()
    working.cancel("enough")
    with pytest.raises(asyncio.CancelledError, match="enough"):
        await working
    await waiting.check()


async def test_a_timeout_inside_a_timeout_is_the_inner_one() -> None:
    waiting = Waiting()
    async with asyncio.timeout(BOUND_S):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await waiting.agent.run("x")
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0
    await waiting.agent.close()


# ── models of their own ───────────────────────────────────────────────────────────────────────
class Own:
    """A model by protocol alone."""

    name, context_tokens = "own", 100_000

    def __init__(self, *said: Any) -> None:
        self._said = said
        self.is_closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        for one in self._said:
            if isinstance(one, BaseException):
                raise one
            yield one

    async def close(self) -> None:
        self.is_closed = True


async def test_a_model_by_protocol_is_asked_and_closed(work: Path) -> None:
    model = Own(TextGrew(text="hi"))
    async with Agent(model, cwd=work) as agent:
        assert (await agent.run("x")).text == "hi"
    assert model.is_closed


async def test_what_a_model_raises_reaches_its_author_and_the_agent_is_free(work: Path) -> None:
    model = Own(ValueError("mine"))
    async with Agent(model, cwd=work) as agent:
        for _ in range(2):
            with pytest.raises(ValueError, match="mine"):
                await agent.run("x")
        model._said = (TextGrew(text="better"),)
        assert (await agent.run("y")).text == "better"
        check_accepted(agent.kit.agent.messages)


# ── functions of their own that go wrong ──────────────────────────────────────────────────────
BAD_ENDS: list[BaseException] = [
    ValueError("oops"),
    StopIteration(),
    SystemExit(3),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
]


def raising(problem: BaseException, *, is_async: bool) -> Callable[[Any], Any]:
    def now(_: Any) -> Any:
        raise problem

    async def later(_: Any) -> Any:
        raise problem

    return later if is_async else now


@pytest.mark.parametrize("problem", BAD_ENDS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
async def test_a_hook_that_ends_badly_ends_nothing_else(
    problem: BaseException, is_async: bool, work: Path
) -> None:
    model = ScriptedModel([calls(READ), "done", "again"])
    bad = hook("PreToolUse")(raising(problem, is_async=is_async))
    async with Agent(model, cwd=work, hooks=[bad]) as agent:
        async with asyncio.timeout(BOUND_S):
            answer = await agent.run("x")
        assert "A hook refused Read: " in last_result(model)
        assert answer.subtype == "error_denied"
        assert (await agent.run("y")).ok


@pytest.mark.parametrize("problem", BAD_ENDS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
async def test_whoever_approves_and_ends_badly_has_said_no(
    problem: BaseException, is_async: bool, work: Path
) -> None:
    model = ScriptedModel([calls(WRITE), "done", "again"])
    async with Agent(model, cwd=work, approve=raising(problem, is_async=is_async)) as agent:
        async with asyncio.timeout(BOUND_S):
            await agent.run("x")
        assert "whoever approves could not be asked" in last_result(model)
        assert not (work / "b.txt").exists()
        assert (await agent.run("y")).ok


def test_answers_that_run_out_are_a_no_and_nobody_waits_for_ever(work: Path) -> None:
    """`next` of a list that is at its end, in a thread: no future can carry what it raises."""
    answers = iter([ApprovalAnswer(approved=True)])
    model = ScriptedModel([calls(WRITE), calls(call("Bash", command="make x")), "done"])
    with Agent(model, cwd=work, approve=lambda _: next(answers)) as agent:
        agent.run_sync("x")
    assert (work / "b.txt").exists()
    assert "could not be asked (StopIteration())" in last_result(model)


@pytest.mark.parametrize("problem", BAD_ENDS, ids=lambda one: type(one).__name__)
def test_whoever_watches_and_ends_badly_still_sees_the_rest(
    problem: BaseException, work: Path
) -> None:
    kit = Toolkit(cwd=work)
    heard: list[str] = []

    def watch(event: Event) -> None:
        heard.append(event.type)
        raise problem

    kit.on("*", watch)
    for _ in range(2):
        assert kit.call_sync("Read", file_path="a.txt").ok
    kit.activity.flush()
    assert heard == ["tool_call_start", "tool_call_end"] * 2
    kit.close()


class Leaving:
    """A hook object that leaves the process, or so it thinks."""

    async def before(self, call: Any, ctx: Any) -> HookAnswer | None:
        sys.exit(3)

    async def after(self, call: Any, result: Any, ctx: Any) -> None: ...
    async def failed(self, call: Any, result: Any, ctx: Any) -> None: ...


def test_an_exit_in_the_shared_loop_reaches_its_caller_and_spares_the_others(work: Path) -> None:
    outcomes: list[object] = []

    def leave() -> None:
        try:
            Toolkit(cwd=work, hooks=[Leaving()]).call_sync("Read", file_path="a.txt")
        except SystemExit as problem:
            outcomes.append(problem.code)

    thread = threading.Thread(target=leave, daemon=True)
    thread.start()
    thread.join(BOUND_S)
    assert outcomes == [3]
    assert Toolkit(cwd=work).call_sync("Read", file_path="a.txt").ok


@pytest.mark.parametrize(
    ("said", "why"),
    [(True, "got `bool`"), ("text", "got `str`"), ([], "got `array`"), (5, "got `int`")],
)
async def test_what_a_hook_returns_and_nobody_understands_is_told_as_returned(
    said: object, why: str, work: Path
) -> None:
    model = ScriptedModel([calls(READ), "done"])
    async with Agent(model, cwd=work, hooks=[hook("PreToolUse")(lambda _: said)]) as agent:
        await agent.run("x")
    assert "returned is not understood" in last_result(model)
    assert why in last_result(model)


# ── many at once ──────────────────────────────────────────────────────────────────────────────
async def test_two_hundred_calls_at_once_each_get_their_own_result(work: Path) -> None:
    for number in range(200):
        (work / f"f{number}").write_text(f"{number}\n", encoding="utf-8")
    kit = Toolkit(cwd=work)
    results = await asyncio.gather(*(kit.call("Read", file_path=f"f{n}") for n in range(200)))
    assert [one.text.split()[-1] for one in results] == [str(n) for n in range(200)]


def test_eight_threads_with_an_agent_each(work: Path) -> None:
    said: list[str] = []

    def talk(number: int) -> None:
        with Agent(ScriptedModel([calls(READ), f"done {number}"]), cwd=work) as agent:
            said.append(agent.run_sync("x").text)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(BOUND_S)
    assert sorted(said) == [f"done {number}" for number in range(8)]


# ── what comes back ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("Read", {"file_path": "a.txt"}), ("Read", {"file_path": "no"}), ("List", {}), ("Nope", {})],
)
def test_results_go_anywhere_and_come_back(
    name: str, arguments: dict[str, Any], work: Path
) -> None:
    result = Toolkit(cwd=work).call_sync(name, arguments)
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == copy.copy(result) == result
    data = json.loads(json.dumps(msgspec.to_builtins(result)))
    again = msgspec.convert(data, ToolResult)
    assert (again.text, again.error) == (result.text, result.error)


ERRORS = [
    one
    for one in (getattr(ankrcode, name) for name in PUBLIC)
    if inspect.isclass(one) and issubclass(one, Exception)
]


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_says_what_happened_and_survives_copies_and_borders(kind: Any) -> None:
    error = kind("It broke.", suggestion="Mend it.")
    error.add_note("seen twice")
    assert str(error) == "It broke. Mend it."
    assert repr(error) == f"{kind.__name__}('It broke.')"
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error), copy.copy(error)):
        assert type(again) is kind
        assert vars(again) == vars(error)
    group = ExceptionGroup("several", [error, ValueError()])
    found = group.subgroup(ankrcode.AnkrCodeError)
    assert found is not None
    assert found.exceptions == (error,)


def test_an_error_with_a_code_keeps_it_across_a_border() -> None:
    error = ToolError.of("not_empty", path="/x").coded(ErrorCode.IS_A_DIRECTORY, path="/x")
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.kind, again.details) == (error.code, error.kind, {"path": "/x"})
    assert (again.key, again.values) == ("not_empty", {"path": "/x"})
    assert json.loads(json.dumps(again.code)) == "IS_A_DIRECTORY"


# ── help ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", sorted({*PUBLIC} - {"__version__"}))
def test_help_says_what_each_public_name_is(name: str) -> None:
    one = getattr(ankrcode, name)
    told = inspect.getdoc(one) or ""
    assert told
    assert "Enum where members" not in told, "Python's own words"
    if inspect.isclass(one):
        methods = [
            (key, part)
            for key, part in vars(one).items()
            if not key.startswith("_") and inspect.isfunction(part)
        ]
        assert not [key for key, part in methods if not inspect.getdoc(part)]


@pytest.mark.parametrize("one", [Agent.__init__, Agent.run, Toolkit.__init__, Toolkit.call, tool])
def test_types_can_be_had_at_run_time(one: Any) -> None:
    assert typing.get_type_hints(one)
