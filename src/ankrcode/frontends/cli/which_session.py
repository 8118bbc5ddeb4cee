"""Which session a command records, or goes on with."""

import argparse
import os
import sys
from contextlib import suppress

from ankrcode.errors import SessionError, UsageError
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from ankrcode.tooling.identity import SystemSource
from ankrcode.words import say
from ankrcode.workspace.roots import find_root

_NAMED = 5  # sessions that may be meant
_SIZES = (("ago.days", 86_400), ("ago.hours", 3_600), ("ago.minutes", 60))


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
        help="go on with this session; its title will do",
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
        raise argparse.ArgumentTypeError("needs the id of a session, or its title")
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
        asked = _meant(store, options.resume)
    elif options.newest:
        asked = store.newest(str(options.cwd or find_root(None, os.environ)))
    store.path_of(asked)  # is it an id at all?
    if not options.session and getattr(options, "output_format", "") == "text":
        _say_which(store, asked)
    if options.fork:
        source = SystemSource()
        forked = store.fork(asked, source.new_id("session"), source.now())
        forked.log.close()
        asked = forked.state.id
        print(say("session_forked", id=asked), file=sys.stderr)
    return asked


def _meant(store: SessionStore, said: str) -> str:
    """By its id or how that begins, its title, how the title begins: what fits first counts."""
    begun = [one for one in store.ids() if one.startswith(said)]
    if said in begun or len(begun) == 1:
        return said if said in begun else begun[0]
    from ankrcode.sessions.index import SessionIndex  # only who names no id pays for it

    titles = {one.id: one.title for one in SessionIndex(store).sessions()}
    folded = said.strip().rstrip("…").casefold()
    alike = [one for one in titles if folded and titles[one].casefold().startswith(folded)]
    stages = ([one for one in alike if titles[one].casefold() == folded], begun, alike)
    fitting = next(filter(None, stages), [])
    if len(fitting) > 1:
        raise _several(said, {one: titles.get(one, "") for one in fitting})
    if not fitting and " " in said.strip():
        raise SessionError.of("session_unknown.titled", id=said)
    return fitting[0] if fitting else store.find(said)


def _several(said: str, fitting: dict[str, str]) -> SessionError:
    named = [f"{one} ({title})" if title else one for one, title in fitting.items()]
    more = ", …" if len(named) > _NAMED else ""
    candidates = ", ".join(named[:_NAMED]) + more
    return SessionError.of("session_several", said=said, count=len(named), candidates=candidates)


def _say_which(store: SessionStore, session_id: str) -> None:
    """For whoever sits at a terminal: a script knows, or does not care."""
    if not sys.stderr.isatty():
        return
    from ankrcode.config.secrets import redact, secret_values
    from ankrcode.frontends.cli.lines import harmless
    from ankrcode.sessions.restore import restore

    with suppress(SessionError, OSError):  # whoever goes on with it says what is wrong
        path = store.path_of(session_id)
        state, _ = restore(path)
        title = " ".join(redact(state.title, secret_values(os.environ)).split()) or session_id
        updated = state.updated or os.stat(path).st_mtime  # noqa: PTH116
        told = say("session_goes_on", title=title, ago=_ago(SystemSource().now() - updated))
        print(f"ankrcode: {harmless(told, sys.stderr)}", file=sys.stderr, flush=True)


def _ago(seconds: float) -> str:
    for key, size in _SIZES:
        if seconds >= size:
            return say(key, count=int(seconds // size))
    return say("ago.now")
