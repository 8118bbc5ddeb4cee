"""From a name to a model, and the one sentence where that cannot be."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ankrcode.config.loaded import load_settings
from ankrcode.config.models import ModelSettings, ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.endpoint import endpoint_for, row_for
from ankrcode.providers.health import Health
from ankrcode.providers.keys import Keys
from ankrcode.providers.naming import Choice, Naming
from ankrcode.providers.resolve import model_for
from ankrcode.providers.router import Router
from ankrcode.providers.table import ALIASES, find_provider, provider_names
from providers.asking import KEY, ask, asked, quick
from providers.server import answer, serving, streamed
from providers.streams import CHAT_ANSWER
from providers.test_table import WHOLE

HOME = {"HOME": "/nonexistent"}


def set_up(**changes: object) -> Settings:
    return replace(Settings(models=ModelSettings(keyring=False)), **changes)


def name_of(
    name: str | None, environ: dict[str, str] | None = None, settings: Settings | None = None
) -> str:
    return model_for(name, settings or set_up(), HOME | (environ or {})).name


ANTHROPIC, GROQ, OPENAI = ({f"{name}_API_KEY": KEY} for name in ("ANTHROPIC", "GROQ", "OPENAI"))


# ── names ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("groq/some-model", "groq/some-model"),
        ("groq/vendor/some-model", "groq/vendor/some-model"),
        (" groq/some-model ", "groq/some-model"),
        ("groq", "groq/openai/gpt-oss-120b"),
        ("groq/large", "groq/openai/gpt-oss-120b"),
        ("groq/haiku", "groq/openai/gpt-oss-20b"),
        ("small", "groq/openai/gpt-oss-20b"),
        ("sonnet", "groq/openai/gpt-oss-120b"),
    ],
)
@pytest.mark.requirement("S0-138")
def test_a_model_is_called_in_many_ways(name: str, expected: str) -> None:
    assert name_of(name, GROQ) == expected


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_other_names_of_a_provider_are_known(alias: str, name: str) -> None:
    naming = Naming(set_up(), HOME, Keys(HOME, keyring=False), offline=False)
    assert naming.choice(f"{alias}/some-model") == Choice(name, "some-model")
    assert find_provider(name) is not None
    assert find_provider(alias) is None


def test_a_provider_of_ones_own_may_have_such_a_name() -> None:
    settings = set_up(providers={"claude": ProviderSettings(base_url="http://127.0.0.1:9")})
    naming = Naming(settings, HOME, Keys(HOME, keyring=False), offline=False)
    assert naming.choice("claude/x") == Choice("claude", "x")


def test_a_bare_name_is_found_with_its_vendor() -> None:
    assert name_of("claude-sonnet-5-5", ANTHROPIC) == "anthropic/claude-sonnet-5-5"
    assert name_of("zai-org/GLM-5.3", {"TOGETHER_API_KEY": KEY}) == "together/zai-org/GLM-5.3"


def test_a_bare_name_goes_to_whoever_has_it_and_a_key() -> None:
    vertex = {"VERTEX_ACCESS_TOKEN": KEY, "VERTEX_PROJECT": "p"}
    assert name_of("claude-sonnet-5-5", vertex) == "vertex/claude-sonnet-5-5"
    both = ANTHROPIC | vertex
    assert name_of("claude-sonnet-5-5", both) == "anthropic/claude-sonnet-5-5"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (ANTHROPIC, "anthropic/claude-sonnet-5-5"),
        (OPENAI, "openai/gpt-6.1-sol"),
        (GROQ, "groq/openai/gpt-oss-120b"),
        (GROQ | OPENAI, "openai/gpt-6.1-sol"),
        (GROQ | OPENAI | ANTHROPIC, "anthropic/claude-sonnet-5-5"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9"}, "openai/gpt-6.1-sol"),
        ({"GEMINI_API_KEY": KEY}, "google/gemini-3.8-flash"),
        ({"GOOGLE_API_KEY": KEY}, "google/gemini-3.8-flash"),
        (GROQ | {"ANKRCODE_MODEL": "groq/x"}, "groq/x"),
        (GROQ | {"ANKRCODE_MODEL": "large"}, "groq/openai/gpt-oss-120b"),
    ],
)
def test_without_a_name_the_keys_decide(environ: dict[str, str], expected: str) -> None:
    assert name_of(None, environ) == expected


@pytest.mark.requirement("S0-134")
def test_the_settings_name_a_model() -> None:
    assert name_of(None, GROQ | ANTHROPIC, set_up(model="groq/mine")) == "groq/mine"
    environ = GROQ | {"ANKRCODE_MODEL": "groq/other"}
    assert name_of(None, environ) == "groq/other"
    assert name_of("groq/third", environ, set_up(model="groq/mine")) == "groq/third"


def test_the_variable_counts_as_a_layer_of_the_settings(tmp_path: Path) -> None:
    """Before the person's file, behind the command line, as for every other setting."""
    file = tmp_path / ".config" / "ankrcode" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"model": "groq/mine"}', encoding="utf-8")
    environ = {"HOME": str(tmp_path), **GROQ, "ANKRCODE_MODEL": "groq/other"}
    managed = tmp_path / "managed.json"
    loaded = load_settings(tmp_path, environ=environ, managed=managed).settings
    assert model_for(None, loaded, environ).name == "groq/other"
    line = ["model=groq/line"]
    loaded = load_settings(tmp_path, environ=environ, command_line=line, managed=managed).settings
    assert model_for(None, loaded, environ).name == "groq/line"


