"""A session's calls once more, without a model: run in a scratch copy, or answered from the log."""

import argparse
import asyncio
import tempfile
from contextlib import suppress
from copy import copy as copied
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.app import Toolkit, builtin_tools
from ankrcode.config.settings import SandboxSettings, Settings, UndoSettings
from ankrcode.errors import SessionError, ToolError
from ankrcode.frontends.cli.lines import as_json
from ankrcode.frontends.cli.scratch import moved, scratch_copy
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import AnyRecord, CallBegun, CallEnded, SessionStarted
from ankrcode.tooling.registry import Registry
from ankrcode.words import say

DIFFERS = 1
_SHOWN_CHARS = 500
# What decides how results look. Never what decides who may do what: the log may be anybody's.
_TAKEN_OVER = ("limits", "results", "read", "edit", "glob")
_NAMED_ANEW = ("task_id", "output_path", "saved_to", "change_id")


class Outcome(Struct, frozen=True, kw_only=True):
    """One call then and now."""

    call_id: str
    tool: str
    same: bool
    then: str
    now: str


class Recording(Struct, frozen=True, kw_only=True):
    """The calls of a session that ran to their end, in order."""

    started: SessionStarted
    calls: list[tuple[ToolCall, CallEnded]]

    @property
    def root(self) -> str:
        return self.started.roots[0] if self.started.roots else self.started.cwd


def replay_session(path: str, options: argparse.Namespace, clean: Any) -> int:
    recording = recorded([record for _, record in read_log(path).records], path)
    outcomes = answered(recording) if options.recorded else run_again(recording)
    for one in outcomes:
        shown = clean(msgspec.to_builtins(one))
        if options.json:
            print(as_json(shown).decode())
        elif not one.same:
            then, now = shown["then"][:_SHOWN_CHARS], shown["now"][:_SHOWN_CHARS]
            print(say("replay_differs", call=one.call_id, tool=one.tool, then=then, now=now))
    differing = sum(not one.same for one in outcomes)
    if not options.json:
        print(say("replay_done", count=len(outcomes), differing=differing))
    return DIFFERS if options.verify and differing else 0


def recorded(records: list[AnyRecord], path: str) -> Recording:
    started = next((one for one in records if isinstance(one, SessionStarted)), None)
    if started is None:
        raise SessionError.of("replay_nowhere", path=path)
    ended = {
        one.call_id: one for one in records if isinstance(one, CallEnded) and not one.interrupted
    }
    begun = [one.call for one in records if isinstance(one, CallBegun)]
    calls = [(call, ended[call.id]) for call in begun if call.id in ended]
    return Recording(started=started, calls=calls)


# ── run again ─────────────────────────────────────────────────────────────────────────────────
def run_again(recording: Recording) -> list[Outcome]:
    """In a copy of the workspace as it was when the session began; nothing else is changed."""
    with scratch_copy(recording.root, recording.started.at) as copy:
        return asyncio.run(_run_again(recording, str(copy)))


async def _run_again(recording: Recording, copy: str) -> list[Outcome]:
    root = recording.root
    kit = Toolkit(cwd=copy, mode="auto", settings=_settings(recording.started))
    kit.agent.policy.can_undo = True  # the copy is thrown away: nothing can be lost
    kit.agent.workspace.cwd = moved(recording.started.cwd, root, copy)
    outcomes = []
    try:
        for call, then in recording.calls:
            again = ToolCall(name=call.name, arguments=moved(call.arguments, root, copy))
            outcomes.append(_compared(call, then, await kit.call_raw(again), copy, root))
    finally:
        kit.close()
    return outcomes


def _settings(started: SessionStarted) -> Settings:
    """As then, as far as results depend on it; and no command runs without a wall around it."""
    taken = {key: started.settings[key] for key in _TAKEN_OVER if key in started.settings}
    settings = Settings()
    with suppress(msgspec.ValidationError):  # another version's
        settings = msgspec.convert(taken, Settings)
    return msgspec.structs.replace(
        settings,
        undo=UndoSettings(enabled=False),
        sandbox=SandboxSettings(always=True, required=True),
    )


def _compared(call: ToolCall, then: CallEnded, now: ToolResult, copy: str, root: str) -> Outcome:
    said = now.text.replace(copy, root)
    for name in _NAMED_ANEW:  # a new name for the same thing is no difference
        old, new = then.metadata.get(name), now.metadata.get(name)
        if isinstance(old, str) and isinstance(new, str):
            said = said.replace(new, old)
    codes = [one and one.code for one in (then.error, now.error)]
    same = codes[0] == codes[1] and then.text == said
    return Outcome(call_id=call.id, tool=call.name, same=same, then=then.text, now=said)


# ── answered from the log ─────────────────────────────────────────────────────────────────────
def answered(recording: Recording) -> list[Outcome]:
    """Nothing runs: is each call still understood, and would it still be let pass?"""
    with tempfile.TemporaryDirectory(prefix="ankrcode-replay-") as empty:
        return asyncio.run(_answered(recording, str(Path(empty).resolve())))


async def _answered(recording: Recording, empty: str) -> list[Outcome]:
    answer: dict[str, ToolResult] = {}  # of the call that is on its way

    async def yes(_: Approval) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True)

    registry = _answering(recording, answer)
    settings = _settings(recording.started)
    kit = Toolkit(cwd=empty, approve=yes, registry=registry, settings=settings)
    outcomes = []
    for call, then in recording.calls:
        if then.error is not None:  # it was refused or failed then: there is nothing to answer
            continue
        answer["now"] = ToolResult(text=then.text, title=then.title)
        arguments = moved(call.arguments, recording.root, empty)
        now = await kit.call_raw(ToolCall(name=call.name, arguments=arguments))
        outcomes.append(_compared(call, then, now, empty, recording.root))
    kit.close()
    return outcomes


def _answering(recording: Recording, answer: dict[str, ToolResult]) -> Registry:
    """The tools of the session, which say what they said then."""

    async def run(*_: Any) -> ToolResult:
        return answer["now"]

    async def nothing(*_: Any) -> None:
        return None

    known, registry = builtin_tools(), Registry()
    for name in dict.fromkeys(call.name for call, _ in recording.calls):
        with suppress(ToolError):  # a tool that is no more: its calls will say so
            tool = copied(known.find(name))
            tool.__dict__ |= {"run": run, "validate": nothing, "preview": lambda *_: None}
            registry.register(tool, replace_existing=tool.name in registry.names)
    return registry
