"""A first request loads little, what comes later is loaded while the model thinks."""

import asyncio
import inspect
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import get_args

import pytest

from agent.talking import agent_in, call, calls, said, texts
from ankrcode import Agent, Toolkit
from ankrcode.agent.answer import Subtype
from ankrcode.agent.finishing import MAX_PUSHES
from ankrcode.agent.guard import REMIND_AT, STOP_AT
from ankrcode.agent.project_context import MAX_ALL_CHARS, MAX_FILE_CHARS
from ankrcode.agent.recovery import MAX_CUTS
from ankrcode.agent.toolset import DAILY
from ankrcode.agent.warming import Warming
from ankrcode.errors import UsageError
from ankrcode.providers.scripted import ScriptedModel, Turn
from ankrcode.tooling.workers import in_worker

HELLO = """
import asyncio, sys
from ankrcode import Agent
from ankrcode.providers.scripted import ScriptedModel, Turn

class Model(ScriptedModel):
    async def stream(self, request):
        seen.update(sys.modules)
        async for event in super().stream(request):
            yield event

seen = set()

async def main():
    async with Agent(Model(["Hello."]), cwd=".", records=True, toolset=TOOLS) as agent:
        assert (await agent.run("hi")).text == "Hello."

asyncio.run(main())
print("\\n".join(sorted(seen)))
"""
LATE = (
    "ankrcode.agent.compaction",
    "ankrcode.agent.pinned",
    "ankrcode.agent.clearing",
    "ankrcode.agent.evidence",
    "ankrcode.agent.claims",
    "ankrcode.agent.runners",
    "ankrcode.agent.commands",
    "ankrcode.agent.structured",
    "ankrcode.agent.learning",
    "ankrcode.agent.subagents",
    "ankrcode.agent.worktree",
    "ankrcode.providers.resolve",
    "ankrcode.tools.read",
    "jsonschema_rs",
    "tree_sitter",
    "pydantic",
    "httpx",
    "urllib.request",
)


FOR_COMMANDS = {"ankrcode.tools.bash", "ankrcode.permissions.judge", "ankrcode.sandbox.choose"}


def loaded_by_hello(folder: Path, *, toolset: str = "None") -> set[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", HELLO.replace("TOOLS", toolset)],
        cwd=folder,
        env=os.environ,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    )
    return set(done.stdout.split())


def test_the_first_request_leaves_before_the_rest_is_loaded(tmp_path: Path) -> None:
    loaded = loaded_by_hello(tmp_path)
    assert "ankrcode.agent.loop" in loaded
    assert [name for name in LATE if name in loaded] == []


def test_only_who_may_run_commands_loads_what_they_need(tmp_path: Path) -> None:
    """A quick model leaves no time for it, so it is there before the first request."""
    assert loaded_by_hello(tmp_path) >= FOR_COMMANDS
    assert not loaded_by_hello(tmp_path, toolset='["Read", "Grep"]') & FOR_COMMANDS


def test_importing_the_package_loads_no_agent() -> None:
    code = "import sys, ankrcode; print([name for name in sys.modules if 'agent' in name])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"


