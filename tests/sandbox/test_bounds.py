"""How much may be used: files, memory, processes, CPU time."""

import os
from pathlib import Path

import pytest

from ankrcode.sandbox.cgroups import ControlGroup
from sandbox.walls import PRESENT, Runner

pytestmark = pytest.mark.parametrize("wall", PRESENT)

HOG = "hog = []\nwhile True: hog.append(bytearray(16 << 20))"
SHARED_HOG = (
    "import mmap\nhog = []\n"
    "while True:\n m = mmap.mmap(-1, 16 << 20); m.write(b'x' * (16 << 20)); hog.append(m)"
)
BOMB = """
import os, time
count = 0
try:
    while count < 3000:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        count += 1
except BlockingIOError:
    pass
print(count)
"""


@pytest.mark.requirement("S2-026")
def test_a_file_of_ten_gigabytes_stays_small(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, file_mb=8)
    done = runner.bash("head -c 10G /dev/zero > big", roots=[tmp_path])
    assert done.code != 0
    assert (tmp_path / "big").stat().st_size == 8 << 20
    assert "sandbox.file_mb" in runner.sandbox.explain(done.code, done.text)


@pytest.mark.requirement("S2-026")
@pytest.mark.parametrize("hog", [HOG, SHARED_HOG], ids=["own", "shared"])
def test_code_gets_no_more_memory_than_the_setting(hog: str, wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, code_memory_mb=256)
    done = runner.python(hog, roots=[tmp_path], profile="read-only")
    assert done.code != 0
    assert "MemoryError" in done.text or "Cannot allocate memory" in done.text
    assert "sandbox.memory_mb" in runner.sandbox.explain(done.code, done.text)


def test_a_command_gets_no_more_memory_than_the_setting(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, memory_mb=256)
    done = runner.python(HOG, roots=[tmp_path])
    assert done.code != 0
    assert runner.sandbox.explain(done.code, done.text)


def test_a_fork_bomb_is_bounded_and_gone_afterwards(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, processes=40)
    group = runner.sandbox._site.group
    if not _can_count(group):
        return  # root's processes are counted by control groups only; status says so
    done = runner.python(BOMB, roots=[tmp_path])
    assert 1 <= int(done.text.split()[-1]) <= 2_000
    if group is not None:
        assert int(done.text.split()[-1]) <= 40


def _can_count(group: ControlGroup | None) -> bool:
    return os.getuid() != 0 or (group is not None and "pids" in group.bounds)


@pytest.mark.requirement("S2-026")
def test_cpu_time_is_bounded(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, cpu_s=1)
    done = runner.python("while True: pass", roots=[tmp_path])
    assert done.outcome.ended_by == "exit"
    assert done.code in (137, 152)
    assert runner.sandbox.explain(done.code, done.text)


def test_the_bounds_cannot_be_raised_from_inside(wall: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path, wall=wall, file_mb=8)
    done = runner.bash("ulimit -f unlimited; head -c 9M /dev/zero > big", roots=[tmp_path])
    assert done.code != 0
    assert (tmp_path / "big").stat().st_size <= 8 << 20
