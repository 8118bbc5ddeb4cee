"""Who failed lately: a provider that does not work is left in peace for a while."""

import time
from collections.abc import Callable

from ankrcode.protocol.stream import Failure, FailureKind

_SHORT_S, _LONG_S = 20.0, 600.0
_LASTING = (FailureKind.AUTH, FailureKind.NO_KEY, FailureKind.MODEL, FailureKind.QUOTA)
_HARMLESS = (
    FailureKind.BAD_REQUEST,
    FailureKind.CONTEXT,
    FailureKind.FILTERED,
    FailureKind.CANCELLED,
    FailureKind.BUDGET,
)
_MAX_REMEMBERED = 1_000


class Health:
    """By name of model; shared by all routers of a process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, tuple[float, int, Failure]] = {}  # rests until, times, why

    def failed(self, name: str, failure: Failure) -> None:
        """Given up for now; each time in a row it rests twice as long."""
        if failure.kind in _HARMLESS:
            return
        times = self._failures.get(name, (0.0, 0, failure))[1] + 1
        rest = _LONG_S if failure.kind in _LASTING else _SHORT_S * 2 ** min(times - 1, 5)
        rest = min(max(rest, failure.retry_after_s or 0.0), _LONG_S)
        if len(self._failures) >= _MAX_REMEMBERED:
            self._failures.clear()
        self._failures[name] = (self._clock() + rest, times, failure)

    def succeeded(self, name: str) -> None:
        self._failures.pop(name, None)

    def why_resting(self, name: str) -> Failure | None:
        """The failure it rests for; None when it may be asked."""
        until, _, failure = self._failures.get(name, (0.0, 0, None))
        return failure if until > self._clock() else None
