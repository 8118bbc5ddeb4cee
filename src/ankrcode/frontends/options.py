"""Options that several doors share."""

import argparse

from ankrcode.protocol.permission import Mode


def add_running_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="print the calls as JSON lines")
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")
    parser.add_argument(
        "--permission-mode", metavar="MODE", choices=list(Mode), help=" | ".join(Mode)
    )
