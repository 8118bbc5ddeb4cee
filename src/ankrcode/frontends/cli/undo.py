"""Take back what calls changed: the newest change, or those that are named."""

import argparse
import sys

from ankrcode.errors import ToolError
from ankrcode.frontends.cli.changes import journal_of, summary, visible
from ankrcode.frontends.cli.lines import as_json, harmless
from ankrcode.tooling.identity import SystemSource
from ankrcode.words import say
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.preview import diff_of
from ankrcode.workspace.journal.undo import Plan, carry_out, chosen, planned, shown_path

CONFLICT = 1


def add_arguments(parser: argparse.ArgumentParser, *, redone: bool = False) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="a change or a call")
    parser.add_argument("--turn", default="", metavar="ID", help="all changes of one turn")
    parser.add_argument("--agent", default="", metavar="ID", help="all changes of one agent")
    parser.add_argument("--session", default="", metavar="ID", help="only of this session")
    if not redone:
        parser.add_argument("--to", default="", metavar="ID", help="all changes after this one")
    parser.add_argument("--preview", action="store_true", help="only show what would be done")
    parser.add_argument(
        "--force", action="store_true", help="overwrite what was changed since; a copy is kept"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace, *, redone: bool = False) -> int:
    journal = journal_of(options)
    entries = chosen(
        journal.entries(),
        redone=redone,
        which=options.id,
        turn=options.turn,
        agent=options.agent,
        session=options.session,
        to="" if redone else options.to,
    )
    plan = planned(journal, entries, redone=redone)
    if options.preview:
        _show(journal, plan, as_data=options.json)
        return CONFLICT if plan.conflicts else 0
    if not entries:
        print(
            as_json({"undone": [], "paths": []}).decode() if options.json else say("undo_nothing")
        )
        return 0
    return _done(journal, plan, options)


def _done(journal: Journal, plan: Plan, options: argparse.Namespace) -> int:
    try:
        paths = carry_out(journal, plan, SystemSource().now(), force=options.force)
    except ToolError:
        if not options.json:
            for conflict in plan.conflicts:
                print(f"! {visible(conflict.why)}", file=sys.stderr)
        raise
    if options.json:
        print(as_json({"undone": plan.ids, "paths": list(map(shown_path, paths))}).decode())
    else:
        print("\n".join(summary(plan.steps)) or say("undo_was_so"))
    return 0


def _show(journal: Journal, plan: Plan, *, as_data: bool) -> None:
    if as_data:
        conflicts = [{"path": shown_path(one.path), "why": one.why} for one in plan.conflicts]
        steps = [{"path": shown_path(one.path), "what": one.word} for one in plan.steps]
        print(as_json({"would_undo": plan.ids, "steps": steps, "conflicts": conflicts}).decode())
        return
    for step in plan.steps:
        print(harmless(diff_of(step, journal.blobs), sys.stdout))
    for conflict in plan.conflicts:
        print(f"! {visible(conflict.why)}")
