"""Server-sent events as the standard says them, and as vendors send them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.wires import sse as sse_module
from ankrcode.providers.wires.loose import Malformed
from ankrcode.providers.wires.sse import Sse
from providers.wire_streams import SPLITS, by_byte
from torture import examples

Event = tuple[str, bytes]


def events(data: bytes, split: str = "whole") -> list[Event]:
    stream = Sse()
    found: list[Event] = []
    for piece in SPLITS[split](data):
        found += stream.feed(piece)
    return [*found, *stream.end()]


CASES: dict[str, tuple[bytes, list[Event]]] = {
    "one event": (b"data: x\n\n", [("", b"x")]),
    "no blank after the colon": (b"data:x\n\n", [("", b"x")]),
    "only one blank is taken off": (b"data:  x\n\n", [("", b" x")]),
    "a name": (b"event: ping\ndata: x\n\n", [("ping", b"x")]),
    "the name after the data": (b"data: x\nevent: ping\n\n", [("ping", b"x")]),
    "a name counts for one event": (
        b"event: a\ndata: 1\n\ndata: 2\n\n",
        [("a", b"1"), ("", b"2")],
    ),
    "a name without data is no event": (b"event: a\n\ndata: 1\n\n", [("", b"1")]),
    "data over several lines": (b"data: a\ndata: b\ndata:c\n\n", [("", b"a\nb\nc")]),
    "an empty line of data": (b"data: a\ndata:\ndata: b\n\n", [("", b"a\n\nb")]),
    "a field without a colon": (b"data\n\n", [("", b"")]),
    "comments": (b": keep-alive\n\n:\ndata: x\n:OPENROUTER PROCESSING\n\n", [("", b"x")]),
    "ids and retry": (b"id: 7\nretry: 100\ndata: x\n\n", [("", b"x")]),
    "CR LF": (b"event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", [("a", b"x"), ("", b"y")]),
    "CR": (b"event: a\rdata: x\r\rdata: y\r\r", [("a", b"x"), ("", b"y")]),
    "line ends mixed": (
        b"data: x\r\n\ndata: y\n\r\ndata: z\r\r",
        [("", b"x"), ("", b"y"), ("", b"z")],
    ),
    "a BOM": (b"\xef\xbb\xbfdata: x\n\n", [("", b"x")]),
    "a BOM elsewhere is text": (b"data: \xef\xbb\xbfx\n\n", [("", b"\xef\xbb\xbfx")]),
    "many blank lines": (b"\n\n\ndata: x\n\n\n\n\ndata: y\n\n\n", [("", b"x"), ("", b"y")]),
    "the last event without its blank line": (b"data: x\n\ndata: y\n", [("", b"x"), ("", b"y")]),
    "the last line without its end": (b"data: x\n\ndata: y", [("", b"x"), ("", b"y")]),
    "characters of several bytes": ("data: नमस्ते 🙂\n\n".encode(), [("", "नमस्ते 🙂".encode())]),
    "a name in other letters": ("event: é\ndata: x\n\n".encode(), [("é", b"x")]),
    "nothing": (b"", []),
    "only comments": (b": a\n: b\n\n", []),
    "colons in the data": (b'data: {"a": "b:c"}\n\n', [("", b'{"a": "b:c"}')]),
    "a field nobody knows": (b"sort: x\ndata: y\n\n", [("", b"y")]),
}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("case", CASES)
def test_events_are_found_in_every_split(case: str, split: str) -> None:
    data, expected = CASES[case]
    assert events(data, split) == expected


@given(
    said=st.lists(
        st.tuples(
            st.sampled_from(["", "a", "message_start"]),
            st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1),
        ),
        max_size=6,
    ),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    comment=st.booleans(),
)
@examples(100, 5_000)
def test_what_is_written_is_read(said: list[tuple[str, str]], end: bytes, comment: bool) -> None:
    data = b""
    for name, text in said:
        data += b": comment" + end if comment else b""
        data += b"event: " + name.encode() + end if name else b""
        data += b"data: " + text.encode() + end + end
    expected = [(name, text.encode()) for name, text in said]
    assert events(data) == expected
    assert events(data, "byte") == expected
    assert events(data, "random") == expected


def test_an_event_is_told_as_soon_as_its_blank_line_is_there() -> None:
    stream = Sse()
    assert stream.feed(b"data: x\n") == []
    assert stream.feed(b"\n") == [("", b"x")]


def test_a_carriage_return_ends_a_line_at_once() -> None:
    stream = Sse()
    assert stream.feed(b"data: x\r") == []
    assert stream.feed(b"\r") == [("", b"x")]
    assert stream.feed(b"\ndata: y\r\n\r\n") == [("", b"y")]


def test_a_line_feed_right_after_a_piece_that_ended_in_cr_is_no_blank_line() -> None:
    stream = Sse()
    assert stream.feed(b"data: a\r") == []
    assert stream.feed(b"\ndata: b\r") == []
    assert stream.feed(b"") == []
    assert stream.feed(b"\n\r\n") == [("", b"a\nb")]


def test_what_is_no_event_is_kept_as_stray() -> None:
    stream = Sse()
    stream.feed(b'{"error":\n  "no"}\n')
    stream.end()
    assert stream.stray == b'{"error":\n  "no"}\n'


def test_stray_lines_are_kept_among_events_too() -> None:
    stream = Sse()
    assert stream.feed(b"what\ndata: x\n\n") == [("", b"x")]
    assert stream.stray == b"what\n"


def test_an_event_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse_module, "MAX_PAYLOAD_BYTES", 100)
    stream = Sse()
    stream.feed(b"data: " + b"x" * 90)
    with pytest.raises(Malformed):
        stream.feed(b"x" * 10)


def test_an_event_of_lines_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse_module, "MAX_PAYLOAD_BYTES", 100)
    stream = Sse()
    stream.feed(b"data: xxxxxxxxxx\n" * 9)
    with pytest.raises(Malformed):
        stream.feed(b"data: xxxxxxxxxx\n" * 2)


def test_a_long_line_byte_by_byte_costs_by_its_length() -> None:
    """Were the line copied with every byte, this would take minutes."""
    data = b"data: " + b"x" * 100_000 + b"\n\n"
    stream = Sse()
    found: list[Event] = []
    for piece in by_byte(data):
        found += stream.feed(piece)
    assert found == [("", b"x" * 100_000)]
