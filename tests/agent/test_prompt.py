"""What the model is told before the first word: our own words, lean, and always the same."""

import re
from pathlib import Path

import msgspec
import pytest

from agent.talking import agent_in, check_prefixes, said, texts
from ankrcode.agent.prompt import PERSONAS, Wishes, base_prompt, system_messages
from ankrcode.agent.toolset import DAILY, brief, chosen, specs
from ankrcode.app import Toolkit
from ankrcode.errors import UsageError
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.definition import JsonSchema
from ankrcode.providers.wire import ModelRequest, ToolSpec

MAX_FIRST_BYTES = 16 * 1024
MAX_ALL_BYTES = 28 * 1024
FRAME = 50  # of one tool, on the wire that says most around it
SNAPSHOT = Path(__file__).parent.parent / "snapshots" / "agent_prompt.md"


async def yes(approval: Approval) -> ApprovalAnswer:
    return ApprovalAnswer(approved=True)


def size(request: ModelRequest) -> int:
    tools = sum(len(msgspec.json.encode(one)) + FRAME for one in request.tools)
    return tools + len(msgspec.json.encode(request.messages))


@pytest.mark.requirement("S4-147")
@pytest.mark.parametrize("approve", [None, yes], ids=["headless", "attended"])
@pytest.mark.parametrize("model", ["openai/gpt-5", "anthropic/claude-sonnet-4-5", "x/qwen3"])
async def test_the_first_request_is_small(tmp_path: Path, model: str, approve: object) -> None:
    agent, script = agent_in(tmp_path, ["hi"], approve=approve)
    script._name = model
    await agent.run("hello")
    assert size(script.requests[0]) <= MAX_FIRST_BYTES


