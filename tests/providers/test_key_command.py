"""Keys that a program prints: run plainly, kept briefly, asked for again, never seen."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.loaded import load_settings
from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.config.trust import TrustStore
from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind, Stopped
from ankrcode.providers import key_command
from ankrcode.providers.health import Health
from ankrcode.providers.key_command import printed_key
from ankrcode.providers.keys import Keys, key_file
from ankrcode.providers.resolve import model_for
from ankrcode.providers.transport.aws import Aws, printed_credentials
from providers.asking import ask, quick
from providers.server import answer, serving, streamed

KEY = "sk-printed-0123456789abcdef"
TEXT = b'data: {"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\n'
GOOD = streamed(TEXT, b"data: [DONE]\n\n")
REFUSED = answer(b'{"error": {"message": "Incorrect API key provided"}}', 401)
CREDENTIALS = {
    "Version": 1,
    "AccessKeyId": "AKIAPRINTED",
    "SecretAccessKey": "secret/printed",
    "SessionToken": "token/printed",
    "Expiration": "2030-01-01T00:00:00Z",
}


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    key_command._kept.clear()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def program(tmp_path: Path, *lines: str) -> list[str]:
    """A program that notes each of its runs, then does this."""
    file = tmp_path / "program.py"
    note = f"open({str(tmp_path / 'runs')!r}, 'a').write('x')"
    file.write_text("\n".join(["import os, sys, time", note, *lines]), encoding="utf-8")
    return [sys.executable, "-I", "-S", str(file)]


def runs(tmp_path: Path) -> int:
    file = tmp_path / "runs"
    return len(file.read_text(encoding="utf-8")) if file.exists() else 0


def set_up(name: str, command: list[str], **more: Any) -> Settings:
    own = ProviderSettings(key_command=command, **more)
    return Settings(models=quick().models, providers={name: own})


# ── the program ───────────────────────────────────────────────────────────────────────────────
def test_what_it_prints_is_the_key(tmp_path: Path, environ: dict[str, str]) -> None:
    command = program(tmp_path, f"print({KEY!r})")
    assert printed_key(command, "groq", environ) == KEY


def test_it_is_asked_once_and_anew_where_that_is_wanted(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    command = program(tmp_path, f"print({KEY!r})")
    for _ in range(3):
        printed_key(command, "groq", environ)
    assert runs(tmp_path) == 1
    printed_key(command, "groq", environ, fresh=True)
    assert runs(tmp_path) == 2


def test_what_it_printed_is_not_kept_for_ever(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_command, "KEPT_S", -1.0)
    command = program(tmp_path, f"print({KEY!r})")
    printed_key(command, "groq", environ)
    printed_key(command, "groq", environ)
    assert runs(tmp_path) == 2


def test_no_shell_reads_its_words_and_it_runs_at_home(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    command = [*program(tmp_path, "print(sys.argv[1] + os.getcwd())"), "$(id)*;"]
    assert printed_key(command, "groq", environ) == f"$(id)*;{environ['HOME']}"


def test_it_cannot_read_what_is_typed(tmp_path: Path, environ: dict[str, str]) -> None:
    command = program(tmp_path, "print('k' + sys.stdin.read())")
    assert printed_key(command, "groq", environ) == "k"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["sys.exit(3)"], "it ended with code 3."),
        (
            ["print('noise', file=sys.stderr)", "sys.exit('Not logged in: run x login')"],
            "it ended with code 1: Not logged in: run x login.",
        ),
        (["pass"], "it did not print one key"),
        (["print('one\\ntwo')"], "it did not print one key"),
        (["print('k' * 20_000)"], "it did not print one key"),
        (["print('{\"a\":')"], "it did not print one key"),
        ([f"print({KEY!r}); sys.exit('failed for {KEY}')"], "it ended with code 1"),
    ],
)
def test_what_goes_wrong_is_one_sentence_without_a_key(
    lines: list[str], said: str, tmp_path: Path, environ: dict[str, str]
) -> None:
    with pytest.raises(ProviderError) as caught:
        printed_key(program(tmp_path, *lines), "groq", environ)
    message = str(caught.value)
    assert said in message
    assert "providers.groq.key_command" in message
    assert KEY not in message
    assert "\n" not in message


def test_one_that_never_ends_is_ended(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_command, "PATIENCE_S", 0.3)
    began = time.monotonic()
    with pytest.raises(ProviderError, match="it took longer"):
        printed_key(program(tmp_path, "time.sleep(60)"), "groq", environ)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("name", ["no-such-program-here", "./program", "bin/program", "/no/such"])
def test_a_program_is_found_by_its_path_or_in_path_alone(
    name: str, tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies in the current folder is never run."""
    (tmp_path / "bin").mkdir()
    for place in ("program", "bin/program", "no-such-program-here"):
        (tmp_path / place).write_text("#!/bin/sh\necho wrong\n", encoding="utf-8")
        (tmp_path / place).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    environ["PATH"] = ".::bin:/usr/bin:/bin"
    with pytest.raises(ProviderError, match="there is no such program"):
        printed_key([name], "groq", environ)


