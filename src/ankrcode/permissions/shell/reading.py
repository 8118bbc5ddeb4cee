"""Words as bash reads them: quotes, expansions, substitutions, here-documents.

Every character is accounted for: what is not understood raises `Unparsed`, nothing is skipped.
"""

import re
from functools import cache

from msgspec import Struct

from ankrcode.permissions.shell.syntax import (
    Arithmetic,
    Param,
    Part,
    ProcessFile,
    Redirect,
    Script,
    Substitution,
    Text,
    Unparsed,
    Word,
)

BLANKS = " \t"
META = " \t\n|&;()<>"
MAX_NESTING = 30

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]+")
_SPECIAL = "@*#?-$!"
_PLAIN = re.compile(r"[^\\'\"$`<>(){}\[\]|&; \t\n]+")
_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_SURROGATES, _LAST, _LAST_ASCII = range(0xD800, 0xE000), 0x10FFFF, 0x7F
# These two are text: compiled by their first use, not by every start.
_CODES = r"(?s)([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)"
_OPERATOR = r":[-=?+]|[-=?+]|##?|%%?|//?[#%]?|\^\^?|,,?|@|:"


class Opened(Struct, frozen=True):
    """A here-document whose body comes behind the line."""

    delimiter: str
    is_quoted: bool
    strips: bool
    redirect: Redirect


class Mark(Struct, frozen=True):
    """A place to go back to, where a text turns out to be something else."""

    at: int
    depth: int
    waiting: list[Opened]
    is_open: bool