async def test_a_key_of_the_file_serves_a_provider_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text('{"mine": "file-key-123456"}', encoding="utf-8")
    file.chmod(0o600)
    async with serving(streamed(*CHAT_ANSWER)) as server:
        settings = replace(quick(), providers={"mine": ProviderSettings(base_url=server.url)})
        await asked("mine/m", None, settings, {"ANKRCODE_KEY_FILE": str(file)})
    assert server.heard[0].headers["authorization"] == "Bearer file-key-123456"


def test_free_providers_come_first_if_so_wished() -> None:
    settings = set_up(models=ModelSettings(keyring=False, prefer_free=True))
    assert name_of(None, GROQ | ANTHROPIC, settings) == "groq/openai/gpt-oss-120b"
    assert name_of("anthropic", GROQ | ANTHROPIC, settings) == "anthropic/claude-sonnet-5-5"


def test_who_prefers_free_models_gets_one() -> None:
    settings = set_up(models=ModelSettings(keyring=False, prefer_free=True))
    router = {"OPENROUTER_API_KEY": KEY}
    assert name_of(None, router, settings) == "openrouter/openrouter/free"
    assert name_of(None, router) == "openrouter/anthropic/claude-sonnet-5.5"


def test_the_settings_say_what_a_tier_means() -> None:
    models = ModelSettings(keyring=False, small="groq/tiny", large="anthropic/large")
    settings = set_up(models=models)
    assert name_of("haiku", GROQ, settings) == "groq/tiny"
    assert name_of("opus", ANTHROPIC, settings) == "anthropic/claude-opus-5-5"


def test_a_tier_that_means_a_tier_does_not_go_round_for_ever() -> None:
    models = ModelSettings(keyring=False, small="medium", medium="small")
    assert name_of("small", GROQ, set_up(models=models)) == "groq/openai/gpt-oss-20b"


def test_a_provider_of_ones_own_with_a_model_comes_first() -> None:
    mine = ProviderSettings(base_url="http://127.0.0.1:9/v1", model="my-model")
    settings = set_up(providers={"mine": mine})
    assert name_of(None, ANTHROPIC, settings) == "mine/my-model"
    assert name_of("mine", ANTHROPIC, settings) == "mine/my-model"
    assert name_of("mine/other", {}, settings) == "mine/other"


