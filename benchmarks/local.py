"""Tool calls of a model in this process: are they valid, and are they the right ones?

make bench            with the small model from PyPI
python benchmarks/local.py PATH.gguf      with your own

Twenty small tasks, the schemas of the real tools. Valid is what the grammar must hold to (every
call); right is what the model can do (a model of 135 million parameters: not much).
"""

import asyncio
import sys
import time
from typing import NamedTuple

import jsonschema_rs

from ankrcode import tools
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart, ToolUsePart
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.local import made
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec

MAX_TOKENS = 512
OFFERED = ("Read", "Write", "Bash", "Glob", "Grep")


class Task(NamedTuple):
    says: str
    tool: str
    parameter: str
    value: str


TASKS = [
    Task("Read the file notes.txt", "Read", "file_path", "notes.txt"),
    Task("Show me what is in README.md", "Read", "file_path", "README.md"),
    Task("Open src/main.py and read it", "Read", "file_path", "src/main.py"),
    Task("What does config.toml say?", "Read", "file_path", "config.toml"),
    Task("Read the file /etc/hostname", "Read", "file_path", "/etc/hostname"),
    Task("Run the command ls", "Bash", "command", "ls"),
    Task("Run git status", "Bash", "command", "git status"),
    Task("Run the tests with make test", "Bash", "command", "make test"),
    Task("Execute the command pwd", "Bash", "command", "pwd"),
    Task("Run the command date", "Bash", "command", "date"),
    Task("Find all files that match *.py", "Glob", "pattern", "*.py"),
    Task("Find files by the pattern **/*.md", "Glob", "pattern", "**/*.md"),
    Task("Which files match test_*.py?", "Glob", "pattern", "test_*.py"),
    Task("Search the files for the text TODO", "Grep", "pattern", "TODO"),
    Task("Find where the word import stands in the files", "Grep", "pattern", "import"),
    Task("Search for the text hello", "Grep", "pattern", "hello"),
    Task("Write the text hello to the file a.txt", "Write", "file_path", "a.txt"),
    Task("Write a file b.txt with the content yes", "Write", "file_path", "b.txt"),
    Task("Make a file c.md that says done", "Write", "file_path", "c.md"),
    Task("Save the text ok in out.txt", "Write", "file_path", "out.txt"),
]


def offered_tools() -> list[ToolSpec]:
    known = {one.name: one for one in tools.definitions().values()}
    return [
        ToolSpec(name=name, description=known[name].summary, input_schema=known[name].input_schema)
        for name in OFFERED
    ]


async def main(name: str) -> int:
    try:
        model = made(name, Settings(), {})
    except ProviderError as problem:
        print(f"local models: not measured. {problem}")
        return 0
    offered = offered_tools()
    began, calls = time.perf_counter(), [await called(model, task, offered) for task in TASKS]
    took = time.perf_counter() - began
    schemas = {tool.name: jsonschema_rs.validator_for(tool.input_schema) for tool in offered}
    valid = [bool(call) and schemas[call.name].is_valid(call.arguments) for call in calls if call]
    right_tool = [
        call is not None and call.name == task.tool for call, task in zip(calls, TASKS, strict=True)
    ]
    right = [
        call is not None
        and call.name == task.tool
        and call.arguments.get(task.parameter) == task.value
        for call, task in zip(calls, TASKS, strict=True)
    ]
    await model.close()
    print(f"{model.name}: {len(TASKS)} tasks in {took:.1f} s")
    print(f"  whole calls           {len(valid):3} of {len(TASKS)}")
    print(f"  valid by their schema {sum(valid):3} of {len(TASKS)}   (must be all)")
    print(f"  the right tool        {sum(right_tool):3} of {len(TASKS)}")
    print(f"  the right call        {sum(right):3} of {len(TASKS)}")
    if "--verbose" in sys.argv:
        for task, call in zip(TASKS, calls, strict=True):
            print(
                f"  {task.says!r} → {call.name if call else None} {call.arguments if call else ''}"
            )
    return 0 if sum(valid) == len(TASKS) else 1


async def called(model: Model, task: Task, offered: list[ToolSpec]) -> ToolUsePart | None:
    request = ModelRequest(
        messages=[Message(role="user", parts=(TextPart(text=task.says),))],
        tools=offered,
        options=Options(tool_choice="required", max_output_tokens=MAX_TOKENS, temperature=0.0),
    )
    answer = Gathered()
    async for event in model.stream(request):
        answer.feed(event)
    return answer.calls[0] if answer.calls else None


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    sys.exit(asyncio.run(main(paths[0] if paths else "")))
