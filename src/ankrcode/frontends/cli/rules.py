"""`ankrcode permissions rules`: the rules of all layers, and taking one back."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.edit import remove_from_list
from ankrcode.config.paths import config_file, local_file
from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import harmless
from ankrcode.frontends.cli.settings import load
from ankrcode.workspace.roots import find_root

KINDS = ("deny", "ask", "allow")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="rules_action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every rule, and where it stands")
    listing.add_argument("--json", action="store_true", help="as JSON")
    revoking = actions.add_parser("revoke", help="take a rule out of the settings")
    revoking.add_argument("rule", metavar="RULE", help="the rule, as listed")
    revoking.add_argument("--kind", choices=KINDS, default="allow", help="which list it stands in")
    revoking.add_argument(
        "--scope", choices=("project", "user"), help="only where it was remembered for that"
    )


def run(options: argparse.Namespace) -> int:
    if options.rules_action == "list":
        _list(options)
    else:
        _revoke(options)
    return 0


def _list(options: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = [
        {"rule": text, "kind": one.kind, "layer": one.origin.layer, "place": one.origin.place}
        for one in load(options).rules
        for text in one.texts
    ]
    if options.json:
        print(msgspec.json.encode(rows).decode())
        return
    for row in rows:
        line = f"{row['kind']:<5} {row['rule']}  ({row['layer']}: {row['place']})"
        print(harmless(line, sys.stdout))
    if not rows:
        print("No rules.")


def _revoke(options: argparse.Namespace) -> None:
    """From the files that a remembered yes is written to; others are edited by hand."""
    root = Path(find_root(options.cwd, os.environ))
    places: dict[str, tuple[Path, Path | None]] = {
        "project": (local_file(root), root),
        "user": (config_file(os.environ), None),
    }
    wanted = [options.scope] if options.scope else list(places)
    key = f"permissions.{options.kind}"
    gone = [
        file
        for scope in wanted
        for file, within in [places[scope]]
        if remove_from_list(file, key, options.rule, root=within)
    ]
    if not gone:
        raise UsageError.of("rule_not_remembered", rule=options.rule)
    for file in gone:
        print(harmless(f"revoked {options.rule} in {file}", sys.stdout))
