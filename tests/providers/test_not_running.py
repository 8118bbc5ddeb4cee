"""A server on this machine that does not run: said at once, with what to do, and gone round."""

import socket

import pytest

from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.protocol.stream import Failed, FailureKind, Stopped
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from providers.asking import KEYS, ask, asked, quick
from providers.server import serving, streamed

TEXT = b'data: {"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\n'


def closed_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("provider", "variable", "said"),
    [
        ("ollama", "OLLAMA_HOST", "'ollama serve'"),
        ("lmstudio", "LMSTUDIO_BASE_URL", "'lms server start'"),
        ("llamacpp", "LLAMACPP_BASE_URL", "'llama-server"),
        ("vllm", "VLLM_BASE_URL", "'vllm serve"),
    ],
)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_the_answer_names_the_address_and_how_to_start_it(
    provider: str, variable: str, said: str, host: str
) -> None:
    port = closed_port()
    outcome = await asked(f"{provider}/m", None, environ={variable: f"http://{host}:{port}"})
    failure = outcome.failure
    assert failure.kind is FailureKind.NETWORK
    assert f"{host}:{port}" in failure.message
    assert "running?" in failure.message
    assert said in failure.message
    assert variable in failure.message
    assert outcome.waits == []
    assert len(outcome.events) == 1


async def test_any_other_server_of_ones_own_is_told_by_its_setting() -> None:
    own = ProviderSettings(base_url=f"http://127.0.0.1:{closed_port()}/v1", model="m")
    settings = Settings(models=quick().models, providers={"work": own})
    outcome = await asked("work", None, settings)
    assert "providers.work.base_url" in outcome.failure.message
    assert outcome.waits == []


async def test_a_vendor_at_an_address_of_ones_own_is_told_likewise() -> None:
    outcome = await asked("openai/m", f"http://127.0.0.1:{closed_port()}/v1")
    assert "running?" in outcome.failure.message
    assert outcome.waits == []


async def test_the_chain_goes_on_without_a_wait() -> None:
    async with serving(streamed(TEXT, b"data: [DONE]\n\n")) as server:
        settings = quick(fallback=["vllm/other"])
        environ = {
            **KEYS,
            "OLLAMA_HOST": f"http://127.0.0.1:{closed_port()}",
            "VLLM_BASE_URL": server.url,
        }
        outcome = await ask(model_for("ollama/m", settings, environ, health=Health()))
    assert outcome.text == "hello"
    assert outcome.waits == []
    [switch] = outcome.switches
    assert switch.failure is not None
    assert "ollama serve" in switch.failure.message
    assert isinstance(outcome.end, Stopped)


async def test_a_connection_that_breaks_is_still_tried_again() -> None:
    """Somebody listens there: that is another matter."""
    async with serving(["reset"], streamed(TEXT, b"data: [DONE]\n\n")) as server:
        outcome = await asked("vllm/m", server.url)
    assert outcome.text == "hello"
    assert len(outcome.waits) == 1


# ── other things that waiting does not mend ───────────────────────────────────────────────────
async def test_a_proxy_that_wants_another_password_is_not_asked_again() -> None:
    async with serving([b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n"]) as proxy:
        environ = {"HTTPS_PROXY": f"http://me:wrong@127.0.0.1:{proxy.port}"}
        outcome = await asked("groq/m", "https://models.example.com/v1", environ=environ)
        assert [one.method for one in proxy.heard] == ["CONNECT"]
    assert "password" in outcome.failure.message
    assert "wrong" not in outcome.failure.message
    assert outcome.waits == []


@pytest.mark.parametrize(("status", "waits"), [(403, 0), (502, 2), (503, 2)])
async def test_what_a_proxy_forbids_it_will_forbid_again(status: int, waits: int) -> None:
    refusal = f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()
    async with serving([refusal, "close"]) as proxy:
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        outcome = await asked("groq/m", "https://models.example.com/v1", environ=environ)
    assert f"it said {status}" in outcome.failure.message
    assert len(outcome.waits) == waits


async def test_a_proxy_for_plain_http_that_wants_a_password_is_understood() -> None:
    async with serving([b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n"]) as proxy:
        environ = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}
        outcome = await asked("vllm/m", "http://models.example.com/v1", environ=environ)
        assert len(proxy.heard) == 1
    assert outcome.failure.kind is FailureKind.NETWORK
    assert "set them in HTTP_PROXY" in outcome.failure.message


async def test_a_tunnel_that_breaks_is_told_in_words() -> None:
    async with serving([b"HTTP/1.1 200 Connected\r\n\r\n", "close"]) as proxy:
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        outcome = await asked("groq/m", "https://models.example.com/v1", environ=environ)
    assert "Error" not in outcome.failure.message
    assert "models.example.com:443 cannot be reached" in outcome.failure.message


async def test_a_proxy_that_does_not_run_is_told_as_such_at_once() -> None:
    port = closed_port()
    environ = {"HTTPS_PROXY": f"http://127.0.0.1:{port}"}
    outcome = await asked("groq/m", "https://models.example.com/v1", environ=environ)
    assert f"The proxy 127.0.0.1:{port} cannot be reached" in outcome.failure.message
    assert outcome.waits == []


async def test_a_name_that_does_not_exist_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    outcome = await asked("groq/m", "https://no.such.example/v1")
    assert "There is no address for no.such.example" in outcome.failure.message
    assert outcome.waits == []


async def test_a_resolver_that_fails_for_now_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", busy)
    outcome = await asked("groq/m", "https://some.example/v1")
    assert isinstance(outcome.end, Failed)
    assert outcome.waits
