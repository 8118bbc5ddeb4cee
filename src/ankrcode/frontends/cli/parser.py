"""The parser of every command: help as wide as the terminal, and options never abbreviated."""

import argparse
import os
import sys
from typing import Any, NoReturn

SET_BEHIND = "set_behind"  # --set behind an action
_USUAL_COLUMNS = 80
_UNKNOWN = "unrecognized arguments: "  # as argparse says it
_ELSEWHERE = {  # names that other agents have for it
    "--dangerously-skip-permissions": "--permission-mode bypass",
    "--yolo": "--permission-mode bypass",
    "--max-budget-usd": "--max-cost",
    "--session-id": "--session",
    "--output-schema": "--json-schema",
    "--directory": "--cwd",
    "-C": "--cwd",
    "-m": "--model",
}


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

    def error(self, message: str) -> NoReturn:
        """What is not known here may be nearly so, or known elsewhere by another name."""
        unknown = message.partition(_UNKNOWN)[2].split()
        hints = [hint for one in unknown if (hint := self._hint(one.partition("=")[0]))]
        super().error("\n".join([message, *hints]))

    def _hint(self, option: str) -> str:
        if not option.startswith("-"):
            return ""
        from difflib import get_close_matches  # only who is wrong pays for it

        from ankrcode.words import say

        known = [one for one in self._option_string_actions if one.startswith("--")]
        begun = [one for one in known if one.startswith(option) and option.startswith("--")]
        near = get_close_matches(option, known, n=1, cutoff=0.7)
        meant = _ELSEWHERE.get(option) or " / ".join(begun) or "".join(near)
        return say("option_near", option=option, near=meant) if meant else ""

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
