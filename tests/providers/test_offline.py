"""Offline no connection leaves the machine and no name is looked up: seen from outside."""

import asyncio
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from providers.server import serving, streamed
from providers.streams import CHAT_ANSWER

STRACE = shutil.which("strace")
CHILD = """
import asyncio, sys

seen = []
WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
sys.addaudithook(lambda event, args: event in WATCHED and seen.append((event, args[-2:])))

from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.stream import Failed, TextGrew
from ankrcode.providers.transport.http import HttpClient
from ankrcode.providers.transport.proxies import Proxies
from ankrcode.providers.resolve import model_for
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.providers.wire import ModelRequest

ENVIRON = {
    "HOME": "/nonexistent",
    "GROQ_API_KEY": "key",
    "ANTHROPIC_API_KEY": "key",
    "ALL_PROXY": "http://proxy.test:3128",
}
REQUEST = ModelRequest(messages=(Message(role="user", parts=(TextPart(text="Hi"),)),))


async def main(url):
    for name in ("groq/x", "anthropic", None, "medium", "vertex/x"):
        try:
            model_for(name, Settings(), ENVIRON, offline=True)
        except ProviderError as problem:
            print("refused:", problem)
    for away in ("https://example.com/", "http://10.0.0.1/", "http://proxy.test/"):
        try:
            client = HttpClient(offline=True, proxies=Proxies(ENVIRON))
            await client.request("GET", away, {})
        except TransportFault as fault:
            print("refused:", fault.message)
    for host in ("127.0.0.1", "localhost"):
        place = url.replace("127.0.0.1", host)
        name = "openai-compatible/m"
        model = model_for(name, Settings(), ENVIRON, base_url=place, offline=True)
        async for event in model.stream(REQUEST):
            if isinstance(event, TextGrew):
                print("text:", event.text)
            if isinstance(event, Failed):
                print("failed:", event.failure.message)
        await model.close()
    for event, args in seen:
        print("saw:", event, args)


asyncio.run(main(sys.argv[1]))
"""


async def run_child(*before: str) -> list[str]:
    """The child's words, while a server on loopback answers it."""
    async with serving(streamed(*CHAT_ANSWER)) as server:
        child = await asyncio.create_subprocess_exec(
            *(*before, sys.executable, "-P", "-c", CHILD, server.url),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(child.communicate(), 15)
    assert child.returncode == 0, err.decode()
    assert len(server.heard) == 2
    return out.decode().splitlines()


def begins(lines: Iterable[str], word: str) -> list[str]:
    return [line for line in lines if line.startswith(word)]


async def test_only_loopback_is_connected_to_and_nothing_is_looked_up() -> None:
    lines = await run_child()
    assert len(begins(lines, "refused:")) == 8
    assert begins(lines, "text:") == ["text: Hello", "text: , world"] * 2
    assert begins(lines, "failed:") == []
    seen = begins(lines, "saw:")
    assert seen
    for one in seen:
        assert "'127.0.0.1'" in one, one
        assert "gethostbyname" not in one


@pytest.mark.skipif(STRACE is None, reason="the same is shown by Python's own audit above")
async def test_the_kernel_sees_no_other_connection(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    assert STRACE is not None
    await run_child(STRACE, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(log))
    calls = [line for line in log.read_text(encoding="utf-8").splitlines() if "sin" in line]
    assert calls
    for call in calls:
        places = re.findall(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"', call)
        assert all(place[0] == "127.0.0.1" or place[1] == "::1" for place in places), call
