"""bash itself against our reading of it, and noise against our patience."""

import random
import time
from pathlib import Path
from typing import Any

import pytest

from ankrcode.permissions.judge import judge
from ankrcode.permissions.shell.expansion import Expander
from ankrcode.permissions.shell.syntax import Part, Substitution
from ankrcode.permissions.shell.values import Args
from permissions.canary import Canary
from permissions.shell_lines import Lines
from permissions.verdicts import ENV, labelled
from torture import IS_TORTURE

LINES = 20_000 if IS_TORTURE else 2_000
MUTATIONS = 1_000_000 if IS_TORTURE else 5_000
BYTES = "\0\x01\t\n\r\x1b '\"\\`$(){}[]<>|&;!#*?~=-/0aé\u200b\u202e\U0001f600"


@pytest.mark.torture
def test_bash_runs_no_command_that_was_not_found(tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    source = Lines(seed=int(time.time()) if IS_TORTURE else 7)
    lines = [source.line() for _ in range(LINES)]
    is_read = canary.run(lines)
    missed: list[tuple[str, set[str]]] = []
    doubted = 0
    for number, line in enumerate(lines):
        verdict = judge(line, ENV)
        found = {part.argv[0].rpartition("/")[2] for part in verdict.parts}
        if "with certainty" in verdict.reason:
            doubted += 1
        elif canary.ran(number) - found:
            missed.append((line, canary.ran(number) - found))
    assert missed == []
    assert sum(bool(canary.ran(number)) for number in range(LINES)) > 0.9 * LINES
    assert sum(is_read) > 0.9 * LINES
    assert doubted < 0.02 * LINES


def test_the_canaries_would_tell_of_a_command_that_was_missed(tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    lines = ["alpha; echo $(beta) 'gamma' \"`delta`\"", "alpha )", "beta; exit; alpha", "delta"]
    assert canary.run(lines) == [True, False, True, True]
    assert canary.ran(0) == {"alpha", "beta", "delta"}
    assert canary.ran(1) == set()
    assert canary.ran(2) == {"beta"}, "and the next line runs all the same"
    assert canary.ran(3) == {"delta"}


def test_a_reader_that_looks_away_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison with bash can fail: a reader without substitutions fails it."""
    canary, source = Canary(tmp_path), Lines(seed=7)
    lines = [source.line() for _ in range(150)]
    canary.run(lines)

    def missed() -> int:
        found = [{part.argv[0] for part in judge(line, ENV).parts} for line in lines]
        return sum(bool(canary.ran(number) - names) for number, names in enumerate(found))

    assert missed() == 0
    whole = Expander.text

    def blind(self: Expander, parts: tuple[Part, ...], *rest: Any, **more: Any) -> Args:
        seen = tuple(part for part in parts if not isinstance(part, Substitution))
        return whole(self, seen, *rest, **more)

    monkeypatch.setattr(Expander, "text", blind)
    assert missed() > 5


def mutated(command: str, chance: random.Random) -> str:
    """The line with a few characters changed, put in, taken out or doubled."""
    text = list(command)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        match chance.randrange(5):
            case 0:
                text[place:place] = chance.choice(BYTES)
            case 1:
                del text[place : place + chance.randint(1, 3)]
            case 2 if text:
                text[min(place, len(text) - 1)] = chance.choice(BYTES)
            case 3:
                text[place:place] = text[place : place + chance.randint(1, 12)]
            case _:
                text = text[:place]
    return "".join(text)


@pytest.mark.torture
def test_noise_neither_breaks_nor_delays_a_verdict() -> None:
    chance = random.Random(None if IS_TORTURE else 11)
    seeds = [one for label in ("read_only", "needs_approval", "blocked") for one in labelled(label)]
    slowest = 0.0
    for _ in range(MUTATIONS):
        line = mutated(chance.choice(seeds), chance)
        start = time.process_time()
        verdict = judge(line, ENV)
        slowest = max(slowest, time.process_time() - start)
        assert verdict.verdict in ("read_only", "needs_approval", "blocked"), line
    assert slowest < 1.0


@pytest.mark.parametrize(
    "line",
    [
        "(" * 5_000,
        "$(" * 3_000,
        "`" * 9_999,
        "{" * 9_000,
        "[[ " * 3_000,
        "((" * 4_000,
        "if " * 3_000,
        "<(" * 4_000,
        "${x:-" * 1_500,
        '"$(' * 3_000,
        "ls;" * 3_000,
        "ls | " * 1_900 + "ls",
        "x={a,b}" + "{a,b}" * 1_000,
        "echo {1..99999999}",
        "echo " + "{a,b}" * 30,
        "for i in 1 2; do " * 200 + "ls; " + "done; " * 200,
        "f() { g; g; }; g() { h; h; }; h() { i; i; }; i() { j; j; }; j() { f; }; f",
        "eval " * 1_000 + "ls",
        "env " * 2_000 + "ls",
        "bash -c " * 500 + "ls",
        "!" * 9_000,
        "a=" + "$a" * 3_000,
        "a=x; " + "a=$a$a; " * 60 + "echo $a",
        "cat " + "<<A " * 500 + "\n" + "A\n" * 500,
        "case x in " + "a) ls;; " * 1_000 + "esac",
        "\\" * 9_999,
        "x" * 200_000,
        "x(){ " * 20_000,
        "x () { x | " * 9_000,
        " " * 100_000 + "()",
        "git -c a=b " * 900,
        "rm -rf " + "$x" * 3_000 + "/",
        "printf '" + "%s" * 4_000 + "' a b c",
        "xargs " * 1_500 + "rm",
        "python3 -c '" + "rmtree(" * 1_200 + "'",
        "python3 -c '" + "open(" * 1_900 + "'",
        "perl -e '" + "`" * 9_000 + "'",
        "é" * 50_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_bomb_is_answered_within_a_second(line: str) -> None:
    start = time.process_time()
    verdict = judge(line, ENV).verdict
    assert time.process_time() - start < 1.0
    assert verdict in ("read_only", "needs_approval", "blocked")


def test_nesting_beyond_the_limit_is_never_read_only() -> None:
    for depth in (9, 12, 20):
        line = "ls"
        for _ in range(depth):
            line = f"eval {line}"
        assert judge(line, ENV).verdict == "needs_approval", depth


def test_a_catastrophe_behind_a_long_line_is_still_found() -> None:
    assert judge("echo " + "x" * 30_000 + "; rm -rf /", ENV).verdict == "blocked"
    assert judge("true; " * 200 + "rm -rf /", ENV).verdict == "blocked"
