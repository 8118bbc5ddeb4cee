"""What keeps a sentence from being a command: a no, a question, a tale."""

from collections.abc import Sequence

from ankrcode.rocketlang.tags import Unit

_HARMLESS = (
    "aux",
    "marker",
    "join",
    "noun",
    "prep",
    "filler",
    "verb",
    "light",
    "pronoun",
    "number",
    "ordinal",
    "kind",
)


def forbids(units: Sequence[Unit], lang: str) -> Unit | None:
    """The word that says no. `na` at the end only pleads: padho na."""
    for at, unit in enumerate(units):
        if unit.is_a("negation") and not _means_else(unit, lang) and not _pleads(units, at):
            return unit
    return None


def _pleads(units: Sequence[Unit], at: int) -> bool:
    if units[at].text.lower() not in ("na", "ना", "no"):
        return False
    is_last = all(unit.kind in ("stop", "comma") for unit in units[at + 1 :])
    before = units[at - 1] if at else None
    helps = before is not None and any(before.is_a(kind) for kind in ("verb", "light", "aux"))
    return is_last and helps


def asks(units: Sequence[Unit], lang: str) -> Unit | None:
    """A question mark or a word that asks."""
    for unit in units:
        if unit.kind == "question":
            return unit
        if unit.is_a("question") and unit.is_exact and not _means_else(unit, lang):
            return unit
    return None


def tells(units: Sequence[Unit], lang: str) -> Unit | None:
    """A word of reports, wishes and conditions."""
    for unit in units:
        if unit.is_a("statement") and unit.is_exact and not _means_else(unit, lang):
            return unit
    return None


def is_keyword(unit: Unit, lang: str) -> bool:
    """`src mein while dhoondo`: English in another language's search is a word of code.

    One that forbids counts as such only where it is written as code writes it: None, NOT.
    """
    if lang == "en" or not unit.senses or unit.is_a("question"):
        return False
    if any(one.lang != "en" for one in unit.senses):
        return False
    return not (unit.is_a("negation") and unit.text.islower())


def _means_else(unit: Unit, lang: str) -> bool:
    """In the language of the sentence the word is something harmless: `ka`, `or`, `par`."""
    here = [one for one in unit.senses if one.lang == lang]
    if any(one.kind in ("negation", "question", "statement") for one in here):
        return False
    return any(one.kind in _HARMLESS for one in here)
