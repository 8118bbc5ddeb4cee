"""From arguments to a command, and from an error to an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from ankrcode.errors import AnkrCodeError, ErrorCode, ToolError

COMMANDS = {
    "exec": "run one tool, or many from JSON lines",
    "tools": "list the tools, show one, print their schemas",
    "config": "read and change the settings",
    "sandbox": "run a command inside the sandbox, or see which wall stands",
    "approvals": "answer what waits for a leader",
    "permissions": "say what may run, and why",
    "trust": "say which folders you trust, and see what hangs on it",
    "sessions": "list, search, show and manage the recorded sessions",
    "changes": "list what was changed here",
    "diff": "show what one call changed",
    "undo": "take back what was changed",
    "redo": "make again what was taken back",
    "doctor": "look at this machine: what is there, what is missing",
}

FAILED, USAGE, DENIED, INTERRUPTED = 1, 2, 4, 130


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; nothing but a bug escapes as a traceback."""
    _prepare_streams()
    try:
        try:
            return _dispatch(list(arguments))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone. Point stdout elsewhere so that exit stays silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except AnkrCodeError as problem:
        print(f"ankrcode: {problem}", file=sys.stderr)
        return exit_code(problem)


def _prepare_streams() -> None:
    """Streams that were closed are replaced; a narrow encoding shows escapes instead of failing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def exit_code(problem: AnkrCodeError) -> int:
    if not isinstance(problem, ToolError):
        return USAGE
    return DENIED if problem.code is ErrorCode.PERMISSION_DENIED else FAILED


def _dispatch(arguments: list[str]) -> int:
    top = _top_parser()
    options = top.parse_args(arguments)
    if options.version:
        from ankrcode.version import __version__

        print(f"ankrcode {__version__}")
        return 0
    if options.command is None:
        top.print_help()
        return 0
    module = import_module(f"ankrcode.frontends.cli.{options.command}")
    parser = argparse.ArgumentParser(
        prog=f"ankrcode {options.command}", description=module.__doc__, allow_abbrev=False
    )
    add_common_options(parser, default=argparse.SUPPRESS)
    module.add_arguments(parser)
    # `exec Read --json file_path=x`: its options may stand among the parameters.
    is_mixed = options.command == "exec"
    parse = parser.parse_intermixed_args if is_mixed else parser.parse_args
    parse(options.arguments, namespace=options)
    code: int = module.run(options)
    return code


def _top_parser() -> argparse.ArgumentParser:
    commands = "\n".join(f"  {name:<11} {what}" for name, what in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="ankrcode",
        description="The tools of a coding agent, safe and fast.",
        epilog=f"commands:\n{commands}\n\n'ankrcode COMMAND --help' tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    add_common_options(parser, default=None)
    parser.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def add_common_options(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    """Options that every command takes, before or after its name."""
    parser.add_argument("--cwd", metavar="DIR", default=default, help="the workspace to work in")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=default if default is not None else [],
        help="a setting for this run; may be repeated",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        default=default if default is not None else False,
        help="write a detailed log and say where it is",
    )
