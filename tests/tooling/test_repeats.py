"""Repeated calls: what writes nothing is shared, what fails again and again is stopped."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import (
    Acts,
    ErrorCode,
    Permission,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolInput,
    Toolkit,
    ToolResult,
)
from ankrcode.config.limits import REPEAT_REMINDER_AT, REPEAT_STOP_AT, REPEAT_WARNING_AT
from ankrcode.protocol.acts import file
from ankrcode.tooling.registry import Registry


class DiskInput(ToolInput):
    path: str
    text: str = ""


class Look(Tool[DiskInput]):
    """Reads; counts how often it really ran."""

    name = "Look"
    permission = Permission.READ

    def __init__(self) -> None:
        self.runs = 0

    def acts(self, args: DiskInput, ctx: ToolContext) -> Acts:
        return Acts(reads=(file(ctx.workspace.resolve(args.path)),))

    async def run(self, args: DiskInput, ctx: ToolContext) -> str:
        self.runs += 1
        path = Path(ctx.workspace.resolve(args.path))
        if not path.exists():
            raise ToolError(f"No {args.path} here.")
        return path.read_text(encoding="utf-8")


class Put(Look):
    """Writes; counts how often it really ran."""

    name = "Put"

    def acts(self, args: DiskInput, ctx: ToolContext) -> Acts:
        return Acts(writes=(file(ctx.workspace.resolve(args.path)),))

    async def run(self, args: DiskInput, ctx: ToolContext) -> str:
        self.runs += 1
        Path(ctx.workspace.resolve(args.path)).write_text(args.text, encoding="utf-8")
        return "put"


class Disk:
    def __init__(self, folder: Path) -> None:
        self.look, self.put = Look(), Put()
        self.kit = Toolkit(registry=Registry([self.look, self.put]), cwd=folder, mode="bypass")

    async def turn(self, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
        return await self.kit.call_all(ToolCall(name=n, arguments=a) for n, a in calls)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    (tmp_path / "f").write_text("old", encoding="utf-8")
    return Disk(tmp_path)


@pytest.mark.requirement("S1-010")
async def test_identical_reads_of_one_turn_share_one_run(disk: Disk) -> None:
    first, second = await disk.turn(("Look", {"path": "f"}), ("Look", {"path": "f", "text": ""}))
    third, fourth = await disk.turn(("Look", {"path": "f"}), ("Look", {"path": "f"}))
    assert disk.look.runs == 3, "different arguments are different calls; the next turn is new"
    assert (first.text, second.text, third.text, fourth.text) == ("old",) * 4
    assert fourth.metadata["shared_with"] == third.call_id
    assert fourth.call_id != third.call_id


async def test_a_conflicting_call_in_between_makes_it_run_again(disk: Disk) -> None:
    results = await disk.turn(
        ("Look", {"path": "f"}),
        ("Put", {"path": "f", "text": "new"}),
        ("Look", {"path": "f"}),
    )
    assert [result.text for result in results] == ["old", "put", "new"]


async def test_an_unrelated_write_in_between_does_not(disk: Disk) -> None:
    await disk.turn(
        ("Look", {"path": "f"}),
        ("Put", {"path": "g", "text": "x"}),
        ("Look", {"path": "f"}),
    )
    assert disk.look.runs == 1


async def test_repeated_writes_run_and_are_pointed_out(disk: Disk) -> None:
    first, second = await disk.turn(*[("Put", {"path": "g", "text": "x"})] * 2)
    assert disk.put.runs == 2
    assert "reminders" not in first.metadata
    assert "ran again" in second.text


async def test_calls_outside_a_turn_are_never_shared(disk: Disk) -> None:
    await disk.kit.call("Look", path="f")
    await disk.kit.call("Look", path="f")
    assert disk.look.runs == 2


async def test_a_streak_of_identical_failures_is_reminded_warned_and_stopped(disk: Disk) -> None:
    texts = [(await disk.kit.call("Look", path="gone")).text for _ in range(REPEAT_STOP_AT)]
    for count, text in enumerate(texts, 1):
        assert ("failed" in text) is (count >= REPEAT_REMINDER_AT)
        assert ("will be stopped" in text) is (count >= REPEAT_WARNING_AT)
    stopped = await disk.kit.call("Look", path="gone")
    assert stopped.error is not None
    assert stopped.error.code is ErrorCode.REPEATED_FAILURE
    assert disk.look.runs == REPEAT_STOP_AT


async def test_calls_that_take_turns_failing_are_caught_too(disk: Disk) -> None:
    for _ in range(REPEAT_STOP_AT):
        await disk.kit.call("Look", path="gone")
        await disk.kit.call("Look", path="lost")
    result = await disk.kit.call("Look", path="lost")
    assert result.error is not None
    assert result.error.code is ErrorCode.REPEATED_FAILURE


async def test_a_change_that_succeeds_makes_the_same_call_a_new_try(disk: Disk) -> None:
    for number in range(3 * REPEAT_STOP_AT):
        result = await disk.kit.call("Look", path="gone")
        assert result.error is not None
        assert result.error.code is ErrorCode.EXECUTION_ERROR
        await disk.kit.call("Put", path="g", text=str(number))


async def test_batch_work_with_differing_arguments_never_triggers_it(disk: Disk) -> None:
    for number in range(5 * REPEAT_STOP_AT):
        result = await disk.kit.call("Look", path=f"gone {number}")
        assert "reminders" not in result.metadata


async def test_a_success_ends_the_streak(disk: Disk, tmp_path: Path) -> None:
    for _ in range(REPEAT_STOP_AT - 1):
        await disk.kit.call("Look", path="late")
    (tmp_path / "late").write_text("here", encoding="utf-8")
    assert (await disk.kit.call("Look", path="late")).text == "here"
    (tmp_path / "late").unlink()
    assert "reminders" not in (await disk.kit.call("Look", path="late")).metadata


@pytest.mark.parametrize("arguments", ["{", {"path": 1}])
async def test_calls_that_cannot_even_be_read_are_counted_too(disk: Disk, arguments: Any) -> None:
    for _ in range(REPEAT_STOP_AT):
        await disk.kit.call_raw(ToolCall(name="Look", arguments=arguments))
    result = await disk.kit.call_raw(ToolCall(name="Look", arguments=arguments))
    assert result.error is not None
    assert result.error.code is ErrorCode.REPEATED_FAILURE
