"""Which answers claim that tests pass. Careful on purpose: hedged, negated, quoted or conditional
words are no claim."""

import re
from typing import Literal

from msgspec import Struct

Scope = Literal["some", "all", "full"]

_HINT = re.compile(r"test|spec|suite|green|passed|passing|टेस्ट|परीक्षण|prueba", re.IGNORECASE)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?\n।]|[.!?](?=\S))+[.!?।]?")

_SUBJECT = (
    r"(?:tests?|specs?|test[- ]?suite|suite|pytest|vitest|jest|mocha|rspec|phpunit|ctest|tox"
    r"|टेस्ट|परीक्षण|pruebas|testes)"
)
# `tests pass a value on` is another word: what follows must end the thought.
_END = (
    r"(?=\s*(?:$|[^\w\s'\"<{]|(?:now|again|successfully|with|and|locally|cleanly|after|in|on|too"
    r"|also|under|for|ho|hain|here|fine|both)\b))"
)
_VERB = (
    rf"(?:pass(?:es|ed|ing|ent)?{_END}|succeed(?:s|ed)?|green|bestehen|bestanden|grün|pasan|pasaron"
    r"|passam|laufen durch|पास|सफल)"
)
_CLAIM = re.compile(
    rf"(?<![\w/.-]){_SUBJECT}\b[^;]{{0,80}}?\b{_VERB}(?!\w)"
    rf"|\b[\w./:\\-]*(?:test|spec)[\w./:\\-]*[^;]{{0,40}}?\b{_VERB}(?!\w)"
    rf"|{_SUBJECT}[^;]{{0,60}}?(?:पास|सफल)"
    rf"|\b[1-9]\d*(?:/\d+)? (?:tests? )?(?:passed|passing)\b"
    rf"|\bpass(?:es|ed|ing)? (?:all|every|the)\b[^;]{{0,30}}\btests?\b"
    rf"|\bgreen\b[^;]{{0,20}}\b(?:test|suite|run)"
    rf"|\b(?:everything|all) (?:is |are )?(?:green|passes|passing)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:no|0|zero|without(?: any)?) (?:failures?|errors?|failing tests?|regressions?)\b"
    r"|\bno longer fails?\b|\bnot only\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:should|would|could|will|may|might|must|once|if|when|until|unless|whether|ensure|verify"
    r"|expect\w*|hopefully|please|so that|needs?|want|not|never|no|none|nothing|without|unable"
    r"|cannot|fails?|failed|failing|failures?|broken|red|skip\w*|untested|unverified|assum\w*|believe"
    r"|think|likely|probably|previously|earlier|before|used to|make sure"
    r"|to (?:make|let|have|get|see|be)"
    r"|goal|aim\w*|try|trying|suggest\w*|recommend\w*|next step|todo|yet|almost|most|some|only"
    r"|nahin?|nahi|agar|jab|nicht|wenn|falls|sollten?|pas|si|cuando|deber\w*|não|quando)\b"
    r"|n't\b|\?|नहीं|अगर|यदि|जब|चाहिए",
    re.IGNORECASE,
)
_FULL = re.compile(
    r"\b(?:full|whole|entire|complete)\b[^;]{0,25}\b(?:suite|tests?)\b", re.IGNORECASE
)
_ALL = re.compile(r"\b(?:all|every|everything|suite|alle|tous|todas|todos|saare)\b|सभी|सारे", re.I)
_NAMED = re.compile(r"[\w./:\\-]*(?:tests?|specs?)[\w./:\\-]*", re.IGNORECASE)
_PLAIN = re.compile(
    r"(?:unit|integration|e2e|smoke|regression|end-to-end|acceptance|new|the)?[-:]?"
    r"(?:tests?|specs?|test-?suites?|testing|tested|tester|pytest|unittest|vitest|ctest|phpunit"
    r"|rspec|gotestsum|nextest|doctests?|testcases?|unittests?|testes)[.:;,]*",
    re.IGNORECASE,
)


class Claim(Struct, frozen=True, kw_only=True):
    """One sentence that says tests pass, and which."""

    sentence: str
    scope: Scope = "some"
    names: tuple[str, ...] = ()


def may_claim(text: str) -> bool:
    """A quick look: most answers say nothing of the kind."""
    return _HINT.search(text) is not None


def claims_in(answer: str) -> list[Claim]:
    text = _QUOTED.sub("", _FENCED.sub("", answer))
    return [claim for one in _SENTENCE.finditer(text) if (claim := _claim(one[0].strip()))]


def admits_failures(answer: str, claims: list[Claim]) -> bool:
    """Does the rest of the answer say that something fails?"""
    rest = answer
    for claim in claims:
        rest = rest.replace(claim.sentence, "")
    return re.search(r"\bfail|broken|\bred\b|\berrors?\b|विफल", rest, re.IGNORECASE) is not None


def _claim(sentence: str) -> Claim | None:
    bare = _HARMLESS.sub("", re.sub(r"[*`]", "", sentence))
    if not _CLAIM.search(bare) or _HEDGE.search(_unnamed(bare)):
        return None
    scope: Scope = "full" if _FULL.search(bare) else "all" if _ALL.search(bare) else "some"
    return Claim(sentence=sentence, scope=scope, names=tuple(_names(bare)))


def _names(sentence: str) -> list[str]:
    """Files and tests that the sentence names; the word `tests` alone is no name."""
    found = (one[0].strip(".:-") for one in _NAMED.finditer(sentence))
    return [one for one in found if not _PLAIN.fullmatch(one)]


def _unnamed(sentence: str) -> str:
    """A test's name may hold any word (`test_will_not_fail`) and hedges nothing."""
    for name in _names(sentence):
        sentence = sentence.replace(name, "")
    return sentence
