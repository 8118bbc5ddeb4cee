"""Text as it really is: what a terminal would obey, hide, turn round or push out of sight, shown.

What a person approves must be what runs, so nothing is left out: characters that do something
become escapes, and long padding becomes its length.
"""

import re
import unicodedata

_MAX_BLANKS = 40  # more in a row push text out of sight
_MAX_LINES = 8
_HIDING = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Cn")
# Blanks and fillers that show as nothing, or as another blank; and letters that are none.
_FILLERS = frozenset("\u00a0\u034f\u115f\u1160\u17b4\u17b5\u1680\u180e\u2800\u3000\u3164\uffa0")
_JOINERS = frozenset("\u200c\u200d")  # needed in Indic and Arabic words and in emoji
# Patterns are text here: each is compiled by its first use, not by every start.
_PADDING = rf" {{{_MAX_BLANKS + 1},}}|\n(?:[ ]*\n){{{_MAX_LINES},}}"
_WORD = r"[^\W\d_]{2,}"
_TRAILING = r" +(?=\n|\Z)"


def visible(text: str) -> str:
    """The same text with nothing hidden in it; plain text stays as it is."""
    if not text.isascii():
        text = re.sub(_WORD, _unmixed, text)
    shown = "".join(map(_shown, text, " " + text[:-1], text[1:] + " "))
    shown = re.sub(_PADDING, _counted, shown)
    return re.sub(_TRAILING, lambda found: "·" * len(found[0]), shown)


def _shown(char: str, before: str, after: str) -> str:
    if char == "\n" or " " <= char <= "~":
        return char
    if char in _JOINERS and _is_letter(before) and _is_letter(after):
        return char
    if char in _JOINERS and "So" in (unicodedata.category(before), unicodedata.category(after)):
        return char
    is_hiding = unicodedata.category(char) in _HIDING or char in _FILLERS
    is_blank = char != " " and unicodedata.category(char) == "Zs"
    return _escaped(char) if is_hiding or is_blank or _is_selector(char) else char


def _is_letter(char: str) -> bool:
    """Of a script that joins its letters; marks on them count."""
    return not char.isascii() and unicodedata.category(char)[0] in "LM"


def _is_selector(char: str) -> bool:
    """Variation selectors and tags can carry a hidden text; the emoji one is harmless."""
    return "\ufe00" <= char <= "\ufe0e" or "\U000e0000" <= char <= "\U000e01ef"


def _escaped(char: str) -> str:
    named = {"\t": "\\t", "\r": "\\r", "\x1b": "\\e"}
    if char in named:
        return named[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{{{code:x}}}"  # noqa: PLR2004


def _counted(found: re.Match[str]) -> str:
    padding = found[0]
    if padding[0] == "\n":
        return f"\n⟨{padding.count(chr(10)) - 1:,} empty lines⟩\n"
    return f"⟨{len(padding):,} blanks⟩"


def _unmixed(found: re.Match[str]) -> str:
    """A Latin word with a few letters of another alphabet looks like one word and is another."""
    word = found[0]
    scripts = {_script(char) for char in word}
    if "LATIN" not in scripts or not scripts & {"CYRILLIC", "GREEK", "FULLWIDTH", "MATHEMATICAL"}:
        return word
    return "".join(char if _script(char) == "LATIN" else _escaped(char) for char in word)


def _script(char: str) -> str:
    return "LATIN" if char.isascii() else unicodedata.name(char, "?").partition(" ")[0]
