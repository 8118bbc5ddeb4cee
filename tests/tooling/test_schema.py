"""From a typed input to its schema and back."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from ankrcode.errors import UsageError
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.schema import (
    Misfit,
    NoInput,
    StructModel,
    ToolInput,
    flat_schema,
    inline_references,
    input_model,
)
from ankrcode.tooling.tool import Tool


class Change(msgspec.Struct, forbid_unknown_fields=True):
    old: Annotated[str, Meta(description="What stands there", min_length=1)]
    new: str = ""


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Everything(ToolInput):
    path: Annotated[str, Meta(description="Where")]
    title: Annotated[str, Meta(description="A parameter that is called title")] = ""
    count: Annotated[int, Meta(ge=1, le=9)] = 1
    mode: Literal["fast", "slow"] = "fast"
    colour: Colour = Colour.RED
    changes: list[Change] = []
    note: str | None = None


def test_a_schema_has_types_bounds_defaults_and_descriptions() -> None:
    properties = flat_schema(Everything)["properties"]
    assert properties["path"] == {"type": "string", "description": "Where"}
    assert properties["count"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    assert properties["mode"] == {"enum": ["fast", "slow"], "default": "fast", "type": "string"}
    assert properties["note"]["anyOf"] == [{"type": "string"}, {"type": "null"}]


def test_only_what_has_no_default_is_required_and_nothing_else_is_accepted() -> None:
    schema = flat_schema(Everything)
    assert schema["required"] == ["path"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("count", [3, 3.0])
def test_a_whole_number_may_be_written_with_a_point_as_json_schema_says(count: float) -> None:
    parsed = StructModel(Everything).parse({"path": "x", "count": count})
    assert parsed.count == 3
    assert isinstance(parsed.count, int)


@pytest.mark.parametrize("count", [3.5, 10.0, -1.0, 1e300, "3", True, None])
def test_any_other_number_is_refused_as_before(count: Any) -> None:
    with pytest.raises(Misfit, match="count"):
        StructModel(Everything).parse({"path": "x", "count": count})


class Measured(ToolInput):
    sizes: list[int] = []
    share: float = 0.0
    inner: dict[str, int] = {}


def test_whole_numbers_are_found_inside_and_others_stay_as_they_are() -> None:
    given = {"sizes": [1.0, 2], "share": 0.5, "inner": {"a": 4.0}}
    assert StructModel(Measured).parse(given) == Measured(sizes=[1, 2], share=0.5, inner={"a": 4})
    assert given == {"sizes": [1.0, 2], "share": 0.5, "inner": {"a": 4.0}}


@pytest.mark.parametrize("size", [2.0**53 + 2, -(2.0**60), 1e300])
def test_a_number_too_large_to_be_exact_is_no_whole_one(size: float) -> None:
    with pytest.raises(Misfit, match="sizes"):
        StructModel(Measured).parse({"sizes": [size]})


def test_every_reference_is_written_out() -> None:
    schema = flat_schema(Everything)
    assert "$ref" not in str(schema)
    assert "$defs" not in schema
    assert schema["properties"]["changes"]["items"]["required"] == ["old"]
    assert schema["properties"]["colour"]["enum"] == ["blue", "red"]


def test_titles_of_generators_go_but_a_parameter_called_title_stays() -> None:
    schema = inline_references(
        {"title": "X", "properties": {"title": {"title": "T", "type": "string"}}}
    )
    assert schema == {"properties": {"title": {"type": "string"}}}


class Branch(ToolInput):
    name: str
    inner: "list[Branch]" = []


class Documented(ToolInput):
    """For the reader of this file, not for the model."""

    path: str


def test_the_docstring_of_an_input_class_is_not_shown_to_the_model() -> None:
    assert "description" not in flat_schema(Documented)


def test_a_recursive_type_ends_somewhere() -> None:
    schema = flat_schema(Branch)
    assert schema["properties"]["inner"]["items"] == {"type": "object"}


def test_a_recursive_input_is_still_checked_all_the_way_down() -> None:
    model = StructModel(Branch)
    deep: dict[str, Any] = {"name": "a", "inner": [{"name": "b", "inner": [{"name": 3}]}]}
    with pytest.raises(Misfit, match=r"inner\[0\]\.inner\[0\]\.name"):
        model.parse(deep)


def test_parsing_gives_the_typed_input() -> None:
    parsed = StructModel(Everything).parse({"path": "a", "changes": [{"old": "x"}]})
    assert parsed == Everything(path="a", changes=[Change(old="x")])


def test_an_input_cannot_be_changed_by_a_tool() -> None:
    parsed = StructModel(Everything).parse({"path": "a"})
    with pytest.raises(AttributeError, match="immutable"):
        parsed.path = "b"


def test_a_tool_without_parameters_takes_nothing() -> None:
    model = StructModel(NoInput)
    assert model.schema == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    with pytest.raises(Misfit):
        model.parse({"surprise": 1})


@pytest.mark.parametrize("kind", [int, "text", None, [1]])
def test_what_is_no_model_at_all_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError, match="neither"):
        input_model(kind)


class Unsayable(ToolInput):
    thing: complex


class UnsayableTool(Tool[Unsayable]):
    name = "Unsayable"


def test_a_type_that_json_cannot_say_is_refused_at_registration() -> None:
    with pytest.raises(UsageError, match=r"Unsayable cannot be described .*complex"):
        Registry([UnsayableTool])


class Picky(ToolInput):
    number: int

    def __post_init__(self) -> None:
        if self.number == 13:
            raise ValueError("13 brings bad luck")
        if self.number == 0:
            raise LookupError("a fault of the author")


class PickyTool(Tool[Picky]):
    name = "Picky"

    async def run(self, args: Picky, ctx: ToolContext) -> str:
        return str(args.number)


async def test_a_check_of_the_authors_own_is_reported_in_its_own_words(tmp_path: Path) -> None:
    result = await Bench(PickyTool, tmp_path, mode="bypass").run(number=13)
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert "13 brings bad luck" in result.text


async def test_a_check_that_breaks_ends_in_one_result(tmp_path: Path) -> None:
    result = await Bench(PickyTool, tmp_path, mode="bypass").run(number=0)
    assert result.error is not None
    assert result.error.code == "EXECUTION_ERROR"
    assert "LookupError: a fault of the author" in result.text
