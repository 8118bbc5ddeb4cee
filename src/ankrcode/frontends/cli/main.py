"""From arguments to a command, and from an error to an exit code."""

import argparse
import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from types import FrameType

from ankrcode.errors import AnkrCodeError, ErrorCode, ProviderError, ToolError, UsageError
from ankrcode.frontends.cli.parser import SET_BEHIND, Parser, PlainHelp
from ankrcode.lean import load_lean
from ankrcode.words import say

COMMANDS = {
    "rl": "do what a sentence says, in six languages, without a model",
    "run": "run a script of such sentences",
    "exec": "run one tool, or many from JSON lines",
    "tools": "list the tools, show one, print their schemas",
    "config": "read and change the settings",
    "sandbox": "run a command inside the sandbox, or see which wall stands",
    "approvals": "answer what waits for a leader",
    "permissions": "say what may run, and why",
    "trust": "say which folders you trust, and see what hangs on it",
    "models": "list the models, show and try one, make one raw call",
    "cost": "what models have cost so far",
    "sessions": "list, search, show and manage the recorded sessions",
    "changes": "list what was changed here",
    "diff": "show what one call changed",
    "undo": "take back what was changed",
    "redo": "make again what was taken back",
    "init": "write a first ANKRCODE.md for this project",
    "doctor": "look at this machine: what is there, what is missing",
}

FAILED, USAGE, NO_MODEL, DENIED, INTERRUPTED = 1, 2, 3, 4, 130
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_VALUED = ("--cwd", "--set")
_WITHOUT_LOOP = ("tools", "config", "init")
_LOADED = ("msgspec", "pathlib")
_LOADED_FOR_TOOLS = (*_LOADED, "asyncio")
_FOR_TASKS = ("output_format", "input_format", "json_schema", "image")
_ABOUT = ("-h", "--help", "-V", "--version")
_WITHOUT_COMMAND = """\
without a command:
  ankrcode                a conversation, line by line
  ankrcode "A TASK"       the same, beginning with a task
  ankrcode -p "A TASK"    one task for a script: nothing asks, the answer is printed"""


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
        _tell(str(problem))
        return exit_code(problem)
    except OSError as problem:
        if problem.errno not in _FULL:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _tell(say("output_full", why=problem.strerror))
        return FAILED
    finally:
        _let_go_of_errors()


def _tell(message: str) -> None:
    with suppress(OSError):  # nobody reads it; how the program ends says it too
        print(f"ankrcode: {message}", file=sys.stderr)


def _let_go_of_errors() -> None:
    """What nobody took must not change the exit code at the very end."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _prepare_streams() -> None:
    """Streams that were closed are replaced; a narrow encoding shows escapes instead of failing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def exit_code(problem: AnkrCodeError) -> int:
    if isinstance(problem, ProviderError):
        return NO_MODEL
    if not isinstance(problem, ToolError):
        return USAGE
    return DENIED if problem.code is ErrorCode.PERMISSION_DENIED else FAILED


def _dispatch(arguments: list[str]) -> int:
    if is_task(arguments):
        return _ask(arguments)
    if is_talk(arguments):
        return _talk(arguments)
    top = _top_parser()
    if "--help" in arguments and not any(one in COMMANDS for one in arguments):
        top.print_help()
        return 0
    options = top.parse_args(arguments)
    if options.version:
        from ankrcode.version import __version__

        print(f"ankrcode {__version__}")
        return 0
    if options.command is None:
        top.print_help()
        return 0
    load_lean(*_LOADED if options.command in _WITHOUT_LOOP else _LOADED_FOR_TOOLS)
    module = import_module(f"ankrcode.frontends.cli.{options.command}")
    parser = Parser(prog=f"ankrcode {options.command}", description=module.__doc__)
    add_common_options(parser, default=argparse.SUPPRESS)
    module.add_arguments(parser)
    # `exec Read --json file_path=x`: its options may stand among the parameters.
    is_mixed = options.command == "exec"
    parse = parser.parse_intermixed_args if is_mixed else parser.parse_args
    parse(options.arguments, namespace=options)
    options.set = [*options.set, *getattr(options, SET_BEHIND, ())]
    code: int = module.run(options)
    return code


def is_task(arguments: Sequence[str]) -> bool:
    """Does it say `-p` before any command?"""
    before = ""
    for one in arguments:
        if one in ("-p", "--print"):
            return True
        if one == "--" or (one in COMMANDS and before not in _VALUED):
            return False
        before = one
    return False


def is_talk(arguments: Sequence[str]) -> bool:
    """Nothing but options, or a first task in words: a conversation, line by line."""
    if any(one in COMMANDS or one in _ABOUT for one in arguments):
        return False
    return not arguments or arguments[0].startswith("-") or " " in arguments[0]


def _ask(arguments: list[str]) -> int:
    # Nothing is to be ended in order while it loads, and an exception could meet half a module.
    _heed_signals(lambda *_: os._exit(INTERRUPTED))
    options = _task_options(arguments, "ankrcode -p")
    from ankrcode.frontends.cli.ask import run as run_task

    _heed_signals(_interrupt)
    return run_task(options)


def _interrupt(*_: object) -> None:
    """Like Python's own; but that one asyncio would replace, and then load `inspect` for it."""
    raise KeyboardInterrupt


def _heed_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    """Ended by another program is like Ctrl-C; but what nohup started outlives its terminal."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _talk(arguments: list[str]) -> int:
    """On a terminal or from a pipe; where nobody says anything, the help."""
    options = _task_options(arguments, "ankrcode")
    for name in _FOR_TASKS:
        if getattr(options, name) not in ("text", None, []):
            why = f"--{name.replace('_', '-')} goes with -p"
            raise UsageError.of("usage", why=why, command="-p")
    options.task = [" ".join(options.task)] if options.task else []
    if not options.task and not _is_spoken_to():
        _top_parser().print_help()
        return 0
    from ankrcode.frontends.line import run_lines

    return run_lines(options)


def _is_spoken_to() -> bool:
    try:
        return sys.stdin.isatty() or bool(getattr(sys.stdin.buffer, "peek")(1))  # noqa: B009
    except OSError:  # opened for writing alone, as nohup does
        return False


def _task_options(arguments: list[str], prog: str) -> argparse.Namespace:
    load_lean(*_LOADED_FOR_TOOLS)
    from ankrcode.frontends.cli.ask_options import ABOUT, add_arguments, rules_joined

    # Said here, it need not be put together from all options at every start: 0.7 ms less.
    usage = "%(prog)s [options] [TASK ...]"
    parser = Parser(prog=prog, usage=usage, description=ABOUT)
    add_common_options(parser, default=None)
    add_arguments(parser)
    # Behind `--` all is the task: argparse would look for options there, too.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_intermixed_args(rules_joined(arguments[:end]))
    options.task += arguments[end + 1 :]
    return options


def _top_parser() -> argparse.ArgumentParser:
    commands = "\n".join(f"  {name:<11} {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog="ankrcode",
        description="A coding agent for your terminal, your scripts and your programs.",
        epilog=f"{_WITHOUT_COMMAND}\n\ncommands:\n{commands}\n\n"
        "'ankrcode COMMAND --help' tells more; 'ankrcode -p --help' has the options of tasks.",
        formatter_class=PlainHelp,
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