# ── one sentence ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "environ", "says"),
    [
        (None, {}, "ANTHROPIC_API_KEY"),
        ("medium", {}, "ANKRCODE_MODEL"),
        ("groq/x", {}, "GROQ_API_KEY"),
        ("anthropic", {}, "ANTHROPIC_API_KEY"),
        ("google/x", {}, "GEMINI_API_KEY"),
        ("bedrock/x", {}, "AWS_BEARER_TOKEN_BEDROCK"),
        ("vertex/x", {"VERTEX_PROJECT": "p"}, "VERTEX_ACCESS_TOKEN"),
        ("vertex/x", {"VERTEX_ACCESS_TOKEN": "t"}, "VERTEX_PROJECT"),
        ("azure/x", {"AZURE_OPENAI_API_KEY": "k"}, "AZURE_OPENAI_RESOURCE"),
        ("openai-compatible/x", {}, "OPENAI_COMPATIBLE_BASE_URL"),
        ("ollama", {}, "ollama/NAME"),
        ("nobody/x", {}, "providers.nobody.base_url"),
        ("no-such-model", {}, "provider/name"),
        ("groq/x", {"GROQ_API_KEY": "k", "GROQ_BASE_URL": "ftp://x"}, "ftp://x"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    name: str | None, environ: dict[str, str], says: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        name_of(name, environ)
    text = str(caught.value)
    assert says in text
    assert "\n" not in text
    assert text.rstrip(".").count(". ") == 0, text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("antropic/x", "anthropic"),
        ("OpenA1/x", "openai"),
        ("mistrall/x", "mistral"),
        ("myne/x", "mine"),
        ("claude-sonet-5-5", "anthropic/claude-sonnet-5-5"),
        ("gpt-4o-mimi", "openai/gpt-4o-mini"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_what_was_meant(name: str, meant: str) -> None:
    settings = set_up(providers={"mine": ProviderSettings(base_url="http://127.0.0.1:9")})
    with pytest.raises(ProviderError) as caught:
        name_of(name, {}, settings)
    assert f"did you mean {meant}?" in str(caught.value)


def test_a_server_of_ones_own_may_need_no_key() -> None:
    assert name_of("openai/x", {"OPENAI_BASE_URL": "http://192.168.1.5:8000"}) == "openai/x"
    with pytest.raises(ProviderError):
        name_of("openai/x", {"OPENAI_BASE_URL": "https://gateway.test"})


@pytest.mark.parametrize(
    ("said", "meant"),
    [("GROQ/x", "groq/x"), ("Groq/Some-Model", "groq/Some-Model"), ("GEMINI/y", "google/y")],
)
def test_a_provider_may_be_written_in_capitals_and_a_model_stays_as_it_is(
    said: str, meant: str
) -> None:
    environ = HOME | GROQ | {"GEMINI_API_KEY": "k"}
    assert model_for(said, set_up(), environ).name == meant


@pytest.mark.parametrize("name", ["ollama", "ollama/small", "lmstudio/opus", "vllm/medium"])
def test_a_local_server_without_a_model_says_where_to_see_those_it_has(name: str) -> None:
    with pytest.raises(ProviderError, match="models list --detect"):
        model_for(name, set_up(), HOME)


def test_an_empty_key_is_none() -> None:
    with pytest.raises(ProviderError):
        name_of("groq/x", {"GROQ_API_KEY": "  "})


# ── settings of providers ───────────────────────────────────────────────────────────────────────
async def test_a_provider_of_ones_own_is_reached() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        mine = ProviderSettings(
            base_url=server.url, key_env="MY_KEY", headers={"X-Team": "blue"}, quirks=["no_stop"]
        )
        settings = replace(quick(), providers={"mine": mine})
        outcome = await asked("mine/m", None, settings, {"MY_KEY": "my-key-123456"})
    assert outcome.text == "Hello, world"
    heard = server.heard[0]
    assert heard.target == "/v1/chat/completions"
    assert heard.headers["authorization"] == "Bearer my-key-123456"
    assert heard.headers["x-team"] == "blue"


async def test_a_row_can_be_changed_by_settings() -> None:
    async with serving([answer(WHOLE["anthropic"])]) as server:
        own = ProviderSettings(
            base_url=f"{server.url}/gateway", wire="anthropic", auth="x-api-key", key_env="GATE"
        )
        settings = replace(quick(), providers={"openai": own})
        outcome = await asked("openai/m", None, settings, {"GATE": "gate-key-1234"})
    assert outcome.text == "Hello"
    assert server.heard[0].headers["x-api-key"] == "gate-key-1234"
    assert server.heard[0].target == "/gateway/v1/messages"


def test_settings_count_before_variables_and_the_option_before_both() -> None:
    settings = set_up(providers={"groq": ProviderSettings(base_url="http://127.0.0.1:1/v1")})
    environ = HOME | GROQ | {"GROQ_BASE_URL": "http://127.0.0.1:2/v1"}
    keys = Keys(environ, keyring=False)
    assert endpoint_for("groq", settings, environ, keys).base_url == "http://127.0.0.1:1/v1"
    chosen = endpoint_for("groq", settings, environ, keys, "http://127.0.0.1:3")
    assert chosen.base_url == "http://127.0.0.1:3/v1"
    usual = endpoint_for("groq", set_up(), HOME | GROQ, Keys(GROQ, keyring=False))
    assert usual.base_url == "https://api.groq.com/openai/v1"
    assert usual.is_usual


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://gpu.test:11434", "http://gpu.test:11434"),
    ],
)
def test_where_ollama_listens_is_where_it_is_asked(host: str, expected: str) -> None:
    environ = HOME | {"OLLAMA_HOST": host}
    found = endpoint_for("ollama", set_up(), environ, Keys(environ, keyring=False))
    assert found.base_url == expected


@pytest.mark.parametrize(
    ("environ", "host"),
    [
        ({"AWS_REGION": "ap-south-1"}, "bedrock-runtime.ap-south-1.amazonaws.com"),
        ({"AWS_DEFAULT_REGION": "eu-west-1"}, "bedrock-runtime.eu-west-1.amazonaws.com"),
        ({}, "bedrock-runtime.us-east-1.amazonaws.com"),
    ],
)
def test_a_region_is_part_of_the_address(environ: dict[str, str], host: str) -> None:
    environ = HOME | {"AWS_BEARER_TOKEN_BEDROCK": "token"} | environ
    found = endpoint_for("bedrock", set_up(), environ, Keys(environ, keyring=False))
    assert found.base_url == f"https://{host}"


@pytest.mark.parametrize(
    ("place", "host"),
    [("global", "aiplatform.googleapis.com"), ("us-east5", "us-east5-aiplatform.googleapis.com")],
)
def test_vertex_has_a_host_for_each_place(place: str, host: str) -> None:
    environ = HOME | {"VERTEX_ACCESS_TOKEN": "t", "VERTEX_PROJECT": "p", "VERTEX_LOCATION": place}
    found = endpoint_for("vertex", set_up(), environ, Keys(environ, keyring=False))
    assert found.base_url == f"https://{host}/v1/projects/p/locations/{place}"


def test_settings_name_region_and_project_too() -> None:
    own = ProviderSettings(region="europe-west1", project="mine")
    environ = HOME | {"VERTEX_ACCESS_TOKEN": "t"}
    settings = set_up(providers={"vertex": own})
    found = endpoint_for("vertex", settings, environ, Keys(environ, keyring=False))
    assert "/projects/mine/locations/europe-west1" in found.base_url


def test_azure_is_named_by_its_resource_or_its_endpoint() -> None:
    environ = HOME | {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_RESOURCE": "mine"}
    found = endpoint_for("azure", set_up(), environ, Keys(environ, keyring=False))
    assert found.base_url == "https://mine.openai.azure.com/openai/v1"
    environ = HOME | {
        "AZURE_OPENAI_API_KEY": "k",
        "AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/",
        "OPENAI_API_VERSION": "2024-10-21",
    }
    found = endpoint_for("azure", set_up(), environ, Keys(environ, keyring=False))
    assert found.base_url == "https://mine.openai.azure.com/openai?api-version=2024-10-21"
    assert "azure_deployments" in found.row.quirks


def test_no_key_is_shown_anywhere() -> None:
    environ = HOME | GROQ
    found = endpoint_for("groq", set_up(), environ, Keys(environ, keyring=False))
    assert KEY not in repr(found)
    model = model_for("groq/x", set_up(), environ)
    assert KEY not in repr(model)
    assert KEY not in repr(vars(model))


def test_own_rows_without_a_table_row_are_plain_chat() -> None:
    row = row_for("mine", set_up(providers={"mine": ProviderSettings(base_url="http://x")}))
    assert (row.wire, row.needs_key) == ("openai-chat", False)


# ── base URLs given with a name ─────────────────────────────────────────────────────────────────
async def test_an_unknown_name_with_a_base_url_is_any_compatible_server() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        outcome = await asked("some/thing", server.url)
    assert outcome.text == "Hello, world"
    assert server.heard[0].json["model"] == "some/thing"


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("openai-compatible/small", "small"),
        ("openai-compatible/haiku", "haiku"),
        ("openai-compatible/meta-llama/Llama-3", "meta-llama/Llama-3"),
        ("meta-llama/Llama-3", "meta-llama/Llama-3"),
        ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
        ("qwen/qwen3-max", "qwen3-max"),
        ("openai/gpt-oss-120b", "openai/gpt-oss-120b"),  # which OpenAI itself does not serve
        ("openai/gpt-4o", "gpt-4o"),
        ("OpenAI/gpt-4o", "gpt-4o"),
        ("openai/my-own", "my-own"),
        ("ollama/small", "small"),
        ("vllm/org/large", "org/large"),
        ("plain", "plain"),
        (" plain ", "plain"),
    ],
)
async def test_a_server_of_ones_own_is_asked_for_the_model_and_not_for_its_provider(
    name: str, sent: str
) -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        await asked(name, server.url)
    assert server.heard[0].json["model"] == sent


