"""Task, as a tool: what it takes, what it tells, and what it says where no model is behind it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.crew import Firm
from ankrcode import ErrorCode, Toolkit, dialects
from ankrcode import tools as builtin
from ankrcode.agent.presets import find_type, presets
from ankrcode.protocol.acts import NOTHING
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.subagents import NO_AGENT
from ankrcode.tools.task import order_of

GIVEN = {"description": "look around", "prompt": "find main", "subagent_type": "explore"}


# ── nobody behind it ──────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-037")
async def test_without_a_model_it_says_that_one_is_needed(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path, mode="bypass").call("Task", GIVEN)
    assert not result.ok
    assert result.metadata["error"] == NO_AGENT == "LLM_ASSIST_REQUIRED"
    assert result.metadata["prompt"] == "find main"
    assert result.metadata["subagent_type"] == "explore"
    assert result.text.startswith("There is no model behind these tools")


async def test_in_the_background_too(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    result = await kit.call("Task", GIVEN, run_in_background=True)
    assert result.metadata["error"] == "LLM_ASSIST_REQUIRED"
    assert kit.agent.tasks.all() == []


# ── what it takes ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-168", "S4-211")
@pytest.mark.parametrize("missing", list(GIVEN))
async def test_description_prompt_and_type_are_required(missing: str, tmp_path: Path) -> None:
    given = {name: value for name, value in GIVEN.items() if name != missing}
    result = await Toolkit(cwd=tmp_path).call("Task", given)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert missing in result.text


@pytest.mark.parametrize(
    "more",
    [
        {"max_turns": 0},
        {"max_turns": 1_001},
        {"max_turns": "many"},
        {"thoroughness": "lazy"},
        {"isolation": "container"},
        {"run_in_background": "yes"},
        {"allowed_tools": "Read"},
        {"prompt": ""},
        {"prompt": " \n"},
        {"description": ""},
        {"subagent_type": ""},
        {"speed": 9},
    ],
)
async def test_what_does_not_fit_is_named(more: dict[str, Any], tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("Task", {**GIVEN, **more})
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert next(iter(more)) in result.text


@pytest.mark.requirement("S0-049")
async def test_a_number_of_turns_may_be_written_as_any_json_number(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("Task", json.dumps({**GIVEN, "max_turns": 3.0}))
    assert result.metadata["error"] == NO_AGENT  # read in full, and only the model is missing


@pytest.mark.requirement("S0-049", "S0-053", "S0-169", "S4-212", "S4-216", "S4-217", "S4-090")
def test_every_parameter_has_its_default_and_is_described() -> None:
    told = builtin.definitions()["task"].input_schema
    assert sorted(told["required"]) == ["description", "prompt", "subagent_type"]
    assert set(told["properties"]) == {
        *("description", "prompt", "subagent_type", "model", "max_turns", "allowed_tools"),
        *("thoroughness", "run_in_background", "resume", "isolation"),
    }
    assert all("description" in one for one in told["properties"].values())
    assert told["properties"]["run_in_background"]["default"] is False
    assert "3-5 words" in told["properties"]["description"]["description"]
    assert "20" in told["properties"]["max_turns"]["description"]
    tool = builtin.load("task")
    order = order_of(tool.model.parse(GIVEN))
    assert (order.max_turns, order.tools, order.model) == (None, None, "")
    assert presets()["general"].max_turns == 20


@pytest.mark.requirement("S4-100", "S4-097")
def test_it_holds_nothing_so_that_several_work_at_once() -> None:
    tool = builtin.load("task")
    args = tool.model.parse(GIVEN)
    assert tool.acts(args, None) == NOTHING
    assert tool.is_concurrency_safe(args)
    assert tool.waits
    assert not tool.shares_repeats
    isolated = tool.acts(tool.model.parse({**GIVEN, "isolation": "worktree"}), None)
    assert isolated.runs
    assert not isolated.changes_nothing


@pytest.mark.parametrize(("mode", "is_asked"), [("default", True), ("bypass", False)])
async def test_a_worktree_is_asked_about_for_git_changes_the_repository(
    mode: str, is_asked: bool, tmp_path: Path
) -> None:
    result = await Toolkit(cwd=tmp_path, mode=mode).call("Task", GIVEN, isolation="worktree")
    denied = result.error is not None and result.error.code is ErrorCode.PERMISSION_DENIED
    assert denied is is_asked


IMPOSSIBLE = {
    "a type that is not there": ({"subagent_type": "painter"}, "no agent type 'painter'"),
    "a model that is not there": ({"model": "nonsense"}, "The model 'nonsense'"),
    "a tool that its type has not": ({"allowed_tools": ["Write"]}, "has no tool 'Write'"),
    "an agent that nobody knows": ({"resume": "agent_x"}, "No agent has the id 'agent_x'"),
    "nothing to do": ({"prompt": " \n"}, "nothing but blanks"),
    "an expert without a name": ({"subagent_type": "delegate"}, "model"),
}


@pytest.mark.parametrize(("more", "said"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
async def test_nobody_is_asked_about_an_agent_that_could_not_begin(
    more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    person = FakePerson([YES])
    firm = Firm(tmp_path, [], approve=person)
    result = await firm.kit.call("Task", {**GIVEN, "isolation": "worktree", **more})
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert said in result.text
    assert person.asked == []
    assert firm.model.requests == []


async def test_who_is_asked_sees_who_would_work_on_what(tmp_path: Path) -> None:
    person = FakePerson([NO])
    firm = Firm(tmp_path, [], approve=person)
    assert not (await firm.kit.call("Task", GIVEN, isolation="worktree")).ok
    (approval,) = person.asked
    assert approval.preview is not None
    assert approval.preview.title == "explore: look around"
    assert approval.preview.body == "find main"
    assert firm.model.requests == []


@pytest.mark.parametrize("rule", ["Task", "Task(explore)"])
async def test_a_rule_keeps_agents_away(rule: str, tmp_path: Path) -> None:
    from ankrcode.config.settings import PermissionSettings, Settings

    settings = Settings(permissions=PermissionSettings(deny=[rule]))
    result = await Toolkit(cwd=tmp_path, mode="bypass", settings=settings).call("Task", GIVEN)
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED


# ── what the model is told ────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-050", "S0-051", "S4-213", "S4-214", "S4-215")
def test_the_description_names_every_type_with_its_tools_and_says_when_not_to_use_it() -> None:
    told = builtin.definitions()["task"].description
    assert len(told) <= 900
    for name, one in presets().items():
        line = next(line for line in told.splitlines() if line.startswith(f"- {name}:"))
        tools = "all" if one.tools is None else ", ".join(one.tools)
        assert f"({tools})" in line
    assert "Not for reading a known file" in told
    assert "Start several in one answer" in told
    assert "whether to write code or only to look" in told


def test_the_types_of_the_description_exist_under_exactly_these_names() -> None:
    told = builtin.definitions()["task"].description
    listed = {line[2:].partition(":")[0] for line in told.splitlines() if line.startswith("- ")}
    assert listed == set(presets())
    assert all(find_type(name, presets()) is not None for name in listed)


@pytest.mark.requirement("S3-036")
def test_it_needs_the_right_to_execute() -> None:
    assert builtin.definitions()["task"].permissions == {"execute"}


async def test_without_that_right_it_is_not_there(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, permissions=["read", "write"])
    result = await kit.call("Task", GIVEN)
    assert result.error is not None
    assert result.error.code is ErrorCode.TOOL_DISABLED


async def test_in_the_dialect_of_the_specification_the_metadata_says_so_too(
    tmp_path: Path,
) -> None:
    from ankrcode import ToolCall

    kit = Toolkit(cwd=tmp_path)
    reply = await kit.call_in(dialects.load("claude"), ToolCall(name="Task", arguments=GIVEN))
    assert b"no model behind these tools" in msgspec.json.encode(reply)
