"""The parser of every command: help as wide as the terminal, and options never abbreviated."""

import argparse
import os
import sys
from typing import Any

_USUAL_COLUMNS = 80


class Help(argparse.HelpFormatter):
    """argparse itself would load a slow module to know how wide the terminal is."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


class PlainHelp(Help, argparse.RawDescriptionHelpFormatter):
    """Descriptions as they are written, line by line."""


class Parser(argparse.ArgumentParser):
    """Those of its actions are made likewise."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, **more})


def _columns() -> int:
    try:
        return int(os.environ["COLUMNS"]) or _USUAL_COLUMNS
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _USUAL_COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _USUAL_COLUMNS
