"""Tamil: endings on the word, a spoken and a written register."""

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import only_call, refused

EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py padi",
        "app.py padinga",
        "app.py-ai padikkavum",
        "app.py-a open pannu",
        "app.py thira",
        "app.py kaattu",
        "app.py kaattunga",
        "app.py koppai padi",
        "app.py படி",
        "app.py-ஐ படியுங்கள்",
        "app.pyஐ படிக்கவும்",
        "app.py-யை காட்டு",
        "app.py கோப்பை திறக்கவும்",
        "தயவு செய்து app.py காட்டுங்கள்",
        "app.py ஓபன் பண்ணு",
        "app.py வாசி",
    ],
)
def test_ways_to_read(text: str) -> None:
    assert read_sentence(text).lang == "ta"
    assert only_call(text) == ("Read", {"file_path": "app.py"})


@pytest.mark.parametrize(
    "text",
    [
        "old.log neekku",
        "old.log neekkunga",
        "old.log-ai neekkividu",
        "old.log azhi",
        "old.log-a azhichidu",
        "old.log agatru",
        "old.log delete pannu",
        "old.log delete pannidu",
        "old.log-ஐ நீக்கு",
        "old.log நீக்குங்கள்",
        "old.log-ஐ அழித்துவிடு",
        "old.log அகற்று",
        "old.log டெலீட் பண்ணு",
        "old.log டெலீட் செய்யவும்",
    ],
)
def test_ways_to_delete(text: str) -> None:
    assert only_call(text) == ("Delete", {"path": "old.log"})


@pytest.mark.parametrize(
    "text",
    [
        'app.py-il "foo"-ai "bar"-aaga maatru',
        'app.py il "foo" ai "bar" aaga maatru',
        'app.py-la "foo"-va "bar"-aa maathu',
        'app.py-la "foo"-va "bar"-nu maathunga',
        'app.py-il "foo"-kku badhilaaga "bar" ezhuthu',
        'app.py-la "foo" ku badhila "bar" ezhuthu',
        'app.py-இல் "foo"-ஐ "bar"-ஆக மாற்று',
        'app.pyஇல் "foo"ஐ "bar"ஆக மாற்றவும்',
        'app.py-இல் "foo"-க்கு பதிலாக "bar" எழுது',
        'app.py-ல் "foo"-ஐ "bar"-ஆக மாற்றுங்கள்',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    "text",
    [
        "src-il TODO thedu",
        "src il TODO thedu",
        "src-la TODO thedunga",
        "src-ula TODO thedu",
        "src ulle TODO thedavum",
        "src folder-la TODO thedu",
        "src-இல் TODO தேடு",
        "srcஇல் TODO தேடவும்",
        "src கோப்புறையில் TODO தேடு",
        "src-இல் உள்ள TODO தேடு",
        "TODO-va src-la thedu",
        "src-il TODO search pannu",
        "src-இல் TODO கண்டுபிடி",
    ],
)
def test_ways_to_find(text: str) -> None:
    assert only_call(text) == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py neekkathe",
        "app.py neekkaathe",
        "app.py neekkadhe",
        "app.py neekkaatheenga",
        "app.py neekka vendam",
        "app.py neekka koodathu",
        "app.py delete pannathe",
        "app.py delete panna vendaam",
        "app.py நீக்காதே",
        "app.py நீக்காதீங்க",
        "app.py நீக்க வேண்டாம்",
        "app.py நீக்கக்கூடாது",
        "app.py அழிக்காதே",
        "app.py மாற்றாதே",
        "app.py எழுதாதே",
        "app.py உருவாக்காதே",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "naan app.py neekkinen",
        "app.py neekkitten",
        "app.py neekkinaan",
        "app.py neekkalaama",
        "app.py neekkattuma",
        "app.py delete pannitten",
        "app.py நீக்கினேன்",
        "app.py நீக்கினால்",
        "app.py நீக்கலாமா",
        "app.py நீக்கட்டுமா",
        "app.py நீக்குவேன்",
        "app.py நீக்கிவிட்டேன்",
        "app.py eppadi neekku",
        "app.py ஏன் நீக்கு",
    ],
)
def test_what_is_told_or_asked_is_not_done(text: str) -> None:
    assert refused(text)


def test_padi_is_a_verb_at_the_end_not_ten() -> None:
    assert only_call("app.py padi") == ("Read", {"file_path": "app.py"})


def test_mudhal_is_first_and_from() -> None:
    assert only_call("app.py mudhal 5 varigal kaattu")[1] == {"file_path": "app.py", "limit": 5}
    assert only_call("app.py vari 5 mudhal 9 varai kaattu")[1] == {
        "file_path": "app.py",
        "offset": 5,
        "limit": 5,
    }
