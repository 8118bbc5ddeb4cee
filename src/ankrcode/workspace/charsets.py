"""Guessing the legacy encoding of text that is not Unicode, by the letters it would hold.

Each candidate decodes a sample; what people of that script really write scores, what nobody writes
costs. A guess is certain only with enough evidence and a clear lead over every other reading.
"""

import codecs
import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import islice, pairwise
from typing import Literal

from msgspec import Struct

SAMPLE_BYTES = 64 * 1024
_MOST_RUNS, _LONGEST_RUN = 500, 40  # looked at: enough for any certainty, and a bound on time
_ENOUGH, _ENOUGH_PAIRS = 12, 4  # letters that make a guess certain, pairs that are no accident
_GOOD, _VERY_GOOD, _LEAD = 0.4, 0.6, 0.12

_MARKS = frozenset(
    "“”‘’„‚–—…«»©®°±§€£µ·×²³½¼\u00a0¿¡№、。，．：；！？「」『』（）《》〈〉【】・～　％＝＋"
)
_WESTERN = (
    "éèêëàâçîïôùûœæÿÉÈÊÀÂÇÎÔŒ",  # French
    "äöüßÄÖÜé",  # German
    "áéíóúñüçàèòïÁÉÍÓÚÑÜÇÀÈÒ¿¡ªº",  # Spanish, Catalan
    "ãõáâàçéêíóôúüÃÕÁÂÀÇÉÊÍÓÔÚªº",  # Portuguese
    "àèéìíòóùúÀÈÉÌÒÙ",  # Italian
    "åäöøæéÅÄÖØÆÉ",  # of the north
    "áéíóúýþðæöÁÉÍÓÚÝÞÐÆÖ",  # Icelandic
    "éèëïöüÉËÏÖÜ",  # Dutch
)
_MIXED = "".join(_WESTERN)  # of several, or of others that are rare
_CENTRAL = "ąćęłńóśźżáčďéěíňřšťúůýžőűöüĄĆĘŁŃŚŹŻČŘŠŽÁÉŐŰ"
_CROATIAN = "čćžšđČĆŽŠĐ"
_ROMANIAN = "ăâîşţĂÂÎŞŢ"
_BALTIC = "ąčęėįšųūžāēģīķļņõäöüĄČĘĖĮŠŲŪŽĀĒĢĪĶĻŅÕÄÖÜ"
_TURKISH = "ğışİüöçâĞŞÜÖÇ"
# Alphabets by how often a letter is written: that tells one from another in the same bytes.
_OFTEN, _NOT_RARE = 10, 20
_CYRILLIC = "оеаинтсрвлкмдпуяызьбгчйхжшюцщэфъёіїєґ"
_GREEK = "αοιετσνηυρπκμλωςδγάίόέχήθύφώβξζψ"
_HEBREW = "יהולאתברמשנקדםחפעטגצסכןזךף"
_ARABIC = "اليمونرتبةعدسفهكقحجشطصخأإىضذثزءغظؤئآ"
_THAI = "ารนกอเงม่ย้ลวดทัตสิบปีคหแจชพุใไะำโ็ขผซถธณษญศภื์"
_CHINESE = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前"
    "這個們來為國說時會對於著過發後裡種經麼學現當沒動還進樣開實變從無兩與讀檔設測試數據文件函返回值"
)
_KOREAN = (
    "이다는을에의가고하은한지기로를사서도리어자시스대들나만일인아수해정있그전부게여으과보제면입니"
)
_JAPANESE = (
    "のはをにがでとしたているますれなさんこあもかっらりどけよそくうきつえわやみせねへー日本人一中"
)


class Guess(Struct, frozen=True, kw_only=True):
    encoding: str
    is_certain: bool


class _Charset(Struct, frozen=True):
    """One candidate: a codec, what some people write in it, and what kind of writing that is."""

    encoding: str
    usual: str
    kind: Literal["western", "latin", "alphabet", "wide"]
    rows: tuple[str, int, int] | None = None  # of a wide one: the rows that are really used


_LATIN = ("western", "latin")
_JIS = ("euc-jp", 0xB0, 0xCF)
_CHARSETS = (  # of equally good readings the first one wins
    *(_Charset("latin-1", usual, "western") for usual in (*_WESTERN, _MIXED)),
    *(_Charset("cp1252", usual, "western") for usual in (*_WESTERN, _MIXED)),
    # Without œ, which has the place of ½ there: that is no less likely.
    *(_Charset("iso8859-15", usual.replace("œ", "€"), "western") for usual in _WESTERN[:4]),
    _Charset("cp1250", _CENTRAL, "latin"),
    _Charset("iso8859-2", _CENTRAL, "latin"),
    _Charset("cp1250", _CROATIAN, "latin"),
    _Charset("iso8859-2", _CROATIAN, "latin"),
    _Charset("cp1250", _ROMANIAN, "latin"),
    _Charset("cp1254", _TURKISH, "latin"),
    _Charset("cp1257", _BALTIC, "latin"),
    _Charset("cp1251", _CYRILLIC, "alphabet"),
    _Charset("koi8-r", _CYRILLIC, "alphabet"),
    _Charset("koi8-u", _CYRILLIC, "alphabet"),
    _Charset("iso8859-5", _CYRILLIC, "alphabet"),
    _Charset("cp866", _CYRILLIC, "alphabet"),
    _Charset("cp1253", _GREEK, "alphabet"),
    _Charset("iso8859-7", _GREEK, "alphabet"),
    _Charset("cp1255", _HEBREW, "alphabet"),
    _Charset("cp1256", _ARABIC, "alphabet"),
    _Charset("iso8859-6", _ARABIC, "alphabet"),
    _Charset("cp874", _THAI, "alphabet"),
    _Charset("cp932", _JAPANESE, "wide", _JIS),
    _Charset("euc-jp", _JAPANESE, "wide", _JIS),
    _Charset("gb18030", _CHINESE, "wide", ("gb2312", 0xB0, 0xD7)),
    _Charset("big5", _CHINESE, "wide", ("big5", 0xA4, 0xC6)),
    _Charset("big5hkscs", _CHINESE, "wide", ("big5", 0xA4, 0xC6)),
    _Charset("cp949", _KOREAN, "wide", ("euc-kr", 0xB0, 0xC8)),
)


