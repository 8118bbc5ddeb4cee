"""How long to wait: headers, dates, and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.wires.failures import failure_of
from ankrcode.providers.wires.waits import asked_wait, span
from providers.wire_streams import json, target
from torture import examples

NOW = 1_800_000_000.0  # 2027-01-15 08:00:00 UTC


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 7 "}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "2s"}, 2.0),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:59:00 GMT"}, 0.0),
        ({"retry-after": "2027-01-15T08:00:10Z"}, 10.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"x-ratelimit-reset": "1800000012"}, 12.0),
        ({"x-ratelimit-reset": "1800000012000"}, 12.0),
        ({"x-ratelimit-reset": "15"}, 15.0),
        ({"ratelimit-reset": "20"}, 20.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0"}, 1.0),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, 360.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        (
            {
                "x-ratelimit-reset-requests": "9s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2.0,
        ),
        (
            {
                "anthropic-ratelimit-input-tokens-reset": "2027-01-15T08:00:45Z",
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:05:00Z",
                "anthropic-ratelimit-requests-remaining": "40",
            },
            45.0,
        ),
        ({"retry-after": "3", "x-ratelimit-reset-tokens": "60s"}, 3.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    wait = asked_wait(headers, "", NOW)
    assert wait == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 1.2s.", 1.2),
        ("Please try again in 20ms. Visit x to learn more.", 0.02),
        ("Please try again in 7m12s. Need more tokens?", 432.0),
        ("Please retry after 6 seconds.", 6.0),
        ("Please retry in 34.5s.", 34.5),
        ("Please wait 2 minutes before trying again", 120.0),
        ("try again in 1h2m", 3720.0),
        ("The engine is overloaded, please try again later", None),
        ("You have 5 seats", None),
        ("", None),
    ],
)
def test_words(message: str, seconds: float | None) -> None:
    wait = asked_wait({}, message, NOW)
    assert wait == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20", 20.0),
        ("1.5s", 1.5),
        ("6m0s", 360.0),
        ("1h", 3600.0),
        ("250ms", 0.25),
        ("3 milliseconds", 0.003),
        ("1m 30s", 90.0),
        ("34s", 34.0),
        ("x", None),
        ("5 apples", None),
        ("", None),
    ],
)
def test_spans(text: str, seconds: float | None) -> None:
    assert span(text) == (None if seconds is None else pytest.approx(seconds))


def test_geminis_delay_stands_in_the_body() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}
    body = json({"error": {"code": 429, "message": "Quota", "details": [detail]}})
    assert failure_of(429, {}, body, target()).retry_after_s == pytest.approx(34.07)


def test_who_asks_to_wait_for_nothing_that_waiting_helps_is_not_heard() -> None:
    body = json(
        {"error": {"message": "Bad request: try again in 5s", "type": "invalid_request_error"}}
    )
    assert failure_of(400, {"retry-after": "9"}, body, target()).retry_after_s is None


@given(text=st.text(max_size=40))
@examples(200, 10_000)
def test_nothing_raises(text: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens"):
        wait = asked_wait({name: text}, text, NOW)
        assert wait is None or wait >= 0
