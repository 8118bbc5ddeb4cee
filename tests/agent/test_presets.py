"""The agents that come with the house: their tools, sizes and names are those of the specs."""

import os
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, system_of, text_of
from ankrcode.agent.agent_files import AgentType
from ankrcode.agent.child import common_prompt, prompt_of
from ankrcode.agent.child_model import model_of
from ankrcode.agent.guide import docs_folder, with_docs
from ankrcode.agent.presets import THOROUGHNESS, find_type, presets
from ankrcode.config.models import ModelSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ToolError
from ankrcode.providers.resolve import model_for
from ankrcode.providers.wire import Model
from ankrcode.testing import ScriptedModel

READERS = ("Read", "Glob", "Grep")
# Spec 0's table: tools and size of each type.
TABLE = {
    "explore": (READERS, "small"),
    "plan": ((*READERS, "WebFetch"), "medium"),
    "code": (None, "medium"),
    "review": (READERS, "medium"),
    "security": ((*READERS, "Bash"), "large"),
    "bash": (("Bash",), "small"),
    "general": (None, "medium"),
}


@pytest.mark.requirement("S0-050", "S0-057", "S0-058", "S0-059", "S0-060", "S0-061")
@pytest.mark.requirement("S0-062", "S0-063")
@pytest.mark.parametrize("name", TABLE)
def test_tools_and_size_are_those_of_the_table(name: str) -> None:
    one = presets()[name]
    assert (one.tools, one.model) == TABLE[name]
    assert one.max_turns == 20
    assert one.mode is None


@pytest.mark.requirement("S0-172")
def test_each_has_a_prompt_of_its_own_that_states_its_role() -> None:
    prompts = [one.prompt for one in presets().values()]
    assert len(set(prompts)) == len(prompts) == 9
    roles = {
        "explore": "You explore code",
        "plan": "You are a software architect",
        "code": "You write code",
        "review": "You review code",
        "security": "You analyse security",
        "bash": "You run commands",
        "general": "You are a coding assistant",
        "guide": "You answer questions about AnkrCode",
        "delegate": "You are an expert",
    }
    for name, words in roles.items():
        assert presets()[name].prompt.startswith(words)
        assert presets()[name].description


@pytest.mark.requirement("S4-091", "S4-092", "S4-094", "S4-095", "S4-096")
@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("Bash", "bash"),
        ("general-purpose", "general"),
        ("Explore", "explore"),
        ("Plan", "plan"),
        ("claude-code-guide", "guide"),
        ("EXPLORE", "explore"),
        ("General-Purpose", "general"),
        (" review ", "review"),
    ],
)
def test_the_names_of_other_products_are_understood(alias: str, name: str) -> None:
    found = find_type(alias, presets())
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("name", ["", "explorer", "dragon", "../explore"])
def test_other_names_are_not(name: str) -> None:
    assert find_type(name, presets()) is None


def test_an_exact_name_goes_before_an_alias() -> None:
    own = AgentType(name="Explore", description="own", prompt="mine")
    found = find_type("Explore", presets() | {"Explore": own})
    assert found is own


def test_every_agent_is_told_that_its_last_message_is_its_report() -> None:
    for one in presets().values():
        prompt = prompt_of(one)
        assert prompt.startswith(common_prompt())
        assert "only thing the other sees" in prompt
        assert "${" not in prompt
        assert len(prompt) < 2_500


# ── their surroundings ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", [*TABLE, "guide"])
async def test_a_model_is_told_of_the_types_own_tools_and_no_others(
    kind: str, tmp_path: Path
) -> None:
    firm = Firm(tmp_path, [calls(order("do your part", kind)), "child", "parent"])
    assert (await firm.run()).ok
    told = set(firm.tools_told("do your part"))
    tools = presets()[kind].tools
    if tools is None:
        assert {"Read", "Write", "Edit", "Bash", "Grep"} <= told
    else:
        assert told == set(tools) & set(firm.kit.registry.names)
    assert presets()[kind].prompt.splitlines()[0][:20] in system_of(firm.request("do your part"))


@pytest.mark.requirement("S4-094")
@pytest.mark.parametrize("level", THOROUGHNESS)
async def test_how_far_explore_looks_is_told_to_it(level: str, tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("search", thoroughness=level)), "found", "done"])
    await firm.run()
    said = firm.request("search").messages[-1].parts[0]
    assert THOROUGHNESS[level] in said.text  # type: ignore[union-attr]


