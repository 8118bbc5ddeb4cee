"""What `permissions check` takes out of a text, and what it leaves alone."""

import re

from ankrcode.permissions.checks import check
from permissions.corpora import Case, cases
from permissions.samples import filled

PLACEHOLDER = r"\[redacted:[a-z0-9-]+:[0-9]+\]"


def wanted(case: Case) -> str:
    """The text as a pattern: a placeholder for each secret, all else as it is."""
    text, pattern, place = filled(case["text"]), "", 0
    for secret in map(filled, case["secrets"]):
        found = text.index(secret, place)
        pattern += re.escape(text[place:found]) + PLACEHOLDER
        place = found + len(secret)
    return pattern + re.escape(text[place:])


def test_no_secret_of_the_corpus_leaks_and_nothing_else_is_touched() -> None:
    assert sum(bool(case["secrets"]) for case in cases("secrets")) >= 60
    assert sum(not case["secrets"] for case in cases("secrets")) >= 60
    wrong = [
        f"{filled(case['text'])!r} → {output!r}"
        for case in cases("secrets")
        if not re.fullmatch(wanted(case), output := _output(case))
    ]
    assert wrong == []


def _output(case: Case) -> str:
    return str(check("secret", filled(case["text"]), {})["output"])


def test_a_question_that_is_not_a_text_is_an_error() -> None:
    questions: list[object] = [None, 5, [], {"text": "x"}]
    for given in questions:
        assert "error" in check("secret", given, {})


def test_an_empty_text_stays_empty() -> None:
    assert check("secret", "", {}) == {"output": ""}
