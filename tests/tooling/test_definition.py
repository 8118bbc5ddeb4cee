"""What every built-in tool tells about itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from ankrcode.app import builtin_tools
from ankrcode.protocol.definition import Definition
from ankrcode.tooling.definition import definition_of, load_description
from ankrcode.tooling.validator import validator_for

BUILT_IN = builtin_tools().definitions()
each_tool = pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: str(tool.name))


def parameters(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every parameter with its schema, also those inside objects and lists."""
    for name, inner in schema.get("properties", {}).items():
        yield f"{place}{name}", inner
        yield from parameters(inner, f"{place}{name}.")
        yield from parameters(inner.get("items", {}), f"{place}{name}[].")


@pytest.mark.requirement("S3-044")
@each_tool
def test_every_parameter_is_described(tool: Definition) -> None:
    silent = [
        name for name, schema in parameters(tool.input_schema) if not schema.get("description")
    ]
    assert silent == []


@pytest.mark.requirement("S2-035", "S2-063")
@each_tool
def test_input_and_output_are_valid_schemas_of_objects(tool: Definition) -> None:
    assert tool.output_schema is not None
    for schema in (tool.input_schema, tool.output_schema):
        validator_for(schema)
        assert schema["type"] == "object"
    takes_more = tool.name == "ExitPlanMode"  # spec 4 says so
    assert tool.input_schema.get("additionalProperties", True) is takes_more


@each_tool
def test_no_schema_refers_or_has_titles(tool: Definition) -> None:
    for schema in (tool.input_schema, tool.output_schema or {}):
        assert "$ref" not in str(schema)
        assert "title" not in schema


@each_tool
def test_what_was_prebuilt_is_what_the_tool_says(tool: Definition) -> None:
    loaded = builtin_tools().find(tool.name)
    load_description(type(loaded))
    assert definition_of(loaded) == tool


@each_tool
def test_the_summary_is_one_line_and_the_description_says_more(tool: Definition) -> None:
    assert "\n" not in tool.summary
    assert tool.summary.endswith(".")
    assert len(tool.description) > len(tool.summary)
