"""What is wrong with a pattern, a glob or a type: where, and how to write it instead."""

import re

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.search.regex import RegexError, translate
from ankrcode.workspace.search.ripgrep import type_names
from ankrcode.workspace.search.types import TYPES

_META = re.compile(r"([\\.+*?()|\[\]{}^$])")
_MAX_SHOWN = 200


def fault_of_complaint(said: str, pattern: str, glob: str, type_name: str, rg: str) -> ToolError:
    """ripgrep's own words, as one of our errors."""
    if "unrecognized file type" in said:
        return unknown_type(type_name, type_names(rg))
    if "error parsing glob" in said:
        return glob_fault(glob, said.strip().rpartition(": ")[2])
    if 'literal "\\n" is not allowed' in said or '"\\n" is not allowed' in said:
        return _regex_error("regex_crosses", pattern)
    if "impossible to match" in said:
        return _regex_error("regex_nul", pattern)
    if "PCRE2 is not available" in said:
        return _regex_error("regex_needs_pcre", pattern)
    if "size limit" in said:
        return _regex_error("regex_large", pattern)
    if "regex parse error" in said or "PCRE2: error compiling" in said:
        return _wrong_regex(said, pattern)
    why = said.strip().removeprefix("rg: ").partition("\n")[0][:_MAX_SHOWN]
    return ToolError.of("search_failed", why=why).coded(ErrorCode.EXECUTION_ERROR)


def fault_of_regex(pattern: str, problem: RegexError) -> ToolError:
    """The same for a pattern that the Python engine refuses."""
    if "NUL" in problem.why:
        return _regex_error("regex_nul", pattern)
    if problem.is_unsupported:
        return _regex_error("regex_needs_rg", pattern, what=problem.why)
    if "is not allowed without multiline" in problem.why:
        return _regex_error("regex_crosses", pattern)
    return _regex_wrong_at(pattern, problem.why, problem.at)


def _wrong_regex(said: str, pattern: str) -> ToolError:
    why = said.strip().rpartition("error: " if "error: " in said else ": ")[2].partition("\n")[0]
    try:  # our own reading knows the character; ripgrep counts from the group it adds
        translate(pattern)
    except RegexError as problem:
        if not problem.is_unsupported:
            return _regex_wrong_at(pattern, why, problem.at)
    return _regex_error("regex_wrong", pattern, why=why, escaped=escaped(pattern))


def _regex_wrong_at(pattern: str, why: str, at: int) -> ToolError:
    return _regex_error(
        "regex_wrong.at",
        pattern,
        why=why,
        at=at + 1,
        near=pattern[at : at + 20],
        escaped=escaped(pattern),
    ).coded(ErrorCode.INVALID_INPUT, at=at + 1)


def _regex_error(key: str, pattern: str, **values: object) -> ToolError:
    shown = pattern if len(pattern) <= _MAX_SHOWN else f"{pattern[:_MAX_SHOWN]}…"
    error = ToolError.of(key, pattern=shown, **values)
    return error.coded(ErrorCode.INVALID_INPUT, parameter="pattern")


def escaped(pattern: str) -> str:
    """The same text, to be searched for as it stands."""
    return _META.sub(r"\\\1", pattern[:_MAX_SHOWN])


def glob_fault(glob: str, why: str) -> ToolError:
    error = ToolError.of("glob_wrong", pattern=glob[:_MAX_SHOWN], why=why)
    return error.coded(ErrorCode.INVALID_INPUT, parameter="glob")


def unknown_type(name: str, known: tuple[str, ...]) -> ToolError:
    from difflib import get_close_matches  # only a failure pays for it

    near = get_close_matches(name.lower().lstrip("."), known, n=3, cutoff=0.5)
    if near:
        error = ToolError.of("type_unknown.near", name=name[:_MAX_SHOWN], near=", ".join(near))
    else:
        error = ToolError.of("type_unknown", name=name[:_MAX_SHOWN])
    return error.coded(ErrorCode.INVALID_INPUT, parameter="type", near=near)


def type_globs(name: str) -> tuple[str, ...]:
    if name not in TYPES:
        raise unknown_type(name, tuple(TYPES))
    return TYPES[name]
