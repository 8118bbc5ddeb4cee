"""The same tools from ordinary code: plain, inside a running loop, from threads, under Ctrl-C."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import pytest

from ankrcode import Permission, ToolCall, Toolkit, UsageError, tool
from ankrcode.tooling.background import _Errand


@tool(permission=Permission.READ)
def double(number: Annotated[int, "What to double"]) -> int:
    """Double a number."""
    return number * 2


@tool(permission=Permission.READ)
async def in_loop() -> int:
    """Tell which thread runs the loop."""
    return threading.get_ident()


def test_a_plain_script_calls_a_tool_and_gets_its_result(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    kit = Toolkit([double], cwd=tmp_path)
    assert kit.call_sync("Read", file_path="a.txt").text == "     1\thello"
    assert kit.call_sync("double", {"number": 21}).value == 42
    assert kit.call_sync("double", '{"number": 4}').value == 8
    failed = kit.call_sync("double", number="x")
    assert failed.error is not None
    assert failed.error.code == "INVALID_INPUT"


async def test_it_works_inside_a_running_loop_as_in_a_notebook(tmp_path: Path) -> None:
    kit = Toolkit([double, in_loop], cwd=tmp_path)
    assert kit.call_sync("double", number=3).value == 6
    assert kit.call_sync("in_loop").value != threading.get_ident()
    assert (await kit.call("in_loop")).value == threading.get_ident()


def test_eight_threads_at_once_get_each_their_own_results(tmp_path: Path) -> None:
    meeting = threading.Barrier(8, timeout=10)

    @tool(permission=Permission.READ)
    def meet(number: int) -> int:
        """Wait until all eight are here: they do run at once."""
        meeting.wait()
        return number

    kit = Toolkit([meet], cwd=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: kit.call_sync("meet", number=number), range(8)))
    assert [result.value for result in results] == list(range(8))


def test_several_toolkits_share_one_loop(tmp_path: Path) -> None:
    kits = [Toolkit([in_loop], cwd=tmp_path) for _ in range(3)]
    assert len({kit.call_sync("in_loop").value for kit in kits}) == 1


def test_a_blocking_tool_may_call_another_toolkit(tmp_path: Path) -> None:
    inner = Toolkit([double], cwd=tmp_path)

    @tool(permission=Permission.READ)
    def quadruple(number: int) -> int:
        """Double twice."""
        once: int = inner.call_sync("double", number=number).value
        twice: int = inner.call_sync("double", number=once).value
        return twice

    assert Toolkit([quadruple], cwd=tmp_path).call_sync("quadruple", number=3).value == 12


def test_an_async_tool_that_would_wait_for_itself_is_told_so(tmp_path: Path) -> None:
    inner = Toolkit([double], cwd=tmp_path)

    @tool(permission=Permission.READ)
    async def stuck() -> int:
        """Block the loop that should do the work."""
        value: int = inner.call_sync("double", number=1).value
        return value

    result = Toolkit([stuck], cwd=tmp_path).call_sync("stuck")
    assert result.error is not None
    assert "await" in result.text


def test_what_is_wrong_with_the_use_is_raised_in_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no plugin"):
        Toolkit(cwd=tmp_path, plugins=["missing"])


async def test_sync_and_async_calls_share_the_agents_state(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n", encoding="utf-8")
    kit = Toolkit(cwd=tmp_path)
    await kit.call_all([ToolCall(name="Read", arguments={"file_path": "a.txt"})])
    kit.call_sync("List")
    assert kit.agent.reads.get(str(tmp_path / "a.txt")) is not None


WAITING = """
import asyncio, sys
from ankrcode import Permission, Toolkit, tool

@tool(permission=Permission.READ)
async def wait() -> None:
    "Wait for ever."
    print("waiting", flush=True)
    try:
        await asyncio.sleep(3600)
    finally:
        print("tool was cancelled", flush=True)

try:
    Toolkit([wait], cwd="/").call_sync("wait")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_cancels_the_tool_and_reaches_the_caller() -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-c", WAITING], stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        started = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "tool was cancelled\n"
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - started < 10
        assert process.wait(timeout=10) == 0


async def test_many_sync_calls_leave_no_task_behind(tmp_path: Path) -> None:
    kit = Toolkit([double], cwd=tmp_path)
    for number in range(50):
        kit.call_sync("double", number=number)
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("ankrcode-loop") == 1
    assert len(asyncio.all_tasks()) == 1


async def test_work_interrupted_before_it_began_never_begins() -> None:
    begun: list[str] = []

    async def work() -> None:
        begun.append("begun")

    errand = _Errand(work())
    errand.cancel()
    errand.start()
    await asyncio.sleep(0)
    assert errand.is_over.is_set()
    assert begun == []


async def test_work_interrupted_half_way_is_cancelled_and_tells_the_waiting_thread() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    errand = _Errand(work())
    errand.start()
    await asyncio.sleep(0)
    errand.cancel()
    async with asyncio.timeout(5):
        await ended.wait()
        await asyncio.sleep(0)
    assert errand.is_over.is_set()
    assert isinstance(errand.outcome.exception(timeout=20), asyncio.CancelledError)


async def test_what_the_work_raises_reaches_the_waiting_thread() -> None:
    async def work() -> None:
        raise ValueError("no such luck")

    errand = _Errand(work())
    errand.start()
    await asyncio.sleep(0)
    assert isinstance(errand.outcome.exception(timeout=20), ValueError)


FORKING = """
import os
from ankrcode import Permission, Toolkit, tool

@tool(permission=Permission.READ)
def double(number: int) -> int:
    "Double a number."
    return number * 2

kit = Toolkit([double], cwd="/")
print(kit.call_sync("double", number=1).value, flush=True)
child = os.fork()
print(kit.call_sync("double", number=2).value, flush=True)
if child:
    os.waitpid(child, 0)
"""


def test_a_forked_process_has_a_loop_of_its_own() -> None:
    """As in a pool of processes: of the parent's threads none lives on in it."""
    command = [sys.executable, "-P", "-W", "ignore", "-c", FORKING]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=20, check=True)
    assert done.stdout == "2\n4\n4\n"