@pytest.mark.parametrize(("level", "most"), [("quick", 10), ("medium", 20), ("very thorough", 40)])
async def test_who_looks_further_may_take_more_turns(level: str, most: int, tmp_path: Path) -> None:
    looking = [calls(order("search", thoroughness=level))]
    looking += [calls(call("Glob", pattern=f"*.{number}")) for number in range(most + 5)]
    firm = Firm(tmp_path, looking)
    await firm.run()
    asked = [one for one in firm.model.requests if len(one.tools) == 3]
    assert len(asked) == most


# ── the guide ─────────────────────────────────────────────────────────────────────────────────
def test_the_documents_are_found_and_named_in_the_prompt() -> None:
    folder = docs_folder()
    assert folder is not None
    assert (folder / "settings.md").is_file()
    assert str(folder) in prompt_of(presets()["guide"])


async def test_the_guide_reads_the_documents_unasked_though_they_lie_elsewhere(
    tmp_path: Path,
) -> None:
    page = str(docs_folder() / "settings.md")  # type: ignore[operator]
    turns = [
        calls(order("which settings are there?", "guide")),
        calls(call("Grep", pattern="permissions.mode", path=str(docs_folder()))),
        calls(call("Read", file_path=page, limit=5)),
        "There are settings.",
        "done",
    ]
    firm = Firm(tmp_path, turns, mode="dontAsk")
    await firm.run()
    (result,) = firm.of_task
    assert result.value.response == "There are settings."
    asked = firm.model.requests[3]
    assert "1\t" in text_of(asked.messages[-1])
    outside = await firm.kit.call("Read", file_path=page)
    assert not outside.ok  # the guide's right is the guide's alone


def test_where_the_documents_are_missing_the_guide_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from ankrcode.agent import guide

    monkeypatch.setattr(guide, "docs_folder", lambda: None)
    assert "not installed here" in with_docs("Look into ${docs}.")


# ── models ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("size", ["", "small", "haiku", "opus"])
def test_where_a_size_cannot_be_had_the_parents_own_model_answers(size: str) -> None:
    parent = ScriptedModel([])
    assert model_of(size, parent, Settings()) is parent


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-test")
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test")


def parent_of(name: str = "anthropic/claude-sonnet-4-5", base_url: str | None = None) -> Model:
    return model_for(name, Settings(), os.environ, base_url=base_url)


@pytest.mark.requirement("S0-052")
@pytest.mark.parametrize(
    ("size", "tier"), [("haiku", "small"), ("sonnet", "medium"), ("opus", "large")]
)
@pytest.mark.usefixtures("keys")
def test_a_size_is_taken_from_the_settings_or_from_the_parents_vendor(size: str, tier: str) -> None:
    parent = parent_of()
    found = model_of(size, parent, Settings())
    assert found is not parent
    assert found.name == model_for(f"anthropic/{tier}", Settings(), os.environ).name
    sizes: dict[str, Any] = {tier: "groq/llama-3.3-70b-versatile"}
    chosen = Settings(models=ModelSettings(**sizes))
    assert model_of(size, parent, chosen).name == "groq/llama-3.3-70b-versatile"


@pytest.mark.parametrize("size", ["small", "haiku", "opus"])
@pytest.mark.usefixtures("keys")
def test_who_was_sent_to_another_server_is_not_sent_back_to_the_vendor(size: str) -> None:
    parent = parent_of(base_url="http://127.0.0.1:9/v1")
    assert model_of(size, parent, Settings()) is parent


@pytest.mark.usefixtures("keys")
def test_without_a_wish_the_parents_own_model_answers() -> None:
    parent = parent_of()
    assert model_of("", parent, Settings()) is parent


@pytest.mark.parametrize("name", ["nobody/knows", "anthropic/claude-sonnet-4-5", "what"])
def test_a_model_that_was_named_and_cannot_be_had_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ToolError, match=name):
        model_of(name, ScriptedModel([]), Settings(models=ModelSettings(keyring=False)))


# ── the expert of another vendor ──────────────────────────────────────────────────────────────
async def test_delegate_asks_the_model_that_is_named(tmp_path: Path) -> None:
    script = tmp_path / "expert.json"
    script.write_text('["I would not do that."]', encoding="utf-8")
    asked = order("is it sound?", "delegate", model=f"scripted/{script}")
    firm = Firm(tmp_path, [calls(asked), "done"])
    await firm.run()
    (result,) = firm.of_task
    assert result.value.response == "I would not do that."
    assert result.metadata["model"] == f"scripted/{script}"


async def test_delegate_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("is it sound?", "delegate")), "done"])
    await firm.run()
    assert "`model` is missing. Name one as provider/name." in firm.results[0].text
