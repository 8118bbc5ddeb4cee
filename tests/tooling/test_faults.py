"""When an input does not fit: every fault is named, and the example given would fit."""

import datetime
import json
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from ankrcode.config.limits import MAX_FAULTS
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.faults import faults_of, invalid_input
from ankrcode.tooling.schema import ToolInput, flat_schema
from ankrcode.tooling.tool import Tool
from ankrcode.tooling.validator import validator_for

steady = settings(max_examples=150, deadline=None, derandomize=True, database=None)


class Change(msgspec.Struct, forbid_unknown_fields=True):
    old_string: str
    new_string: str = ""


class PatchInput(ToolInput):
    file_path: Annotated[str, Meta(min_length=1)]
    edits: list[Change]
    mode: Literal["exact", "fuzzy"] = "exact"
    depth: Annotated[int, Meta(ge=1, le=5)] = 1
    scale: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    note: str | None = None
    options: dict[str, int] = {}
    dry: bool = False


class Patch(Tool[PatchInput]):
    name = "Patch"
    description = "Change files."

    async def run(self, args: PatchInput, ctx: ToolContext) -> str:
        return "done"


async def patched(**arguments: Any) -> ToolResult:
    return await Bench(Patch, mode="bypass").run(**arguments)


def messages(result: ToolResult) -> dict[str, str]:
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    return {fault["parameter"]: fault["message"] for fault in result.error.details["faults"]}


NEAR = "(did you mean 'new_string'?)"
FITTING: dict[str, Any] = {"file_path": "a", "edits": []}


@pytest.mark.requirement("S1-061", "S1-063", "S0-006")
async def test_a_tool_runs_only_with_arguments_that_fit(tmp_path: Path) -> None:
    ran: list[str] = []

    class Noting(Patch):
        async def run(self, args: PatchInput, ctx: ToolContext) -> str:
            ran.append(args.file_path)
            return "done"

    bench = Bench(Noting, tmp_path, mode="bypass")
    refused = [await bench.run(file_path="b"), await bench.kit.call("Ptch", FITTING)]
    codes = [result.error.code for result in refused if result.error]
    assert codes == ["INVALID_INPUT", "UNKNOWN_TOOL"]
    assert ran == []
    assert (await bench.run(**FITTING)).text == "done"
    assert ran == ["a"]


@pytest.mark.requirement("S1-012", "S1-055", "S4-042")
async def test_all_faults_are_named_at_once_with_their_place() -> None:
    edits = [{"old_string": "a"}, {"old_string": "b"}, {"old_string": 3, "new_str": "c"}, {}]
    result = await patched(edits=edits, mode="exakt", depth=9, dry="yes")
    assert messages(result) == {
        "file_path": "'file_path' is required (text with at least 1 characters)",
        "edits[2].old_string": "'edits[2].old_string' must be text, not the number 3",
        "edits[2].new_str": f"'edits[2].new_str' is not a parameter of Patch {NEAR}",
        "edits[3].old_string": "'edits[3].old_string' is required (text)",
        "mode": "'mode' must be one of 'exact', 'fuzzy', not the text 'exakt'",
        "depth": "'depth' must be a whole number of at least 1 and of at most 5, not the number 9",
        "dry": "'dry' must be true or false, not the text 'yes'",
    }
    assert result.text.startswith("Validation failed: ")
    assert all(message in result.text for message in messages(result).values())


WRONG = {
    "text": ("file_path", 5, "must be text with at least 1 characters, not the number 5"),
    "a text that is too short": ("file_path", "", "at least 1 characters, not the text ''"),
    "a number": ("scale", "big", "must be a number above 0 and below 1, not the text 'big'"),
    "an open border": ("scale", 1, "above 0 and below 1, not the number 1"),
    "a whole number": ("depth", 1.5, "must be a whole number of at least 1"),
    "a number that no count can be": ("depth", 1e300, "at most 5, not the number 1e+300"),
    "true is no number": ("depth", True, "not true"),
    "a boolean": ("dry", 1, "must be true or false, not the number 1"),
    "a list": ("edits", "all", "must be a list, not the text 'all'"),
    "an object": ("options", [1, 2], "must be an object, not a list of 2"),
    "text or null": ("note", {}, "must be text, not an object"),
    "null where none may be": ("dry", None, "must be true or false, not null"),
}


