"""Numbers said in words, where a number is meant: bees, twenty five, do sau."""

from collections.abc import Sequence

from ankrcode.rocketlang.tags import Unit
from ankrcode.rocketlang.verbs import Verb

_COUNTED = frozenset(("LINE", "COMMITS", "LOG", "NUMBER"))
_HUNDRED, _TEN, _TWENTY = 100, 10, 20


def is_number_slot(units: Sequence[Unit], at: int, verb: Verb) -> bool:
    """Only beside lines, commits and the like: elsewhere `do` is no two, `padi` no ten."""
    unit = units[at]
    if not (unit.is_a("number") or unit.is_a("ordinal")):
        return False
    if verb.at >= 0 and verb.at < at and all(not _is_counted(one) for one in units[verb.at + 1 :]):
        return False
    near = (*units[max(0, at - 2) : at], *units[at + 1 : at + 4])
    return any(_is_counted(one) for one in near) or _is_bound(units, at) or _has_partner(units, at)


def _is_counted(unit: Unit) -> bool:
    return any(one.value in _COUNTED for one in unit.all("noun"))


def _is_bound(units: Sequence[Unit], at: int) -> bool:
    """`das se bees tak`, in a clause that speaks of lines."""
    follows = units[at + 1 : at + 2]
    is_marked = any(one.value in ("BY", "FROM", "TILL") for u in follows for one in u.all("marker"))
    return is_marked and any(_is_counted(one) for one in units)


def _has_partner(units: Sequence[Unit], at: int) -> bool:
    """`lines ten to twenty`: two numbers near each other, in a clause that speaks of lines."""
    near = (*units[max(0, at - 2) : at], *units[at + 1 : at + 3])
    is_near = any(one.kind == "number" or one.is_a("number") for one in near)
    return is_near and any(_is_counted(one) for one in units)


def compose(units: Sequence[Unit], at: int) -> tuple[int, int]:
    """The number that starts here, and how many words it takes."""
    if units[at].is_a("ordinal"):
        return int(units[at].all("ordinal")[0].value), 1
    total = _value(units[at]) or 0
    length = 1
    while at + length < len(units):
        following = _value(units[at + length])
        if following is None:
            break
        if following >= _HUNDRED and 0 < total < _HUNDRED:
            total *= following
        elif _takes(total, following):
            total += following
        else:
            break
        length += 1
    return total, length


def _takes(total: int, unit: int) -> bool:
    """Tens take units, hundreds take what is below a hundred."""
    if total >= _HUNDRED and total % _HUNDRED == 0:
        return unit < _HUNDRED
    return total % _HUNDRED >= _TWENTY and total % _TEN == 0 and 0 < unit < _TEN


def _value(unit: Unit) -> int | None:
    senses = unit.all("number")
    return int(senses[0].value) if senses else None
