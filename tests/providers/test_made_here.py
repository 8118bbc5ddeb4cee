"""From a name to a model without a server, or to one that is taught its tools in words."""

import json
import os
from pathlib import Path

import pytest

from ankrcode.config.models import ModelSettings, ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.stream import AnyStreamEvent, FailureKind, Stopped, TextGrew
from ankrcode.providers.catalogue import all_models
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.recorded import RecordedModel, RecordingModel
from ankrcode.providers.resolve import model_for
from ankrcode.providers.router import Router
from ankrcode.providers.scripted import ScriptedModel
from ankrcode.providers.table import all_providers
from ankrcode.providers.text.tools import TextToolsModel
from ankrcode.providers.wire import Model, ModelRequest, ToolSpec

HERE = {"HOME": "/nonexistent"}
READ = ToolSpec(name="Read", description="", input_schema={"type": "object"})


def asking(text: str = "hi") -> ModelRequest:
    return ModelRequest(messages=[Message(role="user", parts=(TextPart(text=text),))], tools=[READ])


async def answer_of(model: Model, request: ModelRequest | None = None) -> Gathered:
    answer = Gathered()
    async for event in model.stream(request or asking()):
        answer.feed(event)
    return answer


def first(model: Model) -> Model:
    """What stands behind the router."""
    return model.candidates[0].model if isinstance(model, Router) else model


def resolved(name: str, settings: Settings | None = None, *, offline: bool = False) -> Model:
    return first(model_for(name, settings or Settings(), HERE, offline=offline))


# ── scripts and recordings by name ────────────────────────────────────────────────────────────
async def test_a_script_is_a_model_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "turns.json"
    file.write_text('["one", "two"]')
    model = model_for(f"scripted/{file}", Settings(), HERE)
    assert isinstance(first(model), ScriptedModel)
    assert [(await answer_of(model)).text for _ in range(2)] == ["one", "two"]
    await model.close()


async def test_the_file_may_be_named_from_here_or_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.json").write_text('["here"]')
    (Path(os.environ["HOME"]) / "home.json").write_text('["home"]')
    assert (await answer_of(resolved("scripted/here.json"))).text == "here"
    assert (await answer_of(resolved("scripted/~/home.json"))).text == "home"


async def test_a_recording_is_a_model_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    await answer_of(RecordingModel(ScriptedModel(["said once"]), path))
    model = resolved(f"recorded/{path}")
    assert isinstance(model, RecordedModel)
    assert (await answer_of(model)).text == "said once"


@pytest.mark.parametrize("kind", ["scripted", "recorded", "local"])
def test_a_file_that_is_missing_is_one_clear_sentence(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="nowhere") as caught:
        model_for(f"{kind}/{tmp_path}/nowhere.gguf", Settings(), HERE)
    assert caught.value.suggestion


async def test_offline_they_work_as_ever(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('["still here"]')
    model = resolved(f"scripted/{tmp_path}/t.json", offline=True)
    assert (await answer_of(model)).text == "still here"
    with pytest.raises(ProviderError, match="machine"):
        resolved(
            "groq/x", Settings(providers={"groq": ProviderSettings(key_env="HOME")}), offline=True
        )


async def test_a_script_can_stand_behind_another_model(tmp_path: Path) -> None:
    (tmp_path / "down.json").write_text('[{"fail": "overloaded"}]')
    (tmp_path / "up.json").write_text('["I am here"]')
    settings = Settings(models=ModelSettings(fallback=[f"scripted/{tmp_path}/up.json"], retries=0))
    model = model_for(f"scripted/{tmp_path}/down.json", settings, HERE)
    assert (await answer_of(model)).text == "I am here"


async def test_the_failures_of_a_script_are_tried_again_like_real_ones(tmp_path: Path) -> None:
    turns: list[object] = [{"fail": "server"}, {"fail": "network"}, "at last"]
    (tmp_path / "t.json").write_text(json.dumps(turns))
    settings = Settings(models=ModelSettings(retries=3, max_wait_s=0.01, max_total_wait_s=1.0))
    model = model_for(f"scripted/{tmp_path}/t.json", settings, HERE)
    assert (await answer_of(model)).text == "at last"
    worn_out = await answer_of(model)
    assert worn_out.failure is not None
    assert worn_out.failure.kind is FailureKind.PROTOCOL


# ── who is taught in words ────────────────────────────────────────────────────────────────────
KEYS = {**HERE, **{key: "k" * 20 for row in all_providers().values() for key in row.keys}}
WITHOUT = [name for name, facts in all_models().items() if not facts.tools]


def taught(name: str, **providers: ProviderSettings) -> str:
    """always, when it shows, or never"""
    model = first(model_for(name, Settings(providers=providers), KEYS))
    if not isinstance(model, TextToolsModel):
        return "never"
    return "always" if model.is_on else "when it shows"


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("anthropic/claude-haiku-4-5", "never"),
        ("groq/openai/gpt-oss-120b", "never"),
        ("ollama/llama3.2", "when it shows"),
        ("lmstudio/phi-4", "when it shows"),
        ("llamacpp/any", "when it shows"),
        ("vllm/any", "when it shows"),
    ],
)
def test_the_table_says_whose_tools_are_in_doubt(name: str, how: str) -> None:
    assert taught(name) == how


@pytest.mark.parametrize("name", WITHOUT)
def test_a_model_that_is_known_to_have_no_tools_is_taught_from_the_start(name: str) -> None:
    assert taught(name) == "always"


def test_there_is_such_a_model() -> None:
    assert WITHOUT


def test_a_provider_of_ones_own_is_watched_or_taught_as_it_is_set() -> None:
    url = "http://127.0.0.1:9/v1"
    assert taught("mine/x", mine=ProviderSettings(base_url=url)) == "when it shows"
    assert taught("mine/x", mine=ProviderSettings(base_url=url, text_tools=True)) == "always"
    assert taught("groq/any", groq=ProviderSettings(text_tools=True)) == "always"


async def test_a_name_is_kept_through_all_that_is_wrapped_around_it(tmp_path: Path) -> None:
    assert model_for(WITHOUT[0], Settings(), KEYS).name == WITHOUT[0]
    (tmp_path / "t.json").write_text('["x"]')
    model = model_for(f"scripted/{tmp_path}/t.json", Settings(), HERE)
    events: list[AnyStreamEvent] = [event async for event in model.stream(asking())]
    assert isinstance(events[0], TextGrew)
    assert isinstance(events[-1], Stopped)
