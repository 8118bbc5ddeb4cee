"""The same tools under other names and shapes, both ways."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from ankrcode.app import Toolkit
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.dialect import CONVERTERS, Argument, Dialect, ToolMap
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool


class WorkInput(ToolInput):
    place: Annotated[str, Meta(description="Where", min_length=1)]
    timeout: Annotated[int, Meta(description="Milliseconds", gt=0, le=600_000)] = 120_000
    tags: Annotated[list[str], Meta(description="Labels")] = []
    colour: str = "red"
    depth: int = 1


class WorkOutput(msgspec.Struct):
    place: str
    timeout: float
    tags: list[str]
    colour: str
    depth: int


class Work(Tool[WorkInput]):
    name = "Work"
    description = "Work at a place."
    output = WorkOutput

    async def run(self, args: WorkInput, ctx: ToolContext) -> Any:
        if args.place.endswith("/hell"):
            raise ToolError(
                "Too hot.", code=ErrorCode.BLOCKED, suggestion="Stay.", details={"c": 99}
            )
        if args.place.endswith("/text"):
            return "only text"
        return WorkOutput(**msgspec.to_builtins(args))


class Rest(Tool[WorkInput]):
    name = "Rest"
    description = "Not in the dialect."


JARGON = Dialect(
    name="jargon",
    reply="ok_value",
    tools=(
        ToolMap(
            name="do_work",
            tool="Work",
            description="Do some work.",
            arguments={
                "where": Argument(native="place", converter="under_root", description="At"),
                "seconds": Argument(native="timeout", converter="seconds", is_required=True),
                "tag": Argument(native="tags", converter="one_of_many"),
                "colours": Argument(native="colour", converter="first_of_many"),
            },
            fixed={"depth": 7},
            value={"at": "place", "ms": "timeout", "labels": "tags", "hue": "colour", "d": "depth"},
        ),
        ToolMap(name="fly", tool="Fly", description="No such tool here.", arguments={}),
    ),
)
PLAIN = Dialect(name="plain", reply="success_output")


@pytest.fixture
def kit(tmp_path: Path) -> Toolkit:
    return Toolkit(cwd=tmp_path, mode="bypass", registry=Registry([Work, Rest]))


async def said(kit: Toolkit, name: str, arguments: Any, dialect: Dialect = JARGON) -> Any:
    return await kit.call_in(dialect, ToolCall(id="c1", name=name, arguments=arguments))


async def test_names_arguments_and_values_are_mapped_both_ways(
    kit: Toolkit, tmp_path: Path
) -> None:
    arguments = {"where": "shop", "seconds": 90, "tag": "urgent", "colours": ["blue"]}
    value = {
        "at": str(tmp_path / "shop"),
        "ms": 90_000,
        "labels": ["urgent"],
        "hue": "blue",
        "d": 7,
    }
    assert await said(kit, "do_work", arguments) == {"ok": True, "value": value}


def test_the_schema_is_shown_in_the_words_of_the_dialect(kit: Toolkit) -> None:
    (shown,) = kit.definitions("anthropic", JARGON)  # Rest is not in it, Fly is not here
    assert (shown["name"], shown["description"]) == ("do_work", "Do some work.")
    schema = shown["input_schema"]
    assert schema["required"] == ["where", "seconds"]
    assert schema["additionalProperties"] is False
    assert schema["properties"] == {
        "where": {"type": "string", "description": "At", "minLength": 1},
        "seconds": {
            "type": "integer",
            "description": "Milliseconds",
            "exclusiveMinimum": 0,
            "maximum": 600,
            "default": 120,
        },
        "tag": {"type": "string"},
        "colours": {
            "type": "array",
            "items": {"type": "string", "default": "red"},
            "minItems": 1,
            "maxItems": 1,
        },
    }


def test_the_output_schema_is_shown_in_the_words_of_the_dialect(kit: Toolkit) -> None:
    output = kit.definitions("mcp", JARGON)[0]["outputSchema"]
    assert output["required"] == ["at", "ms", "labels", "hue", "d"]
    assert output["properties"]["labels"] == {"type": "array", "items": {"type": "string"}}


async def test_faults_are_named_in_the_words_of_the_dialect(kit: Toolkit) -> None:
    reply = await said(kit, "do_work", {"where": 5, "seconds": 601, "colours": [1, 2], "tags": "x"})
    faults = {fault["parameter"]: fault["message"] for fault in reply["error"]["details"]["faults"]}
    assert reply["error"]["code"] == "INVALID_INPUT"
    assert set(faults) == {"where", "seconds", "colours", "colours[0]", "colours[1]", "tags"}
    assert faults["tags"] == "'tags' is not a parameter of do_work (did you mean 'tag'?)"
    assert "of at most 600" in faults["seconds"]
    assert "Example: do_work(where=" in reply["error"]["message"]


@pytest.mark.parametrize("arguments", ["{", "[]", '{"where": "\\ud800"}'])
async def test_broken_arguments_are_refused_in_the_shape_of_the_dialect(
    kit: Toolkit, arguments: str
) -> None:
    reply = await said(kit, "do_work", arguments)
    assert (reply["ok"], reply["error"]["code"]) == (False, "INVALID_INPUT")
    assert "do_work" in reply["error"]["message"]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("do_wrk", "Did you mean do_work?"),
        ("DO_WORK", "Did you mean do_work?"),
        ("Rest", "The tools here are: do_work."),
        ("fly", "The tools here are: do_work."),
    ],
)
async def test_a_tool_that_the_dialect_lacks_is_unknown(
    kit: Toolkit, name: str, advice: str
) -> None:
    reply = await said(kit, name, {})
    assert reply["error"]["code"] == "UNKNOWN_TOOL"
    assert reply["error"]["message"] == f"Unknown tool: {name}. {advice}"


async def test_an_error_has_code_message_and_details(kit: Toolkit) -> None:
    assert await said(kit, "do_work", {"where": "hell", "seconds": 1}) == {
        "ok": False,
        "error": {"code": "BLOCKED", "message": "Too hot. Stay.", "details": {"c": 99}},
    }


async def test_a_value_without_fields_is_handed_on_as_it_is(kit: Toolkit) -> None:
    reply = await said(kit, "do_work", {"where": "text", "seconds": 1})
    assert reply == {"ok": True, "value": "only text"}


@pytest.mark.requirement("S0-011")
async def test_a_dialect_without_a_table_keeps_the_native_names(kit: Toolkit) -> None:
    reply = await said(kit, "Work", {"place": "/text"}, PLAIN)
    assert reply == {"success": True, "output": "only text"}
    reply = await said(kit, "Work", {"place": "/hell"}, PLAIN)
    assert reply == {"success": False, "error": "Too hot. Stay."}
    assert [form["name"] for form in kit.definitions("anthropic", PLAIN)] == ["Work", "Rest"]


async def test_events_tell_native_names_and_arguments(kit: Toolkit, tmp_path: Path) -> None:
    events: list[Any] = []
    kit.on("tool_call_start", events.append)
    await said(kit, "do_work", {"where": "text", "seconds": 2})
    kit.activity.flush()
    assert [(event.tool, event.arguments["timeout"]) for event in events] == [("Work", 2000)]


async def test_every_call_gets_its_end_even_where_the_dialect_refuses_it(kit: Toolkit) -> None:
    events: list[Any] = []
    kit.on("*", events.append)
    await said(kit, "do_work", {})
    kit.activity.flush()
    assert [event.type for event in events] == ["tool_call_start", "error", "tool_call_end"]
    assert {event.call_id for event in events} == {"c1"}


# ── converters ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "outward", "native"),
    [
        ("same", [1], [1]),
        ("seconds", 1.5, 1500),
        ("one_of_many", "a", ["a"]),
        ("first_of_many", ["a"], "a"),
        ("under_root", "a/../b.txt", "{root}/b.txt"),
        ("under_root", ".", "{root}"),
        ("under_root", "{root}/c", "{root}/c"),
    ],
)
def test_a_converter_says_it_natively(name: str, outward: Any, native: Any, tmp_path: Path) -> None:
    root = str(tmp_path)
    if isinstance(outward, str):
        outward, expected = outward.format(root=root), native
        native = expected.format(root=root) if isinstance(expected, str) else expected
    assert CONVERTERS[name].to_native(outward, root) == native


@pytest.mark.parametrize("path", ["..", "../x", "/etc/passwd", "~/x", "a/../../x", "link/x"])
def test_a_path_that_leaves_the_root_is_refused(path: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(ToolError, match="outside the workspace") as raised:
        CONVERTERS["under_root"].to_native(path, str(root))
    assert raised.value.code is ErrorCode.INVALID_PATH


def test_a_result_needs_no_table_to_be_told() -> None:
    assert JARGON.from_result("anything", ToolResult(value=[1])) == {"ok": True, "value": [1]}
