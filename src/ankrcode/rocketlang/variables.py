"""Names and what they stand for; how a value gets into a sentence, and into a command line."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from ankrcode.rocketlang.pieces import outside_quotes

# A name ends where Latin letters meet another script: a case ending may follow at once.
NAME = "(?:[A-Za-z_][A-Za-z0-9_]*|[\u0900-\u0dff]+)"
# Patterns are compiled when they are needed first: most sentences need none.
DOLLAR = rf"\$({NAME})"
BRACES = rf"\{{({NAME})\}}"
_TYPED = r"[\w./+@-]+"  # what the person wrote may stand there as it is
_ENDING = r"(?:\.(?:py|js|ts|sh|md|txt|json|toml|yaml|yml|html|css|log)|/)\Z"
# What was found may too, if nothing in it could be taken for an ending or a word.
_FOUND = rf"[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)*{_ENDING}"
_PART = r"[A-Za-z0-9_]+"
_HIDDEN = "rlvalue"
_MATCH = r"(?s):\d+:.*"  # `path:line: text`: the path is what was found
_NAMED = f"{DOLLAR}|{BRACES}"


class Value(Struct, frozen=True, kw_only=True):
    """Text, or several texts. `is_typed`: the person wrote it; else it was found somewhere."""

    items: tuple[str, ...]
    is_list: bool = False
    is_typed: bool = False
    is_quoted: bool = False

    @property
    def is_path(self) -> bool:
        """Could it be the name of one file?"""
        return len(self.items) == 1 and "\n" not in self.text and not self.is_quoted

    @property
    def text(self) -> str:
        return "\n".join(self.items)

    @property
    def is_empty(self) -> bool:
        return not any(one.strip() for one in self.items)


Variables = Mapping[str, Value]
How = Literal["plain", "mixed", "named", "quoted"]


def typed(text: str, *, is_quoted: bool = True) -> Value:
    return Value(items=(text,), is_typed=True, is_quoted=is_quoted)


def value_of(result: Any, *, finds: bool = False) -> Value:
    """What a call brought, as text or as a list of texts. `finds`: its lines are things found."""
    listed = _listed(result)
    if listed is None and finds and isinstance(result, str | None):
        listed = [line.strip() for line in (result or "").splitlines() if line.strip()]
    if listed is not None:
        named = (re.sub(_MATCH, "", one) if finds and ":" in one else one for one in listed)
        return Value(items=tuple(dict.fromkeys(named)), is_list=True)
    return Value(items=(_text(result),))


def _listed(result: Any) -> list[str] | None:
    if isinstance(result, list | tuple):
        return [_text(one) for one in result]
    if isinstance(result, dict):
        for name in ("paths", "files", "filenames", "entries", "matches", "counts", "items"):
            if isinstance(result.get(name), list) and (result[name] or name != "files"):
                return _listed(result[name])
    return None


def _text(result: Any) -> str:
    if isinstance(result, dict):
        for name in ("path", "file_path", "file", "name", "text", "output", "content", "stdout"):
            if isinstance(result.get(name), str):
                return str(result[name])
    return "" if result is None else str(result)


# ── in sentences ──────────────────────────────────────────────────────────────────────────────
class Veil:
    """Hides values while a sentence is read, so that nothing in them is ever taken for a word.

    Verbs differ in what they take. `plain`: paths stand there as they are, texts as variables.
    `mixed`: texts as quotations. `named` and `quoted`: all of them as the one or the other.
    """

    def __init__(self, variables: Variables, how: How = "plain") -> None:
        self.variables = variables
        self.hidden: dict[str, Value] = {}
        self.is_used = False
        self._how = how

    def over(self, sentence: str) -> str:
        """Plain paths are put in; any other value waits under another name.

        What stands in quotes is left: its `{names}` are filled in when nothing is read any more.
        """
        if "$" not in sentence and "{" not in sentence:
            return sentence
        parts: list[str] = []
        last = 0
        for found in outside_quotes(sentence, _NAMED):
            value = self.variables.get(found[1] or found[2])
            if value is None:
                continue
            around = sentence[max(0, found.start() - 1)] + sentence[found.end() : found.end() + 1]
            is_part = found[2] is not None and not around.replace("{", "").isspace()
            parts += [sentence[last : found.start()], self.token(value, is_part=is_part)]
            last = found.end()
        return "".join([*parts, sentence[last:]])

    def token(self, value: Value, *, is_part: bool = False) -> str:
        """What stands for the value in a sentence."""
        self.is_used = True
        text = value.text.strip()
        is_plain = self._how in ("plain", "mixed")
        if (is_part or is_plain) and _may_show(text, value, is_part=is_part):
            return text
        name = f"{_HIDDEN}{len(self.hidden)}x"
        ending = re.search(_ENDING, text) if value.is_path and is_plain else None
        if not is_part:  # a path is seen to be one, and of which kind
            name = f"{name}{ending[0]}" if ending else f"${name}"
        self.hidden[name] = value
        is_quoted = self._how in ("mixed", "quoted") and not is_part and not ending
        return f'"{name}"' if is_quoted else name

    def lifted(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with all values in their places; in a command each stays one word."""
        return {name: self._lifted(one, is_command=tool == "Bash") for name, one in args.items()}

    def told(self, text: str) -> str:
        """A text with the values in it."""
        return "".join(
            piece if value is None else value.text
            for piece, value in _spliced(text, self.variables, self.hidden)
        )

    def _lifted(self, one: Any, *, is_command: bool) -> Any:
        if isinstance(one, str):
            return in_command(one, self.variables, self.hidden) if is_command else self.told(one)
        if isinstance(one, list):
            return [self._lifted(item, is_command=False) for item in one]
        if isinstance(one, dict):
            return {name: self._lifted(item, is_command=False) for name, item in one.items()}
        return one


