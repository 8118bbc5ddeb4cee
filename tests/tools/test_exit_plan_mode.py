"""ExitPlanMode: nothing changes until somebody approves the written plan."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import ErrorCode, Mode, Toolkit
from ankrcode import tools as builtin
from ankrcode.protocol.approval import ApprovalAnswer
from ankrcode.protocol.event import ApprovalAnswered, ApprovalRequested, Event
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.leader import ApprovalDesk, LeaderApprover
from ankrcode.tooling.plan import MAX_PLAN_BYTES
from frontends.command import ankrcode
from tools.planning import PLAN, kit_of, mode_of, planned


# ── out of it ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-184", "S0-089", "S4-106", "S0-090")
async def test_the_plan_is_read_from_its_file_and_shown_with_what_it_asks_for(
    tmp_path: Path,
) -> None:
    kit, person = kit_of(tmp_path, YES)
    path = await planned(kit)
    wanted = [{"tool": "Bash", "prompt": "run tests"}, {"tool": "Bash", "prompt": "dance"}]
    result = await kit.call("ExitPlanMode", allowedPrompts=wanted)
    (approval,) = person.asked
    assert approval.tool == "ExitPlanMode"
    assert approval.preview is not None
    assert approval.preview.body == PLAN.strip()
    assert "run tests" in approval.text
    assert "dance" in approval.text
    assert approval.agent_id == kit.agent.agent_id
    assert result.value.plan == PLAN.strip()
    assert (result.value.granted, result.value.asked) == (["run tests"], ["dance"])
    assert f"The plan in {path} is approved." in result.text
    assert result.text.splitlines()[1:] == [
        "These need no further question: run tests",
        "Each command for these will be asked about: dance",
    ]
    assert mode_of(kit) is Mode.DEFAULT
    assert kit.agent.policy.phrases


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "auto", "bypass", "dontAsk"])
async def test_an_approved_plan_leads_back_to_the_mode_before(mode: str, tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES, mode=mode)
    await planned(kit)
    assert mode_of(kit) is Mode.PLAN
    result = await kit.call("ExitPlanMode")
    assert result.ok
    assert mode_of(kit) is Mode(mode)
    assert result.metadata["mode"] == mode


@pytest.mark.requirement("S0-088")
@pytest.mark.parametrize("mode", ["default", "bypass"])
async def test_outside_plan_mode_it_fails_and_says_so(mode: str, tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, YES, mode=mode)
    result = await kit.call("ExitPlanMode")
    assert not result.ok
    assert result.text.startswith("Not in plan mode.")
    assert person.asked == []


@pytest.mark.parametrize("content", [None, "", " \n\t\n"])
async def test_without_a_plan_nobody_is_asked(content: str | None, tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, YES)
    path = (await kit.call("EnterPlanMode")).value.plan_file
    if content is not None:
        Path(path).write_text(content, encoding="utf-8")
    result = await kit.call("ExitPlanMode", plan="a plan in the call is not read")
    assert result.text == (
        f"There is no plan in {path}. Write the plan to that file, then call ExitPlanMode again."
    )
    assert person.asked == []
    assert mode_of(kit) is Mode.PLAN


async def test_a_plan_nobody_could_read_is_refused(tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, YES)
    path = (await kit.call("EnterPlanMode")).value.plan_file
    Path(path).write_bytes(b"x" * (1024 * 1024 + 1))
    result = await kit.call("ExitPlanMode")
    assert result.error is not None
    assert result.error.code is ErrorCode.TOO_LARGE
    assert person.asked == []


async def test_a_no_keeps_plan_mode_and_tells_why_line_by_line(tmp_path: Path) -> None:
    no = ApprovalAnswer(approved=False, feedback="Too big.\nSplit it.")
    kit, person = kit_of(tmp_path, no, YES, mode="acceptEdits")
    path = await planned(kit)
    result = await kit.call("ExitPlanMode", allowedPrompts=[{"tool": "Bash", "prompt": "test"}])
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED
    assert "not approved, and plan mode goes on. Too big.\nSplit it." in result.text
    assert mode_of(kit) is Mode.PLAN
    assert kit.agent.policy.phrases == []
    assert not (await kit.call("Write", file_path="a", content="b")).ok
    await kit.call("Write", file_path=path, content="smaller")
    assert (await kit.call("ExitPlanMode")).ok
    assert len(person.asked) == 2
    assert (await kit.call("Write", file_path="a", content="b")).ok


async def test_where_nobody_can_approve_plan_mode_goes_on(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await planned(kit)
    result = await kit.call("ExitPlanMode")
    assert "Nobody is there to approve the plan." in result.text
    assert mode_of(kit) is Mode.PLAN


@pytest.mark.requirement("S0-087", "S4-229")
@pytest.mark.parametrize(
    "prompt",
    [
        {"tool": "Write", "prompt": "write"},
        {"tool": "Bash"},
        {"prompt": "run tests"},
        {"tool": "Bash", "prompt": ""},
        {"tool": "Bash", "prompt": "run", "also": "this"},
    ],
)
async def test_what_a_plan_asks_for_is_a_tool_and_words_and_nothing_else(
    prompt: dict[str, str], tmp_path: Path
) -> None:
    kit, person = kit_of(tmp_path, YES)
    await planned(kit)
    result = await kit.call("ExitPlanMode", allowedPrompts=[prompt])
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert person.asked == []


@pytest.mark.requirement("S4-230")
async def test_further_properties_are_accepted(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES)
    await planned(kit)
    assert (await kit.call("ExitPlanMode", plan="x", launchSwarm=True, teammateCount=3)).ok


@pytest.mark.requirement("S4-108")
async def test_a_remote_that_is_not_there_is_told_and_the_plan_counts_all_the_same(
    tmp_path: Path,
) -> None:
    kit, _ = kit_of(tmp_path, YES, YES)
    await planned(kit)
    remote = {
        "pushToRemote": True,
        "remoteSessionId": "r1",
        "remoteSessionTitle": "Title",
        "remoteSessionUrl": "https://example.invalid/r1",
    }
    result = await kit.call("ExitPlanMode", **remote)
    assert result.ok
    assert "No remote session is configured here: the plan was not sent" in result.text
    assert result.metadata["pushed_to_remote"] is False
    await planned(kit, "again")
    plain = await kit.call("ExitPlanMode", remoteSessionId="r1")
    assert "remote" not in plain.text
    assert "pushed_to_remote" not in plain.metadata


async def test_whoever_watches_sees_the_question_and_its_answer(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES)
    seen: list[Event] = []
    kit.on("*", seen.append)
    await planned(kit)
    await kit.call("ExitPlanMode")
    kit.activity.flush()
    about = [one for one in seen if isinstance(one, ApprovalRequested | ApprovalAnswered)]
    assert [one.type for one in about] == ["approval_requested", "approval_answered"]


@pytest.mark.requirement("S4-227")
def test_both_are_unsafe_beside_others() -> None:
    for module in ("enter_plan_mode", "exit_plan_mode"):
        tool = builtin.load(module)
        assert not tool.is_concurrency_safe(tool.model.parse({}))


async def test_the_time_the_person_takes_does_not_count(tmp_path: Path) -> None:
    async def slow(approval: Any) -> ApprovalAnswer:
        await asyncio.sleep(0.1)
        return YES

    kit = Toolkit(cwd=tmp_path, approve=slow)
    await planned(kit)
    assert (await kit.call("ExitPlanMode")).ok


# ── a leader ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-109")
async def test_a_leader_answers_later_and_until_then_the_turn_is_over(tmp_path: Path) -> None:
    desk = ApprovalDesk(tmp_path / "desk")
    leader = LeaderApprover(workspace=tmp_path, desk=desk)
    kit = Toolkit(cwd=tmp_path, approve=leader)
    await planned(kit)
    waiting = await kit.call("ExitPlanMode")
    (request,) = desk.pending()
    assert request.text.startswith("# Plan")
    assert as_json(waiting.value)["awaitingLeaderApproval"] is True
    assert as_json(waiting.value)["requestId"] == request.id
    assert waiting.metadata["ends_turn"] is True
    assert request.id in waiting.text
    assert mode_of(kit) is Mode.PLAN
    assert not (await kit.call("Write", file_path="a", content="b")).ok
    asked_again = await kit.call("ExitPlanMode")
    assert asked_again.value.request_id == request.id  # the same question, not another
    desk.answer(request.id, approved=True, feedback="Go.")
    done = await kit.call("ExitPlanMode")
    assert done.value.approved
    assert mode_of(kit) is Mode.DEFAULT
    assert not {"awaitingLeaderApproval", "requestId"} & set(as_json(done.value))
    assert "Go." in done.text
    assert desk.pending() == []


async def test_a_leader_answers_on_the_command_line_in_another_process(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, approve=LeaderApprover(workspace=tmp_path))
    await planned(kit)
    request_id = (await kit.call("ExitPlanMode")).value.request_id
    listed = ankrcode("approvals", "list", cwd=tmp_path)
    assert request_id in listed.stdout
    assert ankrcode("approvals", "approve", request_id, cwd=tmp_path).returncode == 0
    assert (await kit.call("ExitPlanMode")).value.approved
    assert kit.mode is Mode.DEFAULT


async def test_a_leaders_no_keeps_plan_mode(tmp_path: Path) -> None:
    desk = ApprovalDesk(tmp_path / "desk")
    kit = Toolkit(cwd=tmp_path, approve=LeaderApprover(workspace=tmp_path, desk=desk))
    await planned(kit)
    request_id = (await kit.call("ExitPlanMode")).value.request_id
    desk.answer(request_id, approved=False, feedback="Not this way.")
    result = await kit.call("ExitPlanMode")
    assert "Not this way." in result.text
    assert mode_of(kit) is Mode.PLAN


async def test_a_leaders_yes_is_for_the_plan_that_was_shown(tmp_path: Path) -> None:
    desk = ApprovalDesk(tmp_path / "desk")
    kit = Toolkit(cwd=tmp_path, approve=LeaderApprover(workspace=tmp_path, desk=desk))
    path = await planned(kit)
    first = (await kit.call("ExitPlanMode")).value.request_id
    desk.answer(first, approved=True)
    await kit.call("Write", file_path=path, content="something else")
    second = (await kit.call("ExitPlanMode")).value
    assert not second.approved
    assert second.request_id != first
    assert mode_of(kit) is Mode.PLAN


def as_json(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(value)
    return data


# ── further agents ────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-110")
async def test_each_agent_has_a_plan_file_of_its_own(tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, YES, YES)
    child = kit.for_agent("child")
    paths = [await planned(kit), await planned(child)]
    assert paths[0] != paths[1]
    assert not (await child.call("Write", file_path=paths[0], content="over")).ok
    assert not (await kit.call("Write", file_path=paths[1], content="over")).ok
    assert person.asked == []


async def test_a_child_of_a_planning_agent_cannot_leave_in_its_place(tmp_path: Path) -> None:
    kit, person = kit_of(tmp_path, YES, YES)
    await planned(kit)
    child = kit.for_agent("child")
    assert child.mode is Mode.PLAN
    await planned(child, "the child's")
    result = await child.call("ExitPlanMode")
    assert "only that one can end it" in result.text
    assert (child.mode, kit.mode) == (Mode.PLAN, Mode.PLAN)
    assert person.asked == []
    assert (await kit.call("ExitPlanMode")).ok
    assert mode_of(kit) is Mode.DEFAULT


async def test_a_child_that_plans_by_itself_leaves_by_itself(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES, mode="acceptEdits")
    child = kit.for_agent("child")
    await planned(child)
    assert (child.mode, kit.mode) == (Mode.PLAN, Mode.ACCEPT_EDITS)
    assert (await child.call("ExitPlanMode")).ok
    assert child.mode is Mode.ACCEPT_EDITS


# ── what lasts ────────────────────────────────────────────────────────────────────────────────
async def test_a_plan_that_was_begun_goes_on_after_a_restart(tmp_path: Path) -> None:
    person = FakePerson([YES])
    kit = Toolkit(cwd=tmp_path, records=True, session_id="p1", mode="default")
    path = await planned(kit)
    kit.close()
    again = Toolkit(cwd=tmp_path, records=True, session_id="p1", approve=person)
    assert mode_of(again) is Mode.PLAN
    assert again.agent.policy.plan_file == path
    assert not (await again.call("Write", file_path="a", content="b")).ok
    assert (await again.call("Read", file_path=path)).ok
    assert (await again.call("ExitPlanMode")).ok
    assert again.mode is Mode.DEFAULT
    again.close()
    third = Toolkit(cwd=tmp_path, records=True, session_id="p1")
    assert third.mode is Mode.DEFAULT
    third.close()


async def test_another_mode_by_the_persons_choice_ends_a_plan(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, records=True, session_id="p2")
    await planned(kit)
    kit.close()
    again = Toolkit(cwd=tmp_path, records=True, session_id="p2", mode="acceptEdits")
    assert again.mode is Mode.ACCEPT_EDITS
    assert (await again.call("Write", file_path="a", content="b")).ok
    again.close()


async def test_a_mode_the_person_chose_for_one_run_is_not_taken_over(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, records=True, session_id="p3", mode="plan")
    await kit.call("List")
    kit.close()
    again = Toolkit(cwd=tmp_path, records=True, session_id="p3")
    assert again.mode is Mode.DEFAULT
    again.close()


async def test_the_change_of_mode_stands_in_the_session(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES, records=True, session_id="p4")
    assert kit.session is not None
    await planned(kit)
    assert kit.session.recorder.state.values["mode"] == "plan"
    await kit.call("ExitPlanMode")
    assert kit.session.recorder.state.values["mode"] == "default"
    kit.close()


# ── what the model is told ────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-182", "S4-226", "S4-228")
def test_the_descriptions_say_when() -> None:
    told = builtin.definitions()
    entering, leaving = told["enter_plan_mode"].description, told["exit_plan_mode"].description
    for words in ("new feature", "several sound ways", "architecture", "many files", "approves"):
        assert words in entering
    assert "Only for plans that lead to code; research needs no approval" in leaving
    assert "takes no plan text" in leaving
    assert told["exit_plan_mode"].input_schema.get("additionalProperties", True)
    assert set(told["exit_plan_mode"].input_schema["properties"]) == {
        *("allowedPrompts", "pushToRemote"),
        *("remoteSessionId", "remoteSessionTitle", "remoteSessionUrl"),
    }


@pytest.mark.parametrize("answer", [YES, NO])
async def test_the_python_api_and_the_tool_end_in_the_same_mode(
    answer: ApprovalAnswer, tmp_path: Path
) -> None:
    by_tool, _ = kit_of(tmp_path, answer)
    await planned(by_tool)
    await by_tool.call("ExitPlanMode")
    by_hand, _ = kit_of(tmp_path, answer, mode="plan")
    await by_hand.leave_plan(PLAN)
    assert by_tool.mode is by_hand.mode


async def test_a_plan_that_asks_for_nothing_speaks_of_nothing_else(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES)
    path = await planned(kit)
    result = await kit.call("ExitPlanMode")
    assert result.text == f"The plan in {path} is approved. Begin; the mode is default now."
    assert (result.value.granted, result.value.asked) == ([], [])


async def test_where_nobody_is_there_no_plan_is_approved(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await planned(kit)
    result = await kit.call(
        "ExitPlanMode", allowedPrompts=[{"tool": "Bash", "prompt": "run tests"}]
    )
    assert result.error is not None
    assert result.text.startswith("The plan was not approved")
    assert result.value is None
    assert mode_of(kit) is Mode.PLAN
    assert not kit.agent.policy.phrases
    assert not (await kit.call("Write", file_path="a.txt", content="x")).ok


async def test_a_plan_may_be_as_long_as_its_limit(tmp_path: Path) -> None:
    kit, _ = kit_of(tmp_path, YES)
    Path(await planned(kit)).write_bytes(b"x" * MAX_PLAN_BYTES)
    assert (await kit.call("ExitPlanMode")).ok
