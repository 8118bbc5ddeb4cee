"""A server on loopback that plays what it is told, byte for byte: also what no server should."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import msgspec

Step = bytes | float | str  # bytes to send, seconds to pause, or one of the words below
RESET = "reset"  # the connection is torn down with RST
CLOSE = "close"  # the connection is closed in order
HANG = "hang"  # nothing more, until the other side goes
Play = Sequence[Step]


class Heard:
    """One request as it came."""

    def __init__(self, head: bytes, body: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ")
        pairs = (line.partition(":") for line in lines[1:] if line)
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}
        self.body = body

    @property
    def json(self) -> dict[str, object]:
        return msgspec.json.decode(self.body, type=dict[str, object])


class Server:
    """Plays one script for each request, in turn; the last one again and again."""

    def __init__(self, *plays: Play) -> None:
        self.plays = list(plays)
        self.heard: list[Heard] = []
        self.connections = 0
        self.gone = asyncio.Event()  # the other side has closed a connection
        self.port = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (heard := await _request(reader)) is not None:
                self.heard.append(heard)
                play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
                if not await self._play(play, reader, writer):
                    return
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            self.gone.set()
            writer.close()

    async def _play(
        self, play: Play, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        for step in play:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif isinstance(step, float):
                await asyncio.sleep(step)
            elif step == HANG:
                await reader.read()
                return False
            else:
                _end(writer, is_reset=step == RESET)
                return False
        return True


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(*plays: Play, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    server = Server(*plays)
    async with running(server.serve, tls=tls) as port:
        server.port = port
        server.scheme = "https" if tls else "http"
        yield server


@asynccontextmanager
async def running(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Any server on a free port of loopback; nothing of it is left in the end."""
    open_ones: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def watched(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_ones[task] = writer
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            open_ones.pop(task)

    listener = await asyncio.start_server(watched, "127.0.0.1", 0, ssl=tls)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for writer in open_ones.values():
            writer.transport.abort()
        await asyncio.gather(*open_ones, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> Heard | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    heard = Heard(head, b"")
    heard.body = await reader.readexactly(int(heard.headers.get("content-length", "0")))
    return heard


def _end(writer: asyncio.StreamWriter, *, is_reset: bool) -> None:
    if is_reset:
        import socket
        import struct

        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()


# ── what servers say ────────────────────────────────────────────────────────────────────────────
def answer(
    body: bytes = b"",
    status: int = 200,
    content_type: str = "application/json",
    **headers: str,
) -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
    lines += [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def head(content_type: str = "text/event-stream", status: int = 200, **headers: str) -> bytes:
    """The head of an answer in chunks."""
    lines = [f"HTTP/1.1 {status} Whatever", "Transfer-Encoding: chunked"]
    lines += [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST = b"0\r\n\r\n"


def streamed(*pieces: bytes) -> list[Step]:
    """An event stream in so many chunks, ended well."""
    return [head(), *map(chunk, pieces), LAST]
