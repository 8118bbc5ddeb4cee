"""Words that sound or look alike: phonetic keys, and how many slips lie between two of them."""

import unicodedata

_LONG = (
    ("hh", "h"), ("ch", "c"), ("rh", "d"), ("sh", "s"), ("zh", "l"), ("kh", "k"), ("gh", "g"),
    ("jh", "j"), ("th", "t"), ("dh", "d"), ("ph", "f"), ("bh", "b"), ("w", "v"), ("q", "k"),
    ("z", "j"), ("aa", "a"), ("ee", "i"), ("ii", "i"), ("oo", "u"), ("uu", "u"), ("ou", "u"),
)  # fmt: skip
_VOWELS = "aeiou"
_NUKTA, _CHANDRABINDU, _ANUSVARA = "\u093c", "\u0901", "\u0902"
_MIN_GLIDE = 5  # only in words longer than four letters may a y or v between vowels go
_LONG_KEY = 6  # up to here one slip is forgiven, above it two


def sound(word: str) -> str:
    """The key under which spellings of one sound meet: padho, parho, paRho, padhho."""
    word = word.lower()
    if not word.isascii():
        if any(character >= "\u0900" for character in word):
            return word.replace(_CHANDRABINDU, _ANUSVARA).replace(_NUKTA, "")
        parts = unicodedata.normalize("NFD", word)
        word = "".join(one for one in parts if not unicodedata.combining(one))
    for spelled, letter in _LONG:
        if spelled in word:
            word = word.replace(spelled, letter)
    return _without_glides(_squeezed(word)).removesuffix("h")


def _squeezed(word: str) -> str:
    kept = word[:1]
    for letter in word[1:]:
        if letter != kept[-1]:
            kept += letter
    return kept


def _without_glides(word: str) -> str:
    if len(word) < _MIN_GLIDE:
        return word
    kept = word[0]
    for at in range(1, len(word) - 1):
        is_glide = word[at] in "yv" and word[at - 1] in _VOWELS and word[at + 1] in _VOWELS
        kept += "" if is_glide else word[at]
    return kept + word[-1]


def consonants(key: str) -> str:
    """What is left when vowels are not typed: bdlo, chlao."""
    return "".join(letter for letter in key if letter not in _VOWELS)


def slips_allowed(key: str) -> int:
    return 1 if len(key) <= _LONG_KEY else 2


def letters(key: str) -> int:
    """The letters of a key as bits: two keys that differ in many are far apart."""
    mask = 0
    for letter in key:
        mask |= 1 << (ord(letter) & 63)
    return mask


def distance(one: str, other: str, limit: int) -> int:
    """Letters added, dropped, changed or swapped with their neighbour; `limit + 1` for more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, against in enumerate(other, 1):
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + (letter != against))
            is_swap = row > 1 and column > 1 and letter == other[column - 2]
            if is_swap and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, above = above, current
    return min(above[-1], limit + 1)
