"""The provider table: every row is sound, and every row is driven once against a real server."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from ankrcode.config.settings import Settings
from ankrcode.protocol.stream import Stopped
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from ankrcode.providers.table import TIERS, Provider, all_providers, find_provider, provider_names
from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.wires import WIRES, quirks
from providers.asking import KEY, ask, quick
from providers.server import Heard, answer, serving

ROWS = all_providers()
NAMED_BY_THE_TASK = {
    *("anthropic", "openai", "google", "azure", "bedrock", "vertex", "groq", "mistral"),
    *("deepseek", "xai", "openrouter", "together", "fireworks", "cerebras", "sambanova"),
    *("nvidia", "cohere", "perplexity", "huggingface", "moonshot", "zai", "dashscope", "sarvam"),
    *("ollama", "lmstudio", "llamacpp", "vllm", "openai-compatible"),
}

WHOLE: dict[str, bytes] = {
    "anthropic": b'{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],'
    b'"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}',
    "openai-chat": b'{"choices":[{"message":{"role":"assistant","content":"Hello"},'
    b'"finish_reason":"stop"}]}',
    "openai-responses": b'{"id":"r","object":"response","status":"completed","output":[{"type":'
    b'"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}]}',
    "gemini": b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},'
    b'"finishReason":"STOP"}]}',
    "bedrock": b'{"output":{"message":{"role":"assistant","content":[{"text":"Hello"}]}},'
    b'"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":1}}',
    "cohere": b'{"message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]},'
    b'"finish_reason":"COMPLETE"}',
    "ollama": b'{"model":"m","message":{"role":"assistant","content":"Hello"},"done":true,'
    b'"done_reason":"stop"}',
}
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",  # a server that is not OpenAI's own
    "openai-responses": "/v1/responses",
    "google": "/v1beta/models/some-model:streamGenerateContent?alt=sse",
    "vertex": "/publishers/google/models/some-model:streamGenerateContent?alt=sse",
    "bedrock": "/model/some-model/converse-stream",
    "azure": "/openai/v1/chat/completions",
    "zai": "/v4/chat/completions",
    "github": "/chat/completions",
    "minimax": "/v1/messages",
    "deepinfra": "/chat/completions",
    "ollama": "/api/chat",
    "cohere": "/v2/chat",
}


@pytest.mark.requirement("S0-135")
def test_there_are_all_the_providers_that_were_asked_for() -> None:
    assert set(provider_names()) >= NAMED_BY_THE_TASK
    assert len(ROWS) >= 27


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_sound(name: str) -> None:
    row = ROWS[name]
    assert row.wire in WIRES
    assert {row.compatible_wire, *(one.wire for one in row.variants.values())} <= {"", *WIRES}
    used = {*row.quirks, *(quirk for one in row.variants.values() for quirk in one.quirks)}
    assert used <= quirks.ALL
    assert row.title
    assert row.needs_key == (not row.is_local and name != "openai-compatible")
    assert all(variable.isupper() for variable in (*row.keys, *row.base_url_variables))
    assert set(row.tiers) in (set(), {"small", "medium", "large"})
    if row.needs_key:
        assert row.keys
        assert row.key_page.startswith("https://")


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.base_url])
def test_the_address_of_a_row_is_one(name: str) -> None:
    row = ROWS[name]
    filled = row.base_url.format_map(dict.fromkeys([*row.fill, "host"], "x"))
    address = parse_address(filled)
    assert address.is_tls != row.is_local
    assert address.is_loopback == row.is_local
    assert not filled.endswith("/")


def test_no_row_has_a_word_that_the_table_does_not_know() -> None:
    from ankrcode.providers.table import _FILE

    rows = msgspec.json.decode(Path(_FILE).read_bytes())
    for name, row in rows.items():
        assert set(row) <= set(Provider.__struct_fields__), name


@pytest.mark.requirement("S0-197")
def test_the_usual_variables_hold_the_keys() -> None:
    assert ROWS["anthropic"].keys == ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    assert ROWS["openai"].keys == ("OPENAI_API_KEY",)
    assert ROWS["groq"].keys == ("GROQ_API_KEY",)


@pytest.mark.requirement("S0-137")
def test_the_table_names_free_providers() -> None:
    free = {name for name, row in ROWS.items() if row.is_free}
    assert {"groq", "cohere", "ollama"} <= free
    assert "anthropic" not in free


def test_tiers_are_called_by_either_name() -> None:
    assert [TIERS[name] for name in ("haiku", "sonnet", "opus")] == ["small", "medium", "large"]
    assert [TIERS[name] for name in ("small", "medium", "large")] == ["small", "medium", "large"]


def test_the_longest_beginning_of_a_name_counts() -> None:
    row = find_provider("anthropic")
    assert row is not None
    assert row.variant("claude-opus-4-7").quirks == row.variant("claude-opus-4-7-20260416").quirks
    assert "no_temperature" in row.variant("claude-sonnet-5-5").quirks
    assert "no_temperature" not in row.variant("claude-sonnet-4-5").quirks
    assert row.variant("something-else").quirks == ()


def test_a_vendor_in_front_of_a_name_does_not_count() -> None:
    row = find_provider("openai")
    assert row is not None
    assert row.variant("openai/gpt-5").wire == "openai-responses"
    assert row.variant("my-gpt-5").wire == ""


def test_an_unknown_provider_has_no_row() -> None:
    assert find_provider("nobody") is None


# ── driven ──────────────────────────────────────────────────────────────────────────────────────
def keyed(name: str) -> Mapping[str, str]:
    row = ROWS[name]
    return {"HOME": "/nonexistent"} | ({row.keys[0]: KEY} if row.keys else {})


def wire_of(name: str) -> str:
    """The one spoken to a server that takes this vendor's place."""
    row = ROWS[name]
    return row.compatible_wire or row.wire if row.wire == "openai-responses" else row.wire


