"""`ankrcode -p` as a process: a scripted model in a file, or a small one on loopback."""

import json
import os
import subprocess
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from frontends.command import COMMAND, PATIENCE_S, Done, ankrcode, environment

Turn = dict[str, Any] | str
NO_KEYS = {
    **dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), ""),
    "ANKRCODE_MODEL": "",
}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def calls(*some: dict[str, Any], **more: Any) -> Turn:
    return {"calls": list(some), **more}


def scripted(work: Path, *turns: Turn) -> str:
    """The name of a model that says this."""
    path = work.parent / "turns.json"
    path.write_text(json.dumps(list(turns)), encoding="utf-8")
    return f"scripted/{path}"


def ask(work: Path, *arguments: str, turns: list[Turn] | None = None, **more: Any) -> Done:
    """Run it to its end."""
    model = ["--model", scripted(work, *turns)] if turns is not None else []
    return ankrcode("-p", *arguments, *model, cwd=work, **more)


def lines_of(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def started(
    work: Path, *arguments: str, env: Mapping[str, str] | None = None, **more: Any
) -> subprocess.Popen[bytes]:
    """Running, with pipes."""
    return subprocess.Popen(
        [*COMMAND, "-p", *arguments],
        cwd=work,
        env=environment(env),
        stdin=more.pop("stdin", subprocess.DEVNULL),
        stdout=more.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **more,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE_S)
    assert b"Traceback" not in err, err
    return process.returncode, (out or b"").decode(), err.decode()


def session_file(session_id: str) -> Path:
    state = Path(os.environ["HOME"]) / ".local" / "state"
    return state / "ankrcode" / "sessions" / f"{session_id}.jsonl"


def records_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line[9:]) for line in path.read_bytes().splitlines()]


class ChatServer:
    """A model on loopback that speaks Chat Completions, one scripted answer per request."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.has_asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                chat.requests.append(json.loads(self.rfile.read(size)))
                chat.has_asked.set()
                chat.may_answer.wait(PATIENCE_S)
                chunks = chat.answers.pop(0) if chat.answers else said("No more.")
                body = b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in chunks)
                body += b"data: [DONE]\n\n"
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Whoever is interrupted goes away in the middle of an answer."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def options(self) -> list[str]:
        base = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        return ["--model", "openai-compatible/small", "--base-url", base]

    def __enter__(self) -> Self:
        # It looks often whether it should end: most tests with such a model last no longer.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


def said(text: str) -> list[dict[str, Any]]:
    """An answer of text alone."""
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    return [_chunk({"content": text}), {**_chunk({}, "stop"), "usage": usage}]


def called(name: str, arguments: dict[str, Any], call_id: str = "c1") -> list[dict[str, Any]]:
    """An answer that is one call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    one = {"index": 0, "id": call_id, "type": "function", "function": function}
    return [_chunk({"tool_calls": [one]}), _chunk({}, "tool_calls")]


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "x", "object": "chat.completion.chunk", "model": "small", "choices": [choice]}
