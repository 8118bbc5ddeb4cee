"""The rules that a yes for longer would write down: no wider than what was approved.

A command is remembered part by part, each up to where its own arguments begin (`arity.py`); a
file as that file; a web page as its host. Whatever is suggested is tried: only rules that would
really have let the call through are offered.
"""

import os
import shlex
from collections.abc import Iterator
from copy import copy

from ankrcode.permissions.arity import beginning_of, is_remembered
from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.decide import decide
from ankrcode.permissions.hosts import BadHost
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.command_rules import CommandView, is_wrapped, redirected, viewed
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import BrokenRule, Rule, Ruleset, parse_rule
from ankrcode.permissions.urls import parse_url
from ankrcode.permissions.verdicts import Decision
from ankrcode.workspace.roots import Workspace, is_inside

MAX_RULES = 8  # a line of more parts is not what anybody means by "always"
_USUAL_PORTS = (80, 443)
_BY_ARGUMENT = {"Task": "subagent_type", "Agent": "subagent_type", "Skill": "skill"}


def suggested(
    call: CallFacts, policy: Policy, workspace: Workspace, *, is_for_user: bool = False
) -> tuple[Rule, ...]:
    """Rules that would have allowed the call; none where no rule can or should.

    `is_for_user`: they will stand in the person's own settings, where `/x` means another place.
    """
    try:
        texts = list(dict.fromkeys(_texts(call, workspace, is_for_user=is_for_user)))
        rules = tuple(_parsed(text, workspace) for text in texts)
    except (_Unsayable, BrokenRule):
        return ()
    if not rules or len(rules) > MAX_RULES:
        return ()
    trial = copy(policy)
    trial.grants, trial.phrases = [], []
    trial.rules = policy.rules + Ruleset(rules)
    return rules if decide(call, trial, workspace).decision is Decision.ALLOW else ()


class _Unsayable(Exception):
    """No rule says this and nothing more."""


def _parsed(text: str, workspace: Workspace) -> Rule:
    anchors = Anchors(workspace.root, workspace.cwd, os.path.realpath(workspace.home))
    return parse_rule(text, "allow", anchors, "remembered")


def _texts(call: CallFacts, workspace: Workspace, *, is_for_user: bool) -> Iterator[str]:
    tool = call.tool
    if call.command is not None:
        from ankrcode.permissions.command_judge import command_env

        env = command_env(workspace, call.arguments.get("cwd"))
        yield from _of_command(viewed(call.command, env), workspace, is_for_user=is_for_user)
    elif call.is_reader or call.is_writer:
        name = "Edit" if call.is_writer else "Read"
        for place in call.places(workspace):
            if call.is_writer and os.path.isdir(place):  # noqa: PTH112
                raise _Unsayable  # it would be about all that lies in it
            yield f"{name}({_pattern(place, workspace, is_for_user=is_for_user)})"
    elif tool == "WebFetch":
        yield f"WebFetch(domain:{_host(call.arguments.get('url'))})"
    elif tool in _BY_ARGUMENT:
        yield f"{tool}({_plain(call.arguments.get(_BY_ARGUMENT[tool]))})"
    elif tool.startswith("mcp__"):
        yield tool  # the tools of a server take no brackets
    else:
        raise _Unsayable  # a rule about some other tool would be about all that it can do


def _of_command(line: CommandView, workspace: Workspace, *, is_for_user: bool) -> Iterator[str]:
    covered = [part.argv for part in line.parts if part.verdict == "read_only"]
    if any(one.policy == "git.force_push_main" for one in line.effects):
        raise _Unsayable
    for part in line.parts:
        if part.verdict != "read_only" and not is_wrapped(part.argv, covered):
            yield f"Bash({_words(part.argv)})"
        covered.append(part.argv)
    for place in redirected(line):
        if not place:
            raise _Unsayable
        yield f"Edit({_pattern(place, workspace, is_for_user=is_for_user)})"


def _words(argv: tuple[str, ...]) -> str:
    """A beginning by the table, else exactly these words: a star in them would be more."""
    if not is_remembered(argv):
        raise _Unsayable
    beginning = beginning_of(argv)
    text = shlex.join(beginning or argv)
    if "*" in text or "…" in text:
        raise _Unsayable
    return f"{text}:*" if beginning else text


def _pattern(place: str, workspace: Workspace, *, is_for_user: bool) -> str:
    """The place itself, whatever characters are in its name."""
    root = workspace.root
    is_ours = not is_for_user and is_inside(place, root) and place != root
    rest = place[len(root.rstrip("/")) :] if is_ours else "/" + place
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in rest)


def _host(url: object) -> str:
    try:
        parsed = parse_url(url if isinstance(url, str) else "")
    except BadHost:
        raise _Unsayable from None
    usual = parsed.port in _USUAL_PORTS
    return parsed.host if usual else f"{parsed.host}:{parsed.port}"


def _plain(given: object) -> str:
    if not isinstance(given, str) or not given or "*" in given:
        raise _Unsayable
    return given
