"""Whatever was recorded, a provider accepts it: roles take turns, every call has one result."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import (
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import ErrorInfo
from ankrcode.sessions.conversation import conversation
from ankrcode.sessions.records import (
    AnyRecord,
    CallBegun,
    CallEnded,
    Compacted,
    MessageAdded,
    TurnStarted,
)
from torture import examples

Role = Literal["system", "user", "assistant"]


def text(said: str) -> TextPart:
    return TextPart(text=said)


def use(own: str) -> ToolUsePart:
    return ToolUsePart(id=own, name="Bash", arguments={"command": own})


def result(own: str, said: str = "done") -> ToolResultPart:
    return ToolResultPart(tool_use_id=own, text=said)


def added(role: Role, *parts: Part, side: str = "") -> MessageAdded:
    return MessageAdded(message=Message(role=role, parts=parts), agent_id=side)


def ended(own: str, said: str = "recorded", *, failed: bool = False) -> CallEnded:
    code = ErrorCode.EXECUTION_ERROR
    error = ErrorInfo(code=code, kind=code.kind, message=said) if failed else None
    return CallEnded(call_id=own, text=said, error=error)


def shape(said: list[Message]) -> list[tuple[str, list[str]]]:
    return [(one.role, [_of(part) for part in one.parts]) for one in said]


def _of(part: Part) -> str:
    match part:
        case TextPart() | ThinkingPart():
            return part.text
        case ToolUsePart():
            return f"call {part.id}"
        case ToolResultPart():
            mark = "!" if part.is_error else ""
            lost = "lost" if "Nobody knows" in part.text else part.text
            return f"{part.tool_use_id}{mark}: {lost}"
    raise AssertionError(part)


ASK, ANSWER = added("user", text("go")), ("user", ["go"])

CASES: dict[str, tuple[list[AnyRecord], list[tuple[str, list[str]]]]] = {
    "nothing": ([], []),
    "as it was said": (
        [ASK, added("assistant", text("hm"), use("a")), added("user", result("a"))],
        [ANSWER, ("assistant", ["hm", "call a"]), ("user", ["a: done"])],
    ),
    "died before the call began": (
        [ASK, added("assistant", use("a"))],
        [ANSWER, ("assistant", ["call a"]), ("user", ["a!: lost"])],
    ),
    "died while it ran": (
        [ASK, added("assistant", use("a")), CallBegun(call=ToolCall(name="Bash", id="a"))],
        [ANSWER, ("assistant", ["call a"]), ("user", ["a!: lost"])],
    ),
    "died before the model was told": (
        [ASK, added("assistant", use("a"), use("b")), ended("b"), ended("a", failed=True)],
        [ANSWER, ("assistant", ["call a", "call b"]), ("user", ["a!: recorded", "b: recorded"])],
    ),
    "told of one, died before the other": (
        [ASK, added("assistant", use("a"), use("b")), added("user", result("b")), ended("a")],
        [ANSWER, ("assistant", ["call a", "call b"]), ("user", ["a: recorded", "b: done"])],
    ),
    "the person went on after the crash": (
        [ASK, added("assistant", use("a")), added("user", text("and?"))],
        [ANSWER, ("assistant", ["call a"]), ("user", ["a!: lost", "and?"])],
    ),
    "results come before what is said with them": (
        [added("assistant", use("a")), added("user", text("by the way"), result("a"))],
        [("assistant", ["call a"]), ("user", ["a: done", "by the way"])],
    ),
    "a result told twice": (
        [added("assistant", use("a")), added("user", result("a", "1"), result("a", "2"))],
        [("assistant", ["call a"]), ("user", ["a: 1"])],
    ),
    "a result nobody asked for": (
        [ASK, added("assistant", text("hm")), added("user", result("z"), text("more"))],
        [ANSWER, ("assistant", ["hm"]), ("user", ["more"])],
    ),
    "only results nobody asked for": (
        [
            ASK,
            added("assistant", text("hm")),
            added("user", result("z")),
            added("assistant", use("a")),
        ],
        [ANSWER, ("assistant", ["hm", "call a"]), ("user", ["a!: lost"])],
    ),
    "a call made twice under one id": (
        [added("assistant", use("a"), use("a")), added("user", result("a"))],
        [("assistant", ["call a"]), ("user", ["a: done"])],
    ),
    "an id used again later": (
        [
            *[added("assistant", use("a")), added("user", result("a", "1"))],
            *[added("assistant", use("a")), added("user", result("a", "2"))],
        ],
        [
            *[("assistant", ["call a"]), ("user", ["a: 1"])],
            *[("assistant", ["call a"]), ("user", ["a: 2"])],
        ],
    ),
    "one answer over several lines": (
        [added("assistant", text("hm")), added("assistant", use("a")), added("user", result("a"))],
        [("assistant", ["hm", "call a"]), ("user", ["a: done"])],
    ),
    "results over several lines": (
        [
            added("assistant", use("a"), use("b")),
            added("user", result("b")),
            added("user", result("a")),
        ],
        [("assistant", ["call a", "call b"]), ("user", ["a: done", "b: done"])],
    ),
    "an empty message": ([ASK, added("assistant")], [ANSWER]),
    "a system message between call and result": (
        [added("assistant", use("a")), added("system", text("note")), added("user", result("a"))],
        [("assistant", ["call a"]), ("system", ["note"]), ("user", ["a: done"])],
    ),
    "a system message, and no result": (
        [
            added("assistant", use("a")),
            added("system", text("note")),
            added("assistant", text("b")),
        ],
        [
            *[("assistant", ["call a"]), ("system", ["note"])],
            *[("user", ["a!: lost"]), ("assistant", ["b"])],
        ],
    ),
    "a conversation on the side is not this one": (
        [ASK, added("assistant", text("x"), side="agent_1"), added("assistant", text("y"))],
        [ANSWER, ("assistant", ["y"])],
    ),
    "compacted": (
        [
            *[added("user", text("old")), added("assistant", use("a"))],
            Compacted(messages=(Message(role="user", parts=(text("summary"),)),)),
            added("assistant", text("on")),
        ],
        [("user", ["summary"]), ("assistant", ["on"])],
    ),
    "other records": ([TurnStarted(turn_id="t"), ASK, ended("zz")], [ANSWER]),
}


@pytest.mark.parametrize("name", CASES)
def test_every_call_gets_exactly_one_result(name: str) -> None:
    records, expected = CASES[name]
    assert shape(conversation(records)) == expected


def test_a_thinking_signature_and_an_image_come_back_unchanged() -> None:
    thought = ThinkingPart(text="why", signature="sig==")
    (message,) = conversation([added("assistant", thought)])
    assert message.parts == (thought,)


IDS = st.sampled_from("abc")
PARTS = st.one_of(
    st.builds(text, st.sampled_from("xy")), st.builds(use, IDS), st.builds(result, IDS)
)
RECORDS = st.one_of(
    st.builds(
        lambda role, parts: added(role, *parts),
        st.sampled_from(["user", "assistant", "system"]),
        st.lists(PARTS, max_size=4),
    ),
    st.builds(ended, IDS),
    st.builds(lambda: Compacted(messages=())),
)


@given(st.lists(RECORDS, max_size=12))
@examples(in_ci=400, in_torture=20_000)
def test_any_history_is_one_a_provider_accepts(records: list[AnyRecord]) -> None:
    said = [one for one in conversation(records) if one.role != "system"]
    asked: list[str] = []
    for before, message in zip([None, *said], said, strict=False):
        assert message.parts
        assert before is None or before.role != message.role or has_system_between(records)
        told = [part.tool_use_id for part in message.parts if isinstance(part, ToolResultPart)]
        assert told == (asked if message.role == "user" else [])
        is_use = [part.id for part in message.parts if isinstance(part, ToolUsePart)]
        assert len(set(is_use)) == len(is_use)
        if message.role == "assistant":
            assert not (asked and before is not None and before.role == "assistant")
        asked = is_use if message.role == "assistant" else []
    assert asked == []


def has_system_between(records: list[AnyRecord]) -> bool:
    return any(isinstance(one, MessageAdded) and one.message.role == "system" for one in records)
