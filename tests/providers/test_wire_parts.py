"""The small parts of the wires: ids, halves of characters, loose values, opaque thought, calls."""

import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Message, TextPart, Usage
from ankrcode.protocol.stream import AnyStreamEvent, CallBroken, CallClosed, CallOpened
from ankrcode.providers.wire import Options, Target
from ankrcode.providers.wires import WIRES, opaque, wire_named
from ankrcode.providers.wires.call_ids import nine_letter_id, plain_id
from ankrcode.providers.wires.calls import Calls, whole_object
from ankrcode.providers.wires.efforts import effort_of, thinking_budget
from ankrcode.providers.wires.halves import Halves, mended
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.loose import Malformed, count, decoded, items, key, mapping, text
from ankrcode.providers.wires.reported import reported
from ankrcode.providers.wires.think_tags import ThinkTags
from providers.wire_streams import kinds, target
from torture import examples

ANY_TEXT = st.text(st.characters(codec="utf-8"))


# ── ids ─────────────────────────────────────────────────────────────────────────────────────────
@given(one=ANY_TEXT, other=ANY_TEXT)
@examples(200, 10_000)
def test_ids_are_made_fit_and_stay_apart(one: str, other: str) -> None:
    for made, most in ((plain_id, 40), (nine_letter_id, 9)):
        fit = made(one)
        assert 0 < len(fit) <= most
        assert all(c.isascii() and (c.isalnum() or c in "_-") for c in fit)
        assert made(one) == fit
        assert made(fit) == fit
        if one != other:
            assert made(other) != fit


@pytest.mark.parametrize("call_id", ["call_1", "toolu_01AbC-9", "0", "x" * 40])
def test_ids_that_fit_are_left_alone(call_id: str) -> None:
    assert plain_id(call_id) == call_id


def test_nine_letters_are_left_alone() -> None:
    assert nine_letter_id("aB3dE6gH9") == "aB3dE6gH9"


# ── halves ──────────────────────────────────────────────────────────────────────────────────────
@given(said=st.text(), seed=st.lists(st.integers(0, 30), max_size=8))
@examples(200, 10_000)
def test_text_cut_between_utf16_units_comes_together(said: str, seed: list[int]) -> None:
    units = said.encode("utf-16-le", "surrogatepass")
    cuts = sorted({2 * (cut % (len(units) // 2 + 1)) for cut in seed} | {0, len(units)})
    halves = Halves()
    pieces = [
        units[begin:end].decode("utf-16-le", "surrogatepass") for begin, end in pairwise(cuts)
    ]
    assert "".join(halves.join(piece) for piece in pieces) == said


def test_a_lone_half_is_replaced() -> None:
    assert mended("a\ud83db") == "a\ufffdb"
    halves = Halves()
    assert halves.join("a\ud83d") == "a"
    assert halves.join("b") == "\ufffdb"


# ── loose values ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("value", [None, 1, "x", [1], {"a": 1}, True, 1.5])
def test_values_are_taken_for_what_they_should_be(value: Any) -> None:
    assert mapping(value) == (value if isinstance(value, dict) else {})
    assert items(value) == (value if isinstance(value, list) else [])
    assert text(value) == (value if isinstance(value, str) else "")
    assert key(value) == (value if isinstance(value, int | str) else None)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5),
        (5.0, 5),
        (0, 0),
        (-1, 0),
        (True, 0),
        ("5", 0),
        (None, 0),
        (1e30, 0),
        (float("nan"), 0),
    ],
)
def test_counts(value: Any, number: int) -> None:
    assert count(value) == number


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a":1}', {"a": 1}),
        (b' {"a":1}\n', {"a": 1}),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'{"a":"x\ny"}', {"a": "x\ny"}),
        (b'{"a":"\\ud83d"}', {"a": "\ud83d"}),
        ('{"a":"ü"}', {"a": "ü"}),
    ],
)
def test_json_by_the_letter_and_a_little_beyond(data: Any, value: Any) -> None:
    assert decoded(data) == value


@pytest.mark.parametrize("data", [b"", b"{", b'{"a":1}{}', b"\xff", b"nul", b"[" * 100_000])
def test_what_makes_no_sense_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        decoded(data)


