"""Who rests, why and how long."""

import pytest

from ankrcode.protocol.stream import Failure, FailureKind
from ankrcode.providers.health import Health


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def failure(kind: FailureKind, wait: float | None = None) -> Failure:
    return Failure(kind=kind, message="x", retry_after_s=wait)


def rest_of(health: Health, clock: Clock, name: str = "p/m") -> float:
    """How long it rests from now."""
    start = clock.now
    while health.why_resting(name) is not None and clock.now - start < 10_000:
        clock.now += 1.0
    rest, clock.now = clock.now - start, start
    return rest


def test_nobody_rests_at_first() -> None:
    assert Health().why_resting("p/m") is None


def test_it_rests_twice_as_long_each_time_in_a_row() -> None:
    clock = Clock()
    health = Health(clock)
    rests = []
    for _ in range(8):
        health.failed("p/m", failure(FailureKind.SERVER))
        rests.append(rest_of(health, clock))
    assert rests == [20, 40, 80, 160, 320, 600, 600, 600]


def test_success_begins_anew() -> None:
    clock = Clock()
    health = Health(clock)
    for _ in range(3):
        health.failed("p/m", failure(FailureKind.SERVER))
    health.succeeded("p/m")
    assert health.why_resting("p/m") is None
    health.failed("p/m", failure(FailureKind.SERVER))
    assert rest_of(health, clock) == 20


def test_what_a_server_asks_for_is_kept_up_to_ten_minutes() -> None:
    clock = Clock()
    health = Health(clock)
    health.failed("p/m", failure(FailureKind.RATE_LIMIT, 90))
    assert rest_of(health, clock) == 90
    health.failed("p/m", failure(FailureKind.RATE_LIMIT, 86_400))
    assert rest_of(health, clock) == 600


@pytest.mark.parametrize(
    "kind", [FailureKind.AUTH, FailureKind.NO_KEY, FailureKind.MODEL, FailureKind.QUOTA]
)
def test_what_does_not_mend_itself_rests_long(kind: FailureKind) -> None:
    clock = Clock()
    health = Health(clock)
    health.failed("p/m", failure(kind))
    assert rest_of(health, clock) == 600


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.BAD_REQUEST,
        FailureKind.CONTEXT,
        FailureKind.FILTERED,
        FailureKind.CANCELLED,
        FailureKind.BUDGET,
    ],
)
def test_the_fault_of_one_request_is_not_held_against_a_model(kind: FailureKind) -> None:
    health = Health()
    health.failed("p/m", failure(kind))
    assert health.why_resting("p/m") is None


def test_each_model_rests_for_itself_and_says_why() -> None:
    health = Health()
    why = failure(FailureKind.QUOTA)
    health.failed("p/m", why)
    assert health.why_resting("p/m") is why
    assert health.why_resting("p/n") is None


def test_memory_is_bounded() -> None:
    health = Health()
    for number in range(5_000):
        health.failed(f"p/{number}", failure(FailureKind.SERVER))
    remembered = sum(health.why_resting(f"p/{number}") is not None for number in range(5_000))
    assert 0 < remembered <= 1_000
