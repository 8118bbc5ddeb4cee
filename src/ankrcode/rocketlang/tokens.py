"""A line of text as tokens: quoted strings untouched, everything else by its looks."""

from collections.abc import Iterator

from msgspec import Struct

from ankrcode.rocketlang.lexicon import Lexicon
from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.normalise import ascii_digits, is_indic, normalise
from ankrcode.rocketlang.shapes import is_folder_name, is_path, shape

# What opens a quotation, and all that may close it.
_QUOTES = {
    '"': '"”“',
    "“": '”"“',
    "”": '”"“',
    "„": '“”"',
    "‘": "’'‘",
    "’": "’'",
    "'": "'’",
    "`": "`",
    "«": "»",
}
_ONLY_AT_START = "'’"  # elsewhere an apostrophe
_BREAKS = '"“”„‘`«'
_LOOSE = ",.!:)]}>\u0964\u0965…"
_SHORT = frozenset(("a", "le", "da", "ga", "na", "ina"))  # endings that need a path before them


class Token(Struct, frozen=True):
    """A piece of the line. `text` is the value: what stood between the quotes, or the word."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """How a word is looked up."""
        return self.text.lower()


def tokenise(text: str, lexicon: Lexicon, most: int = 1_000) -> list[Token]:
    """Tokens from the left; with more than `most` of them the rest is left unread."""
    tokens: list[Token] = []
    dead = ""  # openers that nothing closes from here on
    at = 0
    while at < len(text) and len(tokens) <= most:
        character = text[at]
        if character in "\n;|":
            kind = "pipe" if character == "|" else "sep"
            tokens.append(Token(kind, character, at, at + 1))
            at += 1
        elif character in "\u0964\u0965":
            tokens.append(Token("stop", "", at, at + 1))
            at += 1
        elif character.isspace():
            at += 1
        elif character in _QUOTES and character not in dead:
            token, at = _quoted(text, at)
            tokens.append(token)
            dead += character if token.kind == "word" else ""
        else:
            end = _chunk_end(text, at)
            is_ending = bool(tokens) and tokens[-1].kind == "str" and tokens[-1].end == at
            chunk = text[at:end].lstrip("-'’") if is_ending else text[at:end]
            tokens.extend(_pieces(chunk, at, end, lexicon))
            at = end
    return tokens


def unquoted(text: str) -> str:
    """The line without what its quotation marks hold."""
    kept: list[str] = []
    at = 0
    dead = ""
    while at < len(text):
        if (
            text[at] in _QUOTES
            and text[at] not in dead
            and (at == 0 or text[at] in _BREAKS or text[at - 1].isspace())
        ):
            token, end = _quoted(text, at)
            dead += text[at] if token.kind == "word" else ""
            kept.append(" " if token.kind == "str" else text[at:end])
            at = end
        else:
            kept.append(text[at])
            at += 1
    return "".join(kept)


def _quoted(text: str, at: int) -> tuple[Token, int]:
    """A quotation as it stands; one that nobody closed is a token of its own kind."""
    closers = _QUOTES[text[at]]
    end = at + 1
    while end < len(text):
        if text[end] in closers and _closes(text, at, end):
            inner = text[at + 1 : end]
            return Token("str", inner.replace('\\"', '"'), at, end + 1), end + 1
        end += 1
    if text[at] in _ONLY_AT_START:
        end = _chunk_end(text, at + 1)
        return Token("word", normalise(text[at:end]), at, end), max(end, at + 1)
    return Token("open", text[at:], at, len(text)), len(text)


def _closes(text: str, start: int, end: int) -> bool:
    if text[end - 1] == "\\" and end - 1 > start and text.find(text[end], end + 1) >= 0:
        return False
    if text[end] not in _ONLY_AT_START:
        return True
    following = text[end + 1 : end + 2]
    return not (following.isalnum() and following.isascii())  # `it's` inside '…'


def _chunk_end(text: str, at: int) -> int:
    end = at
    while end < len(text) and not text[end].isspace() and text[end] not in "\n;|":
        if end > at and text[end] in _BREAKS:
            break
        end += 1
    return end


def _pieces(chunk: str, start: int, end: int, lexicon: Lexicon) -> Iterator[Token]:
    """One run without spaces: its core, then what its punctuation says."""
    core, after = _without_punctuation(normalise(chunk).strip())
    parts = [core] if core.startswith("http") else _split_commas(core)
    for part in parts:
        for piece in _cut(part, lexicon):
            yield _token(piece, start, end, lexicon)
        if part is not parts[-1]:
            yield Token("comma", ",", start, end)
    yield from (Token(kind, "", end - 1, end) for kind in after)


def _without_punctuation(chunk: str) -> tuple[str, list[str]]:
    after: list[str] = []
    core = chunk.lstrip("(<,¿¡")
    while core and core not in (".", ".."):
        last = core[-1]
        if last == "?" and "*" not in core:
            after.append("question")
        elif last not in _LOOSE or _belongs(core, last) or core.endswith("/."):
            break
        elif last == ",":
            after.append("comma")
        elif last in ".!…":
            after.append("stop")
        core = core[:-1]
    return core, after


def _belongs(core: str, last: str) -> bool:
    """A bracket that was opened in the same piece stays: `main()`, `[a-z]`, `{name}`."""
    opener = {")": "(", "]": "[", "}": "{", ">": "<"}.get(last)
    return opener is not None and opener in core


def _split_commas(core: str) -> list[str]:
    if "," not in core or "{" in core or "(" in core:
        return [core] if core else []
    return [part for part in core.split(",") if part]


def _cut(piece: str, lexicon: Lexicon) -> list[str]:
    """A word and the case ending written onto it: srcలో, app.py-ஐ, libमध्ये, src-il."""
    if piece.lower() in lexicon.forms:
        return [piece]
    at = len(piece)
    while at > 0 and is_indic(piece[at - 1]):
        at -= 1
    head, tail = piece[:at].rstrip("-'"), piece[at:]
    if head and tail and (tail in lexicon.forms or tail in lexicon.suffixes):
        return [head, tail]
    if not piece.isascii():
        return [piece]
    head, hyphen, tail = piece.rpartition("-")
    if hyphen and head and _is_ending(tail.lower(), lexicon) and _takes(head, tail.lower()):
        return [head, tail]
    return _cut_ending(piece, lexicon)


def _is_ending(tail: str, lexicon: Lexicon) -> bool:
    if tail in lexicon.suffixes:
        return True
    return any(one.kind == "marker" and one.lang != "en" for one in lexicon.senses(tail))


def _takes(head: str, tail: str) -> bool:
    return tail not in _SHORT or is_path(head) or is_folder_name(head) or head.isupper()


def _cut_ending(piece: str, lexicon: Lexicon) -> list[str]:
    """`app.pyni`: no such ending of a file, but one that a case was written onto."""
    stem, dot, ending = piece.rpartition(".")
    if not (dot and stem) or ending in names().endings:
        return [piece]
    for length in range(len(ending) - 1, 0, -1):
        if ending[:length] in names().endings and ending[length:] in lexicon.suffixes:
            return [f"{stem}.{ending[:length]}", ending[length:]]
    return [piece]


def _token(piece: str, start: int, end: int, lexicon: Lexicon) -> Token:
    kind = shape(piece)
    if kind == "word":
        digits = len(piece) - len(
            piece.lstrip("0123456789०१२३४५६७८९௦௧௨௩௪௫௬௭௮௯౦౧౨౩౪౫౬౭౮౯೦೧೨೩೪೫೬೭೮೯")
        )
        tail = piece[digits:].lstrip("-").lower()
        if digits and (tail in lexicon.ordinal_endings or tail in ("st", "nd", "rd", "th")):
            return Token("ordinal", ascii_digits(piece[:digits]), start, end)
    if kind in ("number", "range"):
        return Token(kind, ascii_digits(piece), start, end)
    return Token(kind, piece, start, end)