def test_the_whole_vocabulary_is_bounded(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    told = specs(kit, kit.registry.names)
    assert len(told) == len(kit.registry)
    assert sum(len(msgspec.json.encode(one)) for one in told) <= MAX_ALL_BYTES


def properties(schema: JsonSchema) -> list[JsonSchema]:
    own = list(schema.get("properties", {}).values())
    inner = [one.get("items", one) for one in own]
    return own + [deep for one in inner if one for deep in properties(one)]


def test_every_parameter_is_described(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    for one in specs(kit, DAILY):
        assert one.description
        for name, parameter in one.input_schema["properties"].items():
            assert parameter.get("description"), f"{one.name}.{name}"


def told_names(kit: Toolkit, model: str = "x/y", *, is_attended: bool = True) -> set[str]:
    return set(chosen(kit, model, None, (), is_attended=is_attended))


def test_the_tools_fit_the_model_and_the_place(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert {"Edit", "AskUserQuestion"} <= told_names(kit)
    assert "ApplyPatch" not in told_names(kit)
    assert "ApplyPatch" in told_names(kit, "openai/gpt-5")
    assert "Edit" not in told_names(kit, "openai/gpt-5")
    headless = told_names(kit, is_attended=False)
    assert not headless & {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"}
    plan = Toolkit(cwd=tmp_path, mode="plan")
    assert "ExitPlanMode" in told_names(plan, is_attended=False)


@pytest.mark.requirement("S0-144", "S0-201", "S0-128")
async def test_an_agent_of_ones_own_has_just_its_tools_and_gives_its_result(tmp_path: Path) -> None:
    agent, model = agent_in(
        tmp_path, ["Looked."], toolset=["Read", "Grep"], system_prompt="You look."
    )
    assert (await agent.run("look")).text == "Looked."
    told = model.requests[0].tools
    assert [one.name for one in told] == ["Grep", "Read"]
    assert all(one.description for one in told)
    assert texts(model.requests[0].messages[0]) == "You look."


def test_a_choice_is_taken_as_it_is(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert chosen(kit, "x/y", ["Read", "List"], (), is_attended=True) == ("List", "Read")


def test_a_brief_schema_still_says_what_is_meant() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "T", "maxLength": 9, "default": ""},
            "mode": {"enum": ["a", "b"], "default": "a", "description": "M"},
            "count": {"type": "integer", "minimum": 0, "default": 0, "description": "C"},
            "least": {"type": "integer", "minimum": 5, "description": "L"},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
    assert brief(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "T"},
            "mode": {"enum": ["a", "b"], "default": "a", "description": "M"},
            "count": {"type": "integer", "description": "C"},
            "least": {"type": "integer", "minimum": 5, "description": "L"},
        },
        "required": ["title"],
    }


def test_the_prompt_is_as_it_was_looked_at() -> None:
    """Changed on purpose? Then copy it to the snapshot as well."""
    assert base_prompt() == SNAPSHOT.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize(
    "taught",
    [
        "AnkrCode, an AI coding assistant",
        "Quote paths",
        "parent folder",
        "only when asked",
        "status, diff and log",
        "every commit of the branch",
        "secrets",
        "Read a file before you edit it",
        "never weaken a test",
    ],
)
@pytest.mark.requirement("S0-195")
def test_the_prompt_teaches(taught: str) -> None:
    assert taught in base_prompt()


def test_the_prompt_is_lean() -> None:
    assert len(base_prompt()) < 2_400
    assert len(base_prompt().splitlines()) < 40


# ── put together ──────────────────────────────────────────────────────────────────────────
def test_what_is_the_same_everywhere_comes_first() -> None:
    wishes = Wishes(persona="swayam", language="hi", append="Be brief.")
    general, here = system_messages(wishes, project="Use tabs.", environment="# Environment\nx")
    assert texts(general).startswith("You are AnkrCode")
    assert "'hi'" in texts(general)
    assert texts(here) == "# Project Context\nUse tabs.\n\n# Environment\nx\n\nBe brief."


@pytest.mark.requirement("S0-121", "S0-133")
def test_the_personas_speak_as_they_should() -> None:
    assert "Swayam" not in texts(system_messages(Wishes())[0])
    swayam = texts(system_messages(Wishes(persona="swayam"))[0])
    assert "answer in Hindi" in swayam
    assert re.search(r"[\u0900-\u097f]{4}", swayam)
    assert "encouraging" in swayam
    assert set(PERSONAS) == {"default", "swayam"}


def test_a_persona_may_be_described() -> None:
    assert "like a pirate" in texts(system_messages(Wishes(persona="Speak like a pirate."))[0])


def test_an_unknown_persona_is_named() -> None:
    with pytest.raises(UsageError, match="swayam"):
        system_messages(Wishes(persona="pirate"))


def test_a_prompt_of_ones_own_takes_the_place_of_ours() -> None:
    assert texts(system_messages(Wishes(base="You count."))[0]) == "You count."


@pytest.mark.requirement("S0-119", "S0-120", "S0-132", "S0-196")
async def test_an_agent_is_made_with_model_language_persona_and_tools(tmp_path: Path) -> None:
    agent, model = agent_in(
        tmp_path, ["नमस्ते", "फिर"], language="hi", persona="swayam", append_system_prompt="Be kind."
    )
    await agent.run("hello")
    await agent.run("again")
    general, here = model.requests[0].messages[:2]
    assert "'hi'" in texts(general)
    assert texts(here).endswith("Be kind.")
    assert str(tmp_path) in texts(here)
    assert {one.name for one in model.requests[0].tools} >= {"Read", "Edit", "Bash"}
    assert model.requests[0].options.stream
    assert [texts(one) for one in said(model.requests[0])] == ["hello"]
    check_prefixes(model.requests)


def test_tools_that_took_a_known_name_speak_for_themselves(tmp_path: Path) -> None:
    from ankrcode import builtin_tools, tool

    @tool(name="Glob")
    def mine(pattern: str) -> str:
        """Find stars."""
        return pattern

    registry = builtin_tools()
    registry.register(mine, replace_existing=True)
    kit = Toolkit(cwd=tmp_path, registry=registry)
    found: ToolSpec = next(one for one in specs(kit, ["Glob"]))
    assert found.description == "Find stars."
