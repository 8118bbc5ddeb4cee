"""Simple commands as bash reads them: assignments, words, redirections, arrays."""

import re

from ankrcode.permissions.shell.reading import Opened, Reader
from ankrcode.permissions.shell.syntax import (
    Assignment,
    Function,
    Node,
    Part,
    Redirect,
    Script,
    Simple,
    Text,
    Unparsed,
    Word,
)

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REDIRECT = re.compile(r"(\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)")
_RESERVED = {
    *("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select"),
    *("case", "esac", "function", "{", "}", "!", "[[", "time", "coproc"),
}
_BARE = re.compile(r"(?:[^\s|&;()<>\\'\"$`]|\\\n)+(?=[ \t\n|&;()<>]|\Z)")
_DECLARERS = {"declare", "typeset", "local", "export", "readonly"}
_BASH_ONLY = ("&>", "&>>", "<<<", ">|", "<&")


class SimpleReader(Reader):
    """Adds keywords and simple commands to the words."""

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self.finished: list[tuple[str, Node]] = []  # whole commands of the outermost level
        self.levels = 0

    def _function_body(self, name: str) -> Function:
        raise NotImplementedError

    def skip_lines(self) -> None:
        raise NotImplementedError

    def _nested(self, closer: str) -> Script:
        levels = self.levels
        script = super()._nested(closer)
        self.levels = levels
        return script

    def _is_keyword_next(self, words: set[str]) -> bool:
        return self._keyword() in words

    def _keyword(self) -> str:
        """The reserved word that stands here, or nothing; nothing is consumed."""
        found = _BARE.match(self.text, self.at)
        text = found[0].replace("\\\n", "") if found else ""
        return text if text in _RESERVED else ""

    def _take(self, *words: str) -> str:
        found = self._keyword()
        if found not in words:
            raise Unparsed(f"'{words[0]}' is missing")
        self.word()
        return found

    # ── simple commands ───────────────────────────────────────────────────────────────────────
    def _simple_or_function(self) -> Node:
        words: list[Word] = []
        assignments: list[Assignment] = []
        declared: list[Assignment] = []
        redirects: list[Redirect] = []
        while True:
            self.skip_blanks()
            if self._takes_redirect(redirects):
                continue
            if self._ends_simple():
                break
            word = self.word(subscripts=not words)
            if len(words) == 0 and not assignments and not redirects and self._opens_function(word):
                return self._function_body(word.literal or "")
            self._sort(word, words, assignments, declared)
        if not (words or assignments or redirects):
            raise Unparsed("a command is missing")
        return Simple(tuple(words), tuple(assignments), tuple(redirects), tuple(declared))

    def _ends_simple(self) -> bool:
        if self.at >= len(self.text) or self.peek() in "\n|;&)":
            return True
        if self.peek() == "(":
            raise Unparsed("'(' is not expected here")
        return self.peek() == "#"

    def _opens_function(self, word: Word) -> bool:
        self.skip_blanks()
        if not self.starts("("):
            return False
        if word.literal is None or _ASSIGNED.match(word.literal):
            return False
        self.at += 1
        self.skip_blanks()
        self.expect(")")
        self.bashisms |= not NAME.fullmatch(word.literal)
        return True

    def _sort(
        self,
        word: Word,
        words: list[Word],
        assignments: list[Assignment],
        declared: list[Assignment],
    ) -> None:
        found = assignment(word)
        takes_array = self.starts("(") and self.at == word.end
        if found and takes_array and (not words or words[0].literal in _DECLARERS):
            self.bashisms = True
            found = Assignment(found.name, (), found.index, self._array(), found.appends)
            (declared if words else assignments).append(found)
        elif found and not words:
            assignments.append(found)
        else:
            words.append(word)

    def _array(self) -> tuple[Word, ...]:
        self.expect("(")
        found: list[Word] = []
        self.skip_lines()
        while not self.starts(")"):
            if not self.peek():
                raise Unparsed("')' is missing")
            found.append(self.word())
            self.skip_lines()
        self.at += 1
        return tuple(found)

    def _redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        self.skip_blanks()
        while self._takes_redirect(found):
            self.skip_blanks()
        return tuple(found)

    def _takes_redirect(self, found: list[Redirect]) -> bool:
        match = _REDIRECT.match(self.text, self.at)
        if not match or (self.text.startswith("(", match.end()) and match[2] in ("<", ">")):
            return False
        self.at = match.end()
        self.bashisms |= match[2] in _BASH_ONLY or (match[1] or "").startswith("{")
        self.skip_blanks()
        target = self.word()
        if match[2] in ("<<", "<<-"):
            found.append(self._opened_here(target, match[1] or "", strips=match[2] == "<<-"))
        else:
            found.append(Redirect(match[2], target.parts, match[1] or ""))
        return True

    def _opened_here(self, delimiter: Word, descriptor: str, *, strips: bool) -> Redirect:
        """The body comes behind the line and is filled in then."""
        texts = [part for part in delimiter.parts if isinstance(part, Text)]
        if len(texts) != len(delimiter.parts):
            raise Unparsed("a here-document has a computed end")
        is_quoted = any(part.quoted for part in texts)
        redirect = Redirect("<<", (), descriptor)
        name = "".join(part.text for part in texts)
        self.waiting.append(Opened(name, is_quoted, strips, redirect))
        return redirect


def assignment(word: Word) -> Assignment | None:
    """`x=…`, `x+=…`, `x[…]=…`: only if name and sign are plain text."""
    first = word.parts[0]
    if not isinstance(first, Text) or first.quoted:
        return None
    found = _ASSIGNED.match(first.text)
    if found:
        rest = first.text[found.end() :]
        value = ((Text(rest, quoted=False),) if rest else ()) + word.parts[1:]
        return Assignment(found[1], value, appends=found[2] == "+=")
    found = re.match(_ELEMENT, first.text) if "[" in first.text else None
    return _element(found[1], found.end(), word) if found and found[1] else None


def index_in(item: Word) -> tuple[Part, ...] | None:
    """The index of an item of `x=([…]=…)`; None where it has none."""
    first = item.parts[0]
    if not isinstance(first, Text) or first.quoted or not first.text.startswith("["):
        return None
    element = _element("", 1, item)
    return item.parts if element is None else element.index


def _element(name: str, start: int, word: Word) -> Assignment | None:
    for place, part in enumerate(word.parts):
        if isinstance(part, Text) and not part.quoted and (sign := re.search(_SIGN, part.text)):
            before = (*word.parts[:place], Text(part.text[: sign.start()], quoted=False))
            first = before[0]
            assert isinstance(first, Text)
            index = (Text(first.text[start:], quoted=False), *before[1:])
            rest = part.text[sign.end() :]
            value = ((Text(rest, quoted=False),) if rest else ()) + word.parts[place + 1 :]
            return Assignment(name, value, index, appends="+" in sign[0])
    return None


_ELEMENT, _SIGN = r"([A-Za-z_]\w*)?\[", r"\]\+?="  # few lines need them compiled
