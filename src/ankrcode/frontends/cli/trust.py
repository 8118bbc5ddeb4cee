"""Say which folders you trust: before that, nothing in a folder runs or allows anything."""

import argparse
import os
import sys
from pathlib import Path

import msgspec

from ankrcode.config.trust import Trust, TrustStore
from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import harmless
from ankrcode.frontends.cli.trust_stakes import stakes
from ankrcode.words import say
from ankrcode.workspace.roots import find_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = ("status", "add", "remove", "list")
    parser.add_argument(
        "action",
        nargs="?",
        choices=actions,
        default="status",
        metavar="ACTION",
        help=", ".join(actions),
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder; default: this one")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    store = TrustStore.of(os.environ)
    if options.action == "list":
        if options.path:
            raise UsageError.of("usage", why="'list' takes no folder", command="trust")
        _list(store, options)
        return 0
    folder = _folder(options, must_exist=options.action != "remove")
    if options.action == "add":
        store.add(folder)
    elif options.action == "remove":
        store.remove(folder)
    _status(store.judge(folder), options)
    return 0


def _folder(options: argparse.Namespace, *, must_exist: bool) -> Path:
    if options.path and not must_exist:
        return Path(os.path.realpath(options.path))  # it may be gone
    return find_root(options.path or options.cwd, os.environ)


def _list(store: TrustStore, options: argparse.Namespace) -> None:
    listed = [
        {"path": one.path, "trusted": store.judge(one.path).is_trusted} for one in store.entries()
    ]
    if options.json:
        print(msgspec.json.encode(listed).decode())
        return
    for one in listed:
        note = "" if one["trusted"] else f"  ({say('trust_why.replaced')})"
        print(harmless(f"{one['path']}{note}", sys.stdout))


def _status(trust: Trust, options: argparse.Namespace) -> None:
    """Whether it is trusted, and every line that hangs on it: nobody should trust blindly."""
    waiting = list(stakes(Path(trust.folder)))
    if options.json:
        facts = {
            "folder": trust.folder,
            "trusted": trust.is_trusted,
            "by": trust.by or None,
            "why": trust.why or None,
            "at_stake": waiting,
        }
        print(msgspec.json.encode(facts).decode())
        return
    print(harmless(_sentence(trust), sys.stdout))
    for one in waiting:
        print(harmless(f"  {one.key}: {one.value}  ({one.place})", sys.stdout))


def _sentence(trust: Trust) -> str:
    if trust.is_trusted:
        by = "" if trust.by == trust.folder else f" ({trust.by})"
        return say("trust_yes", folder=trust.folder, by=by)
    why = trust.fault or (
        say("trust_why.replaced") if trust.why == "replaced" else say("trust_why.unknown")
    )
    return say("trust_no", folder=trust.folder, why=why)
