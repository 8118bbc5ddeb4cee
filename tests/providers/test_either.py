"""A server that knows only one of OpenAI's two paths is still reached."""

import msgspec
import pytest

from ankrcode.protocol.stream import FailureKind, Stopped
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from providers.asking import KEYS, asked, question, quick
from providers.server import Step, answer, serving, streamed
from providers.streams import CHAT_ANSWER

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
RESPONSE = {
    "status": "completed",
    "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Hello, world"}]},
    ],
}
BY_RESPONSES = [
    b"event: response.completed\ndata: %s\n\n"
    % msgspec.json.encode({"type": "response.completed", "response": RESPONSE})
]


def refusing(status: int) -> list[Step]:
    return [answer(b'{"error":{"message":"no such path"}}', status)]


@pytest.mark.parametrize(
    ("name", "paths", "pieces"),
    [
        ("openai/plain", [CHAT, RESPONSES], BY_RESPONSES),
        ("openai/gpt-5", [RESPONSES, CHAT], CHAT_ANSWER),
    ],
)
@pytest.mark.parametrize("status", [404, 405, 501, 599])
async def test_where_one_path_is_missing_the_other_is_taken(
    name: str, paths: list[str], pieces: list[bytes], status: int
) -> None:
    async with serving(refusing(status), streamed(*pieces)) as server:
        outcome = await asked(name, server.url)
        assert [heard.target for heard in server.heard] == paths
    assert outcome.text == "Hello, world"
    assert isinstance(outcome.end, Stopped)


@pytest.mark.parametrize("name", ["xai/grok-4", "openrouter/x/y", "huggingface/x/y"])
async def test_vendors_of_chat_completions_may_have_the_newer_path_alone(name: str) -> None:
    async with serving(refusing(404), streamed(*BY_RESPONSES)) as server:
        outcome = await asked(name, f"{server.url}/v1")
        assert [heard.target for heard in server.heard] == [CHAT, RESPONSES]
    assert outcome.text == "Hello, world"


async def test_azure_may_have_the_newer_path_alone() -> None:
    async with serving(refusing(404), refusing(404), streamed(*BY_RESPONSES)) as server:
        outcome = await asked("azure/deployed", f"{server.url}/openai/v1")
        assert server.heard[-1].target.startswith("/openai/v1/responses")
    assert outcome.text == "Hello, world"


async def test_whoever_answered_is_asked_first_from_then_on() -> None:
    async with serving(refusing(404), streamed(*CHAT_ANSWER)) as server:
        model = model_for("openai/gpt-5", quick(), KEYS, base_url=server.url, health=Health())
        for _ in range(2):
            assert [event async for event in model.stream(question())]
        await model.close()
        assert [heard.target for heard in server.heard] == [RESPONSES, CHAT, CHAT]


async def test_where_both_are_missing_the_first_refusal_is_told() -> None:
    async with serving(refusing(404)) as server:
        outcome = await asked("openai/plain", server.url)
        assert [heard.target for heard in server.heard] == [CHAT, RESPONSES, "/chat/completions"]
    assert outcome.failure.status == 404
    assert "no such path" in outcome.failure.message


@pytest.mark.parametrize("status", [400, 401, 403])
async def test_any_other_refusal_is_final(status: int) -> None:
    async with serving(refusing(status)) as server:
        outcome = await asked("openai/plain", server.url)
        assert len(server.heard) == 1
    assert outcome.failure.status == status


@pytest.mark.parametrize("name", ["openai-chat/plain", "openai-responses/plain", "groq/plain"])
async def test_a_wire_that_was_named_is_not_left(name: str) -> None:
    async with serving(refusing(404)) as server:
        await asked(name, f"{server.url}/v1")
        assert len(server.heard) == 1


async def test_a_model_that_is_missing_is_missing_on_every_path() -> None:
    missing = b'{"error":{"message":"The model does not exist","code":"model_not_found"}}'
    async with serving([answer(missing, 404)]) as server:
        outcome = await asked("openai/plain", server.url)
        assert len(server.heard) == 1
    assert outcome.failure.kind is FailureKind.MODEL


async def test_cohere_is_spoken_to_by_its_own_wire_or_by_chat_completions() -> None:
    """Where such servers mostly have it, or right below the base URL."""
    paths = ["/v2/chat", "/v1/chat/completions", "/chat/completions"]
    for tries in (1, 2):
        async with serving(*[refusing(404)] * tries, streamed(*CHAT_ANSWER)) as server:
            outcome = await asked("cohere/command", server.url)
            assert [heard.target for heard in server.heard] == paths[: tries + 1]
        assert outcome.text == "Hello, world"
