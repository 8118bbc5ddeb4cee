"""Approval by a leader: a request on disk, answered from another process, whoever restarts."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import ApprovalAnswer, ToolCall, Toolkit
from ankrcode.errors import UsageError
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval
from ankrcode.protocol.permission import Mode
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling import leader
from ankrcode.tooling.leader import ApprovalDesk, LeaderAnswer, LeaderApprover, LeaderRequest
from ankrcode.tooling.plan import AllowedPrompt
from frontends.command import PATIENCE_S, ankrcode, environment


@pytest.fixture
def desk(tmp_path: Path) -> ApprovalDesk:
    return ApprovalDesk(tmp_path / "state" / "approvals")


def approval(**facts: Any) -> Approval:
    given: dict[str, Any] = {
        "id": "approval_1",
        "call_id": "call_1",
        "tool": "Bash",
        "arguments": {"command": "make deploy"},
        "reason": "it runs a command",
        "acts": NOTHING,
        "text": "make deploy",
        "digest": "d1",
    }
    return Approval(**{**given, **facts})


async def until_asked(desk: ApprovalDesk, number: int = 1) -> list[LeaderRequest]:
    async with asyncio.timeout(PATIENCE_S):
        while len(found := desk.pending()) < number:
            await asyncio.sleep(0.005)
    return found


async def until_it_waits(desk: ApprovalDesk) -> None:
    """Somebody listens for the bell."""
    async with asyncio.timeout(PATIENCE_S):
        while not list(desk.folder.glob("*.bell")):
            await asyncio.sleep(0.005)


# ── asking and answering ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("approved", "feedback"), [(True, ""), (True, "ok"), (False, "Not today.")]
)
async def test_the_question_waits_until_it_is_answered(
    approved: bool, feedback: str, desk: ApprovalDesk
) -> None:
    asking = asyncio.ensure_future(LeaderApprover(desk=desk)(approval(risk="high")))
    (request,) = await until_asked(desk)
    assert (request.tool, request.text, request.risk) == ("Bash", "make deploy", "high")
    await until_it_waits(desk)
    assert not asking.done()
    desk.answer(request.id, approved=approved, feedback=feedback)
    assert await asking == ApprovalAnswer(approved=approved, feedback=feedback)
    assert list(desk.folder.iterdir()) == []


async def test_an_answer_wakes_the_waiting_at_once(
    desk: ApprovalDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its bell: it would look again by itself only after an hour."""
    monkeypatch.setattr(leader, "_LOOK_AGAIN_S", 3600.0)
    asking = asyncio.ensure_future(LeaderApprover(desk=desk)(approval()))
    (request,) = await until_asked(desk)
    await until_it_waits(desk)
    desk.answer(request.id, approved=True)
    async with asyncio.timeout(PATIENCE_S):
        assert (await asking).approved


async def test_a_lost_bell_only_delays_the_answer(
    desk: ApprovalDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leader, "_LOOK_AGAIN_S", 0.05)
    asking = asyncio.ensure_future(LeaderApprover(desk=desk)(approval()))
    (request,) = await until_asked(desk)
    await until_it_waits(desk)
    for bell in desk.folder.glob("*.bell"):
        bell.unlink()
    desk.answer(request.id, approved=True)
    async with asyncio.timeout(PATIENCE_S):
        assert (await asking).approved


