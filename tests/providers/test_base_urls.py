"""Base URLs as people write them: bare hosts, versions too many or too few, vendors' own words."""

import asyncio
import re
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind, TextGrew
from ankrcode.providers.endpoint import Endpoint, endpoint_for
from ankrcode.providers.health import Health
from ankrcode.providers.keys import Keys
from ankrcode.providers.resolve import model_for
from ankrcode.providers.table import all_providers
from ankrcode.providers.transport.address import parse_address
from providers.asking import KEY, ask, question, quick
from providers.server import answer, running, serving
from providers.test_table import WHOLE, keyed

HOME = {"HOME": "/nonexistent"}
FIXED = {name: row for name, row in all_providers().items() if "{" not in row.base_url}
MISSING = answer(b"404 page not found", 404, "text/plain")


def reached(name: str, environ: dict[str, str]) -> Endpoint:
    environ = {**HOME, **keyed(name), **environ}
    return endpoint_for(name, Settings(), environ, Keys(environ, keyring=False))


# ── the vendor's own host ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("name", [name for name, row in FIXED.items() if row.base_url_variables])
def test_the_bare_host_of_a_vendor_means_its_usual_address(name: str, slash: str) -> None:
    """`GROQ_BASE_URL=https://api.groq.com` is what Groq's own package takes."""
    row = FIXED[name]
    if not row.base_url:
        return
    scheme, _, rest = row.base_url.partition("://")
    bare = f"{scheme}://{rest.partition('/')[0]}{slash}"
    found = reached(name, {row.base_url_variables[0]: bare})
    assert found.base_url.rstrip("/") == row.base_url
    assert found.is_usual


@pytest.mark.parametrize("name", FIXED)
def test_every_vendor_has_a_variable_for_its_address(name: str) -> None:
    assert FIXED[name].base_url_variables


# ── Ollama ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("localhost", "http://localhost:11434"),  # as Ollama itself reads its variable
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("[::]", "http://[::1]:11434"),
        ("[::1]:99", "http://[::1]:99"),
        ("gpu.example", "http://gpu.example:11434"),
        ("localhost:99", "http://localhost:99"),
        ("http://gpu.example", "http://gpu.example"),
        ("https://gpu.example", "https://gpu.example"),
        ("http://localhost:11434/v1", "http://localhost:11434"),  # for other tools
        ("http://localhost:11434/v1/", "http://localhost:11434"),
        ("http://localhost:11434/api", "http://localhost:11434"),
        ("http://gate.example/ollama/", "http://gate.example/ollama"),
    ],
)
def test_ollamas_address_is_read_as_it_is_meant(said: str, expected: str) -> None:
    assert reached("ollama", {"OLLAMA_HOST": said}).base_url.rstrip("/") == expected


async def test_a_server_that_only_takes_ollamas_place_is_spoken_to_in_openais_way() -> None:
    async with serving([MISSING], [answer(WHOLE["openai-chat"])]) as server:
        model = model_for("ollama/m", quick(), HOME, base_url=server.url, health=Health())
        outcome = await ask(model)
    assert outcome.text == "Hello"
    assert [one.target for one in server.heard] == ["/api/chat", "/v1/chat/completions"]


async def test_a_model_that_ollama_does_not_have_is_not_looked_for_elsewhere() -> None:
    said = answer(b'{"error":"model \\"m\\" not found, try pulling it first"}', 404)
    async with serving([said]) as server:
        model = model_for("ollama/m", quick(), HOME, base_url=server.url, health=Health())
        outcome = await ask(model)
        assert len(server.heard) == 1
    assert outcome.failure.kind is FailureKind.MODEL
    assert "try pulling it first" in outcome.failure.message


# ── versions ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("path", ["", "/", "/v1", "/v2", "/v2/"])
async def test_cohere_is_reached_with_or_without_a_version(path: str) -> None:
    async with serving([answer(WHOLE["cohere"])]) as server:
        url = server.url + path
        outcome = await ask(model_for("cohere/m", quick(), keyed("cohere"), base_url=url))
    assert outcome.text == "Hello"
    assert [one.target for one in server.heard] == ["/v2/chat"]


