"""Undo through the real toolkit: every tool, commands, cancelled calls, auto mode, other agents."""

import asyncio
import random
import stat
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit, ToolResult
from ankrcode.config.settings import Settings, UndoSettings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.event import Event, ToolMetadataChanged
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.durable import journal_folder
from ankrcode.workspace.journal.undo import carry_out, chosen, planned
from torture import IS_TORTURE

Picture = dict[str, tuple[object, ...]]


class Desk:
    """A toolkit whose person says yes, and undo as the command line does it."""

    def __init__(self, folder: Path, mode: str = "bypass", **options: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.person = FakePerson()
        self.kit = Toolkit(cwd=folder, mode=mode, approve=self.person, **options)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await self.kit.call(tool, arguments)

    async def bash(self, command: str, **more: Any) -> ToolResult:
        return await self.call("Bash", command=command, **more)

    def undo(self, *, redone: bool = False, force: bool = False, **which: str) -> list[str]:
        journal = self.kit.journal
        entries = chosen(journal.entries(), redone=redone, **which)
        plan = planned(journal, entries, redone=redone)
        return carry_out(journal, plan, 0.0, force=force)

    def look(self) -> Picture:
        found: Picture = {}
        for path in sorted(self.folder.rglob("*")):
            facts, name = path.lstat(), str(path.relative_to(self.folder))
            if stat.S_ISLNK(facts.st_mode):
                found[name] = ("link", str(path.readlink()))
            elif stat.S_ISDIR(facts.st_mode):
                found[name] = ("folder", stat.S_IMODE(facts.st_mode))
            else:
                found[name] = ("file", stat.S_IMODE(facts.st_mode), path.read_bytes())
        return found

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(tmp_path / "work")
    yield made
    made.kit.close()


# ── every tool that changes something ─────────────────────────────────────────────────────────
PATCH = """*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** Add File: deep/new.txt
+new
*** Delete File: gone.txt
*** End Patch"""
NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "edit": ("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
    "write over": ("Write", {"file_path": "a.txt", "content": "other"}),
    "write anew": ("Write", {"file_path": "x/y/z.txt", "content": "other"}),
    "delete": ("Delete", {"path": "a.txt"}),
    "delete a tree": ("Delete", {"path": "d", "recursive": True}),
    "move": ("Move", {"source": "a.txt", "destination": "q/b.txt"}),
    "move a folder": ("Move", {"source": "d", "destination": "e"}),
    "patch": ("ApplyPatch", {"patch": PATCH}),
    "notebook": (
        "NotebookEdit",
        {"notebook_path": "n.ipynb", "new_source": "1", "cell_type": "code", "edit_mode": "insert"},
    ),
    "sed": ("Bash", {"command": "sed -i s/one/two/ a.txt"}),
    "command": ("Bash", {"command": "mv d e; echo x > a.txt; mkdir -p n/m"}),
}

UNKNOWN = "python3 -c pass"  # nobody can tell what it changes


@pytest.mark.requirement("S1-057")
@pytest.mark.parametrize(("tool", "arguments"), CALLS.values(), ids=CALLS.keys())
async def test_what_a_tool_changed_is_taken_back_and_made_again(
    tool: str, arguments: dict[str, Any], desk: Desk
) -> None:
    for name in ("a.txt", "gone.txt", "d/in.txt", "d/sub/deep.txt"):
        desk.write(name, "one\n")
    desk.write("n.ipynb", NOTEBOOK)
    (desk.folder / "d" / "link").symlink_to("in.txt")
    for name in ("a.txt", "gone.txt", "n.ipynb"):
        await desk.call("Read", file_path=str(desk.folder / name))
    before = desk.look()
    result = await desk.call(tool, **arguments)
    assert result.ok, result.text
    after = desk.look()
    assert after != before
    assert result.metadata["change_id"] == desk.kit.journal.entries()[-1].entry.id
    assert "undo" not in result.metadata, "all of it can be undone"
    desk.undo()
    assert desk.look() == before
    desk.undo(redone=True)
    assert desk.look() == after


async def test_a_program_behind_a_wall_changes_nothing_so_nothing_is_noted(desk: Desk) -> None:
    desk.write("a.txt", "one")
    code = f"open({str(desk.folder / 'a.txt')!r}, 'w').write('two')"
    await desk.call("RunCode", language="python", code=code)
    assert desk.look() == {"a.txt": ("file", 0o644, b"one")}
    assert not journal_folder(str(desk.folder)).exists()


# ── what only reads ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "ls -la; cat a.txt | wc -l"}),
        ("Bash", {"command": "git status; git log -1"}),
        ("Bash", {"command": "find . -name '*.txt'; grep -r one ."}),
        ("Read", {"file_path": "a.txt"}),
        ("Grep", {"pattern": "one"}),
        ("Glob", {"pattern": "**/*"}),
        ("List", {"path": "."}),
    ],
)
async def test_what_only_reads_opens_no_journal(
    tool: str, arguments: dict[str, Any], desk: Desk
) -> None:
    desk.write("a.txt", "one")
    await desk.call(tool, **arguments)
    assert "journal" not in desk.kit.__dict__
    assert not journal_folder(str(desk.folder)).exists()


