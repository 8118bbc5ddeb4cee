"""KillShell: a task and everything it started is gone when it answers."""

import asyncio
import time
from pathlib import Path

import pytest

from ankrcode import Permission, Toolkit
from ankrcode.tools.kill_shell import KillShell, KillShellInput
from tools.suite import DEFINITIONS
from workspace.running import alive, long_sleep


@pytest.mark.requirement("S4-111", "S4-112")
async def test_it_ends_a_task_with_all_that_it_started(tmp_path: Path) -> None:
    kit, sleep = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep()
    command = f"echo begun; setsid {sleep} & {sleep}"
    task = (await kit.call("Bash", command=command, run_in_background=True)).value.task_id
    result = await kit.call("KillShell", shell_id=task)
    assert result.text == f"Successfully killed shell: {task}"
    assert result.value.status == "killed"
    assert not alive(sleep)
    output = await kit.call("TaskOutput", task_id=task)
    assert output.value.task.is_completed
    assert output.text.startswith(f"Task {task}: killed, exit code ")
    kit.close()


@pytest.mark.requirement("S4-111")
async def test_what_has_ended_or_never_was_cannot_be_killed(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    task = (await kit.call("Bash", command="true", run_in_background=True)).value.task_id
    await kit.call("TaskOutput", task_id=task)
    ended = await kit.call("KillShell", shell_id=task)
    assert not ended.ok
    assert ended.text.startswith(f"Task {task} has ended already: completed.")
    unknown = await kit.call("KillShell", shell_id="nonsense")
    assert not unknown.ok
    assert unknown.text.startswith("There is no task 'nonsense'.")
    kit.close()


async def test_one_that_ignores_the_polite_signal_is_killed_too(tmp_path: Path) -> None:
    kit, sleep = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep()
    command = f"trap '' TERM; while :; do {sleep}; done"
    task = (await kit.call("Bash", command=command, run_in_background=True)).value.task_id
    while not alive(sleep):
        await asyncio.sleep(0)
    started = time.monotonic()
    assert (await kit.call("KillShell", shell_id=task)).ok
    assert time.monotonic() - started < 10
    assert not alive(sleep)
    kit.close()


@pytest.mark.requirement("S4-232")
def test_it_is_safe_but_does_not_only_read() -> None:
    tool = KillShell()
    assert tool.is_concurrency_safe(KillShellInput(shell_id="x"))
    assert not tool.is_read_only
    assert tool.permission is Permission.EXECUTE
    assert DEFINITIONS["KillShell"].input_schema["required"] == ["shell_id"]


async def test_a_hundred_tasks_leave_nothing_behind(tmp_path: Path, own_home: Path) -> None:
    kit, sleep = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep()
    for _ in range(2):
        begun = await asyncio.gather(
            *(
                kit.call("Bash", command=f"echo x; {sleep}", run_in_background=True)
                for _ in range(50)
            )
        )
        tasks = [result.value.task_id for result in begun]
        looks = [kit.call("TaskOutput", task_id=task, block=False) for task in tasks]
        assert all(result.ok for result in await asyncio.gather(*looks))
        kills = [kit.call("KillShell", shell_id=task) for task in tasks]
        assert all(result.ok for result in await asyncio.gather(*kills))
    assert len(kit.agent.tasks.all()) == 64
    kit.close()
    assert not alive(sleep)
    assert kit.agent.tasks.all() == []
    assert not [path for path in own_home.rglob("*.txt") if path.is_file()]
