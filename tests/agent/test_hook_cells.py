"""What a script's answer comes to, event by event: each cell of the table in docs/hooks.md."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from ankrcode import HookAnswer, Toolkit, hook
from ankrcode.config.hooks import HookCommand, HookGroup
from ankrcode.config.settings import Settings
from ankrcode.protocol.event import Noticed
from ankrcode.testing import YES, FakePerson

WHY = "mind-the-gap"  # said by every script, wherever it may say something
PAGE = Path(__file__).parents[2] / "docs" / "hooks.md"

# What stands above the columns → the scripts that do it, with a limit where they are late.
SCRIPTS: dict[str, list[tuple[str, float | None]]] = {
    "exit code 2": [(f"echo {WHY} >&2; exit 2", None)],
    "`decision: block`": [(f'echo \'{{"decision": "block", "reason": "{WHY}"}}\'', None)],
    "`continue: false`": [(f'echo \'{{"continue": false, "stopReason": "{WHY}"}}\'', None)],
    "late, or not startable": [
        (f"sleep 30 # {WHY}", 0.05),
        (f"./{WHY}-is-nowhere", None),
    ],
    "not understood": [(f'echo \'{{"decision": "{WHY}"\'', None)],
    "other exit code": [(f"echo {WHY} >&2; exit 1", None)],
}


def table() -> dict[tuple[str, str], str]:
    """The page's own words: (event, column) → cell."""
    page = PAGE.read_text(encoding="utf-8")
    lines = re.search(r"\| event \| exit code 2.*?\n\n", page, re.DOTALL)
    assert lines is not None
    head, _, *rows = (line.strip("| ").split(" | ") for line in lines[0].strip().splitlines())
    return {(row[0].strip("`"), column): cell for row in rows
            for column, cell in zip(head[1:], row[1:], strict=True)}  # fmt: skip


CELLS = [
    pytest.param(event, script, limit, cell, id=f"{event}: {column} {number}")
    for (event, column), cell in table().items()
    for number, (script, limit) in enumerate(SCRIPTS[column])
]


class Scene:
    """A busy little session with one hook, and what could be seen of it."""

    def __init__(self, folder: Path, event: str, script: str, limit: float | None) -> None:
        command = HookCommand(command=script, timeout=limit)
        self.table = {event: [HookGroup(hooks=[command])]}
        self.folder = folder
        self.notices: list[str] = []

    @asynccontextmanager
    async def firm(self, turns: list[Any], **more: Any) -> AsyncIterator[Firm]:
        firm = Firm(self.folder, turns, settings=Settings(hooks=self.table), **more)
        firm.kit.on("notice", self._noticed)
        yield firm
        await firm.agent.close()
        firm.kit.activity.flush()

    def _noticed(self, event: Any) -> None:
        assert isinstance(event, Noticed)
        self.notices.append(str(event.values.get("message", "")))

    @property
    def is_shown(self) -> bool:
        return any(WHY in one for one in self.notices)


def of_call(firm: Firm, why: str) -> str:
    """How the first call went, and the task with it."""
    [first, *_], answer = firm.results, firm.agent.answer
    assert answer is not None
    found = []
    if first.error is not None and "hook refused" in first.text:
        assert why in first.text
        found.append("refused")
    elif "A hook objects: " + why in first.text:
        found.append("told")
    if answer.subtype == "error_blocked":
        assert why in answer.error
        found.append("ends")
    if not found and any(why in one for one in first.metadata.get("hook_errors", ())):
        found.append("noted")
    return ", ".join(found)


async def pre_tool_use(scene: Scene) -> str:
    async with scene.firm([calls(call("List")), "done"]) as firm:
        await firm.run()
    seen = of_call(firm, WHY)
    assert firm.results[0].ok == ("refused" not in seen)
    return seen


async def permission_request(scene: Scene) -> str:
    person = FakePerson([YES])
    turns = [calls(call("Write", file_path="a.txt", content="x")), "done"]
    async with scene.firm(turns, approve=person) as firm:
        await firm.run()
    seen = of_call(firm, WHY)
    assert (scene.folder / "a.txt").exists() == bool(person.asked) == ("refused" not in seen)
    return seen


async def post_tool_use(scene: Scene) -> str:
    async with scene.firm([calls(call("List")), "done"]) as firm:
        await firm.run()
    assert firm.results[0].ok
    return of_call(firm, WHY)


async def post_tool_use_failure(scene: Scene) -> str:
    async with scene.firm([calls(call("Read", file_path="none")), "done"]) as firm:
        await firm.run()
    return of_call(firm, WHY)


async def of_task(scene: Scene) -> str:
    """Does the task begin, and what is the model told with it?"""
    async with scene.firm(["done", "done again"]) as firm:
        answer = await firm.run()
        if not firm.model.requests:
            assert answer.subtype == "error_blocked"
            assert WHY in answer.error
            return "kept out"
        assert answer.ok
        if WHY in text_of(firm.model.requests[0].messages[-1]):
            return "text"
    return "shown" if scene.is_shown else ""


async def stop(scene: Scene) -> str:
    async with scene.firm(["done", *["more"] * 9]) as firm:
        answer = await firm.run()
    assert answer.ok
    asked = [text_of(one.messages[-1]) for one in firm.model.requests[1:]]
    if asked:
        assert [WHY in one for one in asked] == [True] * 5
        return "works on"
    return "shown" if scene.is_shown else "stops"


async def subagent_start(scene: Scene) -> str:
    async with scene.firm([calls(order("aside")), "child", "done"]) as firm:
        await firm.run()
    if not firm.results[0].ok:
        assert f"A hook did not let the agent begin: {WHY}" in firm.results[0].text
        assert len(firm.model.requests) == 2
        return "refused"
    return "shown" if scene.is_shown else ""


