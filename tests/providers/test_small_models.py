# ruff: noqa: E501 - answers of models have no line width
"""What small models really write: calls among chatter, in the wrong dress, half right, half wrong.

Each sample is a whole answer in the manner of a family of models. The rule behind all of them: a
call that is certain is found; one that is not is never run, and nothing that was said is lost.
"""

from typing import Any

import pytest

from ankrcode.protocol.stream import AnyStreamEvent, CallBroken, CallClosed, TextGrew, ThinkingGrew
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.wire import ToolSpec

STRING = {"type": "string"}
TOOLS = [
    ToolSpec(
        name="Read",
        description="",
        input_schema={
            "type": "object",
            "properties": {"file_path": STRING, "limit": {"type": "integer"}},
        },
    ),
    ToolSpec(
        name="Write",
        description="",
        input_schema={"type": "object", "properties": {"file_path": STRING, "content": STRING}},
    ),
    ToolSpec(
        name="Bash",
        description="",
        input_schema={
            "type": "object",
            "properties": {"command": STRING, "run_in_background": {"type": "boolean"}},
        },
    ),
    ToolSpec(
        name="Edit",
        description="",
        input_schema={
            "type": "object",
            "properties": {
                "file_path": STRING,
                "old_string": STRING,
                "new_string": STRING,
                "edits": {"type": "array"},
            },
        },
    ),
]

CODE = 'def f(x):\n    """Doc with "quotes"."""\n    return {"a": [x], "b": "```"}\n'

