"""A sentence as the commands it strings together: `a.py padho aur b.py hatao`."""

from collections.abc import Sequence

from ankrcode.rocketlang.lexicon import Lexicon
from ankrcode.rocketlang.tags import Unit

_SOFT = ("comma", "stop")


def clauses(units: Sequence[Unit], lexicon: Lexicon) -> list[list[Unit]]:
    """Joiners between two verbs part clauses; between two things they join them."""
    found: list[list[Unit]] = []
    for part in _at_separators(units):
        found.extend(_split(part, lexicon))
    return [clause for clause in found if any(unit.kind not in _SOFT for unit in clause)]


def _at_separators(units: Sequence[Unit]) -> list[list[Unit]]:
    parts: list[list[Unit]] = [[]]
    for unit in units:
        if unit.kind == "sep":
            parts.append([])
        else:
            parts[-1].append(unit)
    return parts


def _split(units: list[Unit], lexicon: Lexicon) -> list[list[Unit]]:
    parts: list[list[Unit]] = [[]]
    for at, unit in enumerate(units):
        if _parts(unit, parts[-1], units[at + 1 :], lexicon):
            parts.append([])
        elif parts[-1] or not is_sequel(unit):
            parts[-1].append(unit)
    return parts


def _parts(unit: Unit, left: list[Unit], rest: list[Unit], lexicon: Lexicon) -> bool:
    is_then = is_sequel(unit)
    if not (is_then or is_and(unit) or unit.kind in _SOFT):
        return False
    if not (left and has_verb(left, lexicon) and has_verb(rest, lexicon)):
        return False
    return is_then or _is_closed(left) or has_verb(_until_joiner(rest), lexicon)


def is_sequel(unit: Unit) -> bool:
    return any(one.value == "SEQ" for one in unit.all("join"))


def is_and(unit: Unit) -> bool:
    return any(one.value == "AND" for one in unit.all("join"))


def _is_closed(left: list[Unit]) -> bool:
    """Does it end as a sentence does whose verb comes last?"""
    kinds = ("verb", "light", "aux")
    return any(left[-1].is_a(kind) for kind in kinds)


def _until_joiner(rest: list[Unit]) -> list[Unit]:
    for at, unit in enumerate(rest):
        if is_and(unit) or is_sequel(unit) or unit.kind in _SOFT:
            return rest[:at]
    return rest


def has_verb(units: Sequence[Unit], lexicon: Lexicon) -> bool:
    """A verb, or at either end a word that is nearly one."""
    if any(unit.is_a("verb") or unit.is_a("light") for unit in units):
        return True
    ends = [unit for unit in (*units[:1], *units[-1:]) if unit.kind == "word" and not unit.senses]
    return any(lexicon.verbs_near(unit.text.lower()) for unit in ends)