async def subagent_stop(scene: Scene) -> str:
    async with scene.firm([calls(order("aside")), "child", "1", "2", "3", "done"]) as firm:
        await firm.run()
    assert firm.results[0].ok
    if firm.results[0].metadata["turns"] == 4:
        assert WHY in text_of(firm.model.requests[2].messages[-1])
        return "works on"
    return "shown" if scene.is_shown else "stops"


async def of_summary(scene: Scene) -> str:
    async with scene.firm(["long ago", "a summary"]) as firm:
        await firm.run()
        was_made = await firm.agent.compact()
        firm.kit.activity.flush()
    assert scene.is_shown
    return "shown" if was_made else "refused"


async def notification(scene: Scene) -> str:
    turns = [calls(call("Write", file_path="a.txt", content="x")), "done"]
    async with scene.firm(turns, approve=FakePerson([YES])) as firm:
        await firm.run()
        async with asyncio.timeout(PATIENCE_S):
            while not scene.is_shown:
                await asyncio.sleep(0.005)
                firm.kit.activity.flush()
    assert firm.results[0].ok
    return "shown"


async def session_end(scene: Scene) -> str:
    async with scene.firm(["done"]) as firm:
        assert (await firm.run()).ok
    return "shown" if scene.is_shown else ""


SCENES = {
    "PreToolUse": pre_tool_use,
    "PermissionRequest": permission_request,
    "PostToolUse": post_tool_use,
    "PostToolUseFailure": post_tool_use_failure,
    "UserPromptSubmit": of_task,
    "SessionStart": of_task,
    "Stop": stop,
    "SubagentStart": subagent_start,
    "SubagentStop": subagent_stop,
    "PreCompact": of_summary,
    "PostCompact": of_summary,
    "Notification": notification,
    "SessionEnd": session_end,
}


@pytest.mark.parametrize(("event", "script", "limit", "cell"), CELLS)
async def test_the_page_says_what_happens(
    event: str, script: str, limit: float | None, cell: str, tmp_path: Path
) -> None:
    assert await SCENES[event](Scene(tmp_path, event, script, limit)) == cell


def test_the_page_has_a_cell_for_everything() -> None:
    assert {event for event, _ in table()} == set(SCENES)
    assert len(table()) == len(SCENES) * len(SCRIPTS)


# ── beside the table ──────────────────────────────────────────────────────────────────────────
async def test_what_a_script_prints_beside_exit_2_does_not_count(tmp_path: Path) -> None:
    script = f'echo \'{{"additionalContext": "x"}}\'; echo {WHY} >&2; exit 2'
    scene = Scene(tmp_path, "SubagentStart", script, None)
    async with scene.firm([calls(order("aside")), "child", "done"]) as firm:
        await firm.run()
    assert text_of(firm.request("aside").messages[-1]) == "aside"
    assert scene.notices == [WHY]


async def test_a_silent_no_at_an_agents_start_is_shown_by_the_name_of_the_script(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path, "SubagentStart", f"exit 2 # {WHY}", None)
    assert await subagent_start(scene) == "shown"
    assert scene.notices == [f"'exit 2 # {WHY}' said no and gave no reason"]


async def test_a_session_whose_start_was_stopped_takes_the_next_task(tmp_path: Path) -> None:
    script = f'echo \'{{"continue": false, "stopReason": "{WHY}"}}\''
    async with Scene(tmp_path, "SessionStart", script, None).firm(["one"]) as firm:
        assert (await firm.run("first")).subtype == "error_blocked"
        assert (await firm.run("second")).text == "one"
    assert text_of(firm.model.requests[0].messages[-1]) == "second"


async def test_what_a_session_s_start_says_to_the_person_comes_with_the_first_call(
    tmp_path: Path,
) -> None:
    """Where no agent shows it: in programs and in `ankrcode exec`."""
    command = HookCommand(command=f"echo {WHY} >&2; exit 2")
    table = {"SessionStart": [HookGroup(hooks=[command])]}
    kit = Toolkit(cwd=tmp_path, settings=Settings(hooks=table))
    results = [await kit.call("List"), await kit.call("List")]
    assert [one.metadata.get("hook_messages") for one in results] == [[WHY], None]
    kit.close()


NO = HookAnswer(decision="deny", reason=WHY)
SAID_IN_PYTHON = [
    ("PreToolUse", NO, "refused"),
    ("PostToolUse", NO, "told"),
    ("PostToolUseFailure", NO, "told"),
    ("SessionStart", NO, "shown"),
    ("UserPromptSubmit", NO, "kept out"),
    ("Stop", NO, "works on"),
    ("SubagentStart", NO, "refused"),
    ("SubagentStop", NO, "works on"),
    ("PreCompact", NO, "refused"),
    ("PostCompact", NO, "shown"),
    ("Notification", NO, "shown"),
    ("SessionEnd", NO, "shown"),
    ("PostCompact", HookAnswer(is_stopped=True, stop_reason=WHY), "shown"),
    ("SessionStart", HookAnswer(is_stopped=True, stop_reason=WHY), "kept out"),
]


@pytest.mark.parametrize(("event", "said", "cell"), SAID_IN_PYTHON)
async def test_a_function_is_heard_as_a_script_is(
    event: str, said: HookAnswer, cell: str, tmp_path: Path
) -> None:
    @hook(event)
    def function(payload: dict[str, Any]) -> HookAnswer:
        return said

    class Python(Scene):
        @asynccontextmanager
        async def firm(self, turns: list[Any], **more: Any) -> AsyncIterator[Firm]:
            self.table = {}
            async with super().firm(turns, hooks=[function], **more) as firm:
                yield firm

    assert await SCENES[event](Python(tmp_path, event, "", None)) == cell
