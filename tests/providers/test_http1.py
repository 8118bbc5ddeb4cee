"""The reader of HTTP/1.1: whatever the split, the same answer; h11 is the second opinion."""

import h11
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.http1 import MAX_HEAD_BYTES, MAX_HEADERS, AnswerReader
from ankrcode.providers.transport.transport_fault import TransportFault

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n7;name=value\r\n, world\r\n0\r\nTrailer: x\r\n\r\n"
)


def read(data: bytes, *, split: int = 0, ends: bool = False) -> tuple[AnswerReader, bytes]:
    reader = AnswerReader()
    size = split or len(data) or 1
    body = b"".join(
        piece for at in range(0, len(data), size) for piece in reader.feed(data[at : at + size])
    )
    if ends:
        reader.end()
    return reader, body


@pytest.mark.parametrize("split", [0, 1, 2, 3, 7, 64])
@pytest.mark.parametrize(("data", "body"), [(PLAIN, b"hello"), (CHUNKED, b"hello, world")])
def test_an_answer_is_the_same_however_it_is_split(data: bytes, body: bytes, split: int) -> None:
    reader, got = read(data, split=split)
    assert got == body
    assert reader.is_done
    assert reader.keeps_alive
    assert reader.head is not None
    assert reader.head.status == 200


def test_headers_are_in_small_letters_and_joined() -> None:
    reader, _ = read(
        b"HTTP/1.1 429 Slow\r\nX-One: 1\r\nx-one:  2 \r\nEmpty:\r\nContent-Length: 0\r\n\r\n"
    )
    assert reader.head is not None
    assert reader.head.headers == {"x-one": "1, 2", "empty": "", "content-length": "0"}


def test_bytes_come_as_soon_as_they_are_there() -> None:
    reader = AnswerReader()
    reader.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert reader.feed(b"ff\r\nabc") == [b"abc"]
    assert reader.feed(b"d") == [b"d"]
    assert not reader.is_done


def test_information_before_the_answer_is_passed_over() -> None:
    reader, body = read(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + PLAIN
    )
    assert body == b"hello"
    assert reader.head is not None
    assert reader.head.status == 200


def test_bare_line_feeds_are_understood() -> None:
    reader, body = read(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi")
    assert body == b"hi"
    assert reader.is_done


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    reader, body = read(b"HTTP/1.1 200 OK\r\n\r\nuntil the end", ends=True)
    assert body == b"until the end"
    assert reader.is_done
    assert not reader.keeps_alive


@pytest.mark.parametrize("status", [204, 304])
def test_some_answers_have_no_body(status: int) -> None:
    reader, body = read(b"HTTP/1.1 %d No\r\nContent-Length: 7\r\n\r\n" % status)
    assert reader.is_done
    assert body == b""


@pytest.mark.parametrize(
    ("lines", "keeps"),
    [
        (b"HTTP/1.1 200 OK\r\n", True),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n", False),
        (b"HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\n", False),
        (b"HTTP/1.0 200 OK\r\n", False),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", True),
    ],
)
def test_a_connection_is_kept_only_where_both_agree(lines: bytes, keeps: bool) -> None:
    reader, _ = read(lines + b"Content-Length: 0\r\n\r\n")
    assert reader.keeps_alive is keeps


def test_bytes_that_nobody_asked_for_end_the_connection() -> None:
    reader, body = read(PLAIN + b"HTTP/1.1 200 OK\r\n")
    assert body == b"hello"
    assert not reader.keeps_alive


def test_a_length_beside_chunks_is_not_trusted() -> None:
    reader, body = read(
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\nhello\r\n0\r\n\r\n"
    )
    assert body == b"hello"
    assert not reader.keeps_alive


GARBLED = {
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "HTTP/2": b"HTTP/2 200\r\n\r\n",
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "four digits": b"HTTP/1.1 2000 OK\r\n\r\n",
    "a status below 100": b"HTTP/1.1 099 OK\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching\r\n\r\n",
    "a header without a colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
    "a header with a blank in its name": b"HTTP/1.1 200 OK\r\nA B: c\r\n\r\n",
    "a folded header": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
    "a header without a name": b"HTTP/1.1 200 OK\r\n: c\r\n\r\n",
    "NUL in a value": b"HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n",
    "a bare carriage return": b"HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "a length with a sign": b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
    "an enormous length": b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n",
    "a coding we did not ask for": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "a chunk size that is none": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    "a negative chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
    "an empty chunk size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "a chunk longer than it says": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n"
    ),
    "an endless chunk line": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1;" + b"x" * 5_000
    ),
    "an endless head": b"HTTP/1.1 200 OK\r\nA: " + b"x" * (MAX_HEAD_BYTES + 1),
    "too many headers": (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * (MAX_HEADERS + 1) + b"\r\n"),
}


