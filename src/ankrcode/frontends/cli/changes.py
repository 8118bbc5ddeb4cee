"""List what was changed here, newest last: by which call, and whether it was undone."""

import argparse
import json
import os
from datetime import datetime

from ankrcode.config.secrets import redact
from ankrcode.frontends.cli.lines import as_json
from ankrcode.frontends.cli.settings import load
from ankrcode.tooling.durable import open_journal
from ankrcode.tooling.identity import SystemSource
from ankrcode.words import say
from ankrcode.workspace.journal.entries import Change, Entry, Listed
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.undo import shown_path
from ankrcode.workspace.roots import Workspace, find_root

_SIGNS = {"created": "+", "deleted": "-", "changed": "~"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", default="", metavar="ID", help="only those of this session")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="at most so many; 0: all"
    )
    parser.add_argument("--json", action="store_true", help="as JSON lines")


def run(options: argparse.Namespace) -> int:
    journal = journal_of(options)
    listed = [one for one in journal.entries() if options.session in ("", one.entry.session_id)]
    for one in listed[-options.limit :] if options.limit else listed:
        print(as_json(as_data(one)).decode() if options.json else _line(one))
    if not options.json:
        limit = f"{journal.caps.total_bytes / 1e6:,.0f} MB"
        size = f"{journal.size() / 1e6:,.1f} MB"
        print(say("changes_kept", count=len(listed), size=size, limit=limit))
    return 0


def journal_of(options: argparse.Namespace) -> Journal:
    """The journal of the workspace that the command line means."""
    root = find_root(options.cwd, os.environ)
    return open_journal(Workspace((root,), root), load(options).settings.undo, SystemSource())


def as_data(listed: Listed) -> dict[str, object]:
    entry = listed.entry
    return {
        "id": entry.id,
        "tool": entry.tool,
        "title": redact(entry.title),
        "at": entry.at,
        "call_id": entry.call_id,
        "turn_id": entry.turn_id,
        "agent_id": entry.agent_id,
        "session_id": entry.session_id,
        "undone": listed.is_undone,
        "partial": entry.partial,
        "changes": [{"path": shown_path(one.path), "what": one.word} for one in entry.changes],
    }


def _line(listed: Listed) -> str:
    entry = listed.entry
    when = datetime.fromtimestamp(entry.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    state = say("changes_undone") if listed.is_undone else ""
    title = visible(redact(entry.title)[:60])
    head = " ".join(filter(None, (entry.id, when, entry.tool, title, state)))
    notes = [f"! {visible(entry.partial)}"] if entry.partial else []
    return "\n".join([head, *(f"  {line}" for line in (*summary(entry.changes), *notes))])


def visible(text: str) -> str:
    """On one line, and without what a terminal would obey."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def summary(changes: tuple[Change, ...], limit: int = 10) -> list[str]:
    shown = [f"{_SIGNS[one.word]} {visible(shown_path(one.path))}" for one in changes[:limit]]
    rest = len(changes) - limit
    return [*shown, say("changes_more", count=rest)] if rest > 0 else shown


def entry_of(journal: Journal, which: str) -> Entry | None:
    """The entry with this id (or its beginning); the newest where none is named."""
    entries = [one.entry for one in journal.entries()]
    if not which:
        return entries[-1] if entries else None
    from ankrcode.workspace.journal.undo import the_one

    return the_one(entries, which)