def guess(content: bytes) -> Guess | None:
    """The likeliest encoding; None where no reading looks like anything people write."""
    sample = content[:SAMPLE_BYTES]
    encodings = {charset.encoding: _runs(sample, charset.encoding) for charset in _CHARSETS}
    readings = [
        (_score(runs, charset), charset.encoding, runs)
        for charset in _CHARSETS
        if (runs := encodings[charset.encoding])
    ]
    if not readings:
        return None
    best, encoding, runs = max(readings, key=lambda reading: reading[0])
    if best < _GOOD:
        return None
    second = max((score for score, _, other in readings if other != runs), default=-1.0)
    is_enough = sum(map(len, runs)) >= _ENOUGH and best >= _VERY_GOOD
    return Guess(encoding=encoding, is_certain=is_enough and best - second >= _LEAD)


def _runs(sample: bytes, encoding: str) -> list[str]:
    """The runs of text beyond ASCII, each with the letter before and after; none: not this one."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(sample)  # the last character may be cut in two
    except UnicodeDecodeError:
        return []
    found = re.finditer(r"[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?", text)
    return [one.group() for one in islice(found, _MOST_RUNS)]


def _score(runs: list[str], charset: _Charset) -> float:
    """1 for what is written every day, below 0 for what is not."""
    words = Counter(run[:_LONGEST_RUN] for run in runs)  # each kind of word and letter once
    letters = Counter(letter for run in words.elements() for letter in run if letter > "\x7f")
    count = letters.total()
    total = sum(_worth(letter, charset) * often for letter, often in letters.items())
    total -= sum(_strangeness(word, charset) * often for word, often in words.items())
    bonus = 0.0
    if charset.kind == "western":
        bonus = 0.6 / count  # with little to go by, the most common of all
    elif charset.kind == "wide" and count >= _ENOUGH_PAIRS:
        bonus = 0.3  # other text does not come in whole pairs of bytes, time after time
    return total / count + bonus


def _worth(letter: str, charset: _Charset) -> float:
    place = charset.usual.find(letter.lower() if charset.kind == "alphabet" else letter)
    if place >= 0 and charset.kind == "alphabet":
        return _commonness(place) - 0.1 * letter.isupper()
    if place >= 0:
        return 0.85 if charset.usual is _MIXED else 1.0
    if letter in _MARKS:
        return 0.9 if charset.kind == "western" else 0.6
    if charset.rows and letter in _used(*charset.rows):
        return 0.5
    name = unicodedata.name(letter, "")
    if not name:
        return -3.0  # a control character, or none at all
    if charset.usual is _JAPANESE:
        if name.startswith("HALFWIDTH"):  # a single byte, which many other encodings have
            return 0.2
        return 0.8 if name.startswith(("HIRAGANA", "KATAKANA")) else -0.6
    return 0.3 if charset.kind in _LATIN and name.startswith("LATIN") else -0.6


def _commonness(place: int) -> float:
    return 1.0 if place < _OFTEN else 0.7 if place < _NOT_RARE else 0.3


def _strangeness(run: str, charset: _Charset) -> float:
    """Letters that do not stand together in words: another alphabet's, or big after small."""
    if len(run) == 1:
        return 0.5 * (run.isupper() or charset.kind == "alphabet")
    pairs = list(pairwise(run))
    strange = float(sum(one.islower() and other.isupper() for one, other in pairs))
    if charset.kind == "alphabet":
        strange += sum((one <= "\x7f") != (other <= "\x7f") for one, other in pairs)
    if charset.kind in _LATIN:
        strange += 0.5 * sum(one > "\x7f" and other > "\x7f" for one, other in pairs)
    return strange


@cache
def _used(codec: str, first: int, last: int) -> frozenset[str]:
    rows, columns = range(first, last + 1), range(0x40, 0xFF)
    pairs = (bytes((row, column)) for row in rows for column in columns)
    return frozenset(pair.decode(codec, "ignore") for pair in pairs) - {""}


def is_written_in_asia(letter: str) -> bool:
    """Is this one of the characters that Chinese, Japanese or Korean is really written with?"""
    if letter in _MARKS or "\u3040" <= letter <= "\u30ff":
        return True
    wide = {charset.rows for charset in _CHARSETS if charset.rows}
    return any(letter in _used(*rows) for rows in wide)
