"""The kernel's promises, as ratios measured in one run.

make bench            everything (LangChain is installed for the comparison only)
"""

import asyncio
import gc
import resource
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ankrcode import Permission, ToolCall, Toolkit, tool

ROUNDS = 2_000
SOAK = 100_000


@tool(permission=Permission.READ)
async def noop(text: str) -> str:
    """Give the text back."""
    return text


@tool(permission=Permission.READ)
async def nap(number: int) -> int:
    """Sleep for a tenth of a second."""
    await asyncio.sleep(0.1)
    return number


async def main() -> None:
    kit = Toolkit([noop, nap])
    await cost_of_a_call(kit)
    await overlap(kit)
    await soak(kit)


async def cost_of_a_call(kit: Toolkit) -> None:
    bare = await median_us(lambda: noop.function(text="x"))
    ours = await median_us(lambda: kit.call("noop", {"text": "x"}))
    print(f"bare function            {bare:8.1f} µs")
    print(f"full pipeline            {ours:8.1f} µs   over bare: {ours - bare:.1f} µs (bar 60)")
    other = langchain_tool()
    if other is None:
        print("LangChain is not installed: no comparison (make bench installs it)")
        return
    theirs = await median_us(lambda: other.ainvoke({"text": "x"}))
    ours = await median_us(lambda: kit.call("noop", {"text": "x"}))
    ratio = ours / theirs
    print(f"LangChain ainvoke        {theirs:8.1f} µs   ours / theirs: {ratio:.2f} (bar 0.5)")


def langchain_tool() -> Any:
    try:
        from langchain_core.tools import StructuredTool
    except ImportError:
        return None

    async def plain(text: str) -> str:
        return text

    return StructuredTool.from_function(
        coroutine=plain, name="noop", description="Give the text back."
    )


async def overlap(kit: Toolkit) -> None:
    one = await seconds(lambda: kit.call("nap", {"number": 0}))
    calls = [ToolCall(name="nap", arguments={"number": number}) for number in range(8)]
    eight = await seconds(lambda: kit.call_all(calls))
    ratio = eight / one
    print(f"8 calls of 100 ms        {eight * 1000:8.1f} ms   eight / one: {ratio:.3f} (bar 1.15)")


async def soak(kit: Toolkit) -> None:
    """The same call, very often: neither its cost nor our memory may grow."""
    for _ in range(2_000):
        await kit.call("noop", {"text": "x"})
    gc.collect()
    before = resident_mb()
    first = await seconds(lambda: repeat(kit, SOAK // 10))
    await repeat(kit, SOAK - 2 * (SOAK // 10))
    last = await seconds(lambda: repeat(kit, SOAK // 10))
    gc.collect()
    grown = resident_mb() - before
    print(
        f"{SOAK:,} calls            last / first tenth: {last / first:.2f} (bar 1.25), "
        f"memory +{grown:.1f} MB (bar 5)"
    )


async def repeat(kit: Toolkit, count: int) -> None:
    for number in range(count):
        await kit.call("noop", {"text": f"x{number}"})


async def median_us(work: Callable[[], Awaitable[Any]]) -> float:
    for _ in range(200):
        await work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


async def seconds(work: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


def resident_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    asyncio.run(main())
