"""What goes on in the background: found by its id, bounded in number, told when it ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode import ToolError
from ankrcode.workspace.processes.processes import Process, Processes
from ankrcode.workspace.processes.tasks import MAX_TASKS, Task, Tasks
from workspace.running import alive, long_sleep, processes_in


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Processes]:
    owner = processes_in(tmp_path)
    yield owner
    owner.close()


async def done(owner: Processes, command: str = "true") -> Process:
    process = owner.shell(command, cwd="/")
    await process.finished()
    return process


async def test_a_task_is_found_by_its_id_and_knows_how_it_is(owner: Processes) -> None:
    tasks = Tasks()
    running = tasks.add("a", owner.shell(long_sleep(), cwd="/"), kind="shell", title="a\n  nap")
    assert tasks.get("a") is running
    assert (running.status, running.exit_code, running.title) == ("running", None, "a nap")
    running.is_killed = True
    running.work.stop(at_once=True)
    assert await running.ended_within(20)
    assert (running.status, running.exit_code) == ("killed", 137)
    ended = tasks.add("b", await done(owner, "exit 3"), kind="shell", title="b")
    assert (ended.status, ended.exit_code) == ("failed", 3)
    ended = tasks.add("c", await done(owner), kind="shell", title="c")
    assert (ended.status, ended.exit_code) == ("completed", 0)
    assert [task.id for task in tasks.all()] == ["a", "b", "c"]


def test_an_unknown_task_is_named_with_those_there_are(owner: Processes) -> None:
    with pytest.raises(ToolError, match=r"There is no task 'x'\. Tasks: none\."):
        Tasks().get("x")


async def test_waiting_ends_with_the_time_and_harms_nothing(owner: Processes) -> None:
    tasks = Tasks()
    task = tasks.add("a", owner.shell(long_sleep(), cwd="/"), kind="shell", title="a")
    assert not await task.ended_within(0.05)
    assert task.status == "running"


async def test_the_oldest_that_have_ended_make_room(owner: Processes) -> None:
    tasks = Tasks()
    process = await done(owner, "echo x")
    process.output.save()
    first = Path(process.output.path)
    tasks.add("first", process, kind="shell", title="")
    for number in range(MAX_TASKS + 5):
        tasks.add(f"{number}", await done(owner), kind="shell", title="")
    assert len(tasks.all()) == MAX_TASKS
    assert tasks.all()[0].id == "5"
    assert not first.exists()
    assert tasks.take_notes("") != []


async def test_no_more_than_the_limit_run_at_once(owner: Processes) -> None:
    tasks, sleep = Tasks(), long_sleep()
    for number in range(MAX_TASKS):
        assert tasks.has_room
        tasks.add(f"{number}", owner.shell(sleep, cwd="/"), kind="shell", title="")
    assert not tasks.has_room
    with pytest.raises(ToolError, match="64 background tasks are running already") as caught:
        tasks.check_room()
    assert caught.value.suggestion == "Stop one with KillShell first."
    tasks.close()
    assert not alive(sleep)
    assert tasks.all() == []


async def test_the_end_is_told_and_noted_once(owner: Processes) -> None:
    ended: list[Task] = []
    tasks = Tasks(ended.append)
    task = tasks.add("a", owner.shell("exit 3", cwd="/"), kind="shell", title="build", owner="me")
    await task.ended_within(20)
    assert ended == [task]
    assert tasks.take_notes("someone else") == []
    assert tasks.take_notes("me") == ["Background task a (build) has ended: failed."]
    assert tasks.take_notes("me") == []


async def test_what_was_looked_at_needs_no_note(owner: Processes) -> None:
    tasks = Tasks()
    task = tasks.add("a", await done(owner), kind="shell", title="", owner="me")
    tasks.looked_at(task, 0)
    assert tasks.take_notes("me") == []


async def test_who_killed_it_needs_no_note(owner: Processes) -> None:
    tasks = Tasks()
    task = tasks.add("a", owner.shell(long_sleep(), cwd="/"), kind="shell", title="", owner="me")
    task.is_killed = True
    task.work.stop(at_once=True)
    await task.ended_within(20)
    assert tasks.take_notes("me") == []


async def test_one_owner_can_go_and_leave_the_others_theirs(owner: Processes) -> None:
    tasks, mine, theirs = Tasks(), long_sleep(), long_sleep()
    for name, sleep in (("me", mine), ("them", theirs)):
        process = owner.shell(sleep, cwd="/")
        await process.started()
        process.output.save()
        tasks.add(name, process, kind="shell", title="", owner=name)
    saved = Path(tasks.get("me").work.output.path)
    tasks.close("me")
    assert not alive(mine)
    assert not saved.exists()
    assert [task.id for task in tasks.all()] == ["them"]
    assert tasks.get("them").status == "running"
