"""What was seen once is not looked at again before something has changed."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox.kept import Kept, stamps
from ankrcode.sandbox.profiles import Sight, View
from sandbox.walls import PRESENT, Runner

PATIENCE_S = 10.0


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Counted:
    """A look at the names in a folder, counted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.looks = folder, 0
        self._kept: Kept[list[str]] = Kept()

    def __call__(self) -> list[str]:
        return self._kept.get("names", self._look)

    def _look(self) -> tuple[list[str], list[str]]:
        self.looks += 1
        return names(self.folder), [str(self.folder)]

    def settle(self) -> None:
        """Ask until the answer is kept."""
        give_up = time.monotonic() + PATIENCE_S
        before = -1
        while before != self.looks:
            assert time.monotonic() < give_up, "it never settles"
            before = self.looks
            self()


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    (tmp_path / "a").touch()
    return Counted(tmp_path)


def set_back(folder: Path) -> None:
    (folder / "b").touch()
    os.utime(folder, (1, 1))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a new file": lambda folder: (folder / "b").touch(),
    "a new folder": lambda folder: (folder / "b").mkdir(),
    "a new link": lambda folder: (folder / "b").symlink_to("a"),
    "one gone": lambda folder: (folder / "a").unlink(),
    "one renamed": lambda folder: (folder / "a").rename(folder / "b"),
    "one renamed twice": lambda folder: (folder / "a").rename(folder / "b").rename(folder / "c"),
    "the time set back": set_back,
}


def test_a_folder_that_has_just_changed_is_looked_at_again(counted: Counted) -> None:
    assert counted() == counted() == ["a"]
    assert counted.looks == 2


def test_then_nobody_looks_any_more(counted: Counted) -> None:
    counted.settle()
    looks = counted.looks
    assert [counted() for _ in range(50)] == [["a"]] * 50
    assert counted.looks == looks


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_always_seen(change: Callable[[Path], object], counted: Counted) -> None:
    counted.settle()
    looks = counted.looks
    change(counted.folder)
    assert counted() == names(counted.folder)
    assert counted.looks == looks + 1


def test_two_changes_at_once_are_both_seen(counted: Counted) -> None:
    for number in range(300):
        (counted.folder / f"n{number}").touch()
        assert f"n{number}" in counted()


def test_a_folder_that_comes_and_goes_is_seen(tmp_path: Path) -> None:
    place = tmp_path / "place"
    assert stamps([str(place)], time.time_ns()) == (None,)
    place.mkdir()
    assert stamps([str(place)], time.time_ns()) != (None,)


def test_a_time_in_the_future_proves_nothing(tmp_path: Path) -> None:
    status = tmp_path.stat()
    assert stamps([str(tmp_path)], status.st_ctime_ns - 1_000_000_000) is None
    assert stamps([str(tmp_path)], status.st_ctime_ns + 60_000_000_000) is not None


def test_it_does_not_remember_without_end(tmp_path: Path) -> None:
    kept: Kept[int] = Kept()
    for number in range(1_000):
        assert kept.get(number, lambda number=number: (number, ["/"])) == number  # type: ignore[misc]
    assert len(kept._looks) <= 16


# ── the machine, as the walls see it ──────────────────────────────────────────────────────────
def settled(sight: Sight, *arguments: object) -> View:
    """Look until what is seen would be kept."""
    give_up = time.monotonic() + PATIENCE_S
    while sight._protected._looks == {} or sight._hidden._looks == {}:
        assert time.monotonic() < give_up
        sight.view(*arguments)  # type: ignore[arg-type]
    return sight.view(*arguments)  # type: ignore[arg-type]


def test_a_protected_name_that_comes_is_seen_although_it_was_kept(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    sight = Sight(SandboxSettings(), {"HOME": str(tmp_path)})
    before = settled(sight, "workspace-write", [str(work)], str(work))
    assert f"{work}/.git/hooks" in before.protected.missing
    (work / ".git" / "hooks").mkdir()
    (work / ".claude").mkdir()
    after = sight.view("workspace-write", [str(work)], str(work))
    assert {f"{work}/.git/hooks", f"{work}/.claude"} <= set(after.protected.fixed)


def test_settings_that_change_are_read_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / "tools").mkdir()
    config = work / ".git" / "config"
    config.write_text("[core]\n", encoding="utf-8")
    sight = Sight(SandboxSettings(), {"HOME": str(tmp_path)})
    before = settled(sight, "workspace-write", [str(work)], str(work))
    assert f"{work}/tools" not in before.protected.fixed
    with config.open("a", encoding="utf-8") as file:
        file.write("\thooksPath = tools\n")
    after = sight.view("workspace-write", [str(work)], str(work))
    assert f"{work}/tools" in after.protected.fixed


def test_a_key_that_comes_is_hidden_although_there_was_none(tmp_path: Path) -> None:
    sight = Sight(SandboxSettings(), {"HOME": str(tmp_path)})
    before = settled(sight, "workspace-write", [str(tmp_path / "work")])
    assert f"{tmp_path}/.ssh" not in before.hidden
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".config" / "gh").mkdir(parents=True)
    after = sight.view("workspace-write", [str(tmp_path / "work")])
    assert {f"{tmp_path}/.ssh", f"{tmp_path}/.config/gh"} <= set(after.hidden)


@pytest.mark.parametrize("wall", PRESENT)
def test_a_workspace_that_was_replaced_by_another_is_the_workspace(
    wall: str, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    runner = Runner(tmp_path / "state", wall=wall)
    for number in range(3):
        work.mkdir()
        assert runner.bash(f"echo {number} > file", roots=[work]).code == 0
        assert (work / "file").read_text(encoding="utf-8") == f"{number}\n"
        work.rename(tmp_path / f"old-{number}")


@pytest.mark.parametrize("wall", PRESENT)
def test_a_name_made_between_two_commands_is_protected_in_the_second(
    wall: str, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    runner = Runner(tmp_path / "state", wall=wall)
    for _ in range(3):
        runner.bash("true", roots=[work])
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    runner.bash("echo evil > .claude/settings.json; echo evil > .claude/new", roots=[work])
    assert [path.name for path in (work / ".claude").iterdir()] == ["settings.json"]
    assert (work / ".claude" / "settings.json").read_text(encoding="utf-8") == "{}"
