"""One record per line: its checksum, a blank, its JSON. A person can read it; damage shows.

    5d1c3b0a {"type":"call_begun","at":…}

A line that was torn or changed fails its checksum and is left out; every other line still counts.
"""

from binascii import crc32
from collections.abc import Iterator

HEAD = 9  # eight digits of the checksum and a blank


def framed(content: bytes) -> bytes:
    """The line for one record. JSON has no line ends of its own, so the line is the frame."""
    return b"%08x %s\n" % (crc32(content), content)


def unframed(line: bytes) -> bytes | None:
    """The record of one line without its line end; None if it is not as it was written."""
    if len(line) <= HEAD or line[HEAD - 1 : HEAD] != b" ":
        return None
    content = line[HEAD:]
    return content if line[: HEAD - 1] == b"%08x" % crc32(content) else None


def split(data: bytes, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The lines of a log with the place where each begins; a last one without its end too."""
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end > start:
            yield start, data[start:end]
        start = end + 1
