"""A command line taken apart into its simple commands: enough to see which programs ran, in which
order, and whether the exit code of the whole is that of the last. Never used to allow anything."""

import re
import shlex
from collections.abc import Iterator

from msgspec import Struct

_ENDS = frozenset(("&&", "||", ";", "|", "|&", "&", "\n", ";;", "(", ")", "{", "}"))
_WORDS = frozenset(("then", "do", "else", "if", "while", "until", "!", "time", "done", "fi"))
# Programs that run another one; what stands before that are options and durations.
_WRAPPERS = frozenset(
    ("sudo", "nice", "nohup", "env", "command", "exec", "stdbuf", "ionice", "timeout", "xvfb-run")
)
_OWN_WORD = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?|[A-Za-z_]\w*=.*", re.DOTALL)
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_MAX_CHARS = 20_000
_HERE = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(.*?)^[ \t]*\2[ \t]*$", re.DOTALL | re.MULTILINE
)


class Simple(Struct, frozen=True, kw_only=True):
    """One simple command."""

    words: tuple[str, ...]
    targets: tuple[str, ...] = ()  # files its output goes to
    is_masked: bool = False  # the whole may end well though this one failed


def taken_apart(command: str) -> list[Simple]:
    """In the order in which they run; empty where the line cannot be read."""
    if len(command) > _MAX_CHARS:
        return []
    text = _HERE.sub(_in_line, command).replace("\\\n", " ")
    reader = shlex.shlex(text, posix=True, punctuation_chars=";&|()<>\n")
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t\r", True, ""
    try:
        tokens = list(reader)
    except ValueError:
        return []
    keeps_failures = "pipefail" in command
    found: list[Simple] = []
    words: list[str] = []
    for token in [*_without_remarks(tokens), "&&"]:
        if not token:
            continue
        if token in _ENDS or set(token) <= set(";&|()\n"):
            if words:
                found += _simple(words, _masks(token, keeps_failures=keeps_failures))
            words = []
        else:
            words.append(token)
    return _with_last(found)


def _in_line(found: re.Match[str]) -> str:
    """What a here-document says, as one word: it may hold quotes, and is no command."""
    return f" {shlex.quote(found[4].strip() or '-')} {found[3]}"


def _without_remarks(tokens: list[str]) -> Iterator[str]:
    """A group and what follows it come as one: `)` and `|` say together what is hidden."""
    is_remark, group = False, ""
    for token in [*tokens, ""]:
        is_remark = (is_remark or token.startswith("#")) and "\n" not in token
        if token == ")":  # noqa: S105 - a bracket
            group = token
        elif not is_remark:
            is_end = bool(token) and set(token) <= set(";&|\n")
            yield from (group + token,) if is_end else (group, token)
            group = ""


def _masks(end: str, *, keeps_failures: bool) -> bool:
    """Does what follows hide how this one ended?"""
    end = end.lstrip(")")
    if not end or end.strip("\n") in ("&&", "("):
        return False
    return not (end in ("|", "|&") and keeps_failures)


def _with_last(found: list[Simple]) -> list[Simple]:
    """The last command's end is the end of the whole."""
    if not found:
        return []
    last = found[-1]
    return [*found[:-1], Simple(words=last.words, targets=last.targets)]


def _simple(words: list[str], is_masked: bool) -> list[Simple]:  # noqa: FBT001
    plain, targets = _redirected(words)
    plain = _unwrapped(plain)
    if not plain:
        return []
    if plain[0].rpartition("/")[2] in _SHELLS and any(
        w in ("-c", "-lc", "-ec") for w in plain[1:3]
    ):
        at = next(i for i, word in enumerate(plain) if word in ("-c", "-lc", "-ec"))
        inner = taken_apart(plain[at + 1]) if len(plain) > at + 1 else []
        return [_masked(one) if is_masked else one for one in inner]
    return [Simple(words=tuple(plain), targets=tuple(targets), is_masked=is_masked)]


def _masked(one: Simple) -> Simple:
    return Simple(words=one.words, targets=one.targets, is_masked=True)


def _redirected(words: list[str]) -> tuple[list[str], list[str]]:
    plain: list[str] = []
    targets: list[str] = []
    rest = iter(words)
    for word in rest:
        if set(word) <= set("<>&") and word:
            target = next(rest, "")
            if ">" in word and not target.isdigit():
                targets.append(target)
            if plain and plain[-1].isdigit():
                plain.pop()  # 2>
        else:
            plain.append(word)
    return plain, targets


def _unwrapped(words: list[str]) -> list[str]:
    """Without assignments, reserved words and programs that only run another."""
    while words:
        first = words[0].rpartition("/")[2]
        if first in _WORDS or ("=" in first and first.partition("=")[0].isidentifier()):
            words = words[1:]
        elif first in _WRAPPERS:
            words = words[1:]
            while words and _OWN_WORD.fullmatch(words[0]):
                words = words[1:]
        else:
            break
    return words
