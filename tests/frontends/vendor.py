"""A vendor on loopback for commands in processes of their own: one answer after the other."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
STREAM = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


class Vendor:
    """What it answers, and what it was asked: (path, headers, body)."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.url = ""

    @property
    def paths(self) -> list[str]:
        return [path for path, _, _ in self.asked]


@contextmanager
def vendor(*answers: Answer, certificate: str = "") -> Iterator[Vendor]:
    """The last answer is given again and again; over TLS with a certificate."""
    it = Vendor(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            it.asked.append((self.path, headers, json.loads(body) if body else None))
            status, more, content = it.answers.pop(0) if len(it.answers) > 1 else it.answers[0]
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    it.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_address[1]}"
    try:
        yield it
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def chat(
    *deltas: dict[str, Any], finish: str = "stop", usage: dict[str, Any] | None = None
) -> Answer:
    """A streamed answer of Chat Completions."""
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage is not None:
        chunks.append({"choices": [], "usage": usage})
    lines = [
        f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', **one})}\n\n"
        for one in chunks
    ]
    return 200, STREAM, "".join([*lines, "data: [DONE]\n\n"]).encode()


def refused(status: int, message: str, **headers: str) -> Answer:
    body = {"error": {"message": message, "type": "error"}}
    return status, {**JSON, **headers}, json.dumps(body).encode()