# ── the agent after an undo ───────────────────────────────────────────────────────────────────
async def test_after_an_undo_a_file_must_be_read_again_before_it_is_edited(desk: Desk) -> None:
    path = str(desk.write("a.txt", "one two"))
    await desk.call("Read", file_path=path)
    await desk.call("Edit", file_path=path, old_string="one", new_string="1")
    desk.undo()
    stale = await desk.call("Edit", file_path=path, old_string="two", new_string="2")
    assert stale.error is not None
    assert stale.error.code == ErrorCode.CHANGED_SINCE_READ
    await desk.call("Read", file_path=path)
    fresh = await desk.call("Edit", file_path=path, old_string="two", new_string="2")
    assert fresh.ok, fresh.text


# ── calls that do not end well ────────────────────────────────────────────────────────────────
async def test_what_a_cancelled_command_had_done_is_taken_back(desk: Desk) -> None:
    desk.write("a.txt", "one")
    before = desk.look()
    calling = asyncio.create_task(desk.bash("echo two > a.txt; touch b; sleep 1000"))
    while not (desk.folder / "b").exists():
        await asyncio.sleep(0.01)
    calling.cancel()
    await asyncio.wait([calling])
    assert desk.look() != before
    desk.undo()
    assert desk.look() == before


async def test_what_a_command_did_before_its_time_was_up_is_taken_back(desk: Desk) -> None:
    desk.write("a.txt", "one")
    before = desk.look()
    result = await desk.bash("echo two > a.txt; sleep 1000", timeout=300)
    assert not result.ok
    desk.undo()
    assert desk.look() == before


async def test_a_command_that_fails_is_taken_back_too(desk: Desk) -> None:
    desk.write("a.txt", "one")
    before = desk.look()
    result = await desk.bash("echo two > a.txt; exit 3")
    assert not result.ok
    assert result.metadata["change_id"]
    desk.undo()
    assert desk.look() == before


async def test_a_command_that_goes_on_in_the_background_says_what_that_means(desk: Desk) -> None:
    result = await desk.bash("touch a; sleep 1000", run_in_background=True)
    assert result.ok, result.text
    assert "background" in result.metadata["undo"]
    assert "background" in result.text


async def test_a_refused_call_leaves_no_entry(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "work", mode="default")
    desk.person.answers = [NO]
    result = await desk.bash("touch a")
    assert not result.ok
    assert desk.look() == {}
    assert not journal_folder(str(desk.folder)).exists()
    desk.kit.close()


# ── said beforehand ───────────────────────────────────────────────────────────────────────────
async def test_what_cannot_be_undone_is_said_before_the_command_runs(tmp_path: Path) -> None:
    settings = Settings(undo=UndoSettings(file_bytes=10))
    desk = Desk(tmp_path / "work", settings=settings)
    desk.write("big.txt", "x" * 100)
    events: list[Event] = []
    desk.kit.on("*", events.append)
    result = await desk.bash(f"{UNKNOWN}; touch a")
    desk.kit.activity.flush()
    kinds = [event.type for event in events]
    told = [event for event in events if isinstance(event, ToolMetadataChanged)]
    assert "1 files are too large" in told[0].metadata["undo"]
    assert kinds.index(told[0].type) < len(kinds) - 1, "before the end"
    assert "1 files are too large" in result.text
    again = await desk.bash(f"{UNKNOWN}; touch b")
    assert "too large" not in again.text, "once is enough"
    assert "too large" in again.metadata["undo"]
    desk.kit.close()


async def test_commands_in_a_home_run_but_say_that_they_cannot_be_undone(own_home: Path) -> None:
    desk = Desk(own_home)
    result = await desk.bash(f"{UNKNOWN}; touch a.txt")
    assert "cannot be undone" in result.text
    path = str(own_home / "b.txt")
    await desk.call("Write", file_path=path, content="x")
    desk.undo()
    assert not Path(path).exists(), "what a tool names itself can be undone anywhere"
    desk.kit.close()