# ── opaque thought ──────────────────────────────────────────────────────────────────────────────
FORMS = {
    "redacted": opaque.redacted_block("x"),
    "item": opaque.reasoning_item({"id": "i", "encrypted_content": "x"}),
    "signature": opaque.thought_signature("x"),
    "hidden": opaque.hidden_content("x"),
    "details": opaque.reasoning_details([{"text": "x"}]),
}
READERS: dict[str, Any] = {
    "redacted": opaque.is_redacted_block,
    "item": opaque.is_reasoning_item,
    "signature": opaque.signature_of,
    "hidden": opaque.content_of,
    "details": opaque.details_of,
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("form", FORMS)
def test_each_vendor_knows_only_its_own(name: str, form: str) -> None:
    assert bool(READERS[name](FORMS[form])) == (name == form)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("damaged", ["", "x", '{"thoughtSignature":', '{"redactedContent":5}'])
def test_damaged_thought_is_nobodys(name: str, damaged: str) -> None:
    assert not READERS[name](damaged)


def test_details_that_are_no_list_are_none() -> None:
    assert opaque.details_of('{"reasoning_details":{"a":1}}') == []
    assert opaque.details_of('{"reasoning_details":[') == []


def test_thought_without_encryption_is_no_item() -> None:
    assert opaque.reasoning_item({"id": "i", "summary": []}) == ""


# ── calls ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("", {}),
        ("  ", {}),
        ("null", {}),
        ("{}", {}),
        (' {"a": 1} ', {"a": 1}),
        ('{"a":1', None),
        ("{'a':1}", None),
        ("[]", None),
        ("1", None),
        ("{}{}", None),
        ('{"a":NaN}', None),
        ("{" * 100_000 + "}", None),
    ],
)
def test_one_whole_object_or_none(said: str, arguments: Any) -> None:
    assert whole_object(said) == arguments


@given(
    value=st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()), min_size=1)
)
@examples(150, 10_000)
def test_no_beginning_of_an_object_is_an_object(value: dict[str, Any]) -> None:
    from providers.wire_streams import json

    said = json(value).decode()
    assert whole_object(said) == value
    assert all(whole_object(said[:size]) is None for size in range(1, len(said)))


def fresh() -> tuple[Calls, list[AnyStreamEvent]]:
    events: list[AnyStreamEvent] = []
    return Calls(events), events


def test_a_call_is_told_when_it_has_a_name() -> None:
    calls, events = fresh()
    calls.open("k", "id1", "")
    assert events == []
    calls.name("k", "", "Read")
    assert events == [CallOpened(index=0, id="id1", name="Read")]


def test_numbers_follow_the_order_of_telling() -> None:
    calls, events = fresh()
    calls.open("a", "id1", "")
    calls.open("b", "id2", "Glob")
    calls.grow("a", "{}")
    assert [(one.index, one.id) for one in events if isinstance(one, CallOpened)] == [
        (0, "id2"),
        (1, "id1"),
    ]


def test_settling_closes_what_is_whole_and_leaves_the_rest() -> None:
    calls, events = fresh()
    for name, piece in (("a", "{}"), ("b", '{"x":'), ("c", "")):
        calls.open(name, name, "Read")
        calls.grow(name, piece)
    calls.settle()
    assert [one.id for one in events if isinstance(one, CallClosed)] == ["a"]
    calls.grow("b", "1}")
    calls.finish(is_over=True)
    assert [one.id for one in events if isinstance(one, CallClosed)] == ["a", "b", "c"]
    assert not calls.are_open


def test_a_call_that_is_broken_off_is_over() -> None:
    calls, events = fresh()
    calls.open("a", "a", "Read")
    calls.break_off("a", "because")
    calls.break_off("a", "again")
    calls.grow("a", "{}")
    calls.close("a")
    assert kinds(events) == ["CallOpened", "CallBroken"]
    assert [one.why for one in events if isinstance(one, CallBroken)] == ["because"]


