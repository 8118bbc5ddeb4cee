"""Worktrees whose process was killed: gone at the next use if unchanged, kept and named if not."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order
from agent.test_worktree import git, isolated, made, repository, template
from ankrcode import Toolkit
from ankrcode.agent import leftovers
from ankrcode.agent.leftovers import tidy_up
from ankrcode.errors import ToolError
from ankrcode.testing import YES, FakePerson

__all__ = ["repository", "template"]

# Makes worktrees, does something in each, and is killed; with "wait" it lives until it is told.
MAKER = """
import asyncio, os, signal, sys
from pathlib import Path
from ankrcode import Toolkit
from ankrcode.agent.worktree import Worktree

async def main(folder, doing, *names):
    kit = Toolkit(cwd=folder)
    for name in names:
        if doing == "half":
            Worktree._fill = lambda self: os.kill(os.getpid(), signal.SIGKILL)
        worktree = await Worktree.make(folder, name, kit.agent.processes)
        if doing == "change":
            Path(worktree.path, "new.txt").write_text("work of hours")
    if doing == "wait":
        print("ready", flush=True)
        sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(*sys.argv[1:]))
"""


def maker(folder: Path, doing: str, *names: str) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-P", "-c", MAKER, str(folder), doing, *names]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(argv, **pipes)  # type: ignore[call-overload,no-any-return]


def orphans(folder: Path, home: Path, doing: str = "", *names: str) -> list[Path]:
    """The worktrees that a killed process left."""
    names = names or ("agent_1",)
    process = maker(folder, doing, *names)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, said
    return [ours(home) / name for name in names]


async def abandoned(folder: Path, *names: str) -> list[Path]:
    """The same, but quicker: of an owner the system keeps the lock alone, and it is let go here."""
    places = []
    for name in names or ("agent_1",):
        worktree = await made(folder, name)
        assert worktree._claim is not None
        worktree._claim.release()
        places.append(Path(worktree.path))
    return places


def ours(home: Path) -> Path:
    return home / ".local" / "state" / "ankrcode" / "worktrees"


async def swept(folder: Path, **more: Any) -> list[str]:
    kit = Toolkit(cwd=folder)
    return await tidy_up(str(folder), lambda: kit.agent.processes, **more)


def check_clean(repository: Path, home: Path) -> None:
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "branch") == "* main"
    assert list(ours(home).iterdir()) == []


# ── an agent that was killed ──────────────────────────────────────────────────────────────────
AGENT = """
import asyncio, sys
from pathlib import Path
from ankrcode import Permission, tool
from ankrcode.agent.agent import Agent
from ankrcode.testing import YES, FakePerson, ScriptedCall, ScriptedModel, Turn

@tool(permission=Permission.READ)
async def hang() -> str:
    "Wait for ever."
    print("hangs", flush=True)
    await asyncio.Event().wait()
    return "never"

def call(name, /, **arguments):
    return ScriptedCall(name=name, arguments=arguments)

