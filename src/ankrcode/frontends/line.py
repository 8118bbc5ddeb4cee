"""`ankrcode` by itself: a line in, an answer out. For terminals, pipes and screen readers.

Whoever answers is an object with `async answer(line) -> int`: an agent, or RocketLang alone.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from itertools import chain
from typing import Protocol

from msgspec.structs import replace

from ankrcode.config.limits import MAX_LINE_BYTES
from ankrcode.config.paths import make_private, state_folder
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError, UsageError
from ankrcode.frontends.asking import interruptible
from ankrcode.frontends.cli.settings import load_and_warn
from ankrcode.providers.resolve import model_for
from ankrcode.providers.wire import Model
from ankrcode.words import say

PROMPT, MORE = "› ", "… "
DONE, INTERRUPTED = 0, 130
_HISTORY_LINES = 1_000
_ENDING = frozenset(("exit", "quit", ":q", "/exit", "/quit", "bye"))


class Answerer(Protocol):
    """Who answers the lines: RocketLang, or an agent."""

    async def answer(self, text: str) -> int:
        """Do it and show it; the exit code it would have by itself."""
        ...


class Line:
    """Reads lines and hands them on; a block that is open goes on in the next line."""

    def __init__(
        self,
        answerer: Answerer,
        *,
        is_open: Callable[[str], bool] | None = None,
        close: Callable[[], Coroutine[None, None, None]] | None = None,
    ) -> None:
        self._answerer = answerer
        self._close = close  # in the loop in which it worked
        self._is_open = is_open or (lambda _text: False)
        self._begun = ""  # of a block
        self.code = DONE

    @property
    def is_waiting(self) -> bool:
        """Has a block been opened, and not closed yet?"""
        return bool(self._begun)

    def drop(self) -> None:
        """What was begun of a block is not meant any more."""
        self._begun = ""

    def run(self, lines: Iterator[str]) -> int:
        """Answer each line; the exit code is that of the last one that did not go well."""
        with asyncio.Runner() as runner:
            try:
                self._answer_all(runner, lines)
            finally:
                if self._close is not None:
                    runner.run(self._close())
        return self.code

    def _answer_all(self, runner: asyncio.Runner, lines: Iterator[str]) -> None:
        for line in lines:
            if line.strip().casefold() in _ENDING:
                break
            text = f"{self._begun}\n{line}" if self._begun else line
            self._begun = text if self._is_open(text) else ""
            if text.strip() and not self._begun:
                self._answered(runner, text)
        if self._begun:
            self._answered(runner, self._begun)

    def _answered(self, runner: asyncio.Runner, text: str) -> None:
        try:
            code = runner.run(self._answerer.answer(text))
        except KeyboardInterrupt:
            print(file=sys.stderr)
            code = INTERRUPTED
        self.code = code or self.code


# ── where lines come from ─────────────────────────────────────────────────────────────────────
def typed_lines(
    is_waiting: Callable[[], bool] = lambda: False, drop: Callable[[], None] = lambda: None
) -> Iterator[str]:
    """What is typed on a terminal, with history; Ctrl-C drops it and its block, Ctrl-D ends."""
    with suppress(ImportError):
        _remember_lines()
    while True:
        with interruptible():
            try:
                line = input(MORE if is_waiting() else PROMPT)
            except KeyboardInterrupt:
                print()
                drop()
                continue
            except EOFError:
                print()
                return
        yield line


def _remember_lines() -> None:
    import atexit
    import readline  # only a terminal pays for it

    file = make_private(state_folder(os.environ)) / "history"
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(_HISTORY_LINES)

    def keep() -> None:
        with suppress(OSError):
            readline.write_history_file(file)
            file.chmod(0o600)

    atexit.register(keep)


def piped_lines() -> Iterator[str]:
    """What comes through a pipe or from a file."""
    while line := sys.stdin.buffer.readline(MAX_LINE_BYTES):
        yield line.decode("utf-8", "replace").rstrip("\r\n")


# ── who answers ───────────────────────────────────────────────────────────────────────────────
def run_lines(options: argparse.Namespace) -> int:
    """With a model it is the agent; without one RocketLang, which says what a model would add."""
    settings = load_and_warn(options)
    if options.offline:
        settings = replace(settings, models=replace(settings.models, offline=True))
    if settings.rocketlang.mode != "only":
        try:
            model = model_for(options.model, settings, os.environ, base_url=options.base_url)
        except ProviderError as problem:
            if options.model or not problem.key.startswith("model_unset"):
                raise
            if options.base_url:
                raise ProviderError.of("task_needs_model.served") from None
        else:
            return _with_model(options, settings, model)
    return _without_model(options)


def _with_model(options: argparse.Namespace, settings: Settings, model: Model) -> int:
    from ankrcode.frontends.agent_line import AgentTalk

    talk = AgentTalk(options, settings, model)
    line = Line(talk, is_open=talk.is_open, close=talk.close)
    return line.run(_lines(line, say("line_model", model=model.name), options.task))


def _without_model(options: argparse.Namespace) -> int:
    from ankrcode.frontends.talk import Talk, is_open

    talk = Talk(options)
    line = Line(talk, is_open=is_open)
    try:
        if talk.kit.settings.rocketlang.mode == "off":
            raise UsageError.of("rl_off")
        language = talk.kit.settings.language
        return line.run(_lines(line, say("line_no_model", language=language), options.task))
    finally:
        talk.close()


def _lines(line: Line, greeting: str, first: list[str]) -> Iterator[str]:
    if not sys.stdin.isatty():
        return chain(first, piped_lines())
    print(_within_the_screen(say("line_welcome")))
    print(_within_the_screen(greeting))
    return chain(first, typed_lines(lambda: line.is_waiting, line.drop))


def _within_the_screen(text: str) -> str:
    """Broken between words: a terminal breaks inside them, and inside letters of Indian scripts."""
    from shutil import get_terminal_size  # only a terminal pays for it
    from textwrap import fill

    return fill(text, max(get_terminal_size().columns - 1, 20))
