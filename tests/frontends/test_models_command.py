"""`ankrcode models …`: what is known, what answers, and one raw call for scripts."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.settings import Settings
from ankrcode.frontends.cli.models import described
from ankrcode.providers.catalogue import model_names
from frontends.command import Done, ankrcode, answers
from frontends.offline import UNSET, script, setting
from frontends.vendor import JSON, vendor

CANARY = "sk-canary-0123456789abcdef"


def models(*arguments: str | Path, cwd: Path, given: str = "", **env: str) -> Done:
    return ankrcode("models", *arguments, cwd=cwd, given=given, env={**UNSET, **env})


# ── list and show ─────────────────────────────────────────────────────────────────────────────
def test_every_model_has_a_line_and_those_at_hand_a_mark(tmp_path: Path) -> None:
    done = models("list", cwd=tmp_path, GROQ_API_KEY=CANARY)
    lines = done.stdout.splitlines()
    assert [line[2:].split()[0] for line in lines] == list(model_names())
    marked = {line[2:].split("/")[0] for line in lines if line.startswith("*")}
    assert "groq" in marked
    assert "anthropic" not in marked
    assert CANARY not in done.stdout


def test_a_list_can_be_of_one_provider_and_as_json(tmp_path: Path) -> None:
    rows = answers(models("list", "--provider", "anthropic", "--json", cwd=tmp_path))
    assert rows
    assert all(row["name"].startswith("anthropic/") for row in rows)
    assert not any(row["ready"] for row in rows)
    assert all(row["prices"]["as_of"].startswith("20") for row in rows if row["prices"])
    assert all(row["context_tokens"] > 1_000 for row in rows)


def test_the_models_of_ones_own_settings_come_first(tmp_path: Path) -> None:
    own = {"base_url": "https://w.example/v1", "key_env": "WORK_KEY", "model": "big"}
    setting(providers={"work": own})
    lines = models("list", cwd=tmp_path).stdout.splitlines()
    assert lines[0].split()[0] == "work/big"
    marked = models("list", "--provider", "work", cwd=tmp_path, WORK_KEY=CANARY).stdout
    assert marked.startswith("* work/big")
    assert len(marked.splitlines()) == 1


def test_an_unknown_provider_is_answered_with_those_there_are(tmp_path: Path) -> None:
    done = models("list", "--provider", "nobody", cwd=tmp_path)
    assert done.returncode == 3
    assert "anthropic, openai" in done.stderr


def test_one_model_is_shown_with_the_name_of_its_key_alone(tmp_path: Path) -> None:
    shown = models("show", "anthropic/claude-haiku-4-5", cwd=tmp_path).stdout
    assert "ANTHROPIC_API_KEY is not set" in shown
    assert re.search(r"prices .*for a million tokens \(20\d\d-\d\d-\d\d\)", shown)
    done = models(
        "show", "anthropic/claude-haiku-4-5", "--json", cwd=tmp_path, ANTHROPIC_API_KEY=CANARY
    )
    [facts] = answers(done)
    assert facts["key"] == "ANTHROPIC_API_KEY is set"
    assert facts["wire"] == "anthropic"
    assert CANARY not in done.stdout


def test_a_key_in_the_key_file_counts_and_one_that_others_can_read_does_not(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"groq": CANARY}), encoding="utf-8")
    file.chmod(0o600)
    shown = models("show", "groq/x", "--json", cwd=tmp_path, ANKRCODE_KEY_FILE=str(file))
    assert answers(shown)[0]["key"] == "in the key file"
    assert CANARY not in shown.stdout
    file.chmod(0o644)
    refused_file = models("show", "groq/x", cwd=tmp_path, ANKRCODE_KEY_FILE=str(file))
    assert refused_file.returncode == 3
    assert "chmod 600" in refused_file.stderr


def test_a_program_that_prints_the_key_is_named_and_not_run(tmp_path: Path) -> None:
    setting(providers={"groq": {"key_command": ["touch", str(tmp_path / "ran")]}})
    [facts] = answers(models("show", "groq/x", "--json", cwd=tmp_path))
    assert facts["key"] == "from providers.groq.key_command"
    listed = models("list", "--provider", "groq", cwd=tmp_path).stdout
    assert all(line.startswith("* groq/") for line in listed.splitlines())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, "AWS_BEARER_TOKEN_BEDROCK is not set"),
        ({"AWS_BEARER_TOKEN_BEDROCK": CANARY}, "AWS_BEARER_TOKEN_BEDROCK is set"),
        (
            {"AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": CANARY},
            "AWS_ACCESS_KEY_ID is set",
        ),
        ({"AWS_PROFILE": "work"}, "from the AWS profile work"),
        ({"AWS_PROFILE": "asking"}, "from the AWS profile asking"),
        ({"AWS_PROFILE": "nobody"}, "AWS_BEARER_TOKEN_BEDROCK is not set"),
    ],
)
def test_credentials_of_aws_are_seen_where_they_are(
    env: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "credentials": f"[work]\naws_access_key_id = AKIA1\naws_secret_access_key = {CANARY}\n",
        "config": f"[profile asking]\ncredential_process = touch {tmp_path}/ran\n",
    }
    folder = Path(os.environ["HOME"]) / ".aws"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**UNSET, **env}.items():
        monkeypatch.setenv(name, value)
    facts = described("bedrock/m", Settings())
    assert facts["key"] == said
    assert CANARY not in repr(facts)
    assert not (tmp_path / "ran").exists()


def test_an_address_of_ones_own_is_shown(tmp_path: Path) -> None:
    [facts] = answers(
        models("show", "ollama/x", "--json", cwd=tmp_path, OLLAMA_HOST="127.0.0.1:99")
    )
    assert "127.0.0.1:99" in facts["base_url"]
    assert facts["key"] == "none is needed"
    setting(providers={"work": {"base_url": "https://w.example/v1", "key_env": "WORK_KEY"}})
    [facts] = answers(models("show", "work/m", "--json", cwd=tmp_path, WORK_KEY=CANARY))
    assert facts["base_url"] == "https://w.example/v1"
    assert facts["key"] == "WORK_KEY is set"


def test_a_password_in_an_address_is_not_shown(tmp_path: Path) -> None:
    where = "http://me:pass-word-1@127.0.0.1:99/v1?key=hidden"
    done = models("show", "vllm/x", cwd=tmp_path, VLLM_BASE_URL=where)
    assert "http://127.0.0.1:99/v1" in done.stdout
    assert "pass-word-1" not in done.stdout
    assert "hidden" not in done.stdout


def test_a_tier_is_shown_as_the_model_it_means(tmp_path: Path) -> None:
    [facts] = answers(models("show", "small", "--json", cwd=tmp_path, GROQ_API_KEY=CANARY))
    assert facts["name"].startswith("groq/")


def test_without_any_key_it_says_what_to_set(tmp_path: Path) -> None:
    done = models("show", cwd=tmp_path)
    assert done.returncode == 3
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_a_model_that_is_made_here_is_shown_as_such(tmp_path: Path) -> None:
    [facts] = answers(models("show", "scripted/x.json", "--json", cwd=tmp_path))
    assert facts == {"name": "scripted/x.json", "provider": "scripted", "made_here": True}


def test_a_running_server_is_found_when_asked_for_and_nothing_else_is_listed(
    tmp_path: Path,
) -> None:
    tags = json.dumps({"models": [{"name": "llama3.2:3b"}]}).encode()
    with vendor((200, JSON, tags)) as server:
        done = models("list", "--detect", cwd=tmp_path, OLLAMA_HOST=server.url)
        other = models("list", "--provider", "vllm", "--detect", cwd=tmp_path)
        quiet = models("list", "--provider", "vllm", cwd=tmp_path, OLLAMA_HOST=server.url)
        assert server.paths == ["/api/tags"]
    line = f"* ollama/llama3.2:3b{' ' * 32} {server.url}"
    assert line in done.stdout.splitlines()
    assert all("127.0.0.1" in one for one in done.stdout.splitlines())
    assert "anthropic" not in done.stdout
    assert "ollama" not in other.stdout
    assert "No model server" in other.stderr
    assert quiet.stdout == ""


def test_a_server_without_models_is_named_all_the_same(tmp_path: Path) -> None:
    with vendor((200, JSON, b'{"models": []}')) as server:
        done = models("list", "--detect", "--json", cwd=tmp_path, OLLAMA_HOST=server.url)
    assert {"name": "ollama", "ready": False, "base_url": server.url} in answers(done)


# ── refresh ───────────────────────────────────────────────────────────────────────────────────
PRICES = {
    "anthropic/claude-haiku-4-5": {"prices": {"input": 7, "output": 8, "as_of": "2030-01-01"}}
}


def test_prices_are_taken_from_a_file_and_used_from_then_on(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text(json.dumps(PRICES), encoding="utf-8")
    done = models("refresh", "prices.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "1 models" in done.stdout
    assert "$7 in, $8 out" in models("show", "anthropic/claude-haiku-4-5", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "content", ["{", '{"x/y": {"prices": {"input": -1, "output": 1, "as_of": "2030-01-01"}}}']
)
def test_prices_that_make_no_sense_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "prices.json").write_text(content, encoding="utf-8")
    assert models("refresh", "prices.json", cwd=tmp_path).returncode == 3
    assert "$1 in" in models("show", "anthropic/claude-haiku-4-5", cwd=tmp_path).stdout


def test_prices_do_not_come_over_an_open_line(tmp_path: Path) -> None:
    done = models("refresh", "http://prices.example/x.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "https" in done.stderr


# ── test ──────────────────────────────────────────────────────────────────────────────────────
def test_a_model_that_answers_and_calls_is_well(tmp_path: Path) -> None:
    call = {"name": "Weather", "arguments": {"city": "Pune"}}
    name = script(tmp_path, "ready", {"calls": [call]})
    done = models("test", name, cwd=tmp_path)
    assert done.returncode == 0
    assert '"ready"' in done.stdout
    assert "calls tools" in done.stdout


def test_a_model_that_does_not_call_is_told_apart(tmp_path: Path) -> None:
    done = models("test", script(tmp_path, "ready", "sunny!"), "--json", cwd=tmp_path)
    assert done.returncode == 1
    [found] = answers(done)
    assert (found["text"], found["calls"], found["error"]) == ("ready", False, None)


def test_a_model_that_fails_ends_with_its_reason(tmp_path: Path) -> None:
    done = models("test", script(tmp_path, {"fail": "quota"}), cwd=tmp_path)
    assert done.returncode == 3
    assert "does not answer" in done.stdout


def test_help_is_there_for_each_action(tmp_path: Path) -> None:
    for action in ("list", "show", "test", "refresh", "call"):
        assert ankrcode("models", action, "--help", cwd=tmp_path).returncode == 0


def test_the_names_of_models_are_data_for_scripts(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = answers(models("list", "--json", cwd=tmp_path))
    assert len(rows) == len({row["name"] for row in rows})
    assert all(
        {"ready", "tools", "vision", "context_tokens", "prices"} <= row.keys() for row in rows
    )
    assert os.environ.get("ANKRCODE_MODEL") is None
