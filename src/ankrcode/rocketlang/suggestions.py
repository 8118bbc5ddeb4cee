"""What may have been meant: at most three verbs near a word that is none."""

from collections.abc import Sequence

from ankrcode.rocketlang.faults import Voice
from ankrcode.rocketlang.lexicon import Lexicon, split, words_of
from ankrcode.rocketlang.tags import Unit

_MOST = 3
_SHORT = 3  # a shorter word is near too many


def suggestions(units: Sequence[Unit], lexicon: Lexicon, voice: Voice) -> tuple[str, ...]:
    """Verbs in the script of the sentence, nearest first, the speaker's own language first."""
    words = [unit.text.lower() for unit in units if unit.kind == "word" and not unit.senses]
    found: dict[str, tuple[int, bool, str]] = {}  # the best form of each operation
    for word in dict.fromkeys(word for word in (*words[-1:], *words[:1]) if len(word) > _SHORT):
        for away, form, senses in lexicon.verbs_around(word):
            if form.isascii() != word.isascii():
                continue
            for one in senses:
                rank = (away, one.lang != voice.lang, form)
                found[one.value] = min(found.get(one.value, rank), rank)
    return tuple(form for _, _, form in sorted(found.values())[:_MOST])


def usual_form(op: str, voice: Voice) -> str:
    """The first form of a verb in the speaker's language and script."""
    said = words_of(voice.lang).verbs.get(op) or words_of("en").verbs.get(op) or op
    forms = split(said)
    is_roman = voice.script == "roman"
    return next((form for form in forms if form.isascii() == is_roman), forms[0])
