"""Tools from whatever can be called: what works, and what is refused at once in plain words."""

import asyncio
import datetime
import decimal
import enum
import functools
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, TypedDict

import msgspec
import pydantic
import pytest

from ankrcode import Permission, ToolContext, ToolResult, UsageError, tool
from ankrcode.testing import Bench
from ankrcode.tooling.function import FunctionTool

reading = tool(permission=Permission.READ)


@dataclass
class Point:
    x: int
    y: int = 0


class Row(TypedDict):
    a: int
    b: NotRequired[str]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    first: int
    second: str


class Box(msgspec.Struct):
    width: int


class Person(pydantic.BaseModel):
    name: str
    tags: list[str] = []


async def result_of(given: Any, folder: Path, **arguments: Any) -> ToolResult:
    made = given if isinstance(given, FunctionTool) else reading(given)
    return await Bench(made, folder).run(**arguments)


# ── parameters ────────────────────────────────────────────────────────────────────────────────
def of_dataclass(point: Point) -> int:
    return point.x + point.y


def of_row(row: Row) -> list[str]:
    return sorted(row)


def of_literal(how: Literal["fast", "slow"] = "fast") -> str:
    return how


def of_colour(colour: Colour = Colour.BLUE) -> str:
    return colour.name


def of_union(value: int | str | None = None) -> str:
    return repr(value)


def of_pair(pair: Pair) -> str:
    return pair.second * pair.first


def of_box(box: Box, boxes: list[Box] = []) -> int:  # noqa: B006 - authors write it
    return box.width + sum(one.width for one in boxes)


def of_times(
    at: datetime.datetime, on: datetime.date, who: uuid.UUID, cost: decimal.Decimal
) -> str:
    return f"{at.year} {on.month} {who.version} {cost * 2}"


def of_many(some: set[int], pair: tuple[int, str] = (1, "a"), names: dict[str, int] = {}) -> str:  # noqa: B006
    return f"{sorted(some)} {pair} {names}"


def of_names(name: str, input: int, self_: int = 1, _hidden: int = 2) -> str:  # noqa: A002
    return f"{name} {input} {self_} {_hidden}"


def by_name_only(*, a: int) -> int:
    return a


def with_context(a: int, ctx: ToolContext | None = None) -> str:
    return f"{a} {ctx is not None}"


def with_optional_context(a: int, ctx: Optional[ToolContext] = None) -> str:  # noqa: UP045
    return f"{a} {ctx is not None}"


def defaulted(point: Point = Point(1, 2)) -> str:  # noqa: B008 - authors write it
    return f"{point.x} {point.y}"


GOOD: list[tuple[Any, dict[str, Any], str]] = [
    (of_dataclass, {"point": {"x": 1, "y": 2}}, "3"),
    (of_dataclass, {"point": {"x": 1}}, "1"),
    (of_row, {"row": {"a": 1}}, '["a"]'),
    (of_literal, {"how": "slow"}, "slow"),
    (of_literal, {}, "fast"),
    (of_colour, {"colour": "red"}, "RED"),
    (of_colour, {}, "BLUE"),
    (of_union, {"value": "x"}, "'x'"),
    (of_union, {"value": None}, "None"),
    (of_union, {}, "None"),
    (of_pair, {"pair": [2, "ab"]}, "abab"),
    (of_box, {"box": {"width": 1}, "boxes": [{"width": 2}]}, "3"),
    (of_many, {"some": [2, 1, 1]}, "[1, 2] (1, 'a') {}"),
    (of_names, {"name": "n", "input": 5, "_hidden": 3}, "n 5 1 3"),
    (by_name_only, {"a": 4}, "4"),
    (with_context, {"a": 1}, "1 True"),
    (with_optional_context, {"a": 1}, "1 True"),
    (defaulted, {}, "1 2"),
    (defaulted, {"point": {"x": 5}}, "5 0"),
    (
        of_times,
        {
            "at": "2020-01-01T00:00:00Z",
            "on": "2020-03-01",
            "who": "12345678-1234-4678-9234-567812345678",
            "cost": "1.5",
        },
        "2020 3 4 3.0",
    ),
]


