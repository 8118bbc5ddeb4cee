"""A scripted model behind a real connection: Chat Completions and Messages, on loopback."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Call = tuple[str, dict[str, Any]]
Answer = str | list[Call]  # a text, or calls
PATIENCE_S = 20.0


class ModelServer(ThreadingHTTPServer):
    """Answers request after request; keeps the bodies as they came."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.bodies: list[bytes] = []
        self.cut_next = 0  # bytes of the next answer after which the line goes dead
        self.talks_until: Path | None = None  # text after the calls, until this is there
        self.ended: list[float] = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no news."""

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        server = self.server
        server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        answer = server.answers.pop(0) if server.answers else "The script is over."
        is_chat = self.path.endswith("/chat/completions")
        events = list((_chat if is_chat else _messages)(answer, len(server.bodies)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if server.cut_next:
            self._cut(b"".join(events)[: server.cut_next])
            return
        *before, last = events
        self._send(b"".join(before))
        until = time.monotonic() + PATIENCE_S
        while server.talks_until and not server.talks_until.exists() and time.monotonic() < until:
            time.sleep(0.01)
        self._send(last)
        self.wfile.write(b"0\r\n\r\n")
        server.ended.append(time.time())

    def _cut(self, part: bytes) -> None:
        self.server.cut_next = 0
        self._send(part)
        self.close_connection = True

    def _send(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def _event(data: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _chat(answer: Answer, number: int) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    if isinstance(answer, str):
        yield chunk({"content": answer})
        yield chunk({}, "stop") + b"data: [DONE]\n\n"
        return
    for index, (name, arguments) in enumerate(answer):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": index, "id": f"call_{number}_{index}", "type": "function"}
        yield chunk({"tool_calls": [call | {"function": function}]})
    yield chunk({"content": "Let us see."})
    yield chunk({}, "tool_calls") + b"data: [DONE]\n\n"


def _messages(answer: Answer, number: int) -> Iterator[bytes]:
    usage = {"input_tokens": 10 * number, "output_tokens": 5}
    start = {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": []}
    message = start | {"model": "m", "usage": usage}
    yield _event({"type": "message_start", "message": message}, "message_start")
    blocks: list[Call] = [("", {"text": answer})] if isinstance(answer, str) else answer
    for index, (name, arguments) in enumerate(blocks):
        call_id = f"toolu_{number}_{index}"
        if name:
            block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", **arguments}
        for kind, more in (
            ("content_block_start", {"content_block": block}),
            ("content_block_delta", {"delta": delta}),
            ("content_block_stop", {}),
        ):
            yield _event({"type": kind, "index": index, **more}, kind)
    reason = "end_turn" if isinstance(answer, str) else "tool_use"
    ended = {
        "type": "message_delta",
        "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 9},
    }
    yield _event(ended, "message_delta") + _event({"type": "message_stop"}, "message_stop")
