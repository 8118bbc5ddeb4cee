"""Agents that people define in files: read as they are written, and only where they may count."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.crew import Firm, calls, order, system_of, text_of
from agent.test_worktree import git
from ankrcode import Mode
from ankrcode.agent.agent_files import MAX_FILE_BYTES, AgentType, agent_type, own_types
from ankrcode.agent.front_matter import split
from ankrcode.config.trust import TrustStore
from ankrcode.testing import YES, FakePerson
from torture import examples

TESTER = """---
name: tester
description: Runs the tests and says what fails
tools: Read, Grep
model: small
maxTurns: 7
---

You run the tests of this project.

Say which fail.
"""


def defined(folder: Path, name: str, text: str = TESTER) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def trusted(folder: Path) -> None:
    TrustStore.of(os.environ).add(folder)


# ── one file ──────────────────────────────────────────────────────────────────────────────────
def test_a_file_says_who_it_is_and_what_it_may_use() -> None:
    assert agent_type(TESTER, "/x/tester.md") == AgentType(
        name="tester",
        description="Runs the tests and says what fails",
        prompt="You run the tests of this project.\n\nSay which fail.",
        tools=("Read", "Grep"),
        model="small",
        max_turns=7,
        path="/x/tester.md",
    )


def test_only_a_prompt_is_needed_the_name_is_the_files() -> None:
    one = agent_type("---\n---\nDo it.", "/agents/helper.md")
    assert (one.name, one.prompt, one.tools) == ("helper", "Do it.", None)
    assert (one.model, one.max_turns, one.mode) == ("", 20, None)


@pytest.mark.parametrize(
    ("written", "tools"),
    [
        ("tools: Read, Grep", ("Read", "Grep")),
        ("tools: [Read, Grep]", ("Read", "Grep")),
        ("tools: [\"Read\", 'Grep']", ("Read", "Grep")),
        ("tools:\n  - Read\n  - Grep", ("Read", "Grep")),
        ("tools:\n- Read\n- Grep  # to search", ("Read", "Grep")),
        ("tools: Read,Grep, Read", ("Read", "Grep")),
        ("tools: Bash(git add, git commit), Read", ("Bash", "Read")),
        ("tools: Read Grep  Bash", ("Read", "Grep", "Bash")),
        ("tools:\n  - Read Grep\n  - Bash(git log:*)", ("Read", "Grep", "Bash")),
        ("tools: [\n  Read,\n  Grep,\n]", ("Read", "Grep")),
        ("tools: '*'", None),
        ("tools: all", None),
        ("color: blue", None),
        ("tools: []", ()),
        ("tools:", ()),
    ],
)
def test_tools_may_be_written_in_every_usual_way(
    written: str, tools: tuple[str, ...] | None
) -> None:
    assert agent_type(f"---\nname: x\n{written}\n---\nDo it.").tools == tools


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("description: plain words", "plain words"),
        ("description: with a colon: inside", "with a colon: inside"),
        ('description: "in quotes: #1"', "in quotes: #1"),
        ("description: 'it''s'", "it's"),
        ("description: words  # a remark", "words"),
        ("description: |\n  two\n  lines", "two\nlines"),
        ("description: >-\n  folded\n  lines", "folded lines"),
        ("description: goes on\n  below", "goes on below"),
        ("description: परीक्षण चलाता है", "परीक्षण चलाता है"),
        ("description:", ""),
    ],
)
def test_text_may_be_written_in_every_usual_way(written: str, text: str) -> None:
    assert agent_type(f"---\nname: x\n{written}\n---\nDo it.").description == text


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ("model: inherit", "model", ""),
        ("model: opus", "model", "opus"),
        ("model: groq/llama-3.3-70b-versatile", "model", "groq/llama-3.3-70b-versatile"),
        ("permissionMode: plan", "mode", Mode.PLAN),
        ("permissionMode: bypassPermissions", "mode", Mode.BYPASS),
        ("permissionMode: acceptEdits", "mode", Mode.ACCEPT_EDITS),
        ("isolation: worktree", "is_isolated", True),
        ("disallowedTools: Write, Edit", "without", ("Write", "Edit")),
        ("disallowedTools: Write Edit", "without", ("Write", "Edit")),
        ("disallowedTools: Task(code, plan)", "denials", ("Task(code)", "Task(plan)")),
        ("tools: Agent(code,plan), Read", "bounds", ("Agent(code)", "Agent(plan)", "Read")),
        ("max_turns: 3", "max_turns", 3),
        ("aliases: a, b", "aliases", ("a", "b")),
    ],
)
def test_other_fields_mean_what_they_mean_elsewhere(
    written: str, field: str, value: object
) -> None:
    assert getattr(agent_type(f"---\nname: x\n{written}\n---\nDo it."), field) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first line"),
        ("You are an agent.", "first line"),
        ("---\nname: x\nno end", "second line"),
        ("---\nname: x\n---\n", "no prompt"),
        ("---\nname: x\n---\n  \n\n", "no prompt"),
        ("---\njust words\n---\nDo it.", "'just words' is not 'key: value'"),
        ("---\nmaxTurns: many\n---\nDo it.", "maxTurns is 'many'"),
        ("---\nmaxTurns: 0\n---\nDo it.", "maxTurns is '0'"),
        ("---\nmaxTurns: ४\n---\nDo it.", "maxTurns is '४'"),
        ("---\npermissionMode: god\n---\nDo it.", "no mode 'god'"),
        ("---\nisolation: worktre\n---\nDo it.", "isolation is 'worktre', not worktree"),
        ("---\ntools: [Read\n---\nDo it.", "no closing bracket"),
        ("---\n{json: true}\n---\nDo it.", "is not 'key: value'"),
    ],
)
def test_what_is_not_understood_is_said_and_never_guessed(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        agent_type(text, "/agents/x.md")


def test_line_endings_and_a_mark_at_the_beginning_do_no_harm() -> None:
    one = agent_type("\ufeff" + TESTER.replace("\n", "\r\n"), "/x/tester.md")
    assert (one.name, one.tools) == ("tester", ("Read", "Grep"))


@examples(300, 20_000)
@given(st.text(alphabet=st.sampled_from("-:# \n\t'\"[](),|>abné\\{}"), max_size=80))
def test_whatever_stands_in_a_file_is_read_or_refused(text: str) -> None:
    try:
        facts, rest = split(f"---\n{text}\n---\nDo it.")
    except ValueError:
        return
    assert rest.endswith("Do it.")
    for key in facts.values:
        assert isinstance(facts.text(key), str)
        assert all(isinstance(item, str) for item in facts.items(key))


# ── where they count ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("place", [".ankrcode/agents", ".claude/agents"])
def test_a_projects_agents_count_once_the_folder_is_trusted(place: str, tmp_path: Path) -> None:
    defined(tmp_path / place, "tester.md")
    assert own_types(str(tmp_path), os.environ) == ({}, [])
    trusted(tmp_path)
    types, faults = own_types(str(tmp_path), os.environ)
    assert (list(types), faults) == (["tester"], [])


@pytest.mark.parametrize("place", [".config/ankrcode/agents", ".claude/agents"])
def test_the_persons_own_count_everywhere(place: str, tmp_path: Path, own_home: Path) -> None:
    defined(own_home / place, "tester.md")
    assert list(own_types(str(tmp_path), os.environ)[0]) == ["tester"]


def test_the_project_knows_better_than_the_person(tmp_path: Path, own_home: Path) -> None:
    defined(own_home / ".claude/agents", "tester.md", TESTER.replace("small", "large"))
    defined(tmp_path / ".ankrcode/agents", "tester.md")
    trusted(tmp_path)
    assert own_types(str(tmp_path), os.environ)[0]["tester"].model == "small"


def test_one_broken_file_harms_no_other_and_is_named(tmp_path: Path) -> None:
    folder = tmp_path / ".ankrcode/agents"
    defined(folder, "a.md", "no front matter")
    defined(folder, "b.md")
    defined(folder, "notes.txt", "not one")
    (folder / "huge.md").write_bytes(b"---\nname: x\n---\n" + b"x" * MAX_FILE_BYTES)
    (folder / "bytes.md").write_bytes(b"---\nname: \xff\n---\nx")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    trusted(tmp_path)
    types, faults = own_types(str(tmp_path), os.environ)
    assert list(types) == ["tester"]
    assert len(faults) == 5
    for name in ("a.md", "huge.md", "bytes.md", "folder.md", "pipe.md"):
        assert any(name in fault for fault in faults), name


# ── at work ───────────────────────────────────────────────────────────────────────────────────
async def test_an_agent_of_a_file_works_like_any_other(tmp_path: Path) -> None:
    defined(tmp_path / ".ankrcode/agents", "tester.md")
    trusted(tmp_path)
    firm = Firm(tmp_path, [calls(order("run them", "tester")), "three of them ran", "done"])
    await firm.run()
    assert firm.of_task[0].value.response == "three of them ran"
    assert firm.of_task[0].metadata["agent_type"] == "tester"
    assert firm.tools_told("run them") == ["Grep", "Read"]
    assert "You run the tests of this project." in system_of(firm.request("run them"))


async def test_the_model_is_told_of_them(tmp_path: Path) -> None:
    defined(tmp_path / ".ankrcode/agents", "tester.md")
    trusted(tmp_path)
    firm = Firm(tmp_path, ["done"])
    await firm.run()
    (told,) = [one for one in firm.model.requests[0].tools if one.name == "Task"]
    assert told.description.endswith("- tester: Runs the tests and says what fails")
    assert firm.kit.agent.options.agent_definitions == ("tester",)


async def test_without_trust_nobody_hears_of_them(tmp_path: Path) -> None:
    defined(tmp_path / ".ankrcode/agents", "tester.md")
    firm = Firm(tmp_path, [calls(order("run them", "tester")), "done"])
    await firm.run()
    (told,) = [one for one in firm.model.requests[0].tools if one.name == "Task"]
    assert "tester" not in told.description
    assert "There is no agent type 'tester'." in firm.results[0].text


async def test_a_file_cannot_give_more_than_there_is(tmp_path: Path) -> None:
    text = TESTER.replace("tools: Read, Grep", "tools: Read, Bash, Rocket\npermissionMode: bypass")
    defined(tmp_path / ".ankrcode/agents", "tester.md", text)
    trusted(tmp_path)
    from agent.crew import call, text_of

    canary = call("Bash", command="echo x > canary.txt", description="x")
    turns = [calls(order("write", "tester")), calls(canary), "tried", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert firm.tools_told("write") == ["Bash", "Read"]
    assert "needs approval" in text_of(firm.model.requests[2].messages[-1])
    assert not (tmp_path / "canary.txt").exists()


async def test_a_stricter_mode_of_a_file_counts(tmp_path: Path) -> None:
    text = TESTER.replace("tools: Read, Grep", "permissionMode: plan")
    defined(tmp_path / ".ankrcode/agents", "tester.md", text)
    trusted(tmp_path)
    from agent.crew import call

    turns = [
        calls(order("write", "tester")),
        calls(call("Write", file_path="canary.txt", content="x")),
        "tried",
        "done",
    ]
    firm = Firm(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert not (tmp_path / "canary.txt").exists()


async def test_a_broken_file_is_told_to_the_person(tmp_path: Path) -> None:
    defined(tmp_path / ".ankrcode/agents", "broken.md", "nothing")
    trusted(tmp_path)
    firm = Firm(tmp_path, ["done"])
    seen: list[str] = []
    firm.kit.on("notice", lambda event: seen.append(str(event.values)))  # type: ignore[attr-defined]
    await firm.run()
    assert any("broken.md" in one for one in seen)


# ── those below ───────────────────────────────────────────────────────────────────────────────
async def test_a_broken_file_is_told_once_however_many_agents_begin(tmp_path: Path) -> None:
    defined(tmp_path / ".claude" / "agents", "tester.md")
    defined(tmp_path / ".claude" / "agents", "broken.md", "no front matter")
    trusted(tmp_path)
    turns = [calls(order("a", "general"), order("b", "general")), "a", "b", "done"]
    firm = Firm(tmp_path, turns)
    told: list[str] = []

    def hear(event: Any) -> None:
        told.append(event.values["message"])

    firm.kit.on("notice", hear)
    await firm.run()
    assert len(told) == 1
    assert "broken.md" in told[0]


async def test_those_who_may_start_agents_are_told_of_them_too(tmp_path: Path) -> None:
    defined(tmp_path / ".claude" / "agents", "tester.md")
    trusted(tmp_path)
    firm = Firm(tmp_path, [calls(order("a", "general")), "a", "done"])
    await firm.run()
    (task,) = [one for one in firm.request("a").tools if one.name == "Task"]
    assert "- tester: Runs the tests" in task.description
    assert task.description.count("tester") == 1


async def test_from_a_worktree_the_agents_of_the_project_can_be_started(tmp_path: Path) -> None:
    for words in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "-m", "first"]):
        git(tmp_path, *words)
    defined(tmp_path / ".claude" / "agents", "tester.md")
    trusted(tmp_path)
    turns = [
        calls(order("above", "general", isolation="worktree")),
        calls(order("below", "tester")),
        "tested",
        "seen",
        "done",
    ]
    firm = Firm(tmp_path, turns, approve=FakePerson([YES]))
    await firm.run()
    assert "tested" in text_of(firm.model.requests[3].messages[-1])
    assert firm.tools_told("below") == ["Grep", "Read"]