@pytest.mark.requirement("S1-013", "S1-015")
@pytest.mark.parametrize(("name", "value", "said"), WRONG.values(), ids=WRONG)
async def test_each_type_is_checked_and_named(name: str, value: Any, said: str) -> None:
    found = messages(await patched(**{**FITTING, name: value}))
    assert set(found) == {name}
    assert said in found[name]


async def test_values_of_an_open_object_are_checked_too() -> None:
    found = messages(await patched(**FITTING, options={"ok": 1, "bad": "x"}))
    assert found == {"options.bad": "'options.bad' must be a whole number, not the text 'x'"}


@pytest.mark.requirement("S1-014")
async def test_a_missing_parameter_is_answered_with_an_example_call() -> None:
    result = await patched()
    assert result.error is not None
    assert result.error.suggestion == (
        'Example: Patch(file_path="path/to/file", edits=[{"old_string":"old_string"}])'
    )


async def test_a_name_that_is_not_near_gets_no_guess() -> None:
    found = messages(await patched(**FITTING, zzz=1))
    assert found == {"zzz": "'zzz' is not a parameter of Patch"}


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
STRINGS = {"type": "array", "items": {"type": "string"}}
CLOSED = {
    "type": "object",
    "properties": {f"p{number}": STRINGS for number in range(1000)},
    "additionalProperties": False,
}
MONSTROUS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ten thousand wrong items": ({"properties": {"a": STRINGS}}, {"a": [1] * 10_000}),
    "ten thousand unknown names": (CLOSED, {f"x{number}": 1 for number in range(10_000)}),
    "ten thousand missing names": ({"required": [f"r{n}" for n in range(10_000)]}, {}),
    "a name of a million letters": (CLOSED, {"p" * 1_000_000: 1}),
    "ten thousand options": ({"properties": {"a": {"enum": list(range(10_000))}}}, {"a": "x"}),
    "an option of a million letters": ({"properties": {"a": {"const": "x" * 10**6}}}, {"a": 1}),
    "a value of a million letters": ({"properties": {"a": {"type": "null"}}}, {"a": "y" * 10**6}),
    "a very long list": ({"properties": {"a": {"uniqueItems": True}}}, {"a": [1] * 100_000}),
}


@pytest.mark.parametrize(("schema", "arguments"), MONSTROUS.values(), ids=MONSTROUS)
def test_the_error_is_bounded_and_quick_however_much_is_wrong(
    schema: Any, arguments: dict[str, Any]
) -> None:
    start = time.thread_time()
    error = invalid_input("Tool", schema, arguments, "")
    assert time.thread_time() - start < 5  # each needs milliseconds; without bounds, minutes
    assert 1 <= len(error.details["faults"]) <= MAX_FAULTS
    assert len(str(error)) + len(str(error.details)) < 40_000


def test_what_came_is_shown_without_harm() -> None:
    schema = {"properties": {"a\x1b[2J": {"type": "integer"}}}
    error = invalid_input("Tool", schema, {"a\x1b[2J": "\x1b]0;title\x07"}, "")
    assert str(error).isprintable()


# ── the example fits ──────────────────────────────────────────────────────────────────────────
NAMES = st.text("abcdefgh_", min_size=1, max_size=8)


def between(
    low: st.SearchStrategy[Any], words: tuple[str, str], kind: str
) -> st.SearchStrategy[Any]:
    """Schemas of one type with none, one or both borders, the lower one below the upper one."""
    borders = st.lists(low, min_size=2, max_size=2, unique=True).map(sorted)
    used = st.sets(st.sampled_from((0, 1)))
    return st.builds(
        lambda pair, sides: {"type": kind} | {words[side]: pair[side] for side in sides},
        borders,
        used,
    )


WHOLE = st.integers(-1000, 1000)
LEAVES = st.one_of(
    st.just({"type": "boolean"}),
    st.builds(lambda values: {"enum": values}, st.lists(NAMES | WHOLE, min_size=1, max_size=3)),
    between(WHOLE, ("minimum", "maximum"), "integer"),
    between(WHOLE.map(lambda n: 2 * n), ("exclusiveMinimum", "exclusiveMaximum"), "integer"),
    between(st.floats(-9, 9, width=16), ("minimum", "maximum"), "number"),
    between(st.floats(-9, 9, width=16), ("exclusiveMinimum", "exclusiveMaximum"), "number"),
    between(st.integers(0, 40), ("minLength", "maxLength"), "string"),
    st.builds(
        lambda step: {"type": "integer", "multipleOf": step, "minimum": 7}, st.integers(1, 9)
    ),
)


