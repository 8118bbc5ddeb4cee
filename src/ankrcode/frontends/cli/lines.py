"""JSON lines in, JSON lines out: the form scripts rely on."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO

import msgspec

from ankrcode.config.limits import MAX_LINE_BYTES

# Whoever reads line by line in JavaScript or Python may end a line here, too.
_OTHER_ENDS = tuple((one.encode(), b"\\u%04x" % ord(one)) for one in "\u2028\u2029\x85")
_kept: list[TextIO] = []
_MARK = b"\xef\xbb\xbf"  # some editors and shells write it before UTF-8; JSON knows none


async def read_lines(stream: BinaryIO) -> AsyncIterator[bytes | None]:
    """The lines of a stream as they come; None for one that is too long.

    Read by a daemon thread, so that waiting for input never holds up the loop or the exit.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | _End | None] = asyncio.Queue()
    wanted = threading.Semaphore(1)  # one line ahead at most: input is not our memory's to hold

    def pump() -> None:
        try:
            while line := _next_line(stream, wanted):
                loop.call_soon_threadsafe(queue.put_nowait, line[0])
        except (OSError, ValueError, RuntimeError):
            pass  # the stream was closed, or the loop is gone
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, _End())

    threading.Thread(target=pump, name="ankrcode-stdin", daemon=True).start()
    while not isinstance(item := await queue.get(), _End):
        yield item
        wanted.release()


class _End:
    """No more lines."""


def _next_line(stream: BinaryIO, wanted: threading.Semaphore) -> tuple[bytes | None] | None:
    wanted.acquire()
    line = stream.readline(MAX_LINE_BYTES)
    if not line:
        return None
    if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
        return (line.removeprefix(_MARK),)
    while not (rest := stream.readline(MAX_LINE_BYTES)).endswith(b"\n") and rest:
        pass  # skip to the end of the overlong line
    return (None,)


def standard_input() -> BinaryIO:
    """Standard input by a reader of our own: at its end, Python wants a lock on its own reader,
    and dies if a thread that still waits for input holds it.
    """
    return open(sys.stdin.fileno(), "rb", closefd=False)


def write_line(value: dict[str, Any]) -> None:
    """One object, one line, at once."""
    try:
        line = as_json(value)
    except RecursionError:
        line = as_json({"id": None, "error": "The line is nested too deeply."})
    for raw, escaped in _OTHER_ENDS:
        line = line.replace(raw, escaped)
    out = output().buffer
    out.write(line + b"\n")
    out.flush()


@contextmanager
def output_kept() -> Iterator[None]:
    """Standard output is for answers alone: what a tool of others prints goes beside it."""
    own = sys.stdout
    _kept.append(own)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = own
        _kept.pop()


def output() -> TextIO:
    """Where answers go."""
    return _kept[-1] if _kept else sys.stdout


def as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        import json  # slow to load, and rarely needed

        # A file name that is not UTF-8: escaped, it survives the way out and back.
        return json.dumps(msgspec.to_builtins(value)).encode("ascii")


def harmless(text: str, stream: TextIO) -> str:
    """A file may hold escape codes; a terminal must show them (as JSON does), not obey them."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if not stream.isatty():
        return text
    import json

    return "".join(c if c.isprintable() or c in "\n\t" else json.dumps(c)[1:-1] for c in text)