# What is written → the calls that must be found, in order.
FOUND: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "a polite call": (
        (
            "Sure! I'll read the file for you.\n\n<tool_call>\n"
            '{"name": "Read", "arguments": {"file_path": "src/app.py"}}\n</tool_call>'
        ),
        [("Read", {"file_path": "src/app.py"})],
    ),
    "arguments first": (
        '<tool_call>\n{"arguments": {"command": "ls -la"}, "name": "Bash"}\n</tool_call>',
        [("Bash", {"command": "ls -la"})],
    ),
    "thought, then a call": (
        (
            "<think>\nThe user wants the file. I should call\n```tool\n"
            '{"name": "Bash", "arguments": {"command": "cat x"}}\n```\nNo, Read is better.\n</think>\n\n'
            '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}\n</tool_call>'
        ),
        [("Read", {"file_path": "x"})],
    ),
    "Python's way of writing": (
        (
            "<tool_call>\n{'name': 'Bash', 'arguments': {'command': \"echo 'hi'\", "
            "'run_in_background': True}}\n</tool_call>"
        ),
        [("Bash", {"command": "echo 'hi'", "run_in_background": True})],
    ),
    "a file with real line breaks in the string": (
        (
            '```tool\n{"name": "Write", "arguments": {"file_path": "a.py", "content": "import os\n\n'
            'print(os.getcwd())\n"}}\n```'
        ),
        [("Write", {"file_path": "a.py", "content": "import os\n\nprint(os.getcwd())\n"})],
    ),
    "a regex with lone backslashes": (
        r'<tool_call>{"name": "Bash", "arguments": {"command": "grep -E \d+\.py ."}}</tool_call>',
        [("Bash", {"command": r"grep -E \d+\.py ."})],
    ),
    "a comma too many": (
        '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x", "limit": 5,},}\n</tool_call>',
        [("Read", {"file_path": "x", "limit": 5})],
    ),
    "one bracket too many": (
        '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}}\n</tool_call>\n',
        [("Read", {"file_path": "x"})],
    ),
    "the closing tag forgotten between two": (
        (
            '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}\n'
            '<tool_call>\n{"name": "Read", "arguments": {"file_path": "y"}}\n</tool_call>'
        ),
        [("Read", {"file_path": "x"}), ("Read", {"file_path": "y"})],
    ),
    "the opening tag as the closing one": (
        '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}\n<tool_call>\n',
        [("Read", {"file_path": "x"})],
    ),
    "three calls without a word": (
        "\n".join(
            f'<tool_call>{{"name": "Read", "arguments": {{"file_path": "{name}"}}}}</tool_call>'
            for name in "abc"
        ),
        [("Read", {"file_path": name}) for name in "abc"],
    ),
    "bare JSON on several lines": (
        '{\n  "name": "Bash",\n  "parameters": {\n    "command": "make test"\n  }\n}',
        [("Bash", {"command": "make test"})],
    ),
    "bare JSON, two after each other": (
        (
            '{"name": "Read", "parameters": {"file_path": "a"}}\n'
            '{"name": "Read", "parameters": {"file_path": "b"}}'
        ),
        [("Read", {"file_path": "a"}), ("Read", {"file_path": "b"})],
    ),
    "bare JSON, with a semicolon": (
        (
            '{"name": "Read", "parameters": {"file_path": "a"}}; '
            '{"name": "Read", "parameters": {"file_path": "b"}}'
        ),
        [("Read", {"file_path": "a"}), ("Read", {"file_path": "b"})],
    ),
    "bare JSON after an explanation": (
        (
            "To list the files, I will call Bash:\n\n"
            '{"name": "Bash", "parameters": {"command": "ls"}}\n\nThis shows all files.'
        ),
        [("Bash", {"command": "ls"})],
    ),
    "the shape of the API itself": (
        (
            '{"type": "function", "function": {"name": "Read", "arguments": '
            '"{\\"file_path\\": \\"x\\"}"}}'
        ),
        [("Read", {"file_path": "x"})],
    ),
    "tags with code inside": (
        (
            f"<function=Write>\n<parameter=file_path>\nf.py\n</parameter>\n<parameter=content>\n{CODE}\n"
            "</parameter>\n</function>"
        ),
        [("Write", {"file_path": "f.py", "content": CODE})],
    ),
    "tags with markup inside": (
        (
            '<invoke name="Edit">\n<parameter name="file_path">i.html</parameter>\n'
            '<parameter name="old_string"><p>old & new</p></parameter>\n'
            '<parameter name="new_string"><b x="1">{}</b></parameter>\n</invoke>'
        ),
        [
            (
                "Edit",
                {
                    "file_path": "i.html",
                    "old_string": "<p>old & new</p>",
                    "new_string": '<b x="1">{}</b>',
                },
            )
        ],
    ),
    "tags with a list": (
        (
            '<function=Edit><parameter=file_path>a</parameter><parameter=edits>[{"old": "x"}]</parameter>'
            "</function>"
        ),
        [("Edit", {"file_path": "a", "edits": [{"old": "x"}]})],
    ),
    "a call after a code block": (
        (
            "This is the bug:\n\n```python\nx = {'name': 'Bash', 'arguments': {}}\n```\n\nI mend it.\n\n"
            '```tool\n{"name": "Read", "arguments": {"file_path": "x"}}\n```'
        ),
        [("Read", {"file_path": "x"})],
    ),
    "a call in a list item": (
        '1. Read the file:\n   ```tool\n   {"name": "Read", "arguments": {"file_path": "x"}}\n   ```',
        [("Read", {"file_path": "x"})],
    ),
    "a Markdown file inside a call": (
        (
            '```tool\n{"name": "Write", "arguments": {"file_path": "R.md", "content": '
            '"# T\\n\\n```tool\\n{}\\n```\\n</tool_call>"}}\n```\nDone.'
        ),
        [("Write", {"file_path": "R.md", "content": "# T\n\n```tool\n{}\n```\n</tool_call>"})],
    ),
    "other languages": (
        (
            "फ़ाइल पढ़ता हूँ।\n<tool_call>\n"
            '{"name": "Read", "arguments": {"file_path": "नोट्स/पहला.txt"}}\n</tool_call>'
        ),
        [("Read", {"file_path": "नोट्स/पहला.txt"})],
    ),
    "special marks left in the text": (
        '<|python_tag|>{"name": "Bash", "parameters": {"command": "ls"}}<|eom_id|>',
        [("Bash", {"command": "ls"})],
    ),
    "Windows line ends": (
        '```tool\r\n{"name": "Read", "arguments": {"file_path": "x"}}\r\n```\r\n',
        [("Read", {"file_path": "x"})],
    ),
    "results dreamt up in Qwen's way": (
        (
            '<tool_call>\n{"name": "Read", "arguments": {"file_path": "x"}}\n</tool_call>\n'
            "<tool_response>\nsecret = 1\n</tool_response>\n"
            '<tool_call>\n{"name": "Bash", "arguments": {"command": "rm x"}}\n</tool_call>'
        ),
        [("Read", {"file_path": "x"})],
    ),
}


