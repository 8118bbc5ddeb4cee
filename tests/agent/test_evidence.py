"""An answer is checked against what really ran, and never accused in error."""

import pytest

from agent.transcripts import GREEN_RUNS, NO_CLAIMS, NOTED, Transcript, ran_of
from ankrcode.agent.evidence import unsupported
from ankrcode.words import catalogue


def key_of(said: str) -> str:
    """Which note it is, by the words before its first value."""
    if not said:
        return ""
    notes = {key: text for key, (text, _) in catalogue("en").items() if key.startswith("evidence_")}
    fitting = [key for key, text in notes.items() if said.startswith(text.partition("{")[0])]
    return max(fitting, key=lambda key: len(notes[key].partition("{")[0]))


def judged(one: Transcript) -> str:
    return key_of(unsupported([ran_of(line) for line in one.ran], one.answer))


@pytest.mark.parametrize("one", GREEN_RUNS, ids=lambda one: one.name)
def test_what_is_borne_out_gets_no_note(one: Transcript) -> None:
    assert judged(one) == ""


@pytest.mark.parametrize("one", NO_CLAIMS, ids=lambda one: one.name)
def test_what_claims_nothing_gets_no_note(one: Transcript) -> None:
    assert judged(one) == ""


@pytest.mark.parametrize("one", NOTED, ids=lambda one: one.name)
def test_what_is_not_borne_out_is_noted(one: Transcript) -> None:
    assert judged(one) == one.note
