"""The agent against the smallest loop that does the same work, as ratios measured in one run.

make bench            everything; `../shared/peerbench`, where it lies beside the project, has more
python benchmarks/agent.py --quick      fewer rounds, a shorter conversation

A scripted model answers on loopback (Chat Completions, streamed). `turn` is the time from the last
byte of its answer to the first byte of the next request.
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

IS_QUICK = "--quick" in sys.argv
ROUNDS = 1 if IS_QUICK else 3
TURNS = 400 if IS_QUICK else 2_000
CALLS_PER_TURN = (2, 3)
FILES = 60
PROMPT = "work through the script"
Call = tuple[str, dict[str, Any]]


# ── the script ────────────────────────────────────────────────────────────────────────────────
def read(number: int) -> list[Call]:
    return [("Read", {"file_path": f"mod_{number:02d}.py"})]


def mixed() -> Iterator[list[Call]]:
    for number in range(6):
        name = f"mod_{number:02d}.py"
        yield read(number)
        edit = {"old_string": f"VALUE_{number} = 0", "new_string": f"VALUE_{number} = 1"}
        yield [("Edit", {"file_path": name, **edit})]
        yield [("Grep", {"pattern": f"VALUE_{number}"})]
        yield [("Glob", {"pattern": f"*_{number:02d}.py"})]
        yield [("Bash", {"command": f"printf {number}"})]


SCRIPTS: dict[str, list[list[Call]]] = {
    "hello": [],
    "read50": [read(number) for number in range(50)],
    "mix30": list(mixed()),
    "par8": [[("Bash", {"command": f"sleep 0.5; echo {number}"}) for number in range(8)]],
}


def make_workspace(folder: Path) -> None:
    for number in range(FILES):
        body = "".join(f"def fn_{k}(a, b):\n    return a * {k} + b\n\n" for k in range(14))
        text = f"VALUE_{number} = 0\n\n{body}"
        (folder / f"mod_{number:02d}.py").write_text(text, encoding="utf-8")


# ── the model ─────────────────────────────────────────────────────────────────────────────────
class Server(ThreadingHTTPServer):
    """Answers with one script; notes when requests came and answers ended."""

    daemon_threads = True

    def __init__(self, script: list[list[Call]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = list(script)
        self.came: list[float] = []
        self.ended: list[float] = []
        self.sizes: list[int] = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone says nothing about itself."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.server.came.append(time.perf_counter())
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.sizes.append(len(body))
        said = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in self.answer())
        said += b"data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)
        self.server.ended.append(time.perf_counter())

    def answer(self) -> Iterator[dict[str, Any]]:
        turns = self.server.turns
        if not turns:
            yield chunk({"content": "Done."})
            yield chunk({}, "stop")
            return
        for index, (name, arguments) in enumerate(turns.pop(0)):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": index, "id": f"c{len(turns)}_{index}", "type": "function"}
            yield chunk({"tool_calls": [call | {"function": function}]})
        yield chunk({}, "tool_calls")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


# ── side by side ──────────────────────────────────────────────────────────────────────────────
def measured(name: str, command: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        make_workspace(work)
        server = Server(SCRIPTS[name])
        more = {"HOME": folder, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x"}
        words = [word.replace("{url}", server.url) for word in command]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(words, cwd=work, env=os.environ | more, check=True, capture_output=True)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        server.shutdown()
        server.server_close()
    turns = [came - ended for came, ended in zip(server.came[1:], server.ended, strict=False)]
    return {
        "first": server.came[0] - started,
        "turn": statistics.median(turns) if turns else 0.0,
        "wall": wall,
        "cpu": sum(after[:2]) - sum(before[:2]),
        "kb": server.sizes[0] / 1024,
    }


def side_by_side() -> None:
    ankrcode = str(Path(sys.executable).with_name("ankrcode"))
    ours = [ankrcode, "-p", PROMPT, "--model", "openai/m", "--permission-mode", "bypass"]
    base = [sys.executable, "-P", str(Path(__file__).with_name("agent_floor.py")), "{url}"]
    print("| scenario | what | ours | floor | ratio | bar |\n|---|---|---|---|---|---|")
    bars = {"hello": ("first", 3.0), "read50": ("turn", 4.0), "mix30": ("wall", 4.0)}
    for name in SCRIPTS:
        rounds = [(measured(name, ours), measured(name, base)) for _ in range(ROUNDS)]
        middle = [
            {what: statistics.median(one[side][what] for one in rounds) for what in rounds[0][side]}
            for side in (0, 1)
        ]
        if name == "par8":
            print(f"| par8 | turn | {middle[0]['turn'] * 1000:.0f} ms | | | ≤ 540 ms |")
            continue
        what, bar = bars[name]
        one, other = middle[0][what] * 1000, middle[1][what] * 1000
        ratio = f"{one / other:.2f} × | ≤ {bar:g} ×"
        print(f"| {name} | {what} | {one:.1f} ms | {other:.1f} ms | {ratio} |")
        ours_cpu, base_cpu = middle[0]["cpu"] * 1000, middle[1]["cpu"] * 1000
        ratio = f"{ours_cpu / base_cpu:.2f} ×"
        print(f"| {name} | processor time | {ours_cpu:.0f} ms | {base_cpu:.0f} ms | {ratio} | |")
        if name == "hello":
            print(f"| hello | first request | {middle[0]['kb']:.1f} KB | | | ≤ 16 KB |")


# ── a long conversation ───────────────────────────────────────────────────────────────────────
async def long_conversation() -> None:
    """Thousands of calls in one process: does a turn cost the same, and does memory stay?"""
    from ankrcode import Agent
    from ankrcode.protocol.stream import AnyStreamEvent, CallClosed, Stopped, StopReason, TextGrew
    from ankrcode.providers.wire import ModelRequest

    class Endless:
        name, context_tokens = "test/endless", 128_000

        def __init__(self) -> None:
            self.at: list[float] = []
            self.memory: list[int] = []
            self.calls = 0

        async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
            if request.options.tool_choice == "none":
                yield TextGrew(text="Summary: files were read. Next: read more of them.")
                yield Stopped(reason=StopReason.END)
                return
            turn = len(self.at)
            self.at.append(time.perf_counter())
            self.memory.append(resident())
            if turn >= TURNS:
                yield TextGrew(text="All read.")
                yield Stopped(reason=StopReason.END)
                return
            for index in range(CALLS_PER_TURN[turn % 2]):
                arguments = {
                    "file_path": f"mod_{self.calls % FILES:02d}.py",
                    "offset": 1 + turn % 9,
                }
                self.calls += 1
                yield CallClosed(index=index, id=f"c{self.calls}", name="Read", arguments=arguments)
            yield Stopped(reason=StopReason.TOOL_USE)

        async def close(self) -> None:
            pass

    with tempfile.TemporaryDirectory() as folder:
        make_workspace(Path(folder))
        os.environ["HOME"] = folder
        model = Endless()
        async with Agent(model, cwd=folder, mode="bypass", records=True) as agent:
            answer = await agent.run("read for ever")
    assert answer.ok, answer.error
    costs = [later - now for now, later in zip(model.at, model.at[1:], strict=False)]
    tenth = len(costs) // 10
    first, last = (statistics.median(part) for part in (costs[tenth : 2 * tenth], costs[-tenth:]))
    growth = model.memory[-1] / model.memory[len(model.memory) // 10] - 1
    print(
        f"\n{TURNS:,} turns, {model.calls:,} calls: {last * 1000:.2f} ms a turn at the end, ",
        end="",
    )
    print(
        f"{last / first:.2f} × the beginning; memory {growth:+.1%} after the first tenth (≤ 10 %)"
    )


def resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    side_by_side()
    asyncio.run(long_conversation())
