"""A vendor's model over HTTP: what is sent, what is read, and how it lets go."""

import asyncio
import gzip
import zlib
from collections.abc import Callable

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    CallOpened,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
    Used,
)
from ankrcode.providers.client import WireModel
from ankrcode.providers.transport.auth import Login
from ankrcode.providers.transport.http import HttpClient, Timeouts
from ankrcode.providers.transport.secret import Secret
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.providers.transport.unpacking import Unpacker
from ankrcode.providers.wire import Target
from ankrcode.providers.wires import wire_named
from providers.asking import KEY, ask, question
from providers.server import CLOSE, HANG, LAST, Step, answer, chunk, head, serving, streamed
from providers.streams import (
    ANTHROPIC_ANSWER,
    ANTHROPIC_WITH_CALL,
    ARGUMENTS,
    CHAT_ANSWER,
    CHAT_TEXT,
    CHAT_WITH_CALL,
)


def client(url: str, wire: str = "openai-chat", idle_s: float = 0.3, **headers: str) -> WireModel:
    return WireModel(
        wire=wire_named(wire),
        target=Target(provider="test", model="m", base_url=f"{url}/v1", context_tokens=5_000),
        http=HttpClient(timeouts=Timeouts(connect=1.0, first=1.0, idle=idle_s)),
        login=Login("bearer", Secret(KEY)),
        headers=headers,
    )


async def test_a_model_says_who_it_is() -> None:
    model = client("http://127.0.0.1:1")
    assert model.name == "test/m"
    assert model.context_tokens == 5_000
    assert model.target.provider == "test"
    assert KEY not in repr(vars(model))


@pytest.mark.parametrize(
    ("wire", "events"),
    [("openai-chat", CHAT_ANSWER), ("anthropic", ANTHROPIC_ANSWER)],
)
async def test_an_answer_streams(wire: str, events: list[bytes]) -> None:
    async with serving(streamed(*events)) as server:
        outcome = await ask(client(server.url, wire))
    assert outcome.text == "Hello, world"
    assert isinstance(outcome.end, Stopped)
    counts = [event.usage for event in outcome.events if isinstance(event, Used)]
    assert counts[-1] == Usage(input_tokens=7, output_tokens=3)


@pytest.mark.parametrize(
    ("wire", "events"),
    [("openai-chat", CHAT_WITH_CALL), ("anthropic", ANTHROPIC_WITH_CALL)],
)
async def test_a_call_is_opened_grows_and_closes(wire: str, events: list[bytes]) -> None:
    async with serving(streamed(*events)) as server:
        outcome = await ask(client(server.url, wire))
    (call,) = outcome.calls
    assert (call.id, call.name, call.arguments) == ("call_1", "Write", ARGUMENTS)
    assert outcome.events.index(call) > [type(e) for e in outcome.events].index(CallOpened)
    assert isinstance(outcome.end, Stopped)
    assert outcome.end.reason is StopReason.TOOL_USE


async def test_events_are_told_while_the_server_still_speaks() -> None:
    async with serving([head(), chunk(CHAT_TEXT[0]), HANG]) as server:
        events = client(server.url).stream(question())
        first = await asyncio.wait_for(anext(events), 20)
        assert first == TextGrew(text="Hello")
        await events.aclose()  # type: ignore[attr-defined]


async def test_closing_the_iterator_closes_the_connection() -> None:
    async with serving([head(), chunk(CHAT_TEXT[0]), HANG]) as server:
        events = client(server.url).stream(question())
        await anext(events)
        assert not server.gone.is_set()
        await events.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.gone.wait(), 20)


async def test_cancelling_closes_the_connection() -> None:
    async with serving([head(), chunk(CHAT_TEXT[0]), HANG]) as server:
        began = asyncio.Event()

        async def listen() -> None:
            async for _ in client(server.url).stream(question()):
                began.set()

        task = asyncio.create_task(listen())
        await asyncio.wait_for(began.wait(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), 20)


async def test_one_connection_serves_a_whole_conversation() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        model = client(server.url)
        for _ in range(5):
            async for event in model.stream(question()):
                if isinstance(event, Stopped):
                    break  # nobody listens to the very end
        await model.close()
    assert len(server.heard) == 5
    assert server.connections == 1


async def test_who_answers_and_does_not_hang_up_is_not_waited_for() -> None:
    async with serving([head(), *map(chunk, CHAT_ANSWER), HANG]) as server:
        outcome = await ask(client(server.url, idle_s=60))
    assert isinstance(outcome.end, Stopped)
    assert outcome.seconds < 20


async def test_the_end_of_the_body_may_come_a_moment_later() -> None:
    async with serving([head(), *map(chunk, CHAT_ANSWER), 0.005, LAST]) as server:
        model = client(server.url)
        for _ in range(2):
            assert [e async for e in model.stream(question()) if isinstance(e, Stopped)]
        await model.close()
    assert server.connections == 1


async def test_headers_of_wire_and_person_are_sent_once() -> None:
    async with serving(streamed(*ANTHROPIC_ANSWER)) as server:
        model = client(server.url, "anthropic", 0.3, **{"Anthropic-Version": "2099-01-01"})
        await ask(model)
    headers = server.heard[0].headers
    assert headers["anthropic-version"] == "2099-01-01"
    assert headers["content-type"] == "application/json"
    assert headers["authorization"] == f"Bearer {KEY}"


