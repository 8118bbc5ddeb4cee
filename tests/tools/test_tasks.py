"""Tasks: what goes on in the background."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from workspace.running import long_sleep


async def test_without_tasks_it_says_so(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("Tasks")
    assert result.text == "No background tasks."
    assert result.value.tasks == []


@pytest.mark.requirement("S4-113")
async def test_each_task_is_listed_with_its_id_state_and_file(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    ids = []
    for command in ("exit 3", "echo hi", long_sleep(), long_sleep()):
        started = await kit.call(
            "Bash", command=command, description=f"Run {command[:5]}", run_in_background=True
        )
        ids.append(started.value.task_id)
    for task in ids[:2]:
        await kit.call("TaskOutput", task_id=task)
    await kit.call("KillShell", shell_id=ids[3])
    result = await kit.call("Tasks")
    entries = result.value.tasks
    assert [entry.id for entry in entries] == ids
    assert [entry.status for entry in entries] == ["failed", "completed", "running", "killed"]
    assert [entry.exit_code for entry in entries][:3] == [3, 0, None]
    assert entries[1].output_bytes == 3
    assert Path(entries[1].output_path).read_text(encoding="utf-8") == "hi\n"
    assert result.metadata == {"running": 1, "total": 4}
    lines = result.text.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith(f"{ids[0]}  failed exit code 3  ")
    assert lines[2].endswith("  Run sleep")
    kit.close()
