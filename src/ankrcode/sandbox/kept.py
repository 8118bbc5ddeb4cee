"""What was seen on the disk, kept for as long as the places it was seen in are as they were.

A folder's time of change tells whether a name in it came, went or became another; nobody can set
it. Only a change that follows another one at once may bear the same time: so what has changed a
moment ago is looked at again.
"""

import os
import time
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Stamps = tuple[tuple[int, int, int] | None, ...]
Answer = TypeVar("Answer")

_FRESH_NS = 50_000_000  # some clock ticks
_FRESH_IN_SECONDS_NS = 3_000_000_000  # where the disk counts in seconds, or in two
_MOST = 16


class _Look(NamedTuple, Generic[Answer]):
    answer: Answer
    places: tuple[str, ...]
    stamps: Stamps


class Kept(Generic[Answer]):
    """The last answers, by what was asked."""

    def __init__(self) -> None:
        self._looks: dict[Hashable, _Look[Answer]] = {}

    def get(self, key: Hashable, look: Callable[[], tuple[Answer, Iterable[str]]]) -> Answer:
        """`look` gives the answer and the places that it depends on."""
        now = time.time_ns()
        kept = self._looks.get(key)
        if kept is not None and stamps(kept.places, now) == kept.stamps:
            return kept.answer
        answer, seen_in = look()
        places = tuple(seen_in)
        if len(self._looks) >= _MOST:
            self._looks.clear()
        if (found := stamps(places, now)) is not None:
            self._looks[key] = _Look(answer, places, found)
        return answer


def stamps(places: Iterable[str], now: int) -> Stamps | None:
    """A mark of each, None for what is not there; None as a whole where it proves nothing."""
    found: list[tuple[int, int, int] | None] = []
    for place in places:
        try:
            status = os.stat(place)  # noqa: PTH116 - and fast
        except OSError:
            found.append(None)
            continue
        changed = status.st_ctime_ns
        is_coarse = changed % 1_000_000_000 == 0
        if now - changed < (_FRESH_IN_SECONDS_NS if is_coarse else _FRESH_NS):
            return None
        found.append((status.st_dev, status.st_ino, changed))
    return tuple(found)
