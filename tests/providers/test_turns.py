"""What is kept from request to request is what would be written anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Message, Part, TextPart
from ankrcode.providers.wire import ModelRequest, Options, Target
from ankrcode.providers.wires import WIRES, quirks, told, wire_named
from ankrcode.providers.wires.kept import begins_with
from ankrcode.providers.wires.told import Told, in_their_order
from providers.wire_requests import (
    IMAGE,
    PDF,
    READ,
    attached,
    model,
    result,
    system,
    thought,
    use,
    user,
)
from torture import examples

EVERY = pytest.mark.parametrize("wire", WIRES)
MODELS = ("m", "anthropic.claude-x", "meta.llama", "anthropic/claude-x")
QUIRKS = (quirks.CACHE_CONTROL, quirks.NO_USER_AFTER_TOOL, quirks.NO_SYSTEM, quirks.RESULT_IMAGES)


def exchange(number: int, *late: Part | str) -> list[Message]:
    """A call and its result; words of the user may come with the result."""
    call = f"call_{number}"
    return [model(use(call, path=str(number))), user(result(call, f"found {number}"), *late)]


STEPS = st.lists(
    st.one_of(
        st.integers(0, 9),  # a call and its result
        st.sampled_from(["say", "blank", "answer", "think", "late", "image", "pdf", "system"]),
        st.integers(-6, -1),  # so many messages are taken away again
    ),
    max_size=24,
)


def more(step: int | str, number: int) -> list[Message]:
    said: dict[int | str, list[Message]] = {
        "say": [user(f"Question {number}")],
        "blank": [user("  ")] if number % 2 else [model("")],
        "answer": [model(f"Answer {number}")],
        "think": [model(thought("Hm.", "signed"))],
        "late": exchange(number, "And hurry."),
        "image": exchange(number, attached(IMAGE)),
        "pdf": [user(attached(PDF), "Read this.")],
        "system": [system("Plan mode is on.")],
    }
    return said.get(step) or exchange(number)


@pytest.mark.torture
@EVERY
@given(
    steps=STEPS,
    name=st.sampled_from(MODELS),
    its=st.sets(st.sampled_from(QUIRKS)),
    caches=st.booleans(),
)
@examples(60, 1_500)
def test_however_a_conversation_changes_a_request_is_as_a_fresh_wire_writes_it(
    wire: str, steps: list[int | str], name: str, its: set[str], *, caches: bool
) -> None:
    kept, to = wire_named(wire), Target(provider="p", model=name, quirks=frozenset(its))
    said = [system("Be brief."), user("Begin.")]
    for number, step in enumerate(steps):
        if isinstance(step, int) and step < 0:
            del said[max(step + len(said), 2) :]
        else:
            said += more(step, number)
        request = ModelRequest(messages=tuple(said), tools=(READ,), options=Options(cache=caches))
        assert kept.encode(request, to) == wire_named(wire).encode(request, to)


@EVERY
def test_what_is_settled_is_arranged_once(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late request arranges its last turns only, however long the conversation is."""
    arranged: list[int] = []
    original = Told.__init__

    def counting(self: Told[bytes], encode: object, arrange: object) -> None:
        def count(messages: list[Message], *rest: object, **named: object) -> list[bytes]:
            arranged.append(len(messages))
            return arrange(messages, *rest, **named)  # type: ignore[no-any-return, operator]

        original(self, encode, count)  # type: ignore[arg-type]

    monkeypatch.setattr(told.Told, "__init__", counting)
    kept, to = wire_named(wire), Target(provider="p", model="m")
    said = [system("Be brief."), user("Begin.")]
    for number in range(50):
        said += exchange(number)
        kept.encode(ModelRequest(messages=tuple(said)), to)
    assert max(arranged) <= 9
    assert len(arranged) < 2 * 50 + 1


def test_other_forms_of_the_same_messages_are_arranged_anew() -> None:
    def encode(message: Message, target: Target) -> bytes:
        return target.model.encode() + message.parts[0].text.encode()  # type: ignore[union-attr]

    kept = Told(encode, in_their_order)
    said = [Message(role=role, parts=(TextPart(text="x"),)) for role in ("user", "assistant") * 5]
    for name in ("a", "b", "a"):
        pieces = kept.pieces(said, Target(provider="p", model=name))
        assert b"".join(pieces) == b",".join([name.encode() + b"x"] * 10)


def test_the_very_same_and_more_is_a_beginning() -> None:
    one, two = object(), object()
    assert begins_with([one, two], [one])
    assert begins_with([one], [])
    assert not begins_with([one], [one, two])
    assert not begins_with([two, one], [one])