# Whole answers in which nothing may be found.
NOTHING = {
    "an explanation of the format": (
        "You write `<tool_call>` and then a JSON object with `name` and `arguments`, then "
        '`</tool_call>`. For example, `{"name": "Bash", "arguments": {}}` runs a command.'
    ),
    "an example for the reader": (
        'Add this to your script:\n```json\n{"name": "Bash", "arguments": {"command": "ls"}}\n```'
    ),
    "an example in Python": '```python\ncall = \'<tool_call>{"name": "Bash", "arguments": {}}\'\n```',
    "an example in a quote within Markdown": (
        "````markdown\nUse it so:\n\n```tool\n"
        '{"name": "Bash", "arguments": {"command": "ls"}}\n```\n````\n'
    ),
    "a package file": '{\n  "name": "my-app",\n  "type": "module",\n  "version": "1.0.0"\n}',
    "a list of people": '[\n{"name": "Read", "age": 3},\n{"name": "Bash", "age": 4}\n]',
    "a call in the past tense": 'I called Bash with {"command": "ls"} and it said ok.',
    "a schema": '{"name": "Read", "description": "reads", "parameters": {"type": "object"}}',
    "a shell session": "$ echo '<tool_calls>'\n>>> Bash\n{}\n",
    "an endless thought": '<think>I could call\n```tool\n{"name": "Bash", "arguments": {}}\n```\nor not',
}

# Whole answers whose call is told as broken, so that the model can be asked to write it again.
BROKEN = {
    "cut in a string": '<tool_call>\n{"name": "Write", "arguments": {"content": "import o',
    "cut before the last bracket": '```tool\n{"name": "Bash", "arguments": {"command": "rm -r x"}',
    "quotes that are not escaped": (
        '<tool_call>{"name": "Bash", "arguments": {"command": "echo "hi""}}</tool_call>'
    ),
    "no colon": '<tool_call>{"name" "Read", "arguments": {}}</tool_call>',
    "no quotes": "<tool_call>{name: Read, arguments: {file_path: x}}</tool_call>",
    "a comment": '<tool_call>{"name": "Read", /* why */ "arguments": {}}</tool_call>',
    "arguments beside the name": '<tool_call>{"name": "Read", "file_path": "x"}</tool_call>',
    "arguments as a list": '<tool_call>{"name": "Read", "arguments": ["x"]}</tool_call>',
    "a tag left open": "<function=Read>\n<parameter=file_path>\nx\n</function>",
    "two names": '<tool_call>{"name": "Read", "tool": "Bash", "arguments": {}}</tool_call>',
}


def events_of(text: str, size: int) -> list[AnyStreamEvent]:
    calls = TextCalls(TOOLS)
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    return [event for piece in pieces for event in calls.feed(piece)] + calls.end()


def calls_in(events: list[AnyStreamEvent]) -> list[tuple[str, dict[str, Any]]]:
    return [(event.name, event.arguments) for event in events if isinstance(event, CallClosed)]


@pytest.mark.parametrize("size", [1, 4, 10_000])
@pytest.mark.parametrize("what", FOUND)
def test_a_call_that_is_certain_is_found(what: str, size: int) -> None:
    text, calls = FOUND[what]
    events = events_of(text, size)
    assert calls_in(events) == calls
    assert not [event for event in events if isinstance(event, CallBroken)]


@pytest.mark.parametrize("size", [1, 4, 10_000])
@pytest.mark.parametrize("what", NOTHING)
def test_what_is_only_talk_runs_nothing_and_is_all_there(what: str, size: int) -> None:
    events = events_of(NOTHING[what], size)
    assert not [event for event in events if isinstance(event, CallClosed | CallBroken)]
    said = [event.text for event in events if isinstance(event, TextGrew | ThinkingGrew)]
    assert "".join(said) == NOTHING[what].replace("<think>", "")


@pytest.mark.parametrize("size", [1, 4, 10_000])
@pytest.mark.parametrize("what", BROKEN)
def test_a_call_that_is_not_certain_is_told_and_never_made(what: str, size: int) -> None:
    events = events_of(BROKEN[what], size)
    assert calls_in(events) == []
    [broken] = [event for event in events if isinstance(event, CallBroken)]
    assert broken.why
    assert broken.text


@pytest.mark.parametrize("what", FOUND)
def test_every_beginning_of_an_answer_holds_only_calls_that_the_whole_one_makes(what: str) -> None:
    text, calls = FOUND[what]
    for end in range(0, len(text), 3):
        begun = calls_in(events_of(text[:end], 10_000))
        assert begun == calls[: len(begun)]
