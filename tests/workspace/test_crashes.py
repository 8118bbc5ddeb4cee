"""Dying at any moment of a write: afterwards the file is old or new, and nothing is left over."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.reads import version_of
from ankrcode.workspace.writing.intents import Intent, Intents
from ankrcode.workspace.writing.recovery import is_mixture
from ankrcode.workspace.writing.writes import FileWriter
from torture import IS_TORTURE, examples
from workspace.crashes import dies

OLD, NEW = b"the old content\n" * 40, b"and the new one, longer\n" * 60
KINDS = ("new", "in new folders", "replaced", "hard link")


class Scene:
    """A file of one kind in a folder of its own, and the notes of the write beside it."""

    def __init__(self, place: Path, kind: str, old: bytes = OLD, new: bytes = NEW) -> None:
        self.folder, self.notes = place / "work", place / "notes"
        self.kind, self.old, self.new = kind, old, new
        self.file = self.folder / ("a/b/f.txt" if kind == "in new folders" else "f.txt")

    def prepare(self, mode: int = 0o644) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if self.kind in ("replaced", "hard link"):
            self.file.write_bytes(self.old)
            self.file.chmod(mode)
        if self.kind == "hard link":
            os.link(self.file, self.folder / "other name")

    def write(self) -> None:
        expected = version_of(str(self.file))
        FileWriter(self.notes).write(
            str(self.file), self.new, expected=expected, makes_folders=True
        )

    def recover(self) -> None:
        FileWriter(self.notes).recover()

    def check(self) -> bool:
        """Old or new, whole; no stray file. True if new."""
        is_new = self.file.exists() and self.file.read_bytes() == self.new
        kept = {str(one.relative_to(self.folder)) for one in self.folder.rglob("*")}
        expected = {"f.txt"} if self.kind != "in new folders" else {"a", "a/b", "a/b/f.txt"}
        if self.kind == "hard link":
            expected.add("other name")
            assert (self.folder / "other name").samefile(self.file)
        if self.kind in ("replaced", "hard link"):
            assert self.file.read_bytes() in (self.old, self.new)
        elif not is_new:
            expected = set()
        assert kept == expected
        assert not self.notes.exists() or not list(self.notes.iterdir())
        return is_new


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_dies_before_any_system_call_leaves_the_old_or_the_new_file(
    kind: str, tmp_path: Path
) -> None:
    scene = Scene(tmp_path, kind)
    outcomes = []
    for stop_at in count(1):
        scene.prepare()
        has_died = dies(scene.write, stop_at, most_bytes=300)
        scene.recover()
        outcomes.append(scene.check())
        if not has_died:
            break
    assert outcomes[0] is False
    assert outcomes[-1] is True
    assert outcomes == sorted(outcomes), "once new, it stays new"
    assert len(outcomes) > 15


def test_dying_again_during_the_recovery_harms_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "hard link")
    for stop_at in count(1):
        for again in count(1):
            scene.prepare()
            has_died = dies(scene.write, stop_at, most_bytes=300)
            if not dies(scene.recover, again, most_bytes=300):
                scene.check()
                break
            scene.recover()
            scene.check()
        if not has_died:
            return


@pytest.mark.torture
@examples(in_ci=60, in_torture=5_000)
@given(
    kind=st.sampled_from(KINDS),
    old=st.binary(max_size=400),
    new=st.binary(max_size=400),
    mode=st.sampled_from([0o644, 0o600, 0o755, 0o664]),
    stop_at=st.integers(1, 60),
    most_bytes=st.integers(1, 100),
)
def test_any_content_any_mode_any_moment(
    kind: str, old: bytes, new: bytes, mode: int, stop_at: int, most_bytes: int
) -> None:
    with TemporaryDirectory() as place:
        scene = Scene(Path(place), kind, old, new)
        scene.prepare(mode)
        dies(scene.write, stop_at, most_bytes)
        scene.recover()
        scene.check()
        if scene.kind in ("replaced", "hard link"):
            assert scene.file.stat().st_mode & 0o777 == mode


def test_a_move_to_another_file_system_never_leaves_half_a_tree(tmp_path: Path) -> None:
    here, there, notes = tmp_path / "here", tmp_path / "there", tmp_path / "notes"
    whole = {"x": b"x" * 500, "y": b"y" * 500}
    for stop_at in count(1):
        for folder in (here, there):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        (here / "tree" / "deep").mkdir(parents=True)
        for name, content in whole.items():
            (here / "tree" / "deep" / name).write_bytes(content)
        has_died = dies(lambda: _move(here, there, notes), stop_at, 300, is_split=True)
        FileWriter(notes).recover()
        assert not list(notes.glob("*"))
        moved = {one.name: one.read_bytes() for one in (there / "new" / "tree" / "deep").glob("*")}
        kept = {one.name: one.read_bytes() for one in (here / "tree" / "deep").glob("*")}
        assert moved == whole if moved else kept == whole
        if not moved:
            assert not list(there.glob("**/.*"))
        if not has_died:
            assert not (here / "tree").exists()
            return


def _move(here: Path, there: Path, notes: Path) -> None:
    destination = str(there / "new" / "tree")
    FileWriter(notes).move(str(here / "tree"), destination, overwrites=False)


WRITER = """
import sys
from pathlib import Path
from ankrcode.workspace.writing.intents import Intent, Intents
from ankrcode.workspace.reads import version_of
from ankrcode.workspace.writing.writes import FileWriter
writer, path = FileWriter(Path(sys.argv[2])), sys.argv[1]
print("ready", flush=True)
while True:
    for letter in b"ab":
        writer.write(path, bytes([letter]) * 3_000_000, expected=version_of(path))
