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
from ankrcode.protocol.definition import Definition, JsonSchema


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
    is_complex: bool = False  # its summary then has 25 to 40 tokens instead of 10 to 20
    failing: Example = field(default_factory=lambda: Example({}))  # fits the schema, but fails


def write_poem(folder: Path) -> None:
    (folder / "poem.txt").write_text("roses\nare\nred\nviolets\nare\nblue\n", encoding="utf-8")


def make_tree(folder: Path) -> None:
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "a.py").write_text("pass\n", encoding="utf-8")
    (folder / "link").symlink_to("src")


EXAMPLES: dict[str, Examples] = {
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
    "Read": Examples(
        calls=(
            Example({"file_path": "{folder}/poem.txt"}, write_poem),
            Example({"file_path": "poem.txt", "offset": 2, "limit": 2}, write_poem),
            Example({"file_path": "poem.txt", "encoding": "base64"}, write_poem),
        ),
        failing=Example({"file_path": "missing.txt"}),
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
