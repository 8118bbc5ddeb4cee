"""A searching process: no shell, no surroundings, an end in any case."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from ankrcode.workspace.search.process import SearchProcess


def python(code: str, folder: Path, **options: float) -> SearchProcess:
    command = [sys.executable, "-c", code]
    limit = options.get("time_limit_s", 30.0)
    return SearchProcess(command, folder=str(folder), time_limit_s=limit, check=lambda: None)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Stop(Exception):
    pass


def test_output_and_complaints_are_kept_apart(tmp_path: Path) -> None:
    process = python(
        "import sys; print('out'); print('err', file=sys.stderr); sys.exit(2)", tmp_path
    )
    assert b"".join(process.output()) == b"out\n"
    assert (process.complaints, process.code) == (b"err\n", 2)


def test_it_stands_in_its_folder_without_input_or_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", "/somewhere")
    monkeypatch.setenv("SECRET_API_KEY", "hush")
    code = "import os, sys; print(os.getcwd(), repr(sys.stdin.read()), sorted(os.environ))"
    said = b"".join(python(code, tmp_path).output()).decode()
    assert said.startswith(f"{tmp_path} '' ")
    assert "SECRET" not in said
    assert "RIPGREP" not in said


def test_a_flood_of_complaints_is_counted_and_kept_in_part(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('y' * 50 + '\\n' + 'rg: ./y\\n' * 200000)"
    process = python(code, tmp_path)
    assert list(process.output()) == []
    assert process.files_complained_of == 200_000
    assert len(process.complaints) <= 64 * 1024


def test_pieces_arrive_before_the_process_ends(tmp_path: Path) -> None:
    go_on = tmp_path / "go"
    os.mkfifo(go_on)
    code = "import sys; print('first', flush=True); open('go').read(); print('last')"
    output = python(code, tmp_path).output()
    assert next(output) == b"first\n"  # it now waits for us
    go_on.write_text("go", encoding="utf-8")
    assert b"".join(output) == b"last\n"


def test_a_cancelled_search_kills_the_whole_group(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    cancelled = False

    def check() -> None:
        if cancelled:
            raise Stop

    process = SearchProcess(
        [sys.executable, "-c", code], folder=str(tmp_path), time_limit_s=60, check=check
    )
    output = process.output()
    child = int(next(output))
    assert is_alive(process.pid)
    assert os.getpgid(child) == process.pid
    cancelled = True
    start = time.monotonic()
    with pytest.raises(Stop):
        next(output)
    assert time.monotonic() - start < 10
    assert not is_alive(process.pid)
    assert process.code == -signal.SIGKILL
    _wait_until_gone(child)


def _wait_until_gone(pid: int) -> None:
    """A killed orphan is gone as soon as it was reaped by whoever inherits it."""
    until = time.monotonic() + 15
    while is_alive(pid) and time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and ") Z" in state.read_text(encoding="utf-8"):
            return
    assert not is_alive(pid)


def test_leaving_the_loop_early_ends_the_process(tmp_path: Path) -> None:
    process = python("import itertools\nfor n in itertools.count(): print(n)", tmp_path)
    for _ in process.output():
        break
    assert not is_alive(process.pid)


def test_time_that_runs_out_ends_it_and_is_said(tmp_path: Path) -> None:
    process = python(
        "import time; print('x', flush=True); time.sleep(600)", tmp_path, time_limit_s=0.4
    )
    assert b"".join(process.output()) in (b"x\n", b"")
    assert process.timed_out
    assert not is_alive(process.pid)


def test_many_small_writes_are_all_there(tmp_path: Path) -> None:
    code = "import os\nfor n in range(3000): os.write(1, b'%d\\n' % n)"
    assert b"".join(python(code, tmp_path).output()).split() == [b"%d" % n for n in range(3_000)]
