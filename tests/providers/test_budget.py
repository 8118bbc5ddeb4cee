"""Limits that ask or stop, and a model that keeps the books."""

from collections.abc import AsyncIterator

import pytest

from ankrcode.config.models import BudgetSettings
from ankrcode.protocol.message import Message, TextPart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    CallGrew,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    Switched,
    TextGrew,
    Used,
    Waited,
)
from ankrcode.providers.budget import Budget, Overrun
from ankrcode.providers.catalogue import UNKNOWN, ModelFacts, Prices
from ankrcode.providers.cost import Spent
from ankrcode.providers.ledger import Ledger
from ankrcode.providers.metered import MeteredModel
from ankrcode.providers.wire import ModelRequest
from providers.asking import ask, question
from providers.test_router import CALL, END, Told

PRICES = Prices(input=10.0, output=20.0, as_of="2026-11-15")
FAILURE = Failure(kind=FailureKind.SERVER, message="x")


def facts_of(name: str) -> ModelFacts:
    return ModelFacts(prices=PRICES) if name.startswith("p/") else UNKNOWN


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


# ── the books ───────────────────────────────────────────────────────────────────────────────────
def used(**tokens: int) -> Used:
    return Used(usage=Usage(**tokens))


async def booked(*answers: list[AnyStreamEvent], name: str = "p/m") -> Ledger:
    model = MeteredModel(Told(name, *answers), facts_of=facts_of)
    for _ in answers:
        await ask(model)
    return model.ledger


async def test_what_a_vendor_counts_is_booked() -> None:
    ledger = await booked([used(input_tokens=100, output_tokens=10), END])
    assert ledger.session.usd == pytest.approx(0.0012)
    assert (ledger.session.answers, ledger.session.estimated) == (1, 0)


async def test_a_later_count_replaces_an_earlier_one() -> None:
    ledger = await booked([used(input_tokens=100), used(input_tokens=100, output_tokens=50), END])
    assert ledger.session.input_tokens == 100
    assert ledger.session.output_tokens == 50


async def test_without_a_count_we_count_ourselves() -> None:
    ledger = await booked([TextGrew(text="word " * 100), END])
    assert ledger.session.estimated == 1
    assert 80 <= ledger.session.output_tokens <= 150
    assert ledger.session.input_tokens > 0
    assert ledger.session.usd > 0


async def test_calls_and_thoughts_are_counted_too() -> None:
    arguments = CallGrew(index=0, text='{"text": "' + "word " * 100 + '"}')
    closed = CallClosed(index=0, id="1", name="Write", arguments={})
    ledger = await booked([arguments, closed, END])
    assert ledger.session.output_tokens >= 80


async def test_indic_text_costs_more_for_its_length() -> None:
    english = await booked([TextGrew(text="a" * 400), END])
    hindi = await booked([TextGrew(text="नमस्ते दुनिया " * 29), END])
    assert hindi.session.output_tokens > 1.2 * english.session.output_tokens


async def test_a_failed_try_is_paid_for_too() -> None:
    wait = Waited(seconds=0.0, attempt=2, failure=FAILURE, provider="p", model="m")
    ledger = await booked(
        [used(input_tokens=100), wait, used(input_tokens=100, output_tokens=5), END]
    )
    assert ledger.session.input_tokens == 200
    assert ledger.session.answers == 2


async def test_whoever_answered_is_who_is_paid() -> None:
    switch = Switched(provider="q", model="n", failure=FAILURE)
    ledger = await booked([switch, used(input_tokens=7, output_tokens=1), END])
    assert set(ledger.by_model) == {"q/n"}
    assert ledger.session.unpriced == 1


async def test_a_request_that_was_refused_costs_nothing() -> None:
    ledger = await booked([Failed(failure=FAILURE)])
    assert ledger.session == Spent()


async def test_who_stops_listening_still_pays() -> None:
    model = MeteredModel(
        Told("p/m", [used(input_tokens=100), TextGrew(text="a"), TextGrew(text="b"), END]),
        facts_of=facts_of,
    )
    events = model.stream(question())
    await anext(events)
    await anext(events)
    await events.aclose()  # type: ignore[attr-defined]
    assert model.ledger.session.input_tokens == 100


