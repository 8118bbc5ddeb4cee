"""The path of a call: enabled, permitted, valid, run, mapped – and always one result."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import (
    Acts,
    Approval,
    ApprovalAnswer,
    ErrorCode,
    ErrorKind,
    HookAnswer,
    Permission,
    Preview,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
)
from ankrcode.protocol.acts import file
from ankrcode.protocol.event import ApprovalRequested
from ankrcode.testing import NO, YES, Bench


class WriteInput(ToolInput):
    path: str
    text: str = ""


class Write(Tool[WriteInput]):
    """Pretends to write, and notes every stage that reaches it."""

    name = "Pen"
    permission = Permission.WRITE

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.is_on = True

    def enabled(self, ctx: ToolContext) -> bool:
        self.stages.append("enabled")
        return self.is_on

    def acts(self, args: WriteInput, ctx: ToolContext) -> Acts:
        return Acts(writes=(file(ctx.workspace.resolve(args.path)),))

    def preview(self, args: WriteInput, ctx: ToolContext) -> Preview:
        return Preview(title=f"write {args.path}", body=args.text)

    async def validate(self, args: WriteInput, ctx: ToolContext) -> None:
        self.stages.append("valid")
        if args.text == "nonsense":
            raise ToolError("That makes no sense.", suggestion="Write sense.")

    async def run(self, args: WriteInput, ctx: ToolContext) -> ToolResult:
        self.stages.append("run")
        return ToolResult(title="wrote", text=f"wrote {args.path}")

    def render(self, result: ToolResult) -> str:
        self.stages.append("mapped")
        return result.text.upper()


def bench(tmp_path: Path, **options: Any) -> tuple[Write, Bench]:
    pen = Write()
    return pen, Bench(pen, tmp_path, **options)


@pytest.mark.requirement("S4-001", "S4-011", "S0-007")
async def test_a_call_passes_the_five_stages_in_order(tmp_path: Path) -> None:
    pen, on = bench(tmp_path, answers=[YES])
    result = await on.run(path="a")
    assert pen.stages == ["enabled", "valid", "run", "mapped"]
    assert len(on.asked) == 1, "permission stands between enabled and valid"
    assert result.text == "WROTE A"


@pytest.mark.requirement("S4-007", "S4-040")
async def test_a_disabled_tool_is_refused_before_anyone_is_asked(tmp_path: Path) -> None:
    pen, on = bench(tmp_path, answers=[YES])
    pen.is_on = False
    result = await on.run(path="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.TOOL_DISABLED
    assert "Tool is disabled in current context" in result.text
    assert on.asked == []


async def test_a_tool_whose_capability_is_not_held_is_disabled(tmp_path: Path) -> None:
    _, on = bench(tmp_path, permissions=["read"], mode="bypass")
    result = await on.run(path="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.TOOL_DISABLED


@pytest.mark.requirement("S0-112", "S4-008", "S4-041", "S2-043")
async def test_a_no_is_a_result_that_carries_the_persons_words(tmp_path: Path) -> None:
    pen, on = bench(tmp_path, answers=[ApprovalAnswer(approved=False, feedback="Use b.")])
    result = await on.run(path="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED
    assert result.error.kind is ErrorKind.PERMISSION
    assert result.text == "User denied permission. Use b."
    assert "run" not in pen.stages


@pytest.mark.requirement("S2-040", "S2-041", "S2-044", "S0-118")
async def test_an_approval_carries_all_a_person_needs_to_decide(tmp_path: Path) -> None:
    _, on = bench(tmp_path, answers=[YES])
    result = await on.run(path="a", text="hello")
    (asked,) = on.asked
    assert asked.tool == "Pen"
    assert asked.arguments == {"path": "a", "text": "hello"}
    assert asked.call_id == result.call_id
    assert asked.id
    assert str(tmp_path / "a") in asked.reason
    assert asked.preview == Preview(title="write a", body="hello")
    assert asked.acts.writes_files == (str(tmp_path / "a"),)


@pytest.mark.requirement("S2-042")
async def test_edited_arguments_are_what_runs_and_nobody_is_asked_twice(tmp_path: Path) -> None:
    edited = ApprovalAnswer(approved=True, arguments={"path": "b"})
    _, on = bench(tmp_path, answers=[edited])
    result = await on.run(path="a")
    assert result.text == "WROTE B"
    assert len(on.asked) == 1


async def test_edited_arguments_are_checked_like_any_others(tmp_path: Path) -> None:
    edited = ApprovalAnswer(approved=True, arguments={"paht": "b"})
    pen, on = bench(tmp_path, answers=[edited])
    result = await on.run(path="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert "run" not in pen.stages


async def test_without_anyone_to_ask_the_call_is_denied_and_says_why(tmp_path: Path) -> None:
    pen, on = bench(tmp_path)
    on.kit._pipeline._gate.approver = None  # headless
    result = await on.run(path="a")
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED
    assert "nobody is there to ask" in result.text
    assert "run" not in pen.stages


@pytest.mark.requirement("S4-136", "S4-138", "S4-139")
@pytest.mark.parametrize(
    ("mode", "inside", "outside"),
    [
        ("default", "asks", "asks"),
        ("acceptEdits", "runs", "asks"),
        ("bypass", "runs", "runs"),
        ("plan", "denied", "denied"),
        ("dontAsk", "denied", "denied"),
    ],
)
async def test_each_mode_lets_its_own_share_of_writes_through(
    tmp_path: Path, mode: str, inside: str, outside: str
) -> None:
    for path, expected in (("a", inside), ("/elsewhere/a", outside)):
        _, on = bench(tmp_path, mode=mode)
        result = await on.run(path=path)
        seen = "asks" if on.asked else "runs" if result.ok else "denied"
        assert (path, seen) == (path, expected)


async def test_a_yes_for_the_session_is_remembered(tmp_path: Path) -> None:
    _, on = bench(tmp_path, answers=[ApprovalAnswer(approved=True, remember="session")])
    assert (await on.run(path="a")).ok
    assert (await on.run(path="a")).ok
    assert len(on.asked) == 1


@pytest.mark.requirement("S2-036", "S2-045")
async def test_a_tool_may_ask_depending_on_its_input_but_never_loosen(tmp_path: Path) -> None:
    class Careful(Write):
        name = "Careful"
        permission = Permission.READ

        def acts(self, args: WriteInput, ctx: ToolContext) -> Acts:
            return Acts()

        def approval(self, args: WriteInput, ctx: ToolContext) -> str:
            return "it exists" if Path(ctx.cwd, args.path).exists() else ""

    (tmp_path / "old").touch()
    on = Bench(Careful(), tmp_path, answers=[NO])
    assert (await on.run(path="new")).ok
    assert not (await on.run(path="old")).ok
    assert [asked.reason for asked in on.asked] == ["it exists"]


@pytest.mark.requirement("S4-009")
async def test_a_call_that_makes_no_sense_here_is_refused_after_permission(tmp_path: Path) -> None:
    pen, on = bench(tmp_path, answers=[YES])
    result = await on.run(path="a", text="nonsense")
    assert result.text == "That makes no sense. Write sense."
    assert "run" not in pen.stages


@pytest.mark.requirement("S4-046", "S4-048")
async def test_every_result_carries_its_call_and_its_duration(tmp_path: Path) -> None:
    _, on = bench(tmp_path, mode="bypass")
    good, bad = await on.run(path="a"), await on.run()
    assert good.call_id
    assert good.duration_ms > 0
    assert bad.call_id
    assert good.call_id != bad.call_id


class Recorder:
    """A hook that notes what it saw and answers what it was told to."""

    def __init__(self, answer: HookAnswer | None = None) -> None:
        self.answer = answer
        self.seen: list[tuple[str, Any]] = []

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
        self.seen.append(("before", call.arguments))
        return self.answer

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        self.seen.append(("after", result.text))

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        self.seen.append(("failed", result.text))


@pytest.mark.requirement("S4-044")
async def test_hooks_see_a_call_before_and_after_it_ran(tmp_path: Path) -> None:
    hook = Recorder()
    _, on = bench(tmp_path, mode="bypass", hooks=[hook])
    await on.run(path="a")
    assert hook.seen == [("before", {"path": "a"}), ("after", "wrote a")]


@pytest.mark.requirement("S4-045")
async def test_hooks_hear_of_a_failure(tmp_path: Path) -> None:
    class Broken(Write):
        name = "Broken"

        async def run(self, args: WriteInput, ctx: ToolContext) -> ToolResult:
            raise ToolError("Out of ink.")

    hook = Recorder()
    on = Bench(Broken(), tmp_path, mode="bypass", hooks=[hook])
    await on.run(path="a")
    assert hook.seen[-1] == ("failed", "Out of ink.")


@pytest.mark.requirement("S4-043")
async def test_a_hook_may_refuse_before_anyone_is_asked(tmp_path: Path) -> None:
    hook = Recorder(HookAnswer(decision="deny", reason="not on Fridays"))
    pen, on = bench(tmp_path, answers=[YES], hooks=[hook])
    result = await on.run(path="a")
    assert "not on Fridays" in result.text
    assert on.asked == []
    assert "run" not in pen.stages


async def test_a_hook_may_answer_the_question_or_raise_one(tmp_path: Path) -> None:
    _, on = bench(tmp_path, hooks=[Recorder(HookAnswer(decision="allow"))])
    assert (await on.run(path="a")).ok
    assert on.asked == []
    _, on = bench(tmp_path, mode="acceptEdits", hooks=[Recorder(HookAnswer(decision="ask"))])
    assert not (await on.run(path="a")).ok
    assert len(on.asked) == 1


async def test_a_hook_never_overrides_a_deny(tmp_path: Path) -> None:
    _, on = bench(tmp_path, mode="dontAsk", hooks=[Recorder(HookAnswer(decision="allow"))])
    assert not (await on.run(path="a")).ok


async def test_arguments_rewritten_by_a_hook_are_judged_again(tmp_path: Path) -> None:
    away = Recorder(HookAnswer(arguments={"path": "/elsewhere/b"}))
    pen, on = bench(tmp_path, mode="acceptEdits", hooks=[away])
    assert not (await on.run(path="a")).ok
    assert [asked.arguments for asked in on.asked] == [{"path": "/elsewhere/b"}]
    assert "run" not in pen.stages


async def test_a_hook_that_always_rewrites_is_stopped(tmp_path: Path) -> None:
    class Restless(Recorder):
        async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
            await super().before(call, ctx)
            return HookAnswer(arguments={"path": f"p{len(self.seen)}"})

    pen, on = bench(tmp_path, mode="bypass", hooks=[Restless()])
    result = await on.run(path="a")
    assert "kept changing" in result.text
    assert "run" not in pen.stages


async def test_a_hook_that_raises_fails_closed(tmp_path: Path) -> None:
    class Faulty(Recorder):
        async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
            raise RuntimeError("boom")

    pen, on = bench(tmp_path, mode="bypass", hooks=[Faulty()])
    result = await on.run(path="a")
    assert "boom" in result.text
    assert "run" not in pen.stages


async def test_a_hook_that_raises_afterwards_loses_no_result(tmp_path: Path) -> None:
    class Faulty(Recorder):
        async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
            raise RuntimeError("boom")

    _, on = bench(tmp_path, mode="bypass", hooks=[Faulty()])
    result = await on.run(path="a")
    assert result.text == "WROTE A"
    assert result.metadata["hook_errors"] == ["RuntimeError('boom')"]


async def test_an_approver_that_raises_ends_in_one_error_result(tmp_path: Path) -> None:
    async def faint(approval: Approval) -> ApprovalAnswer:
        raise RuntimeError("the screen went dark")

    pen, on = bench(tmp_path)
    on.kit._pipeline._gate.approver = faint
    result = await on.run(path="a")
    assert "the screen went dark" in result.text
    assert "run" not in pen.stages


@pytest.mark.requirement("S1-001", "S1-016", "S1-017", "S1-019")
async def test_a_call_that_succeeds_starts_and_ends(tmp_path: Path) -> None:
    _, on = bench(tmp_path, mode="bypass")
    result = await on.run(path="a")
    start, end = on.events
    assert (start.type, end.type) == ("tool_call_start", "tool_call_end")
    assert (start.tool, start.arguments) == ("Pen", {"path": "a"})  # type: ignore[attr-defined]
    assert (end.success, end.result) == (True, result)  # type: ignore[attr-defined]
    assert start.call_id == end.call_id == result.call_id


@pytest.mark.requirement("S1-020")
async def test_a_call_that_fails_starts_errs_and_ends(tmp_path: Path) -> None:
    _, on = bench(tmp_path, mode="bypass")
    await on.run(path="a", text="nonsense")
    assert on.event_types == ["tool_call_start", "error", "tool_call_end"]
    error = on.events[1]
    assert (error.tool, error.message) == ("Pen", "That makes no sense.")  # type: ignore[attr-defined]


async def test_a_call_that_never_reached_a_tool_has_the_same_events(tmp_path: Path) -> None:
    _, on = bench(tmp_path)
    await on.kit.call("Pne")
    assert on.event_types == ["tool_call_start", "error", "tool_call_end"]


async def test_approvals_are_events_too(tmp_path: Path) -> None:
    _, on = bench(tmp_path, answers=[YES])
    await on.run(path="a")
    assert on.event_types == [
        "approval_requested",
        "approval_answered",
        "tool_call_start",
        "tool_call_end",
    ]
    assert isinstance(on.events[0], ApprovalRequested)
    assert on.events[0].approval == on.asked[0]
