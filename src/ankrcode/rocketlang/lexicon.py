"""The words of the languages, loaded when a sentence needs them, and what each can mean."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct, field

from ankrcode.rocketlang.fuzzy import consonants, distance, letters, slips_allowed, sound
from ankrcode.rocketlang.names import names

LANGUAGES = ("en", "hi", "mr", "ta", "te", "kn")
CHANGING = frozenset(
    (
        *("WRITE", "CREATE", "ADD", "REPLACE", "DELETE", "RUN", "CHECK", "MOVE", "COPY", "COMMIT"),
        *("PUSH", "PULL", "STAGE", "CHECKOUT", "UNDO", "REDO", "REMEMBER", "CALL"),
    )
)
Forms = dict[str, str]
SHORTEST_SLIP = 4  # a slip in a shorter word could make it anything


class Words(Struct, frozen=True, kw_only=True):
    """One language's file: what means what, each a list with commas between the forms."""

    verbs: Forms
    light: str
    aux: str
    fillers: str
    markers: Forms
    nouns: Forms
    joiners: Forms
    pronouns: str
    negation: str
    questions: str
    statements: str
    kinds: Forms
    numbers: Forms
    ordinals: Forms
    suffixes: Forms
    prepositions: Forms = {}
    ordinal_endings: str = ""
    negative_endings: str = ""
    statement_endings: str = ""
    tell: dict[str, Forms] = {}  # script → tool → what would be done
    faults: dict[str, Forms] = {}  # script → code → what is wrong


class Sense(Struct, frozen=True):
    """One thing a word can be: a verb of the operation `value`, a marker of the role `value` …"""

    kind: str
    value: str
    lang: str


Senses = tuple[Sense, ...]


class Inflection(Struct, frozen=True):
    """How verbs of one language end when they forbid or tell instead of asking."""

    guard: str  # negation or statement
    lang: str
    endings: tuple[str, ...]
    stems: frozenset[str]

    def covers(self, word: str) -> bool:
        return word.endswith(self.endings) and any(
            word.endswith(ending) and self._has_stem(word[: -len(ending)], ending)
            for ending in self.endings
        )

    def _has_stem(self, head: str, ending: str) -> bool:
        """The longer the ending, the less of the verb must be left: oda-beda."""
        is_long = len(ending) >= _LONG_ENDING - (not ending.isascii())
        shortest = _SHORTEST_STEM if is_long else _SHORTEST_STEM + 1
        return any(head[:length] in self.stems for length in range(len(head), shortest - 1, -1))


Phrases = dict[str, list[tuple[tuple[str, ...], Senses]]]  # by their first word
VerbForms = dict[int, list[tuple[str, str, int, Senses]]]  # length of the key → form, key, letters


