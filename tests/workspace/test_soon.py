"""Who attends to a process: the loop if it is over at once, one thread otherwise, never both."""

import asyncio
import subprocess
import threading
from collections.abc import Callable

import pytest

from ankrcode.workspace.processes.soon import Soon

Attended = list[threading.Thread]


def waiting() -> "subprocess.Popen[bytes]":
    """It ends when its input does."""
    return subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


def end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.001)


async def test_one_that_is_over_at_once_needs_no_thread() -> None:
    process, attended = waiting(), Attended()
    Soon(process.pid, lambda: attended.append(threading.current_thread()), lambda: True)
    end(process)
    await until(lambda: attended)
    assert attended == [threading.main_thread()]
    process.wait(10)


@pytest.mark.parametrize("ends", [True, False], ids=["over, but still read", "it lasts"])
async def test_a_thread_takes_over_where_there_is_more_to_wait_for(ends: bool) -> None:
    process, attended = waiting(), Attended()
    Soon(process.pid, lambda: attended.append(threading.current_thread()), lambda: False)
    if ends:
        end(process)
    await until(lambda: attended)
    assert len(attended) == 1
    assert attended[0] is not threading.main_thread()
    if not ends:
        end(process)
    process.wait(10)


async def test_what_a_thread_attends_to_is_left_alone_by_the_loop() -> None:
    """Both would read the same pipes: each would miss what the other has."""
    process, attended = waiting(), Attended()
    looked: list[bool] = []
    release = threading.Event()

    def attend() -> None:
        attended.append(threading.current_thread())
        release.wait(10)

    def is_over() -> bool:
        looked.append(True)
        return True

    soon = Soon(process.pid, attend, is_over)
    soon.hand_over()
    end(process)
    await until(lambda: attended and process.poll() is not None and soon._timer.cancelled())
    release.set()
    assert (looked, len(attended)) == ([], 1)


async def test_it_is_handed_over_once() -> None:
    process, attended = waiting(), Attended()
    soon = Soon(process.pid, lambda: attended.append(threading.current_thread()), lambda: True)
    for _ in range(3):
        soon.hand_over()
    end(process)
    await until(lambda: attended and soon._timer.cancelled())
    assert len(attended) == 1
    process.wait(10)
