"""What would become of a call: judged by its own tool, on the path of the agent's calls."""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ankrcode.app import builtin_tools
from ankrcode.config.loaded import LoadedSettings, load_settings
from ankrcode.config.settings import Settings
from ankrcode.errors import AnkrCodeError
from ankrcode.permissions.checks import Surroundings, check_rule, mode_meant
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.layers import rules_of_layers
from ankrcode.permissions.verdicts import Decision, Verdict
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.permission import Mode, mode_named
from ankrcode.sandbox.choose import Sandbox
from ankrcode.tooling.activity import ActivityStream
from ankrcode.tooling.durable import can_be_undone
from ankrcode.tooling.identity import SystemSource
from ankrcode.tooling.pipeline import Pipeline
from ankrcode.tooling.results import ResultStore
from ankrcode.tooling.state import AgentState
from ankrcode.words import say
from ankrcode.workspace import processes as programs
from ankrcode.workspace.roots import Workspace

_ROOTS_KEPT = 16


class Verdicts:
    """Verdicts on calls that nobody makes: no toolkit is opened, so nothing is tidied or noted."""

    def __init__(self, command_line: Sequence[str] = ()) -> None:
        self._command_line = tuple(command_line)
        self._source = SystemSource()
        self._pipeline = Pipeline(
            registry=builtin_tools(),
            activity=ActivityStream(),
            source=self._source,
            store=ResultStore(""),
            limits=Settings().limits,
        )
        self._loaded = lru_cache(_ROOTS_KEPT)(self._load)

    def _load(self, root: str) -> LoadedSettings:
        return load_settings(Path(root), environ=os.environ, command_line=self._command_line)

    # ── questions about rules ─────────────────────────────────────────────────────────────────
    def foresee(
        self, tool: str, arguments: dict[str, Any], policy: Policy, workspace: Workspace
    ) -> Verdict | None:
        """None where it is no call: there is no such tool, or it does not take these arguments."""
        try:
            return self._judged(tool, arguments, policy, workspace)
        except AnkrCodeError:
            return None

    def on_rule(self, given: Any, env: dict[str, Any]) -> dict[str, Any]:
        return check_rule(given, env, self.foresee)

    # ── questions about calls ─────────────────────────────────────────────────────────────────
    def on_call(self, given: Any, env: dict[str, Any]) -> dict[str, Any]:
        """As the agent would decide in that folder: with its settings, its rules, its trust."""
        if not isinstance(given, dict) or not isinstance(given.get("tool"), str):
            return _answer("deny", say("check.call_input"))
        workspace, arguments = Surroundings(env).workspace(), given.get("args") or {}
        try:
            policy = self._policy(given.get("mode") or env.get("mode"), workspace)
            verdict = self._judged(given["tool"], arguments, policy, workspace)
        except AnkrCodeError as problem:
            return _answer("deny", str(problem))  # such a call never runs
        return _answer(verdict.decision, verdict.reason, verdict.rule)

    def _policy(self, mode: Any, workspace: Workspace) -> Policy:
        loaded = self._loaded(workspace.root)
        rules, _ = rules_of_layers(loaded.rules, workspace)
        chosen = str(mode or loaded.settings.permissions.mode)
        known = mode_meant(chosen)  # also by the name that others have for bypass
        return Policy(mode=known if known is Mode.BYPASS else mode_named(chosen), rules=rules)

    def _judged(self, tool: str, arguments: Any, policy: Policy, workspace: Workspace) -> Verdict:
        settings = self._loaded(workspace.root).settings
        agent = AgentState(
            workspace=workspace,
            policy=policy,
            settings=settings,
            processes=lambda: _processes(settings),
        )
        policy.can_undo = settings.undo.enabled and can_be_undone(workspace)
        policy.can_confine = lambda: agent.processes.confinement.name != "none"
        return self._pipeline.judge(ToolCall(name=tool, arguments=arguments), agent)[1]


def _processes(settings: Settings) -> "programs.Processes":
    """None is ever started; which wall stands is all that a verdict asks."""
    from ankrcode.workspace.processes.saved import Saved

    return programs.Processes(Saved(""), confinement=Sandbox(settings.sandbox))


def _answer(verdict: str, reason: str, rule: str = "") -> dict[str, Any]:
    """With nobody there to ask, a question is a no."""
    unattended = "deny" if verdict == Decision.ASK else verdict
    return {
        "verdict": verdict,
        "headless": unattended,
        "matched": rule or None,
        "reason": reason,
    }
