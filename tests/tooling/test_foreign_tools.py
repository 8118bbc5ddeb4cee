"""Tools that bring a JSON Schema instead of a Python type: from a server, or another language."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ankrcode.errors import UsageError
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.tool import Tool

STRING = {"type": "string"}


def foreign(schema: Any) -> Tool[Any]:
    class Foreign(Tool[dict[str, Any]]):
        name = "Foreign"
        description = "Comes from elsewhere."
        input = schema

        async def run(self, args: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
            return args

    return Foreign()


async def called(schema: Any, **arguments: Any) -> ToolResult:
    return await Bench(foreign(schema), mode="bypass").run(**arguments)


def faults(result: ToolResult) -> dict[str, str]:
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    return {fault["parameter"]: fault["message"] for fault in result.error.details["faults"]}


ORDER = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": STRING,
                    "sizes": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["sku"],
            },
        },
        "to": {"$ref": "#/$defs/address"},
    },
    "required": ["items"],
    "$defs": {"address": {"type": "object", "properties": {"city": STRING}, "required": ["city"]}},
}


@pytest.mark.requirement("S3-003")
async def test_the_tool_gets_its_arguments_as_they_came() -> None:
    arguments = {"items": [{"sku": "a", "sizes": [1, 2]}], "to": {"city": "पुणे"}}
    assert (await called(ORDER, **arguments)).value == arguments


@pytest.mark.requirement("S1-015")
async def test_nested_arrays_and_objects_are_checked() -> None:
    items = [{"sku": "a"}, {"sku": 5}, {"sizes": [1, "XL"]}]
    assert set(faults(await called(ORDER, items=items, to={"city": 5}))) == {
        "items[1].sku",
        "items[2].sku",
        "items[2].sizes[1]",
        "to.city",
    }


async def test_behind_a_reference_the_expectation_is_still_named() -> None:
    found = faults(await called(ORDER, items=[], to={}))
    assert found == {"to.city": "'to.city' is required (text)"}


async def test_values_that_only_python_has_are_taken_as_text() -> None:
    schema = {"properties": {"at": STRING, "n": {"type": "integer"}}}
    at = datetime(2026, 1, 31, tzinfo=UTC)
    assert (await called(schema, at=at)).value == {"at": "2026-01-31T00:00:00Z"}
    assert set(faults(await called(schema, at=at, n=at))) == {"n"}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "object", "properties": {"a": {"type": "strng"}}}, "strng"),
        ({"properties": []}, "not of type"),
        ({"properties": {"a": {"pattern": "("}}}, "regex"),
        ({"type": "array"}, "not 'object'"),
        ({"properties": {"a": {"$ref": "#/$defs/nowhere"}}}, "nowhere"),
        ({"properties": {"a": {"minimum": "low"}}}, "low"),
    ],
)
def test_a_schema_that_is_none_is_refused_at_registration(schema: Any, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        Registry([foreign(schema)])
    assert raised.value.message.startswith("The input of Foreign cannot be described")
    assert why in raised.value.message
    assert "\n" not in raised.value.message
    assert "valid JSON Schema" in raised.value.suggestion


async def test_a_schema_of_an_older_draft_is_read_as_such() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"pair": {"items": [STRING, {"type": "integer"}]}},
    }
    assert (await called(schema, pair=["a", 1])).ok
    assert set(faults(await called(schema, pair=["a", "b"]))) == {"pair[1]"}


def test_a_schema_without_a_type_is_shown_as_that_of_an_object() -> None:
    shown = Registry([foreign({"properties": {"a": STRING}})]).definition("Foreign").input_schema
    assert shown == {"type": "object", "properties": {"a": STRING}}


ITSELF = {"$ref": "#/$defs/n"}
NODE = {"properties": {"n": ITSELF}, "required": ["n"]}
ODD = [
    ({"properties": {"a": True}, "required": ["a"]}, {}, "a"),
    ({"properties": {"a": False}}, {"a": 1}, "a"),
    ({"properties": {"a": {"anyOf": [False, {"type": "null"}]}}}, {"a": 1}, "a"),
    ({"properties": {"a": {"prefixItems": [STRING], "items": False}}}, {"a": ["x", 2]}, "a[1]"),
    ({"additionalProperties": {"type": "integer"}}, {"x": "y"}, "x"),
    ({"allOf": [{"properties": {"a": STRING}, "required": ["a"]}]}, {"a": 1}, "a"),
    ({"minProperties": 2}, {"b": 1}, ""),
    ({"not": {"required": ["a"]}}, {"a": 1}, ""),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "b"),
    ({"properties": {"a": {"uniqueItems": True}}}, {"a": [1, 1]}, "a"),
    ({"$defs": {"n": NODE}, "properties": {"a": ITSELF}}, {"a": {"n": {"n": {}}}}, "a.n.n.n"),
]


@pytest.mark.parametrize(("schema", "arguments", "place"), ODD)
async def test_every_odd_schema_ends_in_one_clear_fault(
    schema: Any, arguments: dict[str, Any], place: str
) -> None:
    assert set(faults(await called(schema, **arguments))) == {place}


class Counting(BaseHTTPRequestHandler):
    """Answers every request with a schema that allows anything, and counts."""

    asked: ClassVar[list[str]]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    class Handler(Counting):
        asked: ClassVar[list[str]] = []

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}", Handler.asked
        http.shutdown()
        thread.join()


def test_a_remote_reference_is_refused_and_never_fetched(server: tuple[str, list[str]]) -> None:
    url, asked = server
    for schema in (
        {"properties": {"a": {"$ref": f"{url}/schema.json"}}},
        {"$id": f"{url}/root.json", "properties": {"a": {"$ref": "other.json"}}},
    ):
        with pytest.raises(UsageError, match="remote references are not followed"):
            Registry([foreign(schema)])
    assert asked == []


async def test_a_remote_meta_schema_is_never_fetched(server: tuple[str, list[str]]) -> None:
    url, asked = server
    schema = {"$schema": f"{url}/meta", "properties": {"a": STRING}}
    assert set(faults(await called(schema, a=1))) == {"a"}
    assert asked == []


def test_a_reference_to_a_file_is_refused_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"const": "hunter2"}', encoding="utf-8")
    reference = (tmp_path / "secret.json").as_uri()
    with pytest.raises(UsageError, match="remote references are not followed") as raised:
        Registry([foreign({"properties": {"a": {"$ref": reference}}})])
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("pattern", ["(a+)+$", r"(a|aa)*\1c$", r"^(\w+\s?)*\1$", "^(?=(a+)+$)a*b"])
async def test_a_pattern_that_explodes_ends_the_call_and_not_the_process(pattern: str) -> None:
    """Python's own `re` would need longer than the universe has existed."""
    found = faults(await called({"properties": {"a": {"pattern": pattern}}}, a="a" * 50_000 + "!"))
    assert set(found) == {"a"}
    assert len(found["a"]) < 500
