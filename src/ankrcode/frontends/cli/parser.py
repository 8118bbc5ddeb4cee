"""The parser of every command: help as wide as the terminal, and options never abbreviated."""

import argparse
import os
import sys
from typing import Any

SET_BEHIND = "set_behind"  # --set behind an action
_USUAL_COLUMNS = 80


class Help(argparse.HelpFormatter):
    """argparse itself would load a slow module to know how wide the terminal is."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


class PlainHelp(Help, argparse.RawDescriptionHelpFormatter):
    """Descriptions as they are written, line by line."""


class Parser(argparse.ArgumentParser):
    """Those of its actions are made likewise, and take the options of every command too."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, **more})

    def add_subparsers(self, **more: Any) -> Any:
        return super().add_subparsers(**{"parser_class": ActionParser, **more})


class ActionParser(Parser):
    """`ankrcode models list --set x=y`: what may stand before an action may stand behind it.

    The help of the command tells of these options; that of each action need not repeat it.
    """

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"conflict_handler": "resolve", **more})  # an action's own one wins
        hidden: dict[str, Any] = {"help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
        self.add_argument("--cwd", **hidden)
        # A list of its own: argparse would put it in the place of what stood before the action.
        self.add_argument("--set", action="append", dest=SET_BEHIND, **hidden)
        self.add_argument("--debug", action="store_true", **hidden)


def _columns() -> int:
    try:
        return int(os.environ["COLUMNS"]) or _USUAL_COLUMNS
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _USUAL_COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _USUAL_COLUMNS