def login_of(heard: Heard) -> str:
    headers = heard.headers
    return (
        headers.get("authorization", "")
        or headers.get("x-api-key", "")
        or headers.get("api-key", "")
        or headers.get("x-goog-api-key", "")
        or headers.get("api-subscription-key", "")
    )


@pytest.mark.parametrize("name", ROWS)
async def test_every_row_is_driven_against_a_server(name: str) -> None:
    async with serving([answer(WHOLE[wire_of(name)])]) as server:
        model = model_for(
            f"{name}/some-model", quick(), keyed(name), base_url=server.url, health=Health()
        )
        outcome = await ask(model)
    (heard,) = server.heard
    assert isinstance(outcome.end, Stopped), outcome.events
    assert outcome.text == "Hello"
    assert heard.method == "POST"
    assert heard.target == PATHS.get(name, "/v1/chat/completions")
    assert heard.headers["content-type"] == "application/json"
    assert login_of(heard) in (KEY, f"Bearer {KEY}")
    assert KEY not in heard.target
    body = heard.json
    if "models/" not in heard.target and "model/" not in heard.target:
        assert body["model"] == "some-model"
    for own_name, value in ROWS[name].headers.items():
        assert heard.headers[own_name.lower()] == value


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [
        ("anthropic", "x-api-key", KEY),
        ("openai", "authorization", f"Bearer {KEY}"),
        ("azure", "api-key", KEY),
        ("google", "x-goog-api-key", KEY),
        ("sarvam", "api-subscription-key", KEY),
        ("vertex", "authorization", f"Bearer {KEY}"),
        ("bedrock", "authorization", f"Bearer {KEY}"),
    ],
)
async def test_a_key_goes_where_its_vendor_wants_it(name: str, header: str, value: str) -> None:
    async with serving([answer(WHOLE[wire_of(name)])]) as server:
        await ask(model_for(f"{name}/m", quick(), keyed(name), base_url=server.url))
    assert server.heard[0].headers[header] == value


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.needs_key])
async def test_on_loopback_no_key_is_needed_and_none_is_sent(name: str) -> None:
    environ = {"HOME": "/nonexistent"}
    async with serving([answer(WHOLE[wire_of(name)])]) as server:
        outcome = await ask(model_for(f"{name}/m", quick(), environ, base_url=server.url))
    assert outcome.text == "Hello"
    assert login_of(server.heard[0]) == ""


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.base_url_variables])
async def test_the_variables_of_a_base_url_are_honoured(name: str) -> None:
    for variable in ROWS[name].base_url_variables:
        async with serving([answer(WHOLE[wire_of(name)])]) as server:
            environ = {**keyed(name), variable: server.url}
            outcome = await ask(model_for(f"{name}/some-model", quick(), environ))
        assert outcome.text == "Hello"
        assert server.heard[0].target == PATHS.get(name, "/v1/chat/completions")


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("name", ["anthropic", "openai", "groq", "mistral", "vllm", "lmstudio"])
async def test_a_base_url_may_end_in_its_version(name: str, slash: str) -> None:
    async with serving([answer(WHOLE[wire_of(name)])]) as server:
        url = f"{server.url}/v1{slash}"
        await ask(model_for(f"{name}/some-model", quick(), keyed(name), base_url=url))
    assert server.heard[0].target == PATHS.get(name, "/v1/chat/completions")


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gpt-4o", "/v1/chat/completions"),
        ("fake-model", "/v1/chat/completions"),
        ("gpt-5.2", "/v1/responses"),
        ("o3", "/v1/responses"),
    ],
)
async def test_a_server_in_openais_place_is_spoken_to_by_the_models_name(
    model: str, path: str
) -> None:
    wire = "openai-responses" if path.endswith("responses") else "openai-chat"
    async with serving([answer(WHOLE[wire])]) as server:
        outcome = await ask(
            model_for(f"openai/{model}", quick(), keyed("openai"), base_url=server.url)
        )
    assert server.heard[0].target == path
    assert outcome.text == "Hello"


