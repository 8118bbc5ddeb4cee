"""What a tool is, and what it has without saying so."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import (
    Acts,
    ErrorCode,
    Event,
    HookAnswer,
    Permission,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolInput,
    Toolkit,
    ToolResult,
    UsageError,
)
from ankrcode.protocol.acts import EVERYTHING, UNKNOWN, file
from ankrcode.protocol.modifier import FileRead
from ankrcode.testing import YES, Bench
from ankrcode.tooling.registry import Registry
from ankrcode.workspace.reads import version_of


class PlainInput(ToolInput):
    text: str = ""


class Plain(Tool[PlainInput]):
    """The smallest tool: an input class, a name and run."""

    name = "Plain"

    async def run(self, args: PlainInput, ctx: ToolContext) -> Any:
        return args.text


@pytest.mark.requirement("S4-014", "S4-155", "S4-013")
async def test_a_tool_that_says_nothing_is_taken_to_do_anything(tmp_path: Path) -> None:
    plain, bench = Plain(), Bench(Plain, tmp_path, answers=[YES])
    await bench.run(text="x")
    assert bench.asked[0].acts == UNKNOWN
    assert not plain.is_read_only
    assert not plain.is_concurrency_safe(PlainInput())


async def test_a_tool_that_reads_may_run_beside_others_that_read(tmp_path: Path) -> None:
    class Reader(Plain):
        name = "Reader"
        permission = Permission.READ

    reader, bench = Reader(), Bench(Reader, tmp_path)
    assert (await bench.run(text="x")).ok
    assert reader.is_concurrency_safe(PlainInput())
    assert EVERYTHING not in reader.acts(PlainInput(), None).writes  # type: ignore[arg-type]


@pytest.mark.requirement("S4-015")
async def test_a_result_is_shown_up_to_thirty_thousand_characters_by_default(
    tmp_path: Path,
) -> None:
    bench = Bench(Plain, tmp_path, mode="bypass")
    assert "truncated" not in (await bench.run(text="x" * 30_000)).text
    long = await bench.run(text="x" * 30_001)
    assert "truncated" in long.text
    assert Path(long.metadata["saved_to"]).read_text(encoding="utf-8") == "x" * 30_001


@pytest.mark.requirement("S1-004", "S4-012")
async def test_previews_and_renderings_can_be_overridden(tmp_path: Path) -> None:
    class Showy(Plain):
        name = "Showy"

        def render_call(self, arguments: Any) -> str:
            return f"showing {arguments['text']}"

        def result_preview(self, result: ToolResult, max_lines: int = 3) -> list[str]:
            return ["short"]

    showy, plain = Showy(), Plain()
    result = await Bench(showy, tmp_path, mode="bypass").run(text="a\nb\nc\nd\ne")
    assert result.title == "showing a\nb\nc\nd\ne"
    assert showy.result_preview(result) == ["short"]
    assert plain.result_preview(result) == ["a", "b", "c", "… 2 more lines"]
    assert plain.result_preview(result, max_lines=9) == ["a", "b", "c", "d", "e"]
    assert plain.render_call({"text": "hi"}) == "Plain(text='hi')"


@pytest.mark.requirement("S3-022")
async def test_every_required_permission_must_be_held(tmp_path: Path) -> None:
    class Fetch(Plain):
        name = "Fetch"
        permission = Permission.NETWORK
        more_permissions = frozenset({Permission.WRITE})

    registry = Registry([Fetch])
    assert registry.enabled(["network", "write"]).names == ["Fetch"]  # type: ignore[list-item]
    assert registry.enabled(["network"]).names == []  # type: ignore[list-item]
    result = await Bench(Fetch, tmp_path, mode="bypass", permissions=["network"]).run()
    assert result.error is not None
    assert result.error.code is ErrorCode.TOOL_DISABLED


@pytest.mark.requirement("S4-038", "S0-102")
def test_a_name_taken_twice_is_refused_unless_replacing_is_asked_for() -> None:
    registry, other = Registry([Plain]), Plain()
    with pytest.raises(UsageError, match="Plain"):
        registry.register(other)
    registry.register(other, replace_existing=True)
    assert registry.get("Plain") is other


@pytest.mark.requirement("S1-006")
async def test_a_quiet_tool_asks_for_no_spinner(tmp_path: Path) -> None:
    class Quiet(Plain):
        name = "Quiet"
        quiet = True

    for tool, expected in ((Quiet, True), (Plain, False)):
        bench = Bench(tool, tmp_path, mode="bypass")
        await bench.run()
        assert bench.events[0].quiet is expected  # type: ignore[attr-defined]


@pytest.mark.requirement("S1-009")
async def test_a_session_can_begin_anew(tmp_path: Path) -> None:
    class Remember(Plain):
        name = "Remember"
        permission = Permission.READ

        async def run(self, args: PlainInput, ctx: ToolContext) -> Any:
            ctx.todos.append("x")
            ctx.values["seen"] = True
            raise ToolError("not yet")

    kit = Toolkit([Remember], cwd=tmp_path)
    for _ in range(9):
        last = await kit.call("Remember")
    assert last.error is not None
    assert last.error.code is ErrorCode.REPEATED_FAILURE
    kit.agent.policy.grant("Plain")
    kit.clear_state()
    assert kit.agent.todos == []
    assert kit.agent.values == {}
    assert not kit.agent.policy.is_granted("Plain", "*")
    assert (await kit.call("Remember")).text == "not yet"


@pytest.mark.requirement("S4-035", "S1-011")
async def test_a_file_that_a_tool_has_read_may_be_edited_by_a_later_one(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("x", encoding="utf-8")

    class Learn(Plain):
        name = "Learn"
        permission = Permission.READ

        async def run(self, args: PlainInput, ctx: ToolContext) -> ToolResult:
            version = version_of(str(target))
            assert version is not None
            read = FileRead(
                path=str(target),
                size=version.size,
                mtime_ns=version.mtime_ns,
                digest=version.digest,
            )
            return ToolResult(text="read", modifiers=(read,))

    class Change(Plain):
        name = "Change"

        def acts(self, args: PlainInput, ctx: ToolContext) -> Acts:
            return Acts(writes=(file(str(target)),))

        async def validate(self, args: PlainInput, ctx: ToolContext) -> None:
            ctx.reads.check_current(str(target))

    kit = Toolkit([Learn, Change], cwd=tmp_path, mode="acceptEdits")
    early = await kit.call("Change")
    assert early.error is not None
    assert early.error.code is ErrorCode.NOT_READ
    calls = [ToolCall(name="Learn"), ToolCall(name="Change")]
    assert [result.ok for result in await kit.call_all(calls)] == [True, True]
    target.write_text("y", encoding="utf-8")
    late = await kit.call("Change")
    assert late.error is not None
    assert late.error.code is ErrorCode.CHANGED_SINCE_READ


@pytest.mark.requirement("S4-151", "S4-150")
async def test_a_hook_is_given_the_name_the_input_and_the_context(tmp_path: Path) -> None:
    seen: list[tuple[str, Any, str]] = []

    class Curious:
        async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer:
            seen.append((call.name, call.arguments, ctx.cwd))
            return HookAnswer(decision="deny", reason="because")

        async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...
        async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...

    result = await Bench(Plain, tmp_path, mode="bypass", hooks=[Curious()]).run(text="hi")
    assert seen == [("Plain", {"text": "hi"}, str(tmp_path))]
    assert "because" in result.text


@pytest.mark.requirement("S1-064", "S1-065", "S3-028")
async def test_a_screen_needs_nothing_but_the_events(tmp_path: Path) -> None:
    class Talk(Plain):
        name = "Talk"

        async def run(self, args: PlainInput, ctx: ToolContext) -> Any:
            ctx.output("working\n")
            if args.text:
                raise ToolError(args.text)
            return "fine"

    screen: list[str] = []

    def draw(event: Event) -> None:
        match event.type:
            case "tool_call_start":
                screen.append("executing")
            case "tool_output_chunk":
                screen.append(event.text.strip())  # type: ignore[attr-defined]
            case "error":
                screen.append(f"error {event.message}")  # type: ignore[attr-defined]
            case "tool_call_end":
                screen.append(f"complete {event.result.ok}")  # type: ignore[attr-defined]

    kit = Toolkit([Talk], cwd=tmp_path, mode="bypass")
    kit.on("*", draw)
    await kit.call("Talk")
    await kit.call("Talk", text="broken")
    kit.activity.flush()
    assert screen == [
        *("executing", "working", "complete True"),
        *("executing", "working", "error broken", "complete False"),
    ]


@pytest.mark.requirement("S4-010", "S4-034", "S3-005", "S4-152")
async def test_a_tool_gets_its_input_and_its_call_and_gives_content_data_and_errors(
    tmp_path: Path,
) -> None:
    class Full(Plain):
        name = "Full"

        async def run(self, args: PlainInput, ctx: ToolContext) -> ToolResult:
            if not args.text:
                raise ToolError("Nothing to say.")
            metadata = {"characters": len(args.text), "call": ctx.call_id}
            return ToolResult(title="said", text=args.text, metadata=metadata)

    bench = Bench(Full, tmp_path, mode="bypass")
    good, bad = await bench.run(text="abc"), await bench.run()
    assert (good.title, good.text, good.ok) == ("said", "abc", True)
    assert good.metadata == {"characters": 3, "call": good.call_id}
    assert (bad.text, bad.ok) == ("Nothing to say.", False)
