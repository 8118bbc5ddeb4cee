"""Tokens as units of meaning: what every word can be, phrases taken together."""

from msgspec import Struct, structs

from ankrcode.rocketlang.fuzzy import sound
from ankrcode.rocketlang.lexicon import Lexicon, Sense, Senses
from ankrcode.rocketlang.normalise import is_indic
from ankrcode.rocketlang.shapes import is_name
from ankrcode.rocketlang.tokens import Token

# `math` is no `mat`, `kyaa` may be a name: what refuses must be spelled, or be long.
_EXACT_ONLY = ("question", "statement", "negation")
_SHORTEST_SOUND = 3  # shorter words sound like too many others
# What a noun may end in before its case ending: कोப்பு → கோப்பில், ಫೋಲ್ಡರ್ → ಫೋಲ್ಡರಿನಲ್ಲಿ.
_RESTORED = ("", "்", "ು", "ు", "ு", "್", "్", "ம்")


class Unit(Struct, frozen=True, kw_only=True):
    """One token or phrase, and all it can mean."""

    kind: str
    text: str
    start: int
    end: int
    senses: Senses = ()
    is_exact: bool = True  # spelled as in the lexicon, not only sounding like it

    def all(self, kind: str) -> Senses:
        return tuple(one for one in self.senses if one.kind == kind)

    def is_a(self, kind: str) -> bool:
        return any(one.kind == kind for one in self.senses)


def tag(tokens: list[Token], lexicon: Lexicon) -> list[Unit]:
    units: list[Unit] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind != "word":
            units.append(_plain(token))
            at += 1
            continue
        phrase = _phrase(tokens, at, lexicon)
        if phrase:
            units.append(phrase[0])
            at += phrase[1]
            continue
        units.extend(_word(token, lexicon))
        at += 1
    return _with_lights(units, lexicon)


def _with_lights(units: list[Unit], lexicon: Lexicon) -> list[Unit]:
    """A word behind a verb that is nearly `karo` is it, though not surely."""
    for at in range(1, len(units)):
        unit = units[at]
        if unit.kind == "word" and not unit.senses and units[at - 1].is_a("verb"):
            senses = lexicon.lights_near(unit.text.lower())
            units[at] = structs.replace(unit, senses=senses, is_exact=not senses)
    return units


def _plain(token: Token) -> Unit:
    return Unit(kind=token.kind, text=token.text, start=token.start, end=token.end)


def _phrase(tokens: list[Token], at: int, lexicon: Lexicon) -> tuple[Unit, int] | None:
    """The longest phrase that starts here; verbs also by their sound, then not surely."""
    for words, senses in lexicon.phrases.get(tokens[at].key, ()):
        taken = tokens[at : at + len(words)]
        if tuple(one.key for one in taken if one.kind == "word") == words:
            return _together(taken, senses, is_exact=True), len(words)
    for sounds, senses in lexicon.phrases_sounding_like(tokens[at].key):
        taken = tokens[at : at + len(sounds)]
        if tuple(sound(one.key) for one in taken if one.kind == "word") == sounds:
            return _together(taken, senses, is_exact=False), len(sounds)
    return None


def _together(taken: list[Token], senses: Senses, *, is_exact: bool) -> Unit:
    return Unit(
        kind="word",
        text=" ".join(one.text for one in taken),
        start=taken[0].start,
        end=taken[-1].end,
        senses=senses,
        is_exact=is_exact,
    )


def _word(token: Token, lexicon: Lexicon) -> list[Unit]:
    senses = lexicon.senses(token.key)
    if senses:
        return [_unit(token, senses)]
    if token.key in lexicon.suffixes:  # cut off from the word before
        role, language = lexicon.suffixes[token.key]
        return [_unit(token, (Sense("marker", role, language),))]
    inflected = _inflected(token.key, lexicon)
    if inflected:
        return [_unit(token, inflected)]
    joined = _joined(token, lexicon)
    if joined:
        return joined
    if len(token.key) >= _SHORTEST_SOUND and not is_name(token.text):
        senses = lexicon.sounding_like(token.key)
        likely = tuple(one for one in senses if one.kind not in _EXACT_ONLY)
        return [_unit(token, likely, is_exact=False)]
    return [_unit(token, ())]


def _unit(token: Token, senses: Senses, *, is_exact: bool = True) -> Unit:
    return Unit(
        kind="word",
        text=token.text,
        start=token.start,
        end=token.end,
        senses=senses,
        is_exact=is_exact,
    )


def _inflected(word: str, lexicon: Lexicon) -> Senses:
    """A verb in a form that forbids (நீக்காதே, tolaginchavaddu) or tells (tolaginchanu)."""
    found = (Sense(one.guard, "", one.lang) for one in lexicon.inflections if one.covers(word))
    first = next(found, None)
    return (first,) if first else ()


def _joined(token: Token, lexicon: Lexicon) -> list[Unit]:
    """A noun with its case ending: फोल्डरमध्ये, கோப்புறையில், ఫైల్లో."""
    word = token.key
    for length in range(min(len(word) - 2, 10), 0, -1):
        found = lexicon.suffixes.get(word[-length:])
        noun = _noun(word[:-length], lexicon) if found else ()
        if found and noun:
            marker = Sense("marker", found[0], found[1])
            return [_unit(token, noun), _unit(token, (marker,))]
    return []


def _noun(stem: str, lexicon: Lexicon) -> Senses:
    endings = _RESTORED if is_indic(stem[-1:] or " ") else ("",)
    for ending in endings:
        kept = tuple(one for one in lexicon.senses(stem + ending) if one.kind in ("noun", "kind"))
        if kept:
            return kept
    return ()
