"""`models call` against real recorded answers, where those lie beside the project.

Other tests look at single wires; these go the whole way, from the name of a model over a loopback
connection to the summary that scripts read.
"""

import argparse
import asyncio
import json
import random
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.settings import Settings
from ankrcode.frontends.cli.models_call import raw_model, summary
from ankrcode.frontends.cli.raw_request import request_of
from ankrcode.providers.gathered import Gathered
from frontends.command import ankrcode, answers
from frontends.offline import UNSET

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "provider_recordings"
needs_recordings = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the recordings do not lie beside the project ({FOLDER.name})"
)
TOOLS = [{"name": "x", "input_schema": {"type": "object"}}]


def _load() -> dict[str, dict[str, Any]]:
    files = sorted(FOLDER.glob("*.pypi.json"))
    rows = [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))]
    return {row["id"]: row for row in rows}


RECORDINGS = _load() if FOLDER.is_dir() else {}
EXPECTED: dict[str, Any] = (
    json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))["expected"]
    if RECORDINGS
    else {}
)
STREAMS = [key for key, row in RECORDINGS.items() if "stream" in row["features"]]
WITH_TOOLS = [key for key in STREAMS if EXPECTED[key].get("tools")]


def body_of(row: dict[str, Any]) -> bytes:
    body, encoding = row["response"]["body"], row["response"]["body_encoding"]
    return b64decode(body) if encoding == "base64" else body.encode()


@contextmanager
def played(row: dict[str, Any], pieces: list[bytes], *, whole: bool = True) -> Iterator[str]:
    """The recorded answer in these pieces; `whole`: it ends as HTTP wants it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            wanted = row["request"]["path"].partition("?")[0]
            self.send_response(row["response"]["status"] if self.path == wanted else 599)
            for name, value in row["response"]["headers"].items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in filter(None, pieces):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if whole:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def name_of(row: dict[str, Any]) -> str:
    return f"{row['provider']}/{row['request']['body'].get('model', 'm')}"


def told(name: str, url: str) -> dict[str, Any]:
    """What `models call --json` prints last, without a process for it."""

    async def called() -> Gathered:
        options = argparse.Namespace(model=name, base_url=url, offline=True)
        model, answer = raw_model(options, Settings()), Gathered()
        async for event in model.stream(request_of({"prompt": "x", "tools": TOOLS})):
            answer.feed(event)
        await model.close()
        return answer

    said: dict[str, Any] = json.loads(json.dumps(summary(asyncio.run(called()))))
    said["tools"] = [[tool["name"], tool["args"]] for tool in said["tools"]]
    return said


def split(data: bytes, how: str) -> list[bytes]:
    if how == "whole":
        return [data]
    if how == "line":
        return data.splitlines(keepends=True)
    chance, pieces, at = random.Random(len(data)), [], 0
    while at < len(data):
        size = chance.choice([1, 2, 3, 5, 17, 64, 200, 1_000])
        pieces.append(data[at : at + size])
        at += size
    return pieces


@needs_recordings
@pytest.mark.parametrize("how", ["whole", "line", "random"])
@pytest.mark.parametrize("key", RECORDINGS)
def test_a_recorded_answer_is_told_as_its_vendors_software_tells_it(key: str, how: str) -> None:
    row, expected = RECORDINGS[key], EXPECTED[key]
    with played(row, split(body_of(row), how)) as url:
        said = told(name_of(row), url)
    if "error" in expected:
        assert said["error"]["status"] == expected["error"]
        return
    assert said["error"] is None
    assert {name: said[name] for name in expected} == expected


@needs_recordings
@pytest.mark.parametrize("key", WITH_TOOLS)
def test_cut_after_any_event_no_call_is_made_up_and_the_cut_is_told(key: str) -> None:
    row, expected = RECORDINGS[key], EXPECTED[key]
    data = body_of(row)
    ends = [at + 2 for at in range(len(data)) if data.startswith(b"\n\n", at)]
    chosen = ends if len(ends) <= 12 else [ends[n * (len(ends) - 1) // 12] for n in range(12)]
    for end in chosen[:-1]:
        with played(row, [data[:end]], whole=False) as url:
            said = told(name_of(row), url)
        assert said["tools"] == expected["tools"][: len(said["tools"])]
        assert expected["text"].startswith(said["text"])
        if said["error"] is None:  # only its very last words were lost
            assert said["stop"] == expected["stop"]


@needs_recordings
@pytest.mark.parametrize("provider", ["anthropic", "openai-chat", "openai-responses"])
def test_the_command_itself_says_the_same(provider: str, tmp_path: Path) -> None:
    key = next(one for one in RECORDINGS if one.startswith(provider))
    row = RECORDINGS[key]
    with played(row, [body_of(row)]) as url:
        call = ("models", "call", "--model", name_of(row), "--base-url", url, "--json")
        done = ankrcode(*call, cwd=tmp_path, given='{"prompt": "x"}', env=UNSET)
    assert done.returncode == 0
    assert answers(done)[-1]["text"] == EXPECTED[key]["text"]


@needs_recordings
def test_there_are_recordings_to_speak_of() -> None:
    assert len(RECORDINGS) >= 60
    assert len(WITH_TOOLS) >= 5
