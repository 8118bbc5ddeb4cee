"""Numbers in words, in digits, and only where numbers are meant."""

import pytest

from rocketlang.sentences import calls_of, only_call


def limit(text: str) -> object:
    return only_call(text)[1].get("limit")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("das", 10),
        ("bees", 20),
        ("pachchis", 25),
        ("pachas", 50),
        ("sau", 100),
        ("do sau", 200),
        ("ek sau bees", 120),
        ("teen sau", 300),
        ("paintalis", 45),
        ("दस", 10),
        ("पचास", 50),
        ("निन्यानवे", 99),
    ],
)
def test_hindi_numbers(words: str, value: int) -> None:
    assert limit(f"app.py ki pehli {words} lines dikhao") == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("five", 5),
        ("twelve", 12),
        ("twenty five", 25),
        ("ninety nine", 99),
        ("one hundred", 100),
        ("two hundred fifty", 250),
        ("three hundred twenty five", 325),
        ("two thousand", 2000),
    ],
)
def test_english_numbers(words: str, value: int) -> None:
    assert limit(f"show first {words} lines of app.py") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("app.py chya pahilya vis oli dakhva", 20),
        ("app.py च्या पहिल्या पन्नास ओळी दाखवा", 50),
        ("app.py mudhal irubathu varigal kaattu", 20),
        ("app.py முதல் ஐம்பது வரிகளை காட்டு", 50),
        ("app.py modati iravai lainlu chupinchu", 20),
        ("app.py modati iravai aidu lainlu chupinchu", 25),
        ("app.py మొదటి యాభై లైన్లు చూపించు", 50),
        ("app.py modala ippattu saalugalu torisu", 20),
        ("app.py ಮೊದಲ ಐವತ್ತು ಸಾಲುಗಳನ್ನು ತೋರಿಸು", 50),
    ],
)
def test_numbers_of_the_other_languages(text: str, value: int) -> None:
    assert limit(text) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("app.py ki line 10 se 20 tak padho", {"offset": 10, "limit": 11}),
        ("app.py ki 10 se 20 line dikhao", {"offset": 10, "limit": 11}),
        ("app.py lines 10-20 dikhao", {"offset": 10, "limit": 11}),
        ("show lines 10 to 20 of app.py", {"offset": 10, "limit": 11}),
        ("show lines ten to twenty of app.py", {"offset": 10, "limit": 11}),
        ("read app.py from line 40", {"offset": 40}),
        ("app.py ki line 20 tak padho", {"limit": 20}),
        ("app.py ki line 5 padho", {"offset": 5, "limit": 1}),
        ("app.py ki line number 5 padho", {"offset": 5, "limit": 1}),
        ("app.py ki 5 number line padho", {"offset": 5, "limit": 1}),
        ("app.py ki 5vi line padho", {"offset": 5, "limit": 1}),
        ("app.py ki teesri line padho", {"offset": 3, "limit": 1}),
        ("show the 3rd line of app.py", {"offset": 3, "limit": 1}),
        ("show the third line of app.py", {"offset": 3, "limit": 1}),
        ("app.py ki doosri se paanchvi line tak padho", {"offset": 2, "limit": 4}),
        ("app.py ki 5 lines padho", {"limit": 5}),
        ("app.py ki pehli line padho", {"limit": 1}),
        ("app.py च्या ओळी १० ते २० वाचा", {"offset": 10, "limit": 11}),
        ("app.py-il vari 10 mudhal 20 varai padi", {"offset": 10, "limit": 11}),
        ("app.py lo line 10 nundi 20 varaku chaduvu", {"offset": 10, "limit": 11}),
        ("app.py nalli saalu 10 rinda 20 varege odu", {"offset": 10, "limit": 11}),
        ("app.py ki line 10 ke baad padho", {"offset": 11}),
    ],
)
def test_lines_are_said_in_many_ways(text: str, expected: dict[str, int]) -> None:
    assert only_call(text) == ("Read", {"file_path": "app.py", **expected})


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("server.log ki aakhri 20 lines dikhao", 20),
        ("server.log ki aakhri line dikhao", 1),
        ("show last fifteen lines of server.log", 15),
        ("server.log கடைசி ஐந்து வரிகளை காட்டு", 5),
        ("server.log chivari padi lines chupinchu", 10),
        ("server.log ಕೊನೆಯ ಹತ್ತು ಸಾಲುಗಳನ್ನು ತೋರಿಸಿ", 10),
        ("server.log च्या शेवटच्या वीस ओळी दाखवा", 20),
    ],
)
def test_the_last_lines_are_the_tail(text: str, count: int) -> None:
    assert only_call(text) == ("Bash", {"command": f"tail -n {count} server.log"})


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("pichle paanch commit dikhao", 5),
        ("show last 3 commits", 3),
        ("last commit dikhao", 1),
        ("pichle commit dikhao", 10),
        ("git log dikhao", 10),
        ("kadaisi moondru commit kaattu", 3),
    ],
)
def test_commits_are_counted(text: str, count: int) -> None:
    assert only_call(text)[1] == {"command": f"git log --oneline -n {count}"}


def test_a_number_word_elsewhere_is_no_number() -> None:
    assert calls_of("app.py dikha do") == [("Read", {"file_path": "app.py"})]
    assert calls_of("app.py padi") == [("Read", {"file_path": "app.py"})]
    assert calls_of("ek plan banao") == [("EnterPlanMode", {})]


def test_a_stretch_that_runs_backwards_is_the_whole_file() -> None:
    assert calls_of("app.py ki line 20 se 10 tak padho") == [("Read", {"file_path": "app.py"})]
