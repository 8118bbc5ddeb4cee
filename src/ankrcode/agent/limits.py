"""How much one agent may spend: money, tokens, requests and time, from settings and from whoever
made it. At a limit the person is asked, if there is one to ask; else all stops there."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from ankrcode.agent.answer import Ending
from ankrcode.agent.lease import Purse
from ankrcode.config.models import BudgetSettings
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


class Limits:
    """Of one agent, over all of its tasks."""

    def __init__(self, allowed: BudgetSettings, purse: Purse, extend: Extend | None) -> None:
        self._budget = Budget(allowed, ask=extend)
        self._purse = purse
        self._spent = Spent()

    def spend(self, usage: Usage) -> None:
        more = Spent(answers=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        self._spent = self._spent.plus(more)

    async def reached(self, next_tokens: int, next_usd: float) -> Ending | None:
        """The limit that stands in the way of one more request."""
        purse = self._purse
        spent = replace(self._spent, usd=purse.spent_usd + purse.lent_usd)
        expected = Spent(answers=1, input_tokens=next_tokens, usd=next_usd)
        overrun = await self._budget.admits(spent, expected)
        if overrun is None:
            return None
        said = say(
            _OVER[overrun.limit],
            allowed=overrun.allowed,
            spent=overrun.spent,
            more=overrun.expected,
        )
        return Ending(subtype="error_budget", error=said)


def limits_of(
    settings: BudgetSettings, max_usd: float | None, purse: Purse, extend: Extend | None
) -> Limits | None:
    """None where nothing is limited: then nothing is counted either."""
    allowed = settings if max_usd is None else replace(settings, usd=max_usd)
    return Limits(allowed, purse, extend) if allowed != BudgetSettings() else None
