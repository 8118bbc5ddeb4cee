"""How much one agent may spend: money, tokens, requests and time, from settings and from whoever
made it. At a limit the person is asked, if there is one to ask; else all stops there."""

import asyncio
from collections.abc import Awaitable, Callable
from math import inf

from msgspec.structs import replace

from ankrcode.agent.answer import Ending
from ankrcode.agent.lease import Purse
from ankrcode.config.models import BudgetSettings
from ankrcode.errors import UsageError
from ankrcode.protocol.message import Usage
from ankrcode.providers.budget import Budget, Overrun
from ankrcode.providers.cost import Spent
from ankrcode.words import say

_OVER = {
    "usd": "budget_over.usd",
    "tokens": "budget_over.tokens",
    "turns": "budget_over.turns",
    "seconds": "budget_over.seconds",
}
Extend = Callable[[Overrun], Awaitable[bool]]


class Counts:
    """Tokens, requests and time: one count for an agent and all who work for it."""

    def __init__(self, allowed: BudgetSettings, extend: Extend | None) -> None:
        self._budget = Budget(replace(allowed, usd=0.0), ask=extend)
        self._asking = asyncio.Lock()  # a yes to one of them is a yes to all
        self._spent = Spent()

    def spend(self, usage: Usage) -> None:
        more = Spent(answers=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        self._spent = self._spent.plus(more)

    async def overrun(self, expected: Spent) -> Overrun | None:
        async with self._asking:
            return await self._budget.admits(self._spent, expected)


class Limits:
    """Of one agent, over all of its tasks. Money is lent to it; the rest is counted together."""

    def __init__(
        self, allowed: BudgetSettings, purse: Purse, extend: Extend | None, above: "Limits | None"
    ) -> None:
        self._money = Budget(BudgetSettings(usd=allowed.usd), ask=extend)
        self._purse = purse
        self._counts: Counts = above._counts if above is not None else Counts(allowed, extend)

    def spend(self, usage: Usage) -> None:
        self._counts.spend(usage)

    async def reached(self, next_tokens: int, next_usd: float) -> Ending | None:
        """The limit that stands in the way of one more request."""
        expected = Spent(answers=1, input_tokens=next_tokens, usd=next_usd)
        overrun = await self._overspent(expected) or await self._counts.overrun(expected)
        if overrun is None:
            return None
        said = say(
            _OVER[overrun.limit],
            allowed=overrun.allowed,
            spent=overrun.spent,
            more=overrun.expected,
        )
        return Ending(subtype="error_budget", error=said)

    async def _overspent(self, expected: Spent) -> Overrun | None:
        purse = self._purse
        overrun = await self._money.admits(Spent(usd=purse.spent_usd + purse.lent_usd), expected)
        if purse.limit_usd is not None:  # what was extended may be lent, too
            purse.limit_usd = max(purse.limit_usd, self._money.allowed_usd)
        return overrun


def check_turns(given: int | None) -> int | None:
    if given is not None and (not isinstance(given, int) or given < 1):
        raise UsageError.of("agent_turns_wrong", got=given)
    return given


def limits_of(
    settings: BudgetSettings,
    max_usd: float | None,
    purse: Purse,
    extend: Extend | None,
    above: Limits | None = None,
) -> Limits | None:
    """None where nothing is limited: then nothing is counted either."""
    if max_usd is not None and not 0 < max_usd < inf:  # what is used up must not mean: no limit
        raise UsageError.of("agent_max_cost", got=max_usd)
    allowed = settings if max_usd is None else replace(settings, usd=max_usd)
    return Limits(allowed, purse, extend, above) if allowed != BudgetSettings() else None
