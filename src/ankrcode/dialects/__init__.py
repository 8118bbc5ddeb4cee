"""Dialects by name: one module each, holding one table."""

from importlib import import_module
from pathlib import Path

from ankrcode.errors import UsageError
from ankrcode.tooling.dialect import Dialect

DEFAULT = "claude"


def names() -> list[str]:
    return sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py"))


def load(name: str) -> Dialect:
    if name not in names():
        raise UsageError.of("unknown_dialect", name=name, names=", ".join(names()))
    dialect: Dialect = import_module(f"{__name__}.{name}").DIALECT
    return dialect
