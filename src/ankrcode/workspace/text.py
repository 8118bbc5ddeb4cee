"""Text in whatever encoding it came, and back to the same bytes.

Writing back what was not changed must give the same bytes, so an encoding is believed only if it
survives the round trip.
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


class Text(Struct, frozen=True, kw_only=True):
    """A file's text, exactly: line endings untouched, the byte order mark kept aside."""

    content: str
    encoding: str
    mark: bytes = b""

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
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = _decoded(content[len(mark) :], encoding)
            if text is not None:
                return Text(content=text, encoding=encoding, mark=mark)
    if b"\0" not in content[:8192] and (text := _decoded(content, "utf-8")) is not None:
        return Text(content=text, encoding="utf-8")
    raise ToolError.of("not_text", path=path, encoding="utf-8").coded(ErrorCode.NOT_TEXT, path=path)


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
        return text if text.encode(encoding) == content else None
    except UnicodeError:
        return None


def newline_of(text: str) -> str:
    """The line ending that most lines have; \\n for a text of one line."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf > text.count("\n") - crlf else "\n"
