"""How long a verdict on a command line takes, the first time and again.

python -P benchmarks/permissions.py        over the labelled corpus of the tests
"""

import json
import statistics
import sys
import time
from importlib import import_module
from pathlib import Path

from ankrcode.permissions.judge import judge
from ankrcode.permissions.places import CommandEnv
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.witness import witness

TESTS = Path(__file__).parent.parent / "tests"
CORPUS = TESTS / "permissions" / "corpus"
FILES = ("read_only.jsonl", "needs_approval.jsonl", "blocked.jsonl")
ENV = CommandEnv(roots=("/work/proj",), cwd="/work/proj", home="/home/dev")


def main() -> None:
    commands = labelled()
    start = time.perf_counter()
    judge("ls -la", ENV)
    print(f"the very first verdict   {(time.perf_counter() - start) * 1e3:8.1f} ms")
    for command in commands:
        judge(command, ENV)  # programs are known now; what follows is the cost of a verdict
    fresh = sorted(timed(command, is_fresh=True) for command in commands)
    again = sorted(timed_again(command) for command in commands)
    count = len(commands)
    print(f"{count:,} command lines")
    for name, times, bar in (("new", fresh, 2.0), ("repeated", again, 0.2)):
        median = statistics.median(times) * 1e3
        p99 = times[int(count * 0.99)] * 1e3
        print(
            f"{name:<9} median {median:7.3f} ms (bar {bar})   p99 {p99:7.2f} ms   "
            f"worst {times[-1] * 1e3:7.2f} ms"
        )


def labelled() -> list[str]:
    """Every line of the corpus, those as JSON and those in tables."""
    found: list[str] = []
    for name in FILES:
        text = (CORPUS / name).read_text(encoding="utf-8")
        found += [json.loads(line) for line in text.splitlines()]
    sys.path.insert(0, str(TESTS))
    for table in sorted(CORPUS.glob("*.py")):
        found += import_module(f"permissions.corpus.{table.stem}").LINES
    return found


def timed(command: str, *, is_fresh: bool) -> float:
    if is_fresh:
        parse.cache_clear()
        witness.cache_clear()
    start = time.perf_counter()
    judge(command, ENV)
    return time.perf_counter() - start


def timed_again(command: str) -> float:
    judge(command, ENV)
    return timed(command, is_fresh=False)


if __name__ == "__main__":
    main()
