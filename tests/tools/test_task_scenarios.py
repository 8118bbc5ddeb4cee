"""Tasks in the background, from the start to the end: looked at, answered, killed, forgotten."""

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import ErrorCode, Toolkit, ToolResult
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.testing import YES
from torture import examples
from workspace.running import alive, descriptors, long_sleep, settled, threads

UNICODE = "aé漢👩\u200d👧न"


async def agreeable(approval: Approval) -> ApprovalAnswer:
    return YES


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Toolkit]:
    kit = Toolkit(cwd=tmp_path, mode="bypass", approve=agreeable)  # further agents do ask
    yield kit
    kit.close()


async def begun(kit: Toolkit, command: str, **more: Any) -> str:
    result = await kit.call("Bash", command=command, run_in_background=True, **more)
    assert result.ok, result.text
    return str(result.value.task_id)


async def look(kit: Toolkit, task: str, **more: Any) -> ToolResult:
    result = await kit.call("TaskOutput", task_id=task, **more)
    assert result.ok, result.text
    return result


async def shown(kit: Toolkit, task: str, **more: Any) -> str:
    return str((await look(kit, task, **more)).value.task.output)


async def gate(kit: Toolkit, command: str) -> tuple[str, Path]:
    """A task that goes on when something is written to the file."""
    path = Path(kit.agent.workspace.root) / f"gate{len(kit.agent.tasks.all())}"
    os.mkfifo(path)
    return await begun(kit, command.replace("GATE", f"read x <{path}")), path


def pass_through(path: Path) -> None:
    path.write_text("go\n", encoding="utf-8")


# ── how it went ───────────────────────────────────────────────────────────────────────────────
ENDINGS = {
    "well": ("echo a", "completed", 0, "a\n"),
    "badly": ("echo a; exit 3", "failed", 3, "a\n"),
    "by a signal": ("echo a; kill -9 $$", "failed", 137, "a\n"),
    "without a word": ("true", "completed", 0, ""),
    "with errors only": ("echo a >&2; false", "failed", 1, "a\n"),
    "because there is no such program": ("nosuchprogram", "failed", 127, "not found"),
    "because it cannot be read": ("if", "failed", 2, "syntax error"),
    "with somebody left behind": (f"{long_sleep()} & echo a", "completed", 0, "a\n"),
    "with no match": ("grep x /dev/null", "failed", 1, ""),
}


@pytest.mark.requirement("S4-234")
@pytest.mark.parametrize(("command", "status", "code", "output"), ENDINGS.values(), ids=ENDINGS)
async def test_a_task_that_has_ended_tells_how(
    kit: Toolkit, command: str, status: str, code: int, output: str
) -> None:
    task = await begun(kit, command)
    result = await look(kit, task)
    state = result.value.task
    assert (state.status, state.exit_code, state.is_completed) == (status, code, True)
    assert output in state.output
    assert result.value.retrieval_status == "success"
    assert result.text.startswith(f"Task {task}: {status}, exit code {code}")
    again = await look(kit, task, block=False)
    assert again.value.task == state
    assert again.value.retrieval_status == "success"


async def test_while_it_runs_it_is_not_ready(kit: Toolkit) -> None:
    task, path = await gate(kit, "echo one; GATE; echo two")
    while await shown(kit, task, block=False) != "one\n":
        await asyncio.sleep(0)
    early = await look(kit, task, block=False)
    assert early.value.retrieval_status == "not_ready"
    assert (early.value.task.status, early.value.task.exit_code) == ("running", None)
    late = await look(kit, task, timeout=50)
    assert late.value.retrieval_status == "timeout"
    pass_through(path)
    assert await shown(kit, task) == "one\ntwo\n"


# ── offsets ───────────────────────────────────────────────────────────────────────────────────
async def test_every_offset_shows_the_rest(kit: Toolkit) -> None:
    task = await begun(kit, f"printf '{UNICODE}'")
    whole = UNICODE.encode()
    assert await shown(kit, task) == UNICODE
    for offset in range(len(whole) + 3):
        assert await shown(kit, task, offset=offset) == whole[offset:].decode(errors="replace")


