"""Events of an answer come to the message that is remembered and the calls that may run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import TextPart, ThinkingPart, ToolUsePart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
    Waited,
)
from ankrcode.providers.gathered import Gathered
from torture import examples

LIMITED = Failure(kind=FailureKind.RATE_LIMIT, message="slow down", status=429)


def gathered(*events: AnyStreamEvent) -> Gathered:
    answer = Gathered()
    for event in events:
        answer.feed(event)
    return answer


def opened(index: int = 0, name: str = "Read") -> CallOpened:
    return CallOpened(index=index, id=f"c{index}", name=name)


def closed(index: int = 0, name: str = "Read", **arguments: object) -> CallClosed:
    return CallClosed(index=index, id=f"c{index}", name=name, arguments=arguments)


def test_nothing_said_is_an_empty_message() -> None:
    answer = gathered()
    assert answer.message.role == "assistant"
    assert answer.message.parts == ()
    assert not answer.is_done
    assert answer.usage is None


def test_text_that_grows_is_one_part() -> None:
    answer = gathered(TextGrew(text="na"), TextGrew(text="maste"))
    assert answer.parts == (TextPart(text="namaste"),)
    assert answer.text == "namaste"


def test_parts_stand_in_the_order_in_which_they_began() -> None:
    answer = gathered(
        ThinkingGrew(text="hm"),
        ThinkingClosed(signature="s1"),
        TextGrew(text="I read."),
        opened(0),
        closed(0, file_path="a"),
        TextGrew(text="And then?"),
        Stopped(reason=StopReason.TOOL_USE, raw="tool_use"),
    )
    assert answer.parts == (
        ThinkingPart(text="hm", signature="s1"),
        TextPart(text="I read."),
        ToolUsePart(id="c0", name="Read", arguments={"file_path": "a"}),
        TextPart(text="And then?"),
    )
    assert answer.stop is StopReason.TOOL_USE
    assert answer.raw_stop == "tool_use"
    assert answer.is_done


def test_calls_that_interleave_keep_the_order_of_their_opening() -> None:
    answer = gathered(
        opened(0, "Glob"), opened(1, "Grep"), closed(1, "Grep", pattern="x"), closed(0, "Glob")
    )
    assert [call.name for call in answer.calls] == ["Glob", "Grep"]
    assert answer.calls[1].arguments == {"pattern": "x"}


def test_a_call_that_is_still_open_is_not_in_the_message() -> None:
    answer = gathered(
        TextGrew(text="wait"), opened(), CallGrew(index=0, text='{"file_path": "/a"}')
    )
    assert answer.calls == ()
    assert answer.parts == (TextPart(text="wait"),)


def test_a_broken_call_is_told_apart_and_never_in_the_message() -> None:
    broken = CallBroken(index=0, id="c0", name="Read", text='{"fi', why="cut")
    answer = gathered(opened(), broken, opened(1, "Glob"), closed(1, "Glob"))
    assert answer.broken == [broken]
    assert [call.name for call in answer.calls] == ["Glob"]


def test_a_call_that_was_never_announced_counts_when_it_is_whole() -> None:
    answer = gathered(closed(0, command="ls"))
    assert answer.calls == (ToolUsePart(id="c0", name="Read", arguments={"command": "ls"}),)


def test_the_signature_of_a_call_goes_back_with_it() -> None:
    call = CallClosed(index=0, id="c", name="Read", arguments={}, signature="vendor's own")
    assert gathered(call).calls[0].signature == "vendor's own"


def test_two_thoughts_keep_their_own_signatures() -> None:
    answer = gathered(
        ThinkingGrew(text="one"),
        ThinkingClosed(signature="s1"),
        ThinkingGrew(text="two"),
        ThinkingClosed(signature="s2"),
    )
    assert answer.parts == (
        ThinkingPart(text="one", signature="s1"),
        ThinkingPart(text="two", signature="s2"),
    )
    assert answer.thinking == "onetwo"


def test_a_summary_of_thought_is_kept_but_not_counted_as_thought() -> None:
    answer = gathered(
        ThinkingGrew(text="about it", is_summary=True), ThinkingGrew(text="it"), ThinkingClosed()
    )
    assert answer.thinking == "about itit"
    assert answer.thinking_chars == 2
    answer.feed(Waited(seconds=0, attempt=1, failure=LIMITED))
    assert answer.thinking_chars == 0


def test_a_hidden_thought_is_kept_for_its_vendor() -> None:
    answer = gathered(ThinkingClosed(opaque="AAAA"), TextGrew(text="done"))
    assert answer.parts[0] == ThinkingPart(text="", opaque="AAAA")


def test_a_signature_that_comes_after_the_text_belongs_to_the_thought() -> None:
    answer = gathered(
        ThinkingGrew(text="hm"), TextGrew(text="so"), ThinkingClosed(signature="late")
    )
    assert answer.parts == (ThinkingPart(text="hm", signature="late"), TextPart(text="so"))


def test_a_thought_without_anything_is_left_out() -> None:
    assert gathered(ThinkingClosed(), TextGrew(text="")).parts == ()


def test_the_last_usage_counts() -> None:
    answer = gathered(
        Used(usage=Usage(input_tokens=5)), Used(usage=Usage(input_tokens=5, output_tokens=7))
    )
    assert answer.usage == Usage(input_tokens=5, output_tokens=7)


def test_a_failure_ends_it_and_keeps_what_was_said() -> None:
    failure = Failure(kind=FailureKind.CUT, message="gone")
    answer = gathered(TextGrew(text="half"), Failed(failure=failure))
    assert answer.is_done
    assert answer.stop is None
    assert answer.failure == failure
    assert answer.text == "half"


def test_another_attempt_begins_again() -> None:
    answer = gathered(
        TextGrew(text="half"),
        opened(),
        Waited(seconds=1, attempt=1, failure=LIMITED),
        TextGrew(text="whole"),
        opened(0, "Glob"),
        closed(0, "Glob"),
    )
    assert answer.text == "whole"
    assert [call.name for call in answer.calls] == ["Glob"]


def test_another_model_begins_again_but_calls_that_may_have_run_stay() -> None:
    answer = gathered(
        TextGrew(text="old"),
        closed(0, "Write"),
        Used(usage=Usage(output_tokens=3)),
        Switched(provider="groq", model="m", failure=LIMITED),
        closed(0, "Read"),
    )
    assert [call.name for call in answer.calls] == ["Write", "Read"]
    assert answer.text == ""
    assert answer.usage is None


PIECES = st.one_of(
    st.builds(TextGrew, text=st.text(max_size=5)),
    st.builds(ThinkingGrew, text=st.text(max_size=5)),
    st.builds(ThinkingClosed, signature=st.sampled_from(["", "s"])),
    st.builds(opened, st.integers(0, 3)),
    st.builds(closed, st.integers(0, 3)),
    st.builds(CallBroken, index=st.integers(0, 3), id=st.just("x"), name=st.just("Read")),
)


@pytest.mark.torture
@examples(60, 5_000)
@given(st.lists(PIECES, max_size=30))
def test_whatever_comes_nothing_said_is_lost_and_only_whole_calls_count(
    events: list[AnyStreamEvent],
) -> None:
    answer = gathered(*events)
    assert answer.text == "".join(e.text for e in events if isinstance(e, TextGrew))
    assert answer.thinking == "".join(e.text for e in events if isinstance(e, ThinkingGrew))
    whole = {event.id for event in events if isinstance(event, CallClosed)}
    assert {call.id for call in answer.calls} == whole
    texts = [part.text for part in answer.parts if isinstance(part, TextPart)]
    assert "".join(texts) == answer.text
    assert all(texts)
