"""Marathi, in Devanagari and in Latin letters."""

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import calls_of, only_call, refused

EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py vacha",
        "app.py vach",
        "app.py vachun dakhva",
        "app.py la vacha",
        "krupaya app.py vacha",
        "app.py ughda",
        "app.py bagha",
        "app.py वाचा",
        "app.py वाचून दाखवा",
        "app.py फाइल उघडा",
        "कृपया app.py दाखवा",
        "app.pyला वाचा",
        "app.py open kara",
        "मला app.py दाखवा",
    ],
)
def test_ways_to_read(text: str) -> None:
    reading = read_sentence(text)
    assert reading.lang == "mr"
    assert only_call(text) == ("Read", {"file_path": "app.py"})


@pytest.mark.parametrize(
    "text",
    [
        "old.log hatva",
        "old.log kadhun taka",
        "old.log pusun taka",
        "old.log la kadha",
        "old.log mitva",
        "old.log delete kara",
        "old.log delete karun taka",
        "old.log हटवा",
        "old.log काढून टाका",
        "old.logला पुसा",
        "old.log नष्ट करा",
        "old.log डिलीट करा",
    ],
)
def test_ways_to_delete(text: str) -> None:
    assert only_call(text) == ("Delete", {"path": "old.log"})


@pytest.mark.parametrize(
    "text",
    [
        'app.py madhye "foo" la "bar" ne badla',
        'app.py madhe "foo" aivaji "bar" liha',
        'app.py madhye "foo" chya jagi "bar" liha',
        'app.py madhye "foo" la "bar" ne replace kara',
        'app.pyमध्ये "foo"ला "bar"ने बदला',
        'app.py मध्ये "foo" च्या ऐवजी "bar" लिहा',
        'app.py मध्ये "foo" च्या जागी "bar" लिहा',
        'app.py मधील "foo" ला "bar" ने बदला',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    "text",
    [
        "src madhye TODO shodha",
        "src madhe TODO shodh",
        "srcमध्ये TODO शोधा",
        "src मधे TODO शोधून काढा",
        "src फोल्डरमध्ये TODO शोधा",
        "src madhil TODO shodha",
        "TODO shodha src madhye",
        "src madhye TODO search kara",
    ],
)
def test_ways_to_find(text: str) -> None:
    assert only_call(text) == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py hatvu nako",
        "app.py hatvu naka",
        "app.py हटवू नका",
        "app.py काढू नको",
        "app.py delete karu naka",
        "app.py नको हटवा",
        "app.py वाचू नका",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "mi app.py hatavla",
        "app.py hatavli",
        "app.py हटवले",
        "app.py हटवणार",
        "त्याने app.py हटवली",
        "app.py hatvayche aahe",
        "app.py हटवून बघा",
        "जर app.py हटवली तर",
        "app.py ka hatva",
        "app.py कशी हटवा",
    ],
)
def test_what_is_told_or_asked_is_not_done(text: str) -> None:
    assert refused(text)


def test_te_stands_between_numbers_and_elsewhere_for_a_thing() -> None:
    expected = {"file_path": "app.py", "offset": 10, "limit": 11}
    assert only_call("app.py chya oli 10 te 20 vacha") == ("Read", expected)
    assert calls_of("a.py vacha mag te hatva")[1] == ("Delete", {"path": "a.py"})


def test_badal_is_a_noun_here() -> None:
    assert only_call("badal dakhva") == ("Bash", {"command": "git diff"})
    assert only_call("बदल दाखवा") == ("Bash", {"command": "git diff"})


def test_a_name_is_given() -> None:
    expected = ("Move", {"source": "a.py", "destination": "b.py"})
    for text in ("a.py che naav b.py kara", "a.py चे नाव b.py ठेवा", "a.py che nav b.py badla"):
        assert only_call(text) == expected
