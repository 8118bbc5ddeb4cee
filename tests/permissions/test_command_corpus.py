"""The labelled corpus: nothing dangerous goes through, almost nothing harmless is asked."""

from collections import Counter
from pathlib import Path

import pytest

from ankrcode.permissions.programs import lookup
from ankrcode.permissions.verdicts import Decision
from ankrcode.protocol.permission import Mode
from ankrcode.workspace.roots import Workspace
from permissions.modes import Desk
from permissions.verdicts import HOME, ROOT, labelled, verdict_of

LABELS = ("read_only", "needs_approval", "blocked")


def test_the_corpus_is_large_and_says_each_thing_once() -> None:
    everything = [command for label in LABELS for command in labelled(label)]
    assert len(everything) >= 1_500
    assert all(len(labelled(label)) >= 300 for label in LABELS)
    twice = [command for command, count in Counter(everything).items() if count > 1]
    assert twice == []


@pytest.mark.parametrize("label", ["needs_approval", "blocked"])
def test_nothing_dangerous_is_let_through(label: str) -> None:
    assert [one for one in labelled(label) if verdict_of(one) == "read_only"] == []


@pytest.mark.requirement("S0-165")
def test_everything_catastrophic_is_blocked() -> None:
    assert [one for one in labelled("blocked") if verdict_of(one) != "blocked"] == []


@pytest.mark.parametrize("mode", Mode)
def test_no_mode_and_no_rule_lets_a_catastrophe_run(mode: Mode) -> None:
    desk = Desk(Path(ROOT), mode, allow=["Bash", "Bash(rm:*)"])
    desk.workspace = Workspace([ROOT], home=HOME)
    decisions = {line: desk.command(line).decision for line in labelled("blocked")}
    assert [line for line, one in decisions.items() if one is not Decision.DENY] == []


FAMILIES = {
    "a delete": ("rm -rf /", "rm -fr ~", "sudo rm -r --no-preserve-root /", 'rm -rf "$HOME"/*'),
    "a redirect onto a disk": ("echo x > /dev/sda", "cat a > /dev/nvme0n1", ": >| /dev/sdb1"),
    "a format": ("mkfs.ext4 /dev/sda1", "sudo mkfs -t xfs /dev/sdb", "mke2fs /dev/sda"),
    "dd": ("dd if=/dev/zero of=/dev/sda", "cat a | dd of=/dev/nvme0n1 bs=4M"),
    "a fork bomb": (":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb"),
}


@pytest.mark.requirement("S0-038", "S0-039", "S0-040", "S0-041", "S0-042", "S0-043")
@pytest.mark.requirement("S1-028", "S4-139")
@pytest.mark.parametrize("lines", FAMILIES.values(), ids=FAMILIES)
def test_what_is_blocked_says_so_even_in_bypass(lines: tuple[str, ...]) -> None:
    desk = Desk(Path(ROOT), Mode.BYPASS)
    desk.workspace = Workspace([ROOT], home=HOME)
    for line in lines:
        verdict = desk.command(line)
        assert verdict.decision is Decision.DENY
        assert verdict.is_firm
        assert verdict.reason.startswith("Command blocked for safety: ")


def test_what_a_person_may_allow_is_not_blocked() -> None:
    assert [one for one in labelled("needs_approval") if verdict_of(one) == "blocked"] == []


@pytest.mark.requirement("S0-165")
def test_at_most_two_in_a_hundred_harmless_lines_are_asked() -> None:
    harmless = labelled("read_only")
    asked = [one for one in harmless if verdict_of(one) != "read_only"]
    assert len(asked) <= 0.02 * len(harmless), asked


def test_the_harmless_lines_use_many_programs() -> None:
    words = {line.split()[0] for line in labelled("read_only") if line.strip()}
    assert len({word for word in words if lookup(word) is not None}) >= 100


@pytest.mark.parametrize("wrapper", ["{}", "{} ; true", "true && {}", "({})", "{{ {}; }}"])
def test_the_worst_stays_blocked_wherever_it_stands(wrapper: str) -> None:
    plain = [one for one in labelled("blocked") if one.startswith(("rm ", "dd ", "mkfs"))]
    plain = [one for one in plain if "\n" not in one and "#" not in one and one[-1] not in ";&"]
    assert len(plain) > 60
    assert [one for one in plain if verdict_of(wrapper.format(one)) != "blocked"] == []


@pytest.mark.parametrize(
    "wrapper",
    [
        "ls; {}",
        "echo $({})",
        'echo "$({})"',
        "if true; then {}; fi",
        "for i in 1; do {}; done",
        "while true; do {}; break; done",
        "f() {{ {}; }}; f",
        "true || {}",
        "cat <({})",
        "case a in a) {};; esac",
        "! {}",
        "[[ -n $({}) ]]",
    ],
)
def test_what_must_be_asked_is_asked_wherever_it_stands(wrapper: str) -> None:
    plain = [one for one in labelled("needs_approval") if one.split()[0] in ("git", "npm", "curl")]
    plain = [one for one in plain if "\n" not in one and ">" not in one]
    assert len(plain) > 100
    assert [one for one in plain if verdict_of(wrapper.format(one)) == "read_only"] == []


@pytest.mark.parametrize(
    "wrapper",
    [
        "timeout 5 {}",
        "nice {}",
        "env {}",
        "command {}",
        "nohup {}",
        "stdbuf -o0 {}",
        "setsid {}",
        "ionice -c3 {}",
        "ls; {}",
        "{} | cat",
        "({})",
        "bash -c 'true'; {}",
        "LC_ALL=C {}",
        "time {}",
        "{} 2>/dev/null",
        "{} > /dev/null 2>&1",
        "if {}; then echo yes; fi",
        "x=$({}); echo done",
    ],
)
def test_what_reads_stays_quiet_in_any_wrapping(wrapper: str) -> None:
    names = ("ls", "cat", "git", "grep", "head", "wc", "du", "sort", "find", "stat", "date")
    plain = [one for one in labelled("read_only") if one.split()[0] in names]
    plain = [one for one in plain if not set(one) & set("\n|&;<>#'`$(){}")]
    assert len(plain) > 120
    asked = [one for one in plain if verdict_of(wrapper.format(one)) != "read_only"]
    assert asked == []
