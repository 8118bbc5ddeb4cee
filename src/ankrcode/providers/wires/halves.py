"""Text whose pieces may end within a character: some vendors cut between two UTF-16 halves."""

_FIRST_OF_HIGH, _FIRST_OF_LOW = "\ud800", "\udc00"


class Halves:
    """Keeps half a character back until the other half comes."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def join(self, piece: str) -> str:
        """The piece as whole characters. Nearly always it is the piece itself."""
        if not self._held:
            try:
                piece.encode()
            except UnicodeEncodeError:
                pass
            else:
                return piece
        piece, self._held = self._held + piece, ""
        if piece and _FIRST_OF_HIGH <= piece[-1] < _FIRST_OF_LOW:
            piece, self._held = piece[:-1], piece[-1]
        return mended(piece)


def mended(text: str) -> str:
    """Halves that meet become one character, a lone one U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
