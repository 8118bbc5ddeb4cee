"""Binary frames: what is in them, in every split; damage is never taken for data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.wires.frames import Frames
from ankrcode.providers.wires.invoke_frames import InvokeFrames
from ankrcode.providers.wires.loose import Malformed, decoded
from providers.wire_streams import SPLITS, event_frame, frame, framed, json
from torture import examples


def read(data: bytes, split: str = "whole") -> list[tuple[str, bytes]]:
    frames = Frames()
    found: list[tuple[str, bytes]] = []
    for piece in SPLITS[split](data):
        found += frames.feed(piece)
    return [*found, *frames.end()]


@pytest.mark.parametrize("split", SPLITS)
def test_frames_are_found_in_every_split(split: str) -> None:
    data = event_frame("messageStart", {"role": "assistant"}) + event_frame("metadata", {})
    expected = [("messageStart", b'{"role":"assistant"}'), ("metadata", b"{}")]
    assert read(data, split) == expected


@given(
    said=st.lists(
        st.tuples(st.text(st.characters(codec="ascii"), max_size=20), st.binary(max_size=60)),
        max_size=5,
    ),
    split=st.sampled_from(["whole", "byte", "random"]),
)
@examples(100, 5_000)
def test_what_is_packed_is_unpacked(said: list[tuple[str, bytes]], split: str) -> None:
    data = b"".join(
        frame({":message-type": "event", ":event-type": name}, payload) for name, payload in said
    )
    assert read(data, split) == said


def test_an_exception_as_a_frame_is_named_error() -> None:
    headers = {":message-type": "exception", ":exception-type": "throttlingException"}
    (found,) = read(frame(headers, b'{"message":"Too many requests"}'))
    name, payload = found
    assert name == "error"
    said = decoded(payload)
    assert said["__type"] == "throttlingException"
    assert "Too many requests" in said["said"]


def test_an_error_without_a_payload_says_it_in_headers() -> None:
    headers = {
        ":message-type": "error",
        ":error-code": "InternalError",
        ":error-message": "An internal server error occurred",
    }
    ((name, payload),) = read(frame(headers, b""))
    assert name == "error"
    assert decoded(payload) == {
        "__type": "InternalError",
        "said": "An internal server error occurred",
    }


def test_headers_of_every_type_are_passed_over() -> None:
    typed = b"".join(
        bytes([1]) + b"h" + bytes([kind]) + value
        for kind, value in (
            (0, b""),
            (1, b""),
            (2, b"\x01"),
            (3, b"\x00\x01"),
            (4, b"\x00\x00\x00\x01"),
            (5, b"\x00" * 8),
            (6, b"\x00\x03abc"),
            (7, b"\x00\x02hi"),
            (8, b"\x00" * 8),
            (9, b"\x00" * 16),
        )
    )
    plain = frame({":event-type": "metadata"}, b"{}")
    packed = typed + plain[12:-6]
    assert framed(packed, b"{}")[:4] == (len(packed) + 18).to_bytes(4, "big")
    assert read(framed(packed, b"{}")) == [("metadata", b"{}")]


@pytest.mark.parametrize(
    "packed",
    [b"\x05ab", b"\x01h\x0a", b"\x01h\x07\xff\xffx", b"\x01h\x05\x00", b"\x02\xff\xfe\x00"],
)
def test_headers_that_make_no_sense_are_refused(packed: bytes) -> None:
    with pytest.raises(Malformed):
        read(framed(packed, b"{}"))


@given(at=st.integers(0, 117), bit=st.integers(0, 7))
@examples(200, 2_000)
def test_a_single_flipped_bit_is_noticed(at: int, bit: int) -> None:
    data = bytearray(event_frame("messageStart", {"role": "assistant"}))
    data[at % len(data)] ^= 1 << bit
    frames = Frames()
    try:
        found = list(frames.feed(bytes(data)))
    except Malformed:
        return
    assert found == []  # it claims to be longer than it is: more is waited for, nothing is told


def test_a_damaged_frame_does_not_take_those_before_it_along() -> None:
    good = event_frame("messageStart", {"role": "assistant"})
    bad = bytearray(event_frame("messageStop", {"stopReason": "end_turn"}))
    bad[-10] ^= 1
    frames = Frames()
    found = frames.feed(good + bytes(bad))
    assert next(found)[0] == "messageStart"
    with pytest.raises(Malformed):
        next(found)


@pytest.mark.parametrize("total", [0, 15, 2**31, 2**32 - 1])
def test_a_frame_of_an_impossible_size_is_refused_at_once(total: int) -> None:
    from binascii import crc32

    prelude = total.to_bytes(4, "big") + (0).to_bytes(4, "big")
    prelude += crc32(prelude).to_bytes(4, "big")
    with pytest.raises(Malformed):
        list(Frames().feed(prelude))


def test_half_a_frame_tells_nothing() -> None:
    data = event_frame("messageStart", {"role": "assistant"})
    for size in range(len(data)):
        assert read(data[:size]) == []


def test_events_inside_chunks_are_unpacked() -> None:
    frames = InvokeFrames()
    data = event_frame("chunk", {"bytes": "eyJ0eXBlIjoicGluZyJ9"})
    assert list(frames.feed(data)) == [("", b'{"type":"ping"}')]
    assert frames.end() == []
    assert frames.stray == b""


@pytest.mark.parametrize("payload", [{"bytes": "a"}, {"bytes": "!!!="}])
def test_what_is_no_base64_is_refused(payload: dict[str, str]) -> None:
    with pytest.raises(Malformed):
        list(InvokeFrames().feed(event_frame("chunk", payload)))


def test_errors_among_chunks_are_passed_on() -> None:
    headers = {":message-type": "exception", ":exception-type": "modelTimeoutException"}
    ((name, payload),) = InvokeFrames().feed(frame(headers, json({"message": "Too slow"})))
    assert name == "error"
    assert b"modelTimeoutException" in payload