@pytest.mark.parametrize("provider", provider_names())
@pytest.mark.parametrize("model", ["small", "my-own", "org/my-own"])
def test_the_prefix_of_every_provider_is_no_part_of_the_name(provider: str, model: str) -> None:
    naming = Naming(set_up(), HOME, Keys(HOME, keyring=False), offline=False)
    found = naming.served(f"{provider}/{model}")
    row = find_provider(provider)
    assert row is not None
    assert found == Choice(provider, row.tiers.get("small", model) if model == "small" else model)


def test_the_configured_name_goes_to_a_base_url_as_a_given_one_does() -> None:
    environ = HOME | {"ANKRCODE_MODEL": "meta-llama/Llama-3"}
    model = model_for(None, set_up(), environ, base_url="http://127.0.0.1:9/v1")
    assert model.name == "openai-compatible/meta-llama/Llama-3"


def test_where_a_provider_has_no_tiers_their_names_are_models_names() -> None:
    environ = {"OPENAI_COMPATIBLE_BASE_URL": "http://127.0.0.1:9/v1"}
    assert name_of("openai-compatible/small", environ) == "openai-compatible/small"
    own = {"ollama": ProviderSettings(model="llama3")}
    assert name_of("ollama/small", {}, set_up(providers=own)) == "ollama/llama3"


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        (
            "groq/m",
            ["/v1/chat/completions", "/openai/v1/chat/completions", "/chat/completions"],
        ),
        ("mine/m", ["/v1/chat/completions", "/chat/completions"]),
        ("openai/m", ["/v1/chat/completions", "/v1/responses", "/chat/completions"]),
        ("anthropic/m", ["/v1/messages"]),
        ("google/m", ["/v1beta/models/m:x", "/models/m:x"]),
        (
            "azure/m",
            [
                "/openai/v1/chat/completions",
                "/openai/deployments/m/chat/completions",
                "/openai/v1/responses",
            ],
        ),
        ("bedrock/m", ["/model/m/converse-stream"]),
        (
            "bedrock/anthropic.claude",
            [
                "/model/anthropic.claude/converse-stream",
                "/model/anthropic.claude/invoke-with-response-stream",
            ],
        ),
    ],
)
async def test_a_server_of_ones_own_is_tried_by_every_way_it_may_know(
    name: str, paths: list[str]
) -> None:
    own = {"mine": ProviderSettings(base_url="http://127.0.0.1:1")}
    async with serving([answer(b'{"error": {"message": "no such path"}}', 404)]) as server:
        outcome = await asked(name, server.url, replace(quick(), providers=own))
    assert outcome.failure.status == 404
    seen = [heard.target.partition("?")[0] for heard in server.heard]
    assert [path.replace(":streamGenerateContent", ":x") for path in seen] == paths


