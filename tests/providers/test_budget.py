"""Limits that ask or stop, and what a request will need."""

import pytest

from ankrcode.config.models import BudgetSettings
from ankrcode.protocol.message import Message, TextPart
from ankrcode.providers.budget import Budget, Overrun
from ankrcode.providers.cost import Spent
from ankrcode.providers.wire import ModelRequest


class Person:
    """Says yes so often, then no, and remembers what was asked."""

    def __init__(self, yes: int) -> None:
        self.yes = yes
        self.asked: list[Overrun] = []

    async def __call__(self, overrun: Overrun) -> bool:
        self.asked.append(overrun)
        self.yes -= 1
        return self.yes >= 0


# ── the limits ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("limits", "spent", "expected", "over"),
    [
        (BudgetSettings(), Spent(usd=1e6, input_tokens=10**9, answers=10**6), Spent(), None),
        (BudgetSettings(usd=1.0), Spent(usd=0.5), Spent(usd=0.4), None),
        (BudgetSettings(usd=1.0), Spent(usd=0.5), Spent(usd=0.6), "usd"),
        (BudgetSettings(usd=1.0), Spent(usd=1.0), Spent(), "usd"),
        (BudgetSettings(tokens=100), Spent(input_tokens=50), Spent(input_tokens=50), None),
        (BudgetSettings(tokens=100), Spent(output_tokens=60), Spent(input_tokens=41), "tokens"),
        (BudgetSettings(turns=2), Spent(answers=1), Spent(), None),
        (BudgetSettings(turns=2), Spent(answers=2), Spent(), "turns"),
    ],
)
async def test_a_limit_stops_what_would_pass_it(
    limits: BudgetSettings, spent: Spent, expected: Spent, over: str | None
) -> None:
    overrun = await Budget(limits).admits(spent, expected)
    assert (overrun.limit if overrun else None) == over


async def test_time_is_a_limit_too() -> None:
    now = [100.0]
    budget = Budget(BudgetSettings(seconds=60), clock=lambda: now[0])
    assert await budget.admits(Spent(), Spent()) is None
    now[0] = 160.0
    overrun = await budget.admits(Spent(), Spent())
    assert overrun is not None
    assert (overrun.limit, overrun.allowed, overrun.spent) == ("seconds", 60, 60)


async def test_a_yes_extends_the_limit_by_its_own_size() -> None:
    person = Person(yes=2)
    budget = Budget(BudgetSettings(usd=1.0), ask=person)
    assert await budget.admits(Spent(usd=1.0), Spent()) is None
    assert await budget.admits(Spent(usd=1.9), Spent()) is None
    assert len(person.asked) == 1
    assert await budget.admits(Spent(usd=2.0), Spent()) is None
    overrun = await budget.admits(Spent(usd=3.5), Spent())
    assert overrun is not None
    assert [one.allowed for one in person.asked] == [1.0, 2.0, 3.0]


async def test_a_leap_over_several_steps_asks_once() -> None:
    person = Person(yes=1)
    budget = Budget(BudgetSettings(tokens=10), ask=person)
    assert await budget.admits(Spent(input_tokens=95), Spent(input_tokens=3)) is None
    assert await budget.admits(Spent(input_tokens=98), Spent(input_tokens=1)) is None
    assert len(person.asked) == 1


async def test_each_limit_asks_for_itself() -> None:
    person = Person(yes=9)
    budget = Budget(BudgetSettings(usd=1.0, turns=1), ask=person)
    assert await budget.admits(Spent(usd=5.0, answers=5), Spent()) is None
    assert [one.limit for one in person.asked] == ["usd", "turns"]


async def test_what_is_not_covered_is_said() -> None:
    overrun = await Budget(BudgetSettings(usd=1.0)).admits(Spent(usd=1.0, unpriced=3), Spent())
    assert overrun is not None
    assert overrun.unpriced == 3


# ── before sending ──────────────────────────────────────────────────────────────────────────────
def test_a_long_conversation_is_estimated_by_what_is_new() -> None:
    """Messages are kept: the second estimate looks only at the new one."""
    from ankrcode.providers.estimate import Estimator

    old = tuple(Message(role="user", parts=(TextPart(text="word " * 2_000),)) for _ in range(20))
    new = Message(role="user", parts=(TextPart(text="more " * 100),))
    estimator = Estimator()
    first = estimator.request(ModelRequest(messages=old))
    second = estimator.request(ModelRequest(messages=(*old, new)))
    assert second - first == estimator.request(ModelRequest(messages=(new,)))
