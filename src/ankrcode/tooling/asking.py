"""The question itself: what a person sees before they say yes, and what a yes for longer leaves."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.trust import TrustStore
from ankrcode.errors import SettingsError
from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.risk import risk_of
from ankrcode.permissions.rules.rules import Rule
from ankrcode.permissions.suggestions import suggested
from ankrcode.permissions.verdicts import Verdict
from ankrcode.permissions.visible import visible
from ankrcode.protocol.approval import Approval, RememberScope
from ankrcode.tooling.running import RunningCall


def facts_of(running: RunningCall) -> CallFacts:
    """The call as the decision sees it."""
    return CallFacts(
        tool=running.tool.name,
        arguments=running.arguments.values,
        acts=running.acts,
        subject=running.tool.subject(running.args),
        exact=running.exact,
    )


def approval_for(running: RunningCall, verdict: Verdict, approval_id: str) -> Approval:
    agent, tool, arguments = running.agent, running.tool, running.arguments
    facts = facts_of(running)
    is_unwalled = arguments.values.get("dangerously_disable_sandbox") is True
    return Approval(
        id=approval_id,
        call_id=running.ctx.call_id,
        tool=tool.name,
        arguments=arguments.values,
        reason=verdict.reason,
        acts=running.acts,
        preview=tool.preview(running.args, running.ctx),
        agent_id=agent.agent_id,
        risk=risk_of(facts, verdict, agent.policy, agent.workspace, is_unwalled=is_unwalled),
        text=text_of(arguments.values),
        rules=tuple(rule.text for rule in _rules_for(running, facts, "project")),
        digest=digest_of(tool.name, arguments.canonical),
    )


def text_of(arguments: dict[str, Any]) -> str:
    """Exactly what will run: the command or the code; of other tools, all they are given."""
    for name in ("command", "code"):
        if isinstance(text := arguments.get(name), str):
            return visible(text)
    return visible(msgspec.json.format(msgspec.json.encode(arguments), indent=2).decode())


def digest_of(tool: str, arguments: bytes) -> str:
    return sha256(tool.encode() + b"\0" + arguments).hexdigest()


# ── a yes for longer ──────────────────────────────────────────────────────────────────────────
def _rules_for(running: RunningCall, facts: CallFacts, scope: RememberScope) -> tuple[Rule, ...]:
    """None where the tool has a reason of its own to ask: no rule would answer that."""
    tool, policy = running.tool, running.agent.policy
    if tool.always_asks or tool.approval(running.args, running.ctx):
        return ()
    is_for_user = scope == "user"
    return suggested(facts, policy, running.agent.workspace, is_for_user=is_for_user)


def remember(running: RunningCall, scope: RememberScope) -> dict[str, Any]:
    """Let the same pass from now on; what was written down, and where. It never fails the call."""
    facts, policy = facts_of(running), running.agent.policy
    rules = _rules_for(running, facts, scope)
    policy.approved.add(facts.exact)
    policy.remember(rules)
    told: dict[str, Any] = {"remembered": [rule.text for rule in rules]}
    if scope == "session" or not rules:
        return told | {"remembered_for": "session"}
    try:
        file = _write_down([rule.text for rule in rules], scope, running.agent.workspace.root)
    except SettingsError as problem:
        return told | {"remembered_for": "session", "not_written": str(problem)}
    if scope == "project" and not TrustStore.of(os.environ).judge(file.parent.parent).is_trusted:
        told["counts_once_trusted"] = True  # a folder's own permissions wait for that
    return told | {"remembered_for": scope, "remembered_in": str(file)}


def _write_down(texts: list[str], scope: RememberScope, root: str) -> Path:
    from ankrcode.config.edit import add_to_list  # only a yes for longer pays for it
    from ankrcode.config.paths import config_file, local_file

    is_for_project = scope == "project"
    file = local_file(Path(root)) if is_for_project else config_file(os.environ)
    add_to_list(file, "permissions.allow", texts, root=Path(root) if is_for_project else None)
    return file