async def test_at_a_base_url_that_names_its_version_no_other_is_tried() -> None:
    async with serving([answer(b'{"error": {"message": "no such path"}}', 404)]) as server:
        await asked("groq/m", f"{server.url}/v1")
    assert [heard.target for heard in server.heard] == ["/v1/chat/completions"]


# ── offline ─────────────────────────────────────────────────────────────────────────────────────
def test_offline_only_models_on_this_machine_are_made() -> None:
    with pytest.raises(ProviderError) as caught:
        model_for("groq/x", set_up(), HOME | GROQ, offline=True)
    assert "groq" in str(caught.value)
    settings = set_up(models=ModelSettings(keyring=False, offline=True))
    with pytest.raises(ProviderError):
        model_for("groq/x", settings, HOME | GROQ)
    assert model_for("ollama/x", settings, HOME).name == "ollama/x"


def test_offline_keys_decide_nothing() -> None:
    with pytest.raises(ProviderError) as caught:
        model_for(None, set_up(), HOME | GROQ, offline=True)
    assert "offline" in str(caught.value)


async def test_offline_a_server_on_loopback_is_reached() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        settings = quick(offline=True)
        outcome = await asked("openai-compatible/m", server.url, settings)
    assert outcome.text == "Hello, world"


# ── chains ──────────────────────────────────────────────────────────────────────────────────────
def chain(settings: Settings, environ: dict[str, str], name: str | None = None) -> list[str]:
    router = model_for(name, settings, HOME | environ)
    assert isinstance(router, Router)
    return [candidate.name for candidate in router.candidates]