async def test_without_a_place_for_the_journal_a_change_is_refused_with_advice(
    tmp_path: Path, own_home: Path
) -> None:
    desk = Desk(tmp_path / "work")
    state = own_home / ".local" / "state" / "ankrcode" / "journal"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text("in the way", encoding="utf-8")
    for result in (
        await desk.bash("touch a"),
        await desk.call("Write", file_path=str(desk.folder / "a"), content="x"),
    ):
        assert not result.ok
        assert "undo.enabled=false" in result.text
    assert desk.look() == {}
    assert (await desk.bash("ls")).ok, "what only reads goes on"
    desk.kit.close()
    without = Desk(tmp_path / "work", settings=Settings(undo=UndoSettings(enabled=False)))
    assert (await without.bash("touch a")).ok
    without.kit.close()


# ── who did it ────────────────────────────────────────────────────────────────────────────────
async def test_what_one_agent_changed_is_taken_back_without_the_others(desk: Desk) -> None:
    helper = desk.kit.for_agent("helper")
    await desk.call("Write", file_path=str(desk.folder / "mine"), content="x")
    await helper.call("Write", file_path=str(desk.folder / "theirs"), content="x")
    await helper.call("Bash", command="touch more")
    desk.undo(agent=helper.agent.agent_id)
    assert desk.look().keys() == {"mine"}


async def test_what_one_turn_changed_is_taken_back_at_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "work", records=True)
    session = desk.kit.session
    assert session is not None
    await desk.bash("touch before")
    async with session.turn() as turn_id:
        await desk.bash("echo x > before; touch in")
        await desk.call("Write", file_path=str(desk.folder / "also"), content="x")
    await desk.bash("touch after")
    desk.undo(turn=turn_id)
    assert desk.look() == {"before": ("file", 0o644, b""), "after": ("file", 0o644, b"")}
    desk.kit.close()


async def test_calls_beside_each_other_are_each_their_own_entry(desk: Desk) -> None:
    await asyncio.gather(
        *(desk.call("Write", file_path=str(desk.folder / f"f{n}"), content="x") for n in range(8)),
        desk.bash("touch shell; touch more"),
        desk.bash("touch other"),
    )
    entries = desk.kit.journal.entries()
    paths = sorted(Path(change.path).name for one in entries for change in one.entry.changes)
    assert paths == sorted([*(f"f{n}" for n in range(8)), "shell", "more", "other"])
    for one in reversed(entries):
        desk.undo(which=one.entry.id)
    assert desk.look() == {}


async def test_two_toolkits_in_one_workspace_share_its_journal(tmp_path: Path) -> None:
    one, two = Desk(tmp_path / "work"), Desk(tmp_path / "work")
    await one.bash("echo 1 > a")
    await two.bash("echo 2 > a")
    await one.call("Write", file_path=str(one.folder / "b"), content="x")
    two.undo()
    assert two.look().keys() == {"a"}
    one.undo()
    assert (one.folder / "a").read_bytes() == b"1\n"
    two.undo()
    assert one.look() == {}
    one.kit.close()
    two.kit.close()


def further_work_tree(folder: Path, side: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(folder)]
    add = ["worktree", "add", "-q", str(side)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], add):
        subprocess.run([*git, *words], check=True)


async def test_each_work_tree_has_its_own_undo(tmp_path: Path) -> None:
    main = Desk(tmp_path / "main")
    main.write("a.txt", "one")
    further_work_tree(main.folder, tmp_path / "side")
    side = Desk(tmp_path / "side")
    await main.bash("echo main > a.txt")
    await side.bash("echo side > a.txt")
    main.undo()
    assert (main.folder / "a.txt").read_bytes() == b"one"
    assert (side.folder / "a.txt").read_bytes() == b"side\n"
    side.undo()
    assert (side.folder / "a.txt").read_bytes() == b"one"
    both = Desk(tmp_path / "main", extra_directories=[side.folder])
    await both.bash(f"echo x > a.txt; echo y > {side.folder}/a.txt")
    both.undo()
    assert {path.read_bytes() for path in tmp_path.glob("*/a.txt")} == {b"one"}
    for desk in (main, side, both):
        desk.kit.close()


# ── auto mode ─────────────────────────────────────────────────────────────────────────────────
async def test_in_auto_mode_commands_run_unasked_and_undo_takes_them_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "work", mode="auto")
    desk.write("a.txt", "one")
    before = desk.look()
    result = await desk.bash("echo two > a.txt; mkdir d; mv a.txt d/b.txt; touch c")
    assert result.ok, result.text
    assert result.metadata["sandbox"] != "none"
    await desk.call("Write", file_path=str(desk.folder / "w.txt"), content="x")
    assert desk.person.asked == []
    desk.undo()
    desk.undo()
    assert desk.look() == before
    desk.kit.close()


