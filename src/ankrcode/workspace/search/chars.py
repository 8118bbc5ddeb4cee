"""Sets of characters, as ranges of their numbers: what `\\d`, `\\w` and `\\s` hold in ripgrep."""

import unicodedata
from functools import cache

Chars = list[tuple[int, int]]

MAX_CHAR = 0x10FFFF
SPACE: Chars = [
    *((9, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
]
_DIGIT, _LOWER, _UPPER = (48, 57), (97, 122), (65, 90)
POSIX: dict[str, Chars] = {
    "alnum": [_DIGIT, _UPPER, _LOWER],
    "alpha": [_UPPER, _LOWER],
    "ascii": [(0, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(0, 31), (127, 127)],
    "digit": [_DIGIT],
    "graph": [(33, 126)],
    "lower": [_LOWER],
    "print": [(32, 126)],
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "space": [(9, 13), (32, 32)],
    "upper": [_UPPER],
    "word": [_DIGIT, _UPPER, (95, 95), _LOWER],
    "xdigit": [_DIGIT, (65, 70), (97, 102)],
}
# Letters by another property than their category: circled and squared ones.
_OTHER_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_JOINERS = (0x200C, 0x200D)
# Nothing between the last letter of plane 3 and the variation selectors is a word character.
_WORTH_ASKING = (range(0x32400), range(0xE0100, 0xE01F0))


@cache
def words() -> Chars:
    """Letters with their marks, digits, connectors and joiners: Indic words stay whole."""
    kept = [*_OTHER_LETTERS, _JOINERS]
    return merged(_ranges("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl Pc") + kept)


@cache
def digits() -> Chars:
    return _ranges("Nd")


def _ranges(categories: str) -> Chars:
    found: Chars = []
    category, meant = unicodedata.category, frozenset(categories.split())
    for numbers in _WORTH_ASKING:
        begin = -1
        for number in numbers:
            if category(chr(number)) in meant:
                begin = number if begin < 0 else begin
            elif begin >= 0:
                found.append((begin, number - 1))
                begin = -1
        if begin >= 0:
            found.append((begin, numbers[-1]))
    return found


def merged(chars: Chars) -> Chars:
    """The same set, sorted, without overlaps."""
    result: Chars = []
    for low, high in sorted(chars):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return result


def inverted(chars: Chars) -> Chars:
    """Every other character; never a surrogate, which is no character."""
    result, begin = [], 0
    for low, high in merged([*chars, (0xD800, 0xDFFF)]):
        if begin < low:
            result.append((begin, low - 1))
        begin = high + 1
    if begin <= MAX_CHAR:
        result.append((begin, MAX_CHAR))
    return result


def class_text(chars: Chars) -> str:
    """The inside of a class for `re`."""
    return "".join(
        _escaped(low) if low == high else f"{_escaped(low)}-{_escaped(high)}" for low, high in chars
    )


def _escaped(number: int) -> str:
    return f"\\x{number:02x}" if number < 128 else chr(number)  # noqa: PLR2004 - plain signs have a meaning
