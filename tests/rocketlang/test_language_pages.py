"""The pages for each language are true: every sentence on them does what stands beside it."""

import json
import re
from pathlib import Path

import pytest

from ankrcode.rocketlang.answers import answered
from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.sentence import read_sentence

FOLDER = Path(__file__).parents[2] / "docs" / "languages"
LANGUAGES = ("en", "hi", "mr", "ta", "te", "kn")
ROW = re.compile(r"^\| `(?P<sentence>.+?)` \| `(?P<call>.+)` \|$", re.MULTILINE)


def page_of(language: str) -> str:
    return (FOLDER / f"{language}.md").read_text(encoding="utf-8")


ROWS = [
    (language, row["sentence"], row["call"])
    for language in LANGUAGES
    for row in ROW.finditer(page_of(language))
]


def shown(call: Planned) -> str:
    pairs = (f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in call.args.items())
    return f"{call.tool}({', '.join(pairs)})"


def test_there_is_a_page_for_each_language_with_enough_to_say() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.md")) == sorted(LANGUAGES)
    for language in LANGUAGES:
        assert sum(one == language for one, _, _ in ROWS) >= 19


@pytest.mark.parametrize(("language", "sentence", "call"), ROWS, ids=[row[1] for row in ROWS])
def test_a_sentence_does_what_stands_beside_it(language: str, sentence: str, call: str) -> None:
    reading = read_sentence(sentence)
    assert reading.fault is None
    assert "; ".join(map(shown, reading.calls)) == call
    assert reading.is_full
    assert not reading.confirm
    assert reading.lang in (language, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_script_of_a_page_can_be_run(language: str) -> None:
    (script,) = re.findall(r"```rl\n(.*?)```", page_of(language), re.DOTALL)
    program = parse(script)
    assert len(program.checked) >= 5
    assert not program.confirm
    assert program.lang == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_of_a_page_are_understood(language: str) -> None:
    line = page_of(language).partition("## Yes / no\n\n")[2].partition(".\n")[0]
    yes, no = line.split(" · ")
    assert [answered(one) for one in yes.split(", ")] == [True] * len(yes.split(", "))
    assert [answered(one) for one in no.split(", ")] == [False] * len(no.split(", "))


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_a_page_says_honestly_who_has_looked_at_its_words(language: str) -> None:
    assert "have not been reviewed by native speakers yet" in page_of(language)
