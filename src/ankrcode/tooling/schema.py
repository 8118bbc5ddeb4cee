"""Inputs: from a typed model (or a foreign JSON Schema) to a schema and a checker.

The fast path is `msgspec.convert`, which stops at the first fault. Only when an input does not
fit does a JSON Schema validator list *all* faults, so that a model can mend them in one go.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol

import msgspec

from ankrcode.protocol.definition import JsonSchema

_EXACT = 2**53  # beyond it a number with a point is no exact one
# Not written as a keyword: type checkers would ask every author to repeat it.
_FROZEN: dict[str, Any] = {"frozen": True}


class ToolInput(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, **_FROZEN):
    """The base of a tool's input. Describe fields with `Annotated[str, Meta(description=…)]`."""


class NoInput(ToolInput):
    """For a tool that takes no parameters."""


class InputModel(Protocol):
    """Turns parsed JSON into what a tool's `run` takes."""

    @property
    def schema(self) -> JsonSchema: ...

    def parse(self, arguments: dict[str, Any]) -> Any:
        """Return the typed input, or raise `Misfit`."""
        ...


class Misfit(Exception):
    """A signal inside tooling: the arguments do not fit; the text is the checker's complaint."""


class StructModel:
    """A msgspec Struct: typed, schema included, 0.8 µs a check."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self._kind = kind

    @cached_property
    def schema(self) -> JsonSchema:
        """Built-in tools have told theirs already: a first call does not wait 1 ms for it."""
        return flat_schema(self._kind)

    def parse(self, arguments: dict[str, Any]) -> Any:
        try:
            return msgspec.convert(arguments, self._kind)
        except msgspec.ValidationError:
            pass  # it may only be a matter of how a whole number is written
        try:
            return msgspec.convert(_with_whole_numbers(arguments), self._kind)
        except msgspec.ValidationError as problem:
            raise Misfit(str(problem)) from None


def _with_whole_numbers(value: Any) -> Any:
    """JSON has one kind of number: 20.0 is as whole as 20, as JSON Schema says too."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if isinstance(value, dict):
        return {key: _with_whole_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(one) for one in value]
    return value


class PydanticModel:
    """A pydantic model from a tool's author; pydantic is loaded by the author, never by us."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self.schema = inline_references(kind.model_json_schema())

    def parse(self, arguments: dict[str, Any]) -> Any:
        try:
            return self._kind.model_validate(arguments)
        except ValueError as problem:  # pydantic.ValidationError is one
            raise Misfit(_said(problem)) from None


def _said(problem: Any) -> str:
    """All that pydantic complains about, without its links."""
    if not hasattr(problem, "errors"):
        return str(problem)
    places = ((".".join(map(str, one["loc"])), one["msg"]) for one in problem.errors())
    return "; ".join(f"{place}: {text}" if place else text for place, text in places)


class ForeignModel:
    """A JSON Schema that we did not write: the input stays a plain dict."""

    def __init__(self, schema: JsonSchema) -> None:
        from ankrcode.tooling.validator import validator_for  # loaded only for foreign tools

        if schema.get("type", "object") != "object":
            raise ValueError(f"its type is {schema['type']!r}, not 'object'")
        self.schema = {"type": "object", **schema}
        self._validator = validator_for(self.schema)

    def parse(self, arguments: dict[str, Any]) -> Any:
        plain = msgspec.to_builtins(arguments, str_keys=True)  # dates and the like become text
        if not self._validator.is_valid(plain):
            raise Misfit("it does not fit the schema")
        return plain


def input_model(kind: Any) -> InputModel:
    """The model for what an author handed in: a Struct, a pydantic model or a JSON Schema."""
    if isinstance(kind, dict):
        return ForeignModel(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return StructModel(kind)
    if hasattr(kind, "model_json_schema"):
        return PydanticModel(kind)
    raise TypeError(f"{kind!r} is neither a msgspec Struct, a pydantic model nor a JSON Schema")


def flat_schema(kind: Any) -> JsonSchema:
    """The JSON Schema of a type, with every reference written out and no titles."""
    return inline_references(msgspec.json.schema(kind))


def inline_references(schema: JsonSchema) -> JsonSchema:
    """Models read `$ref` badly and some vendors refuse it: write definitions out where used."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})

    def written_out(node: Any, above: tuple[str, ...]) -> Any:
        if isinstance(node, list):
            return [written_out(item, above) for item in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions:
            if name in above:
                return {"type": "object"}  # a recursive type ends here
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**written_out(definitions[name], (*above, name)), **rest}
        return _without_noise(node, lambda value: written_out(value, above))

    result: JsonSchema = written_out({k: v for k, v in schema.items() if k != "$defs"}, ())
    result.pop("description", None)  # a docstring for readers of the code, not for models
    return result


def _without_noise(node: dict[str, Any], go_on: Callable[[Any], Any]) -> dict[str, Any]:
    """Drop the titles that generators add; keep a *parameter* that is called title."""
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "properties" and isinstance(value, dict):
            kept[key] = {name: go_on(item) for name, item in value.items()}
        else:
            kept[key] = go_on(value)
    options = kept.get("enum")
    if options and "type" not in kept and all(isinstance(option, str) for option in options):
        kept["type"] = "string"  # some vendors insist
    return kept
