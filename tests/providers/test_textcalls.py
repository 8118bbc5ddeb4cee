"""Calls in text: every way in which models write them, split anywhere, and what is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
)
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.text.forms import FORMS, INVENTED, NOISE, as_text
from ankrcode.providers.wire import ToolSpec
from torture import examples

PROPERTIES = {
    "file_path": {"type": "string"},
    "limit": {"type": "integer"},
    "all": {"type": "boolean"},
    "edits": {"type": "array"},
}
SCHEMA = {"type": "object", "properties": PROPERTIES}
TOOLS = [
    ToolSpec(name=name, description="", input_schema=SCHEMA) for name in ("Read", "Bash", "Write")
]


def events_of(text: str, size: int = 0) -> list[AnyStreamEvent]:
    calls = TextCalls(TOOLS)
    step = size or max(1, len(text))
    events = [e for at in range(0, len(text), step) for e in calls.feed(text[at : at + step])]
    return [*events, *calls.end()]


def found(text: str, size: int = 0) -> list[Any]:
    """Text as it is, whole calls as pairs, broken ones as [name], thoughts as sets."""
    told: list[Any] = []
    for event in events_of(text, size):
        match event:
            case TextGrew():
                if told and isinstance(told[-1], str):
                    told[-1] += event.text
                else:
                    told.append(event.text)
            case ThinkingGrew():
                if told and isinstance(told[-1], frozenset):
                    told[-1] = frozenset({"".join(told[-1]) + event.text})
                else:
                    told.append(frozenset({event.text}))
            case CallClosed():
                told.append((event.name, event.arguments))
            case CallBroken():
                told.append([event.name])
    return told


A = {"file_path": "a"}
CALL = '{"name": "Read", "arguments": {"file_path": "a"}}'

WRITTEN: dict[str, tuple[str, list[Any]]] = {
    "our own fence": (f"I look.\n\n```tool\n{CALL}\n```\n", ["I look.\n\n", ("Read", A)]),
    "our fence, indented": (f"- so:\n    ```tool\n    {CALL}\n    ```", ["- so:\n", ("Read", A)]),
    "our fence on one line": (f"```tool {CALL}```", [("Read", A)]),
    "our fence under its longer name": (f"```tool_call\n{CALL}\n```", [("Read", A)]),
    "our fence without an end": (f"```tool\n{CALL}", [("Read", A)]),
    "two fences": (f"```tool\n{CALL}\n```\n\n```tool\n{CALL}\n```", [("Read", A), ("Read", A)]),
    "two calls in a fence": (f"```tool\n{CALL}\n{CALL}\n```", [("Read", A), ("Read", A)]),
    "a list in a fence": (f"```tool\n[{CALL}, {CALL}]\n```\n", [("Read", A), ("Read", A)]),
    "a bracket too many": (f"```tool\n{CALL}}}\n```\nok", [("Read", A), "ok"]),
    "Hermes and Qwen": (f"x <tool_call>\n{CALL}\n</tool_call>", ["x ", ("Read", A)]),
    "Qwen, twice": (
        f"<tool_call>\n{CALL}\n</tool_call>\n<tool_call>\n{CALL}\n</tool_call>",
        [("Read", A), ("Read", A)],
    ),
    "Qwen in plural": (
        f"<tool_calls>\n<tool_call>{CALL}</tool_call>\n</tool_calls>",
        [("Read", A)],
    ),
    "Qwen without an end": (f"<tool_call>{CALL}", [("Read", A)]),
    "Qwen Coder": (
        (
            "<tool_call>\n<function=Read>\n<parameter=file_path>\na\n</parameter>\n"
            "<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>"
        ),
        [("Read", {"file_path": "a", "limit": 3})],
    ),
    "Llama": (
        '<|python_tag|>{"name": "Read", "parameters": {"file_path": "a"}}<|eom_id|>',
        [("Read", A)],
    ),
    "Llama, two": (f"<|python_tag|>{CALL}; {CALL}", [("Read", A), ("Read", A)]),
    "Llama, bare": ('{"name": "Read", "parameters": {"file_path": "a"}}', [("Read", A)]),
    "Llama, with its type": (
        '{"type": "function", "name": "Read", "parameters": {"file_path": "a"}}',
        [("Read", A)],
    ),
    "Mistral": (f"[TOOL_CALLS] [{CALL}, {CALL}]", [("Read", A), ("Read", A)]),
    "Mistral, newer": ('[TOOL_CALLS]Read[ARGS]{"file_path": "a"}', [("Read", A)]),
    "Mistral, with an id": ('[TOOL_CALLS]Read[CALL_ID]x1[ARGS]{"file_path": "a"}', [("Read", A)]),
    "Mistral, newer, two": (
        '[TOOL_CALLS]Read{"file_path": "a"}[TOOL_CALLS]Bash{}',
        [("Read", A), ("Bash", {})],
    ),
    "functionary": ('<function=Read>{"file_path": "a"}</function>', [("Read", A)]),
    "functionary, newer": ('>>>Read\n{"file_path": "a"}', [("Read", A)]),
    "DeepSeek": (
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n"
            '{"file_path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
        ),
        [("Read", A)],
    ),
    "DeepSeek, newer": (
        (
            '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"file_path": "a"}'
            "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        [("Read", A)],
    ),
    "Kimi": (
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0"
            '<|tool_call_argument_begin|>{"file_path": "a"}<|tool_call_end|>'
            "<|tool_calls_section_end|>"
        ),
        [("Read", A)],
    ),
    "Phi": (f"<|tool_call|>[{CALL}]<|/tool_call|>", [("Read", A)]),
    "Nemotron": (f"<TOOLCALL>[{CALL}]</TOOLCALL>", [("Read", A)]),
    "Command": (
        (
            '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "Read", '
            '"parameters": {"file_path": "a"}}]<|END_ACTION|>'
        ),
        [("Read", A)],
    ),
    "gpt-oss": (
        (
            "<|channel|>commentary to=functions.Read <|constrain|>json<|message|>"
            '{"file_path": "a"}<|call|>'
        ),
        [("Read", A)],
    ),
    "ReAct": (
        'Thought: look.\nAction: Read\nAction Input: {"file_path": "a"}\nObservation: fake\nDone.',
        ["Thought: look.\n", ("Read", A)],
    ),
    "GLM": (
        "<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
        [("Read", A)],
    ),
    "tags": (
        (
            '<function_calls>\n<invoke name="Read">\n<parameter name="file_path">a</parameter>\n'
            '<parameter name="all">true</parameter>\n</invoke>\n</function_calls>'
        ),
        [("Read", {"file_path": "a", "all": True})],
    ),
    "tags without parameters": ('<invoke name="Bash">\n</invoke>', [("Bash", {})]),
    "OpenAI's shape": (
        (
            '<tool_call>{"type": "function", "id": "1", "function": {"name": "Read", "arguments": '
            '"{\\"file_path\\": \\"a\\"}"}}</tool_call>'
        ),
        [("Read", A)],
    ),
    "a list of calls in one object": (f'{{"tool_calls": [{CALL}]}}', [("Read", A)]),
    "the name in small letters": (CALL.replace("Read", "read"), [("Read", A)]),
    "other words for the same": (
        '<tool_call>{"tool": "Bash", "args": {}}</tool_call>',
        [("Bash", {})],
    ),
    "no arguments": ('<tool_call>{"name": "Bash"}</tool_call>', [("Bash", {})]),
    "a call after bare text": (f"Yes.\n{CALL}\n", ["Yes.\n", ("Read", A)]),
    "a tool that is unknown": (
        '<tool_call>{"name": "ReadFile", "arguments": {}}</tool_call>',
        [("ReadFile", {})],
    ),
    "small faults": (
        "<tool_call>{'name': 'Read', 'arguments': {'file_path': 'a',},}</tool_call>",
        [("Read", A)],
    ),
}

TEXT: dict[str, str] = {
    "nothing": "",
    "plain": "All is well.\n",
    "a code block for the reader": f"See:\n```json\n{CALL}\n```\nThat is how.",
    "a block without a language": f"```\n{CALL}\n```",
    "marks in a code block": f"```xml\n<tool_call>{CALL}</tool_call>\n```\n",
    "our fence in a longer one": f"````md\n```tool\n{CALL}\n```\n````\n",
    "our fence in a block of waves": f"~~~\n```tool\n{CALL}\n```\n~~~\n",
    "marks in backticks": f"Write `<tool_call>{CALL}</tool_call>` to call.",
    "a mark that is only named": "The tags <tool_call> and </tool_call> are used for it.",
    "a mark at the very end": "It begins with <tool_call>",
    "half a mark": "a <tool_c",
    "an unknown tool, bare": '{"name": "Nope", "arguments": {}}',
    "an object that is no call": '{"name": "Read", "version": 3}\n',
    "a package": '{"name": "ankrcode", "type": "module"}',
    "a call within another object": f'{{"name": "x", "arguments": {{}},\n"y": \n{CALL}\n}}',
    "an object in a line": f"like {CALL} here",
    "half an object": '{"name": "Read", "arguments": {"file',
    "a Python session": ">>> print(1)\n1\n>>> Read\n",
    "an unknown tool, prompted": '>>>Nope\n{"a": 1}',
    "our fence with something else": "```tool\nhammer\n```\nis a tool",
    "our fence, empty": "```tool\n```\n",
    "a fence that only begins like ours": f"```toolbox\n{CALL}\n```",
    "inline code of three": f"```{CALL}``` is a call\n",
    "code for Llama's interpreter": "<|python_tag|>import os\nprint(os.getcwd())",
    "arrows and brackets": "a < b, [x] <tag> [TOOL] << 3 >> 2",
    "actions in a plan": "Action: read the file.\nAction: Read\nthen more\nObservation: none\n",
    "an action of another tool": 'Action: Nope\nAction Input: {"a": 1}\n',
    "an action without input": "Action: Read\nAction Input: the file",
    "Devanagari": "नमस्ते, <b>दुनिया</b>\n",
}

BROKEN: dict[str, tuple[str, list[Any]]] = {
    "no end": ('<tool_call>{"name": "Read", "arguments": {"file_path": "a', [["Read"]]),
    "no end of the object": ('```tool\n{"name": "Read", "arguments": {}\n```\n', [["Read"]]),
    "no name": ('<tool_call>{"arguments": {}}</tool_call> so', [[""], "so"]),
    "no object": ('<tool_call>{"name": "Read", "arguments": [1]}</tool_call>', [["Read"]]),
    "too many words": ('<tool_call>{"name": "Read", "file_path": "a"}</tool_call>', [["Read"]]),
    "two kinds of arguments": (
        '<tool_call>{"name": "Read", "arguments": {}, "parameters": {}}</tool_call>',
        [["Read"]],
    ),
    "quotes in quotes": (
        '<tool_call>{"name": "Read", "arguments": {"a": "b"c"}}</tool_call>',
        [["Read"]],
    ),
    "a parameter without an end": (
        "<function=Read>\n<parameter=file_path>a</function>",
        [["Read"]],
    ),
    "text between parameters": (
        "<function=Read><parameter=file_path>a</parameter> and </function>",
        [["Read"]],
    ),
    "a value that ends its own tag": (
        "<function=Write><parameter=file_path>x</parameter>y</parameter></function>",
        [["Write"]],
    ),
    "tags without an end": ("<function=Read>\n<parameter=file_path>a</parameter>\n", [["Read"]]),
    "two names": (
        '<tool_call>{"tool": "Read", "name": "Bash", "arguments": {}}</tool_call>',
        [["Read"]],
    ),
}


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 11])
@pytest.mark.parametrize("what", WRITTEN)
def test_a_call_is_found_however_it_is_written_and_split(what: str, size: int) -> None:
    text, told = WRITTEN[what]
    assert found(text, size) == told


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 11])
@pytest.mark.parametrize("what", TEXT)
def test_what_is_no_call_stays_text_to_the_letter(what: str, size: int) -> None:
    assert found(TEXT[what], size) == ([TEXT[what]] if TEXT[what] else [])


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 11])
@pytest.mark.parametrize("what", BROKEN)
def test_a_call_that_cannot_be_read_is_told_as_broken(what: str, size: int) -> None:
    text, told = BROKEN[what]
    assert found(text, size) == told


@pytest.mark.parametrize("what", WRITTEN)
def test_half_a_call_never_looks_whole(what: str) -> None:
    """Cut anywhere, an answer has at most the calls that it had said to the end, word for word."""
    text, told = WRITTEN[what]
    calls = [one for one in told if isinstance(one, tuple)]
    for cut in range(len(text)):
        half = [one for one in found(text[:cut]) if isinstance(one, tuple)]
        assert half == calls[: len(half)], text[:cut]


# ── order and pace ────────────────────────────────────────────────────────────────────────────
def test_a_call_is_opened_as_soon_as_its_name_is_known() -> None:
    calls = TextCalls(TOOLS)
    [opened] = calls.feed('<tool_call>{"name": "Write", "arguments": {"file_path"')
    assert isinstance(opened, CallOpened)
    assert opened.name == "Write"
    grew, closed = calls.feed(': "a"}}</tool_call>')
    assert isinstance(grew, CallGrew)
    assert json.loads(grew.text) == A
    assert isinstance(closed, CallClosed)
    assert (closed.id, closed.index) == (opened.id, opened.index)


def test_a_call_is_closed_before_what_follows_it_has_come() -> None:
    calls = TextCalls(TOOLS)
    assert any(isinstance(event, CallClosed) for event in calls.feed(f"```tool\n{CALL}"))


def test_it_is_known_when_only_a_call_can_follow() -> None:
    for text, is_so in [
        ("```tool\n", True),
        ("Well.\n```tool\n", True),
        ("```tool\n{", False),
        ("```tool", False),
        ("```py\n```tool\n", False),
        ("<think>\n```tool\n", False),
        ("<tool_call>", False),
        (CALL, False),
    ]:
        calls = TextCalls(TOOLS)
        calls.feed(text)
        assert calls.is_at_call is is_so, text


def test_text_streams_while_it_can_only_be_text() -> None:
    calls = TextCalls(TOOLS)
    told = [
        calls.feed(piece) for piece in ("Hello ", "wor", "ld <", "b> ", "x\n", "``", "` py\n", "y")
    ]
    texts = ["".join(e.text for e in one if isinstance(e, TextGrew)) for one in told]
    assert texts == ["Hello ", "wor", "ld ", "<b> ", "x\n", "", "``` py\n", "y"]


def test_each_call_has_its_own_id_and_the_next_index() -> None:
    events = events_of(f"```tool\n{CALL}\n```\n" * 3)
    closed = [event for event in events if isinstance(event, CallClosed)]
    assert [event.index for event in closed] == [0, 1, 2]
    assert len({event.id for event in closed}) == 3


def test_a_broken_call_takes_an_index_of_its_own() -> None:
    events = events_of(f'<tool_call>{{"x": 1}}</tool_call><tool_call>{CALL}</tool_call>')
    ends = [event for event in events if isinstance(event, CallBroken | CallClosed)]
    assert [(type(event), event.index) for event in ends] == [(CallBroken, 0), (CallClosed, 1)]


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_a_line_that_begins_after_dropped_blanks_is_still_a_line(size: int) -> None:
    text = f'{CALL}"odd"<tool_calls>\n{CALL}'
    assert found(text, size) == [("Read", A), '"odd"', ("Read", A)]


# ── thoughts and inventions ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_call_in_a_thought_is_only_a_thought(size: int) -> None:
    text = f"<think>\nmaybe <tool_call>{CALL}</tool_call>?\n</think>\n\nNo."
    told = found(text, size)
    assert told == [frozenset({f"\nmaybe <tool_call>{CALL}</tool_call>?\n"}), "No."]
    assert any(isinstance(event, ThinkingClosed) for event in events_of(text, size))


def test_a_thought_that_breaks_off_is_closed() -> None:
    assert isinstance(events_of("<think>well <b")[-1], ThinkingClosed)
    assert found("<think>well </thi") == [frozenset({"well </thi"})]


@pytest.mark.parametrize("size", [0, 1, 4])
@pytest.mark.parametrize(
    "invented",
    [
        "```result of Read\nfake\n```\nDone!",
        "<tool_response>fake</tool_response>",
        "```tool_result\nx",
    ],
)
def test_results_that_nobody_gave_are_not_said(invented: str, size: int) -> None:
    assert found(f"```tool\n{CALL}\n```\n{invented}", size) == [("Read", A)]


def test_a_result_without_a_call_is_plain_text() -> None:
    text = "```result\n42\n```\n"
    assert found(text) == [text]


# ── any arguments, any split ──────────────────────────────────────────────────────────────────
TRICKY = st.lists(
    st.sampled_from([*"ab{}[]\"'\\`<>/ \n", "```", "</tool_call>", "<tool_call>", "अ"]), max_size=20
).map("".join)
ARGUMENTS = st.dictionaries(st.text(min_size=1, max_size=5), TRICKY | st.integers(), max_size=3)


@pytest.mark.torture
@examples(60, 5_000)
@given(ARGUMENTS, st.integers(1, 40), st.sampled_from(["fence", "qwen", "bare", "mistral"]))
def test_arguments_come_through_whatever_is_in_them(
    arguments: dict[str, Any], size: int, form: str
) -> None:
    call = json.dumps({"name": "Write", "arguments": arguments}, ensure_ascii=False)
    text = {
        "fence": as_text("Write", arguments),
        "qwen": f"<tool_call>\n{call}\n</tool_call>",
        "bare": call,
        "mistral": f"[TOOL_CALLS]Write[ARGS]{json.dumps(arguments)}",
    }[form]
    assert found(f"Look:\n{text}\n", size) == ["Look:\n", ("Write", arguments)]


MARKS = sorted(
    {*FORMS, *NOISE, *INVENTED, *(end for form in FORMS.values() for end in form.closing)}
)


@pytest.mark.torture
@examples(300, 20_000)
@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "```tool\n",
                    "```",
                    "```json\n",
                    "\n",
                    "{",
                    "}",
                    '"name": "Read"',
                    '"arguments": {}',
                ),
                *(
                    "<tool_call>",
                    "</tool_call>",
                    "<function=",
                    "Read",
                    ">",
                    "[TOOL_CALLS]",
                    "<think>",
                ),
                *(
                    "</think>",
                    ">>>",
                    ", ",
                    "Action: ",
                    "Action Input: ",
                    "Observation: ",
                    "text ",
                    "~~~\n",
                    CALL,
                    '{"name": "Bash"}',
                    "`",
                    "  ",
                ),
                *MARKS,
            ]
        ),
        max_size=12,
    ),
    st.integers(1, 7),
)
def test_the_split_never_changes_what_is_found(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    whole = found(text)
    assert found(text, size) == whole
    opened = [event for event in events_of(text) if isinstance(event, CallOpened)]
    ended = [event.index for event in events_of(text) if isinstance(event, CallClosed | CallBroken)]
    assert {event.index for event in opened} <= set(ended)
    assert len(ended) == len(set(ended))
