"""What answers cost, counted to the last token, and unknown where a price is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Usage
from ankrcode.providers.catalogue import Prices
from ankrcode.providers.cost import Spent, cost_of, spent_on
from ankrcode.providers.ledger import Ledger

PRICES = Prices(input=3.0, output=15.0, cached=0.3, written=3.75, as_of="2026-11-15")
PLAIN = Prices(input=1.0, output=2.0, as_of="2026-11-15")
LONG = Prices(
    input=1.0,
    output=10.0,
    cached=0.1,
    above_tokens=200_000,
    above_input=2.0,
    above_output=15.0,
    above_cached=0.2,
    as_of="2026-11-15",
)


@pytest.mark.parametrize(
    ("usage", "prices", "usd"),
    [
        (Usage(input_tokens=1_000_000), PRICES, 3.0),
        (Usage(output_tokens=1_000_000), PRICES, 15.0),
        (Usage(input_tokens=1_000_000, cached_tokens=1_000_000), PRICES, 0.3),
        (Usage(input_tokens=1_000_000, written_tokens=1_000_000), PRICES, 3.75),
        (
            Usage(
                input_tokens=1_000_000,
                cached_tokens=600_000,
                written_tokens=300_000,
                output_tokens=100_000,
            ),
            PRICES,
            0.3 + 0.18 + 1.125 + 1.5,
        ),
        (Usage(input_tokens=500_000, cached_tokens=500_000), PLAIN, 0.5),
        (Usage(input_tokens=500_000, written_tokens=500_000), PLAIN, 0.5),
        (Usage(input_tokens=200_000, output_tokens=100_000), LONG, 0.2 + 1.0),
        (Usage(input_tokens=200_001, output_tokens=100_000), LONG, 0.400002 + 1.5),
        (Usage(input_tokens=300_000, cached_tokens=300_000), LONG, 0.06),
        (Usage(), PRICES, 0.0),
    ],
)
def test_tokens_times_prices(usage: Usage, prices: Prices, usd: float) -> None:
    assert cost_of(usage, prices) == pytest.approx(usd)


def test_thinking_is_part_of_the_output_and_not_paid_twice() -> None:
    usage = Usage(output_tokens=1_000_000, thinking_tokens=900_000)
    assert cost_of(usage, PRICES) == pytest.approx(15.0)


def test_an_unknown_price_is_no_zero() -> None:
    usage = Usage(input_tokens=10, output_tokens=10)
    assert cost_of(usage, None) is None
    spent = spent_on(usage, None)
    assert (spent.usd, spent.unpriced, spent.known_usd) == (0.0, 1, None)


def test_sums_say_what_they_do_not_cover() -> None:
    known = spent_on(Usage(input_tokens=1_000_000), PRICES)
    unknown = spent_on(Usage(input_tokens=1_000_000), None, is_estimate=True)
    both = known.plus(unknown)
    assert both.known_usd is None
    assert both.usd == pytest.approx(3.0)
    assert (both.answers, both.unpriced, both.estimated) == (2, 1, 1)
    assert both.tokens == 2_000_000
    assert known.known_usd == pytest.approx(3.0)


def test_more_cached_than_there_was_is_never_negative() -> None:
    usage = Usage(input_tokens=10, cached_tokens=100)
    cost = cost_of(usage, PRICES)
    assert cost is not None
    assert cost >= 0


usages = st.builds(
    Usage,
    input_tokens=st.integers(0, 10**7),
    output_tokens=st.integers(0, 10**6),
    cached_tokens=st.integers(0, 10**6),
    written_tokens=st.integers(0, 10**6),
)


@given(usages, usages)
def test_sums_are_sums(one: Usage, other: Usage) -> None:
    left, right = spent_on(one, PRICES), spent_on(other, PRICES)
    both = left.plus(right)
    assert both.tokens == left.tokens + right.tokens
    assert math.isclose(both.usd, left.usd + right.usd, abs_tol=1e-9)
    assert both == right.plus(left)


def test_a_ledger_keeps_call_turn_session_and_model() -> None:
    ledger = Ledger()
    first = spent_on(Usage(input_tokens=1_000), PRICES)
    second = spent_on(Usage(output_tokens=1_000), PRICES)
    ledger.add("p/m", first)
    ledger.add("q/n", second)
    assert ledger.call == second
    assert ledger.turn == ledger.session == first.plus(second)
    ledger.begin_turn()
    assert ledger.turn == Spent()
    ledger.add("p/m", first)
    assert ledger.turn == first
    assert ledger.session == first.plus(second).plus(first)
    assert ledger.by_model == {"p/m": first.plus(first), "q/n": second}


def test_a_session_goes_on_where_it_was() -> None:
    before = spent_on(Usage(input_tokens=1_000), PRICES)
    ledger = Ledger(before)
    ledger.add("p/m", before)
    assert ledger.session.answers == 2