class Lexicon(Struct):
    """What words mean in some of the languages together."""

    forms: dict[str, Senses] = field(default_factory=dict)
    phrases: Phrases = field(default_factory=dict)
    suffixes: dict[str, tuple[str, str]] = field(default_factory=dict)  # ending → role, language
    ordinal_endings: frozenset[str] = frozenset()
    inflections: list[Inflection] = field(default_factory=list)
    _sounds: dict[str, Senses] | None = None
    _sound_phrases: Phrases | None = None
    _lights: dict[str, Senses] | None = None
    _verbs: VerbForms | None = None

    def senses(self, word: str) -> Senses:
        return self.forms.get(word, ())

    def phrases_sounding_like(self, word: str) -> list[tuple[tuple[str, ...], Senses]]:
        """Verbs of several words whose first sounds so, each word as its sound."""
        if self._sound_phrases is None:
            self._sound_phrases = _phrases_by_sound(self.phrases)
        return self._sound_phrases.get(sound(word), [])

    def sounding_like(self, word: str) -> Senses:
        """Senses of the words that are only spelled otherwise."""
        if self._sounds is None:
            self._sounds = _by_sound(self.forms)
        return self._sounds.get(sound(word), ())

    def verbs_near(self, word: str) -> Senses:
        """The one operation that a few slips away from `word` is a verb; several are none."""
        if len(word) < SHORTEST_SLIP - (not word.isascii()):
            return ()
        ranked = sorted(self._ranked(word), key=lambda entry: entry[0])
        found = [one for rank, senses in ranked if rank == ranked[0][0] for one in senses]
        return tuple(found) if len({one.value for one in found}) == 1 else ()

    def lights_near(self, word: str) -> Senses:
        """`kro`, `karoo`: the help of a verb, with a slip."""
        if self._lights is None:
            self._lights = {
                form: tuple(one for one in senses if one.kind == "light")
                for form, senses in self.forms.items()
                if len(form) >= SHORTEST_SLIP and any(one.kind == "light" for one in senses)
            }
        return next((s for form, s in self._lights.items() if distance(word, form, 1) <= 1), ())

    def verbs_around(self, word: str) -> Iterator[tuple[int, str, Senses]]:
        """Verbs that are worth a question: how far, spelled how, meaning what."""
        key = sound(word)
        limit = min(3, len(key) // 2)
        for form, form_key, senses in self._within(key, limit):
            away = distance(key, form_key, limit)
            if away <= limit:
                yield away, form, senses

    def _ranked(self, word: str) -> Iterator[tuple[tuple[int, bool, int], Senses]]:
        """Verbs within reach: by slips in the sound, then the consonants kept, then the letters."""
        key = sound(word)
        limit = slips_allowed(key)
        for form, form_key, senses in self._within(key, limit):
            spelled = distance(word, form, 2 * limit)
            away = min(distance(key, form_key, limit), spelled)
            if away <= limit:
                is_other = consonants(form_key) != consonants(key)
                yield (away, is_other, spelled), senses

    def _within(self, key: str, limit: int) -> Iterator[tuple[str, str, Senses]]:
        """Verbs that may lie so near, by their length and letters: cheap, and few are left."""
        if self._verbs is None:
            self._verbs = _verb_forms(self.forms)
        of_key = letters(key)
        for length in range(len(key) - limit, len(key) + limit + 1):
            for form, form_key, mask, senses in self._verbs.get(length, ()):
                if (of_key ^ mask).bit_count() <= 2 * limit:
                    yield form, form_key, senses


def _verb_forms(forms: dict[str, Senses]) -> VerbForms:
    found: VerbForms = {}
    for form, senses in forms.items():
        verbs = tuple(one for one in senses if one.kind == "verb" and one.value != "HELP")
        if verbs:
            key = sound(form)
            found.setdefault(len(key), []).append((form, key, letters(key), verbs))
    return found


def _phrases_by_sound(phrases: Phrases) -> Phrases:
    found: Phrases = {}
    for entries in phrases.values():
        for words, senses in entries:
            verbs = tuple(one for one in senses if one.kind == "verb")
            if verbs:
                keys = tuple(sound(word) for word in words)
                found.setdefault(keys[0], []).append((keys, verbs))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


def _by_sound(forms: dict[str, Senses]) -> dict[str, Senses]:
    found: dict[str, Senses] = {}
    for form, senses in forms.items():
        key = sound(form)
        found[key] = found.get(key, ()) + senses
    return found


@cache
def words_of(language: str) -> Words:
    """The file of one language."""
    file = Path(__file__).parent / "words" / f"{language}.json"
    return msgspec.json.decode(file.read_bytes(), type=Words)


@cache
def lexicon_for(languages: tuple[str, ...]) -> Lexicon:
    """What words mean where these languages may be spoken."""
    lexicon = Lexicon()
    endings: list[str] = []
    for language in languages:
        words = words_of(language)
        for kind, value, forms in _entries(words):
            _add(lexicon, forms, Sense(kind, value, language))
        for role, forms in words.suffixes.items():
            for form in split(forms):
                lexicon.suffixes.setdefault(form, (role, language))
        endings += split(words.ordinal_endings)
        lexicon.inflections += _inflections(words, language)
    lexicon.ordinal_endings = frozenset(endings)
    for word in names().noes:
        lexicon.forms.setdefault(word, (Sense("negation", "", ""),))
    for entries in lexicon.phrases.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return lexicon


def _entries(words: Words) -> Iterator[tuple[str, str, str]]:
    """All of a file as kind, value, forms."""
    for kind, table in (
        ("verb", words.verbs), ("marker", words.markers), ("prep", words.prepositions),
        ("noun", words.nouns), ("join", words.joiners), ("kind", words.kinds),
        ("number", words.numbers), ("ordinal", words.ordinals),
    ):  # fmt: skip
        for value, forms in table.items():
            yield kind, value, forms
    yield "light", "", words.light
    yield "aux", "", words.aux
    yield "filler", "", words.fillers
    yield "pronoun", "", words.pronouns
    yield "negation", "", words.negation
    yield "question", "", words.questions
    yield "statement", "", words.statements


def _add(lexicon: Lexicon, forms: str, sense: Sense) -> None:
    for form in split(forms):
        first, _, rest = form.partition(" ")
        if rest:
            _add_phrase(lexicon, (first, *rest.split(" ")), sense)
        else:
            lexicon.forms[form] = (*lexicon.forms.get(form, ()), sense)


def _add_phrase(lexicon: Lexicon, words: tuple[str, ...], sense: Sense) -> None:
    entries = lexicon.phrases.setdefault(words[0], [])
    for at, (there, senses) in enumerate(entries):
        if there == words:
            entries[at] = (there, (*senses, sense))
            return
    entries.append((words, (sense,)))


_STEM_LEFT = 3  # how much of a verb may be cut off before an ending is put on
_SHORTEST_STEM = 2
_LONG_ENDING = 4


def _inflections(words: Words, language: str) -> Iterator[Inflection]:
    forms = [
        form for table in (*words.verbs.values(), words.light, words.aux) for form in split(table)
    ]
    stems = frozenset(
        form[:length]
        for form in forms
        for length in range(max(_SHORTEST_STEM, len(form) - _STEM_LEFT), len(form) + 1)
    )
    for guard, endings in (
        ("negation", words.negative_endings),
        ("statement", words.statement_endings),
    ):
        if endings:
            yield Inflection(guard, language, tuple(split(endings)), stems)


def split(forms: str) -> list[str]:
    """The forms of a list. They are spelled as `normalise` leaves a sentence; a test sees to it."""
    return [form.strip() for form in forms.lower().split(",") if form.strip()]
