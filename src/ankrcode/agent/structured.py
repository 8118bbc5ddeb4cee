"""An answer as data: taken out of the text, and held against the schema that was asked for."""

import re
from typing import Any

import msgspec

from ankrcode.protocol.definition import JsonSchema
from ankrcode.tooling.validator import validator_for

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?```", re.DOTALL)
_MAX_FAULTS = 10


class Misfit(ValueError):
    """What is wrong with it, for the model to mend."""


def fitting(text: str, schema: JsonSchema) -> Any:
    """The data; raises `Misfit` with every fault that was found."""
    value = _data(text)
    faults = [_named(one) for one in validator_for(schema).iter_errors(value)]
    if faults:
        raise Misfit("; ".join(faults[:_MAX_FAULTS]))
    return value


def told(schema: JsonSchema) -> str:
    """For the model: wires that know schemas say it again in their own way."""
    return (
        "Answer with JSON that fits this schema, and nothing else:\n"
        + msgspec.json.encode(schema).decode()
    )


def _data(text: str) -> Any:
    """The text itself, or what stands in its only fence."""
    fenced = _FENCED.findall(text)
    for candidate in (text, *fenced[:1]):
        try:
            return msgspec.json.decode(candidate.strip())
        except msgspec.DecodeError as problem:
            fault = problem
    raise Misfit(f"it is not JSON ({fault})")


def _named(error: Any) -> str:
    place = "/".join(str(step) for step in error.instance_path)
    return f"{place or 'the whole'}: {error.message}"
