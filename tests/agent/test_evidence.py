"""An answer is checked against what really ran, and never accused in error."""

from pathlib import Path

import pytest

from agent.transcripts import GREEN_RUNS, MORE, NO_CLAIMS, NOTED, Transcript, ran_of
from ankrcode.agent.evidence import unsupported
from ankrcode.agent.ledger import Ran
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


@pytest.mark.parametrize("one", MORE, ids=lambda one: one.name)
def test_many_runners_and_many_ways_to_say_it(one: Transcript) -> None:
    assert judged(one) == one.note


def test_no_answer_is_accused_in_error_and_few_get_away() -> None:
    fair = [one for one in MORE if not one.note]
    assert len(fair) > 200
    assert sum(bool(judged(one)) for one in fair) == 0
    assert {"evidence_none", "evidence_red", "evidence_stale", "evidence_other", ""} == {
        one.note for one in MORE
    }


def test_what_is_written_elsewhere_makes_no_run_stale(tmp_path: Path) -> None:
    ran = [ran_of(line) for line in ("w a.py", "$ pytest")]
    inside, outside = (
        Ran(tool="Write", arguments={"file_path": str(one)})
        for one in (tmp_path / "project" / "b.py", tmp_path / "notes.py")
    )
    roots = [str(tmp_path / "project")]
    assert unsupported([*ran, outside], "All tests pass.", roots) == ""
    assert key_of(unsupported([*ran, inside], "All tests pass.", roots)) == "evidence_stale"


def test_a_workspace_below_tmp_is_a_workspace(tmp_path: Path) -> None:
    """Named through a link, too."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    changed = ran_of(f"$ sed -i s/a/b/ {tmp_path / 'link' / 'a.py'}")
    note = unsupported([ran_of("$ pytest"), changed], "Tests pass.", [str(tmp_path / "real")])
    assert key_of(note) == "evidence_stale"
