"""What is loaded first comes without what it seldom uses; everybody else still finds that."""

import subprocess
import sys
from pathlib import Path

import pytest

from frontends.command import environment, started_anew
from frontends.vendor import chat, vendor

LOADED = 'load_lean("argparse", "msgspec", "pathlib", "asyncio")'
LEFT_OUT = (
    "asyncio.sslproto",
    "gettext",
    "inspect",
    "locale",
    "msgspec._json_schema",
    "msgspec.inspect",
    "platform",
    "ssl",
    "textwrap",
    "tokenize",
    "typing_extensions",
    "urllib.parse",
)


def printed(code: str, *, before: str = "") -> list[str]:
    """What a new Python prints that begins as the command line does."""
    start = f"import sys\n{before}\nfrom ankrcode.lean import load_lean\n{LOADED}\n"
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", start + code],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_none_of_it_is_loaded_and_none_is_left_as_a_stand_in() -> None:
    assert printed(f"print([one for one in {LEFT_OUT!r} if one in sys.modules])") == ["[]"]


def test_a_task_is_begun_without_it() -> None:
    code = (
        "from ankrcode.frontends.cli.main import run\n"
        "run(['-p', 'x', '--model', 'none/none'])\n"
        "print([one for one in ('ssl', 'typing_extensions', 'urllib.parse') if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code.replace("from", "import sys\nfrom", 1)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_who_asks_for_it_gets_the_real_one() -> None:
    code = "import importlib\n" + "".join(
        f"real = importlib.import_module({name!r})\n"
        f"print(real is sys.modules[{name!r}], real.__spec__.name)\n"
        for name in LEFT_OUT
    )
    assert printed(code) == [f"True {name}" for name in LEFT_OUT]


@pytest.mark.parametrize("names", [LEFT_OUT, ("argparse", "msgspec", "pathlib", "asyncio")])
def test_what_is_there_already_stays_as_it_is(names: tuple[str, ...]) -> None:
    before = f"import {', '.join(names)}\nbefore = dict(sys.modules)"
    code = f"print(all(sys.modules[one] is before[one] for one in {names!r}))"
    assert printed(code, before=before) == ["True"]


# ── each still does all that it did ───────────────────────────────────────────────────────
TYPED = """
import msgspec, typing_extensions
from typing import Annotated, NotRequired, Required, TypedDict
class Row(TypedDict, total=False):
    name: Required[Annotated[str, msgspec.Meta(min_length=1)]]
    size: NotRequired[int]
class Line(typing_extensions.TypedDict):
    text: typing_extensions.NotRequired[str]
print(msgspec.json.decode(b'{"name": "x"}', type=Row), msgspec.json.decode(b"{}", type=Line))
"""


@pytest.mark.parametrize("before", ["", "import typing_extensions"])
def test_msgspec_reads_typed_dicts_of_both_kinds(before: str) -> None:
    assert printed(TYPED, before=before) == ["{'name': 'x'} {}"]


def test_msgspec_tells_schemas_and_looks_into_types() -> None:
    code = """
import msgspec
print(msgspec.json.schema(list[int]))
print(msgspec.json.schema_components([int])[0])
print(msgspec.inspect.type_info(int))
import msgspec.inspect
print(msgspec.inspect.type_info(str), msgspec.inspect is sys.modules["msgspec.inspect"])
"""
    assert printed(code) == [
        "{'type': 'array', 'items': {'type': 'integer'}}",
        "({'type': 'integer'},)",
        "IntType(gt=None, ge=None, lt=None, le=None, multiple_of=None)",
        "StrType(min_length=None, max_length=None, pattern=None) True",
    ]


@pytest.mark.parametrize("before", ["", "import pathlib", "import urllib.parse"])
def test_paths_still_make_uris(before: str) -> None:
    code = """
from pathlib import Path
print(Path("/a b/\u0928\u093e\u092e#?.txt").as_uri())
import urllib.parse
print(urllib.parse.urlsplit("http://[::1]:80/x").hostname, urllib.parse.quote("a b"))
"""
    uri = "file:///a%20b/%E0%A4%A8%E0%A4%BE%E0%A4%AE%23%3F.txt"
    assert printed(code, before=before) == [uri, "::1 a%20b"]


def test_options_are_explained_as_before() -> None:
    code = """
import argparse
parser = argparse.ArgumentParser(prog="x", exit_on_error=False)
parser.add_argument("--size", type=int, help="how big")
print("how big" in parser.format_help())
try:
    parser.parse_args(["--size", "big"])
except argparse.ArgumentError as problem:
    print(problem)
"""
    assert printed(code) == ["True", "argument --size: invalid int value: 'big'"]


def test_programs_are_run_in_text_of_the_locale() -> None:
    code = """
import subprocess
print(subprocess.run(["echo", "x"], text=True, capture_output=True).stdout, end="")
"""
    assert printed(code) == ["x"]


def test_an_exception_is_told_with_its_lines() -> None:
    code = """
import traceback
try:
    import json; json.loads("{")
except ValueError:
    print("return _default_decoder.decode(s)" in traceback.format_exc())
"""
    assert printed(code) == ["True"]


def test_tasks_are_shown_and_odd_awaitables_awaited() -> None:
    code = """
import asyncio
class Odd:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return 7
async def main():
    task = asyncio.ensure_future(Odd())
    print(repr(task).startswith("<Task pending name='Task-2'"), asyncio.iscoroutinefunction(main))
    print(await task)
asyncio.run(main())
"""
    assert printed(code) == ["True True", "7"]


def test_a_uuid_and_a_platform_are_what_they_are() -> None:
    code = "import uuid, platform, os; print(uuid.uuid4().version, platform.system())"
    assert printed(code) == [f"4 {sys.platform.capitalize()}"]


# ── TLS ───────────────────────────────────────────────────────────────────────────────────
CERTIFICATES = Path(__file__).parent / "providers" / "certificates"
TLS = """
import asyncio, socket, ssl
from ankrcode.providers.transport.tls import TlsFiles, tls_context
async def answer(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()
async def main():
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain({loopback!r})
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=own)
    port = server.sockets[0].getsockname()[1]
    trusting = tls_context(TlsFiles(ca_file={ca!r}))
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=trusting, server_hostname="localhost"
    )
    writer.write(b"secret\\n")
    print((await reader.readline()).decode().strip(), writer.get_extra_info("cipher")[1])
    writer.close()
    await writer.wait_closed()
    try:
        await asyncio.open_connection("127.0.0.1", port, ssl=ssl.create_default_context())
    except ssl.SSLCertVerificationError as problem:
        print(problem.reason)
    server.close()
    plain = ssl.create_default_context().wrap_socket(
        socket.socket(), server_hostname="localhost"
    )
    try:
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    except TypeError as problem:
        print(problem)
    plain.close()
asyncio.run(main())
"""


def test_asyncio_speaks_tls_as_soon_as_somebody_wants_it() -> None:
    ca, loopback = (str(CERTIFICATES / name) for name in ("ca.pem", "loopback.pem"))
    assert printed(TLS.format(ca=ca, loopback=loopback)) == [
        "secret TLSv1.3",
        "CERTIFICATE_VERIFY_FAILED",
        "Socket cannot be of type SSLSocket",
    ]


def test_a_task_goes_to_a_model_over_tls(tmp_path: Path) -> None:
    """By the real command, which has loaded asyncio without it."""
    ca, loopback = (str(CERTIFICATES / name) for name in ("ca.pem", "loopback.pem"))
    with vendor(chat({"content": "Over TLS."}), certificate=loopback) as server:
        words = ["-p", "hi", "--model", "openai-compatible/m", "--base-url", server.url + "/v1"]
        done = started_anew(words, tmp_path, environment({"SSL_CERT_FILE": ca}), b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"Over TLS.\n", b"")


def test_a_plain_connection_loads_none_of_it() -> None:
    code = """
import asyncio
async def answer(reader, writer):
    writer.write(await reader.readline())
    writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"plain\\n")
    print((await reader.readline()).decode().strip())
    writer.close()
    server.close()
asyncio.run(main())
print("ssl" in sys.modules, "asyncio.sslproto" in sys.modules)
"""
    assert printed(code) == ["plain", "False False"]
