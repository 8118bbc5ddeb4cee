"""One spelling of what looks the same; quoted text never comes through here."""

import unicodedata

_DROPPED = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"  # joiners and other invisible marks
_SPACES = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_DANDAS = "\u0964\u0965"
_TABLE = {
    **dict.fromkeys(map(ord, _DROPPED)),
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, _DANDAS), "."),
    ord("’"): "'",
    ord("…"): ".",
    ord("–"): "-",
    ord("‑"): "-",
}

# The zeros of Devanagari, Tamil, Telugu and Kannada; nine digits follow each.
_ZEROS = (0x0966, 0x0BE6, 0x0C66, 0x0CE6)
_DIGITS = {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}

# Where each script begins and ends, and who writes in it.
_SCRIPTS = (
    (0x0900, 0x0980, ("hi", "mr")),
    (0x0B80, 0x0C00, ("ta",)),
    (0x0C00, 0x0C80, ("te",)),
    (0x0C80, 0x0D00, ("kn",)),
)


WRITTEN_TOGETHER = tuple(languages for _, _, languages in _SCRIPTS)


def normalise(text: str) -> str:
    """NFC, without joiners, with plain spaces; a danda ends a sentence as a full stop does."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_TABLE)


def ascii_digits(text: str) -> str:
    """Digits of any of our scripts as 0-9: for places where a number is meant."""
    return text if text.isascii() else text.translate(_DIGITS)


def is_indic(character: str) -> bool:
    """A letter or mark of an Indian script (its digits and danda too)."""
    return "\u0900" <= character <= "\u0dff"


def languages_written(text: str) -> tuple[str, ...]:
    """Whose scripts stand in the text; empty where there is none but Latin."""
    if text.isascii():
        return ()
    found: dict[str, None] = {}
    for character in text:
        if "\u0900" <= character <= "\u0cff":
            code = ord(character)
            for start, end, languages in _SCRIPTS:
                if start <= code < end and code not in _DIGITS and character not in _DANDAS:
                    found.update(dict.fromkeys(languages))
    return tuple(found)
