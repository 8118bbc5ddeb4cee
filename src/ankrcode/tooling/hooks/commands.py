"""Hooks as commands: started with the facts on stdin, read, and ended with all they began."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from typing import Any

import msgspec

from ankrcode.config.hooks import HookCommand
from ankrcode.config.limits import HOOK_TIMEOUT_S
from ankrcode.tooling.hooks.protocol import Ran
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.processes import Processes


class CannotRun(Exception):
    """The command could not even be started."""


async def run_command(
    hook: HookCommand, payload: Mapping[str, Any], processes: Processes, root: str
) -> Ran:
    """Run it where the agent is; secrets are not in its environment."""
    cwd = _existing(str(payload.get("cwd") or root), root)
    limit_s = hook.timeout or HOOK_TIMEOUT_S
    variables = {"CLAUDE_PROJECT_DIR": root, "ANKRCODE_PROJECT_DIR": root}
    try:
        process = processes.start(
            ("bash", "-c", hook.command),
            cwd=cwd,
            env=processes.environment() | variables,
            timeout_s=limit_s,
            splits=True,
            given=_encoded(payload),
        )
        outcome = await process.finished()
    except asyncio.CancelledError:
        process.stop(at_once=True)
        raise
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise CannotRun(str(problem)) from None
    output, is_whole = _text(process.output)
    return Ran(
        exit_code=outcome.exit_code,
        output=output,
        errors=_text(process.errors)[0],
        is_whole=is_whole,
        timeout_s=limit_s if outcome.ended_by == "timeout" else None,
    )


def _text(stream: Output) -> tuple[str, bool]:
    """What fits into memory; no more is ever wanted of a hook."""
    found = stream.extract()
    stream.discard()
    return (found.head + found.tail).decode(errors="replace"), found.skipped == 0


def _existing(cwd: str, root: str) -> str:
    return cwd if os.path.isdir(cwd) else root  # noqa: PTH112


def _encoded(payload: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(payload, enc_hook=repr) + b"\n"
    except UnicodeEncodeError:  # half a character; JSON can say even that
        from json import dumps

        return dumps(msgspec.to_builtins(payload, enc_hook=repr)).encode() + b"\n"
