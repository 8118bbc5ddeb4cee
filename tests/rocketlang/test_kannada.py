"""Kannada: postpositions apart or written on."""

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import only_call, refused

EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py odu",
        "app.py odi",
        "app.py annu odiri",
        "app.py tere",
        "app.py torisu",
        "app.py nodi",
        "dayavittu app.py torisi",
        "app.py open maadu",
        "app.py open maadiri",
        "app.py ಓದು",
        "app.py ಅನ್ನು ಓದಿ",
        "app.pyಅನ್ನು ಓದಿರಿ",
        "app.py ಕಡತವನ್ನು ತೆರೆ",
        "ದಯವಿಟ್ಟು app.py ತೋರಿಸಿ",
        "app.py ಓಪನ್ ಮಾಡು",
        "ನನಗೆ app.py ತೋರಿಸು",
    ],
)
def test_ways_to_read(text: str) -> None:
    assert read_sentence(text).lang == "kn"
    assert only_call(text) == ("Read", {"file_path": "app.py"})


@pytest.mark.parametrize(
    "text",
    [
        "old.log alisu",
        "old.log annu alisi",
        "old.log alisiri",
        "old.log tegeduhaku",
        "old.log tegedu haki",
        "old.log delete maadu",
        "old.log delete maadibidu",
        "old.log ಅಳಿಸು",
        "old.log ಅನ್ನು ಅಳಿಸಿ",
        "old.log ತೆಗೆದುಹಾಕು",
        "old.log ಅಳಿಸಿ ಹಾಕು",
        "old.log ಡಿಲೀಟ್ ಮಾಡಿ",
    ],
)
def test_ways_to_delete(text: str) -> None:
    assert only_call(text) == ("Delete", {"path": "old.log"})


@pytest.mark.parametrize(
    "text",
    [
        'app.py nalli "foo" annu "bar" ge badalisu',
        'app.py nalli "foo" annu "bar" aagi badalayisi',
        'app.py nalli "foo" annu "bar" inda badalisi',
        'app.py nalli "foo" badalige "bar" bare',
        'app.py nalli "foo" ge badalaagi "bar" bareyiri',
        'app.py nalli "foo" annu "bar" ge replace maadu',
        'app.pyನಲ್ಲಿ "foo" ಅನ್ನು "bar" ಗೆ ಬದಲಿಸು',
        'app.py ನಲ್ಲಿ "foo" ಅನ್ನು "bar" ಆಗಿ ಬದಲಾಯಿಸಿ',
        'app.py ನಲ್ಲಿ "foo" ಬದಲಿಗೆ "bar" ಬರೆ',
        'app.py ನಲ್ಲಿ "foo" ಬದಲು "bar" ಬರೆಯಿರಿ',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    "text",
    [
        "src nalli TODO huduku",
        "src alli TODO hudukku",
        "src olage TODO huduki",
        "src folder nalli TODO huduku",
        "src nalli iruva TODO huduku",
        "srcನಲ್ಲಿ TODO ಹುಡುಕು",
        "src ಒಳಗೆ TODO ಹುಡುಕಿ",
        "src ಫೋಲ್ಡರ್‌ನಲ್ಲಿ TODO ಹುಡುಕು",
        "src ನಲ್ಲಿ ಇರುವ TODO ಹುಡುಕು",
        "src nalli TODO search maadi",
        "TODO annu src nalli huduku",
        "src ನಲ್ಲಿ TODO ಶೋಧಿಸು",
    ],
)
def test_ways_to_find(text: str) -> None:
    assert only_call(text) == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py alisabeda",
        "app.py alisabedi",
        "app.py alisa beda",
        "app.py alisabaradu",
        "app.py delete maadabeda",
        "app.py delete maada bedi",
        "app.py odabeda",
        "app.py ಅಳಿಸಬೇಡ",
        "app.py ಅಳಿಸಬೇಡಿ",
        "app.py ಅಳಿಸಬಾರದು",
        "app.py ಅಳಿಸುವುದು ಬೇಡ",
        "app.py ಬದಲಿಸಬೇಡ",
        "app.py ಬರೆಯಬೇಡ",
        "app.py ಓದಬೇಡ",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "naanu app.py aliside",
        "app.py alisida",
        "app.py alisidare",
        "app.py alisuttene",
        "app.py alisala",
        "app.py delete maadide",
        "app.py ಅಳಿಸಿದೆ",
        "app.py ಅಳಿಸಿದರೆ",
        "app.py ಅಳಿಸುತ್ತೇನೆ",
        "app.py ಅಳಿಸಲಾ",
        "ಅವನು app.py ಅಳಿಸಿದ",
        "app.py yaake alisu",
        "app.py ಹೇಗೆ ಅಳಿಸು",
    ],
)
def test_what_is_told_or_asked_is_not_done(text: str) -> None:
    assert refused(text)


def test_ge_leads_to() -> None:
    assert only_call("a.py annu lib/ ge sarisu")[1] == {"source": "a.py", "destination": "lib/"}
    assert only_call("a.py ಅನ್ನು lib/ ಗೆ ಸರಿಸಿ")[1] == {"source": "a.py", "destination": "lib/"}


def test_bare_is_to_write_here() -> None:
    assert only_call('notes.txt nalli "x" bare') == (
        "Write",
        {"file_path": "notes.txt", "content": "x"},
    )