# ── warming ───────────────────────────────────────────────────────────────────────────────
def test_warming_loads_the_tools_of_every_day(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    warming = Warming(kit, DAILY)
    warming._load(warming._names)
    entries = kit.registry._entries
    assert all(entries[name].tool is not None for name in ("Read", "Bash", "Grep", "Edit"))
    assert entries["List"].tool is None


def test_warming_loads_only_what_the_model_is_told_of(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    warming = Warming(kit, ["Read"])
    warming._load(warming._names)
    assert kit.registry._entries["Bash"].tool is None


async def until_loaded(kit: Toolkit, name: str) -> None:
    for _ in range(1_000):
        if is_loaded(kit, name):
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"{name} was not loaded")


async def test_warming_begins_once_when_a_model_takes_its_time(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    warming = Warming(kit, ["Read"])
    warming.soon()
    assert not is_loaded(kit, "Read")
    await until_loaded(kit, "Read")
    warming.soon()  # nothing is left to do
    assert warming._later is None or warming._names == ()


async def test_a_model_that_answers_at_once_leaves_no_time_for_it(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["Quick.", Turn(text="Slow.", delay_s=0.5)])
    await agent.run("one")
    assert not is_loaded(agent.kit, "Bash")
    await agent.run("two")
    await until_loaded(agent.kit, "Bash")
    assert model.turns == []


def is_loaded(kit: Toolkit, name: str) -> bool:
    return kit.registry._entries[name].tool is not None


# ── workers ───────────────────────────────────────────────────────────────────────────────
def ran_in(name: str) -> threading.Thread:
    done = threading.Event()
    threads: list[threading.Thread] = []

    def work() -> None:
        threads.append(threading.current_thread())
        assert threading.current_thread().name == name
        done.set()

    in_worker(name, work)
    assert done.wait(20)
    return threads[0]


def test_a_thread_is_used_again() -> None:
    first = ran_in("one")
    for _ in range(200):
        if first.name == "ankrcode-idle":
            break
        threading.Event().wait(0.005)
    used = {ran_in(f"more {number}") for number in range(20)}
    assert len(used) < 20
    assert all(thread.daemon for thread in used)


def test_a_thread_that_hangs_holds_nobody_up() -> None:
    release = threading.Event()

    def hang() -> None:
        release.wait(10)

    in_worker("hangs", hang)
    try:
        assert ran_in("another").name in ("another", "ankrcode-idle")
    finally:
        release.set()


# ── doors ─────────────────────────────────────────────────────────────────────────────────
def test_several_threads_may_have_agents_at_work(tmp_path: Path) -> None:
    answers: list[str] = []

    def work(number: int) -> None:
        turns = [calls(call("List")), f"Done {number}."]
        agent, _ = agent_in(tmp_path, turns)
        answers.append(agent.run_sync("look").text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(answers) == [f"Done {number}." for number in range(4)]


async def test_ordinary_code_inside_a_loop_can_run_a_task(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, ["Hello."])
    assert agent.run_sync("hi").text == "Hello."


async def test_two_agents_share_nothing(tmp_path: Path) -> None:
    one, first = agent_in(tmp_path, ["One."])
    two, second = agent_in(tmp_path, ["Two."])
    answers = await asyncio.gather(one.run("1"), two.run("2"))
    assert [answer.text for answer in answers] == ["One.", "Two."]
    assert texts(said(first.requests[0])[0]) == "1"
    assert texts(said(second.requests[0])[0]) == "2"


async def test_closing_an_agent_again_changes_nothing(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, ["Hello.", "Never said."], records=True)
    await agent.run("hi")
    assert agent.kit.session is not None
    log = Path(agent.kit.session.recorder.log.path)
    await agent.close()
    written = log.read_bytes()
    await agent.close()
    assert (agent.is_closed, agent.kit.is_closed) == (True, True)
    assert log.read_bytes() == written  # it ended once
    with pytest.raises(UsageError, match="closed"):
        await agent.run("once more")


async def test_an_agent_that_never_worked_closes(tmp_path: Path) -> None:
    async with Agent(ScriptedModel([]), cwd=tmp_path, records=True) as agent:
        assert agent.answer is None


async def test_a_name_is_looked_up_only_when_it_is_needed(tmp_path: Path) -> None:
    agent = Agent("no-such-provider/x", cwd=tmp_path)
    with pytest.raises(Exception, match="no-such-provider"):
        await agent.run("hi")
    await agent.close()


async def test_a_further_agent_works_in_the_same_place(tmp_path: Path) -> None:
    parent, _ = agent_in(tmp_path, ["Never."], append_system_prompt="Parent.", trusted=True)
    kit = parent.kit.for_agent("helper", tools=["Read"])
    model = ScriptedModel(["Helped."])
    child = parent.hire(
        kit, model, system_prompt="You help.", max_turns=3, max_cost_usd=0.5, toolset=None
    )
    answer = await child.run("help")
    assert answer.text == "Helped."
    assert texts(model.requests[0].messages[0]) == "You help."
    assert [one.name for one in model.requests[0].tools] == ["Read"]
    assert "Parent." not in "".join(texts(one) for one in model.requests[0].messages)
    assert child.purse.limit_usd == 0.5
    await child.close()


async def test_tools_that_look_around_first_are_told_of(tmp_path: Path) -> None:
    from ankrcode import Permission, tool

    async def made(cwd: str) -> object:
        @tool(permission=Permission.READ, name="late")
        def late() -> str:
            """Come late."""
            return cwd

        return late

    agent, model = agent_in(
        tmp_path, [calls(call("late")), "Done."], toolset=["late"], mode="bypass"
    )
    agent.kit.registry.register_async("late", made)  # type: ignore[arg-type]
    assert (await agent.run("go")).ok
    assert [one.name for one in model.requests[0].tools] == ["late"]


def test_a_window_that_nobody_knows_is_taken_as_usual() -> None:
    from ankrcode.agent.context import ContextWindow

    assert ContextWindow(0).limit == ContextWindow(128_000).limit


# ── the page about it ─────────────────────────────────────────────────────────────────────
PAGE = (Path(__file__).parent.parent.parent / "docs" / "agent.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", inspect.signature(Agent).parameters)
def test_every_argument_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("subtype", get_args(Subtype))
def test_every_ending_is_on_the_page(subtype: str) -> None:
    assert f"`{subtype}`" in PAGE


def test_the_bounds_on_the_page_are_the_real_ones() -> None:
    assert f"{MAX_FILE_CHARS:,} characters a file, {MAX_ALL_CHARS:,} in all" in PAGE
    assert {4: "four times"}[REMIND_AT] in PAGE
    assert {10: "ten times"}[STOP_AT] in PAGE
    assert {5: "at most five times"}[MAX_PUSHES] in PAGE
    assert {3: "Three breaks in a row"}[MAX_CUTS] in PAGE
