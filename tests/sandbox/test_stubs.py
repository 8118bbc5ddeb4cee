"""Placeholders: there while somebody needs them, and gone afterwards, whoever crashed."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ankrcode.sandbox import stubs
from ankrcode.sandbox.protected import STUB_FILE, STUB_SOCKET, protected_in


def test_a_placeholder_is_there_while_it_is_held(tmp_path: Path) -> None:
    missing, file = str(tmp_path / ".claude"), str(tmp_path / ".bashrc")
    held = stubs.hold([missing], [file])
    assert held == (missing, file)
    assert os.lstat(missing).st_mode == STUB_SOCKET
    assert os.lstat(file).st_mode == STUB_FILE
    stubs.release(held)
    assert list(tmp_path.iterdir()) == []


def test_git_does_not_see_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    held = stubs.hold([str(tmp_path / ".claude")])
    said = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain"], capture_output=True, check=True
    )
    stubs.release(held)
    assert said.stdout == b""


def test_the_last_of_several_takes_it_away(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    first, second = stubs.hold([path]), stubs.hold([path])
    stubs.release(first)
    assert Path(path).exists()
    stubs.release(second)
    assert not Path(path).exists()


def test_another_process_keeps_it_until_it_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    code = (
        "import sys; from ankrcode.sandbox import stubs\n"
        f"held = stubs.hold([{path!r}]); print('held', flush=True)\n"
        "sys.stdin.readline(); stubs.release(held)"
    )
    other = subprocess.Popen(
        [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        stubs.release(stubs.hold([path]))
        assert Path(path).exists(), "the other one needs it still"
        other.communicate(b"\n")
    assert not Path(path).exists()


def test_one_left_by_a_crash_counts_as_missing_and_goes_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / ".claude"
    os.mknod(path, STUB_SOCKET)
    assert str(path) in protected_in([str(tmp_path)])[0].missing
    stubs.release(stubs.hold([str(path)]))
    assert not path.exists()


def test_what_a_person_made_is_never_taken_away(tmp_path: Path) -> None:
    folder, file, link = (tmp_path / name for name in ("folder", "file", "link"))
    folder.mkdir()
    file.write_text("mine", encoding="utf-8")
    link.symlink_to("folder")
    held = stubs.hold(map(str, (folder, file, link)))
    stubs.release(held)
    assert held == ()
    assert folder.is_dir()
    assert file.read_text(encoding="utf-8") == "mine"
    assert link.is_symlink()


def test_one_that_was_filled_or_replaced_meanwhile_stays(tmp_path: Path) -> None:
    filled, replaced = tmp_path / "filled", tmp_path / "replaced"
    held = stubs.hold([str(replaced)], [str(filled)])
    filled.chmod(0o600)
    filled.write_text("work", encoding="utf-8")
    replaced.unlink()
    replaced.mkdir()
    stubs.release(held)
    assert filled.read_text(encoding="utf-8") == "work"
    assert replaced.is_dir()


def test_nobody_is_held_up_by_one(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    held = stubs.hold([str(path)])
    with pytest.raises(OSError, match="No such device or address"):
        path.read_text(encoding="utf-8")
    stubs.release(held)


def test_where_nothing_can_be_made_nothing_is_held(tmp_path: Path) -> None:
    assert stubs.hold([str(tmp_path / "missing" / "x"), "/proc/x"]) == ()


def test_many_threads_may_come_and_go(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    missed: list[int] = []

    def come_and_go() -> None:
        for _ in range(50):
            held = stubs.hold([path])
            if held != (path,) or not Path(path).exists():
                missed.append(1)
            stubs.release(held)

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []
    assert not Path(path).exists()
