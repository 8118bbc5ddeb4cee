"""The catalogue of models, and prices that a person brings up to date."""

import asyncio
from datetime import date
from pathlib import Path

import msgspec
import pytest

from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.providers.catalogue import (
    UNKNOWN,
    all_models,
    find_model,
    model_names,
    named_so,
)
from ankrcode.providers.known_models import known_model
from ankrcode.providers.prices import (
    MAX_BYTES,
    PriceList,
    checked_prices,
    prices_file,
    refresh_prices,
)
from ankrcode.providers.resolve import model_for
from ankrcode.providers.router import Router
from ankrcode.providers.table import all_providers
from ankrcode.providers.transport.http import HttpClient
from providers.server import CLOSE, answer, serving

ROWS = all_models()
GOOD = {
    "groq/x": {"prices": {"input": 1.5, "output": 2.5, "as_of": "2026-11-01"}},
    "mine/y": {"context_tokens": 9_000, "vision": True},
}


# ── the catalogue ───────────────────────────────────────────────────────────────────────────────
def test_the_catalogue_holds_the_models_that_tiers_name() -> None:
    for name, row in all_providers().items():
        for model in row.tiers.values():
            facts = find_model(f"{name}/{model}")
            if name in ("anthropic", "openai", "google", "mistral", "deepseek", "xai", "moonshot"):
                assert facts.prices is not None, f"{name}/{model}"


@pytest.mark.parametrize("name", ROWS)
def test_a_model_is_soundly_described(name: str) -> None:
    facts = ROWS[name]
    assert name.partition("/")[0] in all_providers()
    assert facts.context_tokens == 0 or facts.context_tokens >= 8_000
    if facts.max_output_tokens is not None:
        assert 1_000 <= facts.max_output_tokens <= facts.context_tokens
    if facts.prices is not None:
        prices = facts.prices
        assert date(2025, 1, 1) <= date.fromisoformat(prices.as_of) <= date(2027, 12, 31)
        assert prices.source.startswith("https://")
        assert 0 <= prices.input <= prices.output <= 500
        assert prices.cached is None or prices.cached <= prices.input
        assert bool(prices.above_tokens) == (prices.above_input is not None)


def test_prices_pass_the_check_that_others_must_pass() -> None:
    encoded = msgspec.json.encode(ROWS)
    assert checked_prices(encoded, "our own") == ROWS


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("anthropic/claude-opus-4-6-20260205", "anthropic/claude-opus-4-6"),
        ("openai/gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("openai-chat/gpt-4o", "openai/gpt-4o"),
        ("openai-responses/gpt-5.2-2025-12-11", "openai/gpt-5.2"),
        ("vertex/claude-sonnet-5-5@20260901", "vertex/claude-sonnet-5-5"),
    ],
)
def test_a_date_behind_a_name_is_the_same_model(name: str, listed: str) -> None:
    assert find_model(name) == ROWS[listed]
    assert find_model(name) is not UNKNOWN


@pytest.mark.parametrize(
    "name",
    ["anthropic/claude-opus-4", "openai/gpt-4o-realtime", "openai/gpt-4", "nobody/x", "x", ""],
)
def test_another_model_is_not_taken_for_a_listed_one(name: str) -> None:
    assert find_model(name) is UNKNOWN
    assert find_model(name).prices is None


def test_a_bare_name_names_everyone_who_has_it() -> None:
    assert named_so("claude-sonnet-5-5") == (
        "anthropic/claude-sonnet-5-5",
        "vertex/claude-sonnet-5-5",
    )
    assert named_so("nothing") == ()
    assert len(model_names()) == len(set(model_names())) > 100


# ── bringing it up to date ──────────────────────────────────────────────────────────────────────
@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


async def test_a_file_of_prices_is_kept(environ: dict[str, str], tmp_path: Path) -> None:
    source = tmp_path / "new.json"
    source.write_bytes(msgspec.json.encode(GOOD))
    await refresh_prices(str(source), environ, HttpClient())
    facts = PriceList(environ).facts
    prices = facts("groq/x").prices
    assert prices is not None
    assert (prices.input, prices.output) == (1.5, 2.5)
    assert facts("mine/y").context_tokens == 9_000
    assert facts("anthropic/claude-opus-5-5") == find_model("anthropic/claude-opus-5-5")
    kept = prices_file(environ)
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert [one.name for one in kept.parent.iterdir()] == ["models.json"]


async def test_a_url_of_prices_is_fetched(environ: dict[str, str]) -> None:
    async with serving([answer(msgspec.json.encode(GOOD))]) as server:
        http = HttpClient()
        facts = await refresh_prices(f"{server.url}/prices.json", environ, http)
        await http.close()
    assert set(facts) == set(GOOD)
    assert server.heard[0].method == "GET"
    assert server.heard[0].target == "/prices.json"


def test_without_a_file_our_own_prices_count(environ: dict[str, str]) -> None:
    assert PriceList(environ).facts("openai/gpt-4o") == find_model("openai/gpt-4o")


def priced(**changes: object) -> bytes:
    row = {"input": 1.0, "output": 2.0, "as_of": "2026-11-01", **changes}
    return msgspec.json.encode({"p/m": {"prices": row}})


