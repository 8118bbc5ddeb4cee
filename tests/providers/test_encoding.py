"""What holds for the requests of every wire: kept bytes, a stable beginning, options, extras."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Message, Part, TextPart
from ankrcode.providers.wire import ModelRequest, Options, Target
from ankrcode.providers.wires import WIRES, quirks, wire_named
from ankrcode.providers.wires import kept as kept_module
from ankrcode.providers.wires.kept import Kept
from providers.wire_requests import (
    FILE,
    IMAGE,
    NOTE,
    NOW,
    PDF,
    READ,
    TALK,
    attached,
    body_of,
    encoded,
    model,
    request,
    result,
    system,
    thought,
    use,
    user,
)
from providers.wire_streams import target
from torture import examples

EVERY = pytest.mark.parametrize("wire", WIRES)
MESSAGES = {
    "anthropic": "messages",
    "openai-chat": "messages",
    "openai-responses": "input",
    "gemini": "contents",
    "bedrock": "messages",
    "ollama": "messages",
    "cohere": "messages",
}


def conversation(turns: int, size: int = 200) -> list[Message]:
    talk = [system("Be brief.")]
    for turn in range(turns):
        call = f"call_{turn}"
        talk += [
            user(f"Question {turn} " + "x" * size),
            model("Looking.", use(call, path=f"file{turn}")),
            user(result(call, "y" * size)),
            model(f"Answer {turn} " + "z" * size),
        ]
    return [*talk, user("And now?")]


def uncached(messages: list[Message], **options: Any) -> ModelRequest:
    return ModelRequest(
        messages=messages, tools=(READ, NOW), options=Options(cache=False, **options)
    )


@EVERY
def test_a_body_is_json_with_the_conversation_at_its_end(wire: str) -> None:
    body = body_of(wire, uncached(TALK))
    assert list(body)[-1] == MESSAGES[wire]
    assert body[MESSAGES[wire]]


@EVERY
def test_names_whose_bytes_are_no_utf_8_can_be_told_everywhere(wire: str) -> None:
    """As Python keeps them; and halves of characters, which are no bytes at all."""
    stray, half = "caf\udce9", "x\ud83d"
    talk = [
        system(f"In /{stray}."),
        user(f"Look at {stray} {half}", attached(msgspec.structs.replace(NOTE, name=stray))),
        model(f"At {stray}?", use("call_1", path=stray)),
        user(result("call_1", f"/{stray}/{half}")),
    ]
    kept = wire_named(wire)
    body = encoded(kept, uncached(talk)).body
    assert body.count(rb"caf\\xe9") >= 4, "as the byte that it is"
    assert rb"x\\ud83d" in body
    assert msgspec.json.decode(body)
    assert encoded(kept, uncached(talk)).body == body


@EVERY
def test_the_same_conversation_gives_the_same_bytes(wire: str) -> None:
    kept = wire_named(wire)
    told = uncached(TALK)
    first = encoded(kept, told)
    assert encoded(kept, told) == first
    assert encoded(wire, told) == first


@EVERY
def test_a_longer_conversation_begins_with_the_same_bytes(wire: str) -> None:
    """Vendors' caches, and ours, live on that."""
    kept = wire_named(wire)
    talk = conversation(5)
    bodies = [encoded(kept, uncached(talk[:size])).body for size in range(2, len(talk), 4)]
    for shorter, longer in pairwise(bodies):
        end = shorter.rfind(b"]")
        while shorter[end - 1 : end] in (b"]", b"}"):
            end -= 1
        assert longer.startswith(shorter[:end])