def test_fallbacks_stand_behind_the_model() -> None:
    settings = set_up(models=ModelSettings(keyring=False, fallback=["groq/a", "openai/b"]))
    environ = ANTHROPIC | GROQ | OPENAI
    assert chain(settings, environ) == ["anthropic/claude-sonnet-5-5", "groq/a", "openai/b"]


def test_a_fallback_without_a_key_is_left_out() -> None:
    settings = set_up(models=ModelSettings(keyring=False, fallback=["groq/a", "openai/b"]))
    assert chain(settings, ANTHROPIC | OPENAI) == ["anthropic/claude-sonnet-5-5", "openai/b"]


def test_free_fallbacks_come_first_if_so_wished() -> None:
    models = ModelSettings(keyring=False, fallback=["openai/b", "groq/a"], prefer_free=True)
    found = chain(set_up(models=models), ANTHROPIC | GROQ | OPENAI, "anthropic")
    assert found == ["anthropic/claude-sonnet-5-5", "groq/a", "openai/b"]


async def test_a_configured_model_without_a_key_gives_way_and_says_so() -> None:
    async with serving(streamed(*CHAT_ANSWER)) as server:
        providers = {"mine": ProviderSettings(base_url=server.url)}
        settings = replace(
            quick(fallback=["mine/m"]), providers=providers, model="deepseek/deepseek-chat"
        )
        model = model_for(None, settings, HOME, health=Health())
        outcome = await ask(model)
    assert model.name == "deepseek/deepseek-chat"
    assert outcome.text == "Hello, world"
    (switch,) = outcome.switches
    assert switch.failure is not None
    assert switch.failure.kind is FailureKind.NO_KEY
    assert "DEEPSEEK_API_KEY" in switch.failure.message


def test_a_model_that_was_named_just_now_does_not_give_way() -> None:
    settings = set_up(models=ModelSettings(keyring=False, fallback=["ollama/x"]))
    with pytest.raises(ProviderError) as caught:
        model_for("groq/x", settings, HOME)
    assert "GROQ_API_KEY" in str(caught.value)


def test_where_nothing_was_chosen_the_first_fallback_is_the_model() -> None:
    settings = set_up(models=ModelSettings(keyring=False, fallback=["ollama/x", "ollama/y"]))
    assert chain(settings, {}) == ["ollama/x", "ollama/y"]


async def test_a_chain_over_two_real_servers() -> None:
    async with (
        serving([answer(b'{"error": {"message": "no"}}', 401)]) as bad,
        serving(streamed(*CHAT_ANSWER)) as good,
    ):
        providers = {
            "first": ProviderSettings(base_url=bad.url),
            "second": ProviderSettings(base_url=good.url),
        }
        settings = replace(quick(fallback=["second/m"]), providers=providers)
        outcome = await asked("first/m", None, settings)
    assert outcome.text == "Hello, world"
    (switch,) = outcome.switches
    assert (switch.provider, switch.model) == ("second", "m")
    assert switch.failure is not None
    assert switch.failure.kind is FailureKind.AUTH


async def test_health_is_remembered_between_models_of_one_process() -> None:
    health = Health()
    async with (
        serving([answer(b'{"error": {"message": "no"}}', 401)]) as bad,
        serving(streamed(*CHAT_ANSWER)) as good,
    ):
        providers = {
            "first": ProviderSettings(base_url=bad.url),
            "second": ProviderSettings(base_url=good.url),
        }
        settings = replace(quick(fallback=["second/m"]), providers=providers)
        for _ in range(2):
            outcome = await ask(model_for("first/m", settings, HOME, health=health))
            assert outcome.text == "Hello, world"
    assert len(bad.heard) == 1
    assert len(good.heard) == 2


# ── made here ───────────────────────────────────────────────────────────────────────────────────
async def test_a_script_is_a_model_too(tmp_path: Path) -> None:
    script = tmp_path / "turns.json"
    script.write_text('["Hello from a script"]', encoding="utf-8")
    outcome = await ask(model_for(f"scripted/{script}", set_up(), HOME, offline=True))
    assert outcome.text == "Hello from a script"


def test_a_choice_has_a_name() -> None:
    naming = Naming(set_up(), HOME | GROQ, Keys(GROQ, keyring=False), offline=False)
    assert naming.choice("scripted/a/b.json") == Choice("scripted", "a/b.json")
    assert naming.choice("groq/a/b").name == "groq/a/b"
