"""EnterPlanMode: from then on nothing changes but the plan."""

import stat
from pathlib import Path

import pytest

from ankrcode import ErrorCode, Mode, ToolCall
from ankrcode import tools as builtin
from ankrcode.testing import YES
from tools.planning import PLAN, kit_of, mode_of, planned


# ── into it ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-086", "S0-090", "S4-105")
async def test_entering_names_the_plan_file_and_changes_the_mode(tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path)
    assert mode_of(kit) is Mode.DEFAULT
    result = await kit.call("EnterPlanMode")
    path = result.value.plan_file
    assert result.text.splitlines()[0] == f"Entered plan mode. Write your plan to: {path}"
    assert mode_of(kit) is Mode.PLAN
    assert kit.agent.policy.plan_file == path
    assert result.metadata == {"mode": "plan", "plan_file": path}
    assert person.asked == []  # it only tightens


async def test_the_plan_is_where_nobody_else_can_look(tmp_path: Path, own_home: Path) -> None:
    kit, _ = kit_of(tmp_path)
    path = Path(await planned(kit))
    assert own_home in path.parents
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not list(tmp_path.iterdir())


@pytest.mark.requirement("S0-085", "S4-105")
async def test_entering_takes_nothing(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path)
    result = await kit.call("EnterPlanMode", why="because")
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert mode_of(kit) is Mode.DEFAULT
    told = builtin.definitions()["enter_plan_mode"].input_schema
    assert (told["properties"], told["additionalProperties"]) == ({}, False)


async def test_entering_twice_names_the_same_file(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path)
    path = await planned(kit)
    again = await kit.call("EnterPlanMode")
    assert again.text.startswith("You are in plan mode already.")
    assert again.value.plan_file == path
    assert Path(path).read_text(encoding="utf-8") == PLAN


async def test_a_later_plan_is_another_file(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES)
    first = await planned(kit)
    assert (await kit.call("ExitPlanMode")).ok
    second = await planned(kit, "another")
    assert first != second
    assert Path(first).read_text(encoding="utf-8") == PLAN


async def test_who_begins_in_plan_mode_has_a_plan_file_too(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES, mode="plan")
    path = kit.agent.policy.plan_file
    assert (await kit.call("Write", file_path=path, content=PLAN)).ok
    assert (await kit.call("Read", file_path=path)).ok
    assert (await kit.call("ExitPlanMode")).value.approved
    assert mode_of(kit) is Mode.DEFAULT
    kit.mode = "plan"  # by the person
    assert kit.agent.policy.plan_file not in ("", path)
    assert Path(path).read_text(encoding="utf-8") == PLAN


async def test_later_calls_of_the_same_answer_are_judged_in_plan_mode(tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, *[YES] * 5, mode="acceptEdits")
    calls = [
        ToolCall(name="Write", arguments={"file_path": "before.txt", "content": "x"}),
        ToolCall(name="EnterPlanMode"),
        ToolCall(name="Write", arguments={"file_path": "after.txt", "content": "x"}),
        ToolCall(name="Bash", arguments={"command": "echo x > canary.txt", "description": "x"}),
    ]
    results = await kit.call_all(calls)
    assert [one.ok for one in results] == [True, True, False, False]
    assert [one.name for one in tmp_path.iterdir()] == ["before.txt"]
    assert person.asked == []


async def test_entering_leaving_and_entering_in_one_answer_begins_a_second_plan(
    tmp_path: Path,
) -> None:
    kit, person = kit_of(tmp_path, YES)
    first = await planned(kit)
    enter, leave = ToolCall(name="EnterPlanMode"), ToolCall(name="ExitPlanMode")
    again, left, anew = await kit.call_all([enter, leave, enter])
    assert again.value.plan_file == first
    assert left.value.approved
    assert anew.value.plan_file != first
    assert anew.text.startswith("Entered plan mode.")
    assert mode_of(kit) is Mode.PLAN
    assert len(person.asked) == 1