def test_halves_of_characters_in_arguments_come_together() -> None:
    calls, events = fresh()
    calls.open("a", "a", "Read")
    calls.grow("a", '{"x":"\ud83d')
    calls.grow("a", '\ude42"}')
    calls.finish(is_over=True)
    assert [one.arguments for one in events if isinstance(one, CallClosed)] == [{"x": "🙂"}]


# ── tags ────────────────────────────────────────────────────────────────────────────────────────
@given(
    thought=st.text(st.characters(exclude_characters="<\n"), min_size=1),
    answer=st.text(st.characters(exclude_characters="\n"), min_size=1),
    size=st.integers(1, 9),
)
@examples(150, 10_000)
def test_thought_between_tags_in_any_pieces(thought: str, answer: str, size: int) -> None:
    said = f"<think>\n{thought}</think>\n\n{answer}"
    tags = ThinkTags()
    found = [pair for at in range(0, len(said), size) for pair in tags.feed(said[at : at + size])]
    found += tags.end()
    assert "".join(piece for is_thought, piece in found if is_thought) == thought
    assert "".join(piece for is_thought, piece in found if not is_thought) == answer


# ── kept ────────────────────────────────────────────────────────────────────────────────────────
def test_kept_forms_are_of_the_same_objects_only() -> None:
    encoded: list[Message] = []

    def encode(message: Message, _target: Target) -> bytes:
        encoded.append(message)
        return b"x"

    kept: Kept[Message, bytes] = Kept(encode)
    one, twin = (Message(role="user", parts=(TextPart(text="same"),)) for _ in range(2))
    kept.forms([one, twin, one], target())
    assert len(encoded) == 2
    kept.forms([one, twin], target())
    assert len(encoded) == 2
    kept.forms([one], target("another"))
    assert len(encoded) == 3


def test_objects_that_vanish_cannot_be_mistaken_for_new_ones() -> None:
    """An id is used again only when its object is gone; a kept one is not."""
    kept: Kept[Message, str] = Kept(lambda message, _: message.id)
    for number in range(500):
        message = Message(role="user", parts=(), id=str(number))
        assert kept.forms([message], target()) == [str(number)]


# ── measures ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("options", "budget", "effort"),
    [
        (Options(), None, None),
        (Options(effort="low"), 4_096, "low"),
        (Options(max_thinking_tokens=0), 0, "minimal"),
        (Options(max_thinking_tokens=9_000), 9_000, "medium"),
        (Options(max_thinking_tokens=90_000), 90_000, "high"),
        (Options(effort="low", max_thinking_tokens=90_000), 90_000, "low"),
    ],
)
def test_how_hard_to_think_in_either_measure(options: Options, budget: Any, effort: Any) -> None:
    assert thinking_budget(options) == budget
    assert effort_of(options) == effort


@pytest.mark.parametrize(
    ("wire", "numbers"),
    [
        ("anthropic", (50, 30, 40)),
        ("bedrock", (50, 30, 40)),
        ("gemini", (100, 20, 40)),
        ("openai-chat", (100, 30, 40)),
        ("openai-responses", (100, 30, 40)),
        ("ollama", (100, 30, 40)),
    ],
)
def test_usage_as_the_vendor_itself_would_say_it(wire: str, numbers: tuple[int, int, int]) -> None:
    usage = Usage(
        input_tokens=100, output_tokens=30, cached_tokens=40, written_tokens=10, thinking_tokens=10
    )
    assert reported(usage, wire) == numbers


# ── loading ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_loads_little(wire: str) -> None:
    module, _ = WIRES[wire]
    code = (
        "import sys, msgspec, ankrcode.providers.wires\n"
        "before = set(sys.modules)\n"
        f"import ankrcode.providers.wires.{module}\n"
        "print('\\n'.join(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    loaded = done.stdout.split()
    others = {name for name in loaded if not name.startswith("ankrcode.providers")}
    assert others <= {"binascii", "struct", "_struct", "zlib"}
    assert "ankrcode.providers.wires.failures" not in loaded


def test_every_wire_has_a_name() -> None:
    assert {type(wire_named(name)).__name__ for name in WIRES} == {
        kind for _, kind in WIRES.values()
    }
