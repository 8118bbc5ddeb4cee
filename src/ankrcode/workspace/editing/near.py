"""The block of a text that is closest to some lines, and how close: for refusals and margins."""

from collections import Counter

from msgspec import Struct

from ankrcode.workspace.editing.loose_lines import Lines, bare, stripped

_MARGIN = 0.05
_MAX_SCORED = 60  # blocks that are compared character by character
_MAX_CHARS = 20_000  # of each block
_COMMON = 500  # a line that occurs more often says nothing about the place


class Near(Struct, frozen=True):
    """A block of lines: index of the first, how many, and how like they are (0 to 1)."""

    first: int
    count: int
    score: float


def closest(lines: Lines, wanted: list[str], limit: int = 1) -> list[Near]:
    """The blocks most like `wanted`, best first; only some of them, for a large text."""
    from rapidfuzz.fuzz import ratio

    core = _core(wanted)
    if not core or not lines.text.strip():
        return []
    norm = lines.normalised(stripped)
    size = min(len(core), len(norm))
    aim = "\n".join(map(stripped, core))[:_MAX_CHARS]
    scored = [
        Near(first, size, ratio(aim, "\n".join(norm[first : first + size])[:_MAX_CHARS]) / 100)
        for first in _starts(lines, core, size)
    ]
    return sorted(scored, key=lambda near: (-near.score, near.first))[:limit]


def has_clear_margin(lines: Lines, wanted: list[str], first: int) -> bool:
    """Is no other block nearly as close as the one that begins at line `first`?"""
    lead = len(wanted) - len(_dropped_lead(wanted))
    near = closest(lines, wanted, limit=_MAX_SCORED)
    own = max((one.score for one in near if abs(one.first - first - lead) <= 1), default=0.0)
    others = [one.score for one in near if abs(one.first - first - lead) > 1]
    return own > 0 and all(own - other > _MARGIN for other in others)


def _core(wanted: list[str]) -> list[str]:
    core = _dropped_lead(wanted)
    while core and not core[-1].strip():
        core = core[:-1]
    return core


def _dropped_lead(wanted: list[str]) -> list[str]:
    for index, line in enumerate(wanted):
        if line.strip():
            return wanted[index:]
    return []


def _starts(lines: Lines, core: list[str], size: int) -> list[int]:
    """Where a closer look is worth it: where lines agree, else where the longest one is near."""
    norm, wanted = lines.normalised(bare), [bare(line) for line in core]
    last = len(norm) - size
    votes: Counter[int] = Counter()
    places = _places(norm, set(wanted))
    for offset, line in enumerate(wanted):
        for place in places.get(line, ()):
            if 0 <= place - offset <= last:
                votes[place - offset] += len(line)
    if not votes:
        votes.update(dict.fromkeys(_near_lines(norm, wanted, last), 1))
    return [first for first, _ in votes.most_common(_MAX_SCORED)]


def _places(norm: list[str], wanted: set[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, line in enumerate(norm):
        if line and line in wanted:
            places.setdefault(line, []).append(index)
    return {line: found for line, found in places.items() if len(found) <= _COMMON}


def _near_lines(norm: list[str], core: list[str], last: int) -> list[int]:
    """Starts of blocks that hold a line like the longest one."""
    from rapidfuzz import process
    from rapidfuzz.fuzz import ratio

    offset = max(range(len(core)), key=lambda index: len(core[index]))
    aim = core[offset][:_MAX_CHARS]
    near = process.extract(aim, norm, scorer=ratio, limit=_MAX_SCORED, score_cutoff=30)
    return [min(max(index - offset, 0), last) for _line, _score, index in near]
