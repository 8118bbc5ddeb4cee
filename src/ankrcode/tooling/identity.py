"""Where time and names come from, so that a run can be repeated exactly."""

import os
import time
from typing import Protocol


class Source(Protocol):
    """Clock and ids. Tests and replay hand in one that always answers the same."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever go up; for durations."""
        ...

    def new_id(self, prefix: str) -> str:
        """A name nobody else has."""
        ...


class SystemSource:
    """The machine's own clock and randomness."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.perf_counter()

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{os.urandom(8).hex()}"