"""


@pytest.mark.torture
@pytest.mark.parametrize("kind", ["replaced", "hard link"])
def test_a_process_that_is_really_killed_leaves_one_whole_content(
    kind: str, tmp_path: Path
) -> None:
    scene = Scene(tmp_path, kind, old=b"a" * 3_000_000)
    scene.prepare()
    dice = random.Random(7)
    left_over = 0
    for _ in range(250 if IS_TORTURE else 15):
        command = [sys.executable, "-c", WRITER, str(scene.file), str(scene.notes)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process:
            assert process.stdout.readline() == b"ready\n"
            deadline = time.monotonic() + 30
            while not any(scene.notes.glob("*.json")):
                assert time.monotonic() < deadline, "it never began to write"
            try:
                process.wait(timeout=dice.uniform(0, 0.05))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        left_over += any(scene.notes.glob("*"))
        scene.recover()
        assert scene.file.read_bytes() in (b"a" * 3_000_000, b"b" * 3_000_000)
        names = {one.name for one in scene.folder.iterdir()}
        assert names == {"f.txt", "other name"} if kind == "hard link" else {"f.txt"}
        assert not list(scene.notes.glob("*"))
    assert left_over, "not one of them was killed while it wrote"


def test_a_write_that_is_still_under_way_is_left_alone(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "replaced")
    scene.prepare()
    half = scene.folder / ".f.txt.0123.ankrcode"
    with Intents(scene.notes).noted(Intent(stray=str(half))):
        half.write_bytes(b"half")
        scene.recover()  # another process, as it were
        assert half.exists()
        half.unlink()
    scene.check()


def test_someone_elses_later_change_is_not_undone_by_the_recovery(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "hard link")
    scene.prepare()
    stop_at = next(at for at in count(1) if _is_half_written(scene, at))
    assert stop_at
    scene.file.write_bytes(b"a person mended it by hand\n")
    scene.recover()
    assert scene.file.read_bytes() == b"a person mended it by hand\n"


def _is_half_written(scene: Scene, stop_at: int) -> bool:
    scene.recover()
    scene.prepare()
    dies(scene.write, stop_at, most_bytes=300)
    return scene.file.read_bytes() not in (scene.old, scene.new)


def test_a_note_removes_only_what_is_named_like_ours(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "replaced")
    scene.prepare()
    scene.notes.mkdir()
    for name, stray in (("1", scene.file), ("2", scene.folder)):
        (scene.notes / f"{name}.json").write_text(f'{{"stray": "{stray}"}}', encoding="utf-8")
    (scene.notes / "3.json").write_text("torn", encoding="utf-8")
    (scene.notes / "4.json").write_text('["no", "intent"]', encoding="utf-8")
    scene.recover()
    scene.check()


def test_a_note_never_reaches_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / ".x.ankrcode"
    victim.write_bytes(b"precious")
    scene = Scene(tmp_path, "replaced")
    scene.prepare()
    (scene.folder / "link").symlink_to(outside)
    scene.notes.mkdir()
    stray = scene.folder / "link" / ".x.ankrcode"
    (scene.notes / "1.json").write_text(f'{{"stray": "{stray}"}}', encoding="utf-8")
    scene.recover()
    assert victim.read_bytes() == b"precious"


@examples(in_ci=300, in_torture=20_000)
@given(old=st.binary(max_size=60), new=st.binary(max_size=60), cut=st.integers(0, 60))
def test_whatever_an_interrupted_write_leaves_is_known_as_a_mixture(
    old: bytes, new: bytes, cut: int
) -> None:
    assert is_mixture(new[:cut] + old[cut:], new, old) or cut > len(new)
    assert is_mixture(old, new, old)
    assert is_mixture(new, new, old)


def test_what_nobody_wrote_is_no_mixture() -> None:
    assert not is_mixture(b"Xld", b"new", b"old")
    assert not is_mixture(b"ne", b"new", b"old")
    assert not is_mixture(b"newer", b"new", b"old")
    assert is_mixture(b"new\0\0", b"newer", b"old"), "the end was not written yet"
