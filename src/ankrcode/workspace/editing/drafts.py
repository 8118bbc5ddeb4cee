"""A text under change: edits follow one another, and the places of the original are not lost."""

from ankrcode.workspace.diffs import Change

Piece = tuple[int, int] | str  # a part of the original, or new text


class Draft:
    """A text that is being changed; nothing has happened until someone writes it."""

    def __init__(self, before: str) -> None:
        self.before = before
        self._text: str | None = before
        self._size = len(before)
        self._pieces: list[Piece] = [(0, len(before))]

    @property
    def text(self) -> str:
        """As it stands now; put together only when someone looks, for it may be large."""
        if self._text is None:
            self._text = "".join(
                one if isinstance(one, str) else self.before[one[0] : one[1]]
                for one in self._pieces
            )
        return self._text

    def apply(self, changes: list[Change]) -> None:
        """Changes of the text as it stands now: in order, without overlap."""
        pieces: list[Piece] = []
        source = _Pieces(self._pieces)
        at, size = 0, self._size
        for change in changes:
            pieces += source.take(change.start - at)
            source.take(change.end - change.start)
            if change.text:
                pieces.append(change.text)
            at = change.end
            size += len(change.text) - (change.end - change.start)
        pieces += source.take(self._size - at)
        self._pieces, self._size, self._text = pieces, size, None

    @property
    def is_changed(self) -> bool:
        same = all(self.before[one.start : one.end] == one.text for one in self.changes)
        return not same and (self._size != len(self.before) or self.text != self.before)

    def encoded(self, original: bytes, mark: bytes) -> bytes:
        """The same changes made in the bytes of the original, each character being one byte."""
        assert len(original) == len(mark) + len(self.before)
        whole = memoryview(original)[len(mark) :]
        parts = (
            one.encode() if isinstance(one, str) else whole[one[0] : one[1]] for one in self._pieces
        )
        return b"".join((mark, *parts))

    @property
    def changes(self) -> list[Change]:
        """Everything that was changed, as places of the original."""
        found: list[Change] = []
        kept = 0
        new: list[str] = []
        size = len(self.before)
        for piece in [*self._pieces, (size, size)]:
            if isinstance(piece, str):
                new.append(piece)
                continue
            if new or piece[0] > kept:
                found.append(Change(kept, piece[0], "".join(new)))
                new = []
            kept = piece[1]
        return found


class _Pieces:
    """Pieces, taken from the left by length."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._rest = iter(pieces)
        self._open: Piece = ""

    def take(self, length: int) -> list[Piece]:
        taken: list[Piece] = []
        while length > 0:
            size = _size(self._open)
            if not size:
                self._open = next(self._rest)
                continue
            head, self._open = _split(self._open, min(size, length))
            taken.append(head)
            length -= min(size, length)
        return taken


def _size(piece: Piece) -> int:
    return len(piece) if isinstance(piece, str) else piece[1] - piece[0]


def _split(piece: Piece, at: int) -> tuple[Piece, Piece]:
    if isinstance(piece, str):
        return piece[:at], piece[at:]
    start, end = piece
    return (start, start + at), (start + at, end)
