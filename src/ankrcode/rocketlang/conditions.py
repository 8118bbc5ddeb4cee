"""`if` conditions: read word by word, so that no `then` is needed to see where one ends."""

import re

from ankrcode.rocketlang import control
from ankrcode.rocketlang.blocks import Condition
from ankrcode.rocketlang.pieces import Piece
from ankrcode.rocketlang.variables import DOLLAR

_ABOUT_FILES = ("NOT", "EXISTS", "MISSING")
_PATHLIKE = r"[^\s\"'|;=]*[./*?\[{][^\s\"'|;=]*"


def read_condition(pieces: list[Piece], start: int = 0) -> tuple[Condition, int] | None:
    """The condition that begins here, and where it ends; None where none does."""
    reader = _Reader(pieces, start)
    reader.read()
    found = reader.condition()
    return None if found is None else (found, reader.place)


class _Reader:
    def __init__(self, pieces: list[Piece], start: int) -> None:
        self.pieces = pieces
        self.place = start
        self.is_not = False
        self.seen: set[str] = set()
        self.name = ""  # of a variable
        self.path = ""
        self.text: str | None = None

    def read(self) -> None:
        while self.place < len(self.pieces) and self._step():
            pass

    def condition(self) -> Condition | None:
        if "PASS" in self.seen:
            return Condition(kind="passed", is_not=self.is_not)
        if "FAIL" in self.seen:
            return Condition(kind="failed", is_not=self.is_not)
        if self.name and "EMPTY" in self.seen:
            return Condition(kind="empty", name=self.name, is_not=self.is_not)
        if self.name and self.text is not None and self.seen & {"IN", "HOLDS"}:
            return Condition(kind="holds", name=self.name, text=self.text, is_not=self.is_not)
        if (self.path or self.name) and self.text is None and self.seen & {"EXISTS", "MISSING"}:
            is_not = self.is_not != ("MISSING" in self.seen)
            return Condition(kind="exists", name=self.name, text=self.path, is_not=is_not)
        if self.text is not None and not self.name and self.seen & {"EXISTS", "MISSING"}:
            is_not = self.is_not != ("MISSING" in self.seen)
            return Condition(kind="exists", text=self.text, is_not=is_not)
        if self.path and self.is_not and self._is_at_end:
            return Condition(kind="exists", text=self.path, is_not=True)
        return None

    @property
    def _is_at_end(self) -> bool:
        rest = self.pieces[self.place :]
        ends = any(control.at(self.pieces, self.place, role) for role in ("THEN", "IF"))
        return not rest or rest[0].is_sign or ends

    def _step(self) -> bool:
        """Take one more word, if it belongs to the condition."""
        is_complete = self.condition() is not None and not (self.path and self._is_at_end)
        if is_complete:
            return self._take("NOT") or self._take("EXISTS") or self._take("IS")
        piece = self.pieces[self.place]
        if piece.is_sign or control.at(self.pieces, self.place, "THEN"):
            return False
        if piece.is_quoted:
            return self._take_text(piece)
        if self._take_name(piece):
            return True
        roles = ("PASS", "FAIL", "EMPTY", "MISSING", "NOT", "EXISTS", "IN", "HOLDS", "IS", "WHO")
        return any(self._take(role) for role in roles) or self._take_path(piece)

    def _take(self, role: str) -> bool:
        found = control.at(self.pieces, self.place, role)
        if found is None:
            return False
        if role == "NOT":
            self.is_not = not self.is_not
        else:
            self.seen.add(role)
        self.place += found.length
        return True

    def _take_text(self, piece: Piece) -> bool:
        if self.text is not None or self.path:
            return False
        self.text = piece.text[1:-1]
        self.place += 1
        return True

    def _take_name(self, piece: Piece) -> bool:
        """A variable, perhaps with a case ending at once behind it."""
        found = re.match(DOLLAR, piece.text) if piece.text.startswith("$") else None
        if found is None or self.name or self.path:
            return False
        self.name = found[1]
        if found.end() < len(piece.text):
            self.seen.add("IN")
        self.place += 1
        return True

    def _take_path(self, piece: Piece) -> bool:
        if self.path or self.name:
            return False
        following = self.place + 1
        is_named = any(control.at(self.pieces, following, role) for role in _ABOUT_FILES)
        if not (re.fullmatch(_PATHLIKE, piece.text) or is_named or "EXISTS" in self.seen):
            return False
        self.path = piece.text
        self.place += 1
        return True
