"""Arguments of a call that Gemini streams by path: `$.files[0].name`, a piece at a time."""

import re
from itertools import pairwise
from typing import Any

from ankrcode.providers.wires.loose import mapping, text

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,4})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


class Pieces:
    """One call's arguments while they come."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.arguments: dict[str, Any] = {}
        self._makes_sense = True
        self._growing = ""

    @property
    def is_whole(self) -> bool:
        """Every piece had a place, and none is without its end."""
        return self._makes_sense and not self._growing

    def take(self, pieces: list[Any]) -> None:
        for one in pieces:
            piece = mapping(one)
            path = text(piece.get("jsonPath"))
            name = next((name for name in _VALUES if name in piece), "")
            will_continue = bool(piece.get("willContinue"))
            if name:
                value = None if name == "nullValue" else piece[name]
                self._makes_sense = self._put(path, value) and self._makes_sense
            self._growing = path if will_continue else ""

    def _put(self, path: str, value: Any) -> bool:
        steps = [_step(found) for found in _STEP.finditer(path)]
        if not path.startswith("$") or not steps:
            return False
        place: Any = self.arguments
        for step, following in pairwise(steps):
            inner = _inner(place, step, [] if isinstance(following, int) else {})
            if inner is None:
                return False
            place = inner
        last = steps[-1]
        before = _inner(place, last, None)
        if path == self._growing and isinstance(before, str) and isinstance(value, str):
            value = before + value
        return _set(place, last, value)


def _step(found: re.Match[str]) -> str | int:
    if found[2] is not None:
        return int(found[2])
    return next(name for name in (found[1], found[3], found[4]) if name is not None)


def _inner(place: Any, step: str | int, new: Any) -> Any:
    """What stands there; else, if there is a place for it, something new."""
    if isinstance(place, dict) and isinstance(step, str):
        if step not in place and new is not None:
            place[step] = new
        return place.get(step)
    if isinstance(place, list) and isinstance(step, int):
        if step == len(place) and new is not None:
            place.append(new)
        return place[step] if step < len(place) else None
    return None


def _set(place: Any, step: str | int, value: Any) -> bool:
    if isinstance(place, dict) and isinstance(step, str):
        place[step] = value
    elif isinstance(place, list) and isinstance(step, int) and step <= len(place):
        place[step : step + 1] = [value]
    else:
        return False
    return True
