"""Money that is lent: never more than there is, never spent twice, and the rest comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.agent.lease import Lease, Purse
from torture import examples


def test_without_a_limit_everything_is_only_counted() -> None:
    purse = Purse()
    lease = purse.lend()
    assert (purse.left_usd, lease.usd, purse.is_empty) == (None, None, False)
    lease.settle(2.0)
    purse.spend(1.0)
    assert (purse.spent_usd, purse.lent_usd, purse.is_empty) == (3.0, 0.0, False)


def test_half_of_what_is_left_is_lent() -> None:
    purse = Purse(1.0)
    purse.spend(0.2)
    first, second = purse.lend(), purse.lend()
    assert (first.usd, second.usd) == pytest.approx((0.4, 0.2))
    assert purse.left_usd == pytest.approx(0.2)
    first.settle(0.1)
    second.settle(0.0)
    assert purse.left_usd == pytest.approx(0.7)
    assert purse.lent_usd == pytest.approx(0.0)


def test_a_lease_is_settled_once() -> None:
    purse = Purse(1.0)
    lease = purse.lend()
    lease.settle(0.3)
    lease.settle(0.3)
    assert purse.spent_usd == pytest.approx(0.3)


def test_what_is_overspent_leaves_nothing_and_never_less() -> None:
    purse = Purse(1.0)
    purse.lend().settle(1.5)
    assert (purse.left_usd, purse.is_empty) == (0.0, True)
    assert purse.lend().usd == 0.0


def test_an_empty_purse_is_empty_from_the_start() -> None:
    assert Purse(0.0).is_empty


@examples(200, 10_000)
@given(
    st.floats(0.01, 100),
    st.lists(st.tuples(st.sampled_from("slx"), st.floats(0, 1)), max_size=30),
)
def test_no_order_of_lending_and_spending_makes_money(
    limit: float, steps: list[tuple[str, float]]
) -> None:
    purse = Purse(limit)
    open_leases: list[Lease] = []
    for what, share in steps:
        left = purse.left_usd or 0.0
        if what == "s":
            purse.spend(left * share)
        elif what == "l":
            open_leases.append(purse.lend())
        elif open_leases:
            lease = open_leases.pop()
            lease.settle((lease.usd or 0.0) * share)
        held = sum(one.usd or 0.0 for one in open_leases)
        assert purse.lent_usd == pytest.approx(held, abs=1e-9)
        assert purse.spent_usd + purse.lent_usd <= limit * (1 + 1e-9)
