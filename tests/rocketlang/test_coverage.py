"""Every operation is tried in every language and script."""

from functools import cache
from typing import Any

import pytest

from ankrcode.rocketlang.lexicon import LANGUAGES
from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import corpus

VOICES = [
    ("en", "roman"),
    *((one, script) for one in LANGUAGES[1:] for script in ("roman", "native")),
]
ROWS = [row for name in ("examples", "regular", "hard", "everyday") for row in corpus(name)]
# The start of a command says what kind of work it is.
COMMANDS = {
    "tail": "last lines",
    "wc": "count lines",
    "mkdir": "create folder",
    "printf": "append",
    "cp": "copy",
    "python -m pytest": "tests",
    "git status": "status",
    "git diff": "changes",
    "git log": "history",
    "git commit": "commit",
    "git push": "push",
    "git checkout -b": "new branch",
}
EVERYWHERE = {
    *("Read", "lines", "List", "Grep", "Glob", "Grep count", "Edit", "Edit all", "cut", "Write"),
    *("create", "Delete", "Move", "TodoRead", "Remember", "Recall", "Say", "Undo", "Help"),
    *("tests", "append", "copy", "commit", "push", "create folder", "last lines", "new branch"),
    *("changes", "history", "count lines", "explain", "check"),
}


def work(call: dict[str, Any]) -> str:
    """What kind of work a call is."""
    tool, args = call["tool"], call["args"]
    if tool == "Bash":
        command = str(args["command"])
        return next((said for start, said in COMMANDS.items() if command.startswith(start)), "run")
    if tool == "Edit":
        return "cut" if not args["new_string"] else "Edit all" if "replace_all" in args else "Edit"
    kinds = {
        "Read": "lines" if len(args) > 1 else "Read",
        "Grep": "Grep count" if "output_mode" in args else "Grep",
        "Write": "Write" if args.get("content") else "create",
        "Task": "explain" if str(args.get("prompt", "")).startswith("Explain: ") else "ask",
    }
    return "check" if tool.endswith("_validate") else kinds.get(tool, tool)


@cache
def tried() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {voice: set() for voice in VOICES}
    for row in ROWS:
        reading = read_sentence(row["text"])
        found[reading.lang, reading.script].update(work(call) for call in row["calls"])
    return found


@pytest.mark.parametrize("voice", VOICES, ids="-".join)
def test_every_kind_of_work_is_tried_in_every_voice(voice: tuple[str, str]) -> None:
    assert sorted(EVERYWHERE - tried()[voice]) == []
