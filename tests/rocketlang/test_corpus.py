"""Whole sentences in six languages, in native scripts, romanised and mixed."""

from typing import Any

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import compared, corpus, is_run_at_once

EXAMPLES = corpus("examples")
REGULAR = corpus("regular")
HARD = corpus("hard")
REFUSED = corpus("refused")
SLIPS = corpus("slips")
UNSEEN = corpus("everyday")


def text_of(row: dict[str, Any]) -> str:
    return str(row["text"])


@pytest.mark.parametrize("row", EXAMPLES, ids=text_of)
def test_the_sixty_examples_mean_what_the_specification_says(row: dict[str, Any]) -> None:
    reading = read_sentence(row["text"])
    assert reading.fault is None, reading.fault
    assert compared(reading.calls) == compared(row["calls"])
    assert not reading.confirm
    assert reading.is_full


@pytest.mark.parametrize("name", ["regular", "hard", "everyday"])
def test_a_command_becomes_its_calls(name: str) -> None:
    wrong = []
    for row in corpus(name):
        reading = read_sentence(row["text"])
        if reading.fault or compared(reading.calls) != compared(row["calls"]):
            wrong.append((row["text"], reading.calls, reading.fault))
    assert wrong == []


def test_a_well_spelled_command_needs_no_question() -> None:
    texts = [text_of(row) for row in (*REGULAR, *UNSEEN)]
    assert [text for text in texts if not is_run_at_once(read_sentence(text))] == []


def test_what_is_no_command_never_becomes_a_call() -> None:
    readings = {text: read_sentence(text) for text in map(text_of, REFUSED)}
    assert {text: one.calls for text, one in readings.items() if one.calls} == {}
    assert all(one.fault and one.fault.message for one in readings.values())


@pytest.mark.parametrize("row", SLIPS, ids=text_of)
def test_a_slip_is_understood_and_a_changing_one_asked_about(row: dict[str, Any]) -> None:
    reading = read_sentence(row["text"])
    assert [call.tool for call in reading.calls] == [row["tool"]]
    assert reading.confirm is reading.changes
    assert not reading.is_full


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(EXAMPLES) == 60
    assert len(REGULAR) + len(HARD) + len(UNSEEN) >= 400
    assert len(REFUSED) >= 120
    texts = [text_of(row) for row in (*REGULAR, *HARD, *REFUSED, *SLIPS, *UNSEEN)]
    assert len(texts) == len(set(texts))


def test_every_reading_is_told_back_in_words() -> None:
    for text in map(text_of, (*EXAMPLES, *REGULAR, *HARD, *UNSEEN)):
        reading = read_sentence(text)
        assert reading.explain, text
        assert "{" not in reading.explain.replace("{v}", ""), text
        assert (reading.lang == "en") == ("I would" in reading.explain), text


def test_everyday_sentences_hold_every_language_and_both_scripts() -> None:
    heard = {(one.lang, one.script) for one in map(read_sentence, map(text_of, REGULAR))}
    native = {(lang, "native") for lang in ("hi", "mr", "ta", "te", "kn")}
    assert heard >= native | {(lang, "roman") for lang in ("en", "hi", "mr", "ta", "te", "kn")}
