"""Run a RocketLang script (.rl, .rocket): all of it is checked before its first call."""

import argparse
import asyncio
import sys
from pathlib import Path

from ankrcode.errors import UsageError
from ankrcode.frontends.cli.lines import as_json, standard_input
from ankrcode.frontends.options import add_running_options
from ankrcode.frontends.talk import Talk, told
from ankrcode.rocketlang.api import play
from ankrcode.rocketlang.script import ScriptFault
from ankrcode.rocketlang.speech import fault_text
from ankrcode.rocketlang.variables import Value, typed

MAX_BYTES = 1024 * 1024
USAGE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the script; - reads standard input")
    parser.add_argument(
        "--var", metavar="NAME=VALUE", action="append", default=[], help="set a variable"
    )
    add_running_options(parser)


def run(options: argparse.Namespace) -> int:
    text, variables = read_file(options.file), given(options.var)
    talk = Talk(options)
    try:
        if options.dry_run:
            return dry_run(talk, text, variables)
        return asyncio.run(talk.answer(text, variables))
    finally:
        talk.close()


def read_file(name: str) -> str:
    try:
        if name == "-":
            content = standard_input().read(MAX_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise UsageError.of("rl_file_unreadable", path=name, why=why) from None
    if len(content) > MAX_BYTES:
        raise UsageError.of("rl_file_too_large", path=name, size=len(content), limit=MAX_BYTES)
    return content.decode("utf-8", "replace")


def given(pairs: list[str]) -> dict[str, Value]:
    variables: dict[str, Value] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError.of("rl_var", text=pair)
        variables[name] = typed(value)
    return variables


def dry_run(talk: Talk, text: str, variables: dict[str, Value]) -> int:
    """The calls as JSON lines, as if each went well and brought nothing."""
    try:
        calls = play(talk.read(text, variables))
    except ScriptFault as problem:
        told(fault_text(problem.fault, line=problem.line, language=problem.language))
        return USAGE
    for one in calls:
        sys.stdout.buffer.write(as_json(one) + b"\n")
    return 0