@EVERY
def test_what_was_encoded_is_not_encoded_again(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[object] = []
    original = Kept.forms

    def forms(self: Kept[Any, Any], things: Any, to: Target) -> Any:
        encode = self._encode

        def counting(thing: Any, where: Target) -> Any:
            counted.append(thing)
            return encode(thing, where)

        self._encode = counting
        try:
            return original(self, things, to)
        finally:
            self._encode = encode

    monkeypatch.setattr(kept_module.Kept, "forms", forms)
    kept, to, talk = wire_named(wire), target(), conversation(6)
    kept.encode(uncached(talk), to)
    counted.clear()
    more = [*talk, model("So."), user("One more.")]
    kept.encode(uncached(more), to)
    assert [one for one in counted if isinstance(one, Message)] == more[-2:]


@EVERY
def test_kept_bytes_are_what_a_fresh_wire_would_write(wire: str) -> None:
    kept = wire_named(wire)
    talk = conversation(3)
    for size in range(2, len(talk) + 1):
        told = ModelRequest(messages=talk[:size], tools=(READ,), options=Options())
        assert encoded(kept, told).body == encoded(wire, told).body


@EVERY
def test_another_target_gets_bytes_of_its_own(wire: str) -> None:
    kept = wire_named(wire)
    told = request(user("Look", attached(IMAGE)))
    shown = encoded(kept, told)
    hidden = encoded(kept, told, quirks.NO_IMAGES)
    assert b"aW1n" in shown.body
    assert b"aW1n" not in hidden.body
    assert encoded(kept, told) == shown


@EVERY
def test_messages_that_vanish_are_let_go_of(wire: str) -> None:
    kept = wire_named(wire)
    for _ in range(40):
        kept.encode(uncached(conversation(2)), target())
    told = kept._messages  # type: ignore[attr-defined]
    told = getattr(told, "_told", told)
    assert len(told._kept._kept) < 150
    assert len(told._messages) <= 10


@EVERY
def test_extras_go_into_the_body_as_they_are(wire: str) -> None:
    body = body_of(wire, request(user("x"), extra={"odd": {"a": [1, None]}, "model": "other"}))
    assert body["odd"] == {"a": [1, None]}
    assert body["model"] == "other"


@EVERY
def test_extras_never_take_the_place_of_the_conversation(wire: str) -> None:
    name = MESSAGES[wire]
    assert body_of(wire, request(user("x"), extra={name: []}))[name]


@EVERY
def test_extras_take_the_place_of_tools(wire: str) -> None:
    name = "toolConfig" if wire == "bedrock" else "tools"
    body = encoded(wire, request(user("x"), tools=(READ,), extra={name: ["mine"]})).body
    assert body.count(f'"{name}":'.encode()) == 1
    assert msgspec.json.decode(body)[name] == ["mine"]


@EVERY
def test_nothing_is_said_of_options_that_were_not_asked_for(wire: str) -> None:
    body = encoded(wire, request(user("x"))).body
    words = (b"temperature", b"top_p", b"topP", b"stop", b"effort", b"thinking", b"null", b"schema")
    assert not [word for word in words if word in body]


@EVERY
def test_empty_messages_and_parts_are_left_out(wire: str) -> None:
    blank = request(user("x"), model(thought("only thought")), user("", "y"), model(""))
    with_blanks = body_of(wire, blank)[MESSAGES[wire]]
    text = msgspec.json.encode(with_blanks)
    assert b'""' not in text.replace(b'"content":""', b"")


@EVERY
def test_what_cannot_be_shown_is_told_in_words(wire: str) -> None:
    body = encoded(wire, request(user("See", attached(FILE), attached(NOTE)))).body
    assert b"x.zip" in body
    assert b"application/zip" in body
    assert b"buy milk" in body
    assert b"note.txt" in body


@EVERY
def test_attachments_by_place_only_are_told_in_words(wire: str) -> None:
    image = msgspec.structs.replace(IMAGE, data=None, path="/pics/cat.png")
    assert b"/pics/cat.png" in encoded(wire, request(user("See", attached(image)))).body


@EVERY
def test_images_and_documents_are_sent(wire: str) -> None:
    body = encoded(wire, request(user("See", attached(IMAGE), attached(PDF)))).body
    assert b"aW1n" in body
    assert (b"cGRm" in body) == (wire != "ollama")


@EVERY
def test_images_and_documents_in_results_are_sent(wire: str) -> None:
    talk = [user("x"), model(use()), user(result(attachments=(IMAGE, PDF)))]
    body = encoded(wire, request(*talk)).body
    assert b"aW1n" in body
    assert (b"cGRm" in body) == (wire != "ollama")


@EVERY
def test_thought_of_another_vendor_is_left_out(wire: str) -> None:
    foreign = [
        thought("secret plan"),
        thought("secret plan", opaque='{"type":"somebody_elses"}'),
        thought("secret plan", opaque="not json"),
    ]
    body = encoded(wire, request(user("x"), model(*foreign, "Yes."), user("y"))).body
    if wire != "ollama":  # which takes thought as plain text
        assert b"secret plan" not in body
    assert b"somebody_elses" not in body


@EVERY
@pytest.mark.parametrize("call_id", ["functions.Read:0", "", "ü" * 30, "x" * 200, "a b", "c1"])
def test_ids_of_any_vendor_are_made_fit_and_still_match(wire: str, call_id: str) -> None:
    body = encoded(wire, request(user("x"), model(use(call_id)), user(result(call_id)))).body
    found = _ids(msgspec.json.decode(body))
    assert len(set(found)) <= 1
    assert all(0 < len(one) <= 64 and one.isascii() for one in found)


def _ids(value: Any) -> list[str]:
    names = ("id", "tool_use_id", "tool_call_id", "call_id", "toolUseId")
    if isinstance(value, dict):
        own = [value[name] for name in names if isinstance(value.get(name), str)]
        return own + [one for inner in value.values() for one in _ids(inner)]
    return [one for inner in value for one in _ids(inner)] if isinstance(value, list) else []


PARTS: st.SearchStrategy[Part] = st.one_of(
    st.text(max_size=12).map(lambda text: TextPart(text=text)),
    st.builds(thought, st.text(max_size=8), st.sampled_from(["", "c2ln"]), st.text(max_size=8)),
    st.sampled_from([IMAGE, PDF, NOTE, FILE]).map(attached),
    st.builds(use, st.text(max_size=8), st.sampled_from(["Read", "Now"])),
    st.builds(result, st.text(max_size=8), st.text(max_size=8), is_error=st.booleans()),
)
TALKS = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["system", "user", "assistant"]),
        parts=st.lists(PARTS, max_size=4).map(tuple),
    ),
    max_size=6,
)


@given(
    wire=st.sampled_from(sorted(WIRES)),
    talk=TALKS,
    its=st.sets(st.sampled_from(sorted(quirks.ALL))),
)
@examples(300, 20_000)
def test_any_conversation_with_any_quirks_is_json(
    wire: str, talk: list[Message], its: set[str]
) -> None:
    told = ModelRequest(messages=talk, tools=(READ, NOW), options=Options(schema=READ.input_schema))
    body = body_of(wire, told, *its)
    assert isinstance(body[MESSAGES[wire]], list)


def test_every_quirk_is_in_the_list_of_all() -> None:
    named = {
        value for name, value in vars(quirks).items() if name.isupper() and isinstance(value, str)
    }
    assert named == quirks.ALL
    assert len(named) > 40
