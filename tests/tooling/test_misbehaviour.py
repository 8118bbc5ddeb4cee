"""Whatever a model sends and a tool does: one clear error result, and the process lives."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import (
    ErrorCode,
    Permission,
    Tool,
    ToolCall,
    ToolContext,
    ToolInput,
    Toolkit,
    ToolResult,
    tool,
)
from ankrcode.config.limits import MAX_ARGUMENT_BYTES, Limits
from ankrcode.config.settings import Settings
from ankrcode.testing import Bench
from ankrcode.tooling import supervise
from torture import examples


class EchoInput(ToolInput):
    text: str
    numbers: list[int] = []


class Echo(Tool[EchoInput]):
    name = "Echo"
    permission = Permission.READ

    async def run(self, args: EchoInput, ctx: ToolContext) -> str:
        return args.text


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def code_of(result: ToolResult) -> ErrorCode:
    assert result.error is not None
    assert result.error.message
    assert result.text
    return result.error.code


@pytest.mark.requirement("S0-111", "S0-006")
async def test_an_unknown_tool_is_answered_with_the_nearest_one() -> None:
    result = await Bench(Echo).kit.call("Ehco", text="x")
    assert code_of(result) is ErrorCode.UNKNOWN_TOOL
    assert result.text == "Unknown tool: Ehco. Did you mean Echo?"


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[1]",
        "null",
        '"text"',
        '{"text": "a"} {"text": "b"}',
        "\x00",
        "{" * 10_000,
        "[" * 10_000,
        '{"text": ' + "[" * 10_000 + "]" * 10_000 + "}",
        '{"text": "' + "x" * (MAX_ARGUMENT_BYTES + 1) + '"}',
        {"text": deep(10_000)},
        {"text": deep(200)},
        {"text": "x" * (50 * 1024 * 1024)},
        {"text": "\ud800"},
        {"text": object()},
        {"text": {1, 2}},
        {"text": float("nan")},
        {"text": 1},
        {"text": None},
        {"text": "x", "numbers": ["1"]},
        {"text": "x", "numbers": {"0": 1}},
        {"text": "x", "more": 1},
        {1: "text"},
        [],
        None,
        7,
        b"\xff\xfe",
    ],
    ids=lambda value: repr(value)[:40] if not isinstance(value, dict) else None,
)
async def test_broken_arguments_end_in_one_clear_error(arguments: Any) -> None:
    result = await Bench(Echo).run_raw(arguments)
    assert code_of(result) is ErrorCode.INVALID_INPUT
    assert len(result.text) < 5_000


@pytest.mark.torture
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
@examples(in_ci=300, in_torture=10_000)
def test_no_arguments_at_all_make_a_call_raise(arguments: Any) -> None:
    result = asyncio.run(Toolkit([Echo]).call_raw(ToolCall(name="Echo", arguments=arguments)))
    assert result.call_id
    assert result.ok or code_of(result) is ErrorCode.INVALID_INPUT


def bench_for(function: Any, **limits: Any) -> Bench:
    settings = Settings(limits=Limits(**limits)) if limits else None
    return Bench(tool(permission=Permission.READ)(function), settings=settings)


@pytest.mark.requirement("S0-115")
async def test_a_tool_that_raises_becomes_an_error_result() -> None:
    async def broken() -> str:
        raise ValueError("no such luck")

    result = await bench_for(broken).run()
    assert code_of(result) is ErrorCode.EXECUTION_ERROR
    assert "ValueError: no such luck" in result.text


@pytest.mark.parametrize(
    "problem", [SystemExit(3), RecursionError(), MemoryError(), StopIteration()]
)
async def test_even_an_exit_or_a_crash_ends_the_call_and_not_the_process(
    problem: BaseException,
) -> None:
    def broken() -> str:
        raise problem

    async def broken_async() -> str:
        raise problem

    for function in (broken, broken_async):
        assert code_of(await bench_for(function).run()) is ErrorCode.EXECUTION_ERROR


@pytest.mark.requirement("S0-109", "S0-114", "S2-050")
async def test_a_tool_that_hangs_is_stopped_at_its_limit() -> None:
    stopped = asyncio.Event()

    async def hang() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    result = await bench_for(hang, call_timeout_s=0.02).run()
    assert code_of(result) is ErrorCode.TIMEOUT
    assert result.text.startswith("Timeout: hang was stopped after 0.02 s.")
    assert stopped.is_set()


@pytest.mark.requirement("S0-188")
async def test_a_tool_may_have_a_longer_limit_of_its_own() -> None:
    @tool(permission=Permission.READ, timeout_s=30)
    async def patient() -> str:
        """Take a while."""
        await asyncio.sleep(0.05)
        return "done"

    bench = Bench(patient, settings=Settings(limits=Limits(call_timeout_s=0.01)))
    assert (await bench.run()).text == "done"


@pytest.mark.requirement("S0-188")
async def test_time_spent_waiting_for_a_person_does_not_count() -> None:
    async def asking(ctx: ToolContext) -> str:
        with ctx.off_the_clock():
            await asyncio.sleep(0.1)
        return "answered"

    assert (await bench_for(asking, call_timeout_s=0.05).run()).text == "answered"


@pytest.mark.requirement("S0-188")
async def test_a_tool_that_only_waits_has_no_limit() -> None:
    class Waiter(Echo):
        name = "Waiter"
        waits = True

        async def run(self, args: EchoInput, ctx: ToolContext) -> str:
            await asyncio.sleep(0.05)
            return "done"

    bench = Bench(Waiter, settings=Settings(limits=Limits(call_timeout_s=0.01)))
    assert (await bench.run(text="")).text == "done"


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "CANCEL_GRACE_S", 0.02)


@pytest.mark.usefixtures("short_grace")
async def test_a_tool_that_ignores_cancellation_is_left_behind_and_reported() -> None:
    free = asyncio.Event()

    async def stubborn() -> str:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    bench = bench_for(stubborn, call_timeout_s=0.02)
    result = await bench.run()
    assert code_of(result) is ErrorCode.TIMEOUT
    assert result.error is not None
    assert result.error.details["abandoned"] is True
    assert "did not stop" in result.text
    free.set()
    await asyncio.sleep(0)


@pytest.mark.usefixtures("short_grace")
async def test_a_blocking_tool_that_never_looks_up_is_left_behind_too() -> None:
    free = threading.Event()

    def stubborn() -> str:
        free.wait(10)
        return "late"

    result = await bench_for(stubborn, call_timeout_s=0.02).run()
    assert code_of(result) is ErrorCode.TIMEOUT
    free.set()


async def test_a_blocking_tool_sees_that_it_should_stop() -> None:
    seen = threading.Event()

    def polite(ctx: ToolContext) -> str:
        while not ctx.cancel.requested:
            pass
        seen.set()
        return "stopped"

    result = await bench_for(polite, call_timeout_s=0.02).run()
    assert code_of(result) is ErrorCode.TIMEOUT
    assert seen.is_set()


@pytest.mark.parametrize("wrong", [object(), {1, object()}, lambda: None, 1j])
async def test_a_result_of_the_wrong_type_is_named(wrong: Any) -> None:
    async def odd() -> Any:
        return wrong

    result = await bench_for(odd).run()
    assert code_of(result) is ErrorCode.EXECUTION_ERROR
    assert "is not a result" in result.text


@pytest.mark.requirement("S3-029")
async def test_what_is_not_text_reaches_the_model_as_json() -> None:
    async def data() -> dict[str, Any]:
        return {"found": 2, "names": ["क", "b"]}

    result = await bench_for(data).run()
    assert result.text == '{"found":2,"names":["क","b"]}'
    assert result.value == {"found": 2, "names": ["क", "b"]}


async def test_a_flood_of_progress_neither_blocks_nor_grows() -> None:
    async def flood(ctx: ToolContext) -> str:
        for number in range(200_000):
            ctx.progress(str(number))
        return "done"

    bench = bench_for(flood)
    blocked = threading.Event()
    bench.kit.on("tool_progress", lambda _: blocked.wait(10))
    result = await bench.run()
    assert result.text == "done"
    assert bench.kit.activity.dropped > 100_000
    blocked.set()


async def test_text_with_lone_surrogates_is_made_sendable() -> None:
    async def odd() -> str:
        return "a\ud800b"

    assert (await bench_for(odd).run()).text == "a\ufffdb"


async def test_a_fault_in_acts_is_that_calls_alone() -> None:
    class Faulty(Echo):
        name = "Faulty"

        def acts(self, args: EchoInput, ctx: ToolContext) -> Any:
            raise KeyError("oops")

    bench = Bench(Faulty)
    assert code_of(await bench.run(text="x")) is ErrorCode.EXECUTION_ERROR
    assert code_of(await bench.run(text="x")) is ErrorCode.EXECUTION_ERROR


async def test_after_every_fault_the_next_call_works(tmp_path: Path) -> None:
    bench = Bench(Echo, tmp_path)
    for arguments in ("{", None, {"text": 1}, {"text": "\ud800"}):
        assert not (await bench.run_raw(arguments)).ok
    assert (await bench.run(text="still here")).text == "still here"
