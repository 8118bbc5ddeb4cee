"""Model servers on this machine are found by what they answer, quickly, and only on loopback."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from ankrcode.providers import detect as detecting
from ankrcode.providers.detect import Running, detect

OLLAMA = {"/api/tags": {"models": [{"name": "llama3.2:3b"}, {"name": "qwen3:8b"}]}}
LLAMACPP = {"/v1/models": {"object": "list", "data": [{"id": "a.gguf", "owned_by": "llamacpp"}]}}
VLLM = {"/v1/models": {"data": [{"id": "meta/llama", "owned_by": "vllm"}]}}
LMSTUDIO = {"/v1/models": {"data": [{"id": "phi-4", "owned_by": "organization_owner"}]}}
OTHER = {"/v1/models": {"data": [{"id": "x"}]}}


class Listener:
    """Answers paths with data, as HTTP/1.0 or in chunks; remembers what was asked."""

    def __init__(
        self, pages: Mapping[str, object], *, chunked: bool = False, raw: bytes = b""
    ) -> None:
        self.pages = pages
        self.chunked = chunked
        self.raw = raw
        self.asked: list[str] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            self.asked.append(path)
            writer.write(self.raw or self.answer(path))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def answer(self, path: str) -> bytes:
        if path not in self.pages:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"
        body = json.dumps(self.pages[path]).encode()
        if not self.chunked:
            return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body
        pieces = b"".join(b"%x\r\n%s\r\n" % (1, body[at : at + 1]) for at in range(len(body)))
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\n\r\n"


@asynccontextmanager
async def running(*listeners: Listener) -> AsyncIterator[tuple[int, ...]]:
    async with AsyncExitStack() as stack:
        for one in listeners:
            server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
            await stack.enter_async_context(server)
            one.port = server.sockets[0].getsockname()[1]
        yield tuple(one.port for one in listeners)


async def found(listener: Listener) -> Running | None:
    async with running(listener) as ports:
        servers = await detect({}, ports=ports)
    return servers[0] if servers else None


@pytest.mark.parametrize("chunked", [False, True])
async def test_ollama_is_known_by_its_list(chunked: bool) -> None:
    listener = Listener(OLLAMA, chunked=chunked)
    server = await found(listener)
    assert server is not None
    assert server.provider == "ollama"
    assert server.models == ("llama3.2:3b", "qwen3:8b")
    assert server.base_url == f"http://127.0.0.1:{listener.port}"
    assert listener.asked == ["/api/tags"]


@pytest.mark.parametrize(
    ("pages", "provider", "model"),
    [
        (LLAMACPP, "llamacpp", "a.gguf"),
        (VLLM, "vllm", "meta/llama"),
        (LMSTUDIO, "lmstudio", "phi-4"),
        (OTHER, "openai-compatible", "x"),
    ],
)
async def test_the_others_are_known_by_who_owns_their_models(
    pages: Mapping[str, object], provider: str, model: str
) -> None:
    server = await found(Listener(pages))
    assert server is not None
    assert (server.provider, server.models) == (provider, (model,))
    assert server.base_url.endswith("/v1")


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"hello", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n[1]"),
        *(b"HTTP/1.1 200 OK\r\n\r\n{", b'HTTP/1.1 200 OK\r\n\r\n{"models": 3}', b"\xff" * 100),
        *(b'HTTP/1.1 200 OK\r\n\r\n{"data": "x"}', b'HTTP/1.1 500 No\r\n\r\n{"data": []}'),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
    ],
)
async def test_whatever_else_listens_is_no_model_server(raw: bytes) -> None:
    assert await found(Listener({}, raw=raw)) is None


async def test_names_that_could_harm_a_terminal_are_left_out() -> None:
    rows = [{"name": "good"}, {"name": "\x1b[2J"}, {"name": 3}, "odd", {}]
    server = await found(Listener({"/api/tags": {"models": rows}}))
    assert server is not None
    assert server.models == ("good",)


async def test_all_are_asked_at_once_and_nobody_is_waited_for_long() -> None:
    waiting: list[int] = []
    most = 0

    class Silent(Listener):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal most
            waiting.append(self.port)
            most = max(most, len(waiting))
            await reader.read()
            waiting.remove(self.port)
            writer.close()

    began = time.monotonic()
    async with running(Silent({}), Silent({}), Silent({}), Listener(OLLAMA)) as ports:
        servers = await detect({}, ports=ports)
    assert [one.provider for one in servers] == ["ollama"]
    assert most == 3
    assert time.monotonic() - began < 10 * detecting.PATIENCE_S  # a bound for a busy machine


async def test_a_closed_port_is_asked_once() -> None:
    async with running(Listener({})) as ports:
        pass
    assert await detect({}, ports=ports) == []


@pytest.mark.parametrize(
    ("chosen", "ports"),
    [
        ("", ()),
        ("127.0.0.1:11500", (11500,)),
        ("0.0.0.0:11500", (11500,)),
        ("http://localhost:9/", (9,)),
        ("localhost", (11434,)),
        ("example.com:11434", ()),
        ("192.168.1.7", ()),
        ("::::", ()),
    ],
)
def test_a_port_of_ones_own_counts_only_on_this_machine(
    chosen: str, ports: tuple[int, ...]
) -> None:
    assert tuple(detecting._chosen_ports({"OLLAMA_HOST": chosen}, ())) == ports


@pytest.mark.parametrize(
    "variable", ["OLLAMA_BASE_URL", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL"]
)
def test_the_variable_of_each_local_server_counts(variable: str) -> None:
    environ = {variable: "http://localhost:4321/v1", "OPENAI_BASE_URL": "http://localhost:9/v1"}
    assert tuple(detecting._chosen_ports(environ, ())) == (4321,)


async def test_a_server_of_ones_own_settings_is_asked_too() -> None:
    listener = Listener(LLAMACPP)
    async with running(listener) as (port,):
        urls = (f"http://127.0.0.1:{port}/v1", "https://models.example.com/v1", "odd", "")
        servers = await detect({}, urls=urls)
    assert ("llamacpp", f"http://127.0.0.1:{port}/v1") in [
        (one.provider, one.base_url) for one in servers
    ]


async def test_the_variable_of_ollama_is_honoured() -> None:
    listener = Listener(OLLAMA)
    async with running(listener) as (port,):
        servers = await detect({"OLLAMA_HOST": f"127.0.0.1:{port}"})
    assert f"http://127.0.0.1:{port}" in [one.base_url for one in servers]
