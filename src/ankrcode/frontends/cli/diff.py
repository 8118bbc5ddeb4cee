"""Show what one call changed, as a diff."""

import argparse
import sys

from ankrcode.frontends.cli.changes import entry_of, journal_of
from ankrcode.frontends.cli.lines import harmless
from ankrcode.words import say
from ankrcode.workspace.journal.preview import diff_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="the newest if not given")


def run(options: argparse.Namespace) -> int:
    journal = journal_of(options)
    entry = entry_of(journal, options.id)
    if entry is None:
        print(say("undo_nothing"))
        return 0
    for change in entry.changes:
        print(harmless(diff_of(change, journal.blobs), sys.stdout))
    return 0
