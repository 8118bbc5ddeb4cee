"""From text to a script: lines, blocks and what stands in them. Nothing is looked up or run."""

import re

from ankrcode.errors import UsageError
from ankrcode.rocketlang import control
from ankrcode.rocketlang.blocks import (
    Assign,
    Condition,
    ForEach,
    If,
    Macro,
    Pipeline,
    Repeat,
    Script,
    Statement,
)
from ankrcode.rocketlang.conditions import read_condition
from ankrcode.rocketlang.faults import Fault, FaultCode
from ankrcode.rocketlang.heads import (
    Line,
    is_end,
    macro_name,
    read_loop,
    read_times,
    without_let,
    written,
)
from ankrcode.rocketlang.pipes import is_row, read_pipeline, shell_text
from ankrcode.rocketlang.variables import NAME
from ankrcode.words import advice, say

MAX_LINES = 10_000
MAX_DEPTH = 30
_ASSIGNED = rf"\$?({NAME})\s*=(?!=)\s*"
Statements = tuple[Statement, ...]


class ScriptFault(UsageError):
    """What was said cannot be run; nothing of it was."""

    def __init__(self, fault: Fault, line: int, *, language: str = "en", key: str = "") -> None:
        super().__init__(fault.message, key=key)
        self.fault = fault
        self.line = line
        self.language = language  # as its speaker writes it: `hi`, `hi-Latn`

    @property
    def lang(self) -> str:
        return self.language[:2]


def read_script(text: str, macros: frozenset[str] = frozenset()) -> Script:
    """Raises `ScriptFault`. `macros`: names that are defined elsewhere."""
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MAX_LINES:
        raise fault("rl_too_long", "unknown_command", "en", MAX_LINES, limit=MAX_LINES)
    return _Parser(lines, macros).script()


def fault(key: str, code: FaultCode, language: str, line: int, **values: object) -> ScriptFault:
    values = {"line": line, **values}
    message = f"{say(key, language=language, **values)} {advice(key, language=language, **values)}"
    found = Fault(code=code, message=message.strip())
    return ScriptFault(found, line, language=language, key=key)


