"""UTF-16 and UTF-32 without a byte order mark, told from binary data by what it would say."""

import codecs
import unicodedata
from collections import Counter

from ankrcode.workspace.charsets import is_written_in_asia

_SAMPLE_BYTES = 16 * 1024
_PLAUSIBLE = 0.8
_LONGEST_WORD = 40
_SMALL_BLOCKS = 0x3000  # below: alphabets, each within a block or two of 256 characters
_EMOJI = ("\U0001f000", "\U0001faff")
_WIDTHS = (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))


def unmarked_unicode(content: bytes) -> str | None:
    """The encoding under which this reads as text; None if under none."""
    best, found = _PLAUSIBLE, None
    for encoding, width in _WIDTHS:
        if len(content) % width == 0 and (score := _plausibility(content, encoding)) > best:
            best, found = score, encoding
    return found


def _plausibility(content: bytes, encoding: str) -> float:
    """1 for text that people write, 0 for what cannot be any."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(content[:_SAMPLE_BYTES])
    except UnicodeDecodeError:
        return 0.0
    letters = Counter(text)
    if not letters or not all(map(_is_written, letters)):
        return 0.0
    if (
        len(text) > _LONGEST_WORD
        and not letters.keys() & set(" \n")
        and max(letters) < chr(_SMALL_BLOCKS)
    ):
        return 0.0  # an alphabet, but no blank between its words
    blocks: Counter[int] = Counter()
    for letter, count in letters.items():
        if "\x7f" < letter < chr(_SMALL_BLOCKS):
            blocks[ord(letter) >> 8] += count
    usual = {block for block, _ in blocks.most_common(2)}
    return sum(_worth(one, usual) * count for one, count in letters.items()) / letters.total()


def _is_written(letter: str) -> bool:
    return letter in "\t\n\r\f" or unicodedata.category(letter) not in ("Cc", "Cn", "Co", "Cs")


def _worth(letter: str, usual: set[int]) -> float:
    if letter <= "\x7f":
        return 1.0
    if ord(letter) < _SMALL_BLOCKS:
        return 0.95 if ord(letter) >> 8 in usual else 0.2
    return 0.95 if is_written_in_asia(letter) or _EMOJI[0] <= letter <= _EMOJI[1] else 0.2
