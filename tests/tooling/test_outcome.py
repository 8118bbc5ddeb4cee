"""Whatever a tool returns becomes one result that every wire can carry."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.outcome import well_formed
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.tool import Tool


class Point(msgspec.Struct):
    x: int


async def outcome(value: Any, folder: Path) -> ToolResult:
    class Giving(Tool[NoInput]):
        name = "Giving"
        description = "Give."

        async def run(self, args: NoInput, ctx: ToolContext) -> Any:
            return value

    return await Bench(Giving, folder, mode="bypass").run()


@pytest.mark.requirement("S3-029")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ठीक है", "ठीक है"),
        ("", ""),
        (5, "5"),
        (False, "false"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        ([], "[]"),
        (Point(x=1), '{"x":1}'),
        (datetime(2026, 1, 31, tzinfo=UTC), '"2026-01-31T00:00:00Z"'),
    ],
)
async def test_text_stays_text_and_all_else_becomes_json(
    value: Any, text: str, tmp_path: Path
) -> None:
    result = await outcome(value, tmp_path)
    assert result.ok
    assert (result.text, result.value) == (text, value)


async def test_nothing_is_a_result_too(tmp_path: Path) -> None:
    result = await outcome(None, tmp_path)
    assert (result.ok, result.text, result.value) == (True, "", None)


@pytest.mark.requirement("S3-012")
async def test_a_result_of_the_tools_own_keeps_what_it_says(tmp_path: Path) -> None:
    own = ToolResult(title="T", value={"n": 1}, text="one", metadata={"m": 2})
    result = await outcome(own, tmp_path)
    assert (result.title, result.value, result.text, result.metadata) == (
        "T",
        {"n": 1},
        "one",
        {"m": 2},
    )


async def test_a_result_with_data_alone_gets_its_text(tmp_path: Path) -> None:
    assert (await outcome(ToolResult(value=[1, 2]), tmp_path)).text == "[1,2]"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


WRONG: dict[str, tuple[Any, str]] = {
    "an object": (object(), "object"),
    "a module": (msgspec, "module"),
    "a number that json lacks": (complex(1, 2), "complex"),
    "an object inside": ({"a": object()}, "dict"),
    "half a character inside": (["\ud800"], "list"),
    "ten thousand levels": (nested(10_000), "list"),
    "an object beside a text": (ToolResult(value=object(), text="fine"), "object"),
    "deep data beside a text": (ToolResult(value=nested(10_000), text="fine"), "list"),
}


@pytest.mark.parametrize(("value", "got"), WRONG.values(), ids=WRONG)
async def test_what_json_cannot_say_is_a_clear_error(value: Any, got: str, tmp_path: Path) -> None:
    result = await outcome(value, tmp_path)
    assert result.error is not None
    assert result.error.code == "EXECUTION_ERROR"
    assert result.text.startswith(f"Giving returned {got}, which is not a result.")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udc80", "\ufffd"),
        ("\ud83d\ude00", "😀"),  # a pair belongs together
        ("\ufeffनमस्ते", "\ufeffनमस्ते"),
        ("\x00", "\x00"),
    ],
)
async def test_text_that_no_wire_can_carry_is_mended(
    text: str, mended: str, tmp_path: Path
) -> None:
    assert well_formed(text) == mended
    assert (await outcome(ToolResult(text=text), tmp_path)).text == mended


@pytest.mark.requirement("S4-011")
async def test_a_tool_may_render_its_result_for_the_model(tmp_path: Path) -> None:
    class Rendered(Tool[NoInput]):
        name = "Rendered"
        description = "Give a number."

        async def run(self, args: NoInput, ctx: ToolContext) -> int:
            return 42

        def render(self, result: ToolResult) -> str:
            return f"The answer is {result.value}."

    result = await Bench(Rendered, tmp_path, mode="bypass").run()
    assert (result.text, result.value) == ("The answer is 42.", 42)
