"""The whole labelled corpus before every mode: no mode lets through what it should not."""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.command_judge import CommandJudge
from ankrcode.permissions.decide import Decision
from ankrcode.permissions.verdicts import Verdict
from ankrcode.protocol.permission import Mode
from ankrcode.workspace.roots import Workspace
from permissions.modes import Desk
from permissions.shell_lines import Lines
from permissions.verdicts import HOME, ROOT, labelled, verdict_of
from torture import IS_TORTURE

LABELS = ("read_only", "needs_approval", "blocked")


@cache
def desk(mode: Mode) -> Desk:
    """In the places that the corpus speaks of."""
    found = Desk(Path(ROOT), mode)
    found.workspace = Workspace([ROOT], home=HOME)
    return found


@cache
def lines(verdict: str) -> list[str]:
    """All lines of the corpus that the analysis, which has tests of its own, judges so."""
    everything = (command for label in LABELS for command in labelled(label))
    return [command for command in everything if verdict_of(command) == verdict]


@cache
def verdicts(mode: Mode, verdict: str) -> list[tuple[str, Verdict]]:
    return [(command, desk(mode).command(command)) for command in lines(verdict)]


def only(found: list[tuple[str, Verdict]], *decisions: Decision) -> list[str]:
    """The lines that are decided in none of these ways."""
    return [command for command, verdict in found if verdict.decision not in decisions]


@pytest.mark.parametrize("mode", list(Mode))
def test_what_is_catastrophic_is_denied_in_every_mode(mode: Mode) -> None:
    assert only(verdicts(mode, "blocked"), Decision.DENY) == []


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS])
def test_what_changes_something_is_asked(mode: Mode) -> None:
    assert only(verdicts(mode, "needs_approval"), Decision.ASK) == []


def test_nothing_of_it_runs_where_nobody_is_asked() -> None:
    assert only(verdicts(Mode.DONT_ASK, "needs_approval"), Decision.DENY) == []


def test_a_plan_runs_none_of_it_and_asks_only_where_to_look() -> None:
    found = verdicts(Mode.PLAN, "needs_approval")
    assert only(found, Decision.DENY, Decision.ASK) == []
    for command, verdict in found:
        if verdict.decision is Decision.ASK:
            judge = judged(command)
            assert {one.kind for one in judge.line.effects} <= {"read", "list", "secret"}, command


def test_auto_confines_all_that_it_does_not_ask_about() -> None:
    found = verdicts(Mode.AUTO, "needs_approval")
    assert only(found, Decision.ALLOW, Decision.ASK) == []
    for command, verdict in found:
        if verdict.decision is Decision.ALLOW:
            assert (verdict.profile, verdict.by) == ("workspace-write", "mode"), command
            check_stays_inside(command)


def test_auto_is_quiet_about_a_good_part_of_it_and_default_about_none() -> None:
    counted = Counter(verdict.decision for _, verdict in verdicts(Mode.AUTO, "needs_approval"))
    assert counted[Decision.ALLOW] >= 0.2 * counted.total()


@pytest.mark.parametrize("mode", list(Mode))
def test_what_only_reads_runs_within_limits_in_every_mode(mode: Mode) -> None:
    found = verdicts(mode, "read_only")
    assert len(found) >= 300
    assert only(found, Decision.ALLOW) == []
    assert {one.profile for _, one in found} == {"limits"}


def judged(command: str) -> CommandJudge:
    at = desk(Mode.AUTO)
    facts = facts_of("Bash", {"command": command}, at.workspace)
    return CommandJudge(facts, command, at.policy, at.workspace)


def check_stays_inside(command: str) -> None:
    line = judged(command).line
    kinds = {one.kind for one in line.effects}
    assert line.is_certain, command
    assert not kinds & {"connect", "secret"}, command
    assert not any(one.policy for one in line.effects), command
    for place in line.written_places():
        assert not place or desk(Mode.AUTO).workspace.contains(place), command


# ── lines made from the grammar ───────────────────────────────────────────────────────────────
@pytest.mark.torture
def test_whatever_the_line_the_modes_agree_on_what_is_wider() -> None:
    """A line that a narrower mode allows, a wider one allows; auto never without its wall."""
    source = Lines(random.Random().randrange(10**9) if IS_TORTURE else 7)
    for _ in range(20_000 if IS_TORTURE else 150):
        command = source.line()
        found = {mode: desk(mode).command(command) for mode in Mode}
        if found[Mode.DEFAULT].decision is Decision.ALLOW:
            assert all(one.decision is Decision.ALLOW for one in found.values()), command
            assert {one.profile for one in found.values()} == {"limits"}, command
        if found[Mode.AUTO].decision is Decision.ALLOW:
            assert found[Mode.AUTO].profile in ("limits", "workspace-write"), command
        assert found[Mode.DONT_ASK].decision is not Decision.ASK, command
        assert found[Mode.PLAN].decision is not Decision.ALLOW or (
            found[Mode.PLAN].profile == "limits"
        ), command


@pytest.mark.parametrize("seed", range(3))
def test_a_line_cut_anywhere_never_runs_openly(seed: int) -> None:
    """Half a line is often not understood: then it is asked about, whatever the mode."""
    chooser = random.Random(seed)
    for command in chooser.sample([*lines("blocked"), *lines("needs_approval")], 60):
        half = command[: chooser.randrange(len(command) + 1)]
        for mode in (Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, Mode.PLAN, Mode.DONT_ASK):
            verdict = desk(mode).command(half)
            if verdict.decision is Decision.ALLOW:
                assert verdict.profile in ("limits", "workspace-write"), half
