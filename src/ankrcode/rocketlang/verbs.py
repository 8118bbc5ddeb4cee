"""Which word of a clause is its verb, and whose language the clause is in."""

from collections.abc import Sequence

from msgspec import Struct

from ankrcode.rocketlang.lexicon import CHANGING, LANGUAGES, Lexicon, Senses
from ankrcode.rocketlang.tags import Unit

_LOOSE = ("stop", "comma", "question")
LIGHT_ONLY = "DO"  # karo, pannu, cheyyi with no other verb
_LENT = ("verb", "noun", "kind")  # English words that everybody uses
NO_VERB = "NAMED"  # `git status`: nouns that are asked for by naming them


class Verb(Struct, frozen=True, kw_only=True):
    """The verb found: where it stands, what it asks for, how surely it was read."""

    op: str
    at: int  # index among the units; -1 where there is none
    lang: str
    is_exact: bool = True
    rivals: tuple[str, ...] = ()  # operations it could be just as well

    @property
    def changes(self) -> bool:
        return self.op in CHANGING


def pick(units: Sequence[Unit], lexicon: Lexicon) -> Verb | None:
    """SOV: the verb at the end. SVO: an English verb, or any, in front. Else the one in between."""
    last, light = _before_tail(units)
    if last < 0:
        return _light_only(units, light)
    first = _first_content(units)
    if light is not None:
        return _under_light(units, last, first, light, lexicon)
    if _has_indic_verb(units[last]):
        return _verb(units, last)
    if units[first].is_a("verb"):
        return _verb(units, first)
    if units[last].is_a("verb"):
        return _verb(units, last)
    return _between(units) or _slipped(units, (last, first), lexicon) or _named(units)


def _before_tail(units: Sequence[Unit]) -> tuple[int, Unit | None]:
    """The last unit that is more than help (karo, do, please), and the light verb after it."""
    at, light = len(units) - 1, None
    while at >= 0:
        unit = units[at]
        if unit.is_a("light") and not unit.is_a("verb"):
            light = unit
        elif unit.kind not in _LOOSE and not (_is_help(unit)):
            break
        at -= 1
    return at, light


def _is_help(unit: Unit) -> bool:
    is_helping = unit.is_a("aux") or unit.is_a("filler")
    return is_helping and not unit.is_a("verb") and not unit.is_a("noun")


def _first_content(units: Sequence[Unit]) -> int:
    for at, unit in enumerate(units):
        if unit.kind not in _LOOSE and not (unit.is_a("filler") and not unit.is_a("verb")):
            return at
    return 0


def _has_indic_verb(unit: Unit) -> bool:
    return any(one.lang != "en" for one in unit.all("verb"))


def _under_light(
    units: Sequence[Unit], last: int, first: int, light: Unit, lexicon: Lexicon
) -> Verb | None:
    if units[last].is_a("verb"):
        return _verb(units, last, light)
    slipped = _slipped(units, (last,), lexicon, light)
    if slipped:
        return slipped
    if units[first].is_a("verb"):
        return _verb(units, first, light)
    return _between(units, light) or _light_only(units, light)


def _light_only(units: Sequence[Unit], light: Unit | None) -> Verb | None:
    if light is None:
        return None
    at = next(index for index, unit in enumerate(units) if unit is light)
    lang = _language(units, light.senses, light)
    return Verb(op=LIGHT_ONLY, at=at, lang=lang, is_exact=light.is_exact)


def _between(units: Sequence[Unit], light: Unit | None = None) -> Verb | None:
    """A verb in the middle, if there is only one."""
    places = [at for at, unit in enumerate(units) if unit.is_a("verb")]
    surely = [at for at in places if _has_indic_verb(units[at])] or [
        at for at in places if not units[at].is_a("noun")
    ]
    if not surely:
        return _verb(units, places[0], light) if len(places) == 1 else None
    verbs = [_verb(units, at, light) for at in surely]
    ops = tuple(dict.fromkeys(verb.op for verb in verbs))
    if len(ops) == 1:
        return verbs[0]
    return Verb(op=verbs[0].op, at=verbs[0].at, lang=verbs[0].lang, rivals=ops)


def _slipped(
    units: Sequence[Unit], places: tuple[int, ...], lexicon: Lexicon, light: Unit | None = None
) -> Verb | None:
    """A word where a verb should be that is a slip or two away from one."""
    for at in places:
        unit = units[at]
        if unit.kind != "word" or (unit.senses and unit.is_exact):
            continue
        senses = lexicon.verbs_near(unit.text.lower())
        if senses:
            lang = _language(units, senses, light)
            return Verb(op=senses[0].value, at=at, lang=lang, is_exact=False)
    return None


def _named(units: Sequence[Unit]) -> Verb | None:
    has_git = any(one.value == "GIT" for unit in units for one in unit.all("noun"))
    return Verb(op=NO_VERB, at=-1, lang="en") if has_git else None


def _verb(units: Sequence[Unit], at: int, light: Unit | None = None) -> Verb:
    senses = units[at].all("verb")
    if light is None and at + 1 < len(units) and units[at + 1].is_a("light"):
        light = units[at + 1]
    lang = _language(units, senses, light)
    fitting = (
        [one for one in senses if one.lang == lang]
        or [one for one in senses if one.lang == "en"]
        or list(senses)
    )
    ops = tuple(dict.fromkeys(one.value for one in fitting))
    rivals = ops if len(ops) > 1 else ()
    is_exact = units[at].is_exact and (light is None or light.is_exact)
    return Verb(op=ops[0], at=at, lang=lang, is_exact=is_exact, rivals=rivals)


def _language(units: Sequence[Unit], senses: Senses, light: Unit | None) -> str:
    """The language of the verb; among several the one the other words vote for."""
    votes = _votes(units)
    spoken = list(dict.fromkeys(one.lang for one in senses))
    if light is not None and spoken == ["en"]:
        spoken = list(dict.fromkeys(one.lang for one in light.all("light")))
    if spoken == ["en"]:
        indic = [lang for lang in LANGUAGES[1:] if votes[lang]]
        spoken = indic if indic and not votes["en"] else ["en"]
    return max(spoken, key=lambda lang: (votes[lang], -LANGUAGES.index(lang)))


def _votes(units: Sequence[Unit]) -> dict[str, int]:
    """A word that only one language has counts most; English nouns are everybody's."""
    votes = dict.fromkeys(LANGUAGES, 0)
    votes[""] = 0
    for unit in units:
        english = [one.kind for one in unit.senses if one.lang == "en"]
        if (english and all(kind in _LENT for kind in english)) or unit.text == "main":
            continue
        languages = {one.lang for one in unit.senses if one.kind not in ("verb", "kind")}
        for lang in languages:
            votes[lang] += 6 // len(languages)
    return votes
