"""`ankrcode cost`: the sums of what the recorded sessions say."""

import json
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.models import ModelSettings
from ankrcode.config.paths import state_folder
from ankrcode.config.settings import Settings
from ankrcode.frontends.cli.foreseen import warn_if_blind, warn_if_unpriced
from ankrcode.protocol.message import Usage
from ankrcode.providers.resolve import model_for
from ankrcode.sessions.records import CostSpent
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from frontends.command import Done, ankrcode
from frontends.vendor import chat, vendor

OPUS = "anthropic/claude-opus-4-5"
OWN = "mine/unknown-model"


def spent(model: str, usd: float, given: int, got: int, at: float, cached: int = 0) -> CostSpent:
    usage = Usage(input_tokens=given, output_tokens=got, cached_tokens=cached)
    return CostSpent(model=model, usage=usage, usd=usd, at=at)


@pytest.fixture
def store() -> SessionStore:
    """Two sessions in the home of this test."""
    store = session_store()
    for session_id, records in {
        "first": [spent(OPUS, 0.5, 1_000, 200, 1.0, cached=400), spent(OPUS, 0.25, 500, 100, 2.0)],
        "second": [spent(OWN, 0.0, 70, 30, 3.0), spent(OPUS, 0.125, 10, 5, 4.0)],
    }.items():
        opened = store.create(session_id, 0.0, cwd="/")
        opened.log.append(records)
        opened.log.close()
    return store


def cost(cwd: Path, *arguments: str) -> Done:
    done = ankrcode("cost", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


def data(cwd: Path, *arguments: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(cost(cwd, "--json", *arguments).stdout)
    return told


def test_everything_is_summed_by_model(tmp_path: Path, store: SessionStore) -> None:
    told = data(tmp_path)
    assert told["sessions"] == 2
    assert told["total"]["usd"] == 0.875
    assert told["total"]["answers"] == 4
    assert told["total"]["input_tokens"] == 1_580
    assert told["total"]["cached_tokens"] == 400
    assert told["by_model"][OPUS]["usd"] == 0.875
    assert told["by_model"][OPUS]["output_tokens"] == 305
    assert told["by_model"][OWN]["answers"] == 1


def test_one_session_can_be_asked_for_by_its_beginning(tmp_path: Path, store: SessionStore) -> None:
    assert data(tmp_path, "--session", "first")["total"]["usd"] == 0.75
    told = data(tmp_path, "--session", "sec")
    assert (told["sessions"], told["total"]["usd"]) == (1, 0.125)


def test_what_has_no_known_price_is_said_to_lack_one(tmp_path: Path, store: SessionStore) -> None:
    assert data(tmp_path)["total"]["unpriced"] == 1
    assert data(tmp_path, "--session", "first")["total"]["unpriced"] == 0
    lines = cost(tmp_path).stdout.splitlines()
    assert lines[0].startswith(OPUS)
    assert "$   0.8750" in lines[0]
    assert "3 answers, 1,510 tokens in (400 cached), 305 out" in lines[0]
    assert "(1 answers without a known price)" in lines[1]
    assert lines[2].startswith("all of 2 sessions")


def test_a_copy_of_a_session_is_not_paid_for_twice(tmp_path: Path, store: SessionStore) -> None:
    forked = store.fork("first", "third", 9.0)
    forked.log.append([spent(OPUS, 1.0, 1, 1, 10.0)])
    forked.log.close()
    told = data(tmp_path)
    assert told["sessions"] == 3
    assert told["total"]["usd"] == 1.875
    assert data(tmp_path, "--session", "third")["total"]["usd"] == 1.75


def test_where_nothing_was_spent_the_sum_is_nothing(tmp_path: Path) -> None:
    told = data(tmp_path)
    assert (told["sessions"], told["total"]["usd"], told["by_model"]) == (0, 0.0, {})
    assert "$   0.0000" in cost(tmp_path).stdout


def test_an_unknown_session_is_an_error(tmp_path: Path, store: SessionStore) -> None:
    done = ankrcode("cost", "--session", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr


def test_a_damaged_log_still_counts_what_is_whole(tmp_path: Path, store: SessionStore) -> None:
    path = Path(store.path_of("first"))
    assert path.is_relative_to(state_folder({"HOME": str(Path.home())}))
    path.write_bytes(path.read_bytes() + b"torn")
    assert data(tmp_path)["total"]["usd"] == 0.875


def test_prices_that_were_brought_count_in_a_run_and_in_its_budget(tmp_path: Path) -> None:
    prices = {"input": 1_000, "output": 1_000, "as_of": "2026-11-01"}
    (tmp_path / "prices.json").write_text(
        json.dumps({"openai/unlisted": {"prices": prices}}), encoding="utf-8"
    )
    assert ankrcode("models", "refresh", "prices.json", cwd=tmp_path).returncode == 0
    usage = {"prompt_tokens": 1_000, "completion_tokens": 500}
    with vendor(chat({"content": "Well."}, usage=usage)) as server:
        task = ["-p", "think about it", "--model", "openai/unlisted", "--output-format", "json"]
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k"}
        done = ankrcode(*task, cwd=tmp_path, env=env)
        assert json.loads(done.stdout)["total_cost_usd"] == 1.5
        dear = ankrcode(*task, "--set", "budget.usd=0.5", cwd=tmp_path, env=env)
        assert dear.returncode == 5
        assert len(server.asked) == 1
    told = data(tmp_path)
    assert (told["total"]["usd"], told["total"]["unpriced"]) == (1.5, 0)


@pytest.mark.parametrize(
    ("model", "is_told"),
    [
        ("mine/unknown", True),
        ("openai/unlisted", True),
        ("anthropic/claude-haiku-4-5", False),
        ("ollama/anything", False),
        ("scripted/x.json", False),
    ],
)
def test_a_limit_in_money_for_a_model_without_a_price_is_told_to_be_none(
    model: str, is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    warn_if_unpriced(model)
    assert (f"The price of {model} is not known" in capsys.readouterr().err) is is_told


@pytest.mark.parametrize(
    ("model", "fallback", "is_told"),
    [
        ("groq/openai/gpt-oss-20b", [], True),
        ("anthropic/claude-haiku-4-5", [], False),
        ("groq/nobody-knows-it", [], False),
        ("groq/openai/gpt-oss-20b", ["anthropic/claude-haiku-4-5"], False),  # the router's turn
        ("groq/openai/gpt-oss-20b", ["groq/openai/gpt-oss-120b"], True),
    ],
)
def test_pictures_for_a_model_that_cannot_see_are_told_of_beforehand(
    model: str, fallback: list[str], is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(models=ModelSettings(fallback=fallback, keyring=False))
    environ = {"GROQ_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "HOME": "/nonexistent"}
    warn_if_blind(model_for(model, settings, environ))
    assert (f"{model} cannot see pictures" in capsys.readouterr().err) is is_told


def test_a_run_with_such_a_limit_says_so_once(tmp_path: Path) -> None:
    with vendor(chat({"content": "Well."})) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k"}
        task = ["-p", "think about it", "--model", "openai/unlisted"]
        assert ankrcode(*task, cwd=tmp_path, env=env).stderr == ""
        done = ankrcode(*task, "--max-cost", "1", cwd=tmp_path, env=env)
    assert done.stdout == "Well.\n"
    assert done.stderr.count("The price of openai/unlisted is not known") == 1
