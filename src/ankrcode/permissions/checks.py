"""`permissions check`: the policies by name, over plain data. Nothing is run, written or resolved.

Each check takes what a line of JSON holds and answers with data; whatever is not a question of
its kind gets the strictest answer.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, get_args

from ankrcode.config.redactor import Redactor
from ankrcode.permissions.calls import AGENTS, ALWAYS_ASKED, facts_of
from ankrcode.permissions.decide import Decision, Verdict, decide
from ankrcode.permissions.judge import judge
from ankrcode.permissions.paths import PathAnswer, PathOp, check_path
from ankrcode.permissions.places import CommandEnv
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, parse_rules
from ankrcode.permissions.urls import UrlPolicy
from ankrcode.permissions.verdicts import stricter
from ankrcode.protocol.permission import Mode
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

Answer = dict[str, Any]
Env = Mapping[str, Any]
# The verdict of the tool itself on such a call; None where it is no call of a tool that is known.
Foresight = Callable[[str, dict[str, Any], Policy, Workspace], Verdict | None]


def check(kind: str, given: Any, env: Env) -> Answer:
    """The answer to one question; `kind` is one of `CHECKS`."""
    return CHECKS[kind](given, env)


class Surroundings:
    """Where a question is asked: the roots, the current directory and the home, as real places."""

    def __init__(self, env: Env) -> None:
        listed = env.get("roots")
        named = [env.get("root"), *(listed if isinstance(listed, list) else [])]
        texts = [one for one in named if isinstance(one, str) and "\0" not in one and one]
        self.roots = tuple(dict.fromkeys(map(os.path.realpath, texts))) or (os.path.realpath("."),)
        self.cwd = os.path.realpath(_text(env, "cwd") or self.roots[0])
        self.home = _text(env, "home") or os.path.expanduser("~")  # noqa: PTH111

    def workspace(self) -> Workspace:
        return Workspace(self.roots, self.cwd, home=os.path.realpath(self.home))


def _text(env: Env, name: str) -> str:
    value = env.get(name)
    return value if isinstance(value, str) and "\0" not in value else ""


def _check_path(given: Any, env: Env) -> Answer:
    path, op = _fields(given, "path", "op")
    if not isinstance(path, str) or op not in get_args(PathOp):
        reason = say("check.path_input", ops=", ".join(get_args(PathOp)))
        return {"verdict": PathAnswer.REFUSE.value, "reason": reason}
    here = Surroundings(env)
    verdict = check_path(path, op, roots=here.roots, cwd=here.cwd, home=here.home)
    return {"verdict": verdict.verdict.value, "reason": verdict.reason}


def check_rule(given: Any, env: Env, foresee: Foresight | None = None) -> Answer:
    """What the call comes to under these rules: by the tool itself, else by what its name says."""
    rules, mode, call = _fields(given, "rules", "mode", "call")
    tool, arguments = _fields(call, "tool", "args")
    if not isinstance(tool, str) or not isinstance(rules or {}, dict):
        return {"verdict": "deny", "matched": None, "reason": say("check.rule_input")}
    here = Surroundings(env)
    workspace = here.workspace()
    anchors = Anchors(workspace.root, workspace.cwd, workspace.home)
    ruleset, faults = parse_rules(_rule_lists(rules or {}), anchors)
    policy = Policy(mode=mode_meant(mode or env.get("mode")), rules=ruleset)
    arguments = arguments if isinstance(arguments, dict) else {}
    verdict = foreseen(tool, arguments, policy, workspace, foresee)
    is_agents = tool in AGENTS and verdict.decision is not Decision.ALLOW and not verdict.rule
    answer: Answer = {
        "verdict": verdict.decision.value,
        "matched": verdict.rule or None,
        "reason": say("why.agent_calls") if is_agents else verdict.reason,
    }
    if faults:
        answer["faults"] = [str(fault) for fault in faults]
        if any(fault.kind != "allow" for fault in faults) and verdict.decision is Decision.ALLOW:
            # What a broken rule was meant to stop is not known: nothing goes through unasked.
            answer |= {"verdict": "ask", "matched": None, "reason": str(faults[0])}
    return answer


def foreseen(
    tool: str,
    arguments: dict[str, Any],
    policy: Policy,
    workspace: Workspace,
    foresee: Foresight | None,
) -> Verdict:
    """By its name and by the tool itself, whichever lets less through: what only this machine
    makes harmless (a wall, a journal) is no matter of rules."""
    by_tool = foresee(tool, arguments, policy, workspace) if foresee is not None else None
    by_name = decide(facts_of(tool, arguments, workspace), policy, workspace)
    if tool in ALWAYS_ASKED and policy.mode is not Mode.BYPASS:
        is_silent = policy.mode in (Mode.PLAN, Mode.DONT_ASK)
        decision = Decision.DENY if is_silent else Decision.ASK
        by_name = stricter(by_name, Verdict(decision=decision, reason=say("why.always_asked")))
    return by_name if by_tool is None else stricter(by_tool, by_name)


def _rule_lists(rules: dict[str, Any]) -> list[tuple[Kind, list[Any]]]:
    kinds: tuple[Kind, ...] = ("deny", "ask", "allow")
    return [(kind, rules[kind]) for kind in kinds if isinstance(rules.get(kind), list)]


def mode_meant(given: Any) -> Mode:
    """Also by the names that others have for it; what is not known is the default."""
    known = {mode.value: mode for mode in Mode} | {"bypassPermissions": Mode.BYPASS}
    return known.get(given, Mode.DEFAULT) if isinstance(given, str) else Mode.DEFAULT


def _fields(given: Any, *names: str) -> list[Any]:
    return [given.get(name) if isinstance(given, dict) else None for name in names]


def _check_command(given: Any, env: Env) -> Answer:
    if not isinstance(given, str):
        reason = say("check.command_input")
        return {"verdict": "needs_approval", "reason": reason, "parts": [], "effects": []}
    here = Surroundings(env)
    return judge(given, CommandEnv(roots=here.roots, cwd=here.cwd, home=here.home)).as_data()


def _check_url(given: Any, env: Env) -> Answer:
    url, method, dns, redirects, size = _fields(
        given, "url", "method", "dns", "redirects", "body_size"
    )
    allow = env.get("allow")
    answers = _dns(dns)
    hops = redirects or []
    is_asked_well = (
        isinstance(url, str)
        and isinstance(method or "GET", str)
        and answers is not None
        and isinstance(hops, list)
        and all(isinstance(hop, str) for hop in hops)
        and (size is None or (isinstance(size, int | float) and size >= 0))
    )
    if not is_asked_well or answers is None:
        return {"verdict": "deny", "reason": say("check.url_input")}
    policy = UrlPolicy(
        allow if isinstance(allow, list) else (),
        allow_loopback=env.get("allow_loopback") is True,
    )
    verdict = policy.check(
        url, method=method or "GET", dns=answers, redirects=hops, body_size=size or 0
    )
    return {"verdict": "allow" if verdict.is_allowed else "deny", "reason": verdict.reason}


def _dns(given: Any) -> dict[str, list[list[str]]] | None:
    """Successive answers for each host; one list of addresses is one answer. None: malformed."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        return None
    found: dict[str, list[list[str]]] = {}
    for host, listed in given.items():
        answers = [listed] if isinstance(listed, str) else listed
        if not isinstance(answers, list):
            return None
        nested = answers if any(isinstance(one, list) for one in answers) else [answers]
        found[host] = [one if isinstance(one, list) else [one] for one in nested]
        if not all(isinstance(text, str) for one in found[host] for text in one):
            return None
    return found


def _check_secret(given: Any, _env: Env) -> Answer:
    if not isinstance(given, str):
        return {"error": say("check.secret_input")}
    return {"output": Redactor().redact(given)}


CHECKS: dict[str, Callable[[Any, Env], Answer]] = {
    "path": _check_path,
    "url": _check_url,
    "secret": _check_secret,
    "rule": check_rule,
    "command": _check_command,
}
