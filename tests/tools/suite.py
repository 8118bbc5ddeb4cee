"""Valid example calls of every built-in tool: what the suite in test_suite.py drives.

Whoever adds a tool adds its examples here; without them the suite fails. `{folder}` in an argument
is the folder that `prepare` filled.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ankrcode import tools
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.tooling.person import Person
from ankrcode.tooling.state import AgentState
from ankrcode.tooling.subagents import AgentOrder, AgentReport
from ankrcode.workspace.reads import ReadRecord, ReadState, version_of
from documents import code_cell, markdown_cell, notebook, pdf, png, stream, written


@dataclass(frozen=True)
class Example:
    """One call that must succeed."""

    arguments: dict[str, Any]
    prepare: Callable[[Path], object] = lambda folder: None

    def at(self, folder: Path) -> dict[str, Any]:
        """Fill the folder, and give the arguments for it."""
        self.prepare(folder)
        return {
            name: value.format(folder=folder) if isinstance(value, str) else value
            for name, value in self.arguments.items()
        }


@dataclass(frozen=True)
class Examples:
    """What the suite knows about one tool."""

    calls: tuple[Example, ...]
    # Starts what the calls are about, in the toolkit that will get them.
    begin: Callable[[AgentState], object] = lambda agent: None
    is_complex: bool = False  # its summary then has 25 to 40 tokens instead of 10 to 20
    failing: Example = field(default_factory=lambda: Example({}))  # fits the schema, but fails
    reads_first: bool = False  # it changes only what was read: as if all files had been
    takes_more: bool = False  # parameters that it does not know are passed over


class HasReadAll(ReadState):
    """As if every file had been read whole, as it is now."""

    def get(self, path: str) -> ReadRecord | None:
        version = version_of(path)
        return ReadRecord(version=version) if version else None

    def check_current(self, path: str) -> ReadRecord:
        record = self.get(path)
        if record is None:
            raise ToolError.of("not_read", path=path).coded(ErrorCode.NOT_READ, path=path)
        return record


def write_poem(folder: Path) -> None:
    (folder / "poem.txt").write_text("roses\nare\nred\nviolets\nare\nblue\n", encoding="utf-8")


def write_documents(folder: Path) -> None:
    cells = (markdown_cell("# Title", "intro"), code_cell("x", stream("1"), cell_id="x1", run=2))
    (folder / "a.ipynb").write_text(written(notebook(*cells)), encoding="utf-8")
    (folder / "a.png").write_bytes(png(20, 10))
    (folder / "a.pdf").write_bytes(pdf("a page", "another"))


def make_tree(folder: Path) -> None:
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "a.py").write_text("pass\n", encoding="utf-8")
    (folder / "link").symlink_to("src")


EXAMPLES: dict[str, Examples] = {
    # These can be made twice: what they look for is still there afterwards.
    "Edit": Examples(
        calls=(
            Example(
                {
                    "file_path": "{folder}/poem.txt",
                    "old_string": "are\nred",
                    "new_string": "are\nred, red",
                },
                write_poem,
            ),
            Example(
                {
                    "file_path": "poem.txt",
                    "old_string": "are",
                    "new_string": "are,",
                    "replace_all": True,
                },
                write_poem,
            ),
            Example(
                {
                    "file_path": "poem.txt",
                    "edits": [
                        {"old_string": "blue\n", "new_string": "blue\nblue!\n"},
                        {"old_string": "roses\nare", "new_string": "roses\nare "},
                    ],
                },
                write_poem,
            ),
        ),
        reads_first=True,
        failing=Example(
            {"file_path": "missing.txt", "old_string": "roses", "new_string": "tulips"}
        ),
    ),
    "ApplyPatch": Examples(
        calls=(
            Example(
                {
                    "patch": "*** Begin Patch\n*** Update File: {folder}/poem.txt\n@@\n red\n+red\n"
                    "*** End Patch"
                },
                write_poem,
            ),
            Example(
                {"patch": "--- a/poem.txt\n+++ b/poem.txt\n@@ -1 +1,2 @@\n roses\n+too\n"},
                write_poem,
            ),
        ),
        reads_first=True,
        is_complex=True,
        failing=Example({"patch": "*** Begin Patch\n*** Delete File: missing.txt\n*** End Patch"}),
    ),
    "Write": Examples(
        calls=(
            Example({"file_path": "{folder}/new/poem.txt", "content": "roses\nare\n"}),
            Example({"file_path": "bytes.bin", "content": "AAEC/w==", "encoding": "base64"}),
            Example({"file_path": "here.txt", "content": "", "create_dirs": False}),
        ),
        failing=Example({"file_path": "poem.txt", "content": "unread"}, write_poem),
    ),
    "Delete": Examples(
        calls=(
            Example({"path": "{folder}/poem.txt"}, write_poem),
            Example({"path": "src", "recursive": True}, make_tree),
            Example({"path": "link"}, make_tree),
        ),
        failing=Example({"path": "missing.txt"}),
    ),
    "Move": Examples(
        calls=(
            Example({"source": "{folder}/poem.txt", "destination": "verse.txt"}, write_poem),
            Example({"source": "src", "destination": "new/source"}, make_tree),
            Example({"source": "link", "destination": "src", "overwrite": True}, make_tree),
        ),
        failing=Example({"source": "missing.txt", "destination": "there.txt"}),
    ),
    "Glob": Examples(
        calls=(
            Example({"pattern": "**/*.py"}, make_tree),
            Example({"pattern": "*.txt", "path": "{folder}", "limit": 5}, write_poem),
            Example({"pattern": "**/*", "include_hidden": True, "include_ignored": True}),
        ),
        failing=Example({"pattern": "*.py", "path": "missing"}),
    ),
    "Grep": Examples(
        calls=(
            Example({"pattern": "are|blue"}, write_poem),
            Example({"pattern": "RED", "output_mode": "content", "-i": True, "-C": 1}, write_poem),
            Example({"pattern": "e$", "output_mode": "count", "path": "{folder}"}, write_poem),
            Example({"pattern": "pass", "type": "py", "head_limit": 1}, make_tree),
        ),
        failing=Example({"pattern": "unclosed("}),
    ),
    "Read": Examples(
        calls=(
            Example({"file_path": "{folder}/poem.txt"}, write_poem),
            Example({"file_path": "poem.txt", "offset": 2, "limit": 2}, write_poem),
            Example({"file_path": "poem.txt", "encoding": "base64"}, write_poem),
            Example({"file_paths": ["poem.txt", "missing.txt"], "limit": 0}, write_poem),
            Example({"file_path": "a.png"}, write_documents),
            Example({"file_path": "a.ipynb"}, write_documents),
            Example({"file_path": "a.pdf", "pages": "2", "visuals": "always"}, write_documents),
        ),
        failing=Example({"file_path": "missing.txt"}),
    ),
    "NotebookEdit": Examples(
        calls=(
            Example(
                {"notebook_path": "{folder}/a.ipynb", "cell_id": "x1", "new_source": "y"},
                write_documents,
            ),
            Example(
                {"notebook_path": "a.ipynb", "edit_mode": "insert", "cell_type": "markdown"},
                write_documents,
            ),
            Example(
                {"notebook_path": "a.ipynb", "edit_mode": "delete", "cell_number": 0},
                write_documents,
            ),
        ),
        failing=Example({"notebook_path": "missing.ipynb", "cell_number": 0}),
        reads_first=True,
    ),
    "List": Examples(
        calls=(
            Example({}, make_tree),
            Example({"path": "{folder}", "recursive": True, "include_hidden": True}, make_tree),
            Example({"path": ".", "limit": 1}, make_tree),
        ),
        failing=Example({"path": "missing"}),
    ),
}


def begin_task(command: str) -> Callable[[AgentState], object]:
    """A task that is called `example`; it ends with the toolkit at the latest."""

    def begin(agent: AgentState) -> None:
        process = agent.processes.shell(command, cwd=agent.workspace.cwd, takes_input=True)
        agent.tasks.add("example", process, kind="shell", title=command)

    return begin


EXAMPLES |= {
    "RunCode": Examples(
        calls=(
            Example({"language": "python", "code": "print(6 * 7)"}),
            Example({"language": "bash", "code": "echo $1 $A", "args": ["x"], "env": {"A": "b"}}),
            Example({"language": "bash", "code": "exit 3", "timeout": 30}),
        ),
        failing=Example({"language": "bash", "code": "sleep 60", "timeout": 0.2}),
    ),
    "Bash": Examples(
        calls=(
            Example({"command": "true"}),
            Example({"command": "cd src/deep", "description": "Go down"}, make_tree),
            Example({"command": "test -e x", "cwd": "{folder}/src", "timeout": 5000}, make_tree),
        ),
        failing=Example({"command": "true", "cwd": "missing"}),
    ),
    "TaskOutput": Examples(
        calls=(
            Example({"task_id": "example"}),
            Example({"task_id": "example", "block": False, "timeout": 0.5, "offset": -1}),
        ),
        begin=begin_task("echo roses"),
        failing=Example({"task_id": "missing"}),
    ),
    "TaskInput": Examples(
        calls=(
            Example({"task_id": "example", "text": "roses\n"}),
            Example({"task_id": "example", "end": True}),
        ),
        begin=begin_task("cat"),
        failing=Example({"task_id": "missing"}),
    ),
    "KillShell": Examples(
        calls=(Example({"shell_id": "example"}),),
        begin=begin_task("sleep 1000"),
        failing=Example({"shell_id": "missing"}),
    ),
    "Tasks": Examples(
        calls=(Example({}),),
        begin=begin_task("true"),
        failing=Example({"surprise": 1}),  # nothing else can be wrong with it
    ),
}


# ── the conversation ──────────────────────────────────────────────────────────────────────────
def write_plan(folder: Path) -> None:
    (folder / "plan.md").write_text("# Plan", encoding="utf-8")


def begin_plan(agent: AgentState) -> None:
    """In plan mode, before somebody who approves."""

    async def yes(approval: Approval) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True)

    agent.policy.mode, agent.policy.plan_file = Mode.PLAN, f"{agent.workspace.root}/plan.md"
    agent.person = Person(yes)


def begin_talk(agent: AgentState) -> None:
    async def first(question: Question) -> QuestionAnswer:
        return QuestionAnswer(question_id=question.id, chosen=(question.options[0].label,))

    agent.person.asker = first


class Answering:
    """A further agent that is done at once."""

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id

    async def report(self) -> AgentReport:
        return AgentReport(agent_id=self.agent_id, agent_type="explore", text="roses", turns=1)


class Answerers:
    def check(self, order: AgentOrder) -> None:
        if order.agent_type != "explore":
            raise ToolError.of("subagent_unknown_type", type=order.agent_type, types="explore")

    def start(self, order: AgentOrder) -> Any:
        self.check(order)
        return Answering("agent_1")


def begin_crew(agent: AgentState) -> None:
    agent.subagents = Answerers()


_OPTIONS = [{"label": "Red", "description": "as roses"}, {"label": "Blue"}]
_QUESTION = {"question": "Which colour?", "header": "Colour", "options": _OPTIONS}
_ORDER = {"description": "look for roses", "prompt": "Find them.", "subagent_type": "explore"}

EXAMPLES |= {
    "TodoWrite": Examples(
        calls=(
            Example({"todos": [{"content": "Read", "status": "pending"}]}),
            Example({"todos": [{"content": "Go", "status": "in_progress", "activeForm": "Going"}]}),
        ),
        failing=Example(
            {"todos": [{"content": one, "status": "in_progress"} for one in ("a", "b")]}
        ),
    ),
    "TodoRead": Examples(calls=(Example({}),), failing=Example({"surprise": 1})),
    "AskUserQuestion": Examples(
        calls=(
            Example({"questions": [_QUESTION]}),
            Example({"questions": [{**_QUESTION, "multiSelect": True}]}),
        ),
        begin=begin_talk,
        failing=Example({"questions": [_QUESTION, _QUESTION]}),
    ),
    "EnterPlanMode": Examples(calls=(Example({}),), failing=Example({"surprise": 1})),
    "ExitPlanMode": Examples(
        calls=(
            Example({}, write_plan),
            Example({"allowedPrompts": [{"tool": "Bash", "prompt": "run tests"}]}, write_plan),
            Example({"pushToRemote": True, "remoteSessionId": "r1"}, write_plan),
        ),
        begin=begin_plan,
        takes_more=True,
        failing=Example({}),
    ),
    "Task": Examples(
        calls=(Example(_ORDER), Example({**_ORDER, "max_turns": 3, "allowed_tools": ["Read"]})),
        begin=begin_crew,
        failing=Example({**_ORDER, "subagent_type": "dragon"}),
    ),
}

EXAMPLES |= {
    "Undo": Examples(
        calls=(Example({}), Example({"preview": True})), failing=Example({"id": "missing"})
    ),
    "Redo": Examples(
        calls=(Example({}), Example({"preview": True})), failing=Example({"id": "missing"})
    ),
    "Help": Examples(
        calls=(Example({}), Example({"topic": "Read"}), Example({"language": "hi"})),
        failing=Example({"topic": "Missing"}),
    ),
    "Say": Examples(calls=(Example({"text": "roses"}),), failing=Example({"surprise": 1})),
}

DEFINITIONS: dict[str, Definition] = {one.name: one for one in tools.definitions().values()}
MODULES: dict[str, str] = {one.name: module for module, one in tools.definitions().items()}


def count_tokens(text: str) -> int:
    """Each word and each mark is one token: what the usual tokenisers make of plain English."""
    return len(re.findall(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", text))


def has_code_block(text: str) -> bool:
    return "```" in text or any(line.startswith(("    ", "\t")) for line in text.splitlines())


def has_reply_shape(text: str) -> bool:
    """An object or a list written out: `{ok: true, …}`, `{"id"`, `[{`."""
    return bool(re.search(r"""(?<!\$)\{\s*["']?\w*["']?\s*[:,}]|\[\s*[\[{"']""", text))


def wrong_values(schema: JsonSchema) -> list[Any]:
    """Values of other types than the parameter's own."""
    kinds: dict[str, list[Any]] = {
        "string": [7, True, ["text"], {"a": 1}, None],
        "integer": ["seven", 1.5, True, [1], None],
        "number": ["seven", True, [1], None],
        "boolean": ["yes", 1, [True], None],
        "array": ["text", 7, {"a": 1}, None],
        "object": ["text", 7, [1], None],
    }
    return kinds[schema["type"]]