async def test_quirks_of_a_row_reach_its_requests() -> None:
    async with serving([answer(WHOLE["openai-chat"])]) as server:
        for name in ("mistral", "groq"):
            await ask(model_for(f"{name}/m", quick(), keyed(name), base_url=server.url))
    mistral, groq = (heard.json for heard in server.heard)
    assert "stream_options" not in mistral
    assert groq["stream_options"] == {"include_usage": True}


async def test_claude_on_vertex_is_spoken_to_in_its_own_way() -> None:
    async with serving([answer(WHOLE["anthropic"])]) as server:
        outcome = await ask(
            model_for("vertex/claude-sonnet-4-5", quick(), keyed("vertex"), base_url=server.url)
        )
    assert outcome.text == "Hello"
    assert "publishers/anthropic/models/claude-sonnet-4-5:" in server.heard[0].target


async def test_vertex_names_the_project_and_the_place() -> None:
    environ = {**keyed("vertex"), "GOOGLE_CLOUD_PROJECT": "mine", "VERTEX_LOCATION": "asia-south1"}
    async with serving([answer(WHOLE["gemini"])]) as server:
        await ask(model_for("vertex/gemini-x", quick(), environ, base_url=server.url))
    begin = "/v1/projects/mine/locations/asia-south1/publishers/google/models/gemini-x:"
    assert server.heard[0].target.startswith(begin)


async def test_azure_with_a_version_of_its_api_uses_deployments() -> None:
    environ = {**keyed("azure"), "AZURE_OPENAI_API_VERSION": "2024-10-21"}
    async with serving([answer(WHOLE["openai-chat"])]) as server:
        for url in (server.url, f"{server.url}/openai", f"{server.url}/openai/v1"):
            await ask(model_for("azure/mine", Settings(), environ, base_url=url))
    path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert [heard.target for heard in server.heard] == [path] * 3
