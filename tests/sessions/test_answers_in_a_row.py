"""Answers are noted piece by piece while their calls already end: read again, each is whole."""

import random

from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import Message, Part, TextPart, ToolResultPart, ToolUsePart
from ankrcode.sessions.conversation import conversation
from ankrcode.sessions.records import AnyRecord, CallEnded, Compacted, MessageAdded
from torture import examples


def said(*parts: Part, role: str = "assistant", answer: str = "", agent: str = "") -> MessageAdded:
    message = Message(role=role, parts=parts, id=answer)  # type: ignore[arg-type]
    return MessageAdded(message=message, agent_id=agent)


def use(call_id: str) -> ToolUsePart:
    return ToolUsePart(id=call_id, name="List", arguments={})


def ended(call_id: str) -> CallEnded:
    return CallEnded(call_id=call_id, text=f"result of {call_id}")


def shape(messages: list[Message]) -> list[tuple[str, list[str]]]:
    """Who said what, in short."""
    short: list[tuple[str, list[str]]] = []
    for message in messages:
        parts = []
        for part in message.parts:
            match part:
                case TextPart():
                    parts.append(part.text)
                case ToolUsePart():
                    parts.append(f"call {part.id}")
                case ToolResultPart():
                    parts.append(part.text)
        short.append((message.role, parts))
    return short


def test_the_next_answer_comes_after_the_results_of_the_one_before() -> None:
    records: list[AnyRecord] = [
        said(TextPart(text="go"), role="user"),
        said(use("c1"), answer="m1"),
        ended("c1"),
        said(TextPart(text="done"), answer="m2"),
    ]
    assert shape(conversation(records)) == [
        ("user", ["go"]),
        ("assistant", ["call c1"]),
        ("user", ["result of c1"]),
        ("assistant", ["done"]),
    ]


def test_pieces_of_one_answer_are_one_message_though_a_call_ended_between_them() -> None:
    records: list[AnyRecord] = [
        said(TextPart(text="go"), role="user"),
        said(TextPart(text="I look."), use("c1"), answer="m1"),
        ended("c1"),
        said(use("c2"), answer="m1"),
        said(TextPart(text="both"), answer="m1"),
        ended("c2"),
        said(TextPart(text="done"), answer="m2"),
    ]
    assert shape(conversation(records)) == [
        ("user", ["go"]),
        ("assistant", ["I look.", "call c1", "call c2", "both"]),
        ("user", ["result of c1", "result of c2"]),
        ("assistant", ["done"]),
    ]


def test_a_log_without_names_of_answers_is_read_as_before() -> None:
    records: list[AnyRecord] = [
        said(TextPart(text="go"), role="user"),
        said(use("c1")),
        said(TextPart(text="more")),
        ended("c1"),
    ]
    assert shape(conversation(records))[1] == ("assistant", ["call c1", "more"])


def test_conversations_on_the_side_stay_apart_and_outlive_a_summary() -> None:
    records: list[AnyRecord] = [
        said(TextPart(text="main"), role="user"),
        said(TextPart(text="aside"), role="user", agent="a1"),
        said(use("s1"), answer="m1", agent="a1"),
        ended("s1"),
        Compacted(messages=(Message(role="user", parts=(TextPart(text="summary"),)),)),
        said(TextPart(text="found"), answer="m2", agent="a1"),
        said(TextPart(text="done"), answer="m3"),
    ]
    assert shape(conversation(records)) == [("user", ["summary"]), ("assistant", ["done"])]
    assert shape(conversation(records, "a1")) == [
        ("user", ["aside"]),
        ("assistant", ["call s1"]),
        ("user", ["result of s1"]),
        ("assistant", ["found"]),
    ]
    assert conversation(records, "a2") == []


@examples(200, 5_000)
@given(st.lists(st.integers(1, 4), max_size=6), st.integers(0, 2**32))
def test_whenever_calls_end_the_conversation_is_the_one_that_was(
    answers: list[int], seed: int
) -> None:
    chance = random.Random(seed)
    records: list[AnyRecord] = [said(TextPart(text="go"), role="user")]
    expected: list[tuple[str, list[str]]] = [("user", ["go"])]
    for number, count in enumerate(answers):
        ids = [f"c{number}.{call}" for call in range(count)]
        running: list[str] = []
        for call_id in ids:
            records.append(said(use(call_id), answer=f"m{number}"))
            running.append(call_id)
            while running and chance.random() < 0.5:
                records.append(ended(running.pop(chance.randrange(len(running)))))
        records += [ended(call_id) for call_id in running]
        expected.append(("assistant", [f"call {call_id}" for call_id in ids]))
        expected.append(("user", [f"result of {call_id}" for call_id in ids]))
    records.append(said(TextPart(text="done"), answer="last"))
    expected.append(("assistant", ["done"]))
    assert shape(conversation(records)) == expected
