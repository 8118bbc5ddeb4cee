"""Limits in money, tokens, requests and time: at each one the person is asked, or all stops."""

import time
from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

from ankrcode.config.models import BudgetSettings
from ankrcode.providers.cost import Spent

LimitName = Literal["usd", "tokens", "turns", "seconds"]


class Overrun(Struct, frozen=True, kw_only=True):
    """A limit that was reached, or that the next request would pass."""

    limit: LimitName
    allowed: float
    spent: float
    expected: float = 0.0  # what the next request adds, by estimate
    unpriced: int = 0  # answers whose price nobody knows


Ask = Callable[[Overrun], Awaitable[bool]]


class Budget:
    """A yes extends the limit by its own size. Without anybody to ask, the answer is no.

    Money counts what is known: `Overrun.unpriced` says how many answers it does not cover.
    """

    def __init__(
        self,
        limits: BudgetSettings,
        *,
        ask: Ask | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._step: dict[LimitName, float] = {
            "usd": limits.usd,
            "tokens": limits.tokens,
            "turns": limits.turns,
            "seconds": limits.seconds,
        }
        self._allowed = dict(self._step)
        self._ask = ask
        self._clock = clock
        self._started = clock()

    @property
    def allowed_usd(self) -> float:
        """With all that was extended."""
        return self._allowed["usd"]

    async def admits(self, spent: Spent, expected: Spent) -> Overrun | None:
        """May one more request go out? None for yes, else the limit that stands in its way."""
        for overrun in self.overruns(spent, expected):
            if self._ask is None or not await self._ask(overrun):
                return overrun
            while _is_over(self._allowed[overrun.limit], overrun.spent, overrun.expected):
                self._allowed[overrun.limit] += self._step[overrun.limit]
        return None

    def overruns(self, spent: Spent, expected: Spent) -> list[Overrun]:
        """Every limit in the way. Time and the number of requests are known for sure; money and
        tokens of the next request are an estimate, so only its prompt is counted in."""
        now: dict[LimitName, tuple[float, float]] = {
            "usd": (spent.usd, expected.usd),
            "tokens": (spent.tokens, expected.tokens),
            "turns": (spent.answers, 1),
            "seconds": (self._clock() - self._started, 0.0),
        }
        return [
            Overrun(
                limit=name,
                allowed=self._allowed[name],
                spent=used,
                expected=more,
                unpriced=spent.unpriced,
            )
            for name, (used, more) in now.items()
            if self._step[name] and _is_over(self._allowed[name], used, more)
        ]


def _is_over(allowed: float, used: float, more: float) -> bool:
    return used >= allowed or used + more > allowed
