"""Which calls may run beside others, where somebody chose to go by the kind of tool."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import tools
from tools.suite import DEFINITIONS, EXAMPLES, MODULES

SAFE = {"Read", "Glob", "Grep", "Task", "TaskOutput", "KillShell"}
UNSAFE = {"Write", "Edit", "NotebookEdit", "EnterPlanMode", "ExitPlanMode", "TodoWrite"}
UNSAFE |= {"AskUserQuestion"}


def is_safe(name: str, arguments: dict[str, Any]) -> bool:
    tool = tools.load(MODULES[name])
    safe: bool = tool.is_concurrency_safe(tool.model.parse(arguments))
    return safe


@pytest.mark.requirement("S4-126")
@pytest.mark.parametrize("name", sorted(SAFE | UNSAFE))
def test_what_only_looks_is_safe_and_what_changes_or_asks_is_not(name: str, tmp_path: Path) -> None:
    assert DEFINITIONS[name].name == name
    arguments = EXAMPLES[name].calls[0].at(tmp_path)
    assert is_safe(name, arguments) is (name in SAFE)


@pytest.mark.requirement("S4-126")
@pytest.mark.parametrize(
    ("command", "is_beside_others"),
    [("ls -l", True), ("git status", True), ("touch x", False), ("ls > x", False), ("make", False)],
)
def test_a_command_is_safe_if_it_only_reads(command: str, is_beside_others: bool) -> None:
    assert is_safe("Bash", {"command": command}) is is_beside_others
