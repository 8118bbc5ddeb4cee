"""Past calls under the rules of today, or under proposed ones: which questions would be saved?"""

import argparse
import os
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ankrcode.app import Toolkit
from ankrcode.config.document import read_document
from ankrcode.config.secrets import redact
from ankrcode.errors import ErrorCode, SessionError, ToolError, UsageError
from ankrcode.frontends.cli.lines import as_json, harmless
from ankrcode.frontends.cli.settings import load_and_warn, load_rules
from ankrcode.permissions.rules.examples import rules_in
from ankrcode.permissions.rules.rules import Ruleset
from ankrcode.permissions.verdicts import Decision
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.modifier import DirectoryChanged
from ankrcode.protocol.permission import Mode
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import (
    AnyRecord,
    Approved,
    CallBegun,
    CallEnded,
    SessionStarted,
    StateKept,
)
from ankrcode.tooling.durable import session_store
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

_SHOWN_CHARS = 120


class Judged(Struct, frozen=True, kw_only=True):
    """One call: what was decided then, and what would be now."""

    session: str
    call_id: str
    tool: str
    subject: str
    then: str  # ran, approved, declined, refused
    now: str  # allow, ask, deny; or broken: it is no call any more
    rule: str = ""
    reason: str = ""

    @property
    def change(self) -> str:
        """`saved`, `allowed`, `asked`, `refused`; empty where all is as it was."""
        ran = self.then in ("ran", "approved")
        if self.now == "allow":
            return "saved" if self.then == "approved" else "" if ran else "allowed"
        if self.now == "ask":
            return "asked" if self.then == "ran" else ""
        return "refused" if ran and self.now == "deny" else ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="SESSION", help="the id, or its beginning")
    parser.add_argument(
        "--rules", metavar="FILE", help="try these instead: JSON with allow, ask and deny"
    )
    parser.add_argument("--permission-mode", metavar="MODE", choices=list(Mode))
    parser.add_argument("--json", action="store_true", help="every call, as JSON lines")


def run(options: argparse.Namespace) -> int:
    store = session_store()
    judged: list[Judged] = []
    for part in options.ids:
        path = store.path_of(store.find(part))
        judged += judged_again([record for _, record in read_log(path).records], options)
    for one in judged:
        if options.json:
            print(as_json(one).decode())
        elif one.change:
            subject = " ".join(one.subject.split())[:_SHOWN_CHARS]
            line = f"{one.change}: {one.tool}({subject})"
            why = one.rule or one.reason
            print(harmless(f"{line}  {why}" if why else line, sys.stdout))
    if not options.json:
        found = Counter(one.change for one in judged)
        print(
            say(
                "permissions_replayed",
                count=len(judged),
                saved=found["saved"],
                asked=found["asked"],
                allowed=found["allowed"],
                refused=found["refused"],
            )
        )
    return 0


def judged_again(records: list[AnyRecord], options: argparse.Namespace) -> list[Judged]:
    """The calls of one session; nothing runs."""
    started = next((one for one in records if isinstance(one, SessionStarted)), None)
    root = started.roots[0] if started and started.roots else ""
    if started is None or not Path(root).is_dir():
        raise SessionError.of("replay_nowhere", path=root)
    settings = load_and_warn(options)
    mode = options.permission_mode or started.mode or settings.permissions.mode
    kit = Toolkit(cwd=root, mode=mode, settings=settings, rules=_rules(options, root))
    answers = {one.call_id: one for one in records if isinstance(one, Approved)}
    ended = {one.call_id: one for one in records if isinstance(one, CallEnded)}
    judged = []
    for one in records:
        if isinstance(one, CallBegun):
            end = ended.get(one.call.id)
            then = _then(end, answers.get(one.call.id))
            judged.append(_judged(kit, started.id, one.call, then))
            _follow(kit, end)
        elif isinstance(one, StateKept) and not options.permission_mode:
            with suppress(ValueError):
                kit.mode = Mode(one.values.get("mode", kit.mode))
    kit.close()
    return judged


def _rules(options: argparse.Namespace, root: str) -> Ruleset:
    if options.rules is None:
        return load_rules(options)
    if not os.path.isfile(options.rules):  # noqa: PTH113
        raise UsageError.of("rule_examples", why=f"there is no file {options.rules}")
    return rules_in(read_document(Path(options.rules)), Workspace((root,)))


def _then(ended: CallEnded | None, answer: Approved | None) -> str:
    if answer is not None:
        return "approved" if answer.approved else "declined"
    error = ended.error if ended is not None else None
    return "refused" if error and error.code is ErrorCode.PERMISSION_DENIED else "ran"


def _judged(kit: Toolkit, session: str, call: ToolCall, then: str) -> Judged:
    facts = {"session": session, "call_id": call.id, "tool": call.name, "then": then}
    try:
        subject, verdict = kit.judge(call)
    except ToolError as problem:  # refused before anybody asked; so it was then, most likely
        now = "deny" if then == "approved" else "broken"
        return Judged(**facts, subject="", now=now, reason=str(problem))
    now = Decision(verdict.decision)
    subject, reason = redact(subject), redact(verdict.reason)
    return Judged(**facts, subject=subject, now=now, rule=verdict.rule, reason=reason)


def _follow(kit: Toolkit, ended: CallEnded | None) -> None:
    """Later commands ran where this one left the directory."""
    for modifier in ended.modifiers if ended is not None else ():
        if isinstance(modifier, DirectoryChanged) and kit.agent.workspace.contains(modifier.path):
            kit.agent.apply(modifier)
