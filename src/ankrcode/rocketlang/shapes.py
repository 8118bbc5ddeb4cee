"""What an unquoted piece of text looks like: a path, a pattern, a number, a word."""

from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.normalise import ascii_digits, is_indic

_MAX_ENDING = 10
_LONGEST_NUMBER = 18  # a range of two; more digits are no line of a file


def shape(text: str) -> str:
    """The kind of token this text is."""
    if text.startswith(("http://", "https://", "www.", "ftp://")):
        return "url"
    if is_variable(text):
        return "var"
    if text.startswith("-") and len(text) > 1 and not text[1:].isdigit():
        return "flag"
    number = _numeric(text)
    if number:
        return number
    if "*" in text or ("[" in text and "]" in text) or "?" in text[:-1]:
        return "glob"
    return "path" if is_path(text) else "word"


def is_variable(text: str) -> bool:
    if text.startswith("$") and text[1:].isidentifier():
        return True
    return text.startswith("{") and text.endswith("}") and text[1:-1].isidentifier()


def is_path(text: str) -> bool:
    """Does this name a file or folder by its looks alone?"""
    if "://" in text or "@" in text or "=" in text or "(" in text:
        return False
    if "/" in text or "\\" in text:
        return len(text) > 1 or text == "/"
    if text in (".", "..", "~") or text in names().files:
        return True
    stem, dot, ending = text.rpartition(".")
    if not dot or not _is_ending(ending):
        return False
    return not stem or stem[-1] != "."


def is_quoted_path(text: str) -> bool:
    """A quotation is a path only with a slash or an ending that files have."""
    if not is_path(text) or "\n" in text:
        return False
    return ("/" in text and " " not in text) or text.rpartition(".")[2] in names().endings


def is_file_name(text: str) -> bool:
    """Does it end as files do? `feature/x` may be a branch, `app.py` never."""
    name = text.rpartition("/")[2]
    return name in names().files or name.rpartition(".")[2] in names().endings


def _is_ending(ending: str) -> bool:
    is_short = 0 < len(ending) <= _MAX_ENDING or ending == "gitattributes"
    return (
        is_short and ending.replace("_", "").isalnum() and ending.isascii() and has_letter(ending)
    )


def has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)


def is_name(word: str) -> bool:
    """A word that nobody says: snake_case, kebab-case, camelCase, CAPITALS, with digits."""
    if any(is_indic(character) for character in word):
        return False
    inner = word[1:]
    return "_" in word or "-" in inner or any(c.isdigit() or c.isupper() for c in inner)


def is_folder_name(word: str) -> bool:
    return word in names().folders


def _numeric(text: str) -> str:
    """`number`, `range` (10-20, 10..20) or empty."""
    if len(text) > _LONGEST_NUMBER:
        return ""
    plain = ascii_digits(text)
    if plain.isascii() and plain.isdigit():
        return "number"
    for between in ("-", "..", ":"):
        first, found, last = plain.partition(between)
        if found and first.isascii() and last.isascii() and first.isdigit() and last.isdigit():
            return "range"
    return ""
