"""Tools in part: `Bash(git:*)` in an agent's list is git alone, however a line is spelled."""

from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, system_of, text_of
from agent.test_agent_files import defined, trusted
from ankrcode import Toolkit
from ankrcode.agent.agent_files import agent_type
from ankrcode.agent.bounds import names_of, parts_in, rules_in, spread
from ankrcode.permissions.decide import Decision
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import YES, FakePerson

COMMITTER = """---
name: committer
description: Looks at the repository
tools: {tools}
---
You look at the repository.
"""


def bound(folder: Path, *items: str, denied: tuple[str, ...] = ()) -> Toolkit:
    """A further agent's tools, given in part."""
    child = Toolkit(cwd=folder).for_agent("child")
    child.agent.policy.bind(rules_in(denied, "deny", child.agent.workspace))
    child.agent.policy.bind(rules_in(items, "allow", child.agent.workspace))
    return child


def judged(kit: Toolkit, name: str, **arguments: Any) -> tuple[Decision, str]:
    verdict = kit.judge(ToolCall(name=name, arguments=arguments))[1]
    return verdict.decision, verdict.reason


def is_beyond(kit: Toolkit, command: str) -> bool:
    decision, reason = judged(kit, "Bash", command=command, description="x")
    return decision is Decision.DENY and "only as" in reason


# ── what a list says ──────────────────────────────────────────────────────────────────────────
def test_a_list_names_each_tool_once() -> None:
    assert names_of(("Bash(git:*)", "Bash(ls)", "Read", " Read ")) == ("Bash", "Read")


def test_names_of_other_agents_mean_the_same_tools() -> None:
    text = COMMITTER.format(tools="LS, MultiEdit, Edit, Agent, BashOutput, KillBash, Read")
    assert agent_type(text).tools == ("List", "Edit", "Task", "TaskOutput", "KillShell", "Read")


def test_a_part_under_another_name_binds_the_same_tool(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    kit = bound(tmp_path, "LS(/docs/**)", "Agent(explore)")
    assert judged(kit, "List", path="docs")[0] is Decision.ALLOW
    assert judged(kit, "List", path=".")[0] is Decision.DENY
    task = {"description": "x", "prompt": "x", "subagent_type": "code"}
    assert judged(kit, "Task", **task)[0] is Decision.DENY


def test_a_list_without_brackets_has_no_parts_whatever_it_names() -> None:
    assert parts_in(("Read", "Web Search"), "allow") == ()


@pytest.mark.parametrize(
    "items", [("Bash(git:*",), ("Bash()",), ("Bash(git:*)", "Web Search"), ("Read(../../..x/..)",)]
)
def test_a_part_that_cannot_be_read_is_an_error(items: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="is not a rule"):
        parts_in(items, "allow")


def test_a_file_gives_parts_of_tools() -> None:
    one = agent_type(COMMITTER.format(tools="Bash(git:*), Read"))
    assert (one.tools, one.bounds) == (("Bash", "Read"), ("Bash(git:*)", "Read"))
    assert agent_type(COMMITTER.format(tools="Bash, Read")).bounds == ()


def test_a_file_takes_away_parts_of_tools_or_whole_ones() -> None:
    text = COMMITTER.format(tools="Bash, Read, Write\ndisallowedTools: Write, Bash(git push:*)")
    one = agent_type(text)
    assert (one.without, one.denials) == (("Write",), ("Bash(git push:*)",))


@pytest.mark.parametrize("field", ["tools", "disallowedTools"])
def test_a_file_with_a_broken_part_is_refused_as_a_whole(field: str) -> None:
    with pytest.raises(ValueError, match=r"'Bash\(git' is not a rule"):
        agent_type(f"---\nname: x\n{field}: Bash(git\n---\nDo it.")


# ── command lines ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git log --oneline -3 && git diff",
        "git status | git hash-object --stdin",
        "git status 2>/dev/null",
        "git diff 2>&1",
        "timeout 5 git status",
        "nohup git status",
        "command git status",
        "! git status",
        "git status # touch x",
        "git commit -m 'touch x && rm y'",
    ],
)
def test_what_the_part_names_is_judged_as_ever(command: str, tmp_path: Path) -> None:
    limited, free = bound(tmp_path, "Bash(git:*)"), Toolkit(cwd=tmp_path).for_agent("child")
    line = {"command": command, "description": "x"}
    assert judged(limited, "Bash", **line) == judged(free, "Bash", **line)


