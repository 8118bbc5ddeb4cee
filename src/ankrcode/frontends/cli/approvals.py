"""Answer what waits for a leader: list it, approve it, deny it."""

import argparse
import os
import sys
import time
from typing import Any

import msgspec

from ankrcode.frontends.cli.lines import harmless
from ankrcode.permissions.visible import visible
from ankrcode.tooling.leader import ApprovalDesk, LeaderRequest

_INDENT = "    "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="what waits for an answer, the oldest first")
    approving = actions.add_parser("approve", help="let it run, as it is shown")
    denying = actions.add_parser("deny", help="refuse it")
    for answering in (approving, denying):
        answering.add_argument("id", metavar="ID", help="which one, as listed")
        answering.add_argument("--feedback", metavar="TEXT", default="", help="what to say with it")
    for one in (listing, approving, denying):
        one.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    desk = ApprovalDesk.of(os.environ)
    if options.action == "list":
        _list(desk.pending(), is_json=options.json)
        return 0
    approved = options.action == "approve"
    request = desk.answer(options.id, approved=approved, feedback=options.feedback)
    if options.json:
        _print_json({"id": request.id, "approved": approved, "feedback": options.feedback})
    else:
        _print(f"{'approved' if approved else 'denied'} {_headline(request)}")
    return 0


def _list(requests: list[LeaderRequest], *, is_json: bool) -> None:
    if is_json:
        _print_json(requests)
        return
    if not requests:
        _print("Nothing waits for an answer.")
    for number, request in enumerate(requests):
        _print(("\n" if number else "") + _described(request))


def _headline(request: LeaderRequest) -> str:
    return f"{request.id}  {visible(request.tool)}  risk: {request.risk}"


def _described(request: LeaderRequest) -> str:
    minutes = max(0.0, time.time() - request.at) / 60
    lines = [
        f"{_headline(request)}  waiting {minutes:.0f} min",
        f"{_INDENT}in {visible(request.workspace)}",
        f"{_INDENT}why: {visible(request.reason)}",
        *(_INDENT + line for line in visible(request.text).split("\n")),
    ]
    if request.preview is not None and request.preview.format == "diff":
        lines += [_INDENT + line for line in visible(request.preview.body).split("\n")]
    return "\n".join(lines)


def _print(text: str) -> None:
    print(harmless(text, sys.stdout))


def _print_json(value: Any) -> None:
    print(msgspec.json.encode(value).decode())