CHAT = "chat/completions"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("groq", f"/openai/v1/{CHAT}"),  # as the vendor itself has it
        ("openrouter", f"/api/v1/{CHAT}"),
        ("fireworks", f"/inference/v1/{CHAT}"),
        ("zai", f"/api/paas/v4/{CHAT}"),
        ("dashscope", f"/compatible-mode/v1/{CHAT}"),
        ("deepinfra", f"/v1/openai/{CHAT}"),
        ("github", f"/inference/{CHAT}"),
        ("minimax", "/anthropic/v1/messages"),
        *((name, f"/v1/{CHAT}") for name in ("mistral", "groq", "github", "deepinfra", "cohere")),
        *((name, f"/{CHAT}") for name in ("perplexity", "deepseek", "groq", "cohere")),
    ],
)
async def test_whatever_path_a_server_has_it_is_found_from_its_bare_host(
    name: str, path: str
) -> None:
    wire = "anthropic" if name == "minimax" else "openai-chat"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = re.search(rb"(?i)content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            is_there = head.split(b" ")[1].decode() == path
            writer.write(answer(WHOLE[wire]) if is_there else MISSING)

    async with running(serve) as port:
        url = f"http://127.0.0.1:{port}"
        model = model_for(f"{name}/m", quick(), keyed(name), base_url=url, health=Health())
        for _ in range(2):
            assert (
                "".join(
                    [
                        one.text
                        async for one in model.stream(question())
                        if isinstance(one, TextGrew)
                    ]
                )
                == "Hello"
            )
        await model.close()


# ── vendors' usual variables ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "variable"),
    [("anthropic", "ANTHROPIC_AUTH_TOKEN"), ("azure", "AZURE_OPENAI_AD_TOKEN")],
)
async def test_a_token_goes_as_a_bearers_and_a_key_as_a_key(name: str, variable: str) -> None:
    wire = all_providers()[name].wire
    async with serving([answer(WHOLE[wire])]) as server:
        model = model_for(f"{name}/m", quick(), {**HOME, variable: KEY}, base_url=server.url)
        await ask(model)
        environ = {**keyed(name), variable: "other-token-123456"}
        await ask(model_for(f"{name}/m", quick(), environ, base_url=server.url))
    token, key = (one.headers for one in server.heard)
    assert token["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in token
    assert "api-key" not in token
    assert KEY in (key.get("x-api-key"), key.get("api-key"))
    assert "authorization" not in key


async def test_a_token_that_is_refused_is_named_as_what_was_set() -> None:
    async with serving([answer(b'{"error": {"message": "invalid bearer token"}}', 401)]) as server:
        environ = {**HOME, "ANTHROPIC_AUTH_TOKEN": KEY}
        outcome = await ask(model_for("anthropic/m", quick(), environ, base_url=server.url))
    assert "set ANTHROPIC_AUTH_TOKEN to a valid one" in outcome.failure.message


async def test_organisation_and_project_of_openai_go_along() -> None:
    environ = {**keyed("openai"), "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"}
    async with serving([answer(WHOLE["openai-chat"])]) as server:
        await ask(model_for("openai/m", quick(), environ, base_url=server.url))
        await ask(model_for("openai/m", quick(), keyed("openai"), base_url=server.url))
        own = {"openai": ProviderSettings(headers={"openai-organization": "org-2"})}
        settings = Settings(models=quick().models, providers=own)
        await ask(model_for("openai/m", settings, environ, base_url=server.url))
    with_both, without, overruled = (one.headers for one in server.heard)
    assert with_both["openai-organization"] == "org-1"
    assert with_both["openai-project"] == "proj-1"
    assert "openai-organization" not in without
    assert overruled["openai-organization"] == "org-2"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("google", "GOOGLE_GENERATIVE_AI_API_KEY"),
        ("huggingface", "HUGGINGFACEHUB_API_TOKEN"),
        ("fireworks", "FIREWORKS_AI_API_KEY"),
    ],
)
def test_other_names_of_keys_that_are_in_use_are_known(name: str, variable: str) -> None:
    assert variable in all_providers()[name].keys


def test_another_name_of_an_address_that_is_in_use_is_known() -> None:
    assert reached("cohere", {"CO_API_URL": "http://127.0.0.1:9"}).base_url == "http://127.0.0.1:9"


# ── a login in the address ────────────────────────────────────────────────────────────────────
async def test_user_and_password_of_an_address_go_along_unseen() -> None:
    async with serving([answer(WHOLE["ollama"])]) as server:
        said = server.url.replace("://", "://me:p%40ss-word-123@")
        found = reached("ollama", {"OLLAMA_HOST": said, "OLLAMA_API_KEY": ""})
        assert found.base_url == server.url
        outcome = await ask(model_for("ollama/m", quick(), {**HOME, "OLLAMA_HOST": said}))
        sent = server.heard[0].headers
    assert outcome.text == "Hello"
    assert sent["authorization"] == f"Basic {b64encode(b'me:p@ss-word-123').decode()}"
    assert "@" not in sent["host"]
    assert "ss-word" not in repr(found)


async def test_a_key_counts_before_a_login_in_the_address() -> None:
    async with serving([answer(WHOLE["openai-chat"])]) as server:
        said = server.url.replace("://", "://me:secret@")
        await ask(model_for("groq/m", quick(), keyed("groq"), base_url=said))
        assert server.heard[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_login_that_is_refused_is_not_shown() -> None:
    async with serving([answer(b'{"error": "bad login me:secret-word"}', 401)]) as server:
        own = ProviderSettings(base_url=server.url.replace("://", "://me:secret-word@"), model="m")
        settings = Settings(models=quick().models, providers={"work": own})
        outcome = await ask(model_for("work", settings, HOME, health=Health()))
    assert "set providers.work.base_url" in outcome.failure.message


# ── whatever people write ─────────────────────────────────────────────────────────────────────
PIECES = st.sampled_from(
    [
        *("http://", "https://", "HTTP://", "ftp://", "//", "", "localhost", "127.0.0.1", "[::1]"),
        *("[::]", "0.0.0.0", "h.example", ":8080", ":", ":99999", "/v1", "/v1/", "/api", "/a b"),
        *("/", "?api-version=1", "?", "#x", "@", "नमस्ते", "\r\n", "{x}", "%", "..", "v1"),
    ]
)


@given(
    url=st.tuples(
        st.sampled_from(["", "http://", "https://", "ftp://"]),
        st.sampled_from(["", "me:pw@"]),
        st.lists(PIECES, max_size=5).map("".join),
    ).map("".join),
    name=st.sampled_from(sorted(all_providers())),
)
@settings(max_examples=300, deadline=None)
def test_any_address_is_one_or_is_refused_in_one_sentence(url: str, name: str) -> None:
    environ = {**HOME, **keyed(name)}
    keys = Keys(environ, keyring=False)
    said, found = "", None
    try:
        found = endpoint_for(name, Settings(), environ, keys, url)
    except ProviderError as problem:
        said = str(problem)
    assert "\n" not in said
    assert "me:pw" not in said
    if found is not None:
        assert parse_address(found.base_url).host
        again = endpoint_for(name, Settings(), environ, keys, found.base_url)
        assert again.base_url.rstrip("/") == found.base_url.rstrip("/")  # it means itself
