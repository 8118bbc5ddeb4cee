"""Regular expressions as ripgrep writes them, told to Python's `re`.

The two agree on most of the syntax and differ in small things that change answers: where a flag
begins to count, what `\\w` and `\\s` hold, `a++`, a literal brace. So a pattern is parsed by
ripgrep's grammar and written anew; what `re` cannot say is refused, never guessed.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from ankrcode.workspace.search.chars import (
    MAX_CHAR,
    POSIX,
    SPACE,
    Chars,
    class_text,
    digits,
    inverted,
    words,
)

_INVALID = "\udc80-\udcff"  # bytes that are no UTF-8, as `surrogateescape` shows them
_MAX_REPEATS = 1_000
_REPETITION = re.compile(r"\s*([0-9]+)\s*(?:(,)\s*([0-9]*)\s*)?\}")
_MAX_DEPTH = 100
_SPECIAL_BORDER = re.compile(r"\{[A-Za-z-][^}]*\}?")
_EYES = "Ii\u0130\u0131"  # to ripgrep the last two have no other case
_NEVER = ("{0}", "{0}?", "{0,0}", "{0,0}?")  # repetitions that leave nothing
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_HEX_WIDTH = {"x": 2, "u": 4, "U": 8}
_SETS: dict[str, Callable[[], Chars]] = {"d": digits, "w": words, "s": lambda: SPACE}


class RegexError(ValueError):
    """A pattern that is wrong (or that Python cannot say): why, and at which character."""

    def __init__(self, why: str, at: int, *, is_unsupported: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.at = at
        self.is_unsupported = is_unsupported


class Translated:
    """The pattern for `re`, and whether one match can reach over several lines."""

    def __init__(self, regex: re.Pattern[str], *, crosses_lines: bool) -> None:
        self.regex = regex
        self.crosses_lines = crosses_lines


def translate(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Translated:
    """Raises `RegexError`."""
    parser = _Parser(pattern, ignore_case=ignore_case, multiline=multiline)
    text = parser.whole()
    try:
        return Translated(re.compile(text, re.MULTILINE), crosses_lines=parser.crosses_lines)
    except (re.error, OverflowError, RecursionError) as problem:
        raise RegexError(str(problem), 0, is_unsupported=True) from None


class _Parser:
    def __init__(self, pattern: str, *, ignore_case: bool, multiline: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._multiline = multiline
        self._flags = {"i": ignore_case, "s": multiline, "m": True, "u": True}
        self._names: set[str] = set()
        self._depth = 0
        self.crosses_lines = False

    # ── structure ─────────────────────────────────────────────────────────────────────────
    def whole(self) -> str:
        text = self._alternatives()
        if self._at < len(self._pattern):
            raise RegexError("unopened group", self._at)
        return text

    def _alternatives(self) -> str:
        branches = [self._branch()]
        while self._took("|"):
            branches.append(self._branch())
        return "|".join(branches)

    def _branch(self) -> str:
        text = ""
        while self._peek() and self._peek() not in "|)":
            crossed = self.crosses_lines
            text += (piece := self._repeated(self._atom()))
            if piece.endswith(_NEVER):
                self.crosses_lines = crossed
        return text

    def _repeated(self, atom: str) -> str:
        while self._peek() and self._peek() in "*+?{":
            sign = self._repetition()
            lazy = "?" if self._took("?") else ""
            atom = f"(?:{atom}){sign}{lazy}"
        return atom

    def _repetition(self) -> str:
        start, char = self._at, self._next()
        if char != "{":
            return char
        found = _REPETITION.match(self._pattern, self._at)
        if not found:
            raise RegexError("repetition quantifier expects a valid decimal", self._at)
        low, comma, high = found.groups()
        if max(int(low), int(high or 0)) > _MAX_REPEATS:
            raise RegexError(f"more than {_MAX_REPEATS} repetitions", start, is_unsupported=True)
        if high and int(low) > int(high):
            raise RegexError("invalid repetition count range, the start must be <= the end", start)
        self._at = found.end()
        return f"{{{low}{comma or ''}{high or ''}}}"

    def _atom(self) -> str:
        start, char = self._at, self._next()
        match char:
            case "(":
                return self._group(start)
            case "[":
                return self._class(start)
            case ".":
                return self._anything()
            case "\\":
                return self._escape(start)
            case "^" | "$":
                return char
            case "*" | "+" | "?" | "{":
                raise RegexError("repetition operator missing expression", start)
            case _:
                return self._literal(char, start)

    def _literal(self, char: str, at: int) -> str:
        if char == "\n":
            self._check_may_cross(at)
        if char == "\0":
            raise RegexError("a NUL byte", at)
        return self._cased(re.escape(char), [(ord(char), ord(char))])

    def _anything(self) -> str:
        if self._flags["s"] and self._multiline:
            self.crosses_lines = True
            return f"[^{_INVALID}]"
        return f"[^\n{_INVALID}]"

    def _check_may_cross(self, at: int) -> None:
        if not self._multiline:
            raise RegexError('the literal "\\n" is not allowed without multiline', at)
        self.crosses_lines = True

    # ── groups ────────────────────────────────────────────────────────────────────────────
    def _group(self, start: int) -> str:
        opening = "("
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RegexError(f"more than {_MAX_DEPTH} nested groups", start, is_unsupported=True)
        kept = dict(self._flags)
        if self._took("?"):
            opening = self._group_kind(start)
            if not opening:
                self._depth -= 1
                if self._peek() and self._peek() in "*+?{":
                    raise RegexError("repetition operator missing expression", self._at)
                return ""  # flags alone: they count to the end of the group around them
        text = self._alternatives()
        if not self._took(")"):
            raise RegexError("unclosed group", start)
        self._flags = kept
        self._depth -= 1
        return f"{opening}{text})"

    def _group_kind(self, start: int) -> str:
        for look in ("<=", "<!", "=", "!"):
            if self._took(look):
                return f"(?{look}"
        if self._took("P<") or self._took("<"):
            self._check_group_name()
            return "("
        return self._set_flags(start)

    def _check_group_name(self) -> None:
        """Nothing refers to a group by name, so that its name is only looked at."""
        start = self._at
        end = self._pattern.find(">", start)
        if end < 0:
            raise RegexError("unclosed capture group name", start)
        name = self._pattern[start:end]
        if not name:
            raise RegexError("empty capture group name", start)
        for at, char in enumerate(name, start):
            kind = unicodedata.category(char)[0]
            if (
                kind not in "LM"
                and char != "_"
                and (at == start or not (kind == "N" or char in ".[]"))
            ):
                raise RegexError("invalid capture group character", at)
        if name in self._names:
            raise RegexError("duplicate capture group name", start)
        self._names.add(name)
        self._at = end + 1

    def _set_flags(self, start: int) -> str:
        flags, value, seen = dict(self._flags), True, ""
        while (char := self._next("unclosed group", start)) not in ":)":
            if char in seen:
                why = "repeated negation operator" if char == "-" else "duplicate flag"
                raise RegexError(why, self._at - 1)
            seen += char
            if char == "-":
                value = False
                continue
            if char not in "imsu" or (char in "mu" and not value):
                known = char in "imsuUxR"
                why = f"the flag '{char}'" if known else "unrecognized flag"
                raise RegexError(why, self._at - 1, is_unsupported=known)
            flags[char] = value
        if seen.endswith("-"):
            raise RegexError("dangling flag negation operator", self._at - 2)
        if char == ":":
            self._flags = flags
            return "(?:"
        if not seen:
            raise RegexError("repetition operator missing expression", start + 1)
        self._flags = flags
        return ""

    # ── escapes ───────────────────────────────────────────────────────────────────────────
    def _escape(self, start: int) -> str:
        char = self._next("incomplete escape sequence", start)
        if char in "dDwWsS":
            return self._written(_SETS[char.lower()](), is_negated=char.isupper())
        if char in "bB<>":
            return self._border(char, start)
        if char in "Az":
            if self._multiline:
                raise RegexError(f"\\{char} in a multiline search", start, is_unsupported=True)
            return "^" if char == "A" else "$"
        if char in "123456789":
            return f"(?:\\{char})" if not self._flags["i"] else f"(?i:\\{char})"
        return self._literal(self._escaped_char(char, start), start)

    def _escaped_char(self, char: str, start: int) -> str:
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in _HEX_WIDTH:
            return self._hexadecimal(_HEX_WIDTH[char], start)
        if char in "pP":
            raise RegexError("a Unicode class (\\p)", start, is_unsupported=True)
        if char.isascii() and not char.isalnum():
            return char
        raise RegexError("unrecognized escape sequence", start)

    def _hexadecimal(self, width: int, start: int) -> str:
        form = re.compile(rf"\{{([0-9A-Fa-f]+)\}}|([0-9A-Fa-f]{{{width}}})")
        found = form.match(self._pattern, self._at)
        if not found:
            raise RegexError("invalid hexadecimal digit", start)
        number = int(found[1] or found[2], 16)
        if number > MAX_CHAR or 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004
            raise RegexError("hexadecimal literal is not a Unicode scalar value", self._at)
        self._at = found.end()
        return chr(number)

    def _border(self, char: str, start: int) -> str:
        word = _word_text()
        begins, ends = f"(?<!{word})(?={word})", f"(?<={word})(?!{word})"
        if char == "b" and (special := _SPECIAL_BORDER.match(self._pattern, self._at)):
            self._at = special.end()
            match special[0]:
                case "{start}":
                    return begins
                case "{end}":
                    return ends
                case "{start-half}" | "{end-half}":
                    raise RegexError("a half word boundary", start, is_unsupported=True)
                case _:
                    raise RegexError("unrecognized special word boundary assertion", start)
        if char == "B":
            # Beside bytes that are no text there is neither a border nor its absence.
            valid = f"(?<![{_INVALID}])(?![{_INVALID}])"
            return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}){valid})"
        return {"b": f"(?:{begins}|{ends})", "<": begins, ">": ends}[char]

    # ── classes ───────────────────────────────────────────────────────────────────────────
    def _class(self, start: int) -> str:
        is_negated = self._took("^")
        chars: Chars = []
        while self._took("-"):  # at the beginning these stand for themselves
            chars = [(ord("-"), ord("-"))]
        if not chars and self._took("]"):
            chars = [(ord("]"), ord("]"))]
        while not self._took("]"):
            if not self._peek():
                raise RegexError("unclosed character class", start)
            chars += self._class_item(start, may_be_newline=is_negated)
        return self._written(chars, is_negated=is_negated)

    def _class_item(self, start: int, *, may_be_newline: bool) -> Chars:
        for sign in ("&&", "--", "~~"):
            if self._pattern.startswith(sign, self._at):
                raise RegexError(f"the set operation '{sign}'", self._at, is_unsupported=True)
        at, char = self._at, self._next()
        if char == "[":
            return self._posix(at)
        if char == "\\" and self._peek() and self._peek() in "dDwWsS":
            name = self._next()
            if self._begins_range():
                raise RegexError("invalid range boundary, must be a literal", at)
            found = _SETS[name.lower()]()
            return inverted(found) if name.isupper() else found
        low = self._class_char(char, start)
        if low == "\n" and not may_be_newline:
            self._check_may_cross(at)
        if not self._begins_range():
            return [(ord(low), ord(low))]
        self._at += 1
        return [(ord(low), ord(self._upper_end(low, start, at)))]

    def _begins_range(self) -> bool:
        """Whether a range goes on here; at the end of a class, or doubled, `-` means another."""
        sign, after = self._peek(), self._pattern[self._at + 1 : self._at + 2]
        return sign == "-" and after not in ("]", "-", "")

    def _upper_end(self, low: str, start: int, at: int) -> str:
        edge, char = self._at, self._next("unclosed character class", start)
        if char == "\\" and self._peek() and self._peek() in "dDwWsSpP":
            raise RegexError("invalid range boundary, must be a literal", edge)
        high = self._class_char(char, start)
        if high < low:
            raise RegexError("invalid character class range, the start must be <= the end", at)
        return high

    def _class_char(self, char: str, start: int) -> str:
        if char != "\\":
            return char
        at = self._at - 1
        return self._escaped_char(self._next("unclosed character class", start), at)

    def _posix(self, at: int) -> Chars:
        found = re.compile(r":(\^?)(\w+):\]").match(self._pattern, self._at)
        if not found or found[2] not in POSIX:
            raise RegexError("a class inside a class", at, is_unsupported=True)
        self._at = found.end()
        chars = POSIX[found[2]]
        return inverted(chars) if found[1] else chars

    def _written(self, chars: Chars, *, is_negated: bool) -> str:
        """A set as `re` writes it; without multiline no set holds the line break."""
        if self._multiline:
            holds = any(low <= 10 <= high for low, high in chars)  # noqa: PLR2004
            self.crosses_lines = self.crosses_lines or holds != is_negated
            breaks = ""
        else:
            breaks = "\n"
            chars = [part for one in chars for part in _without_newline(one)]
        inside = class_text(chars)
        if is_negated:
            text = f"[^{inside}{breaks}{_INVALID}]"
        else:
            text = f"[{inside}]" if inside else "(?!)"
        return self._cased(text, chars, is_negated=is_negated)

    def _cased(self, text: str, chars: Chars, *, is_negated: bool = False) -> str:
        """The same for either case, if wanted; only `re` takes a Turkish i for an i."""
        if not self._flags["i"]:
            return text
        held = {char for char in _EYES for low, high in chars if low <= ord(char) <= high}
        if not held:
            return f"(?i:{text})"
        held |= set("Ii") if held & set("Ii") else set()
        kept = "".join(char for char in _EYES if (char in held) != is_negated)
        return f"(?:(?![{_EYES}])(?i:{text}){f'|[{kept}]' if kept else ''})"

    # ── characters ────────────────────────────────────────────────────────────────────────
    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self, missing: str = "", start: int = 0) -> str:
        char = self._peek()
        if not char:
            raise RegexError(missing, start)
        self._at += 1
        return char

    def _took(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True


def _without_newline(part: tuple[int, int]) -> Chars:
    low, high = part
    if not low <= 10 <= high:  # noqa: PLR2004
        return [part]
    return [one for one in ((low, 9), (11, high)) if one[0] <= one[1]]


@cache
def _word_text() -> str:
    return f"[{class_text(words())}]"
