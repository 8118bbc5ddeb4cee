"""An answer as data: taken out of the text, and held against the schema that was asked for."""

import re
from copy import deepcopy
from typing import Any

import msgspec

from ankrcode.errors import UsageError
from ankrcode.protocol.definition import JsonSchema
from ankrcode.tooling.arguments import json_fault
from ankrcode.tooling.validator import validator_for

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?```", re.DOTALL)
_MAX_FAULTS = 10


class Misfit(ValueError):
    """What is wrong with it, for the model to mend."""


def fitting(text: str, schema: JsonSchema) -> Any:
    """The data; raises `Misfit` with every fault that was found."""
    value = _data(text)
    validator = validator_for(schema)
    faults = list(validator.iter_errors(value))
    if faults:
        for meant in (_without_nulls(value, faults), _without_any_null(value)):
            if validator.is_valid(meant):
                return meant
        raise Misfit("; ".join(_named(one) for one in faults[:_MAX_FAULTS]))
    return value


def _without_nulls(value: Any, faults: list[Any]) -> Any:
    """Vendors that require every property mean nothing by null: such are left out."""
    meant = deepcopy(value)
    for fault in faults:
        *way, last = fault.instance_path or [None]
        place = meant
        for step in way:
            place = place[step]
        if isinstance(place, dict) and place.get(last, "") is None:
            del place[last]
    return meant


def _without_any_null(value: Any) -> Any:
    """The same where a fault does not say how deep it lies."""
    if isinstance(value, dict):
        return {key: _without_any_null(one) for key, one in value.items() if one is not None}
    return [_without_any_null(one) for one in value] if isinstance(value, list) else value


def check_schema(schema: JsonSchema) -> None:
    """Before a model is asked; raises `UsageError` for what nothing can be held against."""
    if not isinstance(schema, dict | bool | str):
        raise UsageError.of("schema_type", got=schema)
    try:
        validator_for(schema)
    except (ValueError, RecursionError) as problem:
        why = str(problem).partition("\n")[0]
        raise UsageError.of("schema_wrong", why=why) from None


def told(schema: JsonSchema) -> str:
    """For the model: wires that know schemas say it again in their own way."""
    return (
        "Answer with JSON that fits this schema, and nothing else:\n"
        + msgspec.json.encode(schema).decode()
    )


def _data(text: str) -> Any:
    """The text itself, what stands in its first fence, or the data among its words."""
    fenced = _FENCED.findall(text)
    fault: Exception | None = None
    for candidate in (text, *fenced[:1], _among_words(text)):
        try:
            return msgspec.json.decode(candidate.strip())
        except (msgspec.DecodeError, RecursionError) as problem:
            fault = fault or problem
    raise Misfit(f"it is not JSON ({json_fault(fault) if fault else 'it is empty'})")


def _among_words(text: str) -> str:
    """From the first bracket to the last."""
    begins = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    return text[min(begins) : max(text.rfind("}"), text.rfind("]")) + 1] if begins else ""


def _named(error: Any) -> str:
    place = "/".join(str(step) for step in error.instance_path)
    return f"{place or 'the whole'}: {error.message}"