def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.builds(
        lambda items, sizes: {"items": items, **sizes},
        inner,
        between(st.integers(0, 5), ("minItems", "maxItems"), "array"),
    )
    maybe = st.builds(lambda one: {"anyOf": [{"type": "null"}, one]}, inner)
    return st.one_of(lists, maybe, objects(inner))


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda properties: st.builds(
            lambda required: {
                "type": "object",
                "properties": properties,
                "required": sorted(required),
                "additionalProperties": False,
            },
            st.sets(st.sampled_from(sorted(properties))) if properties else st.just(set()),
        )
    )


SCHEMAS = objects(st.recursive(LEAVES, larger, max_leaves=6))


def read_back(example: str) -> dict[str, Any]:
    """The arguments of `Tool(a=1, b="x")`: each value is JSON."""
    rest = example.removeprefix("Example: Tool(")
    arguments: dict[str, Any] = {}
    while rest != ")":
        name, _, rest = rest.partition("=")
        arguments[name], end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].removeprefix(", ")
    return arguments


@given(SCHEMAS)
@steady
def test_the_example_call_fits_the_schema(schema: dict[str, Any]) -> None:
    error = invalid_input("Tool", schema, {"surprise!": 1}, "")
    assert error.suggestion.startswith("Example: Tool(")
    assert validator_for(schema).is_valid(read_back(error.suggestion))


@given(SCHEMAS, st.dictionaries(NAMES, st.none() | st.integers() | st.text(), max_size=3))
@steady
def test_there_is_a_fault_exactly_where_the_schema_does_not_fit(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    assert bool(faults_of("T", schema, arguments)) != validator_for(schema).is_valid(arguments)


@pytest.mark.parametrize(
    "node",
    [{"pattern": "^[€]{3}[0-9]{7}$"}, {"type": "array", "minItems": 50}, {"not": {}}, False],
)
def test_where_no_example_is_found_none_is_given(node: Any) -> None:
    schema = {"type": "object", "properties": {"a": node}, "required": ["a"]}
    error = invalid_input("Tool", schema, {}, "")
    assert error.suggestion == "Mend these parameters, then call Tool again."


def test_the_example_of_every_input_here_fits() -> None:
    schema = flat_schema(PatchInput)
    example = invalid_input("Tool", schema, {}, "").suggestion
    assert msgspec.convert(read_back(example), PatchInput).file_path == "path/to/file"


# ── what a schema lets pass and a reader does not ────────────────────────────────────────────────
class Counted(ToolInput):
    count: int = 0
    counts: list[int] = []
    maybe: int | None = None
    when: datetime.date | None = None
    share: float = 0.5


class Count(Tool[Counted]):
    name = "Count"
    description = "Count."

    async def run(self, args: Counted, ctx: ToolContext) -> str:
        return "done"


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"count": 1e300}, "count"),
        ({"count": -1e300}, "count"),
        ({"count": 2.0**53 + 2}, "count"),
        ({"counts": [1, 1e300]}, "counts[1]"),
        ({"maybe": 1e300}, "maybe"),
    ],
)
async def test_a_number_too_large_to_be_whole_is_named_as_every_fault_is(
    arguments: dict[str, Any], parameter: str
) -> None:
    (message,) = messages(await Bench(Count, mode="bypass").run(**arguments)).values()
    assert message.startswith(f"'{parameter}' must be a whole number, not the number ")


async def test_such_numbers_are_all_named() -> None:
    found = messages(await Bench(Count, mode="bypass").run(count=1e300, counts=[1e301], share=1e9))
    assert set(found) == {"count", "counts[0]"}


async def test_the_words_of_the_reader_are_not_shown() -> None:
    (message,) = messages(await Bench(Count, mode="bypass").run(when="never")).values()
    assert message.startswith("'when'")
    assert "`" not in message
    assert "$" not in message


async def test_large_numbers_that_fit_pass() -> None:
    assert (await Bench(Count, mode="bypass").run(count=2.0**53, share=1e300)).text == "done"
