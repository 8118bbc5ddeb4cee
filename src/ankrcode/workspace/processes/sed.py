"""A plain `sed -i 's/a/b/' file`: understood, worked out on a copy, and shown before it is done.

Only one file and commands that merely substitute or delete are plain. Everything else is an
ordinary command.
"""

import os
import re
import subprocess
from collections.abc import Mapping

from msgspec import Struct

# Words as every shell reads them: nothing that expands, nothing that joins commands.
# Patterns are text here: each is compiled by its first use, not by every start.
_WORD = r"""(?:[\w./:=,@%+^-]|'[^']*'|"[^"$`\\!]*")+"""
_LINE = rf"(?x)[ \t]*sed(?:[ \t]+{_WORD})+[ \t]*"
_QUOTED = r"""'([^']*)'|"([^"]*)"|([^'"]+)"""

_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)+/I?)"
_PLACE = rf"\s*(?:{_ADDRESS}(?:,{_ADDRESS})?\s*!?\s*)?"
_FLAGS = r"[gpIiMm\d]*"
_SEPARATOR = r"[ \t]*(?:[;\n]\s*|\Z)"

_PROGRAMS = ("/usr/bin/sed", "/bin/sed")  # never one that the workspace brought along
_TIMEOUT_S = 5.0


class SedEdit(Struct, frozen=True):
    """What to substitute where."""

    options: tuple[str, ...]
    path: str  # as it was written


def understood(command: str) -> SedEdit | None:
    """The edit this command makes; None where it is more than a plain one."""
    if not command.lstrip(" \t").startswith("sed") or not re.fullmatch(_LINE, command):
        return None
    words = [_unquoted(word[0]) for word in re.finditer(_WORD, command.strip())][1:]
    options: list[str] = []
    scripts: list[str] = []
    others: list[str] = []
    is_in_place = False
    while words:
        word = words.pop(0)
        if word in ("-i", "--in-place"):
            is_in_place = True
        elif word in ("-E", "-r", "--regexp-extended"):
            options.append("-E")
        elif word in ("-e", "--expression") and words:
            scripts.append(words.pop(0))
        elif word.startswith("-"):
            return None
        else:
            others.append(word)
    if not scripts and others:
        scripts.append(others.pop(0))
    if not is_in_place or len(others) != 1 or not all(map(_is_plain, scripts)):
        return None
    return SedEdit(options=(*options, *(f"--expression={one}" for one in scripts)), path=others[0])


def worked_out(edit: SedEdit, content: bytes, env: Mapping[str, str]) -> bytes | None:
    """The content afterwards, by sed itself; None where sed cannot say."""
    program = next((path for path in _PROGRAMS if os.access(path, os.X_OK)), "")
    try:
        done = subprocess.run(  # noqa: S603 - it reads nothing but our copy, and writes nothing
            [program, "--sandbox", *edit.options],
            input=content,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env=dict(env),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 and not done.stderr else None


def _unquoted(word: str) -> str:
    return "".join(one or two or bare for one, two, bare in re.findall(_QUOTED, word))


def _is_plain(script: str) -> bool:
    """One or more substitutions or deletions, each perhaps for some lines only."""
    at = 0
    while match := re.compile(_PLACE).match(script, at):
        end = _after_command(script, match.end())
        rest = re.compile(_SEPARATOR).match(script, end) if end >= 0 else None
        if rest is None:
            return False
        if rest.end() == len(script):
            return True
        at = rest.end()
    return False


def _after_command(script: str, at: int) -> int:
    if script[at : at + 1] == "d":
        return at + 1
    if script[at : at + 1] != "s" or at + 1 >= len(script) or script[at + 1] in "\\\n":
        return -1
    mark, at = script[at + 1], at + 2
    for _ in range(2):
        at = _after_part(script, at, mark)
        if at < 0:
            return -1
    flags = re.compile(_FLAGS).match(script, at)
    return flags.end() if flags else at


def _after_part(script: str, at: int, mark: str) -> int:
    """Past the next mark that is not escaped."""
    while at < len(script):
        if script[at] == "\\":
            at += 2
        elif script[at] == mark:
            return at + 1
        else:
            at += 1
    return -1
