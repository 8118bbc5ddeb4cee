"""A plain function becomes a tool."""

import threading
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from ankrcode.errors import UsageError
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.function import FunctionTool, tool
from ankrcode.tooling.registry import Registry


@tool
def repeat(
    word: Annotated[str, "What to say"],
    times: Annotated[int, Meta(description="How often", ge=1, le=9)] = 2,
) -> str:
    """Say a word again and again.

    Stops after nine times.
    """
    return " ".join([word] * times)


@tool(name="Where", permission=Permission.READ, category="places", acts=lambda args, ctx: NOTHING)
async def where(ctx: ToolContext, upper: bool = False) -> dict[str, str]:
    """Tell where we are."""
    return {"cwd": ctx.cwd.upper() if upper else ctx.cwd}


def bench(function: FunctionTool, folder: Path) -> Bench:
    return Bench(function, folder, mode="bypass")


@pytest.mark.requirement("S3-048", "S3-049", "S2-037")
async def test_a_blocking_function_runs_with_its_arguments_and_defaults(tmp_path: Path) -> None:
    assert (await bench(repeat, tmp_path).run(word="हाँ")).text == "हाँ हाँ"
    assert (await bench(repeat, tmp_path).run(word="a", times=3)).text == "a a a"


async def test_a_blocking_function_does_not_block_the_loop(tmp_path: Path) -> None:
    @tool
    def name_of_thread() -> str:
        """Tell which thread runs this."""
        return threading.current_thread().name

    result = await bench(name_of_thread, tmp_path).run()
    assert result.text == "ankrcode-name_of_thread"


async def test_an_async_function_gets_its_context(tmp_path: Path) -> None:
    assert (await bench(where, tmp_path).run()).value == {"cwd": str(tmp_path)}
    assert (await bench(where, tmp_path).run(upper=True)).value["cwd"] == str(tmp_path).upper()


def test_the_context_is_no_parameter_for_the_model() -> None:
    assert list(where.input_schema["properties"]) == ["upper"]


@pytest.mark.requirement("S3-002", "S2-034")
def test_name_docstring_and_hints_are_the_definition() -> None:
    definition = Registry([repeat]).definition("repeat")
    assert definition.summary == "Say a word again and again."
    assert definition.description.endswith("Stops after nine times.")
    assert definition.input_schema["required"] == ["word"]
    assert definition.input_schema["properties"] == {
        "word": {"type": "string", "description": "What to say"},
        "times": {
            "type": "integer",
            "description": "How often",
            "minimum": 1,
            "maximum": 9,
            "default": 2,
        },
    }


def test_facts_given_to_the_decorator_are_the_tools_own() -> None:
    definition = Registry([where]).definition("Where")
    assert (definition.permission, definition.category) == (Permission.READ, "places")
    assert (repeat.permission, repeat.category) == (Permission.EXECUTE, "other")


async def test_declared_acts_spare_the_person_a_question(tmp_path: Path) -> None:
    quiet = Bench(where, tmp_path)
    assert (await quiet.run()).ok
    assert quiet.asked == []


def test_it_is_still_the_function_it_was() -> None:
    assert repeat("x", 2) == "x x"
    assert repeat.function("x") == "x x"


async def test_its_arguments_are_checked_like_any_others(tmp_path: Path) -> None:
    result = await bench(repeat, tmp_path).run(word=1, times=99)
    assert result.error is not None
    assert {fault["parameter"] for fault in result.error.details["faults"]} == {"word", "times"}


def test_the_type_of_the_result_is_the_output_schema() -> None:
    class Point(msgspec.Struct):
        x: int

    @tool
    def point() -> list[Point]:
        """Make points."""
        return [Point(1)]

    assert repeat.output_schema == {"type": "string"}
    assert point.output_schema is not None
    assert point.output_schema["items"]["properties"] == {"x": {"type": "integer"}}


def _nothing() -> None: ...
def _anything() -> Any: ...
def _result() -> ToolResult: ...  # type: ignore[empty-body]
def _untyped(): ...  # type: ignore[no-untyped-def]
def _odd() -> complex: ...  # type: ignore[empty-body]


@pytest.mark.parametrize("function", [_nothing, _anything, _result, _untyped, _odd])
def test_a_function_that_promises_nothing_has_no_output_schema(function: Any) -> None:
    assert tool(function).output_schema is None


def _stars(*words: str) -> None: ...
def _more(**words: str) -> None: ...
def _bare(word): ...  # type: ignore[no-untyped-def]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_stars, r"_stars takes \*words, which no schema can describe. Name each parameter."),
        (_more, r"_more takes \*\*words"),
        (_bare, "Parameter word of _bare has no type. Annotate it."),
    ],
)
def test_a_function_that_no_schema_can_describe_is_refused(function: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        tool(function)


async def test_a_list_as_default_is_new_for_each_call(tmp_path: Path) -> None:
    @tool
    def collect(word: str, into: list[str] = ["first"]) -> list[str]:  # noqa: B006
        """Collect words."""
        into.append(word)
        return into

    one = bench(collect, tmp_path)
    assert (await one.run(word="a")).value == ["first", "a"]
    assert (await one.run(word="b")).value == ["first", "b"]


async def test_parameters_by_position_are_given_by_position(tmp_path: Path) -> None:
    @tool
    def subtract(left: int, /, right: int, *, twice: bool = False) -> int:
        """Subtract."""
        return (left - right) * (2 if twice else 1)

    assert (await bench(subtract, tmp_path).run(right=1, left=5, twice=True)).value == 8
