"""Every row of the table with its quirks: what a demanding request looks like when it arrives."""

import pytest
from msgspec.structs import replace

from ankrcode.protocol.message import AttachmentPart, Message, TextPart
from ankrcode.protocol.result import Attachment
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from ankrcode.providers.wire import ModelRequest, Options
from ankrcode.providers.wires import quirks as q
from providers.asking import TOOL, ask, quick
from providers.server import answer, serving
from providers.test_table import ROWS, WHOLE, keyed, wire_of

CHAT_ROWS = [name for name in ROWS if wire_of(name) == "openai-chat"]
PICTURE = Attachment(type="image", mime="image/png", data="iVBORw0KGgo=")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
DEMANDING = ModelRequest(
    messages=(
        Message(role="system", parts=(TextPart(text="Be brief."),)),
        Message(
            role="user", parts=(TextPart(text="What is it?"), AttachmentPart(attachment=PICTURE))
        ),
    ),
    tools=(TOOL,),
    options=Options(
        max_output_tokens=100,
        temperature=0.5,
        stop=("END",),
        effort="high",
        tool_choice="required",
        schema=SCHEMA,
    ),
)


async def sent_by(name: str, model: str = "some-model") -> dict[str, object]:
    """The body of the demanding request as the server got it."""
    async with serving([answer(WHOLE["openai-chat"])]) as server:
        asked = model_for(
            f"{name}/{model}", quick(), keyed(name), base_url=server.url, health=Health()
        )
        outcome = await ask(asked, DEMANDING)
    assert outcome.text == "Hello"
    return server.heard[0].json


def expected_choice(its: set[str]) -> object:
    if q.NO_TOOL_CHOICE in its:
        return None
    if q.NO_REQUIRED in its:
        return "auto"
    return "any" if q.REQUIRED_IS_ANY in its else "required"


def expected_format(its: set[str]) -> object:
    if q.NO_JSON in its:
        return None
    return "json_object" if q.JSON_OBJECT in its else "json_schema"


def thinking_words(its: set[str]) -> set[str]:
    if q.NO_EFFORT in its:
        return set()
    if q.EFFORT_OBJECT in its:
        return {"reasoning"}
    if q.THINKING_SWITCH in its:
        return {"thinking"}
    if q.ENABLE_THINKING in its:
        return {"enable_thinking", "thinking_budget"}
    return {"reasoning_effort"}


@pytest.mark.parametrize("name", CHAT_ROWS)
async def test_a_row_asks_only_for_what_its_vendor_knows(name: str) -> None:
    its = set(ROWS[name].quirks)
    body = await sent_by(name)
    limit = "max_completion_tokens" if q.MAX_COMPLETION_TOKENS in its else "max_tokens"
    other = {"max_tokens", "max_completion_tokens"} - {limit}
    assert body[limit] == 100
    assert not other & set(body)
    assert ("stream_options" in body) == (q.NO_STREAM_OPTIONS not in its)
    assert ("temperature" in body) == (q.NO_TEMPERATURE not in its)
    assert ("stop" in body) == (q.NO_STOP not in its)
    assert body.get("tool_choice") == expected_choice(its)
    form = body.get("response_format")
    assert (form["type"] if isinstance(form, dict) else None) == expected_format(its)
    words = {"reasoning", "thinking", "enable_thinking", "thinking_budget", "reasoning_effort"}
    assert words & set(body) == thinking_words(its)


@pytest.mark.parametrize("name", CHAT_ROWS)
async def test_a_row_tells_messages_as_its_vendor_wants_them(name: str) -> None:
    its = set(ROWS[name].quirks)
    messages = (await sent_by(name))["messages"]
    assert isinstance(messages, list)
    system, user = messages
    assert system["role"] == ("developer" if q.DEVELOPER in its else "system")
    text = user["content"] if isinstance(user["content"], str) else str(user["content"])
    assert "What is it?" in text
    shows_picture = q.NO_IMAGES not in its and q.PLAIN_CONTENT not in its
    assert ("iVBORw0KGgo=" in text) == shows_picture
    if q.PLAIN_CONTENT in its:
        assert isinstance(user["content"], str)


@pytest.mark.parametrize("model", ["gpt-5.2", "o3", "gpt-6-luna"])
async def test_a_thinking_model_of_openai_gets_no_sampling(model: str) -> None:
    body = await sent_by("openai-chat", model)
    assert body["max_completion_tokens"] == 100
    assert not {"temperature", "top_p", "stop", "max_tokens"} & set(body)
    assert body["reasoning_effort"] == "high"
    messages = body["messages"]
    assert isinstance(messages, list)
    assert messages[0]["role"] == "developer"


@pytest.mark.parametrize(
    ("model", "takes_effort"),
    [("grok-4.7", True), ("grok-4.3", True), ("grok-4.20-reasoning", False), ("grok-build", False)],
)
async def test_some_models_of_a_vendor_take_less_than_others(
    model: str, takes_effort: bool
) -> None:
    body = await sent_by("xai", model)
    assert ("reasoning_effort" in body) == takes_effort
    assert "stop" not in body


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-sonnet-4-5", "enabled"),
        ("claude-opus-4-6", "adaptive"),
        ("claude-sonnet-5-5", "adaptive"),
    ],
)
async def test_each_claude_is_asked_to_think_in_its_own_way(model: str, thinking: str) -> None:
    options = replace(DEMANDING.options, max_output_tokens=20_000, tool_choice="auto", schema=None)
    async with serving([answer(WHOLE["anthropic"])]) as server:
        asked = model_for(
            f"anthropic/{model}", quick(), keyed("anthropic"), base_url=server.url, health=Health()
        )
        await ask(asked, replace(DEMANDING, options=options))
    body = server.heard[0].json
    told = body["thinking"]
    assert isinstance(told, dict)
    assert told["type"] == thinking
    assert ("budget_tokens" in told) == (thinking == "enabled")
    assert "temperature" not in body