def test_a_tilde_means_home(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", environ["HOME"])
    file = Path(environ["HOME"]) / "key"
    file.write_text(f"#!/bin/sh\necho {KEY}\n", encoding="utf-8")
    file.chmod(0o755)
    assert printed_key(["~/key"], "groq", environ) == KEY


# ── among the other places ────────────────────────────────────────────────────────────────────
def test_a_variable_counts_before_it_and_the_key_file_behind_it(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    own = {"groq": ProviderSettings(key_command=program(tmp_path, f"print({KEY!r})"))}
    file = Path(key_file(environ))
    file.parent.mkdir(parents=True)
    file.write_text('{"groq": "from-the-file"}', encoding="utf-8")
    file.chmod(0o600)
    keys = Keys({**environ, "GROQ_API_KEY": "from-the-environment"}, keyring=False, providers=own)
    found = keys.find("groq", ("GROQ_API_KEY",))
    assert found is not None
    assert found.reveal() == "from-the-environment"
    assert runs(tmp_path) == 0
    found = Keys(environ, keyring=False, providers=own).find("groq", ("GROQ_API_KEY",))
    assert found is not None
    assert found.reveal() == KEY


def test_to_know_that_there_is_a_key_nothing_is_run(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    own = {"groq": ProviderSettings(key_command=program(tmp_path, "print('k')"))}
    keys = Keys(environ, keyring=False, providers=own)
    assert keys.has("groq", ("GROQ_API_KEY",))
    assert not keys.has("openai", ("OPENAI_API_KEY",))
    assert runs(tmp_path) == 0


# ── on the way to a model ─────────────────────────────────────────────────────────────────────
async def test_a_request_carries_it(tmp_path: Path, environ: dict[str, str]) -> None:
    settings = set_up("groq", program(tmp_path, f"print({KEY!r})"))
    async with serving(GOOD) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
        assert server.heard[0].headers["authorization"] == f"Bearer {KEY}"
    assert outcome.text == "hello"
    assert KEY not in repr(outcome.events)


async def test_a_key_that_ran_out_is_printed_anew_and_the_request_made_once_more(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    counting = f"n = len(open({str(tmp_path / 'runs')!r}).read()); print(f'key-number-{{n}}')"
    settings = set_up("groq", program(tmp_path, counting))
    async with serving([REFUSED], GOOD) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
        sent = [one.headers["authorization"] for one in server.heard]
    assert sent == ["Bearer key-number-1", "Bearer key-number-2"]
    assert outcome.text == "hello"
    assert outcome.waits == []


async def test_a_key_that_stays_wrong_is_refused_after_one_more_try(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    settings = set_up("groq", program(tmp_path, f"print({KEY!r})"))
    async with serving([REFUSED]) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
        assert len(server.heard) == 2
    assert outcome.failure.kind is FailureKind.AUTH
    assert "providers.groq.key_command" in outcome.failure.message
    assert KEY not in outcome.failure.message


async def test_a_program_that_fails_later_ends_the_answer_with_its_reason(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    once = f"n = len(open({str(tmp_path / 'runs')!r}).read()); n > 1 and sys.exit('logged out')"
    settings = set_up("groq", program(tmp_path, once, f"print({KEY!r})"))
    async with serving([REFUSED]) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
    assert outcome.failure.kind is FailureKind.NO_KEY
    assert "logged out" in outcome.failure.message


async def test_a_program_that_fails_is_told_and_nothing_is_sent(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    settings = set_up("groq", program(tmp_path, "sys.exit('not logged in')"))
    async with serving(GOOD) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
        assert server.heard == []
    assert outcome.failure.kind is FailureKind.NO_KEY
    assert "not logged in" in outcome.failure.message
    assert outcome.waits == []


async def test_the_program_of_a_fallback_is_asked_only_when_it_is_needed(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    async with serving(GOOD, [answer(b"{}", 500)], GOOD) as server:
        own = {
            "groq": ProviderSettings(
                base_url=server.url, key_command=program(tmp_path, f"print({KEY!r})")
            ),
            "work": ProviderSettings(base_url=server.url),
        }
        models = quick(fallback=["groq/m"], retries=0).models
        model = model_for("work/m", Settings(models=models, providers=own), environ)
        assert isinstance((await ask(model)).end, Stopped)
        assert runs(tmp_path) == 0
        outcome = await ask(model)
        assert runs(tmp_path) == 1
    assert outcome.text == "hello"
    assert len(outcome.switches) == 1


async def test_a_slow_program_does_not_hold_up_whatever_else_goes_on(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    settings = set_up("groq", program(tmp_path, "time.sleep(0.3)", f"print({KEY!r})"))
    async with serving(GOOD) as server:
        model = model_for("groq/m", settings, environ, base_url=server.url, health=Health())
        asking = asyncio.create_task(ask(model))
        ticks = 0
        while not asking.done():
            await asyncio.sleep(0.01)
            ticks += 1
    assert ticks > 5
    assert (await asking).text == "hello"


def test_offline_no_program_is_asked_for_the_key_of_another_machine(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    settings = set_up("groq", program(tmp_path, "print('k')"))
    with pytest.raises(ProviderError, match="not on this machine"):
        model_for("groq/m", settings, environ, offline=True)
    assert runs(tmp_path) == 0


async def test_a_provider_of_ones_own_may_have_one(tmp_path: Path, environ: dict[str, str]) -> None:
    async with serving(GOOD) as server:
        command = program(tmp_path, f"print({KEY!r})")
        settings = set_up("work", command, base_url=server.url, model="m")
        outcome = await ask(model_for("work", settings, environ, health=Health()))
        assert server.heard[0].headers["authorization"] == f"Bearer {KEY}"
    assert isinstance(outcome.end, Stopped)


async def test_a_fallback_whose_program_fails_is_left_out(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    async with serving(GOOD) as server:
        own = {
            "groq": ProviderSettings(key_command=program(tmp_path, "sys.exit(1)")),
            "work": ProviderSettings(base_url=server.url),
        }
        settings = Settings(models=quick(fallback=["groq/m"]).models, providers=own)
        outcome = await ask(model_for("work/m", settings, environ, health=Health()))
    assert outcome.text == "hello"


# ── AWS ───────────────────────────────────────────────────────────────────────────────────────
def printing(tmp_path: Path) -> list[str]:
    return program(tmp_path, f"print({json.dumps(CREDENTIALS, indent=4)!r})")


def test_credentials_are_read_in_awss_own_form() -> None:
    found = printed_credentials(json.dumps(CREDENTIALS))
    assert found.access_key == "AKIAPRINTED"
    assert found.secret_key.reveal() == "secret/printed"
    assert found.session_token is not None
    assert found.session_token.reveal() == "token/printed"
    without = printed_credentials('{"AccessKeyId": "a", "SecretAccessKey": "b"}')
    assert without.session_token is None


@pytest.mark.parametrize("text", ["{}", '{"AccessKeyId": "a"}', '{"AccessKeyId": 1}', "[]", "x"])
def test_what_is_no_credentials_is_refused_unseen(text: str) -> None:
    with pytest.raises(ProviderError) as caught:
        printed_credentials(text)
    assert "key_command" in str(caught.value)


def test_a_profiles_own_program_is_asked(tmp_path: Path, environ: dict[str, str]) -> None:
    folder = Path(environ["HOME"]) / ".aws"
    folder.mkdir()
    command = " ".join(f'"{word}"' for word in printing(tmp_path))
    config = f"[profile work]\nregion = eu-west-1\ncredential_process = {command}\n"
    (folder / "config").write_text(config, encoding="utf-8")
    aws = Aws({**environ, "AWS_PROFILE": "work"})
    found = aws.credentials()
    assert found is not None
    assert found.access_key == "AKIAPRINTED"
    assert aws.region() == "eu-west-1"
    own = {"AWS_ACCESS_KEY_ID": "AKIAOWN", "AWS_SECRET_ACCESS_KEY": "s"}
    found = Aws({**environ, **own, "AWS_PROFILE": "work"}).credentials()
    assert found is not None
    assert found.access_key == "AKIAOWN"
    assert runs(tmp_path) == 1


@pytest.mark.parametrize("text", ['"never closed', ""])
def test_a_profiles_program_that_cannot_be_read_is_none(text: str, environ: dict[str, str]) -> None:
    folder = Path(environ["HOME"]) / ".aws"
    folder.mkdir()
    (folder / "config").write_text(f"[default]\ncredential_process = {text}\n", encoding="utf-8")
    assert Aws(environ).credentials() is None


@pytest.mark.parametrize("status", [200, 403])
async def test_bedrock_is_signed_with_what_was_printed(
    status: int, tmp_path: Path, environ: dict[str, str]
) -> None:
    said = answer(b'{"message": "The security token included in the request is expired"}', status)
    settings = set_up("bedrock", printing(tmp_path), region="eu-west-1")
    async with serving([said]) as server:
        model = model_for("bedrock/m", settings, environ, base_url=server.url, health=Health())
        outcome = await ask(model)
        first = server.heard[0].headers
    assert "Credential=AKIAPRINTED/" in first["authorization"]
    assert "/eu-west-1/bedrock/" in first["authorization"]
    assert first["x-amz-security-token"] == "token/printed"
    assert "secret/printed" not in repr(outcome.events) + repr(first)
    assert runs(tmp_path) == (1 if status == 200 else 2)


# ── who may name a program ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("is_trusted", [False, True])
@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_project_never_names_one_trusted_or_not(
    name: str, is_trusted: bool, tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "checkout"
    (folder / ".ankrcode").mkdir(parents=True)
    evil = {"providers": {"groq": {"key_command": program(tmp_path, "print('k')")}}}
    (folder / ".ankrcode" / name).write_text(json.dumps(evil), encoding="utf-8")
    if is_trusted:
        TrustStore.of(environ).add(folder)
    loaded = load_settings(folder, environ=environ)
    assert loaded.settings.providers == {}
    assert any("providers" in str(one) for one in loaded.warnings)
    with pytest.raises(ProviderError, match="GROQ_API_KEY"):
        model_for("groq/m", loaded.settings, environ)
    assert runs(tmp_path) == 0
