"""The conversation as spec 0 tells it: a word in, calls until none is left, the answer out."""

import json
from pathlib import Path

import pytest

from agent.crew import Firm, call, calls, order, text_of
from agent.talking import check_accepted, check_prefixes
from ankrcode.agent.agent import Agent
from ankrcode.protocol.message import ToolResultPart, ToolUsePart
from ankrcode.protocol.permission import Permission
from ankrcode.providers.scripted import ScriptedModel
from ankrcode.providers.wire import Options
from ankrcode.testing import YES, FakePerson
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.function import tool
from ankrcode.tooling.state import ToolOptions
from frontends.command import ankrcode

READ = call("Read", file_path="a.txt")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    return tmp_path


@pytest.mark.requirement("S0-155")
async def test_a_word_in_an_answer_out(work: Path) -> None:
    model = ScriptedModel([calls(READ), "It says alpha.", "You are welcome."])
    async with Agent(model, cwd=work) as agent:
        assert await agent.chat("What does a.txt say?") == "It says alpha."
        assert await agent.chat("Thank you.") == "You are welcome."
    last = model.requests[-1].messages
    assert [text_of(one).split("\n")[0] for one in last if one.role == "user"][::2] == [
        "What does a.txt say?",
        "Thank you.",
    ]


@pytest.mark.requirement("S0-155")
async def test_without_an_answer_the_reason_is_said(work: Path) -> None:
    async with Agent(ScriptedModel([calls(READ)] * 3), cwd=work, max_turns=2) as agent:
        assert "2" in await agent.chat("Go on for ever.")


@pytest.mark.requirement("S0-001")
async def test_the_history_holds_what_was_said_called_and_found(work: Path) -> None:
    model = ScriptedModel([calls(READ, text="Let me see."), "It says alpha."])
    async with Agent(model, cwd=work) as agent:
        await agent.chat("Look.")
        asked, said, found, answer = agent.kit.agent.messages
    assert text_of(asked).startswith("Look.")
    (use,) = [part for part in said.parts if isinstance(part, ToolUsePart)]
    (result,) = [part for part in found.parts if isinstance(part, ToolResultPart)]
    assert (use.name, use.arguments) == ("Read", {"file_path": "a.txt"})
    assert result.tool_use_id == use.id
    assert "alpha" in result.text
    assert (said.role, found.role, answer.role) == ("assistant", "user", "assistant")
    assert text_of(said).startswith("Let me see.")
    assert text_of(answer) == "It says alpha."


@pytest.mark.requirement("S0-003")
async def test_the_model_gets_a_prompt_and_the_tools_as_functions(work: Path) -> None:
    firm = Firm(work, ["done"])
    await firm.run()
    (request,) = firm.model.requests
    assert request.messages[0].role == "system"
    assert "AnkrCode" in text_of(request.messages[0])
    told = {one.name: one for one in request.tools}
    assert {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "Task", "TodoWrite"} <= set(told)
    for one in told.values():
        assert one.description
        assert one.input_schema["type"] == "object"
        assert set(one.input_schema.get("required", ())) <= set(one.input_schema["properties"])


@pytest.mark.requirement("S0-008")
async def test_it_goes_on_until_nothing_is_called(work: Path) -> None:
    turns = [calls(READ), calls(call("Glob", pattern="*"), READ), calls(READ), "done"]
    firm = Firm(work, turns)
    answer = await firm.run()
    assert (answer.text, answer.turns) == ("done", 4)
    check_prefixes(firm.model.requests)  # results are appended, nothing before them changes
    check_accepted(firm.kit.agent.messages)
    added = firm.model.requests[2].messages[-1]
    assert len([part for part in added.parts if isinstance(part, ToolResultPart)]) == 2


@pytest.mark.requirement("S0-145")
async def test_a_question_goes_to_an_expert_of_another_vendor(work: Path) -> None:
    script = work / "expert.json"
    script.write_text(json.dumps([{"text": "I would not."}]), encoding="utf-8")
    asked = order("Is it sound?", "delegate", model=f"scripted/{script}")
    firm = Firm(work, [calls(asked), "The expert would not."])
    answer = await firm.run()
    assert answer.text == "The expert would not."
    (task,) = firm.of_task
    assert task.value.response == "I would not."
    assert task.metadata["model"] == f"scripted/{script}"
    assert len(firm.model.requests) == 2  # the expert's request was not ours


