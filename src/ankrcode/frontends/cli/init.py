"""Write a first ANKRCODE.md: what an agent should know of this project, as far as files tell."""

import argparse
import os
from pathlib import Path

from ankrcode.errors import UsageError
from ankrcode.words import say
from ankrcode.workspace.roots import find_root

NAME = "ANKRCODE.md"
DONE = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="print it, and write nothing")


def run(options: argparse.Namespace) -> int:
    from ankrcode.frontends.project import described

    root = find_root(options.cwd, os.environ)
    text = described(root)
    if options.dry_run:
        print(text, end="")
        return DONE
    path = Path(root) / NAME
    try:
        # What a person wrote is never overwritten; names that are no UTF-8 are shown as escapes.
        with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError.of("init_there", path=path) from None
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise UsageError.of("init_failed", path=path, why=why) from None
    print(say("init_done", path=path))
    return DONE