async def test_what_was_seen_is_not_shown_again(kit: Toolkit) -> None:
    task, path = await gate(kit, "echo one; GATE; echo two")
    seen = ""
    while seen != "one\n":
        seen += await shown(kit, task, block=False, offset=-1)
    assert await shown(kit, task, block=False, offset=-1) == ""
    pass_through(path)
    assert await shown(kit, task, offset=-1) == "two\n"
    assert await shown(kit, task, offset=-1) == ""
    assert await shown(kit, task) == "one\ntwo\n"


async def test_where_to_go_on_is_said_and_holds(kit: Toolkit) -> None:
    task = await begun(kit, "seq 1 5000; read x; seq 5001 9000", stdin=True)
    first = await look(kit, task)
    assert first.value.task.output.endswith("\n5000\n")
    after = first.value.task.next_offset
    assert after == len("".join(f"{n}\n" for n in range(1, 5001)))
    await kit.call("TaskInput", task_id=task, text="\n")
    second = await look(kit, task, offset=after)
    assert second.value.task.output == "".join(f"{n}\n" for n in range(5001, 9001))


@pytest.mark.parametrize("offset", [0, 1, 131_071, 131_072, 131_073, 500_000, 1_999_000, 1_999_990])
async def test_any_place_of_a_long_output_can_be_reached(kit: Toolkit, offset: int) -> None:
    task = await begun(kit, "seq -f %09.0f 1 200000")
    await look(kit, task)
    whole = "".join(f"{n:09}\n" for n in range(1, 200_001))
    part = await shown(kit, task, offset=offset)
    assert part.startswith(whole[offset : offset + 1_000])
    assert part.endswith(whole[-1_000:][-len(whole[offset:]) :])