@pytest.mark.parametrize(("function", "arguments", "text"), GOOD)
async def test_types_of_every_day_are_understood(
    function: Any, arguments: dict[str, Any], text: str, tmp_path: Path
) -> None:
    result = await result_of(function, tmp_path, **arguments)
    assert (result.ok, result.text) == (True, text)


@pytest.mark.parametrize(
    ("function", "arguments", "said"),
    [
        (of_dataclass, {"point": {"x": "one"}}, "'point.x' must be a whole number"),
        (of_row, {"row": {}}, "'row.a' is required"),
        (of_literal, {"how": "x"}, "'how' must be one of 'fast', 'slow'"),
        (of_colour, {"colour": "green"}, "must be one of 'blue', 'red'"),
        (of_box, {"box": {"width": 1}, "boxes": [{"width": "w"}]}, "boxes"),
    ],
)
async def test_what_does_not_fit_them_is_named(
    function: Any, arguments: dict[str, Any], said: str, tmp_path: Path
) -> None:
    result = await result_of(function, tmp_path, **arguments)
    assert not result.ok
    assert said in result.text


# ── whatever can be called ────────────────────────────────────────────────────────────────────
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def add_later(a: int, b: int) -> int:
    """Add two numbers, but later."""
    await asyncio.sleep(0)
    return a + b


class Adder:
    """Adds."""

    def __init__(self, more: int) -> None:
        self.more = more

    def by(self, a: int) -> int:
        """Add what I have."""
        return a + self.more

    def __call__(self, a: int) -> int:
        """Add what I have, at once."""
        return a + self.more

    @classmethod
    def twice(cls, a: int) -> int:
        """Double it."""
        return 2 * a

    @staticmethod
    def thrice(a: int) -> int:
        """Treble it."""
        return 3 * a


class Later:
    async def __call__(self, a: int) -> int:
        """Wait, then give it back."""
        await asyncio.sleep(0)
        return a


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return inner


def hands_over(a: int, b: int) -> Any:
    """Not async itself, but what it gives is to be awaited."""
    return add_later(a, b)


CALLABLES: list[tuple[Any, str, dict[str, int], str]] = [
    (functools.partial(add, b=5), "add", {"a": 1}, "6"),
    (functools.partial(add, 5), "add", {"b": 1}, "6"),
    (functools.partial(functools.partial(add, 1), b=2), "add", {}, "3"),
    (functools.partial(add_later, b=5), "add_later", {"a": 1}, "6"),
    (Adder(5).by, "by", {"a": 1}, "6"),
    (Adder(5), "Adder", {"a": 1}, "6"),
    (Later(), "Later", {"a": 7}, "7"),
    (Adder.twice, "twice", {"a": 2}, "4"),
    (Adder.thrice, "thrice", {"a": 2}, "6"),
    (logged(add), "add", {"a": 1, "b": 2}, "3"),
    (logged(add_later), "add_later", {"a": 1, "b": 2}, "3"),
    (functools.lru_cache(add), "add", {"a": 1, "b": 2}, "3"),
    (hands_over, "hands_over", {"a": 1, "b": 2}, "3"),
    (reading(add), "add", {"a": 1, "b": 2}, "3"),
    (Point, "Point", {"x": 3}, '{"x":3,"y":0}'),
]


@pytest.mark.parametrize(("given", "name", "arguments", "text"), CALLABLES)
async def test_methods_partials_and_objects_are_tools_as_well(
    given: Any, name: str, arguments: dict[str, int], text: str, tmp_path: Path
) -> None:
    made = reading(given)
    assert made.name == name
    result = await result_of(made, tmp_path, **arguments)
    assert (result.ok, result.text) == (True, text), result.text


def test_they_are_described_by_what_is_behind_them() -> None:
    assert reading(functools.partial(add, b=5)).summary == "Add two numbers."
    assert reading(Adder(5)).summary == "Add what I have, at once."
    assert reading(Adder(5).by).summary == "Add what I have."
    preset = reading(functools.partial(add, b=5)).input_schema["properties"]["b"]
    assert preset == {"type": "integer", "default": 5}