order = {"description": "d", "prompt": "x", "subagent_type": "code", "isolation": "worktree"}
write = (call("Write", file_path="new.txt", content="work of hours"),) if sys.argv[2] else ()
turns = [Turn(calls=(call("Task", **order),)), Turn(calls=(*write, call("hang")))]
person = FakePerson([YES])
more = {"approve": person, "mode": "acceptEdits", "records": True, "session_id": "k1"}
agent = Agent(ScriptedModel(turns), cwd=sys.argv[1], tools=[hang], **more)
asyncio.run(agent.run("the task"))
"""


def killed_agent(folder: Path, home: Path, *, writes: bool) -> Path:
    """Run one until its agent is at work in a worktree, then end it without a word."""
    argv = [sys.executable, "-P", "-c", AGENT, str(folder), "yes" if writes else ""]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    is_begun = process.stdout.readline() == b"hangs\n"
    process.kill()
    _, said = process.communicate(timeout=PATIENCE_S)
    assert is_begun, said
    (place,) = [one for one in ours(home).iterdir() if one.is_dir()]
    return place


class Hearing:
    """A firm, and what people were told while it worked."""

    def __init__(self, folder: Path, turns: list[Any], **more: Any) -> None:
        self.firm = Firm(folder, turns, **more)
        self.told: list[str] = []
        self.firm.kit.on("notice", self._hear)

    def _hear(self, event: Any) -> None:
        self.told.append(event.values["message"])

    async def run(self) -> list[str]:
        await self.firm.run()
        await self.firm.agent.close()
        return self.told


@pytest.mark.parametrize("kind", ["isolated", "ordinary"])
async def test_what_a_killed_agent_left_unchanged_is_gone_when_the_next_one_begins(
    kind: str, repository: Path, own_home: Path
) -> None:
    place = killed_agent(repository, own_home, writes=False)
    assert str(place) in git(repository, "worktree", "list")
    ordered = isolated("look") if kind == "isolated" else order("look")
    hearing = Hearing(repository, [calls(ordered), "seen", "done"], approve=FakePerson([YES]))
    assert await hearing.run() == []
    check_clean(repository, own_home)


async def test_what_a_killed_agent_changed_stays_and_is_named_once(
    repository: Path, own_home: Path
) -> None:
    place = killed_agent(repository, own_home, writes=True)
    turns = [calls(order("look")), "seen", "done"]
    (told,) = await Hearing(repository, turns).run()
    assert f"its changes are in {place}, on the branch ankrcode/{place.name}." in told
    assert (place / "new.txt").read_text(encoding="utf-8") == "work of hours"
    assert await Hearing(repository, turns).run() == []
    assert (place / "new.txt").exists()
    assert f"ankrcode/{place.name}" in git(repository, "branch")


async def test_in_plan_mode_nothing_is_removed(repository: Path, own_home: Path) -> None:
    (place,) = await abandoned(repository)
    turns = [calls(order("look")), "seen", "done"]
    assert await Hearing(repository, turns, mode="plan").run() == []
    assert place.is_dir()


@pytest.mark.parametrize("writes", [False, True])
async def test_resumed_it_finds_its_place_again_and_tidies_up_behind_itself(
    writes: bool, repository: Path, own_home: Path
) -> None:
    place = killed_agent(repository, own_home, writes=writes)
    turns = [calls(order("go on", "code", resume=place.name)), "gone on", "done"]
    hearing = Hearing(repository, turns, records=True, session_id="k1")
    assert await hearing.run() == []  # whoever resumes it is told by its result
    (result,) = hearing.firm.of_task
    assert result.value.response == "gone on"
    if writes:
        assert result.value.worktree == str(place)
        assert (place / "new.txt").exists()
    else:
        assert result.value.worktree == ""
        check_clean(repository, own_home)


# ── whose it is ───────────────────────────────────────────────────────────────────────────────
async def test_that_of_a_living_process_is_left_alone(repository: Path, own_home: Path) -> None:
    process = maker(repository, "wait", "agent_1")
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        assert await swept(repository) == []
        assert (ours(own_home) / "agent_1").is_dir()
    finally:
        process.communicate(b"\n", timeout=PATIENCE_S)
    assert await swept(repository) == []
    check_clean(repository, own_home)


async def test_that_of_this_very_process_is_left_alone(repository: Path) -> None:
    worktree = await made(repository)
    assert await swept(repository) == []
    assert Path(worktree.path).is_dir()
    assert await worktree.tidy()


async def test_another_repositorys_is_left_to_that(
    repository: Path, own_home: Path, tmp_path: Path, template: Path
) -> None:
    (place,) = await abandoned(repository)
    other = Path(shutil.copytree(template, tmp_path / "other"))
    assert await swept(other) == []
    assert await swept(tmp_path) == []  # no repository at all
    assert place.is_dir()
    assert await swept(repository / "inner") == []
    check_clean(repository, own_home)


async def test_what_people_made_is_never_touched(
    repository: Path, own_home: Path, tmp_path: Path
) -> None:
    await abandoned(repository)
    git(repository, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    git(repository, "worktree", "add", "-q", "-b", "there", str(ours(own_home) / "there"))
    missing = tmp_path / "on a disk that is not there now"
    git(repository, "worktree", "add", "-q", "-b", "away", str(missing))
    missing.rename(tmp_path / "elsewhere")
    git(repository, "branch", "ankrcode/agent_0")
    assert await swept(repository) == []
    listed = git(repository, "worktree", "list")
    assert all(f"[{branch}]" in listed for branch in ("mine", "there", "away"))
    assert "agent_1" not in listed
    assert "ankrcode/agent_0" in git(repository, "branch")


async def test_one_that_somebody_locked_stays(repository: Path, own_home: Path) -> None:
    (place,) = await abandoned(repository)
    git(repository, "worktree", "lock", str(place))
    (told,) = await swept(repository)
    assert str(place) in told
    assert place.is_dir()


def standing_in(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["cat"], cwd=folder, stdin=subprocess.PIPE)


async def test_while_somebody_stands_in_it_it_stays(repository: Path, own_home: Path) -> None:
    (place,) = await abandoned(repository)
    shell = standing_in(place / "inner")
    try:
        assert await swept(repository) == []
        assert place.is_dir()
    finally:
        shell.communicate(timeout=PATIENCE_S)
    assert await swept(repository) == []
    check_clean(repository, own_home)


# ── how it was left ───────────────────────────────────────────────────────────────────────────
async def test_with_any_change_it_stays(repository: Path, own_home: Path) -> None:
    changes = ("new", "edit", "delete", "stage", "commit", "commit and leave")
    names = [f"agent_{number}" for number in range(len(changes))]
    places = await abandoned(repository, *names)
    for place, change in zip(places, changes, strict=True):
        alter(place, change)
    told = await swept(repository)
    assert [str(place) in one for place, one in zip(places, told, strict=True)] == [True] * 6
    assert all(place.is_dir() for place in places)
    for name in names[4:]:
        assert "second" in git(repository, "log", "--oneline", f"ankrcode/{name}")


def alter(place: Path, change: str) -> None:
    if change == "delete":
        (place / "a.txt").unlink()
    else:
        (place / ("new.txt" if change == "new" else "a.txt")).write_text("x\n", encoding="utf-8")
    if change.startswith(("stage", "commit")):
        git(place, "add", ".")
    if change.startswith("commit"):
        git(place, "commit", "--quiet", "-m", "second")
    if change.endswith("leave"):
        git(place, "checkout", "--quiet", "--detach", "HEAD~")


async def test_what_was_committed_and_left_again_is_a_change(repository: Path) -> None:
    worktree = await made(repository)
    alter(Path(worktree.path), "commit and leave")
    assert not await worktree.tidy()
    assert "second" in git(repository, "log", "--oneline", worktree.branch)


async def test_what_it_began_with_is_no_change(repository: Path, own_home: Path) -> None:
    (repository / "a.txt").write_text("not committed\n", encoding="utf-8")
    (repository / "staged.txt").write_text("staged\n", encoding="utf-8")
    git(repository, "add", "staged.txt")
    (repository / "new ü.txt").write_text("new\n", encoding="utf-8")
    (place,) = await abandoned(repository)
    assert (place / "new ü.txt").exists()
    (repository / "a.txt").write_text("changed meanwhile\n", encoding="utf-8")
    assert await swept(repository) == []
    check_clean(repository, own_home)


async def test_of_a_repository_without_a_commit_it_goes_too(tmp_path: Path, own_home: Path) -> None:
    folder = tmp_path / "young"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "a.txt").write_text("x\n", encoding="utf-8")
    (place,) = await abandoned(folder)
    assert (place / "a.txt").exists()
    assert await swept(folder) == []
    assert list(ours(own_home).iterdir()) == []
    assert git(folder, "worktree", "list").count("\n") == 0


async def test_one_killed_in_the_making_goes_but_not_while_git_may_be_at_it(
    repository: Path, own_home: Path
) -> None:
    (place,) = orphans(repository, own_home, "half")
    assert await swept(repository) == []
    assert place.is_dir()
    (place / ".git").unlink()  # git itself was killed, too
    entry = repository / ".git" / "worktrees" / "agent_1"
    (entry / "locked").write_text("initializing", encoding="utf-8")
    long_ago = time.time() - 3_600
    os.utime(f"{place}.owner", (long_ago, long_ago))
    assert await swept(repository) == []
    check_clean(repository, own_home)


async def test_one_killed_in_the_making_is_made_anew_for_its_agent(
    repository: Path, own_home: Path
) -> None:
    (repository / "new.txt").write_text("new\n", encoding="utf-8")
    (place,) = orphans(repository, own_home, "half")
    assert not (place / "new.txt").exists()
    worktree = await made(repository)
    assert worktree.path == str(place)
    assert (place / "new.txt").exists()
    assert await worktree.tidy()
    check_clean(repository, own_home)


async def test_of_one_that_was_deleted_by_hand_gits_entry_goes(
    repository: Path, own_home: Path, tmp_path: Path
) -> None:
    first, second = await abandoned(repository, "agent_1", "agent_2")
    alter(second, "commit")
    for place in (first, second):
        place.rename(tmp_path / place.name)
    assert await swept(repository) == []
    assert "agent_1" not in git(repository, "worktree", "list")
    assert git(repository, "branch", "--format=%(refname:short)").split() == [
        "ankrcode/agent_2",  # it has what was committed
        "main",
    ]


# ── what may go wrong meanwhile ───────────────────────────────────────────────────────────────
async def test_several_who_look_at_once_do_not_get_in_each_others_way(
    repository: Path, own_home: Path
) -> None:
    await abandoned(repository, "agent_1", "agent_2", "agent_3")
    orphans(repository, own_home, "change", "agent_4")
    told = await asyncio.gather(*(swept(repository) for _ in range(4)))
    assert sum(map(len, told)) == 1
    assert [one.name for one in ours(own_home).iterdir()] == ["agent_4"]


async def test_nobody_waits_for_very_many(
    repository: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = await abandoned(repository, "agent_1", "agent_2", "agent_3")
    monkeypatch.setattr(leftovers, "_AT_ONCE", 2)
    await swept(repository)
    assert [place.is_dir() for place in places] == [False, False, True]
    await swept(repository)
    check_clean(repository, own_home)


async def test_cancelled_it_leaves_nothing_half_removed(repository: Path, own_home: Path) -> None:
    places = await abandoned(repository, "agent_1", "agent_2")
    for steps in range(0, 40, 4):
        looking = asyncio.ensure_future(swept(repository))
        for _ in range(steps):
            await asyncio.sleep(0.001)
        looking.cancel()
        await asyncio.wait((looking,))
        for place in places:
            assert not place.is_dir() or (place / "a.txt").exists()
    assert await swept(repository) == []
    check_clean(repository, own_home)


async def test_a_note_that_cannot_be_read_harms_nothing(repository: Path, own_home: Path) -> None:
    broken = (b"", b"{", b"null", b'{"repository": 3}', b"\xff" * 99)
    places = await abandoned(repository, *(f"agent_{number}" for number in range(5)))
    for place, content in zip(places, broken, strict=True):
        Path(f"{place}.owner").write_bytes(content)
    assert await swept(repository) == []
    assert all(place.is_dir() for place in places)


async def test_a_note_that_is_no_file_harms_nothing(repository: Path, own_home: Path) -> None:
    (place,) = await abandoned(repository)
    folder, real = ours(own_home), Path(f"{place}.owner")
    (folder / "agent_0.owner").mkdir()
    (folder / "agent_2.owner").symlink_to(real)
    os.mkfifo(folder / "agent_3.owner")
    (folder / "..owner").write_bytes(real.read_bytes())
    assert await swept(repository) == []
    assert not place.exists()
    assert folder.is_dir()


@pytest.mark.parametrize("ends", ["unchanged", "changed", "refused"])
async def test_no_note_stays_behind_one_that_ended_in_order(
    ends: str, repository: Path, own_home: Path
) -> None:
    if ends == "refused":
        git(repository, "branch", "ankrcode/agent_1")
        with pytest.raises(ToolError, match="already exists"):
            await made(repository)
    else:
        worktree = await made(repository)
        if ends == "changed":
            alter(Path(worktree.path), "new")
        assert await worktree.tidy() is (ends == "unchanged")
    assert not (ours(own_home) / "agent_1.owner").exists()


async def test_kept_in_order_it_is_never_taken_for_left_behind(
    repository: Path, own_home: Path
) -> None:
    write = call("Write", file_path="new.txt", content="x")
    turns = [calls(isolated("write")), calls(write), "written", "done"]
    hearing = Hearing(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    assert await hearing.run() == []
    place = Path(hearing.firm.of_task[0].value.worktree)
    (place / "new.txt").unlink()  # whoever was told may do with it what they like
    assert await swept(repository) == []
    assert place.is_dir()


async def test_where_nothing_can_be_noted_none_is_made(
    repository: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(repository / "a.txt"))  # a file, not a folder
    with pytest.raises(ToolError, match="could not be made: File exists"):
        await made(repository)
    assert await swept(repository) == []
    assert git(repository, "worktree", "list").count("\n") == 0


async def test_one_that_somebody_works_in_is_nobody_elses(repository: Path) -> None:
    """Whatever a session's log says: two would get in each other's way."""
    worktree = await made(repository)
    with pytest.raises(ToolError, match="could not be made: Resource temporarily unavailable"):
        await made(repository)
    assert await worktree.tidy()
