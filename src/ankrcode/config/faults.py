"""What is wrong with a setting, said so that a person can mend it."""

from typing import Any

import msgspec

from ankrcode.words import say

_MAX_SHOWN_CHARS = 60


def shown(value: Any) -> str:
    """A value in a message: as JSON says it, and short."""
    match value:
        case dict():
            return say("setting_got.object")
        case list():
            return say("setting_got.list")
        case str():
            return f'"{short(value)}"'
        case _:
            return short(msgspec.json.encode(value).decode())


def short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "…"


def expected(schema: dict[str, Any]) -> str:
    """What fits, for people: 'a whole number from 1 to 256'."""
    if "enum" in schema:
        return say("setting_expected.choice", choices=", ".join(schema["enum"]))
    if "examples" in schema:
        return say("setting_expected.like", examples=", ".join(schema["examples"]))
    what = say(f"setting_expected.{schema['type']}")
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum")
    if least is None or most is None:
        return what
    bounds = "above" if "exclusiveMinimum" in schema else "between"
    return say(f"setting_expected.{bounds}", what=what, least=least, most=most)