class _Parser:
    def __init__(self, lines: list[str], macros: frozenset[str]) -> None:
        stripped = [(number, one.strip()) for number, one in enumerate(lines, 1)]
        self.lines = [Line(one, n) for n, one in stripped if one and not one.startswith("#")]
        self.place = 0
        self.depth = 0
        self.language = "en"
        self.has_ended = True  # was the last block closed by its end, or left at an *else*?
        self.macros = macros | {name for one in self.lines if (name := macro_name(one))}

    def script(self) -> Script:
        statements = self.block(None)
        return Script(statements=statements, language=self.language)

    def block(self, opened: Line | None, language: str = "") -> Statements:
        """Until its end, which is taken, or an *else*, which is left."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            line = opened.number if opened else 0
            raise fault("rl_too_deep", "unknown_command", self.language, line, limit=MAX_DEPTH)
        found: list[Statement] = []
        while self.place < len(self.lines) and not self._is_closed(found, opened):
            self.place += 1
            found += self.statements(self.lines[self.place - 1])
        if opened is not None:
            if self.place >= len(self.lines):
                raise fault("rl_missing_end", "missing_end", language, opened.number)
            self.has_ended = is_end(self.lines[self.place])
            self.place += self.has_ended
        self.depth -= 1
        return tuple(found)

    def _is_closed(self, found: list[Statement], opened: Line | None) -> bool:
        """Does the next line end this block? An *else* may belong to the line before it."""
        line = self.lines[self.place]
        if control.at(line.pieces, 0, "ELSE"):
            while self.place < len(self.lines) and self._joined(found):
                pass
            return self.place >= len(self.lines) or self._is_closed_at(opened)
        return self._is_closed_at(opened)

    def _is_closed_at(self, opened: Line | None) -> bool:
        line = self.lines[self.place]
        is_else = control.at(line.pieces, 0, "ELSE") is not None
        if not is_else and not is_end(line):
            return False
        if opened is None:
            key = "rl_stray_else" if is_else else "rl_stray_end"
            raise fault(key, "missing_end", self.language, line.number)
        return True

    def _joined(self, found: list[Statement]) -> bool:
        """An *else* with a command, right behind an *if* of one line, belongs to that one."""
        line, last = self.lines[self.place], found[-1] if found else None
        word = control.at(line.pieces, 0, "ELSE")
        rest = line.after(word.length) if word else ""
        if not isinstance(last, If) or last.otherwise or not rest:
            return False
        if last.line != self.lines[self.place - 1].number:  # a block, which has its own end
            return False
        self.place += 1
        found[-1] = If(
            condition=last.condition,
            then=last.then,
            otherwise=self.statements(Line(rest, line.number)),
            line=last.line,
        )
        return True

    def statements(self, line: Line) -> Statements:
        """What one line says; a head takes the lines of its block."""
        if shell_text(line.text):
            return (self._pipeline(line.text, line),)
        for read in (self._macro, self._if, self._loop, self._repeat, self._assign):
            found = read(line)
            if found is not None:
                return (found,)
        return self._row(line)

    def _pipeline(self, text: str, line: Line) -> Pipeline:
        return read_pipeline(text, line.number, self.macros)

    # ── blocks ────────────────────────────────────────────────────────────────────────────────
    def _body(self, line: Line, index: int, language: str) -> Statements:
        """What follows the head: on the same line, or the lines up to the end."""
        self._spoken(language)
        if rest := line.after(index):
            return self.statements(Line(rest, line.number))
        body = self.block(line, language)
        if not self.has_ended:
            raise fault("rl_stray_else", "missing_end", language, self.lines[self.place].number)
        return body

    def _spoken(self, language: str) -> None:
        """The language of the script is that of the first control word."""
        if self.language == "en":
            self.language = language

    def _macro(self, line: Line) -> Statement | None:
        name, word = macro_name(line), control.at(line.pieces, 0, "DEF")
        if not name or word is None:
            return None
        body = self._body(line, len(line.pieces), word.language)
        return Macro(name=name, body=body, line=line.number)

    def _if(self, line: Line) -> Statement | None:
        head = self._condition(line)
        if head is None:
            return None
        condition, index, language = head
        if then := control.at(line.pieces, index, "THEN"):
            index += then.length
        if not line.is_over_at(index):
            return self._if_on_one_line(condition, line, index)
        yes = self.block(line, language)
        no = () if self.has_ended else self._else(line, language)
        return If(condition=condition, then=yes, otherwise=no, line=line.number)

    def _condition(self, line: Line) -> tuple[Condition, int, str] | None:
        """`if` first, or in the south behind its condition: `pass endraal …`."""
        word = control.at(line.pieces, 0, "IF")
        if word is None and not control.anywhere(line.pieces, "IF"):
            return None
        found = read_condition(line.pieces, word.length if word else 0)
        if word is None:
            word = control.at(line.pieces, found[1], "IF") if found else None
            if word is None or found is None:
                return None
            found = found[0], found[1] + word.length
        self._spoken(word.language)
        if found is None:
            raise fault("rl_bad_condition", "bad_condition", word.language, line.number)
        return *found, word.language

    def _if_on_one_line(self, condition: Condition, line: Line, index: int) -> Statement:
        yes, no = line.after(index), ""
        for place in range(index + 1, len(line.pieces)):
            word = control.at(line.pieces, place, "ELSE")
            if word and line.after(place + word.length):
                start, end = line.pieces[index].start, line.pieces[place].start
                yes = line.text[start:end].strip(":,; \t")
                no = line.after(place + word.length)
                break
        return If(
            condition=condition,
            then=self.statements(Line(yes, line.number)),
            otherwise=self.statements(Line(no, line.number)) if no else (),
            line=line.number,
        )

    def _else(self, opened: Line, language: str) -> Statements:
        line = self.lines[self.place]
        word = control.at(line.pieces, 0, "ELSE")
        self.place += 1
        rest = line.after(word.length) if word else ""
        if not rest:
            return self._closed(self.block(opened, language), language)
        before = self.place
        first = self.statements(Line(rest, line.number))
        if self.place > before:  # else if: both end together
            return first
        return self._closed((*first, *self.block(opened, language)), language)

    def _closed(self, body: Statements, language: str) -> Statements:
        if not self.has_ended:
            raise fault("rl_stray_else", "missing_end", language, self.lines[self.place].number)
        return body

    def _loop(self, line: Line) -> Statement | None:
        head = read_loop(line)
        if head is None:
            return None
        source = head.source if head.is_variable else self._pipeline(head.source, line)
        body = self._body(line, head.end, head.language)
        return ForEach(name=head.name, source=source, body=body, line=line.number)

    def _repeat(self, line: Line) -> Statement | None:
        head = read_times(line)
        if head is None:
            return None
        body = self._body(line, head.end, head.language)
        return Repeat(count=head.count, body=body, line=line.number)

    # ── lines ─────────────────────────────────────────────────────────────────────────────────
    def _assign(self, line: Line) -> Statement | None:
        word = control.at(line.pieces, 0, "LET")
        text = line.after(word.length) if word else line.text
        found = re.match(_ASSIGNED, text) if "=" in text else None
        if found is None:
            return None
        if word:
            self._spoken(word.language)
        rest = without_let(text[found.end() :].strip())
        if not rest:
            raise fault("rl_no_value", "missing_argument", self.language, line.number)
        value = written(rest) or self._pipeline(rest, line)
        return Assign(name=found[1], value=value, line=line.number)

    def _row(self, line: Line) -> Statements:
        """Commands; if one of them is an *if*, it takes the rest of the line."""
        found = line.pieces
        for index in range(1, len(found)):
            length = is_row(found, index)
            if length and control.at(found, index + length, "IF"):
                first = self._pipeline(line.text[: found[index].start], line)
                return (first, *self.statements(Line(line.after(index + length), line.number)))
        return (self._pipeline(line.text, line),)
