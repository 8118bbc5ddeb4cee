"""TaskOutput: what a task printed, now or in the end, all of it or what is new."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ankrcode import ErrorCode, Toolkit, ToolResult
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.tools.task_output import TaskOutput, TaskOutputInput
from tools.suite import DEFINITIONS
from workspace.running import long_sleep


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Toolkit]:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
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


@pytest.mark.requirement("S4-114", "S4-233")
def test_its_parameters_have_defaults_and_bounds() -> None:
    schema = DEFINITIONS["TaskOutput"].input_schema
    assert schema["required"] == ["task_id"]
    assert schema["properties"]["block"]["default"] is True
    timeout = schema["properties"]["timeout"]
    assert (timeout["default"], timeout["minimum"], timeout["maximum"]) == (30_000, 0, 600_000)


@pytest.mark.requirement("S4-114", "S4-233")
async def test_all_three_parameters_may_be_given(kit: Toolkit) -> None:
    task = await begun(kit, "true")
    assert (await look(kit, task, block=True, timeout=30_000)).value.task.is_completed


@pytest.mark.requirement("S4-235")
def test_it_reads_and_is_safe_beside_others(kit: Toolkit) -> None:
    tool, args = TaskOutput(), TaskOutputInput(task_id="x")
    assert tool.is_read_only
    assert tool.is_concurrency_safe(args)
    assert tool.waits
    assert EVERYTHING not in tool.acts(args, None).reads  # type: ignore[arg-type]  # it needs none


@pytest.mark.requirement("S0-148", "S4-115", "S4-234")
async def test_it_waits_for_the_end(kit: Toolkit, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    task = await begun(kit, "echo one; read x <fifo; echo two; exit 3")
    first = await look(kit, task, block=False)
    assert first.value.retrieval_status == "not_ready"
    assert not first.value.task.is_completed
    assert first.value.task.exit_code is None
    (tmp_path / "fifo").write_text("go\n", encoding="utf-8")
    result = await look(kit, task)
    assert result.value.retrieval_status == "success"
    assert result.value.task.output == "one\ntwo\n"
    assert result.value.task.is_completed
    assert result.value.task.exit_code == 3
    assert result.text == f"Task {task}: failed, exit code 3\n\none\ntwo"


@pytest.mark.requirement("S4-234")
async def test_it_waits_no_longer_than_asked(kit: Toolkit) -> None:
    task = await begun(kit, long_sleep())
    for timeout in (0, 200):
        started = time.monotonic()
        result = await look(kit, task, timeout=timeout)
        assert result.value.retrieval_status == "timeout"
        assert time.monotonic() - started < timeout / 1000 + 5, "a bound for a busy machine"
    assert result.text == f"Task {task}: running\n\n(no output)"


async def test_only_what_is_new_is_shown_if_asked(kit: Toolkit) -> None:
    task = await begun(kit, "cat", stdin=True)
    for word in ("one\n", "दो\n", "three\n"):
        await kit.call("TaskInput", task_id=task, text=word)
        shown = ""
        while shown != word:
            shown += (await look(kit, task, block=False, offset=-1)).value.task.output
            assert word.startswith(shown)
    everything = await look(kit, task, block=False)
    assert everything.value.task.output == "one\nदो\nthree\n"
    after = everything.value.task.next_offset
    assert (await look(kit, task, block=False, offset=after)).value.task.output == ""
    assert (await look(kit, task, block=False, offset=4)).value.task.output == "दो\nthree\n"
    assert (await look(kit, task, block=False, offset=10**9)).value.task.output == ""


async def test_half_a_character_waits_for_its_other_half(kit: Toolkit) -> None:
    task = await begun(kit, "printf 'a\\xe0\\xa4'; read x; printf '\\xa8'", stdin=True)
    waiting = await look(kit, task)
    assert (waiting.value.task.output, waiting.value.task.next_offset) == ("a", 1)
    await kit.call("TaskInput", task_id=task, text="\n")
    assert (await look(kit, task, offset=-1)).value.task.output == "न"


async def test_of_much_output_beginning_and_end_are_shown(kit: Toolkit) -> None:
    task = await begun(kit, "seq 1 300000")
    result = await look(kit, task)
    assert result.text.startswith(f"Task {task}: completed, exit code 0\n\n1\n2\n")
    assert "\n300000\n" in result.text
    assert len(result.text) <= 30_000
    path = kit.agent.tasks.get(task).work.output.path
    assert f"Full content saved to: {path}" in result.text
    middle = await look(kit, task, offset=1_000_000)
    assert "1\n2\n3\n" not in middle.value.task.output[:10]
    assert "300000" in middle.value.task.output


async def test_one_that_waits_for_input_is_reported_at_once(kit: Toolkit) -> None:
    task = await begun(kit, "echo name?; read x; echo hello $x", stdin=True)
    started = time.monotonic()
    result = await look(kit, task)  # it would wait for 30 s
    assert time.monotonic() - started < 10
    assert result.value.task.waiting_for_input
    assert f"Task {task} is waiting for input: use TaskInput." in result.text
    await kit.call("TaskInput", task_id=task, text="bob\n")
    assert (await look(kit, task)).value.task.output == "name?\nhello bob\n"


async def test_one_without_input_never_waits_for_it(kit: Toolkit) -> None:
    task = await begun(kit, "read x; echo [$x] $?")
    result = await look(kit, task)
    assert result.value.task.output == "[] 1\n"
    assert not result.value.task.waiting_for_input


async def test_an_unknown_task_is_an_error_that_names_the_known(kit: Toolkit) -> None:
    task = await begun(kit, "true")
    result = await kit.call("TaskOutput", task_id="nonsense")
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert result.error.suggestion == f"Tasks: {task}. No remote session is configured here."


async def test_it_needs_no_question(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)  # asks, and nobody is there
    kit.agent.tasks.add("t", kit.agent.processes.shell("true", cwd="/"), kind="shell", title="true")
    assert (await kit.call("TaskOutput", task_id="t")).ok


async def test_a_task_goes_on_when_the_loop_that_started_it_has_ended(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    started = kit.call_sync("Bash", command="read x; echo $x", run_in_background=True, stdin=True)
    task = started.value.task_id
    assert (await kit.call("TaskInput", task_id=task, text="here\n")).ok
    assert (await look(kit, task)).value.task.output == "here\n"
    kit.close()
