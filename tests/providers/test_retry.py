"""How long to wait, and how often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.stream import Failure, FailureKind
from ankrcode.providers.retry import RetryPolicy, may_go_elsewhere

SERVER = Failure(kind=FailureKind.SERVER, message="x")
POLICY = RetryPolicy(retries=5, max_wait_s=30, max_total_wait_s=60)


def limited(wait: float | None) -> Failure:
    return Failure(kind=FailureKind.RATE_LIMIT, message="x", retry_after_s=wait)


def test_waits_double_and_vary() -> None:
    for tries in range(1, 6):
        waits = {POLICY.wait_before(SERVER, tries, 0.0, has_other=False) for _ in range(60)}
        usual = 0.5 * 2 ** (tries - 1)
        assert all(wait is not None and usual / 2 <= wait <= usual for wait in waits)
        assert len(waits) > 5


def test_the_number_of_tries_is_kept() -> None:
    assert POLICY.wait_before(SERVER, 5, 0.0, has_other=False) is not None
    assert POLICY.wait_before(SERVER, 6, 0.0, has_other=False) is None
    assert RetryPolicy(retries=0).wait_before(SERVER, 1, 0.0, has_other=False) is None


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.PROTOCOL])
def test_what_took_long_or_is_garbled_is_tried_once_more(kind: FailureKind) -> None:
    failure = Failure(kind=kind, message="x")
    assert POLICY.wait_before(failure, 1, 0.0, has_other=False) is not None
    assert POLICY.wait_before(failure, 2, 0.0, has_other=False) is None


def test_what_the_server_asks_for_counts_up_to_the_cap() -> None:
    assert POLICY.wait_before(limited(12), 1, 0.0, has_other=False) == 12
    assert POLICY.wait_before(limited(400), 1, 0.0, has_other=False) == 30
    assert POLICY.wait_before(limited(400), 2, 45.0, has_other=False) == 15
    assert POLICY.wait_before(limited(400), 2, 60.0, has_other=False) is None


def test_with_another_model_only_short_waits_are_worth_it() -> None:
    assert POLICY.wait_before(limited(1.5), 1, 0.0, has_other=True) == 1.5
    assert POLICY.wait_before(limited(5), 1, 0.0, has_other=True) is None
    assert POLICY.wait_before(SERVER, 1, 0.0, has_other=True) is not None
    assert POLICY.wait_before(SERVER, 2, 0.0, has_other=True) is None


@given(
    st.sampled_from(list(FailureKind)),
    st.none() | st.floats(0, 1e9),
    st.integers(1, 100),
    st.floats(0, 1e4),
    st.booleans(),
    st.integers(0, 20),
)
def test_no_wait_is_ever_longer_than_its_caps(
    kind: FailureKind,
    asked: float | None,
    tries: int,
    waited: float,
    has_other: bool,
    retries: int,
) -> None:
    policy = RetryPolicy(retries=retries, max_wait_s=30, max_total_wait_s=60)
    failure = Failure(kind=kind, message="x", retry_after_s=asked)
    wait = policy.wait_before(failure, tries, waited, has_other=has_other)
    if wait is not None:
        assert 0 <= wait <= 30
        assert waited + wait <= 60 + 1e-9
        assert tries <= retries


def test_a_wrong_request_and_a_refusal_stay_where_they_are() -> None:
    stay = {kind for kind in FailureKind if not may_go_elsewhere(kind)}
    assert stay == {
        FailureKind.BAD_REQUEST,
        FailureKind.FILTERED,
        FailureKind.BUDGET,
        FailureKind.CANCELLED,
    }
