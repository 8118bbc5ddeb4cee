"""What is wrong with an input, said so that the next try fits.

Only a call that does not fit pays for this module: it loads a full JSON Schema validator.
"""

from itertools import islice
from typing import Any

import msgspec

from ankrcode.config.limits import MAX_FAULTS
from ankrcode.errors import InvalidInput
from ankrcode.protocol.definition import JsonSchema
from ankrcode.tooling.examples import example_call
from ankrcode.tooling.expected import described, expected_of, schema_at, shortened
from ankrcode.tooling.validator import validator_for
from ankrcode.words import say

_MAX_KNOWN = 500  # names among which a near one is looked for
_TYPE_KINDS = {"Type", "AnyOf", "OneOfNotValid", "OneOfMultipleValid"}
_VALUE_KINDS = {
    *("Enum", "Constant", "Minimum", "Maximum", "ExclusiveMinimum", "ExclusiveMaximum"),
    *("MultipleOf", "MinLength", "MaxLength", "MinItems", "MaxItems", "Pattern", "Format"),
}
_TYPES_OF_NUMBERS = {"integer", "number"}

Fault = dict[str, str]


def invalid_input(
    tool: str,
    schema: JsonSchema,
    arguments: dict[str, Any],
    complaint: str,
    shown: JsonSchema | None = None,
) -> InvalidInput:
    """One error that names every fault and shows a call that would fit the schema models see."""
    faults = faults_of(tool, schema, arguments) or faults_of(tool, shown or schema, arguments)
    faults = faults or _unwritable(schema, arguments) or [_told(complaint)]
    said = "; ".join(fault["message"] for fault in faults)
    example = example_call(tool, shown or schema, validator_for(schema))
    if example:
        error = InvalidInput.of("invalid_input", faults=said, example=example)
    else:
        error = InvalidInput.of("invalid_input.bare", faults=said, name=tool)
    error.details["faults"] = faults
    return error


def faults_of(tool: str, schema: JsonSchema, arguments: dict[str, Any]) -> list[Fault]:
    """Every fault, up to a bound; dates and the like, which only Python says, count as text."""
    plain = msgspec.to_builtins(arguments, str_keys=True)
    found = (
        fault
        for error in validator_for(schema).iter_errors(plain)
        for fault in _faults_in(tool, schema, error)
    )
    return list(islice(found, MAX_FAULTS))


def _unwritable(schema: JsonSchema, arguments: dict[str, Any]) -> list[Fault]:
    """Whole numbers by the letter of a schema, such as 1e300, that nobody can mean."""
    found: list[Fault] = []
    open_places: list[tuple[list[str | int], Any]] = [([], arguments)]
    while open_places and len(found) < MAX_FAULTS:
        path, value = open_places.pop()
        if isinstance(value, dict):
            open_places += [([*path, key], one) for key, one in value.items()]
        elif isinstance(value, list):
            open_places += [([*path, index], one) for index, one in enumerate(value)]
        elif isinstance(value, float) and value.is_integer():
            wanted = schema_at(schema, path)
            expected = expected_of(wanted, schema)
            if _TYPES_OF_NUMBERS & _types_in(wanted) == {"integer"}:
                got = described(value)
                found.append(_fault("type", parameter_name(path), expected=expected, got=got))
    return found


def _types_in(node: JsonSchema) -> set[str]:
    """Of a place, also where it has a choice."""
    own = node.get("type", ())
    types = {own} if isinstance(own, str) else set(own)
    choices = (part for word in ("anyOf", "oneOf") for part in node.get(word, ()))
    return types.union(*(_types_in(one) for one in choices if isinstance(one, dict)))


def _told(complaint: str) -> Fault:
    """What only the reader of the input found, at the place it names."""
    why, _, place = complaint.partition(" - at `$")
    return _fault("other", place.rstrip("`").lstrip("."), why=shortened(why.replace("`", "")))


def _faults_in(tool: str, schema: JsonSchema, error: Any) -> list[Fault]:
    kind, path = type(error.kind).__name__, error.instance_path
    place = parameter_name(path)
    if kind == "Required":
        missing = error.kind.property
        expected = expected_of(schema_at(schema, [*path, missing]), schema)
        return [_fault("missing", _joined(place, missing), expected=expected)]
    if kind in ("AdditionalProperties", "UnevaluatedProperties"):
        known = list(schema_at(schema, path).get("properties", {}))
        unexpected = error.kind.unexpected[:MAX_FAULTS]
        return [_unknown(tool, place, name, known) for name in unexpected]
    if kind in _TYPE_KINDS or kind in _VALUE_KINDS:
        expected = expected_of(schema_at(schema, path), schema)
        name = "type" if kind in _TYPE_KINDS else "value"
        return [_fault(name, place, expected=expected, got=described(error.instance))]
    return [_fault("other", place, why=shortened(error.message))]


def _fault(kind: str, parameter: str, **values: str) -> Fault:
    shown = shortened(parameter)
    message = say(f"fault.{kind}", parameter=shown or "the arguments", **values)
    return {"parameter": shown, "fault": kind, "message": message, **values}


def _unknown(tool: str, place: str, name: str, known: list[str]) -> Fault:
    from difflib import get_close_matches

    near = get_close_matches(name[:100], known[:_MAX_KNOWN], n=1, cutoff=0.6)
    if near:
        return _fault("unknown.near", _joined(place, name), tool=tool, near=near[0])
    return _fault("unknown", _joined(place, name), tool=tool)


def parameter_name(path: list[str | int]) -> str:
    """As a person would write it: edits[2].old_string."""
    name = ""
    for step in path:
        name = f"{name}[{step}]" if isinstance(step, int) else _joined(name, step)
    return name


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