@given(cuts=st.lists(st.integers(0, 60), max_size=5))
@examples(in_ci=15, in_torture=500)
@pytest.mark.torture
def test_however_it_is_looked_at_the_pieces_make_the_whole(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("pieces")
    text = (UNICODE * 4).encode()
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    kit = Toolkit(cwd=folder, mode="bypass")
    started = kit.call_sync("Bash", command="cat", run_in_background=True, stdin=True)
    task = kit.agent.tasks.get(started.value.task_id)
    pieces = []
    for begin, end in zip(places, [*places[1:], len(text)], strict=True):
        task.work.send(text[begin:end])  # type: ignore[attr-defined]  # it is a process
        while task.work.output.total < end:
            assert not task.work.wait(0.001)
        looked = kit.call_sync("TaskOutput", task_id=task.id, block=False, offset=-1)
        pieces.append(looked.value.task.output)
    kit.call_sync("TaskInput", task_id=task.id, end=True)
    pieces.append(kit.call_sync("TaskOutput", task_id=task.id, offset=-1).value.task.output)
    kit.close()
    assert "".join(pieces) == text.decode()


# ── bad input ─────────────────────────────────────────────────────────────────────────────────
BAD = {
    "a negative time": {"timeout": -1},
    "too long a time": {"timeout": 600_001},
    "a time that is none": {"timeout": "soon"},
    "an offset before the beginning": {"offset": -2},
    "half an offset": {"offset": 1.5},
    "another block": {"block": "maybe"},
    "something unknown": {"lines": 3},
}


@pytest.mark.requirement("S4-233")
@pytest.mark.parametrize("more", BAD.values(), ids=BAD)
async def test_what_cannot_be_meant_is_refused(kit: Toolkit, more: dict[str, Any]) -> None:
    task = await begun(kit, "true")
    result = await kit.call("TaskOutput", task_id=task, **more)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert next(iter(more)) in result.text


@pytest.mark.parametrize("name", ["", " ", "nonsense", "../x", "\0", "-1", "x" * 10_000])
async def test_a_task_that_never_was_is_unknown_to_all(kit: Toolkit, name: str) -> None:
    task = await begun(kit, "true")
    for tool, arguments in (
        ("TaskOutput", {"task_id": name}),
        ("KillShell", {"shell_id": name}),
        ("TaskInput", {"task_id": name, "text": "x"}),
    ):
        result = await kit.call(tool, arguments)
        assert result.error is not None
        assert result.error.code is ErrorCode.INVALID_INPUT
        assert task in result.text or not name
    assert kit.agent.tasks.get(task).id == task


# ── waiting ───────────────────────────────────────────────────────────────────────────────────
async def test_many_may_wait_for_the_same_task(kit: Toolkit) -> None:
    task, path = await gate(kit, "GATE; echo a")
    waiting = [asyncio.create_task(shown(kit, task)) for _ in range(10)]
    await asyncio.sleep(0)
    pass_through(path)
    assert await asyncio.gather(*waiting) == ["a\n"] * 10


async def test_who_waits_is_told_when_it_is_killed(kit: Toolkit) -> None:
    task = await begun(kit, f"echo a; {long_sleep()}")
    waiting = asyncio.create_task(look(kit, task, timeout=60_000))
    while not kit.agent.tasks.get(task).work.output.total:
        await asyncio.sleep(0)
    killed = await kit.call("KillShell", shell_id=task)
    assert killed.ok
    result = await waiting
    assert result.value.task.is_completed
    assert result.value.task.status == "killed"
    assert result.value.task.output == "a\n"


async def test_who_stops_waiting_stops_nothing_else(kit: Toolkit) -> None:
    task, path = await gate(kit, "GATE; echo a")
    waiting = asyncio.create_task(kit.call("TaskOutput", task_id=task, timeout=60_000))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert kit.agent.tasks.get(task).status == "running"
    pass_through(path)
    assert await shown(kit, task) == "a\n"


@pytest.mark.parametrize("who", ["the same agent", "another agent"])
async def test_waiting_holds_up_no_other_call(kit: Toolkit, who: str) -> None:
    task, path = await gate(kit, "GATE")
    waiting = asyncio.create_task(look(kit, task, timeout=60_000))
    await asyncio.sleep(0.01)
    other = kit if who == "the same agent" else kit.for_agent("helper")
    for command in ("echo b", "touch made; echo b"):  # one that reads, one that may do anything
        assert (await other.call("Bash", command=command)).text == "b"
    assert (await other.call("Tasks")).value.tasks[0].status == "running"
    assert not waiting.done()
    pass_through(path)
    await waiting


async def test_a_long_command_of_one_agent_holds_up_no_other_that_looks(
    kit: Toolkit, tmp_path: Path
) -> None:
    task = await begun(kit, "echo a")
    os.mkfifo(tmp_path / "gate")
    helper = kit.for_agent("helper")
    running = asyncio.create_task(
        helper.call("Bash", command="touch made; read x <gate", timeout=5_000)
    )
    while not (tmp_path / "made").exists():
        await asyncio.sleep(0)
    assert await shown(kit, task) == "a\n"
    assert (await kit.call("Tasks")).ok
    assert not running.done()
    pass_through(tmp_path / "gate")
    assert (await running).ok


# ── input ─────────────────────────────────────────────────────────────────────────────────────
READERS = {
    "the shell": "read x; echo got $x",
    "a child": "head -n 1 | sed 's/^/got /'",
    "a grandchild": "bash -c 'bash -c \"read x; echo got \\$x\"'",
    "Python": "python3 -c 'print(\"got\", input())'",
    "after a while": "sleep 0.1; read x; echo got $x",
    "from a question": "read -p 'name? ' x; echo got $x",
}


@pytest.mark.parametrize("command", READERS.values(), ids=READERS)
async def test_whoever_reads_is_seen_to_wait_and_gets_it(kit: Toolkit, command: str) -> None:
    task = await begun(kit, command, stdin=True)
    started = time.monotonic()
    waiting = await look(kit, task)
    assert waiting.value.task.waiting_for_input
    assert waiting.value.retrieval_status == "timeout"
    assert "is waiting for input" in waiting.text
    assert time.monotonic() - started < 10
    assert (await kit.call("TaskInput", task_id=task, text="it\n")).ok
    assert (await shown(kit, task)).endswith("got it\n")


async def test_a_long_talk(kit: Toolkit) -> None:
    task = await begun(kit, "while read x; do echo $((x * 2)); done", stdin=True)
    for number in range(30):
        assert (await kit.call("TaskInput", task_id=task, text=f"{number}\n")).ok
        answer = ""
        while not answer.endswith("\n"):
            answer += await shown(kit, task, block=False, offset=-1)
        assert answer == f"{number * 2}\n"
    await kit.call("TaskInput", task_id=task, end=True)
    assert (await look(kit, task)).value.task.exit_code == 0


async def test_after_the_end_of_the_input_there_is_no_more(kit: Toolkit) -> None:
    task = await begun(kit, f"cat; {long_sleep()}", stdin=True)
    assert (await kit.call("TaskInput", task_id=task, text="a", end=True)).ok
    again = await kit.call("TaskInput", task_id=task, text="b")
    assert again.error is not None
    assert again.error.code is ErrorCode.EXECUTION_ERROR


async def test_nothing_is_sent_where_nothing_is_said(kit: Toolkit) -> None:
    task = await begun(kit, "cat", stdin=True)
    result = await kit.call("TaskInput", task_id=task)
    assert result.ok
    assert result.value.sent_bytes == 0
    assert kit.agent.tasks.get(task).status == "running"


# ── killing ───────────────────────────────────────────────────────────────────────────────────
async def test_it_can_be_killed_once(kit: Toolkit) -> None:
    task = await begun(kit, long_sleep())
    assert (await kit.call("KillShell", shell_id=task)).ok
    again = await kit.call("KillShell", shell_id=task)
    assert again.error is not None
    assert "killed" in again.text


async def test_two_who_kill_at_once_do_no_harm(kit: Toolkit) -> None:
    sleep = long_sleep()
    task = await begun(kit, sleep)
    calls = (kit.call("KillShell", shell_id=task) for _ in range(5))
    results = await asyncio.gather(*calls)
    assert any(result.ok for result in results)
    assert kit.agent.tasks.get(task).status == "killed"
    assert not alive(sleep)


async def test_what_it_printed_until_then_stays(kit: Toolkit) -> None:
    task = await begun(kit, "while :; do echo tick; done")
    while kit.agent.tasks.get(task).work.output.total < 200_000:
        await asyncio.sleep(0)
    await kit.call("KillShell", shell_id=task)
    result = await look(kit, task)
    assert result.value.task.output.startswith("tick\ntick\n")
    path = Path(kit.agent.tasks.get(task).work.output.path)
    assert path.stat().st_size == result.value.task.next_offset
    assert set(path.read_text(encoding="utf-8").split()) == {"tick"}


async def test_one_of_many_is_killed_and_the_others_go_on(kit: Toolkit) -> None:
    sleeps = [long_sleep() for _ in range(4)]
    tasks = [await begun(kit, sleep) for sleep in sleeps]
    await kit.call("KillShell", shell_id=tasks[1])
    assert [bool(alive(sleep)) for sleep in sleeps] == [True, False, True, True]


# ── how many ──────────────────────────────────────────────────────────────────────────────────
async def test_64_run_at_once_and_the_next_is_refused_until_there_is_room(kit: Toolkit) -> None:
    sleep, threads_before = long_sleep(), threads()
    tasks = [await begun(kit, sleep) for _ in range(64)]
    refused = await kit.call("Bash", command="touch made", run_in_background=True)
    assert refused.error is not None
    assert refused.error.code is ErrorCode.EXECUTION_ERROR
    assert refused.text.startswith("64 background tasks are running already.")
    assert not (Path(kit.agent.workspace.root) / "made").exists()
    assert (await kit.call("Bash", command="echo still here")).text == "still here"
    moved = await kit.call("Bash", command=sleep, timeout=100, on_timeout="background")
    assert moved.error is not None
    assert moved.error.code is ErrorCode.TIMEOUT
    await kit.call("KillShell", shell_id=tasks[0])
    assert (await kit.call("Bash", command="true", run_in_background=True)).ok
    kit.close()
    assert not alive(sleep)
    await settled(threads, threads_before + 2)


async def test_a_hundred_that_end_leave_64_and_no_descriptor(kit: Toolkit) -> None:
    await look(kit, await begun(kit, "true"))
    before = descriptors()
    paths = []
    for number in range(100):
        result = await kit.call("Bash", command=f"echo {number}", run_in_background=True)
        paths.append(Path(result.value.output_path))
        await look(kit, result.value.task_id)
    assert len(kit.agent.tasks.all()) == 64
    assert [path.exists() for path in paths] == [False] * 36 + [True] * 64
    await settled(descriptors, before)


# ── notes and lists ───────────────────────────────────────────────────────────────────────────
async def test_the_model_is_told_once_of_each_that_ended_unseen(kit: Toolkit) -> None:
    task, path = await gate(kit, "GATE")
    pass_through(path)
    await kit.agent.tasks.get(task).ended_within(20)
    other = await kit.call("Bash", command="exit 1", description="Fail", run_in_background=True)
    note = other.metadata["notes"][0]
    assert note.startswith(f"Background task {task} (read x <")
    assert note.endswith(" has ended: completed.")
    await kit.agent.tasks.get(other.value.task_id).ended_within(20)
    following = await kit.call("Bash", command="true")
    notes = [*other.metadata["notes"], *following.metadata.get("notes", [])]
    assert notes[1:] == [f"Background task {other.value.task_id} (Fail) has ended: failed."]
    assert "notes" not in (await kit.call("Bash", command="true")).metadata


async def test_what_was_looked_at_or_killed_is_no_news(kit: Toolkit) -> None:
    await look(kit, await begun(kit, "true"))
    await kit.call("KillShell", shell_id=await begun(kit, long_sleep()))
    assert "notes" not in (await kit.call("Bash", command="true")).metadata


async def test_the_list_shows_everyone_in_the_order_of_their_start(kit: Toolkit) -> None:
    commands = ["true", "false", long_sleep()]
    tasks = [await begun(kit, command, description=f"No {command[:5]}") for command in commands]
    for task in tasks[:2]:
        await look(kit, task)
    result = await kit.call("Tasks")
    assert [entry.id for entry in result.value.tasks] == tasks
    assert [entry.status for entry in result.value.tasks] == ["completed", "failed", "running"]
    assert all(task in line for task, line in zip(tasks, result.text.splitlines(), strict=True))
    assert result.metadata["running"] == 1


@pytest.mark.parametrize("title", ["a\nb", "a\x1b[31mb", "a\x07b", "\u202egpj", "x" * 1_000])
async def test_a_title_is_one_harmless_line(kit: Toolkit, title: str) -> None:
    await begun(kit, "true", description=title)
    listed = (await kit.call("Tasks")).text
    assert len(listed.splitlines()) == 1
    assert len(listed) < 400
    assert not re.search("[\x00-\x1f\x7f\u202e]", listed)


# ── moved ─────────────────────────────────────────────────────────────────────────────────────
async def test_what_is_moved_goes_on_where_it_was(kit: Toolkit, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    command = "echo one; read x <gate; echo two; exit 5"
    moved = await kit.call("Bash", command=command, timeout=200, on_timeout="background")
    assert moved.ok
    assert moved.text.startswith("one\n")
    assert moved.value.task_id in moved.text
    pass_through(tmp_path / "gate")
    result = await look(kit, moved.value.task_id)
    assert result.value.task.output == "one\ntwo\n"
    assert result.value.task.exit_code == 5
    assert Path(moved.value.output_path).read_text(encoding="utf-8") == "one\ntwo\n"


async def test_what_ends_in_time_is_not_moved(kit: Toolkit) -> None:
    result = await kit.call("Bash", command="echo a; exit 5", on_timeout="background")
    assert result.value.exit_code == 5
    assert result.value.task_id == ""
    assert kit.agent.tasks.all() == []


async def test_it_can_be_answered_after_it_was_moved(kit: Toolkit) -> None:
    moved = await kit.call(
        "Bash", command="read x; echo got $x", timeout=200, on_timeout="background", stdin=True
    )
    task = moved.value.task_id
    assert (await kit.call("TaskInput", task_id=task, text="it\n")).ok
    assert await shown(kit, task) == "got it\n"


async def test_its_output_is_readable_as_a_file_while_it_grows(kit: Toolkit) -> None:
    task = await begun(kit, "echo one; read x; echo two", stdin=True)
    await look(kit, task)
    path = kit.agent.tasks.get(task).work.output.path
    assert "one" in (await kit.call("Read", file_path=path)).text
    await kit.call("TaskInput", task_id=task, text="\n")
    await look(kit, task)
    assert "two" in (await kit.call("Read", file_path=path)).text
