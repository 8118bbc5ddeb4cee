"""The fault matrix: everything that goes wrong between a model and us, on a real server.

Whatever happens: one end, one sentence, capped waits, no key in sight, and nothing is asked again
after a call became whole.
"""

import pytest

from ankrcode.config.settings import Settings
from ankrcode.protocol.stream import FailureKind, Stopped
from providers.asking import asked, quick
from providers.server import (
    CLOSE,
    HANG,
    RESET,
    Play,
    Step,
    answer,
    chunk,
    head,
    serving,
    streamed,
)
from providers.streams import (
    CHAT_ANSWER,
    CHAT_CALL,
    CHAT_DONE,
    CHAT_ERROR,
    CHAT_TEXT,
)

GOOD = streamed(*CHAT_ANSWER)
MODEL = "openai-chat/test-model"
RETRIES = 2


def error(status: int, message: str = "No.", code: str = "", **headers: str) -> list[Step]:
    body = f'{{"error": {{"message": "{message}", "code": "{code}", "type": "{code}"}}}}'
    return [answer(body.encode(), status=status, **headers)]


def begun(*pieces: bytes) -> list[Step]:
    return [head(), *map(chunk, pieces)]


# ── it fails, then it works ─────────────────────────────────────────────────────────────────────
PASSING: dict[str, Play] = {
    "429": error(429, "Slow down"),
    "429 with Retry-After": error(429, "Slow down", Retry_After="0.02"),
    "429 with Retry-After of an hour": error(429, "Slow down", Retry_After="3600"),
    "429 with Retry-After as a date": error(
        429, "Slow down", Retry_After="Fri, 31 Dec 2099 23:59:59 GMT"
    ),
    "429 with a date in the past": error(
        429, "Slow down", Retry_After="Fri, 31 Dec 1999 23:59:59 GMT"
    ),
    "429 with a nonsense Retry-After": error(429, "Slow down", Retry_After="soon"),
    "429 with a negative Retry-After": error(429, "Slow down", Retry_After="-5"),
    "429 with retry-after-ms": error(429, "Slow down", retry_after_ms="15"),
    "500": error(500, "Oops"),
    "502 as a web page": [answer(b"<html>Bad gateway</html>", 502, "text/html")],
    "503 without a body": [answer(b"", 503)],
    "504": error(504, "Late"),
    "529": error(529, "Overloaded"),
    "a body of an error that breaks off": [answer(b'{"error": {"mess', 500)[:-4], CLOSE],
    "closed before a byte": [CLOSE],
    "reset before a byte": [RESET],
    "closed inside the head": [b"HTTP/1.1 200 OK\r\nContent-Ty", CLOSE],
    "reset inside the head": [b"HTTP/1.1 200 OK\r\nContent-Ty", 0.02, RESET],
    "closed after the head": [head(), CLOSE],
    "reset after the head": [head(), 0.02, RESET],
    "reset inside the text": [*begun(*CHAT_TEXT), 0.02, RESET],
    "closed inside the text": [*begun(*CHAT_TEXT), CLOSE],
    "closed inside an event": [*begun(CHAT_TEXT[0][:20]), CLOSE],
    "closed inside a chunk": [head(), chunk(CHAT_TEXT[0])[:10], CLOSE],
    "closed inside a call": [*begun(*CHAT_TEXT, *CHAT_CALL[:2]), CLOSE],
    "reset inside a call": [*begun(*CHAT_CALL[:2]), 0.02, RESET],
    "a call that is not closed": [*begun(*CHAT_CALL), CLOSE],
    "ended without an end": streamed(*CHAT_TEXT),
    "overloaded, inside a stream": streamed(*CHAT_ERROR),
    "overloaded, after text": streamed(*CHAT_TEXT, *CHAT_ERROR),
    "malformed JSON": streamed(b"data: {nonsense\n\n"),
    "malformed JSON after text": streamed(*CHAT_TEXT, b'data: {"choices":[{"delta":\n\n'),
    "an event that is no object": streamed(b"data: 42\n\n"),
    "an empty body": [answer(b"", content_type="text/event-stream")],
    "an empty body of JSON": [answer(b"")],
    "an empty stream": streamed(),
    "only the end": streamed(*CHAT_DONE),
    "only comments": streamed(b": ping\n\n: ping\n\n"),
    "a web page": [answer(b"<!doctype html><p>Log in", content_type="text/html")],
    "a web page as JSON": [answer(b"<html>")],
    "plain text": [answer(b"upstream error", content_type="text/plain")],
    "no HTTP at all": [b"220 mail.example ESMTP\r\n", CLOSE],
    "HTTP/2": [b"HTTP/2 200\r\n\r\n", CLOSE],
    "an endless head": [b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000, CLOSE],
    "a wrong chunk": [head(), b"zz\r\n", CLOSE],
    "two lengths": [b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\n", CLOSE],
    "a coding we did not ask for": [
        answer(b"\x1b\x2f\x00", content_type="text/event-stream", Content_Encoding="br")
    ],
    "silence": [HANG],
    "silence inside the head": [b"HTTP/1.1 200", HANG],
    "silence after the head": [head(), HANG],
    "silence after text": [*begun(*CHAT_TEXT), HANG],
    "silence inside a call": [*begun(*CHAT_CALL[:2]), HANG],
}


@pytest.mark.parametrize("play", PASSING.values(), ids=PASSING)
async def test_what_passes_is_tried_again_and_told(play: Play) -> None:
    async with serving(play, GOOD) as server:
        outcome = await asked(MODEL, server.url)
    assert isinstance(outcome.end, Stopped)
    assert outcome.text == "Hello, world"
    assert len(server.heard) == 2
    (wait,) = outcome.waits
    assert 0 < wait.seconds <= 0.05
    assert wait.attempt == 2
    assert outcome.calls == []
    assert outcome.seconds < 10  # a bound for a busy machine
    assert server.heard[0].body == server.heard[1].body


# ── it goes on failing ──────────────────────────────────────────────────────────────────────────
LASTING: dict[str, tuple[Play, FailureKind, int]] = {
    "429": (error(429, "Slow down"), FailureKind.RATE_LIMIT, 1 + RETRIES),
    "429 for an hour": (
        error(429, "Slow down", Retry_After="3600"),
        FailureKind.RATE_LIMIT,
        1 + RETRIES,
    ),
    "500": (error(500), FailureKind.SERVER, 1 + RETRIES),
    "502": (error(502), FailureKind.SERVER, 1 + RETRIES),
    "503": (error(503), FailureKind.OVERLOADED, 1 + RETRIES),
    "529": (error(529, "Overloaded"), FailureKind.OVERLOADED, 1 + RETRIES),
    "closed before a byte": ([CLOSE], FailureKind.NETWORK, 1 + RETRIES),
    "closed inside the text": (
        [*begun(*CHAT_TEXT), CLOSE],
        FailureKind.CUT,
        1 + RETRIES,
    ),
    "silence": ([HANG], FailureKind.TIMEOUT, 2),
    "garbage": ([b"garbage\r\n\r\n", CLOSE], FailureKind.PROTOCOL, 2),
    "a web page": (
        [answer(b"<html>", content_type="text/html")],
        FailureKind.PROTOCOL,
        2,
    ),
    "malformed JSON": (streamed(b"data: {\n\n"), FailureKind.PROTOCOL, 2),
    "400": (error(400, "messages: at least one is required"), FailureKind.BAD_REQUEST, 1),
    "401": (error(401, "Incorrect API key provided"), FailureKind.AUTH, 1),
    "402": (error(402, "Insufficient balance"), FailureKind.QUOTA, 1),
    "403": (error(403, "Not for you"), FailureKind.AUTH, 1),
    "404": (error(404, "The model does not exist", "model_not_found"), FailureKind.MODEL, 1),
    "422": (error(422, "Unprocessable"), FailureKind.BAD_REQUEST, 1),
    "429 with an empty account": (
        error(429, "You exceeded your current quota", "insufficient_quota"),
        FailureKind.QUOTA,
        1,
    ),
    "too long": (
        error(400, "This model's maximum context length is 8192", "context_length_exceeded"),
        FailureKind.CONTEXT,
        1,
    ),
    "301": ([answer(b"", 301, Location="https://me:pw@x.test/y?z")], FailureKind.BAD_REQUEST, 1),
    "302": ([answer(b"", 302, Location="/login")], FailureKind.BAD_REQUEST, 1),
    "307": ([answer(b"", 307)], FailureKind.BAD_REQUEST, 1),
    "308": ([answer(b"", 308, Location="https://x.test/")], FailureKind.BAD_REQUEST, 1),
}


@pytest.mark.parametrize(("play", "kind", "tries"), LASTING.values(), ids=LASTING)
async def test_what_lasts_ends_in_one_sentence(play: Play, kind: FailureKind, tries: int) -> None:
    async with serving(play) as server:
        outcome = await asked(MODEL, server.url)
    assert outcome.failure.kind is kind
    assert outcome.failure.provider == "openai-chat"
    assert outcome.failure.model == "test-model"
    assert len(server.heard) == tries
    assert sum(wait.seconds for wait in outcome.waits) <= 0.2
    assert outcome.seconds < 10  # a bound for a busy machine
    assert "pw@" not in outcome.failure.message


async def test_how_long_a_vendor_asks_us_to_wait_is_passed_on() -> None:
    async with serving(error(429, "Slow down", Retry_After="3600")) as server:
        outcome = await asked(MODEL, server.url, quick(retries=0))
    assert outcome.failure.retry_after_s == 3600
    assert len(server.heard) == 1


async def test_a_server_of_this_machine_that_is_not_there_is_named_at_once() -> None:
    async with serving(GOOD) as server:
        url = server.url
    outcome = await asked(MODEL, url)
    assert outcome.failure.kind is FailureKind.NETWORK
    assert url.partition("://")[2] in outcome.failure.message
    assert outcome.waits == []


async def test_a_server_without_tls_is_said_to_be_so() -> None:
    async with serving(GOOD) as server:
        url = server.url.replace("http:", "https:")
        outcome = await asked(MODEL, url, quick(connect_timeout_s=0.3))
    kinds = (FailureKind.PROTOCOL, FailureKind.NETWORK, FailureKind.TIMEOUT)
    assert outcome.failure.kind in kinds


async def test_a_proxy_that_is_not_there_is_said_to_be_so() -> None:
    async with serving(GOOD) as server:
        port = server.port
    environ = {"HTTPS_PROXY": f"http://me:hunter2@127.0.0.1:{port}"}
    outcome = await asked(MODEL, "https://models.test/v1", environ=environ)
    assert outcome.failure.kind is FailureKind.NETWORK
    assert "proxy" in outcome.failure.message.lower()
    assert "hunter2" not in repr(outcome.events)


@pytest.mark.parametrize(
    ("name", "settings", "environ", "says"),
    [
        (MODEL, quick(ca_file="/nonexistent.pem"), {}, "/nonexistent.pem"),
        (MODEL, quick(), {"HTTPS_PROXY": "socks5://p:1"}, "not supported"),
        (MODEL, quick(), {"HTTPS_PROXY": "http://p:x"}, "not an address"),
        ("google/no such model", quick(), {"GEMINI_API_KEY": "key"}, "not an http"),
    ],
    ids=["certificates", "kind of proxy", "proxy", "name of a model"],
)
async def test_what_is_set_wrongly_is_one_sentence_too(
    name: str, settings: Settings, environ: dict[str, str], says: str
) -> None:
    outcome = await asked(name, "https://models.test/v1", settings, environ)
    assert outcome.failure.kind is FailureKind.BAD_REQUEST
    assert says in outcome.failure.message
    assert outcome.waits == []


async def test_a_key_that_a_server_repeats_is_not_shown() -> None:
    from providers.asking import KEY

    async with serving(error(401, f"Incorrect API key provided: {KEY}")) as server:
        outcome = await asked(MODEL, server.url)
    assert outcome.failure.kind is FailureKind.AUTH
    async with serving(streamed(CHAT_ERROR[0].replace(b"The engine", KEY.encode()))) as server:
        outcome = await asked(MODEL, server.url, quick(retries=0))
    assert outcome.failure.kind is FailureKind.OVERLOADED


async def test_a_wrong_key_says_what_to_set() -> None:
    async with serving(error(401, "Invalid token.")) as server:
        outcome = await asked("groq/m", server.url)
    sentence = "groq did not accept the key (Invalid token): set GROQ_API_KEY to a valid one."
    assert outcome.failure.message == sentence


async def test_a_wrong_model_says_what_to_choose() -> None:
    async with serving(error(404, "The model m does not exist", "model_not_found")) as server:
        outcome = await asked("groq/m", server.url)
    assert outcome.failure.message.startswith("groq has no model 'm' for you (The model m does")
    assert "ANKRCODE_MODEL" in outcome.failure.message


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4-5"),
        ("anthropic/Claude-Haiku-4-5", "anthropic/claude-haiku-4-5"),
        ("openai-chat/gpt-4o-minni", "openai-chat/gpt-4o-mini"),
        ("anthropic/claude-haiku-4-5", ""),  # it is listed: nothing was mistyped
        ("anthropic/something-else-entirely", ""),
    ],
)
async def test_a_model_that_was_mistyped_is_answered_with_what_was_meant(
    name: str, near: str
) -> None:
    body = b'{"type":"error","error":{"type":"not_found_error","message":"model: x"}}'
    async with serving([answer(body, 404)]) as server:
        outcome = await asked(name, server.url)
    assert outcome.failure.kind is FailureKind.MODEL
    message = outcome.failure.message
    assert (f"did you mean {near}?" in message) if near else ("did you mean" not in message)
    assert "ANKRCODE_MODEL" in message
