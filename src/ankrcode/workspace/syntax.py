"""Does a file still parse? Only asked where it did before; what cannot be told is not said."""

import json
import os
import re
import threading
import tomllib
import warnings
from collections.abc import Callable

_MAX_CHARS = 300_000  # a parser holds up everything else while it works
_MAX_DOTS = 500
_MAX_DEPTH = 500
_TOO_DEEP = "it is nested too deeply"
_quiet = threading.Lock()  # warnings are one setting for all threads


def is_checked(path: str, text: str) -> bool:
    """Is there a parser for such a file, and is it small enough to ask it?"""
    return os.path.splitext(path)[1].lower() in _CHECKS and len(text) <= _MAX_CHARS  # noqa: PTH122


def broken_by(path: str, before: str, after: str) -> str:
    """What is wrong with `after`, if `before` was right; empty where nothing is known."""
    check = _CHECKS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122
    if check is None or max(len(before), len(after)) > _MAX_CHARS:
        return ""
    fault = check(after)
    return fault if fault and not check(before) else ""


def _python(text: str) -> str:
    try:
        with _quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "", "exec", flags=_ONLY_PARSE, dont_inherit=True)
    except SyntaxError as problem:
        return f"line {problem.lineno}: {problem.msg}"
    except ValueError as problem:
        return str(problem)
    except (RecursionError, MemoryError):
        return _TOO_DEEP
    return ""


_ONLY_PARSE = 0x400  # ast.PyCF_ONLY_AST, without the import


def _json(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return f"line {problem.lineno}: {problem.msg}"
    except RecursionError:
        return _TOO_DEEP
    return ""


def _toml(text: str) -> str:
    if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        return ""  # the parser takes a long dotted key apart again and again
    try:
        tomllib.loads(text)
    except ValueError as problem:
        return str(problem)
    except RecursionError:
        return _TOO_DEEP
    return ""


def _yaml(text: str) -> str:
    try:
        import yaml
    except ImportError:
        return ""
    if _depth(text) > _MAX_DEPTH:
        return ""  # the parser looks at all open brackets again for each new one
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(text, Loader=loader):  # events only: whatever nests needs no stack
            pass
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = f"line {mark.line + 1}: " if mark else ""
        return f"{place}{problem.problem}"
    except (yaml.YAMLError, ValueError) as problem:
        return str(problem).partition("\n")[0]
    except RecursionError:
        return _TOO_DEEP
    return ""


def _depth(text: str) -> int:
    """How many brackets are open at once, at most; those in quotes count too."""
    depth = most = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        most = max(most, depth)
    return most


_CHECKS: dict[str, Callable[[str], str]] = {
    ".py": _python,
    ".pyi": _python,
    ".json": _json,
    ".ipynb": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
}