async def test_a_version_in_the_base_url_counts_once() -> None:
    async with serving(streamed(*ANTHROPIC_ANSWER)) as server:
        await ask(client(server.url, "anthropic"))
    assert server.heard[0].target == "/v1/messages"


async def test_an_error_names_provider_model_and_status() -> None:
    async with serving([answer(b'{"error": {"message": "Nope"}}', 403)]) as server:
        outcome = await ask(client(server.url))
    failure = outcome.failure
    assert (failure.provider, failure.model, failure.status) == ("test", "m", 403)
    assert "Nope" in failure.message


async def test_a_long_error_is_cut_to_one_line() -> None:
    body = b'{"error": {"message": "' + b"very\\nlong " * 5_000 + b'"}}'
    async with serving([answer(body, 400)]) as server:
        outcome = await ask(client(server.url))
    assert len(outcome.failure.message) <= 1_000


async def test_an_endless_error_is_not_read_to_its_end() -> None:
    endless: list[Step] = [head("text/plain", 500), *[chunk(b"x" * 65_536)] * 100, HANG]
    async with serving(endless) as server:
        outcome = await ask(client(server.url, idle_s=60))
    assert outcome.failure.kind is FailureKind.SERVER
    assert outcome.seconds < 20


async def test_a_redirect_is_not_followed_and_keeps_the_key_at_home() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as other:
        moved = answer(b"", 307, Location=f"http://me:pw@127.0.0.1:{other.port}/v1?key=1")
        async with serving([moved]) as server:
            outcome = await ask(client(server.url))
    assert other.heard == []
    assert outcome.failure.status == 307
    assert str(other.port) in outcome.failure.message
    assert "pw" not in outcome.failure.message
    assert "key=1" not in outcome.failure.message


async def test_an_answer_cut_inside_a_character_loses_nothing_before_it() -> None:
    text = "नमस्ते".encode()
    event = CHAT_TEXT[0].replace(b"Hello", text)
    async with serving(
        [head(), *(chunk(event[at : at + 1]) for at in range(len(event))), CLOSE]
    ) as server:
        outcome = await ask(client(server.url))
    assert outcome.text == "नमस्ते"
    assert outcome.failure.kind is FailureKind.CUT


# ── packed bodies ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_packed_answer_is_unpacked_as_it_comes(coding: str, size: int) -> None:
    plain = b"".join(CHAT_ANSWER)
    packed = gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)
    pieces = [chunk(packed[at : at + size]) for at in range(0, len(packed), size)]
    async with serving([head(Content_Encoding=coding), *pieces, LAST]) as server:
        outcome = await ask(client(server.url))
    assert outcome.text == "Hello, world"
    assert isinstance(outcome.end, Stopped)


@pytest.mark.parametrize(
    ("coding", "body"), [("br", b"\x1b\x00"), ("gzip", b"not packed"), ("gzip", b"\x1f\x8b\x08")]
)
async def test_what_cannot_be_unpacked_is_one_sentence(coding: str, body: bytes) -> None:
    packed = answer(body, content_type="text/event-stream", Content_Encoding=coding)
    async with serving([packed]) as server:
        outcome = await ask(client(server.url))
    assert outcome.failure.kind in (FailureKind.PROTOCOL, FailureKind.CUT)


async def test_a_bomb_is_not_swallowed_whole() -> None:
    """70 MB in 70 kB: read piece by piece, and given up where it is too long."""
    for filling in (b" ", b"x"):
        bomb = gzip.compress(filling * (70 * 1024 * 1024), 1)
        packed = answer(bomb, content_type="application/json", Content_Encoding="gzip")
        async with serving([packed]) as server:
            outcome = await ask(client(server.url))
        assert outcome.failure.kind is FailureKind.PROTOCOL
        assert "longer than" in outcome.failure.message


def in_parts(data: bytes) -> bytes:
    return b"".join(gzip.compress(data[at : at + 9]) for at in range(0, len(data), 9))


def bare(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("size", [1, 2, 7, 100_000])
@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("deflate", zlib.compress),
        ("deflate", bare),  # as some servers do it
        ("gzip", gzip.compress),
        ("gzip, identity", gzip.compress),
        ("GZIP", lambda data: gzip.compress(data) + b"\0\0"),  # filled up
        ("x-gzip", in_parts),
    ],
)
def test_every_way_of_packing_is_unpacked_whole(
    coding: str, pack: Callable[[bytes], bytes], size: int
) -> None:
    text = bytes(range(256)) * 9
    packed, unpacker = pack(text), Unpacker(coding)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(out for piece in pieces for out in unpacker.feed(piece)) == text


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "gzip, deflate", "identity"])
def test_a_way_of_packing_that_nobody_asked_for_is_refused(coding: str) -> None:
    with pytest.raises(TransportFault, match=coding):
        Unpacker(coding)


def test_what_follows_a_packed_body_is_no_part_of_it() -> None:
    with pytest.raises(TransportFault, match="broken"):
        list(Unpacker("gzip").feed(gzip.compress(b"whole") + b"noise that is not packed"))