def test_a_tool_of_a_tool_is_a_tool_of_the_function() -> None:
    again = tool(name="again", permission=Permission.WRITE)(reading(add))
    assert (again.name, again.permission, again.function) == ("again", Permission.WRITE, add)


# ── refused at once ───────────────────────────────────────────────────────────────────────────
def numbers(upto: int) -> Iterator[int]:
    yield from range(upto)


async def later_numbers(upto: int) -> AsyncIterator[int]:
    for number in range(upto):
        yield number


def with_model(person: Person) -> str:
    return person.name


def with_path(path: Path) -> str:
    return str(path)


def with_function(function: Callable[[int], int]) -> str:
    return str(function)


def with_iterable(some: Iterable[int]) -> str:
    return str(some)


def with_odd_default(some: Any = object()) -> str:  # noqa: B008
    return str(some)


def with_note(number: Annotated[int, pydantic.Field(ge=1)]) -> int:
    return number


def from_nowhere(a: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
    return str(a)


def more(**words: int) -> int:
    return len(words)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (numbers, "numbers yields its results one by one.*Return them as a list"),
        (later_numbers, "later_numbers yields"),
        (with_model, "Parameter person of with_model is Person.*`input` of a Tool class"),
        (with_path, "Parameter path of with_path is Path"),
        (with_function, "Parameter function of with_function is Callable"),
        (with_iterable, "Parameter some of with_iterable is Iterable"),
        (with_odd_default, "Parameter some of with_odd_default is <object.*by default"),
        (with_note, r"described for pydantic.*msgspec\.Meta"),
        (from_nowhere, "The types of from_nowhere cannot be read: name 'Nowhere' is not defined"),
        (lambda: 1, r"<lambda> is no name for a tool. Give it one: tool\(name="),
        (Adder.by, "Parameter self of by has no type"),
        (more, r"more takes \*\*words"),
        (len, "has no type"),
    ],
)
def test_what_no_model_could_call_is_refused_when_it_is_made(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        reading(given)
    assert caught.value.suggestion
    assert "\\n" not in str(caught.value)


async def test_a_lambda_with_a_name_is_a_tool(tmp_path: Path) -> None:
    one = tool(name="one", permission=Permission.READ)(lambda: 1)
    assert (await result_of(one, tmp_path)).text == "1"


# ── results ───────────────────────────────────────────────────────────────────────────────────
class Holder:
    """Gives back what it holds."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (Person(name="Ada"), '{"name":"Ada","tags":[]}', {"name": "Ada", "tags": []}),
        ([Person(name="Ada")], '[{"name":"Ada","tags":[]}]', [{"name": "Ada", "tags": []}]),
        ({"of": Person(name="Ada")}, '{"of":{"name":"Ada","tags":[]}}', None),
        (Path("/a/b"), "/a/b", "/a/b"),
        ([Path("a")], '["a"]', ["a"]),
        (Point(1, 2), '{"x":1,"y":2}', Point(1, 2)),
        (Colour.RED, '"red"', Colour.RED),
        ({1, 2}, "[1,2]", {1, 2}),
        (b"\xff", '"/w=="', b"\xff"),
        (None, "", None),
        (10**30, "1" + "0" * 30, 10**30),
        (ToolResult(text="short", value=Person(name="Ada")), "short", {"name": "Ada", "tags": []}),
        (ToolResult(value=[Path("a")]), '["a"]', ["a"]),
    ],
)
async def test_what_its_author_returns_becomes_data_and_text(
    value: Any, text: str, data: Any, tmp_path: Path
) -> None:
    result = await result_of(Holder(value), tmp_path)
    assert (result.ok, result.text) == (True, text)
    if data is not None:
        assert result.value == data
    assert msgspec.json.encode(result)


@pytest.mark.parametrize(
    "value", [object(), ValueError("x"), (n for n in range(3)), {(1, 2): 3}, add, asyncio]
)
async def test_what_is_no_data_is_the_tools_fault(value: Any, tmp_path: Path) -> None:
    result = await result_of(Holder(value), tmp_path)
    assert not result.ok
    assert f"returned {type(value).__name__}, which is not a result" in result.text