def _may_show(text: str, value: Value, *, is_part: bool) -> bool:
    """Can it stand in the sentence as it is, and mean itself?"""
    if _HIDDEN in text:
        return False
    if value.is_typed and (is_part or not value.is_quoted):
        return re.fullmatch(_TYPED, text) is not None
    if is_part:
        return re.fullmatch(_PART, text) is not None
    is_path = not value.is_quoted and re.fullmatch(_FOUND, text) is not None
    return is_path or text.isdecimal()


def _spliced(
    text: str, variables: Variables, hidden: Variables
) -> Iterator[tuple[str, Value | None]]:
    """The text in pieces: as it stands, or a value in its place. What was put in is not read."""
    if not hidden and "{" not in text:
        yield text, None
        return
    names = [re.escape(name) for name in sorted(hidden, key=len, reverse=True)]
    last = 0
    for found in re.finditer("|".join([*names, BRACES]), text):
        value = hidden.get(found[0]) or variables.get(found[1] or "")
        if value is not None:
            yield text[last : found.start()], None
            yield found[0], value
            last = found.end()
    yield text[last:], None


def interpolated(text: str, variables: Variables) -> str:
    """`{name}` becomes its value; other braces stay as they are."""
    if "{" not in text:
        return text
    put = lambda one: variables[one[1]].text if one[1] in variables else one[0]  # noqa: E731
    return re.sub(BRACES, put, text)


# ── in command lines ──────────────────────────────────────────────────────────────────────────
def in_command(
    command: str, variables: Variables, hidden: Variables | None = None, *, raw: bool = False
) -> str:
    """The same inside of a command line: a value that was found is never read by the shell.

    `raw`: what the person wrote themselves goes in as it is, as they wrote the line too.
    """
    line = ""
    for text, value in _spliced(command, variables, hidden or {}):
        if value is None:
            line += text
        else:
            is_raw = raw and value.is_typed
            line += value.text if is_raw else _quoted(value, _open_quote(line))
    return line


def _open_quote(before: str) -> str:
    """Which quote is open at the end of this beginning of a command line?"""
    quote, place = "", 0
    while place < len(before):
        sign = before[place]
        if sign == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        place += 1
    return quote


def _quoted(value: Value, quote: str) -> str:
    if quote == "'":
        return value.text.replace("'", "'\\''")
    if quote == '"':  # the quotation is left for it, and goes on behind it
        return f'"{shlex.quote(value.text)}"'
    return " ".join(map(shlex.quote, value.items)) or "''"