@pytest.mark.parametrize(
    "command",
    [
        "touch x",
        "ls",
        "git status && touch x",
        "git status; touch x",
        "git status\ntouch x",
        "git status || touch x",
        "git status & touch x",
        "git log | tee x",
        "git log | head -3",
        "cd inner && git status",
        'git log --format="$(touch x)"',
        "git log `touch x`",
        "git diff <(touch x) a",
        "git status > x",
        "git status >> .gitconfig",
        "env touch x",
        "env git status",
        "sudo git status",
        "xargs git",
        "bash -c 'git status'",
        "bash -c 'git status; touch x'",
        "eval 'touch x'",
        "git() { touch x; }; git status",
        "alias git=touch; git x",
        "trap 'touch x' EXIT; git status",
        "hash -p /bin/touch git; git x",
        "PATH=. git status",
        "GIT_PAGER='touch x' git log",
        "GIT_SSH_COMMAND='touch x' git fetch",
        "git -c alias.s='!touch x' s",
        "./git status",
        "gitk",
        "git-evil",
        "if git diff --quiet; then touch x; fi",
        "for f in a b; do touch $f; done; git status",
        "X=$(touch x); git status",
        "${GIT:-git} status",
        "$'\\x67it' status; touch x",
        "echo git status",
        "cat <<E | git apply\nx\nE",
        "git status '",
    ],
)
def test_anything_else_is_refused_and_nobody_is_asked(command: str, tmp_path: Path) -> None:
    assert is_beyond(bound(tmp_path, "Bash(git:*)", "Read"), command)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "auto", "dontAsk", "plan"])
def test_no_mode_and_no_yes_from_before_widens_it(mode: str, tmp_path: Path) -> None:
    parent = Toolkit(cwd=tmp_path, mode=mode)
    parent.agent.policy.grant("Bash", "*")
    child = parent.for_agent("child")
    child.agent.policy.bind(rules_in(("Bash(git:*)",), "allow", child.agent.workspace))
    assert is_beyond(child, "touch x")


def test_several_parts_of_a_tool_add_up(tmp_path: Path) -> None:
    kit = bound(tmp_path, "Bash(git status:*)", "Bash(ls:*)")
    assert not is_beyond(kit, "git status && ls -l")
    assert is_beyond(kit, "git log && ls")


def test_the_whole_tool_beside_a_part_of_it_is_the_whole_tool(tmp_path: Path) -> None:
    assert not is_beyond(bound(tmp_path, "Bash(git:*)", "Bash"), "touch x")


def test_two_bounds_leave_what_both_name(tmp_path: Path) -> None:
    kit = bound(tmp_path, "Bash(git:*)")
    kit.agent.policy.bind(
        rules_in(("Bash(git status:*)", "Bash(ls)"), "allow", kit.agent.workspace)
    )
    assert not is_beyond(kit, "git status")
    assert is_beyond(kit, "git log")
    assert is_beyond(kit, "ls")


def test_what_is_taken_away_in_part_leaves_the_rest(tmp_path: Path) -> None:
    kit = bound(tmp_path, denied=("Bash(git push:*)",))
    assert judged(kit, "Bash", command="git status", description="x")[0] is Decision.ALLOW
    for line in ("git push", "git -C . push", "git status && git push", "env git push"):
        decision, reason = judged(kit, "Bash", command=line, description="x")
        assert decision is Decision.DENY
        assert "Bash(git push:*)" in reason


def test_to_begin_anew_does_not_lift_it(tmp_path: Path) -> None:
    kit = bound(tmp_path, "Bash(git:*)", denied=("Bash(git push:*)",))
    kit.clear_state()
    assert is_beyond(kit, "ls")
    assert judged(kit, "Bash", command="git push", description="x")[0] is Decision.DENY


# ── files and other tools ─────────────────────────────────────────────────────────────────────
def test_files_are_bound_by_place(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "out").symlink_to(tmp_path)
    kit = bound(tmp_path, "Read(/docs/**)", "Edit(/docs/**)", "Glob")
    assert judged(kit, "Read", file_path="docs/a.md")[0] is Decision.ALLOW
    for path in ("a.md", "docs/../a.md", "/etc/hosts", "out/a.md"):
        assert judged(kit, "Read", file_path=path)[0] is Decision.DENY, path
    assert judged(kit, "Glob", pattern="*.md")[0] is Decision.ALLOW
    assert judged(kit, "Edit", file_path="a.md", old_string="a", new_string="b")[0] is Decision.DENY
    assert (
        judged(kit, "Edit", file_path="docs/a", old_string="a", new_string="b")[0] is Decision.ASK
    )


def test_a_tool_that_writes_and_is_named_as_a_whole_stays_whole(tmp_path: Path) -> None:
    kit = bound(tmp_path, "Edit(/docs/**)", "Write")
    assert judged(kit, "Write", file_path="a.md", content="x")[0] is Decision.ASK


def test_agents_can_be_bound_to_types(tmp_path: Path) -> None:
    kit = bound(tmp_path, "Task(explore)")
    task = {"description": "x", "prompt": "x"}
    assert judged(kit, "Task", **task, subagent_type="explore")[0] is Decision.ALLOW
    assert judged(kit, "Task", **task, subagent_type="code")[0] is Decision.DENY


