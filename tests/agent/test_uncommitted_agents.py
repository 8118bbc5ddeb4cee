"""An agent in a worktree: it begins with what its parent sees, and tells where its changes are."""

from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, text_of
from agent.test_agent_files import defined, trusted
from agent.test_uncommitted import first_words
from agent.test_worktree import git, isolated, repository, template
from ankrcode.agent import uncommitted
from ankrcode.testing import YES, FakePerson

__all__ = ["repository", "template"]


async def test_a_child_reads_what_its_parent_just_wrote(repository: Path) -> None:
    turns = [
        calls(call("Write", file_path="fresh.txt", content="from the parent")),
        calls(isolated("look at fresh.txt")),
        calls(call("Read", file_path="fresh.txt")),
        "seen",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    assert "from the parent" in text_of(firm.model.requests[3].messages[-1])
    (task,) = [one for one in firm.results if "agent_id" in one.metadata]
    assert "worktree" not in task.metadata
    assert git(repository, "worktree", "list").count("\n") == 0


async def test_kept_it_is_named_in_the_result(repository: Path) -> None:
    write = call("Write", file_path="new.txt", content="x")
    turns = [calls(isolated("write")), calls(write), "written", "done"]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    (task,) = firm.of_task
    assert task.metadata["worktree"] == task.value.worktree
    assert task.metadata["branch"] == f"ankrcode/{task.value.agent_id}"
    assert "left_out" not in task.metadata


async def test_the_child_is_told_where_it_is_and_what_is_missing(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncommitted, "CARRIED_BYTES", 10)
    for number in range(25):
        (repository / f"{number:02}.bin").write_bytes(b"x" * 11)
    write = call("Write", file_path="new.txt", content="x")
    turns = [calls(isolated("write")), calls(write), "written", "done"]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    told = text_of(firm.request("write").messages[-1])
    assert f"a copy of {repository}" in told
    assert "00.bin" in told
    assert "19.bin and 5 more" in told
    assert len(firm.of_task[0].metadata["left_out"]) == 25


async def test_in_the_background_the_output_names_the_place(repository: Path) -> None:
    def look(request: Any) -> Any:
        _, is_begun, rest = text_of(request.messages[-1]).partition("started: ")
        return calls(call("TaskOutput", task_id=rest.split()[0])) if is_begun else "done"

    def child(request: Any) -> Any:
        if "write it" in text_of(request.messages[-1]):
            return calls(call("Write", file_path="new.txt", content="x"))
        return "written"

    def either(request: Any) -> Any:
        return child(request) if "write it" in first_words(request) else look(request)

    ordered = calls(order("write it", "code", isolation="worktree", run_in_background=True))
    turns = [ordered, *[either] * 4]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    (looked,) = [one for one in firm.results if one.title.startswith("TaskOutput")]
    assert "on the branch ankrcode/agent_" in looked.text


@pytest.mark.parametrize("mode", ["plan", "default"])
async def test_a_file_may_ask_for_a_worktree_but_in_plan_mode_git_writes_nothing(
    mode: str, repository: Path
) -> None:
    apart = "---\nname: apart\nisolation: worktree\n---\nYou work apart."
    defined(repository / ".claude" / "agents", "apart.md", apart)
    trusted(repository)
    refs = sorted((repository / ".git").rglob("*"))
    turns = [calls(order("look", "apart")), "seen", "done"]
    firm = Firm(repository, turns, mode=mode)
    await firm.run()
    (result,) = firm.of_task
    if mode == "plan":
        assert "none is made in plan mode" in result.text
        assert sorted((repository / ".git").rglob("*")) == refs
    else:
        assert "a copy of" in text_of(firm.model.requests[1].messages[-1])
