"""Runs the hooks of an event, all at once, and puts their answers together.

    answer = await engine.run("UserPromptSubmit", {"prompt": "…"})
    if answer.is_blocked: …

The hooks are those of the session's start: a later change of a settings file changes nothing.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from ankrcode.config.hooks import HookCommand, HookGroup, HookTable, fitting_hooks
from ankrcode.config.limits import HOOK_CONTEXT_CHARS
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer, together
from ankrcode.tooling.hooks.events import HookEvent, mode_for_scripts
from ankrcode.tooling.hooks.functions import FunctionHook
from ankrcode.tooling.state import AgentState
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

Runner = HookCommand | FunctionHook
Rewrites = dict[Any, HookAnswer]
Teller = Callable[[str, str], None]  # an event, and what its hooks have to say to the person
_NAME_CHARS = 120


class HookEngine:
    """The hooks of one session: those of the settings, and functions."""

    def __init__(
        self, table: HookTable, functions: Iterable[FunctionHook], agent: AgentState
    ) -> None:
        self._agent = agent
        self._hooks: dict[str, list[tuple[HookGroup, Runner]]] = {}
        _check(table)
        for event, groups in table.items():
            pairs = [(group, one) for group in groups for one in group.hooks]
            self._hooks.setdefault(event, []).extend(pairs)
        for function in functions:
            self._hooks.setdefault(function.event, []).append((function.group, function))
        self._ran_once: set[Any] = set()
        self._unattended: set[asyncio.Task[HookAnswer]] = set()
        self.has_begun = False
        self.transcript_path = ""  # the session's log, where one is kept
        self.begun = SILENCE  # what was said at the session's start, for the first result
        self.teller: Teller | None = None  # where no result carries what hooks say to the person

    def listens(self, event: HookEvent | str) -> bool:
        """Is there any hook for it?"""
        return bool(self._hooks.get(event))

    async def run(
        self,
        event: HookEvent | str,
        payload: Mapping[str, Any] | None = None,
        *,
        rewrites: Rewrites | None = None,
    ) -> HookAnswer:
        """All hooks that match, at once. `rewrites`: what this call's hooks rewrote before."""
        event = HookEvent(event)
        if not self.listens(event):
            return HookAnswer()
        facts = {**self._facts(), "hook_event_name": str(event), **(payload or {})}
        chosen = list(self._chosen(event, facts))
        waiting = [self._answer(event, one, facts) for one in chosen]
        answers = await asyncio.gather(*waiting)
        if rewrites is not None:
            pairs = zip(chosen, answers, strict=True)
            answers = [_heard(_key(one), answer, facts, rewrites) for one, answer in pairs]
        answer = together(answers)
        if "tool_name" not in facts:
            self._show(str(event), answer)
        return answer

    def _show(self, event: str, answer: HookAnswer) -> None:
        if self.teller is not None:
            for text in (*answer.messages, *answer.faults):
                self.teller(event, text[:HOOK_CONTEXT_CHARS])

    def tell(self, event: HookEvent | str, payload: Mapping[str, Any]) -> None:
        """The same, but nobody waits for it."""
        if self.listens(event):
            self._leave(self.run(event, payload))

    # ── which, and with what ──────────────────────────────────────────────────────────────
    def _facts(self) -> dict[str, Any]:
        agent = self._agent
        return {
            "session_id": agent.session_id,
            "transcript_path": self.transcript_path,
            "cwd": agent.workspace.cwd,
            "permission_mode": mode_for_scripts(agent.policy.mode),
        }

    def _chosen(self, event: HookEvent, facts: Mapping[str, Any]) -> Iterator[Runner]:
        """Each command once, however often it is written down."""
        subject, seen = event.subject(facts), set()
        for group, one in self._hooks[event]:
            key = _key(one)
            if key in seen or key in self._ran_once:
                continue
            if subject is not None and not group.matches(subject):
                continue
            if not self._is_meant(one, facts):
                continue
            seen.add(key)
            if isinstance(one, HookCommand) and one.once:
                self._ran_once.add(key)
            yield one

    def _is_meant(self, one: Runner, facts: Mapping[str, Any]) -> bool:
        """Does its `if` fit? One that cannot be read keeps no guard from its work."""
        if not isinstance(one, HookCommand) or not one.condition or "tool_name" not in facts:
            return True
        from ankrcode.tooling.hooks.conditions import fits  # only a condition pays for it

        workspace = Workspace(self._agent.workspace.roots, facts["cwd"])
        return fits(one.condition, str(facts["tool_name"]), facts.get("tool_input"), workspace)

    # ── running ───────────────────────────────────────────────────────────────────────────
    async def _answer(self, event: HookEvent, one: Runner, facts: dict[str, Any]) -> HookAnswer:
        if isinstance(one, FunctionHook):
            return await one.answer(facts)
        if one.type != "command" or not one.command:
            return _unsupported(event, one)
        if one.is_async:
            self._leave(self._command(event, one, facts))
            return HookAnswer()
        return await self._command(event, one, facts)

    async def _command(
        self, event: HookEvent, one: HookCommand, facts: dict[str, Any]
    ) -> HookAnswer:
        from ankrcode.tooling.hooks.commands import CannotRun, run_command  # slow to load
        from ankrcode.tooling.hooks.protocol import answer_of, unusable

        agent, name = self._agent, one.command[:_NAME_CHARS]
        try:
            ran = await run_command(one, facts, agent.processes, agent.workspace.root)
        except CannotRun as problem:
            return unusable(event, say("hook_not_started", hook=name, why=problem))
        return answer_of(event, ran, name)

    def _leave(self, work: Coroutine[Any, Any, HookAnswer]) -> None:
        task = asyncio.create_task(work)
        self._unattended.add(task)
        task.add_done_callback(self._unattended.discard)


def _check(table: HookTable) -> None:
    """Settings made in a program were not looked at by anybody yet."""
    _, faults = fitting_hooks(msgspec.to_builtins(table), "settings")
    if faults:
        raise faults[0]


def _key(one: Runner) -> Any:
    return one.function if isinstance(one, FunctionHook) else (one.type, one.command)


def _unsupported(event: HookEvent, one: HookCommand) -> HookAnswer:
    """A guard that cannot run here is worth a question; anything else is noted."""
    why = say("hook_type", type=one.type[:_NAME_CHARS])
    if event.is_guarded:
        return HookAnswer(decision="ask", reason=why)
    return HookAnswer(faults=(why,))


def _heard(key: Any, answer: HookAnswer, facts: dict[str, Any], rewrites: Rewrites) -> HookAnswer:
    """Each hook rewrites a call once: published scripts do not expect to see their own work.

    What it said together with its rewrite still holds when it is silent about the outcome.
    """
    earlier = rewrites.get(key)
    if earlier is None:
        if answer.arguments is not None:
            rewrites[key] = answer
        return answer
    if not answer.decision and earlier.arguments == facts.get("tool_input"):
        answer = replace(answer, decision=earlier.decision, reason=earlier.reason)
    return replace(answer, arguments=None)
