"""`ankrcode cost`: the sums of what the recorded sessions say."""

import json
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.paths import state_folder
from ankrcode.protocol.message import Usage
from ankrcode.sessions.records import CostSpent
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from frontends.command import Done, ankrcode

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
