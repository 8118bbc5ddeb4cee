"""Turns that are kept from request to request are those that would be made anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Message, TextPart
from ankrcode.providers.wires.conversation import Turns, merged
from ankrcode.providers.wires.kept import begins_with
from torture import examples

ROLES = ("user", "assistant", "system")


def message(role: str, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))  # type: ignore[arg-type]


STEPS = st.lists(
    st.one_of(
        st.lists(st.tuples(st.sampled_from(ROLES), st.sampled_from(["", "a", "bb"])), max_size=4),
        st.integers(0, 6),  # so many are taken away again
    ),
    max_size=12,
)


@pytest.mark.torture
@given(STEPS)
@examples(300, 20_000)
def test_however_a_conversation_changes_its_turns_are_right(
    steps: list[list[tuple[str, str]] | int],
) -> None:
    kept, said, forms = Turns(), list[Message](), list[bytes]()
    for step in steps:
        if isinstance(step, int):
            del said[len(said) - step :], forms[len(forms) - step :]
        else:
            said += [message(role, text) for role, text in step]
            forms += [text.encode() for _, text in step]
        told = [(one.role == "assistant", form) for one, form in zip(said, forms, strict=True)]
        assert kept.of(said, forms) == merged(told)


def test_a_message_that_says_nothing_parts_no_turn() -> None:
    kept = Turns()
    said = [message("user", "a"), message("assistant", ""), message("user", "b")]
    assert kept.of(said, [b"a", b"", b"b"]) == [(False, b"a,b")]
    more = [*said, message("user", "c")]
    assert kept.of(more, [b"a", b"", b"b", b"c"]) == [(False, b"a,b,c")]


def test_other_forms_of_the_same_messages_are_joined_anew() -> None:
    kept, said = Turns(), [message("user", "a"), message("assistant", "b")]
    assert kept.of(said, [b"a", b"b"]) == [(False, b"a"), (True, b"b")]
    assert kept.of(said, [b"A", b"B"]) == [(False, b"A"), (True, b"B")]


def test_the_very_same_and_more_is_a_beginning() -> None:
    one, two = object(), object()
    assert begins_with([one, two], [one])
    assert begins_with([one], [])
    assert not begins_with([one], [one, two])
    assert not begins_with([two, one], [one])
