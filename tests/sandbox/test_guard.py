"""Names that are put back after the run, and what was there is kept aside."""

import os
from pathlib import Path

import pytest

from ankrcode.sandbox.guard import _MAX_BYTES, Guard


class Watched:
    def __init__(self, folder: Path) -> None:
        self.work, self.aside = folder / "work", folder / "aside"
        (self.work / "hooks" / "deep").mkdir(parents=True)
        (self.work / "hooks" / "pre-commit").write_text("old\n", encoding="utf-8")
        (self.work / "hooks" / "pre-commit").chmod(0o755)
        (self.work / "hooks" / "link").symlink_to("pre-commit")
        (self.work / "config").write_text("[core]\n", encoding="utf-8")
        names = [str(self.work / name) for name in ("hooks", "config", "new")]
        self.guard = Guard(names, self.aside, pinned=[str(self.work)])

    def state(self) -> list[tuple[str, str, int]]:
        found = []
        for path in sorted(self.work.rglob("*")):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            kind = f"-> {path.readlink()}" if path.is_symlink() else text
            found.append((str(path.relative_to(self.work)), kind, path.lstat().st_mode))
        return found


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_what_nobody_touched_is_left_alone(watched: Watched) -> None:
    before = watched.state()
    assert watched.guard.restore() == []
    assert watched.state() == before
    assert not watched.aside.exists()


CHANGES = {
    "append": "echo evil >> hooks/pre-commit",
    "add": "echo evil > hooks/post-merge",
    "delete": "rm hooks/pre-commit",
    "delete all": "rm -r hooks config",
    "mode": "chmod 4777 hooks/pre-commit",
    "link": "rm hooks/link; ln -s /etc hooks/link",
    "folder to link": "rm -r hooks; ln -s /etc hooks",
    "file to folder": "rm config; mkdir config; touch config/x",
    "new": "mkdir new; echo evil > new/file",
    "same size and time": "cp -p hooks/pre-commit k; printf 'new\\n' > hooks/pre-commit; "
    "touch -r k hooks/pre-commit; rm k",
    "rename": "mv hooks h; mv config hooks; mv h config",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_was_done_is_undone_and_told(change: str, watched: Watched) -> None:
    before = watched.state()
    assert os.system(f"cd {watched.work} && {change}") == 0
    told = watched.guard.restore()
    assert watched.state() == before
    assert told
    assert all("is protected" in line for line in told)


def test_what_was_there_is_kept_aside(watched: Watched) -> None:
    (watched.work / "new").write_text("perhaps wanted", encoding="utf-8")
    (line,) = watched.guard.restore()
    (kept,) = watched.aside.iterdir()
    assert kept.read_text(encoding="utf-8") == "perhaps wanted"
    assert str(kept) in line
    assert watched.aside.stat().st_mode & 0o077 == 0


def test_writing_the_same_content_again_is_no_change(watched: Watched) -> None:
    config = watched.work / "config"
    text = config.read_text(encoding="utf-8")
    fresh = watched.work / "config.lock"
    fresh.write_text(text, encoding="utf-8")
    fresh.rename(config)
    assert watched.guard.restore() == []


def test_a_folder_that_was_renamed_comes_back(watched: Watched) -> None:
    before = watched.state()
    moved = watched.work.with_name("moved")
    watched.work.rename(moved)
    (watched.work / "hooks").mkdir(parents=True)
    (watched.work / "hooks" / "pre-commit").write_text("evil", encoding="utf-8")
    assert watched.guard.restore()
    assert not moved.exists()
    assert watched.state() == before


def test_a_folder_that_is_gone_is_told(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    watched.work.rename(tmp_path / "far" / "away")
    told = watched.guard.restore()
    assert any("moved away" in line for line in told)


def test_nothing_is_written_through_a_link_on_the_way(watched: Watched, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "far").mkdir()
    watched.work.rename(tmp_path / "far" / "away")
    watched.work.symlink_to(outside)
    told = watched.guard.restore()
    assert told
    assert list(outside.iterdir()) == []


def test_what_is_too_large_to_keep_is_told_when_it_changes(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * (_MAX_BYTES + 1))
    guard = Guard([str(large)], tmp_path / "aside")
    large.write_bytes(b"evil")
    (line,) = guard.restore()
    assert "too large" in line
    assert large.read_bytes() == b"evil"


# ── several at once ───────────────────────────────────────────────────────────────────────────
def test_what_one_made_is_not_taken_for_granted_by_the_next(tmp_path: Path) -> None:
    """Or two commands could smuggle a name in: one makes it, the other puts it back."""
    name, aside = tmp_path / ".claude", tmp_path / "aside"
    first = Guard([], aside, missing=[str(name)])
    name.write_text("evil", encoding="utf-8")
    second = Guard([str(name)], aside)  # to it, there is such a file
    assert first.restore()
    assert not name.exists()
    assert second.restore() == []
    assert not name.exists()


def test_what_one_changed_is_not_taken_for_granted_either(tmp_path: Path) -> None:
    name, aside = tmp_path / "config", tmp_path / "aside"
    name.write_text("good", encoding="utf-8")
    first = Guard([str(name)], aside)
    name.write_text("evil", encoding="utf-8")
    second = Guard([str(name)], aside)
    assert second.restore()
    assert name.read_text(encoding="utf-8") == "good"
    assert first.restore() == []


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_in_whatever_order_they_end_it_is_as_before_the_first(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    name, aside = tmp_path / "config", tmp_path / "aside"
    name.write_text("good", encoding="utf-8")
    guards = []
    for number in range(3):
        guards.append(Guard([str(name)], aside))
        name.write_text(f"evil {number}", encoding="utf-8")
    for number in order:
        guards[number].restore()
        assert name.read_text(encoding="utf-8") == "good"


def test_when_all_are_gone_a_person_s_change_counts(tmp_path: Path) -> None:
    name, aside = tmp_path / "config", tmp_path / "aside"
    name.write_text("old", encoding="utf-8")
    assert Guard([str(name), str(name)], aside, missing=[str(tmp_path / "x")] * 2).restore() == []
    name.write_text("new", encoding="utf-8")
    (tmp_path / "x").touch()
    assert Guard([str(name), str(tmp_path / "x")], aside).restore() == []
    assert name.read_text(encoding="utf-8") == "new"
    assert (tmp_path / "x").exists()


def test_a_name_that_comes_right_after_another_is_seen(tmp_path: Path) -> None:
    """Faster than a folder's time of change can tell."""
    for number in range(200):
        name = tmp_path / f"n{number}"
        (tmp_path / f"other{number}").touch()
        guard = Guard([], tmp_path / "aside", missing=[str(name)])
        name.touch()
        assert guard.restore(), number
        assert not name.exists()


def test_a_pipe_comes_back_as_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o640)
    guard = Guard([str(tmp_path / "pipe")], tmp_path / "aside")
    (tmp_path / "pipe").unlink()
    (tmp_path / "pipe").write_text("evil", encoding="utf-8")
    assert guard.restore()
    assert (tmp_path / "pipe").is_fifo()
