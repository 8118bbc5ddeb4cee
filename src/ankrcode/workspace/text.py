"""Text in whatever encoding it came, and back to the same bytes.

Writing back what was not changed must give the same bytes, so an encoding is believed only if it
survives the round trip. In this order: a byte order mark, UTF-8, UTF-16 or UTF-32 without a mark,
UTF-8 with a few bytes that are none, what people wrote before Unicode – and Latin-1 at last, which
any bytes survive.
"""

import codecs

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError

_MARKS = (  # the longer marks first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 8192
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"
_ALL_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_MOST_CONTROLS = 0.02  # of a text; compressed data has five times as many
_MOST_BEYOND_ASCII = 0.3  # of bytes that no guess explains
_SHIFTS = (b"\x1b$B", b"\x1b$@", b"\x1b(J")  # ISO-2022-JP, which is made of ASCII alone


class Text(Struct, frozen=True, kw_only=True):
    """A file's text, exactly: line endings untouched, the byte order mark kept aside."""

    content: str
    encoding: str
    mark: bytes = b""
    is_certain: bool = True  # else the encoding is a guess, though no byte gets lost by it

    @property
    def described(self) -> str:
        """The encoding for people: `utf-16-le with byte order mark`, `cp1250 (a guess)`."""
        mark = " with byte order mark" if self.mark else ""
        return f"{self.encoding}{mark}{'' if self.is_certain else ' (a guess)'}"

    def encode(self, content: str, path: str) -> bytes:
        """Other text in the same encoding, with the same byte order mark."""
        try:
            return self.mark + content.encode(self.encoding)
        except UnicodeEncodeError as problem:
            char = content[problem.start : problem.start + 1]
            error = ToolError.of("not_encodable", path=path, encoding=self.encoding, char=char)
            raise error.coded(ErrorCode.NOT_TEXT, path=path) from None


NEW_FILE = Text(content="", encoding="utf-8")


def decode(content: bytes, path: str) -> Text:
    """The text of these bytes; a `ToolError` where they are none."""
    text = _marked(content) or _unicode(content) or _legacy(content)
    if text is None:
        error = ToolError.of("not_text", path=path, encoding="utf-8")
        raise error.coded(ErrorCode.NOT_TEXT, path=path)
    return text


def _marked(content: bytes) -> Text | None:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = _decoded(content[len(mark) :], encoding)
            if text is not None:
                return Text(content=text, encoding=encoding, mark=mark)
    return None


def _unicode(content: bytes) -> Text | None:
    sample = content[:_SAMPLE_BYTES]
    # Every ASCII character holds a NUL, there.
    if b"\0" in sample or _share(sample, _ALL_CONTROLS) > _MOST_CONTROLS:
        from ankrcode.workspace.unmarked import unmarked_unicode

        encoding = unmarked_unicode(content)
        text = _decoded(content, encoding) if encoding else None
        if encoding and text is not None:
            return Text(content=text, encoding=encoding)
    if b"\0" in sample:
        return None
    if any(shift in sample for shift in _SHIFTS):
        text = _decoded(content, "iso2022_jp")
        if text is not None:
            return Text(content=text, encoding="iso2022_jp")
    text = _decoded(content, "utf-8")
    return None if text is None else Text(content=text, encoding="utf-8")


def _legacy(content: bytes) -> Text | None:
    sample = content[:_SAMPLE_BYTES]
    if b"\0" in sample or _share(sample, _CONTROLS) > _MOST_CONTROLS:
        return None
    from ankrcode.workspace.charsets import guess
    from ankrcode.workspace.damaged import DAMAGED, is_damaged

    if is_damaged(content) and (text := _decoded(content, DAMAGED)) is not None:
        return Text(content=text, encoding=DAMAGED)
    guessed = guess(content)
    if guessed is not None:
        text = _decoded(content, guessed.encoding)
        if text is not None:
            is_certain = guessed.is_certain
            return Text(content=text, encoding=guessed.encoding, is_certain=is_certain)
    elif _share(sample, bytes(range(128, 256))) > _MOST_BEYOND_ASCII:
        return None
    return Text(content=content.decode("latin-1"), encoding="latin-1", is_certain=False)


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
        # Those of Unicode say each text in one way only: no need to look.
        return text if encoding.startswith("utf") or text.encode(encoding) == content else None
    except UnicodeError:
        return None


def _share(sample: bytes, of: bytes) -> float:
    """How much of a sample is made of these bytes; a single one proves nothing."""
    count = len(sample) - len(sample.translate(None, of))
    return count / len(sample) if count > 1 else 0.0


def newline_of(text: str) -> str:
    """The line ending that most lines have; \\n for a text of one line."""
    crlf = text.count("\r\n")
    lf, cr = text.count("\n") - crlf, text.count("\r") - crlf
    if crlf > lf and crlf >= cr:
        return "\r\n"
    return "\r" if cr > lf else "\n"
