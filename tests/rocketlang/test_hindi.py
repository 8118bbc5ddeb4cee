"""Hindi, in Devanagari and as people type it."""

import pytest

from rocketlang.sentences import calls_of, only_call, refused

READ = ("Read", {"file_path": "app.py"})
DELETED = ("Delete", {"path": "old.log"})
EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py padho",
        "app.py padhiye",
        "app.py padhiyega",
        "app.py padhna",
        "app.py padh do",
        "app.py padh dijiye",
        "app.py padh lena",
        "app.py ko zara padho",
        "bhai app.py padho na",
        "app.py पढ़ो",
        "app.py पढ़ें",
        "app.py को पढ़ दीजिए",
        "ज़रा app.py पढ़िए",
        "app.py फ़ाइल खोलिए",
        "app.py रीड करो",
        "app.py पढ़कर सुनाओ",
        "app.py kholke dikhao",
        "app.py open kar dena",
        "app.py ko open karke dikhao",
    ],
)
def test_familiar_and_polite_imperatives_read(text: str) -> None:
    assert only_call(text) == READ


@pytest.mark.parametrize(
    "text",
    [
        "old.log hatao",
        "old.log hataiye",
        "old.log hata do",
        "old.log hata dijiyega",
        "old.log ko mita do",
        "old.log nikaal do",
        "old.log uda do",
        "old.log delete kar dijiye",
        "old.log हटाइए",
        "old.log को हटा दीजिए",
        "old.log मिटाओ",
        "old.log डिलीट कर दो",
        "old.log रिमूव करो",
    ],
)
def test_the_same_for_deleting(text: str) -> None:
    assert only_call(text) == DELETED


@pytest.mark.parametrize(
    "text",
    [
        'app.py mein "foo" ko "bar" se badlo',
        'app.py me "foo" ko "bar" se badal do',
        'app.py ke andar "foo" ko "bar" se badliye',
        'app.py mein "foo" ki jagah "bar" likho',
        'app.py mein "foo" ke sthan par "bar" likhiye',
        'app.py mein "foo" ke badle "bar" daalo',
        'app.py mein "foo" ko "bar" mein badlo',
        'app.py mein "foo" ko "bar" kar do',
        'app.py mein "foo" ko "bar" se replace kar do',
        'app.py में "foo" को "bar" से बदलें',
        'app.py के अंदर "foo" की जगह पर "bar" लिखो',
        'app.py में "foo" के स्थान पर "bar" लिखिए',
        'app.py में "foo" को "bar" से चेंज करो',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    "word", ["mein", "me", "main", "mai", "men", "ke andar", "में", "मे", "के अंदर"]
)
def test_spellings_of_in(word: str) -> None:
    assert only_call(f"src {word} TODO dhoondo") == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "verb",
    [
        *(
            "dhoondo",
            "dhundo",
            "dhoondho",
            "dhundho",
            "khojo",
            "talasho",
            "search karo",
            "find karo",
        ),
        *("ढूँढो", "ढूंढो", "खोजिए", "तलाश करो", "सर्च करो", "खोज निकालो"),
    ],
)
def test_verbs_for_finding(verb: str) -> None:
    assert only_call(f"src mein TODO {verb}") == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py mat hatao",
        "app.py ko mat hataiye",
        "app.py nahi hatana",
        "app.py na hatao",
        "app.py हटाना मत",
        "app.py न हटाओ",
        "app.py kabhi mat hatana",
        "bina pooche app.py mat hatao",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "app.py hataya",
        "app.py hatayi gayi",
        "app.py hataunga",
        "app.py hatane wala hoon",
        "app.py hata raha hoon",
        "app.py hata chuka hoon",
        "app.py hata sakte ho",
        "app.py hatana chahiye",
        "app.py हटाया था",
        "app.py हटाऊँगा",
        "app.py हटा रहा हूँ",
        "उसने app.py हटाई",
        "app.py hatakar dekho",
    ],
)
def test_other_forms_of_a_verb_are_not_imperatives(text: str) -> None:
    assert refused(text)


def test_do_and_lo_help_a_verb_and_ki_is_of() -> None:
    assert only_call("app.py dikha do") == READ
    assert only_call("app.py padh lo") == READ
    assert only_call("app.py ki do lines dikhao")[1] == {"file_path": "app.py", "limit": 2}


def test_misspelled_aur_joins() -> None:
    assert calls_of("a.py or b.py padho") == calls_of("a.py aur b.py padho")


def test_fail_is_a_spelling_of_file() -> None:
    assert only_call("app.py fail padho") == READ
