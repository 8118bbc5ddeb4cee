"""An agent that is closed says nothing, however that came; one that is forgotten says it once.

In Python's development mode, which tells of all that was left open. Each group of programs runs in
one process: what one of them leaves behind would be told at the end of all.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.loopback import ModelServer

HEAD = """
import asyncio, gc, logging, os, signal, sys, threading
from ankrcode import Agent, Toolkit
logging.disable()  # of steps that took long, in this mode
def made():
    return Agent("openai-compatible/m", base_url=sys.argv[1], cwd=sys.argv[2], mode="bypass")
"""

CLOSED = {
    "with": """
with made() as agent:
    assert agent.run_sync("x").ok
""",
    "async with": """
async def main():
    async with made() as agent:
        assert (await agent.run("x")).ok
asyncio.run(main())
""",
    "close": """
async def main():
    agent = made()
    assert (await agent.run("x")).ok
    await agent.close()
asyncio.run(main())
""",
    "closed after its loop has ended": """
agent = made()
assert asyncio.run(agent.run("x")).ok
agent.close_sync()
""",
    "closed after its loop was closed by hand": """
loop = asyncio.new_event_loop()
agent = made()
assert loop.run_until_complete(agent.run("x")).ok
loop.close()
asyncio.run(agent.close())
""",
    "several loops, one after the other": """
agent = made()
for _ in range(3):
    assert asyncio.run(agent.run("x")).ok
with agent:
    assert agent.run_sync("x").ok
""",
    "a loop of a test's own": """
loop = asyncio.new_event_loop()
agent = made()
assert loop.run_until_complete(agent.run("x")).ok
loop.run_until_complete(agent.close())
loop.close()
""",
    "an exception inside": """
try:
    with made() as agent:
        assert agent.run_sync("x").ok
        raise ValueError
except ValueError:
    pass
""",
    "an exception inside async with": """
async def main():
    async with made() as agent:
        assert (await agent.run("x")).ok
        raise ValueError
try:
    asyncio.run(main())
except ValueError:
    pass
""",
    "Ctrl-C between two tasks": """
try:
    with made() as agent:
        assert agent.run_sync("x").ok
        raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
""",
    "a stream that is left": """
async def main():
    async with made() as agent:
        async for event in agent.stream("x"):
            break
asyncio.run(main())
""",
    "a stream that is left by an exception": """
async def main():
    async with made() as agent:
        async for event in agent.stream("x"):
            raise ValueError
try:
    asyncio.run(main())
except ValueError:
    pass
""",
    "a timeout": """
async def main():
    async with made() as agent:
        try:
            async with asyncio.timeout(0):
                await agent.run("x")
        except TimeoutError:
            pass
        assert (await agent.run("x")).ok
asyncio.run(main())
""",
    "inside a running loop, as in a notebook": """
async def main():
    with made() as agent:
        assert agent.run_sync("x").ok
asyncio.run(main())
""",
    "eight threads": """
def work():
    with made() as agent:
        assert agent.run_sync("x").ok
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
    "eight threads with a loop each": """
async def main():
    async with made() as agent:
        assert (await agent.run("x")).ok
threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
    "a forked process, and its parent goes on": """
agent = made()
assert agent.run_sync("x").ok
child = os.fork()
if not child:
    with made() as own:
        os._exit(0 if own.run_sync("x").ok and agent.run_sync("x").ok else 1)
assert os.waitpid(child, 0)[1] == 0
with agent:
    assert agent.run_sync("x").ok
""",
    "never used": """
with made():
    pass
made()
""",
    "a toolkit that is forgotten": """
kit = Toolkit(cwd=sys.argv[2], mode="bypass")
assert kit.call_sync("Bash", command="echo 1 > made; make -q").metadata
del kit
""",
}

# Its loop still works, or ends with the process: it is closed for you.
MADE_UP_FOR = {
    "a script": 'agent = made(); assert agent.run_sync("x").ok',
    "dropped": 'agent = made(); assert agent.run_sync("x").ok; del agent; gc.collect()',
    "two of them": """
first, second = made(), made()
assert first.run_sync("x").ok and second.run_sync("x").ok
with first:
    pass
""",
    "left while it connects": """
async def main():
    agent = made()
    async for event in agent.stream("x"):
        break
asyncio.run(main())
""",
}

FORGOTTEN = {
    "a loop that ended": 'agent = made(); assert asyncio.run(agent.run("x")).ok',
    "in a function": """
async def main():
    agent = made()
    assert (await agent.run("x")).ok
asyncio.run(main())
gc.collect()
""",
    "two loops": """
agent = made()
for _ in range(2):
    assert asyncio.run(agent.run("x")).ok
""",
}


def told(program: str, work: Path) -> tuple[str, int]:
    """What Python says of it, and its exit code."""
    server = ModelServer(["one"] * 100)
    done = subprocess.run(
        [sys.executable, "-P", "-X", "dev", "-c", HEAD + program, f"{server.url}/v1", str(work)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    server.close()
    return done.stderr, done.returncode


def test_one_that_is_closed_says_nothing_whatever_came_between(tmp_path: Path) -> None:
    program = "\ngc.collect()\n".join(
        f"print({name!r}, file=sys.stderr, flush=True)\n{one}" for name, one in CLOSED.items()
    )
    heard, code = told(program, tmp_path)
    assert heard.splitlines() == list(CLOSED)
    assert code == 0


@pytest.mark.parametrize("way", MADE_UP_FOR)
def test_one_that_is_forgotten_in_a_script_is_closed_for_you(way: str, tmp_path: Path) -> None:
    assert told(MADE_UP_FOR[way], tmp_path) == ("", 0)


@pytest.mark.parametrize("way", FORGOTTEN)
def test_one_that_outlives_its_loop_is_told_once_in_our_words(way: str, tmp_path: Path) -> None:
    heard, code = told(FORGOTTEN[way], tmp_path)
    assert code == 0
    assert heard.count("ResourceWarning") == 1
    assert "An agent was left open when its event loop ended. Use `async with Agent(" in heard


INTERRUPTED = """
go = threading.Event()
threading.Thread(target=lambda: (go.wait(20), os.kill(os.getpid(), signal.SIGINT))).start()
kit = Toolkit(cwd=sys.argv[2], mode="bypass")
kit.on("tool_call_start", lambda _: go.set())
def made():
    return Agent("openai-compatible/m", base_url=sys.argv[1], kit=kit)
async def main():
    async with made() as agent:
        await agent.run("wait")
try:
    {use}
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("use", ["asyncio.run(main())", 'with made() as a: a.run_sync("wait")'])
def test_a_real_ctrl_c_in_the_middle_of_a_call_leaves_nothing_open(
    use: str, tmp_path: Path
) -> None:
    server = ModelServer([[("Bash", {"command": "sleep 77", "description": "wait"})], "no"])
    program = HEAD + INTERRUPTED.format(use=use)
    done = subprocess.run(
        [sys.executable, "-P", "-X", "dev", "-c", program, f"{server.url}/v1", str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    server.close()
    assert (done.stdout, done.stderr, done.returncode) == ("stopped\n", "", 0)
