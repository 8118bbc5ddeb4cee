"""Which session a command records, or goes on with."""

import argparse
import os
import sys

from ankrcode.errors import UsageError
from ankrcode.tooling.durable import session_store
from ankrcode.tooling.identity import SystemSource
from ankrcode.words import say
from ankrcode.workspace.roots import find_root


def add_session_options(parser: argparse.ArgumentParser, *, is_brief: bool = False) -> None:
    """`is_brief`: with letters and names that people know from other agents."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--session", metavar="ID", type=_given, help="record under this name, or go on"
    )
    resume, newest = (["-r"], ["-c"]) if is_brief else ([], [])
    which.add_argument(
        *resume,
        "--resume",
        type=_given,
        metavar="ID",
        help="go on with this session, and with no new one",
    )
    which.add_argument(
        *newest,
        "--continue",
        dest="newest",
        action="store_true",
        help="go on with the newest session of this workspace",
    )
    fork = ["--fork", "--fork-session"] if is_brief else ["--fork"]
    parser.add_argument(*fork, action="store_true", help="go on in a copy of the session")


def _given(text: str) -> str:
    """An empty one is a variable that was not set: a new session would not be what was meant."""
    if not text.strip():
        raise argparse.ArgumentTypeError("needs the id of a session")
    return text


def chosen_session(options: argparse.Namespace, command: str) -> str:
    """The id of the session that was asked for; empty if none was."""
    asked: str = options.session or ""
    if not (asked or options.resume or options.newest):
        if options.fork:
            why = "--fork needs --session, --resume or --continue"
            raise UsageError.of("usage", why=why, command=command)
        return ""
    store = session_store()
    if options.resume:
        asked = store.find(options.resume)
    elif options.newest:
        asked = store.newest(str(options.cwd or find_root(None, os.environ)))
    store.path_of(asked)  # is it an id at all?
    if options.fork:
        source = SystemSource()
        forked = store.fork(asked, source.new_id("session"), source.now())
        forked.log.close()
        asked = forked.state.id
        print(say("session_forked", id=asked), file=sys.stderr)
    return asked
