"""Stable names for secrets, and secrets that arrive in pieces."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ankrcode.config.redactor import RedactedStream, Redactor
from ankrcode.errors import ErrorCode
from torture import examples

ONE = "ghp_" + "a1B2c3D4e5" * 4
TWO = "ghp_" + "f6G7h8J9k0" * 4
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + ("QmFzZTY0" * 8 + "\n") * 3
    + "-----END RSA PRIVATE KEY-----"
)


class Value(Struct, frozen=True):
    content: str
    lines: list[str]
    code: ErrorCode = ErrorCode.TIMEOUT


def test_the_same_secret_has_the_same_name_and_another_one_another() -> None:
    redactor = Redactor()
    first = redactor.redact(f"a {ONE} b {TWO} c {ONE}")
    assert first == (
        "a [redacted:github-token:1] b [redacted:github-token:2] c [redacted:github-token:1]"
    )
    assert redactor.redact(f"again {TWO}") == "again [redacted:github-token:2]"


def test_a_name_that_comes_back_stands_for_the_secret_again() -> None:
    redactor = Redactor(["known value 1"])
    shown = redactor.redact(f"x={ONE}\ny=known value 1")
    assert redactor.restore({"a": [shown, 5, None], "b": {"c": shown}}) == {
        "a": [f"x={ONE}\ny=known value 1", 5, None],
        "b": {"c": f"x={ONE}\ny=known value 1"},
    }


def test_a_name_that_was_never_given_stays_as_it_is() -> None:
    assert Redactor().restore("[redacted:github-token:7]") == "[redacted:github-token:7]"
    other = Redactor()
    other.redact(ONE)
    assert Redactor().restore("[redacted:github-token:1]") == "[redacted:github-token:1]"


def test_redacting_twice_is_redacting_once_here_too() -> None:
    redactor = Redactor()
    once = redactor.redact(f"password={ONE}\ntoken: {TWO}\n{KEY}")
    assert redactor.redact(once) == once


def test_data_is_redacted_by_name_and_value_together() -> None:
    redactor = Redactor()
    data = {"password": "hunter2hunter2", "also": "hunter2hunter2 again", "n": [1, ONE]}
    assert redactor.redact_data(data) == {
        "password": "[redacted:password:2]",
        "also": "[redacted:password:2] again",
        "n": [1, "[redacted:github-token:1]"],
    }


def test_data_without_secrets_is_the_very_same_object() -> None:
    for data in ({"a": [1, "x"]}, Value("plain", ["text"]), ["x"], "plain text", None, 5, True):
        assert Redactor().redact_data(data) is data


def test_structures_keep_their_types() -> None:
    found = Redactor().redact_data(Value(f"is {ONE}", [ONE, "x"]))
    assert found == Value("is [redacted:github-token:1]", ["[redacted:github-token:1]", "x"])
    assert type(found.code) is ErrorCode


def test_what_is_not_json_is_redacted_text_by_text() -> None:
    odd = object()
    assert Redactor().redact_data({"a": ONE, "b": odd}) == {
        "a": "[redacted:github-token:1]",
        "b": odd,
    }


# ── in pieces ─────────────────────────────────────────────────────────────────────────────────
def streamed(text: str, cuts: list[int], redactor: Redactor) -> str:
    stream, shown, start = RedactedStream(redactor), "", 0
    for cut in sorted(min(cut, len(text)) for cut in cuts):
        shown += stream.feed(text[start:cut])
        start = cut
    return shown + stream.feed(text[start:]) + stream.end()


TEXTS = [
    f"begin {ONE} end",
    f"token={ONE}\nnext line\n",
    f"export DB_PASSWORD='hunter2hunter2' # here\n{TWO}",
    f"before\n{KEY}\nafter\n",
    "https://asha:hunter2hunter2@host/x and more",
    f"Authorization: Bearer {TWO}\r\nHost: x\r\n",
    "the known secret with blanks in it is here\n",
    "no secret at all, only words\n" * 5,
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_split_anywhere_is_caught(text: str) -> None:
    redactor = Redactor(["secret with blanks"])
    whole = redactor.redact(text)
    for cut in range(len(text) + 1):
        assert streamed(text, [cut], redactor) == whole, cut


@pytest.mark.torture
@examples(in_ci=300, in_torture=20_000)
@given(st.sampled_from(TEXTS), st.lists(st.integers(0, 400), max_size=12))
def test_however_many_pieces_there_are(text: str, cuts: list[int]) -> None:
    redactor = Redactor(["secret with blanks"])
    whole = redactor.redact(text)
    assert streamed(text, cuts, redactor) == whole


def test_whole_lines_go_on_at_once_and_so_do_finished_words() -> None:
    stream = RedactedStream(Redactor())
    assert stream.feed("one line\n") == "one line\n"
    assert stream.feed("50 % ") == "50 % "
    assert stream.feed("wor") == ""
    assert stream.feed("ds and") == "words "
    assert stream.end() == "and"


def test_what_is_held_back_is_bounded() -> None:
    stream = RedactedStream(Redactor())
    chooser = random.Random(3)
    fed = shown = 0
    for _ in range(2_000):
        piece = "x" * chooser.randint(1, 99)
        fed += len(piece)
        shown += len(stream.feed(piece))
        assert fed - shown <= 16_384 + 100
