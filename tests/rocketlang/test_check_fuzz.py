"""Whatever comes through the door gets an answer of the promised shape, and soon."""

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.frontends.cli.rl_check import answered, checked
from ankrcode.rocketlang.stubs import Stub, StubCall
from torture import IS_TORTURE, examples

SLOWEST_MS = 50.0
KEYS = {"calls", "confirm", "lang", "explain", "error"}
CODES = {
    *("unknown_command", "ambiguous_verb", "missing_argument", "unknown_object", "negated"),
    *("not_a_command", "missing_end", "bad_condition"),
}
WORDS = [
    *("agar", "warna", "to", "if", "then", "else", "end", "khatam", "har", "for each", "f", "mein"),
    *(
        "3",
        "teen",
        "baar:",
        "times",
        "macro",
        "kaam",
        "x",
        "=",
        "|",
        ";",
        "phir",
        "and",
        "aur",
        ":",
    ),
    *("$x", "{x}", "$files", "pass", "fail", "khaali", "nahi", "hai", "exists", "not", "in", "it"),
    *("padho", "hatao", "hatoa", "likho", "badlo", "dhoondo", "chalao", "bolo", "karo", "wapas lo"),
    *("app.py", "src", "*.log", '"foo"', '"bar"', "'a", "“b”", "`c`", "TODO", "use", "unhe", "ko"),
    *("se", "mat", "kyon", "?", "।", "$ ls", "!pwd", "#", "\n", "\n  ", "अगर", "पढ़ो", "वरना", "में"),
    *("என்றால்", "படி", "அதை", "అయితే", "చదువు", "లో", "ಆದರೆ", "ಓದು", "ನಲ್ಲಿ", "\u200d", "\\", "9" * 30),
]


def shape_is_right(answer: dict[str, Any]) -> None:
    assert set(answer) == KEYS
    assert isinstance(answer["confirm"], bool)
    assert answer["lang"] in ("en", "hi", "mr", "ta", "te", "kn")
    for call in answer["calls"]:
        assert set(call) == {"tool", "args"}
        assert isinstance(call["args"], dict)
    if answer["error"] is None:
        return
    assert answer["calls"] == []
    assert answer["error"]["code"] in CODES
    assert answer["error"]["message"]
    assert len(answer["error"]["suggestions"]) <= 3


@pytest.mark.torture
@examples(in_ci=400, in_torture=100_000)
@given(st.lists(st.sampled_from(WORDS), max_size=18).map(" ".join))
def test_any_row_of_words_gets_an_answer(text: str) -> None:
    shape_is_right(checked(text))


@pytest.mark.torture
@examples(in_ci=200, in_torture=50_000)
@given(st.text(max_size=120))
def test_any_text_gets_an_answer(text: str) -> None:
    shape_is_right(checked(text))


results = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@pytest.mark.torture
@examples(in_ci=150, in_torture=20_000)
@given(result=results, ok=st.booleans())
def test_whatever_a_stub_brings_the_script_goes_on_or_ends(result: Any, ok: bool) -> None:
    text = (
        "r = *.py dhoondo\nhar f $r mein:\n  $f padho\n  $ cat {f}\nend\n"
        'agar $r khaali hai to "none" bolo warna "{r}" bolo\n$r bolo'
    )
    stub = Stub(call=StubCall(tool="Glob", args={"pattern": "*.py"}), ok=ok, result=result)
    shape_is_right(checked(text, (stub,)))


@pytest.mark.torture
@examples(in_ci=100, in_torture=20_000)
@given(st.binary(max_size=60))
def test_any_line_gets_one_answer_that_is_json(line: bytes) -> None:
    answer = answered(line)
    assert "id" in answer
    assert json.dumps(answer)


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b"null",
        b'{"text": 5}',
        b'{"text": "a.py padho", "stubs": 5}',
        b'{"id": 1, "text": "a.py padho", "stubs": [{"tool": "Read"}]}',
        b'{"id": 1, "text": "\\ud800"}',
        b"\xff",
        b"[" * 2_000,
    ],
)
def test_a_line_that_is_no_request_gets_an_error(line: bytes) -> None:
    answer = answered(line)
    assert isinstance(answer["error"], str)
    assert answer["id"] in (None, 1)


def milliseconds_for(text: str) -> float:
    started = time.thread_time()
    checked(text)
    return (time.thread_time() - started) * 1000


@pytest.mark.torture
def test_no_row_of_words_takes_long() -> None:
    checked("a.py padho")  # the words are loaded once
    dice = random.Random(7)
    slowest, culprit = 0.0, ""
    for _ in range(100_000 if IS_TORTURE else 1_500):
        text = " ".join(dice.choices(WORDS, k=dice.randint(1, 14)))
        taken = milliseconds_for(text)
        if taken > slowest:  # twice: the first time may be the garbage of other tests
            slowest, culprit = max(slowest, min(taken, milliseconds_for(text))), text
    assert slowest < SLOWEST_MS, culprit


def test_a_long_line_and_a_long_script_take_time_by_their_length_only() -> None:
    started = time.thread_time()
    for text in (
        "a" * 20_000,
        "a.py " * 2_000 + "padho",
        '"' * 3_001,
        "( " * 3_000,
        "agar " * 2_000,
        "a.py padho\n" * 1_000,
        "x = 1\n" * 3_000,
        "$x " * 2_000,
    ):
        shape_is_right(checked(text))
    assert time.thread_time() - started < 10