@pytest.mark.requirement("S0-147")
def test_the_command_line_wires_everything_together(work: Path, tmp_path: Path) -> None:
    """A model, tools, permissions, a session that goes on: one process, then another."""
    edit = {"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"}
    turns = [
        {"calls": [{"name": "Read", "arguments": {"file_path": "a.txt"}}]},
        {"calls": [{"name": "Edit", "arguments": edit}]},
        {"calls": [{"name": "Bash", "arguments": {"command": "touch no.txt"}}]},
        {"text": "Changed."},
    ]
    script = tmp_path.parent / "turns.json"
    script.write_text(json.dumps(turns), encoding="utf-8")
    model = ("--model", f"scripted/{script}")
    more = ("--permission-mode", "acceptEdits", "--output-format", "json", "--session", "mine")
    done = ankrcode("-p", "change it", *model, *more, cwd=work)
    result = json.loads(done.stdout)
    assert (result["result"], result["num_turns"], result["session_id"]) == ("Changed.", 4, "mine")
    assert [one["tool_name"] for one in result["permission_denials"]] == ["Bash"]
    assert (work / "a.txt").read_text(encoding="utf-8") == "beta\n"
    assert not (work / "no.txt").exists()
    script.write_text(json.dumps([{"text": "As before."}]), encoding="utf-8")
    done = ankrcode("-p", "and now?", *model, "--resume", "mine", cwd=work)
    assert done.stdout == "As before.\n"


@pytest.mark.requirement("S1-056")
@pytest.mark.parametrize("tool", ["Delete", "Bash"])
async def test_what_destroys_is_confirmed_by_the_person(tool: str, work: Path) -> None:
    arguments = {"path": "a.txt"} if tool == "Delete" else {"command": "rm a.txt"}
    for answers, is_there in (([], True), ([YES], False)):
        person = FakePerson(answers)
        turns = [calls(call(tool, **arguments)), "done"]
        firm = Firm(work, turns, mode="acceptEdits", approve=person if answers else None)
        await firm.run()
        assert (work / "a.txt").exists() is is_there
        assert len(person.asked) == len(answers)


# ── what a tool may know of the conversation it serves ────────────────────────────────────────
@pytest.mark.requirement("S4-028", "S4-029", "S4-030")
async def test_a_tool_learns_which_model_it_works_for_and_how_far_that_may_think(
    work: Path,
) -> None:
    seen: list[ToolOptions] = []

    @tool(permission=Permission.READ)
    def peek(ctx: ToolContext) -> str:
        """Look at the options."""
        seen.append(ctx.options)
        return "seen"

    expert = work / "expert.json"
    script = [{"calls": [{"name": "peek", "arguments": {}}]}, {"text": "I looked."}]
    expert.write_text(json.dumps(script), encoding="utf-8")
    asked = order("look", "general", model=f"scripted/{expert}")
    firm = Firm(
        work,
        [calls(call("peek")), calls(asked), calls(call("peek")), "done"],
        tools=[peek],
        options=Options(max_thinking_tokens=2_000),
    )
    assert (await firm.run()).text == "done"
    own, child, again = seen
    assert (own.model, own.max_thinking_tokens) == (firm.model.name, 2_000)
    assert {"Read", "Task", "peek"} <= set(own.tools)
    assert child.model == f"scripted/{expert}"
    assert again == own


# ── what the model is told of ─────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-132", "S0-204")
async def test_a_model_is_told_of_what_daily_work_needs_and_the_rest_answers_when_called(
    work: Path,
) -> None:
    firm = Firm(work, [calls(call("List", path=".")), "done"])
    await firm.run()
    (request, _) = firm.model.requests
    told = {one.name for one in request.tools}
    assert request.options.stream
    assert told < set(firm.kit.registry.names)
    assert "List" not in told
    (listing,) = firm.results
    assert listing.ok
    assert "a.txt" in listing.text
    every = Firm(work, ["done"], toolset=firm.kit.registry.names)
    await every.run()
    told = {one.name for one in every.model.requests[0].tools}
    assert told >= set(firm.kit.registry.names) - {"AskUserQuestion", "ExitPlanMode"}