class Reader:
    """A place in a text; `grammar.Parser` adds commands to it."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.waiting: list[Opened] = []  # here-documents not yet read
        self.is_open = False  # inside a substitution on a line that opened a here-document
        self.is_apart = False  # a text of its own: its places are not those of the command line
        self.bashisms = False  # says something that other shells read otherwise

    def script(self, closer: str) -> Script:
        raise NotImplementedError

    def mark(self) -> "Mark":
        return Mark(self.at, self.depth, list(self.waiting), self.is_open)

    def go_back(self, mark: "Mark") -> None:
        self.at, self.depth = mark.at, mark.depth
        self.waiting, self.is_open = mark.waiting, mark.is_open

    # ── characters ────────────────────────────────────────────────────────────────────────────
    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def starts(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def expect(self, text: str) -> None:
        if not self.starts(text):
            raise Unparsed(f"'{text}' is missing")
        self.at += len(text)

    def skip_blanks(self) -> None:
        while True:
            if self.peek() in BLANKS and self.at < len(self.text):
                self.at += 1
            elif self.starts("\\\n"):
                self.at += 2
            else:
                return

    # ── words ─────────────────────────────────────────────────────────────────────────────────
    def word(self, *, stops: str = META, subscripts: bool = False) -> Word:
        start = self.at
        parts = self.parts(stops, subscripts=subscripts)
        if not parts:
            raise Unparsed("a word is missing")
        return Word(tuple(parts), -1 if self.is_apart else start, self.at)

    def parts(self, stops: str, *, subscripts: bool = False, brackets: bool = False) -> list[Part]:
        """Unquoted text up to one of `stops`."""
        found: list[Part] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "<>" and self.peek(2)[1:] == "(" and stops != "]":
                found.append(self._process_file(char))
            elif char in stops:
                break
            elif char == "[" and (brackets or (subscripts and _is_name(found))):
                found += self._brackets()
            else:
                self._unquoted(char, found)
        return _merged(found)

    def _unquoted(self, char: str, found: list[Part]) -> None:
        if char == "\\":
            if self.at + 1 >= len(self.text):
                raise Unparsed("it ends with a backslash")
            if self.text[self.at + 1] != "\n":
                found.append(Text(self.text[self.at + 1], quoted=True))
            self.at += 2
        elif char == "'":
            found.append(Text(self._single(), quoted=True))
        elif char == '"':
            self.at += 1
            found += self._double()
        elif char == "$":
            found += self._dollar(quoted=False)
        elif char == "`":
            found.append(self._backticks(quoted=False, in_double=False))
        else:
            plain = _PLAIN.match(self.text, self.at)
            text = plain[0] if plain else char
            found.append(Text(text, quoted=False))
            self.at += len(text)

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unparsed("a quote is not closed")
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def _double(self) -> list[Part]:
        """The rest of "…", its opening quote being read."""
        found = [Text("", quoted=True), *self.quoted_parts('"')]
        self.expect('"')
        return found

    def quoted_parts(self, stops: str, *, here: bool = False) -> list[Part]:
        """Text as between double quotes, up to one of `stops` or the end."""
        found: list[Part] = []
        while self.at < len(self.text) and (char := self.text[self.at]) not in stops:
            if char == "\\":
                found.append(self._escaped_in_quotes(here=here))
            elif char == "$":
                found += self._dollar(quoted=True)
            elif char == "`":
                found.append(self._backticks(quoted=True, in_double=not here))
            else:
                run = _quoted_run(stops).match(self.text, self.at)
                text = run[0] if run else char
                found.append(Text(text, quoted=True))
                self.at += len(text)
        if self.at >= len(self.text) and stops and not here:
            raise Unparsed("a quote is not closed")
        return _merged(found)

    def _escaped_in_quotes(self, *, here: bool) -> Text:
        escaped = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if escaped == "\n":
            return Text("", quoted=True)
        is_special = escaped and escaped in ("$`\\" if here else '$`"\\')
        return Text(escaped if is_special else "\\" + escaped, quoted=True)

    def _brackets(self) -> list[Part]:
        """`[…]` of an array element: one unit, blanks included."""
        self.at += 1
        inner = self.parts("]", brackets=True)
        self.expect("]")
        return [Text("[", quoted=False), *inner, Text("]", quoted=False)]

    # ── $ ─────────────────────────────────────────────────────────────────────────────────────
    def _dollar(self, *, quoted: bool) -> list[Part]:
        if self.starts("$\\\n"):
            raise Unparsed("a line is continued right behind a '$'")  # bash sees no break there
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            return [self._dollar_paren(quoted=quoted)]
        if following == "{":
            return [self._braced(quoted=quoted)]
        if following == "[":
            self.bashisms = True
            self.at += 2
            parts = self._calculated("[", "]")
            self.expect("]")
            return [Arithmetic(tuple(parts))]
        if following == "'" and not quoted:
            self.bashisms = True
            self.at += 2
            return [Text(self._ansi(), quoted=True)]
        if following == '"' and not quoted:
            self.bashisms = True
            self.at += 2
            return self._double()
        return [self._plain_param(quoted=quoted)]

    def _plain_param(self, *, quoted: bool) -> Part:
        self.at += 1
        name = _NAME.match(self.text, self.at)
        if name:
            self.at = name.end()
            if re.compile(r"(?:\\\n)+\w", re.ASCII).match(self.text, self.at):
                raise Unparsed("a line is continued inside the name of a variable")
            return Param(name[0], quoted)
        char = self.peek()
        if char and (char in _SPECIAL or (char.isascii() and char.isdigit())):
            self.at += 1
            return Param(char, quoted)
        return Text("$", quoted=True)

    def _dollar_paren(self, *, quoted: bool) -> Part:
        if self.starts("$(("):
            saved = self.mark()
            try:
                self.at += 3
                parts = self._calculated("(", ")")
                self.expect("))")
                return Arithmetic(tuple(parts))
            except Unparsed:
                self.go_back(saved)
        self.at += 2
        return Substitution(self._nested(")"), quoted)

    def _nested(self, closer: str) -> Script:
        if self.depth >= MAX_NESTING:
            raise Unparsed("it is nested too deeply")
        outer, self.waiting = self.waiting, []
        was_open, self.is_open = self.is_open, self.is_open or bool(outer)
        self.depth += 1
        script = self.script(closer)
        self.depth -= 1
        self.is_open = was_open
        self.expect(closer)
        if self.waiting:
            raise Unparsed("a here-document is not closed where it was opened")
        self.waiting = outer
        return script

    def _process_file(self, char: str) -> ProcessFile:
        self.bashisms = True
        self.at += 2
        return ProcessFile(self._nested(")"), "<" if char == "<" else ">")

    def _backticks(self, *, quoted: bool, in_double: bool) -> Substitution:
        """Backslashes are undone first, then the text is a script of its own."""
        self.at += 1
        inner: list[str] = []
        special = '`\\$"' if in_double else "`\\$"
        while (char := self.peek()) != "`":
            if not char:
                raise Unparsed("a backtick is not closed")
            if char == "\\" and (escaped := self.text[self.at + 1 : self.at + 2]):
                inner.append(escaped if escaped in special else char + escaped)
                self.at += 2
            else:
                inner.append(char)
                self.at += 1
        self.at += 1
        return Substitution(self._apart("".join(inner)), quoted)

    def _apart(self, text: str) -> Script:
        if self.depth >= MAX_NESTING:
            raise Unparsed("it is nested too deeply")
        inner = type(self)(text, self.depth + 1)
        inner.is_apart = True
        script = inner.script("")
        self.bashisms |= inner.bashisms
        return script

    def _calculated(self, opener: str, closer: str) -> list[Part]:
        """Arithmetic up to its closer at the outermost level: read as between double quotes."""
        found: list[Part] = []
        level = 0
        while True:
            found += self.quoted_parts(opener + closer + '"')
            char = self.peek()
            self.at += 1
            if char == '"':
                found += self._double()
                continue
            if char == closer and level == 0:
                self.at -= 1
                return found
            level += 1 if char == opener else -1
            found.append(Text(char, quoted=True))

    # ── ${…} ──────────────────────────────────────────────────────────────────────────────────
    def _braced(self, *, quoted: bool) -> Part:
        self.at += 2
        if self.peek() in (" ", "\t", "\n", "|"):
            raise Unparsed("${ … } runs commands in newer shells")
        prefix = self._param_prefix()
        name = _NAME.match(self.text, self.at) or _NUMBER.match(self.text, self.at)
        text = name[0] if name else self.peek()
        if not name and (not text or text not in _SPECIAL):
            raise Unparsed("${…} has no name")
        self.at += len(text)
        index = self._param_index()
        operator, operand = self._param_operation(quoted=quoted)
        self.expect("}")
        return Param(text, quoted, prefix, index, operator, operand)

    def _param_prefix(self) -> str:
        char, following = self.peek(), self.text[self.at + 1 : self.at + 2]
        if char == "!" and following and following not in "}:-=?+@*#%/":
            self.at += 1
            return "!"
        if char == "#" and following and following not in "}:-=?+%/":
            self.at += 1
            return "#"
        return ""

    def _param_index(self) -> tuple[Part, ...] | None:
        if self.peek() != "[":
            return None
        self.bashisms = True
        self.at += 1
        inner = self.parts("]", brackets=True)
        self.expect("]")
        return tuple(inner)

    def _param_operation(self, *, quoted: bool) -> tuple[str, tuple[Part, ...]]:
        if self.peek() == "}":
            return "", ()
        operator = re.compile(_OPERATOR).match(self.text, self.at)
        if not operator:
            raise Unparsed("${…} has an unknown operator")
        self.bashisms |= operator[0][0] in "/^,@" or operator[0] == ":"
        self.at = operator.end()
        if not quoted:
            return operator[0], tuple(self.parts("}"))
        # Between double quotes, single quotes mean different things to different operators.
        start = self.at
        inner = self.quoted_parts('}"')
        if self.peek() == '"' or "'" in self.text[start : self.at]:
            raise Unparsed("quotes inside ${…} inside quotes")
        return operator[0], tuple(inner)

    def _ansi(self) -> str:
        """The rest of $'…'."""
        found: list[str] = []
        while (char := self.peek()) != "'":
            if not char:
                raise Unparsed("a quote is not closed")
            self.at += 1
            if char == "\\":
                char = self._ansi_escape()
            found.append(char)
        self.at += 1
        return "".join(found).partition("\0")[0]

    def _ansi_escape(self) -> str:
        code = re.compile(_CODES).match(self.text, self.at)
        if not code:
            char = self.peek()
            self.at += 1
            return _ESCAPES.get(char, "\\" + char)
        self.at = code.end()
        octal, byte, short, long, control = code.groups()
        if control:
            return chr(ord(control) & 0x1F)
        number = int(octal, 8) & 0xFF if octal else int(byte or short or long, 16)
        if number in _SURROGATES or number > _LAST or ((octal or byte) and number > _LAST_ASCII):
            raise Unparsed("$'…' holds bytes that are no character")
        return chr(number)

    # ── here-documents ────────────────────────────────────────────────────────────────────────
    def read_bodies(self) -> None:
        """Behind a line break: the bodies of the here-documents opened on that line."""
        if self.is_open:
            raise Unparsed("a line ends inside a substitution before a here-document")
        for opened in self.waiting:
            text = self._body(opened)
            parts: list[Part] = [Text(text, quoted=True)]
            if not opened.is_quoted:
                inner = type(self)(text, self.depth + 1)
                inner.is_apart = True
                parts = inner.quoted_parts("", here=True)
                self.bashisms |= inner.bashisms
            opened.redirect.target = tuple(parts)
        self.waiting = []

    def _body(self, opened: "Opened") -> str:
        lines: list[str] = []
        joined = ""  # without quotes, bash joins continued lines before it looks for the end
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            self.at = min(end + 1, len(self.text))
            line = line.lstrip("\t") if opened.strips else line
            if line == opened.delimiter:
                return "".join(one + "\n" for one in lines)
            joined += line.strip("\t")
            if joined == opened.delimiter and not opened.is_quoted:
                raise Unparsed("a here-document ends in a continued line")
            joined = joined[:-1] if _is_continued(line) else ""
            lines.append(line)
        raise Unparsed("a here-document is not closed")


@cache
def _quoted_run(stops: str) -> re.Pattern[str]:
    """Characters that mean nothing between double quotes."""
    return re.compile(f"[^\\\\$`{re.escape(stops)}]+")


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _is_name(parts: list[Part]) -> bool:
    return (
        len(_merged(parts)) == 1
        and isinstance(parts[0], Text)
        and not parts[0].quoted
        and _NAME.fullmatch("".join(part.text for part in parts if isinstance(part, Text)))
        is not None
    )


def _merged(parts: list[Part]) -> list[Part]:
    """Neighbouring text of one kind as one part."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, Text) and isinstance(last, Text) and part.quoted == last.quoted:
            found[-1] = Text(last.text + part.text, quoted=part.quoted)
        else:
            found.append(part)
    return found