@pytest.mark.parametrize("written", ["Task(explore, plan)", "Agent(explore,plan)"])
def test_agents_can_be_bound_to_several_types_in_one_rule(written: str, tmp_path: Path) -> None:
    kit = bound(tmp_path, *spread([written]))
    task = {"description": "x", "prompt": "x"}
    for kind, decision in (("explore", Decision.ALLOW), ("plan", Decision.ALLOW)):
        assert judged(kit, "Task", **task, subagent_type=kind)[0] is decision
    assert judged(kit, "Task", **task, subagent_type="code")[0] is Decision.DENY


def test_those_below_are_bound_as_well(tmp_path: Path) -> None:
    below = bound(tmp_path, "Bash(git:*)", denied=("Bash(git push:*)",)).for_agent("below")
    assert is_beyond(below, "touch x")
    assert judged(below, "Bash", command="git push", description="x")[0] is Decision.DENY


def test_a_policy_without_bounds_decides_as_before(tmp_path: Path) -> None:
    kit = bound(tmp_path)
    assert kit.agent.policy.bounds == ()
    assert judged(kit, "Bash", command="touch x", description="x")[0] is Decision.ASK


# ── agents at work ────────────────────────────────────────────────────────────────────────────
def bash(command: str) -> Any:
    return call("Bash", command=command, description="x")


async def test_an_agent_of_a_file_is_held_to_its_part(tmp_path: Path) -> None:
    defined(tmp_path / ".claude/agents", "c.md", COMMITTER.format(tools="Bash(git:*), Read"))
    trusted(tmp_path)
    lines = [bash("git --version"), bash("git --version && touch x"), bash("touch x")]
    firm = Firm(
        tmp_path,
        [calls(order("look", "committer")), calls(*lines), "looked", "done"],
        approve=FakePerson([YES] * 3),
    )
    await firm.run()
    told = text_of(firm.model.requests[2].messages[-1])
    assert "git version" in told
    assert told.count("this agent may use Bash only as Bash(git:*) says") == 2
    assert not (tmp_path / "x").exists()
    assert firm.tools_told("look") == ["Bash", "Read"]
    assert "only this may be used: Bash(git:*), Read" in system_of(firm.request("look"))


async def test_an_order_may_give_a_part(tmp_path: Path) -> None:
    asked = order("look", "bash", allowed_tools=["Bash(git:*)"])
    turns = [calls(asked), calls(bash("touch x")), "tried", "done"]
    firm = Firm(tmp_path, turns, approve=FakePerson([YES]))
    await firm.run()
    assert "only as Bash(git:*) says" in text_of(firm.model.requests[2].messages[-1])
    assert not (tmp_path / "x").exists()


async def test_an_order_never_widens_what_a_file_gives(tmp_path: Path) -> None:
    defined(tmp_path / ".ankrcode/agents", "c.md", COMMITTER.format(tools="Bash(git:*)"))
    trusted(tmp_path)
    asked = order("look", "committer", allowed_tools=["Bash"])
    turns = [calls(asked), calls(bash("touch x")), "tried", "done"]
    firm = Firm(tmp_path, turns, approve=FakePerson([YES]))
    await firm.run()
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("items", [["Bash(git"], ["Bash()"], ["Bash(x:*, y:*)"]])
async def test_an_order_that_cannot_be_read_starts_nobody(items: list[str], tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("look", "bash", allowed_tools=items)), "done"])
    await firm.run()
    assert "cannot be read" in firm.results[0].text
    assert len(firm.model.requests) == 2


async def test_a_part_of_a_tool_it_has_not_is_refused(tmp_path: Path) -> None:
    asked = order("look", "explore", allowed_tools=["Bash(git:*)"])
    firm = Firm(tmp_path, [calls(asked), "done"])
    await firm.run()
    assert "has no tool 'Bash'" in firm.results[0].text


async def test_resumed_it_is_bound_as_before(tmp_path: Path) -> None:
    asked = order("look", "bash", allowed_tools=["Bash(git:*)"])
    first = Firm(tmp_path, [calls(asked), "looked", "done"], records=True)
    await first.run()
    agent_id = first.of_task[0].value.agent_id
    session = first.kit.agent.session_id
    await first.agent.close()
    turns = [calls(order("on", "bash", resume=agent_id)), calls(bash("touch x")), "tried", "done"]
    person = FakePerson([YES])
    second = Firm(tmp_path, turns, records=True, session_id=session, approve=person)
    await second.run()
    assert "only as Bash(git:*) says" in text_of(second.model.requests[2].messages[-1])
    assert not (tmp_path / "x").exists()
