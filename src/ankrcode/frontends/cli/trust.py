"""Say which folders you trust: before that, nothing in a folder runs or allows anything."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.hooks import HookTable
from ankrcode.config.keys import find_key
from ankrcode.config.loaded import load_settings
from ankrcode.config.reading import Reading
from ankrcode.config.trust import Trust, TrustStore
from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import harmless
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
    waiting = list(_at_stake(Path(trust.folder)))
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
        print(harmless(f"  {one['key']}: {one['value']}  ({one['place']})", sys.stdout))


def _sentence(trust: Trust) -> str:
    if trust.is_trusted:
        by = "" if trust.by == trust.folder else f" ({trust.by})"
        return say("trust_yes", folder=trust.folder, by=by)
    why = trust.fault or (
        say("trust_why.replaced") if trust.why == "replaced" else say("trust_why.unknown")
    )
    return say("trust_no", folder=trust.folder, why=why)


def _at_stake(folder: Path) -> Iterator[dict[str, Any]]:
    """What the folder's own files set, if it is trusted. Looked at, never run."""
    if not folder.is_dir():
        return
    for reading in load_settings(folder, environ=os.environ).of_workspace:
        for key, (value, origin) in (*reading.held.items(), *_trusted(reading)):
            for line in _lines(key, value):
                yield {"key": key, "value": line, "place": origin.place}


def _trusted(reading: Reading) -> Iterator[tuple[str, Any]]:
    for key, found in reading.values.items():
        if find_key(key, "").needs_trust:
            yield key, found


def _lines(key: str, value: Any) -> Iterator[str]:
    if key == "hooks":
        table: HookTable = value
        for event, groups in table.items():
            for group in groups:
                for hook in group.hooks:
                    yield f"{event} {group.matcher or '*'} → {hook.command or hook.type}"
    elif isinstance(value, list):
        yield from map(str, value)
    else:
        yield msgspec.json.encode(value).decode()
