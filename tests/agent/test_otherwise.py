"""Where we do otherwise than a specification says, each shown by what happens instead."""

import asyncio
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, calls, order, text_of
from ankrcode import ErrorCode, Mode, Permission, Toolkit, tool
from ankrcode.permissions.decide import Decision
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.question import Question, QuestionAnswer
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


@pytest.mark.requirement("S4-076")
@pytest.mark.parametrize("line", ["env FOO=1 touch x", "cargo build", "npm run deploy", "ls > x"])
def test_how_a_line_begins_does_not_make_it_harmless(line: str, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert decision(kit, "Bash", command=line, description="x") is Decision.ASK
    assert decision(kit, "Bash", command="ls -l", description="x") is Decision.ALLOW


@pytest.mark.requirement("S4-154")
async def test_a_tool_without_a_check_of_its_own_is_judged_by_what_it_does(tmp_path: Path) -> None:
    @tool(permission=Permission.WRITE)
    def scribble() -> str:
        """Write something somewhere."""
        return "written"

    @tool(permission=Permission.READ)
    def glance() -> str:
        """Look at something."""
        return "seen"

    person = FakePerson([NO])
    kit = Toolkit([scribble, glance], cwd=tmp_path, approve=person)
    assert (await kit.call("glance")).text == "seen"
    assert person.asked == []
    assert not (await kit.call("scribble")).ok
    assert [one.tool for one in person.asked] == ["scribble"]


@pytest.mark.requirement("S0-189")
async def test_a_read_that_failed_does_not_count(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    assert not (await kit.call("Read", file_path="late.txt")).ok
    (tmp_path / "late.txt").write_text("one\n", encoding="utf-8")
    change = {"file_path": "late.txt", "old_string": "one", "new_string": "two"}
    refused = await kit.call("Edit", change)
    assert refused.error is not None
    assert refused.error.code is ErrorCode.NOT_READ
    await kit.call("Read", file_path="late.txt")
    assert (await kit.call("Edit", change)).ok


@pytest.mark.requirement("S0-159")
async def test_a_file_may_be_named_from_the_workspace(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    told = kit.registry.definition("Write").description
    assert "absolute, or relative" in told
    assert (await kit.call("Write", file_path="below/a.txt", content="x")).ok
    assert (tmp_path / "below" / "a.txt").read_text(encoding="utf-8") == "x"


@pytest.mark.requirement("S4-254")
async def test_no_commit_is_signed_with_the_name_of_another_product(tmp_path: Path) -> None:
    firm = Firm(tmp_path, ["done"], approve=FakePerson())
    await firm.run("commit my work")
    (request,) = firm.model.requests
    told = [text_of(one) for one in request.messages] + [one.description for one in request.tools]
    assert any("commit" in text for text in told)
    assert not [text for text in told if "co-authored-by" in text.casefold()]
    assert not [text for text in told if "anthropic.com" in text]


@pytest.mark.requirement("S4-255")
async def test_one_question_at_a_time_and_other_work_goes_on_meanwhile(tmp_path: Path) -> None:
    asked: list[str] = []
    may_answer = asyncio.Event()

    async def answer(question: Question) -> QuestionAnswer:
        asked.append(question.header)
        await may_answer.wait()
        return QuestionAnswer(question_id=question.id, chosen=("yes",))

    options = [{"label": "yes"}, {"label": "no"}]
    kit = Toolkit(cwd=tmp_path, mode="bypass", ask=answer)
    async with asyncio.timeout(10), kit.turn() as turn:
        for header in ("first", "second"):
            questions = [{"question": "So?", "header": header, "options": options}]
            arguments = {"questions": questions}
            turn.feed(ToolCall(name="AskUserQuestion", arguments=arguments, id=header))
        written = {"file_path": "meanwhile.txt", "content": "x"}
        turn.feed(ToolCall(name="Write", arguments=written, id="write"))
        while not (tmp_path / "meanwhile.txt").exists():
            await asyncio.sleep(0.001)
        assert asked == ["first"]
        may_answer.set()
        results = await turn.results()
    assert asked == ["first", "second"]
    assert [one.ok for one in results] == [True] * 3
