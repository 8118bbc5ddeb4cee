"""The other ways to tell payloads apart: lines, and objects one after the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.wires import ndjson as ndjson_module
from ankrcode.providers.wires import objects as objects_module
from ankrcode.providers.wires.gemini_stream import GeminiStream
from ankrcode.providers.wires.loose import Malformed
from ankrcode.providers.wires.ndjson import Ndjson
from ankrcode.providers.wires.objects import Objects
from ankrcode.providers.wires.splitter import Splitter
from providers.wire_streams import SPLITS, json
from torture import examples

JSON_VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=3), max_size=5)


def payloads(splitter: Splitter, data: bytes, split: str = "whole") -> list[bytes]:
    found: list[tuple[str, bytes]] = []
    for piece in SPLITS[split](data):
        found += splitter.feed(piece)
    found += splitter.end()
    return [payload for _, payload in found]


# ── lines ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("split", SPLITS)
def test_each_line_is_a_payload(split: str) -> None:
    assert payloads(Ndjson(), b'{"a":1}\n{"b":"\\n"}\n', split) == [b'{"a":1}', b'{"b":"\\n"}']


@pytest.mark.parametrize("split", SPLITS)
def test_blank_lines_say_nothing_and_carriage_returns_do_no_harm(split: str) -> None:
    found = payloads(Ndjson(), b'\n\n{"a":1}\r\n \r\n{"b":2}\r\n\n', split)
    assert [one.strip() for one in found] == [b'{"a":1}', b'{"b":2}']


@pytest.mark.parametrize("split", SPLITS)
def test_the_last_line_may_lack_its_end(split: str) -> None:
    assert payloads(Ndjson(), b'{"a":1}\n{"b":2}', split) == [b'{"a":1}', b'{"b":2}']


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson_module, "MAX_PAYLOAD_BYTES", 50)
    lines = Ndjson()
    lines.feed(b"x" * 45)
    with pytest.raises(Malformed):
        lines.feed(b"x" * 10)


# ── objects ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    "data",
    [
        b'[{"a":"}"},{"b":[{"c":"\\""}]}]',
        b'[{"a":"}"}\n,\r\n{"b":[{"c":"\\""}]}\n]',
        b'{"a":"}"}{"b":[{"c":"\\""}]}',
        b'{"a":"}"}\n{"b":[{"c":"\\""}]}\n',
        b'  [ {"a":"}"} , {"b":[{"c":"\\""}]} ] ',
    ],
)
def test_objects_are_found_whatever_stands_between_them(data: bytes, split: str) -> None:
    assert payloads(Objects(), data, split) == [b'{"a":"}"}', b'{"b":[{"c":"\\""}]}']


@pytest.mark.parametrize("split", SPLITS)
def test_backslashes_before_quotes_are_counted(split: str) -> None:
    data = b'[{"a":"x\\\\"},{"b":"\\\\\\""},{"c":"{"}]'
    assert payloads(Objects(), data, split) == [b'{"a":"x\\\\"}', b'{"b":"\\\\\\""}', b'{"c":"{"}']


@given(said=OBJECTS, seed=st.sampled_from(["whole", "byte", "random"]))
@examples(150, 5_000)
def test_an_array_of_anything_is_taken_apart(said: list[object], seed: str) -> None:
    assert payloads(Objects(), json(said), seed) == [json(one) for one in said]


@given(said=OBJECTS)
@examples(80, 3_000)
def test_what_is_cut_is_left_at_the_end(said: list[object]) -> None:
    data = json([*said, {"last": "one"}])[:-4]
    *whole, rest = payloads(Objects(), data)
    assert whole == [json(one) for one in said]
    assert rest == b'{"last":"on'


def test_an_object_is_told_as_soon_as_it_ends() -> None:
    objects = Objects()
    assert objects.feed(b'[{"a":1') == []
    assert objects.feed(b"}") == [("", b'{"a":1}')]
    assert objects.feed(b',{"b"') == []
    assert objects.feed(b":2}]") == [("", b'{"b":2}')]
    assert objects.end() == []


def test_brackets_that_close_nothing_are_passed_over() -> None:
    assert payloads(Objects(), b'}}]{"a":1}}') == [b'{"a":1}']


def test_an_object_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects_module, "MAX_PAYLOAD_BYTES", 50)
    objects = Objects()
    objects.feed(b'{"a":"' + b"x" * 40)
    with pytest.raises(Malformed):
        objects.feed(b"x" * 10)


def test_what_was_found_is_not_kept() -> None:
    objects = Objects()
    for _ in range(1_000):
        objects.feed(b'{"a":"' + b"x" * 100 + b'"},')
    assert len(objects._buffer) < 200


# ── either ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    "data",
    [
        b'data: {"a":1}\n\ndata: {"b":2}\n\n',
        b'\xef\xbb\xbfdata: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n',
        b'[{"a":1}\n,{"b":2}]',
        b'\n [{"a":1},{"b":2}]',
        b'\xef\xbb\xbf[{"a":1},{"b":2}]',
        b': a comment first\n\ndata: {"a":1}\n\ndata: {"b":2}',
    ],
)
def test_gemini_may_send_events_or_an_array(data: bytes, split: str) -> None:
    assert payloads(GeminiStream(), data, split) == [b'{"a":1}', b'{"b":2}']


def test_nothing_comes_of_nothing() -> None:
    assert payloads(GeminiStream(), b" \n") == []
    assert GeminiStream().stray == b""
