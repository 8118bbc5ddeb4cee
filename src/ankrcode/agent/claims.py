"""Which answers claim that tests pass. Careful on purpose: hedged, negated, quoted or conditional
words are no claim. Words of Indian scripts stand in lists of their own: `\b` knows nothing of them.
"""

import re
from typing import Literal

from msgspec import Struct

Scope = Literal["some", "all", "full"]

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?\n।]|[.!?](?=\S))+[.!?।]?")

INDIC_SUBJECT = "टेस्ट|परीक्षण|चाचणी|चाचण्या|சோதனை|டெஸ்ட்|పరీక్ష|టెస్ట|ಪರೀಕ್ಷೆ|ಟೆಸ್ಟ್"
INDIC_VERB = "पास|सफल|उत्तीर्ण|यशस्वी|வெற்றி|பாஸ்|தேர்ச்சி|పాస్|విజయవంత|ఉత్తీర్ణ|ಪಾಸ್|ಯಶಸ್ವಿ|ಉತ್ತೀರ್ಣ"
_INDIC_FAILURE = "असफल|अयशस्वी|विफल|फेल|தோல்வி|ஃபெயில்|విఫల|ఫెయిల్|ವಿಫಲ|ಫೇಲ್"
# no, if, when, should, may, will; in order to, after, once upon a time, I think, please look
_INDIC_HEDGE = (
    "नहीं|अगर|यदि|जब|चाहिए|शायद|ताकि|होंगे|होंगी|जाए|सक|नाही|जर|तर|हव|पाहिजे|जेव्हा|कदाचित|होतील"
    "|இல்லை|வில்லை|ால்|வேண்டும்|போது|லாம்|கூடும்|பெறும்|ஆகும்|வும்"
    "|లేదు|లేవు|అయితే|ఉంటే|ాలి|వచ్చు|అవుతాయి|తాయి|ఒకవేళ|ండి"
    "|होने|करने|के लिए|पहले|(?<!\\S)थे(?!\\S)|उम्मीद|लगता|कृपया|झाल्यावर|ण्यासाठी|पाहा|वाटत"
    "|(?<!\\S)का(?!\\S)|பிறகு|றதா|னவா|பாருங்கள்|நினைக்கிற|అనుకుం|తాయని|తర్వాత|డానికి"
    "|ಆಗಲು|ವೆಯೇ|ನೋಡಿ|ನಂತರ|ಭಾವಿಸ"
    "|ಇಲ್ಲ|(?<!ಎ)ಲ್ಲ|ದರೆ|ಬೇಕು|ಬಹುದು|ುತ್ತವೆ|ಯಾವಾಗ|ಿಸಿ(?=[.।]|$)"
)
_SUBJECT = (
    r"(?:tests?|specs?|test[- ]?suite|suite|pytest|vitest|jest|mocha|rspec|phpunit|ctest|tox"
    r"|pruebas|testes)"
)
# `tests pass a value on` is another word: what follows must end the thought.
_END = (
    r"(?=\s*(?:$|[^\w\s'\"<{]|(?:now|again|successfully|with|and|locally|cleanly|after|in|on|too"
    r"|also|under|for|ho|hain|here|fine|both)\b))"
)
_VERB = (
    rf"(?:pass(?:es|ed|ing|ent)?{_END}|succeed(?:s|ed)?|bestehen|bestanden|pasan|pasaron"
    r"|passam|laufen durch)"
)
# A button may be green, too: between tests and their colour stand only small words.
_GREEN = (
    r"(?:[\s`'\"*:–-]|\b(?:are|is|were|was|all|now|again|runs?|results?|suites?|back|still|stays?"
    r"|remains?|fully|both|sind|ist|wieder|alle|jetzt|ok|hain|ab|abhi)\b)*\b(?:green|grün)"
)
_WELL = r"(?:successfully|cleanly|fine)"
_CLAIM = re.compile(
    rf"(?<![\w/.-]){_SUBJECT}\b[^;]{{0,80}}?\b{_VERB}(?!\w)"
    rf"|(?<![\w/.-]){_SUBJECT}\b{_GREEN}(?!\w)"
    rf"|\b[\w./:\\-]*(?:test|spec)[\w./:\\-]*(?:[^;]{{0,40}}?\b{_VERB}|{_GREEN})(?!\w)"
    rf"|(?:{INDIC_SUBJECT}|{_SUBJECT})[^;]{{0,60}}?(?:{INDIC_VERB})"
    rf"|\b[1-9]\d*(?:/\d+)? (?:tests? )?(?:passed|passing)\b"
    rf"|\bpass(?:es|ed|ing)? (?:all|every|the)\b[^;]{{0,30}}\btests?\b"
    rf"|\btests?\b[^;]{{0,30}}\b(?:ran|completed|finished)\b[^;]{{0,15}}\b{_WELL}"
    rf"|\bran\b[^;]{{0,20}}\b(?:tests?|suite)\b[^;]{{0,15}}\b{_WELL}"
    rf"|\bgreen (?:tests?|suite|test[- ]suite|test runs?)\b"
    rf"|\b(?:everything|all) (?:is |are )?(?:green|passes|passing)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:no|0|zero|without(?: any)?) "
    r"(?:failures?|failed|failing(?: tests?)?|errors?|regressions?|skipped)\b"
    r"|\bno longer fails?\b|\bnot only\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:should|would|could|will|may|might|must|once|if|when|until|unless|whether|ensure|verify"
    r"|expect\w*|hopefully|please|so that|needs?|want|not|never|no|none|nothing|without|unable"
    r"|cannot|fails?|failed|failing|failures?|broken|red|skip\w*|untested|unverified|assum\w*|believe"
    r"|think|likely|probably|previously|earlier|before|used to|make sure|checks? (?:that|if)"
    r"|to (?:make|let|have|get|see|be|confirm|check)|according to|in version"
    r"|says?|claims?|states?|badge|criteri\w+|definition of|tests? to pass"
    r"|you (?:say|said|pasted|sent|showed|posted|wrote)|your (?:log|readme|output|report|ci)"
    r"|(?:after|as soon as) (?:all |the |your )*tests? (?:pass|succeed)"
    r"|(?:logs?|reports?|outputs?|build|pipeline|history) (?:shows?|lists?|reports?|records?|reads)"
    r"|means?|ought|next(?= step|:)|goal|aim\w*|try|trying|suggest\w*|recommend\w*|todo|yet|almost"
    r"|most|some|only"
    r"|nahin?|nahi|agar|jab|jaa?y?enge|honge|hoga|lagta|umm?eed|pehle|karne ke|dekho|kya|"
    r"nicht|wenn|falls|sollten?|pas|si|cuando|deber\w*|não|quando)\b"
    rf"|n't\b|\?|{_INDIC_FAILURE}|{_INDIC_HEDGE}"
    r"|\b(?:is|are|was|were|be|being|been) passed\b"  # an argument is
    r"|^\W*(?:\d+[.)]\s*)?(?:run|check|confirm|execute|make|get|let|fix)\b"  # said to the person
    r"|\[ \]",  # not ticked off
    re.IGNORECASE,
)
# A table explains words as often as it tells results.
_EXPLAINS = re.compile(r"^\|(?!.*(?:\d|\ball\b))", re.IGNORECASE)
_FULL = re.compile(
    r"\b(?:full|whole|entire|complete)\b[^;]{0,25}\b(?:suite|tests?)\b", re.IGNORECASE
)
_ALL_WORD = r"(?:all|every|each|alle|tous les|todas las|todos (?:os|los)|saa?re|sab|sabhi)"
_RESTRICTS = "of|for|from|under|that|which|related|there|I|we"
# `all login tests` are not all of them.
_ALL = re.compile(
    rf"\b{_ALL_WORD}(?: of| ke)?(?: (?:the|our|your|existing|project|project's|\d[\d,]*))*"
    rf" {_SUBJECT}\b(?! (?:in (?!the (?:suite|repo|project|code))|{_RESTRICTS})\b)"
    r"|\b(?:tests?|specs?)(?: (?:are|is|were|have|now))* all\b|\beverything\b"
    r"|\ball (?:is |are )?(?:green|pass)"
    r"|(?:^|\b(?:the|our|my) |[:–-] ?)(?:test[- ]?)?suite\b"
    rf"|(?:सभी|सारे|सर्व|सगळ\S*|எல்லா|அனைத்து|అన్ని|ಎಲ್ಲ\S*)\s+(?:{INDIC_SUBJECT}|{_SUBJECT})",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[\w./:\\-]*(?:tests?|specs?)[\w./:\\-]*", re.IGNORECASE)
_PLAIN = re.compile(
    r"(?:unit|integration|e2e|smoke|regression|end-to-end|acceptance|new|the)?[-:]?"
    r"(?:tests?|specs?|test-?suites?|testing|tested|tester|pytest|unittest|vitest|ctest|phpunit"
    r"|rspec|gotestsum|nextest|doctests?|testcases?|unittests?|testes)[.:;,]*",
    re.IGNORECASE,
)


_FAILURE = re.compile(
    r"\bfail|broken|\bred\b|\berrors?\b|\btim(?:ed|es) out\b|\bnot installed\b|\bunavailable\b"
    rf"|\b(?:could not|couldn't|cannot|can't|unable to)(?: be)? run\b|{_INDIC_FAILURE}",
    re.IGNORECASE,
)


class Claim(Struct, frozen=True, kw_only=True):
    """One sentence that says tests pass, and which."""

    sentence: str
    scope: Scope = "some"
    names: tuple[str, ...] = ()
    is_counted: bool = False  # `all 4 tests` are those four

    @property
    def is_plain(self) -> bool:
        """All of them, whatever they are."""
        return self.scope == "all" and not self.names and not self.is_counted


def claims_in(answer: str) -> list[Claim]:
    text = _QUOTED.sub("", _FENCED.sub("", answer))
    return [claim for one in _SENTENCE.finditer(text) if (claim := _claim(one[0].strip()))]


def admits_failures(answer: str, claims: list[Claim]) -> bool:
    """Does the rest of the answer say that something fails?"""
    rest = answer
    for claim in claims:
        rest = rest.replace(claim.sentence, "")
    return _FAILURE.search(rest) is not None


def _claim(sentence: str) -> Claim | None:
    bare = _HARMLESS.sub("cleanly", re.sub(r"[*`]", "", sentence))
    if not _CLAIM.search(bare) or _HEDGE.search(_unnamed(bare)) or _EXPLAINS.search(bare):
        return None
    scope: Scope = "full" if _FULL.search(bare) else "all" if _ALL.search(bare) else "some"
    counted = re.search(r"\d (?:tests?|specs?)\b", bare) is not None
    return Claim(sentence=sentence, scope=scope, names=tuple(_names(bare)), is_counted=counted)


def _names(sentence: str) -> list[str]:
    """Files and tests that the sentence names; the word `tests` alone is no name."""
    found = (one[0].strip(".:-") for one in _NAMED.finditer(sentence))
    return [one for one in found if not _PLAIN.fullmatch(one)]


def _unnamed(sentence: str) -> str:
    """A test's name may hold any word (`test_will_not_fail`) and hedges nothing."""
    for name in _names(sentence):
        sentence = sentence.replace(name, "")
    return sentence
