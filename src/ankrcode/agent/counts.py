"""How many tests: what an answer says, and what their runners said. Only what is beyond doubt is
called wrong: more tests than all that ran, of which every run is known to its last number. Fewer
may be some of them, and a number that stands anywhere else was not made up."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from ankrcode.agent.claims import INDIC_SUBJECT, INDIC_VERB, Claim
from ankrcode.agent.commands import Simple, taken_apart
from ankrcode.agent.runners import run_of
from ankrcode.agent.untested import Event

_NUMBER = r"(?<![\d.,/:#~≈+-])(\d{1,3}(?:,\d{3})+|\d+)(?:/\1)?(?![\d.,/:%+-])"
_SMALL = r"(?:all|now|again|are|have|still|also)"
_TESTS = r"(?:unit |existing |of the |of our )?(?:tests?|specs?)"
_STATED = (
    re.compile(rf"{_NUMBER} {_TESTS}(?: {_SMALL})* (?:pass(?:es|ed|ing)?|green|ok)\b", re.I),
    re.compile(rf"\btests?: {_NUMBER} pass(?:ed|ing)\b", re.I),
    re.compile(rf"{_NUMBER}\s+(?:{INDIC_SUBJECT})\S*\s+(?:\S+\s+)?(?:{INDIC_VERB})"),
)
# About so many, of several places, or of somewhere else.
_VAGUE = re.compile(
    r"\b(?:about|around|over|nearly|almost|roughly|some|up to|more than|at least|across|both|total"
    r"|together|combined|altogether|CI|remote|pipeline|plus|including|more|another|other|each|every"
    r"|per|times|suites|packages|projects|workspaces|crates|modules|files|cases|subtests?|assert\w*"
    r"|param\w*|\d+ (?:of|out of) \d+|kareeb|lagbhag)\b"
    "|लगभग|करीब|सुमारे|जवळपास|சுமார்|దాదాపు|ಸುಮಾರು",
    re.IGNORECASE,
)
_TIME = re.compile(r"\(?\b(?:in|after|took) (?:under )?[\d.]+ ?(?:s|ms|sec\w*|min\w*|m)\b\)?", re.I)
_ANY_NUMBER = re.compile(r"\d+(?:[.:]\d+)+|(\d+(?:,\d{3})*)")  # no times, no versions

_PYTEST = re.compile(r"^=* ?((?:\d+ [a-z]+,? ?)+) ?in [\d.]+s", re.MULTILINE)
_SUMMED_UP = (  # each line's numbers are added up
    _PYTEST,
    re.compile(r"^Ran (\d+) tests? in", re.MULTILINE),
    re.compile(r"^Tests: .*?(\d+) total", re.MULTILINE),
    re.compile(r"^ *Tests +[^\n]*\((\d+)\)", re.MULTILINE),
    re.compile(r"^ *(\d+ (?:passing|pending|failing))\b", re.MULTILINE),
    re.compile(r"^(?:#|ℹ) tests (\d+)$", re.MULTILINE),
    re.compile(r"^test result: \w+\. (.*?)(?:; finished|$)", re.MULTILINE),
    re.compile(r"(\d+ tests? run: .*)$", re.MULTILINE),
    re.compile(r"^(\d+ examples?, .*)$", re.MULTILINE),
    re.compile(r"^OK \((\d+) tests?, ", re.MULTILINE),
    re.compile(r"^Tests: (\d+), Assertions: ", re.MULTILINE),
    re.compile(r"Tests run: (\d+), [^\n]*Skipped: \d+$", re.MULTILINE),
    re.compile(r"^ *Passed! .*Total: +(\d+)", re.MULTILINE),
    re.compile(r"^Test summary: total: (\d+)", re.MULTILINE),
    re.compile(r"^ *---? (?:PASS|SKIP): \S+ \((\d+)", re.MULTILINE),
)
_GO = _SUMMED_UP[-1]
_DIRECT = frozenset(
    ("pytest", "py.test", "unittest", "jest", "vitest", "mocha", "rspec", "phpunit", "--test")
)
_BY_WORD = frozenset(("cargo", "go", "dotnet", "mvn", "mvnw", "manage.py"))
_AGAIN = frozenset(("for", "while", "until", "xargs", "parallel", "watch"))
_SCRIPTS = frozenset(("npm", "pnpm", "yarn"))
_SCRIPT = re.compile(r"^> (?!\S+@\S+ )(.+)$|^\$ (.+)$", re.MULTILINE)


class Count(Struct, frozen=True, kw_only=True):
    """What a run summed up."""

    total: int  # all of its tests, what it passed over as well
    numbers: tuple[int, ...]  # each that it told


class Counted(Event, Protocol):
    """A write, or a run, how it went and how many tests it had."""

    @property
    def count(self) -> Count | None: ...


def miscounted(
    answer: str,
    claims: Iterable[Claim],
    events: Iterable[Counted],
    after: Sequence[Counted],
    seen: Iterable[str],
) -> tuple[int, int] | None:
    """How many are said to pass, and how many there were, where those are certainly fewer. `seen`:
    all texts that the number may come from."""
    claimed = stated(claims)
    if claimed is None:
        return None
    runs: dict[str, Counted] = {}  # what ran again is counted as it was the last time
    for one in (one for one in events if not one.write):
        if one.run is None:
            return None  # it may have counted tests where nobody saw it
        runs[one.run.command] = one
    counts = {name: one.count for name, one in runs.items() if one.count is not None}
    newest = {one.run.command for one in after if one.run is not None}
    if not newest or len(counts) < len(runs) or any(runs[it].outcome != "green" for it in newest):
        return None
    known = {number for text in seen for number in numbers_in(text)}
    if claimed in known or known.intersection(numbers_in(answer)):
        return None  # somebody else said so; or the answer tells how many there really were
    total = sum(counts[name].total for name in newest)
    may_be_sum = _is_sum(claimed, [number for one in counts.values() for number in one.numbers])
    return None if claimed <= total or may_be_sum else (claimed, total)


def _is_sum(number: int, parts: Iterable[int]) -> bool:
    """May it be put together from some of them?"""
    sums = {0}
    for part in parts:
        sums |= {one + part for one in sums if one + part <= number}
    return number in sums


def stated(claims: Iterable[Claim]) -> int | None:
    """How many tests pass, by the answer: one number, said of tests and of nothing else."""
    found = {number for claim in claims if (number := _of_sentence(claim.sentence)) is not None}
    return found.pop() if len(found) == 1 else None


def _of_sentence(sentence: str) -> int | None:
    bare = _TIME.sub("", re.sub(r"[*`_]", "", sentence))
    if _VAGUE.search(bare):
        return None
    found = {match[1] for shape in _STATED for match in shape.finditer(bare)}
    others = set(numbers_in(bare))
    number = int(found.pop().replace(",", "")) if len(found) == 1 else 0
    return number if others == {number} and number else None


def numbers_in(text: str) -> list[int]:
    """Of every script, also those with a comma at the thousands."""
    return [int(one.replace(",", "")) for one in _ANY_NUMBER.findall(text) if one]


def counted(parts: Sequence[Simple], simple: Simple, text: str, *, is_all: bool) -> Count | None:
    """What a runner counted; None where that is not certain: it is none that we know, or its output
    is not all there."""
    shapes: tuple[re.Pattern[str], ...] = _SUMMED_UP
    if not is_all:
        if not _sums_up_once(parts, simple):
            return None
        shapes = (_PYTEST,)
    if not _is_known(simple, text):
        return None
    lines = [match for shape in shapes for match in shape.finditer(text)]
    if not lines:
        return None
    total = sum(1 if one.re is _GO else sum(numbers_in(one[1])) for one in lines)
    said = (_TIME.sub("", one[0]) for one in lines if one.re is not _GO)
    told = {number for line in said for number in numbers_in(line)}
    return Count(total=total, numbers=tuple(sorted({total, *told})))


def _sums_up_once(parts: Sequence[Simple], simple: Simple) -> bool:
    """Pytest ends with one line for all: its end is enough, where nothing else ran or printed."""
    run = run_of(simple)
    is_alone = len(parts) == 1 and not simple.targets and parts[0].words[0] not in _AGAIN
    return is_alone and run is not None and run.runner in ("pytest", "py.test")


def _is_known(simple: Simple, text: str) -> bool:
    run = run_of(simple)
    if run is None:
        return False
    names = [word.rpartition("/")[2] for word in simple.words]
    if run.runner in _DIRECT or not _BY_WORD.isdisjoint(names):
        return True
    return bool(_SCRIPTS.intersection(names)) and _is_known_script(text)


def _is_known_script(text: str) -> bool:
    """What stands behind `npm test` is printed before it runs: one runner, and nothing beside."""
    behind = [one for match in _SCRIPT.finditer(text) for one in taken_apart(match[1] or match[2])]
    runs = [run_of(one) for one in behind]
    return len(runs) == 1 and runs[0] is not None and runs[0].runner in _DIRECT
