"""The token estimate: near enough to a real vocabulary, on everything that people read."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.documents.tokens import estimate_tokens, tokens_within
from torture import examples

# Our own texts, each with its true count in o200k_base, a vocabulary of 200,000 tokens.
SAMPLES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("token_samples.json").read_text(encoding="utf-8")
)
PROMISED = ("code", "hindi", "json")


def ids(sample: dict[str, Any]) -> str:
    return f"{sample['kind']}-{sample['name']}"


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one["kind"] in PROMISED], ids=ids)
def test_code_hindi_and_json_are_estimated_within_a_fifth(sample: dict[str, Any]) -> None:
    assert abs(estimate_tokens(sample["text"]) / sample["tokens"] - 1) <= 0.2


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one["kind"] not in PROMISED], ids=ids)
def test_other_texts_are_estimated_within_a_third(sample: dict[str, Any]) -> None:
    assert abs(estimate_tokens(sample["text"]) / sample["tokens"] - 1) <= 0.33


@pytest.mark.parametrize("kind", PROMISED)
def test_there_is_no_lean_to_one_side(kind: str) -> None:
    chosen = [one for one in SAMPLES if one["kind"] == kind]
    assert len(chosen) >= 8
    true = sum(one["tokens"] for one in chosen)
    estimated = sum(estimate_tokens(one["text"]) for one in chosen)
    assert abs(estimated / true - 1) <= 0.07


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


@pytest.mark.parametrize("char", list("x9-=_ \n\tकж中é😀\0\u200d"))
def test_a_long_run_of_one_character_is_counted_without_running_wild(char: str) -> None:
    assert 0 <= estimate_tokens(char * 10_000) <= 13_000


def test_a_very_long_text_is_judged_by_samples() -> None:
    text = "".join(one["text"] for one in SAMPLES) * 60
    true = sum(one["tokens"] for one in SAMPLES) * 60
    assert len(text) > 2_000_000
    started = time.thread_time()
    assert abs(estimate_tokens(text) / true - 1) <= 0.2
    assert time.thread_time() - started < 2


@pytest.mark.torture
@given(st.text(max_size=2_000), st.text(max_size=2_000))
@examples(in_ci=100, in_torture=10_000)
def test_two_texts_together_cost_about_what_they_cost_apart(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert abs(together - estimate_tokens(one) - estimate_tokens(other)) <= 4
    assert together <= 2.7 * len(one + other) + 1


@pytest.mark.torture
@given(st.text(max_size=3_000), st.integers(1, 30_000))
@examples(in_ci=150, in_torture=10_000)
def test_a_rule_of_thumb_lets_nothing_through_that_is_too_much(text: str, limit: int) -> None:
    assert (tokens_within(text, limit) > limit) == (estimate_tokens(text) > limit)


@pytest.mark.parametrize("sample", SAMPLES[:40], ids=range(40))
def test_far_from_the_limit_the_rule_of_thumb_is_near_enough(sample: dict[str, Any]) -> None:
    text = sample["text"] * 5
    assert estimate_tokens(text) / 2.5 <= tokens_within(text, 10**9) <= estimate_tokens(text) * 2.5
