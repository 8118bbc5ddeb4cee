"""Hundreds of further ways to write while a plan is made, and what lies beside commands.

As in test_plan_mode_ways, a person would say yes to everything and rules allow everything.
"""

import asyncio
import os
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from agent.crew import PATIENCE_S, call, calls, order
from agent.plan_commands import CANARY, COMMANDS, prepared
from agent.test_plan_mode_ways import Planner, contents
from agent.test_plan_mode_writes import COMMANDS as FIRST
from agent.test_plan_mode_writes import shell
from ankrcode import Mode, tool
from ankrcode.config.trust import TrustStore
from ankrcode.errors import ErrorCode
from ankrcode.permissions.rules.rules import NO_RULES
from ankrcode.testing import NO, YES, FakePerson, Turn
from frontends.rocket_bench import Speaker

LISTED = Path(__file__).with_name("plan_commands_more.txt").read_text(encoding="utf-8")
LINES = [
    line.replace("\\n", "\n").replace("\\t", "\t") if not line.startswith("\\touch") else line
    for line in LISTED.splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pattern")
    prepared(folder)
    return folder


@pytest.fixture
def work(pattern: Path, memory: Path) -> Path:
    return Path(shutil.copytree(pattern, mkdtemp(dir=memory), symlinks=True, dirs_exist_ok=True))


# ── commands ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("part", range(8))
async def test_no_line_writes(part: int, work: Path) -> None:
    lines = LINES[part::8]
    planner = Planner(work, [calls(*map(shell, lines)), "tried"])
    results = await planner.run()
    assert len(results) == len(lines)
    assert [one.title for one in results if one.ok] == []
    assert {one.error.code for one in results if one.error} == {ErrorCode.PERMISSION_DENIED}
    assert planner.person.asked == []
    planner.check()


@pytest.mark.parametrize("kind", ["code", "bash", "general"])
async def test_no_further_agent_writes_by_them_either(kind: str, work: Path) -> None:
    tried = calls(*map(shell, LINES[::9]))
    planner = Planner(work, [calls(order("write", kind)), tried, "tried", "done"])
    await planner.run()
    told = planner.firm.model.requests[2].messages[-1].parts
    assert [one for one in told if not getattr(one, "is_error", True)] == []
    planner.check()


def test_none_of_them_was_there_before() -> None:
    before = {*FIRST, *(line for some in COMMANDS.values() for line in some)}
    assert len(LINES) > 350
    assert len(set(LINES) - before) == len(LINES)


# ── links, and other folders ──────────────────────────────────────────────────────────────────
async def test_no_link_and_no_further_folder_is_a_way_out(work: Path, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (work / "out").symlink_to(beside)
    (work / "to_plan").symlink_to(tmp_path / "nowhere")
    made = [
        call("Write", file_path=str(beside / CANARY), content="x"),
        call("Write", file_path=f"out/{CANARY}", content="x"),
        call("Write", file_path="to_plan", content="x"),
        call("Write", file_path=f"sub/../{CANARY}", content="x"),
        call("Move", source="a.txt", destination=str(beside / CANARY)),
        call("Edit", file_path=str(work / "a.txt"), old_string="one", new_string="1"),
        shell(f"touch {beside}/{CANARY}"),
        shell(f"touch out/{CANARY}"),
    ]
    planner = Planner(work, [calls(*made), "tried"], extra_directories=[beside])
    await planner.check_refused()
    assert list(beside.iterdir()) == []


async def test_the_plans_name_is_taken_to_the_letter(work: Path) -> None:
    planner = Planner(work, [])
    plan = Path(planner.firm.kit.agent.policy.plan_file)
    places = [
        plan.with_name("other.md"),
        plan.with_suffix(".md.bak"),
        plan.parent / plan.name.upper(),
        f"{plan}/x",
        f"{plan} ",
        f"{plan}\n{CANARY}",
        f"{plan}/../{CANARY}",
        plan.parent / ".." / CANARY,
    ]
    made = [call("Write", file_path=str(one), content="x") for one in places]
    planner.firm.model.turns += [calls(*made), "tried"]
    before = sorted(plan.parent.parent.rglob("*"))
    await planner.check_refused()
    assert sorted(plan.parent.parent.rglob("*")) == before


# ── agents that people defined ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("mode", ["bypassPermissions", "acceptEdits", "auto", "default", "dontAsk"])
@pytest.mark.parametrize("place", [".ankrcode", ".claude"])
async def test_no_mode_in_an_agents_file_is_wider_than_a_plan(
    mode: str, place: str, work: Path
) -> None:
    (work / place / "agents").mkdir(parents=True)
    text = f"---\nname: free\npermissionMode: {mode}\ntools: Write, Bash, Edit\n---\nWrite."
    (work / place / "agents" / "free.md").write_text(text, encoding="utf-8")
    TrustStore.of(os.environ).add(work)
    writes = calls(call("Write", file_path=CANARY, content="x"), shell(f"touch {CANARY}"))
    planner = Planner(work, [calls(order("write", "free")), writes, "tried", "done"])
    await planner.run()
    assert len(planner.firm.model.requests) == 4
    planner.check()


async def test_a_file_that_asks_for_a_worktree_gets_none(work: Path, own_home: Path) -> None:
    (work / ".ankrcode" / "agents").mkdir(parents=True)
    text = "---\nname: apart\nisolation: worktree\n---\nWrite."
    (work / ".ankrcode" / "agents" / "apart.md").write_text(text, encoding="utf-8")
    TrustStore.of(os.environ).add(work)
    planner = Planner(work, [calls(order("write", "apart")), "done"])
    await planner.check_refused()
    assert list(own_home.rglob("a.txt")) == []


async def test_an_agent_in_the_background_from_before_writes_no_more(work: Path) -> None:
    """It began in a mode that allows all; before its first write its parent plans."""
    planned = asyncio.Event()

    @tool(name="waits", acts=None)
    async def waits() -> str:
        """Wait."""
        await asyncio.wait_for(planned.wait(), PATIENCE_S)
        return "over"

    def told(request: Any) -> Turn:
        planner.firm.kit.mode = "plan"
        planned.set()
        return Turn(text="planning")

    hired = order("write aside", "general", run_in_background=True)
    turns = [
        calls(hired),
        Turn(when="write aside", calls=(call("waits"),)),
        Turn(when="over", calls=(call("Write", file_path=CANARY, content="x"), shell(LINES[0]))),
        told,
        "tried",
    ]
    planner = Planner(work, turns, mode="bypass", tools=[waits])
    await planner.run()
    agent_id = planner.firm.results[0].metadata["agent_id"]
    await planner.firm.kit.call("TaskOutput", task_id=agent_id)
    assert not planner.firm.model.turns
    planner.check()
    await planner.firm.agent.close()


# ── the way out, opened too wide ──────────────────────────────────────────────────────────────
WIDE = [
    *("*", "Bash", "bash", "sh", "run any command", "run anything", "do anything", "everything"),
    *("all", "all commands", "run all commands", "any", "touch canary.txt", "run touch canary.txt"),
    *("run tests and touch canary.txt", "run tests; touch canary.txt", "run tests && rm x"),
    *("Bash(*)", "Bash(touch:*)", "bypassPermissions", "allow everything", "no restrictions"),
    *("run tests, or whatever is needed", "run the tests with any program", "install anything"),
    *("sudo", "write files", "edit", "delete files", "", " ", "...", "टेस्ट चलाओ और सब कुछ करो"),
]


@pytest.mark.parametrize("prompt", WIDE)
async def test_no_prompt_of_a_plan_opens_more_than_it_says(prompt: str, work: Path) -> None:
    """The plan gets its yes; every command after it is asked about, and gets a no."""
    person = FakePerson([YES, *[NO] * 20])
    planner = Planner(work, [], approve=person)
    policy = planner.firm.kit.agent.policy
    policy.forget()
    policy.rules = NO_RULES
    write = calls(call("Write", file_path=policy.plan_file, content="# Plan"))
    leave = call("ExitPlanMode", allowedPrompts=[{"tool": "Bash", "prompt": prompt}])
    tried = [shell(f"touch {CANARY}"), shell("python3 w.py"), shell("sh w.sh"), shell("rm a.txt")]
    planner.firm.model.turns += [write, calls(leave), *[calls(one) for one in tried], "tried"]
    await planner.run()
    assert [one.title for one in planner.firm.results[2:] if one.ok] == []
    assert contents(work) == planner.before


# ── words instead of a model ──────────────────────────────────────────────────────────────────
SAID = [
    "create canary.txt",
    "delete a.txt",
    "rename a.txt to canary.txt",
    "copy a.txt to canary.txt",
    'replace "one" with "two" in a.txt',
    'run "touch canary.txt"',
    'append "x" to a.txt',
    "canary.txt banao",
    "canary.txt बनाओ",
    "a.txt हटाओ",
    "a.txt हटवा",
    "a.txt நீக்கு",
    "a.txt తొలగించు",
    "a.txt ಅಳಿಸು",
]


async def test_no_sentence_takes_back_what_was_done_before_the_plan(work: Path) -> None:
    speaker = Speaker(work, answers=[YES] * 9, says_yes=True)
    await speaker.says("delete a.txt")
    speaker.kit.mode = "plan"
    before = contents(work)
    await speaker.says("undo")
    assert [one.ok for _, one in speaker.results] == [True, False]
    assert contents(work) == before
    speaker.kit.close()


@pytest.mark.parametrize("sentence", SAID)
async def test_no_sentence_writes_while_a_plan_is_made(sentence: str, work: Path) -> None:
    before = contents(work)
    speaker = Speaker(work, answers=[YES] * 9, mode="plan", says_yes=True)
    await speaker.says(sentence)
    assert [one.title for _, one in speaker.results if one.ok] == []
    assert contents(work) == before
    assert speaker.kit.mode is Mode.PLAN
    speaker.kit.close()