async def test_an_answer_is_booked_before_its_end_is_told() -> None:
    model = MeteredModel(Told("p/m", [used(input_tokens=100), END]), facts_of=facts_of)
    async for event in model.stream(question()):
        if isinstance(event, Stopped):
            assert model.ledger.session.input_tokens == 100
    assert model.ledger.session.answers == 1


async def test_events_go_through_unchanged() -> None:
    events: list[AnyStreamEvent] = [TextGrew(text="a"), CALL, used(input_tokens=1), END]
    outcome = await ask(MeteredModel(Told("p/m", events), facts_of=facts_of))
    assert outcome.events == events


async def test_what_it_will_cost_is_known_before() -> None:
    model = MeteredModel(Told("p/m", [END]), facts_of=facts_of)
    small, large = model.estimate(question("Hi")), model.estimate(question("word " * 10_000))
    assert 0 < small.usd < large.usd
    assert 9_000 <= large.input_tokens <= 12_000
    assert large.estimated == 1


async def test_a_used_up_budget_sends_nothing() -> None:
    inner = Told("p/m", [used(input_tokens=10, output_tokens=10), END])
    model = MeteredModel(inner, budget=Budget(BudgetSettings(turns=1)), facts_of=facts_of)
    await ask(model)
    outcome = await ask(model)
    assert inner.asked == 1
    assert outcome.failure.kind is FailureKind.BUDGET
    assert "1 request" in outcome.failure.message


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (BudgetSettings(usd=0.000001), "$"),
        (BudgetSettings(tokens=1), "tokens"),
    ],
)
async def test_a_request_that_would_pass_the_limit_is_not_sent(
    limits: BudgetSettings, says: str
) -> None:
    inner = Told("p/m", [END])
    outcome = await ask(MeteredModel(inner, budget=Budget(limits), facts_of=facts_of))
    assert inner.asked == 0
    assert says in outcome.failure.message


async def test_a_person_may_let_it_go_on() -> None:
    person = Person(yes=1)
    inner = Told("p/m", [used(input_tokens=10), END])
    budget = Budget(BudgetSettings(turns=1), ask=person)
    model = MeteredModel(inner, budget=budget, facts_of=facts_of)
    for _ in range(2):
        await ask(model)
    outcome = await ask(model)
    assert inner.asked == 2
    assert outcome.failure.kind is FailureKind.BUDGET
    assert len(person.asked) == 2


async def test_name_size_and_closing_are_the_models() -> None:
    inner = Told("p/m", [END], context_tokens=77)
    model = MeteredModel(inner)
    assert (model.name, model.context_tokens) == ("p/m", 77)
    await model.close()
    assert inner.is_closed


class Endless:
    """Says something for ever."""

    name = "p/m"
    context_tokens = 1_000

    def __init__(self) -> None:
        self.is_ended = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        try:
            while True:
                yield TextGrew(text="on ")
        finally:
            self.is_ended = True

    async def close(self) -> None:
        pass


async def test_closing_the_books_closes_the_model() -> None:
    inner = Endless()
    events = MeteredModel(inner, facts_of=facts_of).stream(question())
    await anext(events)
    await events.aclose()  # type: ignore[attr-defined]
    assert inner.is_ended


def test_a_long_conversation_is_estimated_by_what_is_new() -> None:
    """Messages are kept: the second estimate looks only at the new one."""
    from ankrcode.providers.estimate import Estimator

    old = tuple(Message(role="user", parts=(TextPart(text="word " * 2_000),)) for _ in range(20))
    new = Message(role="user", parts=(TextPart(text="more " * 100),))
    estimator = Estimator()
    first = estimator.request(ModelRequest(messages=old))
    second = estimator.request(ModelRequest(messages=(*old, new)))
    assert second - first == estimator.request(ModelRequest(messages=(new,)))