async def test_waiting_costs_no_time_of_the_processor(
    desk: ApprovalDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    answer_to = ApprovalDesk.answer_to

    def counted(self: ApprovalDesk, request: LeaderRequest) -> LeaderAnswer | None:
        looked.append(request.id)
        return answer_to(self, request)

    monkeypatch.setattr(ApprovalDesk, "answer_to", counted)
    asking = asyncio.ensure_future(LeaderApprover(desk=desk)(approval()))
    await until_it_waits(desk)
    await asyncio.sleep(0.3)
    assert len(looked) <= 2
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_cancelled_it_stops_waiting_and_the_request_stays(desk: ApprovalDesk) -> None:
    asking = asyncio.ensure_future(LeaderApprover(desk=desk)(approval()))
    await until_it_waits(desk)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [path.suffix for path in desk.folder.iterdir()] == [".json"]
    assert len(desk.pending()) == 1


async def test_several_questions_are_answered_each_for_itself(desk: ApprovalDesk) -> None:
    approver = LeaderApprover(desk=desk)
    questions = [approval(text=f"make {n}", digest=f"d{n}") for n in range(5)]
    asking = [asyncio.ensure_future(approver(one)) for one in questions]
    requests = {one.text: one for one in await until_asked(desk, 5)}
    for number in (3, 0, 4, 1, 2):
        desk.answer(requests[f"make {number}"].id, approved=number % 2 == 0)
    answers = await asyncio.gather(*asking)
    assert [one.approved for one in answers] == [True, False, True, False, True]


# ── who may see it, and what is in it ─────────────────────────────────────────────────────────
async def test_only_the_owner_can_read_it(desk: ApprovalDesk) -> None:
    request = LeaderApprover(desk=desk).submit(approval())
    desk.answer(request.id, approved=True)
    assert stat.S_IMODE(desk.folder.stat().st_mode) == 0o700
    files = list(desk.folder.iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


async def test_secrets_are_not_written_down(
    desk: ApprovalDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "s3cr3t-value-of-the-token")
    text = "deploy --token s3cr3t-value-of-the-token --key ghp_" + "a1B2" * 9
    request = LeaderApprover(desk=desk).submit(approval(text=text))
    content = (desk.folder / f"{request.id}.request.json").read_text(encoding="utf-8")
    assert "s3cr3t" not in content
    assert "a1B2a1B2" not in content
    assert "deploy --token" in content


def test_an_id_is_short_and_no_two_are_equal(desk: ApprovalDesk) -> None:
    ids = {LeaderApprover(desk=desk).submit(approval(digest=f"{n}")).id for n in range(50)}
    assert len(ids) == 50
    assert all(len(one) == 10 and one.isalnum() for one in ids)


@pytest.mark.parametrize(
    "request_id",
    [
        "",
        "x",
        "..",
        "../../etc/passwd",
        "0123456789/../x",
        "0123456789",
        "ABCDEF0123",
        "a" * 200,
        "\0",
    ],
)
def test_an_id_from_outside_is_one_of_the_desk_or_none(request_id: str, desk: ApprovalDesk) -> None:
    LeaderApprover(desk=desk).submit(approval())
    with pytest.raises(UsageError, match="no pending approval"):
        desk.answer(request_id, approved=True)


# ── exactly this, exactly once ────────────────────────────────────────────────────────────────
def test_an_answer_is_given_once(desk: ApprovalDesk) -> None:
    request = LeaderApprover(desk=desk).submit(approval())
    desk.answer(request.id, approved=False)
    with pytest.raises(UsageError, match="answered already"):
        desk.answer(request.id, approved=True)
    found = desk.answer_to(request)
    assert found is not None
    assert not found.approved
    assert desk.pending() == []


def test_an_answer_for_another_call_does_not_count(desk: ApprovalDesk) -> None:
    request = LeaderApprover(desk=desk).submit(approval())
    desk.answer(request.id, approved=True)
    other = msgspec.structs.replace(request, digest="something else")
    assert desk.answer_to(other) is None


async def test_a_yes_is_used_up_by_the_call_it_let_through(desk: ApprovalDesk) -> None:
    approver = LeaderApprover(desk=desk)
    request = approver.submit(approval())
    desk.answer(request.id, approved=True)
    assert (await approver(approval())).approved
    asking = asyncio.ensure_future(approver(approval()))
    (again,) = await until_asked(desk)
    assert again.id != request.id
    desk.answer(again.id, approved=False)
    assert not (await asking).approved


def test_an_answer_that_nobody_fetched_is_not_kept_for_ever(desk: ApprovalDesk) -> None:
    request = LeaderApprover(desk=desk).submit(approval())
    desk.answer(request.id, approved=True)
    file = desk.folder / f"{request.id}.answer.json"
    old = json.loads(file.read_bytes()) | {"at": time.time() - leader.ANSWER_COUNTS_S - 1}
    file.write_text(json.dumps(old), encoding="utf-8")
    assert desk.answer_to(request) is None
    assert [one.id for one in desk.pending()] == [request.id]
    desk.answer(request.id, approved=False)
    assert desk.answer_to(request) is not None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"id": 5}', b"\xff\xfe", b"null"])
async def test_what_is_not_an_answer_is_no_answer(content: bytes, desk: ApprovalDesk) -> None:
    request = LeaderApprover(desk=desk).submit(approval())
    (desk.folder / f"{request.id}.answer.json").write_bytes(content)
    (desk.folder / "broken.request.json").write_bytes(content)
    assert desk.answer_to(request) is None
    assert [one.id for one in desk.pending()] == [request.id]


# ── restarts ──────────────────────────────────────────────────────────────────────────────────
def test_the_same_question_of_the_same_workspace_is_taken_up_again(
    desk: ApprovalDesk, tmp_path: Path
) -> None:
    first = LeaderApprover(desk=desk, workspace=tmp_path).submit(approval())
    again = LeaderApprover(desk=desk, workspace=tmp_path).submit(
        approval(id="approval_2", call_id="call_9", agent_id="agent_9")
    )
    assert again == first
    others = [
        LeaderApprover(desk=desk, workspace=tmp_path / "x").submit(approval()),
        LeaderApprover(desk=desk, workspace=tmp_path, session="s").submit(approval()),
        LeaderApprover(desk=desk, workspace=tmp_path).submit(approval(digest="d2")),
        LeaderApprover(desk=desk, workspace=tmp_path).submit(approval(tool="Write")),
    ]
    assert len({one.id for one in (first, *others)}) == 5


WORKER = """
import asyncio, sys
from ankrcode import Toolkit
from ankrcode.tooling.leader import LeaderApprover

async def main():
    kit = Toolkit(cwd=sys.argv[1], approve=LeaderApprover(workspace=sys.argv[1]))
    result = await kit.call("Bash", command="touch made")
    print(result.text if not result.ok else "made", flush=True)
    kit.close()

asyncio.run(main())
"""


def start_worker(work: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-c", WORKER, str(work)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for_request(number: int = 1) -> list[LeaderRequest]:
    desk, until = ApprovalDesk.of(os.environ), time.monotonic() + PATIENCE_S
    while len(found := desk.pending()) < number or not list(desk.folder.glob("*.bell")):
        assert time.monotonic() < until, "no request came"
        time.sleep(0.01)
    return found


def test_one_process_asks_and_another_answers(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    worker = start_worker(work)
    (request,) = wait_for_request()
    assert request.workspace == str(work)
    assert not (work / "made").exists()
    done = ankrcode("approvals", "approve", request.id, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    printed, _ = worker.communicate(timeout=PATIENCE_S)
    assert printed == "made\n"
    assert (work / "made").exists()


def test_a_no_from_another_process_carries_its_words(tmp_path: Path) -> None:
    worker = start_worker(tmp_path)
    (request,) = wait_for_request()
    ankrcode("approvals", "deny", request.id, "--feedback", "Ask Asha first.", cwd=tmp_path)
    printed, _ = worker.communicate(timeout=PATIENCE_S)
    assert printed == "User denied permission. Ask Asha first.\n"
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("is_answered_meanwhile", [True, False])
def test_whoever_asked_may_die_and_ask_again(is_answered_meanwhile: bool, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    worker = start_worker(work)
    (request,) = wait_for_request()
    worker.send_signal(signal.SIGKILL)
    worker.communicate(timeout=PATIENCE_S)
    assert [one.id for one in ApprovalDesk.of(os.environ).pending()] == [request.id]
    if is_answered_meanwhile:
        assert ankrcode("approvals", "approve", request.id, cwd=tmp_path).returncode == 0
    worker = start_worker(work)
    if not is_answered_meanwhile:
        (again,) = wait_for_request()
        assert again.id == request.id
        assert ankrcode("approvals", "approve", request.id, cwd=tmp_path).returncode == 0
    printed, _ = worker.communicate(timeout=PATIENCE_S)
    assert printed == "made\n"
    left = [path.name for path in ApprovalDesk.of(os.environ).folder.iterdir()]
    assert [name for name in left if name.endswith(".json")] == []


# ── plans ─────────────────────────────────────────────────────────────────────────────────────
PLAN = "1. Mend the parser.\n2. Run the tests."
PROMPTS = [AllowedPrompt(prompt="run tests"), AllowedPrompt(prompt="conquer the world")]


@pytest.mark.requirement("S4-231")
async def test_plan_mode_holds_until_the_leader_says_yes(
    tmp_path: Path, desk: ApprovalDesk
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    kit = Toolkit(cwd=work, mode="plan", approve=LeaderApprover(desk=desk))
    leaving = asyncio.ensure_future(kit.leave_plan(PLAN, PROMPTS, then="acceptEdits"))
    (request,) = await until_asked(desk)
    assert PLAN in request.text
    assert str(kit.mode) == "plan"
    assert not (await kit.call("Write", file_path="a.txt", content="")).ok
    desk.answer(request.id, approved=True, feedback="Good.")
    answer = await leaving
    assert answer.approved
    assert (answer.granted, answer.asked) == (("run tests",), ("conquer the world",))
    assert kit.mode is Mode.ACCEPT_EDITS
    assert (await kit.call("Write", file_path="a.txt", content="")).ok


async def test_a_plan_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    person = FakePerson([ApprovalAnswer(approved=False, feedback="Smaller.")])
    kit = Toolkit(cwd=tmp_path, mode="plan", approve=person)
    answer = await kit.leave_plan(PLAN, PROMPTS)
    assert (answer.approved, answer.feedback) == (False, "Smaller.")
    assert kit.mode is Mode.PLAN
    assert kit.agent.policy.phrases == []


async def test_headless_a_plan_is_never_left(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="plan")
    answer = await kit.leave_plan(PLAN, PROMPTS)
    assert not answer.approved
    assert answer.feedback == "Nobody is there to approve the plan."
    assert kit.mode is Mode.PLAN


async def test_the_question_about_a_plan_shows_all_that_a_yes_allows(tmp_path: Path) -> None:
    person = FakePerson([NO])
    kit = Toolkit(cwd=tmp_path, mode="plan", approve=person)
    await kit.leave_plan(PLAN + "\u202e", [*PROMPTS, AllowedPrompt(tool="Write", prompt="lint")])
    (asked,) = person.asked
    assert asked.text.startswith(PLAN + "\\u{202e}\n\nA yes also allows:\n")
    assert "run tests: run tests\n" in asked.text
    assert "conquer the world: not known as a phrase" in asked.text
    assert "lint: not known as a phrase" in asked.text
    assert asked.tool == "ExitPlanMode"


async def test_leaving_a_plan_does_not_widen_another_mode(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="dontAsk", approve=FakePerson([YES]))
    await kit.leave_plan(PLAN, then="bypass")
    assert kit.mode is Mode.DONT_ASK


@pytest.mark.requirement("S4-107")
async def test_what_the_plan_was_granted_runs_unasked_and_nothing_beyond_it(
    tmp_path: Path,
) -> None:
    person = FakePerson([YES])
    kit = Toolkit(cwd=tmp_path, mode="plan", approve=person)
    (tmp_path / "Makefile").write_text("test:\n\ttouch tested\n", encoding="utf-8")
    await kit.leave_plan(PLAN, PROMPTS)
    assert (await kit.call("Bash", command="make test")).ok
    assert (tmp_path / "tested").exists()
    assert len(person.asked) == 1
    for command in ("make test && touch b", "make deploy", "make test > log", "touch c"):
        assert not (await kit.call("Bash", command=command)).ok
    assert len(person.asked) == 5
    kit.close()


async def test_a_plan_that_was_approved_while_nobody_waited_is_left_after_the_restart(
    tmp_path: Path, desk: ApprovalDesk
) -> None:
    first = Toolkit(cwd=tmp_path, mode="plan", approve=LeaderApprover(desk=desk))
    leaving = asyncio.ensure_future(first.leave_plan(PLAN, PROMPTS))
    (request,) = await until_asked(desk)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert str(first.mode) == "plan"
    desk.answer(request.id, approved=True)
    again = Toolkit(cwd=tmp_path, mode="plan", approve=LeaderApprover(desk=desk))
    other = asyncio.ensure_future(again.leave_plan(PLAN + " And more.", PROMPTS))
    await until_asked(desk)
    assert str(again.mode) == "plan"  # the yes was to another plan
    other.cancel()
    with pytest.raises(asyncio.CancelledError):
        await other
    assert (await again.leave_plan(PLAN, PROMPTS)).approved
    assert again.mode is Mode.DEFAULT


async def test_a_turn_that_is_cancelled_does_not_wait_for_the_leader(
    tmp_path: Path, desk: ApprovalDesk
) -> None:
    kit = Toolkit(cwd=tmp_path, approve=LeaderApprover(desk=desk))
    async with kit.turn() as turn:
        turn.feed(ToolCall(name="Bash", arguments={"command": "touch made"}, id="a"))
        turn.feed(ToolCall(name="Bash", arguments={"command": "touch also"}, id="b"))
        await until_it_waits(desk)
        turn.cancel()
        async with asyncio.timeout(PATIENCE_S):
            results = await turn.results()
    assert [one.ok for one in results] == [False, False]
    assert all(one.error is not None and one.error.code == "CANCELLED" for one in results)
    assert list(desk.folder.glob("*.bell")) == []
    assert not (tmp_path / "made").exists()


async def test_the_whole_text_reaches_the_leader_however_long_it_is(desk: ApprovalDesk) -> None:
    text = "echo " + "नमस्ते 🙏 " * 10_000
    request = LeaderApprover(desk=desk).submit(approval(text=text))
    assert desk.pending()[0].text == request.text == text
