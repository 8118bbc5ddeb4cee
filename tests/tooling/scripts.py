"""Hook scripts for tests: settings that run them, and the kit that has these settings."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import msgspec

from ankrcode import Toolkit
from ankrcode.config.hooks import HookTable
from ankrcode.config.settings import Settings


def table(**events: Any) -> HookTable:
    """`table(PreToolUse=[("Bash", "script")])`: a matcher and a command, or a whole group."""
    groups = {
        event: [
            one
            if isinstance(one, dict)
            else {"matcher": one[0], "hooks": [{"type": "command", "command": one[1]}]}
            for one in given
        ]
        for event, given in events.items()
    }
    return msgspec.convert(groups, HookTable)


def settings(**events: Any) -> Settings:
    return Settings(hooks=table(**events))


def kit(folder: Path, *, mode: str = "bypass", **events: Any) -> Toolkit:
    return Toolkit(cwd=folder, mode=mode, settings=settings(**events))


def prints(data: object) -> str:
    """A command that prints this as JSON."""
    return f"printf %s {shlex.quote(json.dumps(data))}"


def decides(decision: str, reason: str = "", **more: Any) -> str:
    """A command that decides before a call."""
    return prints(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
                **more,
            }
        }
    )


def keeps(path: Path) -> str:
    """A command that writes down what it was given, one line for each time."""
    return f"cat >> {shlex.quote(str(path))}"


def kept(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def script(folder: Path, name: str, body: str) -> str:
    """A Python script as people publish them; the command that runs it."""
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} -P {shlex.quote(str(path))}"
