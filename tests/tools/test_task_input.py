"""TaskInput: a task in the background is answered."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit, ToolResult
from ankrcode.testing import NO, Bench
from ankrcode.tools.task_input import TaskInput
from workspace.running import long_sleep


async def begun(kit: Toolkit, command: str, **more: Any) -> str:
    result = await kit.call("Bash", command=command, run_in_background=True, **more)
    return str(result.value.task_id)


async def output(kit: Toolkit, task: str) -> str:
    return str((await kit.call("TaskOutput", task_id=task)).value.task.output)


async def test_what_is_written_is_read(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    task = await begun(kit, "read a; read b; echo $b $a", stdin=True)
    first = await kit.call("TaskInput", task_id=task, text="एक\n")
    assert first.text == f"Sent 7 bytes to task {task}."
    assert first.value.sent_bytes == 7
    await kit.call("TaskInput", task_id=task, text="two\n")
    assert await output(kit, task) == "two एक\n"
    kit.close()


async def test_the_end_of_the_input_can_be_said(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    task = await begun(kit, "sort", stdin=True)
    await kit.call("TaskInput", task_id=task, text="b\na\n")
    ended = await kit.call("TaskInput", task_id=task, end=True)
    assert ended.value.ended
    assert await output(kit, task) == "a\nb\n"
    kit.close()


FAILING = {
    "no input": (long_sleep(), False, "has no input."),
    "over": ("true", True, "reads no more."),
    "does not read": (long_sleep(), True, "does not read: only "),
}


@pytest.mark.parametrize(("command", "stdin", "message"), FAILING.values(), ids=FAILING)
async def test_what_cannot_be_read_is_an_error(
    tmp_path: Path, command: str, stdin: bool, message: str
) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    task = await begun(kit, command, stdin=stdin)
    if command == "true":
        await output(kit, task)
    results: list[ToolResult] = []
    while len(results) < 3:  # more than a pipe holds
        results += [await kit.call("TaskInput", task_id=task, text="x" * 60_000)]
    assert not results[-1].ok
    assert message in results[-1].text
    assert results[-1].error is not None
    assert results[-1].error.suggestion
    kit.close()


async def test_the_person_is_asked_what_a_task_is_told(tmp_path: Path) -> None:
    bench = Bench(TaskInput, tmp_path, answers=[NO])
    process = bench.kit.agent.processes.shell("cat", cwd="/", takes_input=True)
    bench.kit.agent.tasks.add("t", process, kind="shell", title="cat")
    result = await bench.run(task_id="t", text="rm -rf .\n")
    assert not result.ok
    (approval,) = bench.asked
    assert approval.acts.runs == ("rm -rf .\n",)
    assert process.output.total == 0
    bench.kit.close()
