"""RocketLang: time per sentence and script in process, import, and one sentence from a shell."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

ROUNDS = 20
BIN = Path(sys.executable).parent
IMPORT = "import time; t = time.perf_counter(); import ankrcode.rocketlang.api"
TOLD = "import sys; sys.stderr.write(str(time.perf_counter() - t))"
SENTENCES = [
    "README.md padho",
    "read src/app.py",
    "app.py ki line 10 se 20 tak padho",
    "src mein TODO dhoondo",
    'src में "raise ValueError" खोजो',
    "src मध्ये TODO शोधा",
    "src-il TODO thedu",
    "src lo TODO vetuku",
    "src nalli TODO huduku",
    'app.py mein "foo" ko "bar" se badlo',
    'app.py-இல் "foo"-ஐ "bar"-ஆக மாற்று',
    'app.py ನಲ್ಲಿ "foo" ಅನ್ನು "bar" ಗೆ ಬದಲಿಸು',
    "old.log hatoa",
    "frobnicate the whole gizmo please",
    "why does the login page fail on mondays",
    "a.py padho phir b.py hatao",
    "tests chalao",
    "wapas lo",
]
SCRIPT = """
files = src mein python files dhoondo
har f $files mein:
  agar $f mein "test" hai to
    {f} padho
  warna
    {f} mein "foo" ko "bar" se badlo
  khatam
khatam
tests chalao
agar pass to "ho gaya" commit karo warna wapas lo
"""


def main() -> None:
    taken = sorted(sentence_times())
    p95 = taken[int(len(taken) * 0.95)]
    middle = statistics.median(taken)
    print(f"a sentence, in process   {middle:7.2f} ms   p95 {p95:.2f} ms (bar 10)")
    print(f"a script of 10 lines     {script_time():7.2f} ms   read, checked and played")
    loaded = statistics.median(import_times())
    print(f"import                   {loaded:7.1f} ms   (bar 50)")
    bare, one_shot = one_shots()
    ratio = one_shot / bare
    print(f"ankrcode rl, a Read      {one_shot:7.1f} ms   × bare Python: {ratio:.1f} (bar 12)")


def sentence_times() -> list[float]:
    from ankrcode.rocketlang.api import ScriptFault, parse

    taken: list[float] = []
    for _ in range(ROUNDS):
        for sentence in SENTENCES:
            start = time.perf_counter()
            with suppress(ScriptFault):  # to find out that nothing runs takes time too
                parse(sentence)
            taken.append((time.perf_counter() - start) * 1000)
    return taken[len(SENTENCES) :]  # the first round loads the words


def script_time() -> float:
    from ankrcode.rocketlang.api import parse, play
    from ankrcode.rocketlang.stubs import Stub, StubCall

    call = StubCall(tool="Glob", args={"pattern": "**/*.py", "path": "src"})
    found = Stub(call=call, result=[f"src/file{number}.py" for number in range(10)])
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        play(parse(SCRIPT), (found,))
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def import_times() -> list[float]:
    code = f"{IMPORT}; {TOLD}"
    times = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-P", "-c", code]
        done = subprocess.run(command, env=environment(), capture_output=True, check=True)
        times.append(float(done.stderr) * 1000)
    return times


def one_shots() -> tuple[float, float]:
    commands = (
        [sys.executable, "-c", "pass"],
        [str(BIN / "ankrcode"), "rl", "README.md padho"],
    )
    times: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "README.md").write_text("hello\n", encoding="utf-8")
        for _ in range(ROUNDS):  # one after the other, so that a busy moment hits both
            for command, taken in zip(commands, times, strict=True):
                start = time.perf_counter()
                subprocess.run(
                    command, cwd=folder, env=environment(), check=True, stdout=subprocess.DEVNULL
                )
                taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])


if __name__ == "__main__":
    main()
