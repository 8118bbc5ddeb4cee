"""List, search, show and manage the recorded sessions."""

import argparse
import operator
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ankrcode.config.paths import home_folder
from ankrcode.config.redactor import Redactor
from ankrcode.config.secrets import secret_values
from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import as_json, harmless
from ankrcode.sessions.index import SessionIndex, Summary
from ankrcode.sessions.log import LogContent, read_bytes, read_log, read_turns
from ankrcode.sessions.records import AnyRecord, Checkpoint, encoded
from ankrcode.sessions.show import local_time, shown
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from ankrcode.tooling.identity import SystemSource
from ankrcode.words import say
from ankrcode.workspace.framing import framed
from ankrcode.workspace.roots import find_root

_AGE = re.compile(r"([0-9]{1,9})([hdw])")
_SECONDS = {"h": 3_600, "d": 86_400, "w": 604_800}
_SIZE = re.compile(r"([0-9]{1,15})([KMG]?)B?")
_BYTES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="one line for each session, newest first")
    search = actions.add_parser("search", help="where these words were said")
    search.add_argument("words", nargs="+", metavar="WORD")
    show = actions.add_parser("show", help="what happened in one session")
    rename = actions.add_parser("rename", help="give a session a title")
    tag = actions.add_parser("tag", help="give a session tags, instead of those it has")
    fork = actions.add_parser("fork", help="a copy that goes its own way")
    delete = actions.add_parser("delete", help="remove sessions for good")
    export = actions.add_parser("export", help="write a session as a file for others")
    for action in (show, rename, tag, fork, export):
        action.add_argument("id", metavar="ID", help="the id, or its beginning")
    rename.add_argument("title", metavar="TITLE")
    tag.add_argument("tags", nargs="*", metavar="TAG")
    delete.add_argument("ids", nargs="+", metavar="ID")
    prune = actions.add_parser("prune", help="remove old sessions")
    prune.add_argument("--older-than", metavar="AGE", help="such as 12h, 30d or 8w")
    prune.add_argument("--max-size", metavar="SIZE", help="such as 500M; the oldest go first")
    export.add_argument("--format", default="ankrcode", choices=("ankrcode", "claude"))
    take_in = actions.add_parser("import", help="take in a session from a file")
    take_in.add_argument("file", metavar="FILE")
    replay = actions.add_parser("replay", help="run its calls again in a copy, without a model")
    replay.add_argument("id", metavar="ID", help="the id, or its beginning")
    replay.add_argument("--verify", action="store_true", help="fail where a result differs")
    replay.add_argument(
        "--recorded", action="store_true", help="run nothing: are the calls still let pass?"
    )
    listing.add_argument("--here", action="store_true", help="only those of this workspace")
    show.add_argument("--last", type=int, default=0, metavar="N", help="only the last N turns")
    for action in (show, export, replay):
        action.add_argument(
            "--redact", action="store_true", help="without settings and home folder, to be shared"
        )
    export.add_argument(
        "--whole", action="store_true", help="as it is, secrets too: for yourself alone"
    )
    for action in (listing, search, show, fork, prune, replay):
        action.add_argument("--json", action="store_true", help="as JSON lines")


def run(options: argparse.Namespace) -> int:
    store = session_store()
    handler = globals()[f"_{options.action}"]
    code: int = handler(store, options) or 0
    return code


def _list(store: SessionStore, options: argparse.Namespace) -> None:
    here = os.path.realpath(options.cwd or find_root(None, os.environ)) if options.here else ""
    for one in SessionIndex(store).sessions():
        if here and one.root != here:
            continue
        print(as_json(one).decode() if options.json else _line(one))


def _line(one: Summary) -> str:
    when = local_time(one.updated).strftime("%Y-%m-%d %H:%M")
    tags = " ".join(f"#{tag}" for tag in one.tags)
    what = say("session_line", turns=one.turns, calls=one.calls)
    return harmless("  ".join(filter(None, (one.id, when, what, one.title, tags))), sys.stdout)


