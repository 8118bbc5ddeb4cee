"""`python -m ankrcode.workspace.search REQUEST`: the worker, in a process that starts quickly."""

import sys

from ankrcode.lean import load_lean


def run() -> int:
    load_lean("msgspec")
    from ankrcode.workspace.search.worker import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
