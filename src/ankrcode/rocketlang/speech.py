"""Faults and questions, said in the speaker's language and script."""

from ankrcode.rocketlang.faults import Fault
from ankrcode.rocketlang.lexicon import words_of
from ankrcode.rocketlang.pieces import pieces
from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.reading import Reading
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.words import advice, say

_TRIED = 5  # forms for each word that may be misspelled


def language_of(reading: Reading) -> str:
    """The catalogue to speak from: `hi` in Devanagari, `hi-Latn` in Latin letters."""
    if reading.lang == "en" or reading.script == "native":
        return reading.lang
    return f"{reading.lang}-Latn"


def fault_text(fault: Fault, *, line: int = 0, language: str = "en") -> str:
    """The message, with its line in a script of several, and what may have been meant."""
    text = fault.message
    if line:
        text = say("rl_at_line", language=language, line=line, message=text)
    if not fault.suggestions or all(one in text for one in fault.suggestions):
        return text
    names = " / ".join(fault.suggestions)
    return f"{text} {say('rl_did_you_mean', language=language, names=names)}"


def unsure_text(text: str, reading: Reading, place: Place | None = None) -> str:
    """What was only nearly understood, what it would have done, and how to say it exactly."""
    language = language_of(reading)
    exact = exact_sentence(text, reading, place)
    values = {"text": text, "explain": reading.explain, "exact": exact}
    key = "rl_confirm_headless.exact" if exact else "rl_confirm_headless"
    return f"{say(key, language=language, **values)} {advice(key, language=language, **values)}"


def exact_sentence(text: str, reading: Reading, place: Place | None = None) -> str:
    """The same with its verb spelled as it is known; empty where no one word does it."""
    from difflib import get_close_matches  # only who is not sure pays for it

    rank = {  # the usual forms first
        form: place_in_row
        for row in words_of(reading.lang).verbs.values()
        for place_in_row, form in enumerate(row.split(", "))
    }
    for piece in pieces(text):
        if piece.is_quoted:
            continue
        near = get_close_matches(piece.text.lower(), rank, n=_TRIED, cutoff=0.6)
        for form in sorted(near, key=rank.__getitem__):
            said = f"{text[: piece.start]}{form}{text[piece.end :]}"
            found = read_sentence(said, place)
            if found.calls and found.calls == reading.calls and not found.confirm:
                return said
    return ""
