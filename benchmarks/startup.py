"""Start-up against bare Python, as ratios of medians measured in one run, bytecode on disk."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 30
BIN = Path(sys.executable).parent
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "ankrcode --version": [str(BIN / "ankrcode"), "--version"],
    "import ankrcode": [sys.executable, "-c", "import ankrcode"],
    "ankrcode tools schema": [str(BIN / "ankrcode"), "tools", "schema"],
    "ankrcode tools list": [str(BIN / "ankrcode"), "tools", "list"],
    "ankrcode exec List": [str(BIN / "ankrcode"), "exec", "List"],
    "ankrcode exec Read": [str(BIN / "ankrcode"), "exec", "Read", "file_path=README.md"],
}
BARS = {"ankrcode --version": 2.2}


def main() -> None:
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment hits all of them
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(
                command,
                env=environ,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            times[name].append(time.perf_counter() - start)
    bare = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        bar = f" (bar {BARS[name]})" if name in BARS else ""
        print(f"{name:<24} {middle * 1000:7.1f} ms   × bare Python: {middle / bare:.2f}{bar}")


if __name__ == "__main__":
    main()