BAD = {
    "no JSON": b"<html>",
    "nothing": b"",
    "a list": b"[]",
    "a text for a number": priced(input="1.0"),
    "no day": msgspec.json.encode({"p/m": {"prices": {"input": 1.0, "output": 2.0}}}),
    "a day that is none": priced(as_of="yesterday!"),
    "a negative price": priced(input=-1.0),
    "a price for one token": priced(output=20_000.0),
    "a word that nobody knows": priced(inptu=1.0),
    "a model without a provider": msgspec.json.encode({"m": {}}),
    "infinity": b'{"p/m": {"prices": {"input": 1e999, "output": 1, "as_of": "2026-11-01"}}}',
    "deep nesting": b"[" * 100_000,
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
async def test_prices_that_make_no_sense_change_nothing(
    environ: dict[str, str], tmp_path: Path, data: bytes
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(msgspec.json.encode(GOOD))
    bad.write_bytes(data)
    http = HttpClient()
    await refresh_prices(str(good), environ, http)
    before = prices_file(environ).read_bytes()
    with pytest.raises(ProviderError) as caught:
        await refresh_prices(str(bad), environ, http)
    assert str(bad) in str(caught.value)
    assert prices_file(environ).read_bytes() == before


async def test_a_file_that_is_not_there_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    for source in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(ProviderError) as caught:
            await refresh_prices(str(source), environ, HttpClient())
        assert str(source) in str(caught.value)


@pytest.mark.parametrize(
    "play",
    [[answer(b"gone", 404)], [CLOSE], [answer(b"", 302, Location="/x")], [b"nonsense", CLOSE]],
    ids=["404", "closed", "redirect", "garbage"],
)
async def test_a_url_that_does_not_answer_is_named(
    environ: dict[str, str], play: list[bytes | str]
) -> None:
    async with serving(play) as server:
        http = HttpClient()
        with pytest.raises(ProviderError) as caught:
            await refresh_prices(server.url, environ, http)
        await http.close()
        assert server.url in str(caught.value)
    assert not prices_file(environ).exists()


async def test_too_much_is_not_read(environ: dict[str, str], tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ProviderError):
        await refresh_prices(str(huge), environ, HttpClient())


async def test_two_at_once_leave_one_whole_file(environ: dict[str, str], tmp_path: Path) -> None:
    sources = []
    for number in range(4):
        source = tmp_path / f"{number}.json"
        source.write_bytes(priced(input=float(number)))
        sources.append(str(source))
    http = HttpClient()
    await asyncio.gather(*(refresh_prices(source, environ, http) for source in sources))
    prices = PriceList(environ).facts("p/m").prices
    assert prices is not None
    assert prices.input in (0.0, 1.0, 2.0, 3.0)


def test_a_kept_file_that_was_damaged_is_named(environ: dict[str, str]) -> None:
    path = prices_file(environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"nonsense")
    with pytest.raises(ProviderError) as caught:
        PriceList(environ)
    assert str(path) in str(caught.value)


# ── what it is good for ───────────────────────────────────────────────────────────────────────
HAIKU = "anthropic/claude-haiku-4-5"
NEWER = {HAIKU: {"prices": {"input": 7.0, "output": 8.0, "as_of": "2026-11-01"}}}


async def brought(environ: dict[str, str], tmp_path: Path, rows: object) -> None:
    source = tmp_path / "new.json"
    source.write_bytes(msgspec.json.encode(rows))
    await refresh_prices(str(source), environ, HttpClient())


async def test_a_row_with_prices_alone_leaves_everything_else_as_it_is(
    environ: dict[str, str], tmp_path: Path
) -> None:
    await brought(environ, tmp_path, NEWER)
    facts, before = known_model(HAIKU, environ), find_model(HAIKU)
    assert facts.prices is not None
    assert facts.prices.input == 7.0
    assert (facts.vision, facts.pdf, facts.context_tokens) == (True, True, before.context_tokens)
    assert PriceList(environ).facts(HAIKU) == facts


async def test_a_row_can_take_an_ability_away(environ: dict[str, str], tmp_path: Path) -> None:
    await brought(environ, tmp_path, {HAIKU: {"vision": False, "tools": False}})
    facts = known_model(HAIKU, environ)
    assert (facts.vision, facts.tools) == (False, False)
    assert facts.prices == find_model(HAIKU).prices


async def test_a_date_behind_a_name_is_the_same_model_there_too(
    environ: dict[str, str], tmp_path: Path
) -> None:
    await brought(environ, tmp_path, NEWER)
    prices = known_model(f"{HAIKU}-20260101", environ).prices
    assert prices is not None
    assert prices.input == 7.0


async def test_what_was_brought_counts_at_once_and_only_where_it_is(
    environ: dict[str, str], tmp_path: Path
) -> None:
    assert known_model("groq/x", environ) == UNKNOWN
    await brought(environ, tmp_path, GOOD)
    assert known_model("groq/x", environ).prices is not None
    await brought(environ, tmp_path, {"groq/x": {"vision": True}})
    assert known_model("groq/x", environ).prices is None
    assert known_model("groq/x", {"HOME": "/nonexistent"}) == UNKNOWN


@pytest.mark.parametrize("state", ["", "relative", "/absolute"])
def test_the_file_is_looked_for_where_it_is_kept(state: str, tmp_path: Path) -> None:
    chosen = str(tmp_path / "elsewhere") if state == "/absolute" else state
    environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": chosen}
    file = prices_file(environ)
    file.parent.mkdir(parents=True)
    file.write_bytes(msgspec.json.encode(NEWER))
    prices = known_model(HAIKU, environ).prices
    assert prices is not None
    assert prices.input == 7.0


def test_a_damaged_file_keeps_nobody_from_working(environ: dict[str, str]) -> None:
    path = prices_file(environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"nonsense")
    assert known_model(HAIKU, environ) == find_model(HAIKU)


async def test_a_model_is_made_with_what_was_brought(
    environ: dict[str, str], tmp_path: Path
) -> None:
    await brought(environ, tmp_path, {"groq/mine": {"context_tokens": 12_345, "vision": True}})
    model = model_for("groq/mine", Settings(), {**environ, "GROQ_API_KEY": "key"})
    assert isinstance(model, Router)
    assert model.context_tokens == 12_345
    assert model.candidates[0].facts.vision
