"""How long a vendor asks us to wait: every place and form it is said in."""

import re
from collections.abc import Mapping

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h|hours?|m|minutes?|s|seconds?)?(?![a-z])")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_IN_WORDS = re.compile(
    r"(?:try again|retry|retrying|wait)[^.\d]{0,30}?((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)[a-z]*\s*)+)"
)
_A_DATE_S = 1_000_000_000  # as seconds; larger numbers are times, not spans
_A_DATE_MS = 100_000_000_000
_RESETS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-input-tokens-reset",
    "anthropic-ratelimit-output-tokens-reset",
    "anthropic-ratelimit-unified-reset",
)


def asked_wait(headers: Mapping[str, str], message: str, now: float | None = None) -> float | None:
    """Seconds, or None where nothing is said. The caller caps it."""
    if now is None:
        import time

        now = time.time()
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    said = headers.get("retry-after", "")
    wait = _moment(said, now) if said else None
    if wait is None:
        wait = _in_words(message)
    return wait if wait is not None else _reset(headers, now)


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """When the limit that was hit is lifted: the one with nothing left, else the general one."""
    waits = [
        wait
        for name in _RESETS
        if _has_none_left(headers, name) and (wait := _moment(headers.get(name, ""), now))
    ]
    for name in ("x-ratelimit-reset", "ratelimit-reset"):
        if not waits and (wait := _moment(headers.get(name, ""), now)) is not None:
            waits.append(wait)
    return max(waits) if waits else None


def _has_none_left(headers: Mapping[str, str], reset: str) -> bool:
    left = headers.get(reset.replace("reset", "remaining"), "0")
    return left.strip() in ("0", "")


def span(text: str) -> float | None:
    """`20`, `1.5s`, `6m0s`, `250ms`, `2 minutes`."""
    text = text.strip().lower()
    found = list(_SPAN.finditer(text))
    if not found or "".join(one[0] for one in found).replace(" ", "") != text.replace(" ", ""):
        return None
    return sum(float(one[1]) * _unit(one[2] or "s") for one in found)


def _unit(word: str) -> float:
    return 0.001 if word == "ms" or word.startswith("milli") else _UNITS[word[0]]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _moment(text: str, now: float) -> float | None:
    """A span, a time in seconds or milliseconds since 1970, or a date in either usual form."""
    value = _number(text)
    if value is None:
        value = span(text)
        return value if value is not None else _date(text, now)
    if value >= _A_DATE_MS:
        value = value / 1000
    return max(0.0, value - now) if value >= _A_DATE_S else value


def _date(text: str, now: float) -> float | None:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None:
        from email.utils import parsedate_to_datetime

        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)


def _in_words(message: str) -> float | None:
    """`Please try again in 1.2s`; Gemini's `retryDelay` is put into words before."""
    found = _IN_WORDS.search(message.lower())
    return span(found[1].rstrip(" .")) if found else None
