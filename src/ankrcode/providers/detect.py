"""Which model servers run on this machine: asked only on loopback, and only when somebody asks.

A server is known by what it answers, not by its port: several of them share one.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.errors import ProviderError
from ankrcode.providers.table import all_providers
from ankrcode.providers.transport.address import parse_address

PATIENCE_S = 1.0
_MAX_BYTES = 1_000_000
_HOST = "127.0.0.1"
_OLLAMA_PORT = 11434
_PORTS = (_OLLAMA_PORT, 1234, 8080, 8000)  # Ollama, LM Studio, llama.cpp, vLLM
_OWNERS = {"llamacpp": "llamacpp", "vllm": "vllm", "organization_owner": "lmstudio"}
_BY_PORT = {1234: "lmstudio", 8080: "llamacpp", 8000: "vllm"}


class Running(Struct, frozen=True, kw_only=True):
    """A server that answers, and the models it has."""

    provider: str
    base_url: str
    models: tuple[str, ...] = ()


async def detect(
    environ: Mapping[str, str], *, urls: Iterable[str] = (), ports: tuple[int, ...] | None = None
) -> list[Running]:
    """All at once, so that it takes no longer than one. `urls`: where the person has servers."""
    wanted = ports if ports is not None else (*_PORTS, *_chosen_ports(environ, urls))
    found = await asyncio.gather(*(_server_at(port) for port in dict.fromkeys(wanted)))
    return [one for one in found if one is not None]


def _chosen_ports(environ: Mapping[str, str], urls: Iterable[str]) -> Iterator[int]:
    """The servers' own variables may name other ports; another machine is not our business."""
    local = [row for row in all_providers().values() if row.is_local]
    variables = [name for row in local for name in row.base_url_variables]
    for url in (*(environ.get(name, "") for name in variables), *urls):
        if port := _loopback_port(url.strip()):
            yield port


def _loopback_port(chosen: str) -> int:
    """0 for what is no address on this machine. Ollama's variable may leave the port out."""
    url = chosen if "://" in chosen else f"http://{chosen}"
    try:
        address = parse_address(url.replace("://0.0.0.0", f"://{_HOST}", 1))
    except ProviderError:
        return 0
    has_port = url.partition("://")[2].partition("/")[0].rpartition(":")[2].isdigit()
    return (address.port if has_port else _OLLAMA_PORT) if address.is_loopback else 0


async def _server_at(port: int) -> Running | None:
    """Ollama's own list first: it also answers as OpenAI would."""
    tags = await _json_at(port, "/api/tags")
    if isinstance(tags, dict) and isinstance(tags.get("models"), list):
        names = _names(tags["models"], "name")
        return Running(provider="ollama", base_url=f"http://{_HOST}:{port}", models=names)
    listed = await _json_at(port, "/v1/models") if tags is not _CLOSED else None
    if not isinstance(listed, dict) or not isinstance(listed.get("data"), list):
        return None
    owners = _names(listed["data"], "owned_by")
    known = next((_OWNERS[owner] for owner in owners if owner in _OWNERS), "")
    return Running(
        provider=known or _BY_PORT.get(port, "openai-compatible"),
        base_url=f"http://{_HOST}:{port}/v1",
        models=_names(listed["data"], "id"),
    )


def _names(rows: list[Any], key: str) -> tuple[str, ...]:
    """Text that may be shown; whoever listens on a port says what he likes."""
    values = (row.get(key) for row in rows if isinstance(row, dict))
    return tuple(one for one in values if isinstance(one, str) and one.isprintable())


_CLOSED = object()  # nobody listens there: nothing else need be asked


async def _json_at(port: int, path: str) -> Any:
    """What a GET answers, as data; None for anything else."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(_HOST, port)
            try:
                request = f"GET {path} HTTP/1.0\r\nHost: localhost:{port}\r\nAccept: */*\r\n\r\n"
                writer.write(request.encode())
                return _body_of(await _all_of(reader))
            finally:
                writer.close()
    except (ConnectionRefusedError, TimeoutError):
        return _CLOSED
    except OSError:
        return None


async def _all_of(reader: asyncio.StreamReader) -> bytes:
    """To its end, or to as much as any sensible list of models has."""
    data = bytearray()
    while len(data) <= _MAX_BYTES and (piece := await reader.read(65_536)):
        data += piece
    return bytes(data)


def _body_of(answer: bytes) -> Any:
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.partition(b"\r\n")[0] + b" ":
        return None
    if b"transfer-encoding: chunked" in head.lower():
        body = _unchunked(body)
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _unchunked(body: bytes) -> bytes:
    """Some servers answer HTTP/1.0 as if it were 1.1."""
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        try:
            length = int(size.partition(b";")[0], 16)
        except ValueError:
            break
        whole, body = whole + body[:length], body[length + 2 :]
    return whole