def _search(store: SessionStore, options: argparse.Namespace) -> int:
    hits = SessionIndex(store).search(" ".join(options.words))
    for hit in hits:
        line = f"{hit.id}  {hit.who}: {' '.join(hit.excerpt.split())}"
        print(as_json(hit).decode() if options.json else harmless(line, sys.stdout))
    return 0 if hits else 1


def _show(store: SessionStore, options: argparse.Namespace) -> None:
    path = store.path_of(store.find(options.id))
    content = read_turns(path, options.last) if options.last > 0 else read_log(path)
    for record in _fit(content, options):
        if options.json:
            print(as_json(record).decode())
        elif line := shown(record):
            print(harmless(line, sys.stdout))
    if content.damage:
        print(say("session_damaged", count=len(content.damage)), file=sys.stderr)


def _rename(store: SessionStore, options: argparse.Namespace) -> None:
    store.rename(store.find(options.id), options.title, SystemSource().now())


def _tag(store: SessionStore, options: argparse.Namespace) -> None:
    store.tag(store.find(options.id), tuple(options.tags), SystemSource().now())


def _fork(store: SessionStore, options: argparse.Namespace) -> None:
    source = SystemSource()
    forked = store.fork(store.find(options.id), source.new_id("session"), source.now())
    print(as_json({"id": forked.state.id}).decode() if options.json else forked.state.id)
    forked.log.close()


def _delete(store: SessionStore, options: argparse.Namespace) -> None:
    for part in options.ids:
        session_id = store.find(part)
        store.delete(session_id)
        print(session_id)


def _prune(store: SessionStore, options: argparse.Namespace) -> None:
    older_than = max_bytes = None
    if options.older_than is not None:
        older_than = SystemSource().now() - _measured(_AGE, _SECONDS, options.older_than)
    if options.max_size is not None:
        max_bytes = _measured(_SIZE, _BYTES, options.max_size)
    for session_id in store.prune(older_than=older_than, max_bytes=max_bytes):
        print(as_json({"id": session_id}).decode() if options.json else session_id)


def _measured(form: re.Pattern[str], units: dict[str, int], text: str) -> int:
    match = form.fullmatch(text)
    if match is None:
        raise UsageError.of("usage", why=f"'{text}' is no measure", command="sessions prune")
    return int(match[1]) * units[match[2]]


def _export(store: SessionStore, options: argparse.Namespace) -> None:
    from ankrcode.sessions.transcript import to_claude

    if options.whole and options.redact:
        why = "--whole and --redact exclude each other"
        raise UsageError.of("usage", why=why, command="sessions export")
    path = store.path_of(store.find(options.id))
    content = read_log(path)
    known = [record for _, record in content.records]
    records = known if options.whole else list(_fit(content, options))
    if options.format == "claude":
        for line in to_claude(records):
            print(as_json(line).decode())
    elif all(map(operator.is_, records, known)):  # nothing had to be taken out
        sys.stdout.buffer.write(read_bytes(path, 0))
    else:  # the places of a checkpoint would be wrong
        kept = (one for one in records if not isinstance(one, Checkpoint))
        sys.stdout.buffer.writelines(framed(encoded(one)) for one in kept)


def _fit(content: LogContent, options: argparse.Namespace) -> Iterator[AnyRecord]:
    """The records, as they may be shown to whoever they are for: to nobody with a secret."""
    from ankrcode.sessions.redacted import hidden, redacted

    records = (record for _, record in content.records)
    redactor, home = _private()
    return redacted(records, redactor, home) if options.redact else hidden(records, redactor)


def _private() -> tuple[Redactor, str]:
    return Redactor(secret_values(os.environ)), str(home_folder(os.environ))


def _import(store: SessionStore, options: argparse.Namespace) -> None:
    from ankrcode.sessions.taken import take_in

    source = SystemSource()
    print(take_in(store, Path(options.file), source.new_id("session"), source.now()))


def _replay(store: SessionStore, options: argparse.Namespace) -> int:
    from ankrcode.frontends.cli.replay import replay_session
    from ankrcode.sessions.redacted import cleaner

    redactor, home = _private()
    clean = cleaner(redactor, home) if options.redact else redactor.redact_data
    return replay_session(store.path_of(store.find(options.id)), options, clean)