async def test_in_auto_mode_what_must_leave_the_workspace_is_asked(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "work", mode="auto")
    canary = tmp_path / "canary"
    for arguments in (
        {"command": "touch ok", "dangerously_disable_sandbox": True},
        {"command": "git push origin main"},
        {"command": f"touch {canary}"},
    ):
        asked = len(desk.person.asked)
        await desk.call("Bash", **arguments)
        assert len(desk.person.asked) == asked + 1, arguments
    assert not canary.exists()
    desk.person.answers = [YES]
    await desk.call("Write", file_path=str(canary), content="outside, as the person wished")
    desk.undo()
    assert not canary.exists()
    desk.kit.close()


@pytest.mark.parametrize("why", ["journal off", "home"])
async def test_where_commands_cannot_be_undone_auto_mode_asks(
    why: str, tmp_path: Path, own_home: Path
) -> None:
    folder = own_home if why == "home" else tmp_path / "work"
    settings = Settings(undo=UndoSettings(enabled=why == "home"))
    desk = Desk(folder, mode="auto", settings=settings)
    result = await desk.bash("touch a")
    assert not result.ok
    assert len(desk.person.asked) == 1
    assert not (folder / "a").exists()
    desk.kit.close()


# ── at random ─────────────────────────────────────────────────────────────────────────────────
class Hand:
    """What a model and a person may do to a workspace, by chance; the person uses a shell."""

    def __init__(self, seed: int, desk: Desk) -> None:
        self.random = random.Random(seed)
        self.desk = desk

    def name(self) -> str:
        return self.random.choice(["a", "b", "d/a", "d/b", "d/e/f", "g", "d", "d/e"])

    def command(self) -> str:
        one, two = self.name(), self.name()
        return self.random.choice(
            [
                f"mkdir -p $(dirname {one}); echo {self.random.random()} > {one}",
                f"rm -r {one}",
                f"mv {one} {two}",
                f"chmod {self.random.choice(['600', '755', '640'])} {one}",
                f"ln -sfn {two} {one}",
                f"mkdir -p {one}",
                f"cp -r {one} {two}",
                f"echo more >> {one}; sed -i s/more/less/ {two}",
                f"rmdir {one}; touch {two}",
            ]
        )

    async def model(self) -> ToolResult:
        one, two = self.name(), self.name()
        path = str(self.desk.folder / one)
        await self.desk.call("Read", file_path=path)
        word = str(self.random.random())
        calls: list[tuple[str, dict[str, Any]]] = [
            ("Write", {"file_path": path, "content": f"word {word}\n"}),
            ("Edit", {"file_path": path, "old_string": "word", "new_string": f"{word} word"}),
            ("Move", {"source": one, "destination": two, "overwrite": True}),
            ("Delete", {"path": one, "recursive": True}),
            ("Bash", {"command": self.command()}),
            ("Bash", {"command": self.command()}),
            ("Bash", {"command": f"{self.command()}; {self.command()}"}),
        ]
        tool, arguments = self.random.choice(calls)
        return await self.desk.call(tool, **arguments)

    def person(self) -> None:
        command = ["bash", "-c", self.command()]
        subprocess.run(command, cwd=self.desk.folder, check=False, capture_output=True)


@pytest.mark.torture
async def test_undo_restores_exactly_or_reports_the_conflict(tmp_path: Path) -> None:
    """Whatever tools, commands and the person do: all of a call comes back, or nothing does."""
    ends = {"restored": 0, "refused": 0}
    for seed in range(500 if IS_TORTURE else 25):
        desk = Desk(tmp_path / str(seed))
        await one_sequence(seed, desk, ends)
        desk.kit.close()
    assert ends["restored"] > 20
    assert ends["refused"] > 0


async def one_sequence(seed: int, desk: Desk, ends: dict[str, int]) -> None:
    hand = Hand(seed, desk)
    steps: list[tuple[str, Picture, Picture]] = []
    for _ in range(hand.random.randint(3, 9)):
        if hand.random.random() < 0.2:
            hand.person()
        before = desk.look()
        result = await hand.model()
        if change := result.metadata.get("change_id"):
            steps.append((change, before, desk.look()))
        else:
            assert desk.look() == before, (seed, result.title)
    while steps:
        change, before, after = steps.pop()
        if hand.random.random() < 0.15:
            hand.person()
        now = desk.look()
        try:
            desk.undo(which=change)
        except ToolError:
            assert desk.look() == now, (seed, change, "refused, and still something changed")
            assert now != after, (seed, change, "refused without a reason")
            ends["refused"] += 1
            return
        if now == after:
            assert desk.look() == before, (seed, change)
            ends["restored"] += 1
