"""Where text may be cut. By hand: no dependency, and only the characters at a cut are looked at.

A border in the sense of Unicode's extended grapheme clusters, on the safe side: where a rule
would need more tables than the standard library has, two characters are kept together.
"""

import unicodedata

_ZWJ = "\u200d"
_VIRAMA = 9  # the canonical combining class of every virama
_REACH = 64  # no real cluster is longer; a made-up one is cut

_EXTENDERS = (
    (0x200C, 0x200C),  # zero width non-joiner
    (0x0E33, 0x0E33),  # Thai and Lao vowels that stand behind
    (0x0EB3, 0x0EB3),
    (0xFF9E, 0xFF9F),  # half-width voicing marks
    (0x1F3FB, 0x1F3FF),  # skin tones
    (0xE0020, 0xE007F),  # tags, as in the flag of Scotland
)
_PREPENDED = (
    *((0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2)),
    *((0x0D4E, 0x0D4E), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x111C2, 0x111C3)),
    *((0x113D1, 0x113D1), (0x1193F, 0x1193F), (0x11941, 0x11941), (0x11A84, 0x11A89)),
    *((0x11D46, 0x11D46), (0x11F02, 0x11F02)),
)
_FLAGS = ((0x1F1E6, 0x1F1FF),)
_HANGUL_LEAD = ((0x1100, 0x115F), (0xA960, 0xA97C))
_HANGUL_REST = ((0x1160, 0x11FF), (0xD7B0, 0xD7FB))
_HANGUL_SYLLABLE = ((0xAC00, 0xD7A3),)


def border_before(text: str, index: int) -> int:
    """The last place at or before `index` where no character of a person's is split."""
    index = max(0, min(index, len(text)))
    lowest = max(0, index - _REACH)
    return next((at for at in range(index, lowest - 1, -1) if is_border(text, at)), index)


def border_after(text: str, index: int) -> int:
    """The first place at or after `index` where no character of a person's is split."""
    index = max(0, min(index, len(text)))
    highest = min(len(text), index + _REACH)
    return next((at for at in range(index, highest + 1) if is_border(text, at)), index)


def is_border(text: str, index: int) -> bool:
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if before in "\r\n" or after in "\r\n":
        return True
    if _extends(after) or before == _ZWJ or _in(before, _PREPENDED):
        return False
    if _binds(text, index):
        return False
    if _in(before, _FLAGS) and _in(after, _FLAGS):
        return _flags_before(text, index) % 2 == 0
    return not _is_hangul_pair(before, after)


def _in(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in ranges)


def _extends(char: str) -> bool:
    """Marks, joiners, variation selectors, skin tones and tags belong to what stands before."""
    is_mark = unicodedata.category(char) in ("Mn", "Me", "Mc")
    return is_mark or char == _ZWJ or _in(char, _EXTENDERS)


def _binds(text: str, index: int) -> bool:
    """A virama binds the letter after it (क् + ष is one conjunct), whatever marks stand between."""
    if unicodedata.category(text[index]) != "Lo":
        return False
    at = index - 1
    while at > 0 and index - at < _REACH and _extends(text[at]):
        if unicodedata.combining(text[at]) == _VIRAMA:
            return True
        at -= 1
    return False


def _flags_before(text: str, index: int) -> int:
    count = 0
    while count < index and _in(text[index - 1 - count], _FLAGS):
        count += 1
    return count


def _is_hangul_pair(before: str, after: str) -> bool:
    """Korean syllables written as separate letters."""
    if _in(before, _HANGUL_LEAD):
        return _in(after, _HANGUL_LEAD + _HANGUL_REST + _HANGUL_SYLLABLE)
    return _in(before, _HANGUL_REST + _HANGUL_SYLLABLE) and _in(after, _HANGUL_REST)
