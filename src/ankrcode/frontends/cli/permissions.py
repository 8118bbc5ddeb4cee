"""Say what may run and why: the same decision that the agent makes. Nothing is run."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.errors import UsageError
from ankrcode.frontends.cli import rule_replay, rules
from ankrcode.frontends.cli.lines import harmless, read_lines, standard_input, write_line
from ankrcode.frontends.cli.settings import load_rules
from ankrcode.tooling.arguments import json_fault
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace, find_cwd, find_root

Check = Callable[[Any, dict[str, Any]], dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    checking = actions.add_parser("check", help="judge what stands in JSON lines on stdin")
    checking.add_argument("--json", action="store_true", required=True, help="as JSON lines")
    trying = actions.add_parser("test", help="try the examples of a file of rules")
    trying.add_argument("file", metavar="FILE", help="JSON with rules and examples")
    rules.add_arguments(actions.add_parser("rules", help="list the rules, or take one back"))
    rule_replay.add_arguments(
        actions.add_parser("replay", help="judge the calls of past sessions by these rules")
    )
    explaining = actions.add_parser("explain", help="lay open how a command is judged")
    explaining.add_argument("command_line", metavar="CMD", help="the command, as one argument")


def run(options: argparse.Namespace) -> int:
    if options.action == "rules":
        return rules.run(options)
    if options.action == "replay":
        return rule_replay.run(options)
    if options.action == "test":
        return _test(options)
    if options.action == "check":
        asyncio.run(_check(options.set or ()))
    else:
        _explain(options)
    return 0


# ── check ─────────────────────────────────────────────────────────────────────────────────────
async def _check(command_line: Sequence[str]) -> None:
    from ankrcode.frontends.cli.verdicts import Verdicts
    from ankrcode.permissions.checks import CHECKS

    verdicts = Verdicts(command_line)
    kinds = {**CHECKS, "rule": verdicts.on_rule, "call": verdicts.on_call}
    async for line in read_lines(standard_input()):
        if line is None:
            write_line({"id": None, "error": "The line is too long."})
        elif line.strip():
            write_line(_answer(line, kinds))


def _answer(line: bytes, kinds: Mapping[str, Check]) -> dict[str, Any]:
    """Every line gets one answer, whatever is in it."""
    names = ", ".join(kinds)
    try:
        asked = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        return {"id": None, "error": f"The line is not JSON: {json_fault(problem)}"}
    if not isinstance(asked, dict) or not isinstance(asked.get("kind"), str):
        given = asked.get("id") if isinstance(asked, dict) else None
        return {"id": given, "error": say("check.line", kinds=names)}
    kind, env = asked["kind"], asked.get("env")
    if kind not in kinds:
        return {"id": asked.get("id"), "error": say("check.kind", kind=kind, kinds=names)}
    answer = kinds[kind](asked.get("input"), env if isinstance(env, dict) else {})
    return {"id": asked.get("id"), **answer}


# ── test ──────────────────────────────────────────────────────────────────────────────────────
def _test(options: argparse.Namespace) -> int:
    """One line for each example that came out otherwise; exit code 1 if there was one."""
    from ankrcode.config.document import read_document
    from ankrcode.frontends.cli.verdicts import Verdicts
    from ankrcode.permissions.rules.examples import try_examples

    if not os.path.isfile(options.file):  # noqa: PTH113
        raise UsageError.of("rule_examples", why=f"there is no file {options.file}")
    root = find_root(options.cwd, os.environ)
    workspace = Workspace((root,), root if options.cwd is not None else find_cwd(root))
    foresee = Verdicts(options.set or ()).foresee
    document = read_document(Path(options.file))
    tried = try_examples(document, workspace, load_rules(options), foresee)
    wrong = [one for one in tried if not one.is_right]
    for one in wrong:
        why = one.verdict.rule or one.verdict.reason
        line = f"{one.call}: {one.verdict.decision}, not {one.want}" + (f" ({why})" if why else "")
        print(harmless(line, sys.stdout))
    print(f"{len(tried) - len(wrong)} of {len(tried)} examples as wanted")
    return 1 if wrong else 0


# ── explain ───────────────────────────────────────────────────────────────────────────────────
def _explain(options: argparse.Namespace) -> None:
    from ankrcode.permissions.explain import explained
    from ankrcode.permissions.judge import judge
    from ankrcode.permissions.places import CommandEnv

    root = find_root(options.cwd, os.environ)
    home = os.path.expanduser("~")  # noqa: PTH111
    env = CommandEnv(roots=(str(root),), cwd=str(find_cwd(root)), home=home)
    verdict = judge(options.command_line, env)
    print(harmless(explained(options.command_line, verdict), sys.stdout))