@pytest.mark.parametrize("split", [0, 1])
@pytest.mark.parametrize("data", GARBLED.values(), ids=GARBLED)
def test_what_is_not_http_is_said_to_be_so(data: bytes, split: int) -> None:
    with pytest.raises(TransportFault) as caught:
        read(data, split=split * (1 + len(data) // 10_000))  # byte by byte, but for the endless
    assert caught.value.kind is FailureKind.PROTOCOL
    assert "HTTP/1.1" in caught.value.message


@pytest.mark.parametrize("data", [PLAIN, CHUNKED], ids=["by length", "in chunks"])
def test_a_cut_at_any_byte_is_a_cut(data: bytes) -> None:
    for end in range(len(data)):
        with pytest.raises(TransportFault) as caught:
            read(data[:end], ends=True)
        expected = FailureKind.NETWORK if end == 0 else FailureKind.CUT
        assert caught.value.kind is expected, end


# ── a second opinion ────────────────────────────────────────────────────────────────────────────
def by_h11(data: bytes) -> tuple[int, bytes] | None:
    """Status and body as h11 reads them; None where it refuses or has not enough."""
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(data)
    status, body = 0, b""
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return status, body
            elif event is h11.NEED_DATA or isinstance(event, h11.ConnectionClosed | h11.PAUSED):
                return None
    except h11.RemoteProtocolError:
        return None


def by_us(data: bytes, split: int) -> tuple[int, bytes] | None:
    try:
        reader, body = read(data, split=split)
    except TransportFault:
        return None
    return (reader.head.status, body) if reader.head and reader.is_done else None


tokens = st.text("abcdefXYZ-_09", min_size=1, max_size=12)
values = st.text('abc XYZ09,;=/"é', max_size=20).map(str.strip)
names = tokens.filter(
    lambda name: name.lower() not in ("content-length", "transfer-encoding", "connection")
)
bodies = st.lists(st.binary(min_size=1, max_size=60), max_size=5)


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    pairs = draw(st.lists(st.tuples(names, values), max_size=5))
    lines = [f"{name}: {value}".encode("latin-1") for name, value in pairs]
    pieces = draw(bodies)
    if draw(st.booleans()):
        lines.append(b"Transfer-Encoding: chunked")
        body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    else:
        body = b"".join(pieces)
        lines.append(b"Content-Length: %d" % len(body))
    status = draw(st.integers(200, 599).filter(lambda code: code not in (204, 304)))
    return b"\r\n".join([b"HTTP/1.1 %d Fine" % status, *lines, b"", b""]) + body


@settings(max_examples=150, deadline=None)
@given(answers(), st.integers(1, 40))
def test_every_good_answer_is_read_as_h11_reads_it(data: bytes, split: int) -> None:
    expected = by_h11(data)
    assert expected is not None
    assert by_us(data, split) == expected


@settings(max_examples=300, deadline=None)
@given(answers(), st.integers(0, 400), st.binary(min_size=1, max_size=3), st.integers(1, 40))
@example(PLAIN, 20, b"\0", 1)
def test_a_damaged_answer_is_never_read_as_another_body(
    data: bytes, at: int, damage: bytes, split: int
) -> None:
    """Where both accept it, they agree; where h11 refuses, so do we, or we read no more."""
    at %= len(data)
    broken = data[:at] + damage + data[at + len(damage) :]
    ours, theirs = by_us(broken, split), by_h11(broken)
    if ours is not None and theirs is not None:
        assert ours == theirs


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.integers(1, 50))
def test_noise_never_raises_anything_else(data: bytes, split: int) -> None:
    by_us(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + data, split)
    by_us(data, split)
