"""Ids of calls as other vendors take them: the same id always becomes the same."""

from binascii import crc32

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NINE = 9
_MAX_CHARS = 40


def plain_id(call_id: str) -> str:
    """Letters, digits, `_` and `-`, and not too long: what everyone but Mistral takes."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in call_id)
    if plain == call_id and 0 < len(call_id) <= _MAX_CHARS:
        return plain
    return f"{plain[:30]}_{crc32(call_id.encode('utf-8', 'replace')):08x}"


def nine_letter_id(call_id: str) -> str:
    """Mistral's form."""
    if len(call_id) == _NINE and call_id.isascii() and call_id.isalnum():
        return call_id
    data = call_id.encode("utf-8", "replace")
    number = crc32(data) | crc32(data + b"!") << 32
    letters = ""
    for _ in range(_NINE):
        number, rest = divmod(number, len(_LETTERS))
        letters += _LETTERS[rest]
    return letters
