"""From text to blocks: every form of every head in six languages, and what a script gets wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.blocks import (
    Assign,
    Called,
    Condition,
    ForEach,
    If,
    Macro,
    Pipeline,
    Repeat,
    Sentence,
    Shell,
    Statement,
    Written,
)
from ankrcode.rocketlang.script import MAX_DEPTH, MAX_LINES, ScriptFault, read_script


def only(text: str) -> Statement:
    (statement,) = read_script(text).statements
    return statement


def sentences(statement: Statement) -> list[str]:
    """Its commands, as written."""
    assert isinstance(statement, Pipeline)
    return [one.text for stage in statement.stages for one in stage if not isinstance(one, Called)]


def fault_of(text: str) -> ScriptFault:
    with pytest.raises(ScriptFault) as caught:
        read_script(text)
    return caught.value


# ── lines ─────────────────────────────────────────────────────────────────────────────────────
def test_empty_lines_comments_and_marks_of_other_editors_are_passed_over() -> None:
    script = read_script("\ufeff# a comment\r\n\r\n   \n  a.py padho  # what it is for\n#end\n")
    assert [sentences(one) for one in script.statements] == [["a.py padho"]]
    assert script.statements[0].line == 4


def test_a_hash_inside_of_a_word_or_a_quotation_is_no_comment() -> None:
    assert sentences(only('"a # b" dhoondo')) == ['"a # b" dhoondo']
    assert sentences(only("C#.md padho")) == ["C#.md padho"]


@pytest.mark.parametrize("line", ["$ ls -la | wc -l; pwd # all", "!ls -la | wc -l; pwd # all"])
def test_a_line_for_the_shell_stays_as_it_is(line: str) -> None:
    command = "ls -la | wc -l; pwd # all"
    assert only(line) == Pipeline(stages=((Shell(text=command, line=1),),), line=1)


def test_bars_part_stages_and_semicolons_commands() -> None:
    statement = only("a.py padho; b.py padho | bolo")
    assert isinstance(statement, Pipeline)
    assert [
        [one.text for one in stage if isinstance(one, Sentence)] for stage in statement.stages
    ] == [
        ["a.py padho", "b.py padho"],
        ["bolo"],
    ]


@pytest.mark.parametrize(
    "joined",
    [
        "a.py padho phir b.py padho",
        "a.py padho aur phir b.py padho",
        "a.py padho; b.py padho",
        "a.py padho, uske baad b.py padho",
        "phir a.py padho phir b.py padho",
        "a.py padho। b.py padho।",
    ],
)
def test_words_like_then_part_commands(joined: str) -> None:
    assert sentences(only(joined)) == ["a.py padho", "b.py padho"]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a.py read then b.py read", ["a.py read", "b.py read"]),
        ("a.py वाचा मग b.py वाचा", ["a.py वाचा", "b.py वाचा"]),
        ("a.py படி பிறகு b.py படி", ["a.py படி", "b.py படி"]),
        ("a.py చదువు తర్వాత b.py చదువు", ["a.py చదువు", "b.py చదువు"]),
        ("a.py ಓದು ನಂತರ b.py ಓದು", ["a.py ಓದು", "b.py ಓದು"]),
    ],
)
def test_so_they_do_in_every_language(line: str, parts: list[str]) -> None:
    assert sentences(only(line)) == parts


def test_again_is_not_then() -> None:
    assert sentences(only("phir se karo")) == ["phir se karo"]


def test_what_stands_in_quotes_parts_nothing() -> None:
    line = '"a | b; c phir d" likho'
    assert sentences(only(line)) == [line]


# ── values ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('x = "a b"', "x", Written(text="a b", is_quoted=True)),
        ("x = 'a'", "x", Written(text="a", is_quoted=True)),
        ('x="a"', "x", Written(text="a", is_quoted=True)),
        ("x = 5", "x", Written(text="5")),
        ("x = src/app.py", "x", Written(text="src/app.py")),
        ("x = *.py", "x", Written(text="*.py")),
        ("x = main", "x", Written(text="main")),
        ("x = feature-x-2", "x", Written(text="feature-x-2")),
        ("x = $y", "x", Written(text="$y")),
        ("$x = 5", "x", Written(text="5")),
        ("let x = 5", "x", Written(text="5")),
        ("set x = 5", "x", Written(text="5")),
        ("maan lo x = 5", "x", Written(text="5")),
        ("मान लो x = 5", "x", Written(text="5")),
        ("समजा x = 5", "x", Written(text="5")),
        ("vai x = 5", "x", Written(text="5")),
        ("x = 5 வை", "x", Written(text="5")),
        ("x = 5 అనుకో", "x", Written(text="5")),
        ("x = 5 ಇಡು", "x", Written(text="5")),
        ("नाम = 5", "नाम", Written(text="5")),
    ],
)
def test_a_value_is_set_in_every_language(line: str, name: str, value: Written) -> None:
    assert only(line) == Assign(name=name, value=value, line=1)


def test_a_value_may_come_from_commands_or_from_the_shell() -> None:
    found = only("x = src mein TODO dhoondo | bolo")
    assert isinstance(found, Assign)
    assert isinstance(found.value, Pipeline)
    assert len(found.value.stages) == 2
    found = only("x = $ git rev-parse HEAD")
    assert isinstance(found, Assign)
    assert found.value == Pipeline(stages=((Shell(text="git rev-parse HEAD", line=1),),), line=1)


# ── if ────────────────────────────────────────────────────────────────────────────────────────
PASSED = Condition(kind="passed")


@pytest.mark.parametrize(
    "line",
    [
        "if pass then push else undo",
        "if pass push else undo",
        "if pass: push else undo",
        "agar pass to push karo warna wapas lo",
        "agar test pass ho to push karo nahi to wapas lo",
        "अगर पास हो तो push करो वरना वापस लो",
        "jar pass tar push kara nahitar maage ghya",
        "जर पास तर push करा नाहीतर मागे घ्या",
        "endraal pass push pannu illaiyenil meelamai",
        "pass என்றால் push பண்ணு இல்லையெனில் மீளமை",
        "pass ayithe push cheyyi lekapothe venakki teesuko",
        "పాస్ అయితే push చేయి లేకపోతే వెనక్కి తీసుకో",
        "pass aadare push maadu illadiddare hintege",
        "ಪಾಸ್ ಆದರೆ push ಮಾಡು ಇಲ್ಲದಿದ್ದರೆ ಹಿಂತೆಗೆ",
    ],
)
def test_if_and_else_on_one_line(line: str) -> None:
    found = only(line)
    assert isinstance(found, If)
    assert found.condition == PASSED
    assert [len(found.then), len(found.otherwise)] == [1, 1]
    assert "push" in sentences(found.then[0])[0]
    assert "push" not in sentences(found.otherwise[0])[0]


@pytest.mark.parametrize(
    ("head", "other", "end"),
    [
        ("if pass", "else", "end"),
        ("if pass then:", "else:", "end if"),
        ("agar pass to", "warna", "khatam"),
        ("अगर पास हो तो", "वरना", "खत्म"),
        ("जर पास तर", "नाहीतर", "संपले"),
        ("pass என்றால்:", "இல்லையெனில்", "முடிவு"),
        ("pass అయితే:", "లేకపోతే", "ముగింపు"),
        ("pass ಆದರೆ:", "ಇಲ್ಲದಿದ್ದರೆ", "ಮುಗಿಯಿತು"),
    ],
)
def test_if_and_else_as_blocks(head: str, other: str, end: str) -> None:
    found = only(f"{head}\n  a.py padho\n  b.py padho\n{other}\n  c.py padho\n{end}")
    assert isinstance(found, If)
    assert found.condition == PASSED
    assert [sentences(one) for one in found.then] == [["a.py padho"], ["b.py padho"]]
    assert [sentences(one) for one in found.otherwise] == [["c.py padho"]]


def test_else_if_ends_with_the_same_end() -> None:
    found = only("if pass\n push\nelse if a.py exists\n read a.py\nelse\n undo\nend")
    assert isinstance(found, If)
    (inner,) = found.otherwise
    assert isinstance(inner, If)
    assert inner.condition == Condition(kind="exists", text="a.py")
    assert [sentences(one) for one in inner.otherwise] == [["undo"]]


def test_else_if_on_one_line_inside_of_a_block_leaves_the_block_open() -> None:
    found = only("if pass\n push\nelse if a.py exists then read a.py\n read b.py\nend")
    assert isinstance(found, If)
    assert len(found.otherwise) == 2


def test_an_else_on_the_next_line_belongs_to_the_short_if_before_it() -> None:
    found = only("agar pass to push karo\nwarna wapas lo")
    assert isinstance(found, If)
    assert [sentences(one) for one in found.otherwise] == [["wapas lo"]]


def test_an_if_may_follow_a_command_on_its_line() -> None:
    first, second = read_script("tests chalao; agar fail ho to wapas lo").statements
    assert sentences(first) == ["tests chalao"]
    assert isinstance(second, If)


def test_blocks_stand_in_blocks() -> None:
    found = only("agar pass\n 2 baar:\n  agar fail\n   a.py padho\n  bas\n bas\nbas")
    assert isinstance(found, If)
    (loop,) = found.then
    assert isinstance(loop, Repeat)
    (inner,) = loop.body
    assert isinstance(inner, If)


# ── loops ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "head",
    [
        "for each f in $files:",
        "for each $f in $files:",
        "for f in $files",
        "for every f in $files:",
        "foreach f in files:",
        "har f $files mein:",
        "har ek f in $files:",
        "har f ke liye $files mein:",
        "हर f $files में:",
        "$files mein har f:",
        "$files में हर f:",
        "प्रत्येक f $files मध्ये:",
        "$files मध्ये प्रत्येक f:",
        "$files-il ovvoru f:",
        "$filesஇல் ஒவ்வொரு f:",
        "ஒவ்வொரு f $files இல்:",
        "$files lo prati f:",
        "$filesలో ప్రతి f:",
        "$files nalli prati f:",
        "$files ನಲ್ಲಿ ಪ್ರತಿ f:",
    ],
)
@pytest.mark.parametrize("end", ["end", "bas", "खत्म", "முடிவு", "ముగింపు", "ಮುಗಿಯಿತು"])
def test_for_each_in_every_language(head: str, end: str) -> None:
    found = only(f"{head}\n  $f padho\n{end}")
    assert isinstance(found, ForEach)
    assert (found.name, found.source) == ("f", "files")
    assert [sentences(one) for one in found.body] == [["$f padho"]]


def test_for_each_may_find_its_things_itself() -> None:
    found = only("for each f in src mein python files dhoondo:\n $f padho\nend")
    assert isinstance(found, ForEach)
    assert isinstance(found.source, Pipeline)
    assert sentences(found.source) == ["src mein python files dhoondo"]
    found = only("har f *.md mein:\n $f padho\nend")
    assert isinstance(found, ForEach)
    assert isinstance(found.source, Pipeline)
    assert sentences(found.source) == ["find *.md"]


@pytest.mark.parametrize(
    "head",
    [
        "3 times:",
        "3 times",
        "repeat 3 times:",
        "three times:",
        "3 baar:",
        "teen baar:",
        "3 baar karo:",
        "३ बार:",
        "तीन बार:",
        "3 vela:",
        "३ वेळा:",
        "மூன்று முறை:",
        "moondru murai:",
        "௩ முறை:",
        "మూడు సార్లు:",
        "3 saarlu:",
        "ಮೂರು ಬಾರಿ:",
        "೩ ಬಾರಿ:",
    ],
)
def test_repeat_in_every_language(head: str) -> None:
    found = only(f"{head}\n  tests chalao\nend")
    assert isinstance(found, Repeat)
    assert found.count == 3


@pytest.mark.parametrize("count", ["$n", "{n}"])
def test_how_often_may_be_a_variable(count: str) -> None:
    found = only(f"{count} baar:\n tests chalao\nend")
    assert isinstance(found, Repeat)
    assert found.count == "n"


def test_a_block_may_stand_on_the_line_of_its_head() -> None:
    found = only("3 baar: tests chalao")
    assert isinstance(found, Repeat)
    assert [sentences(one) for one in found.body] == [["tests chalao"]]
    found = only("har f $files mein: $f padho")
    assert isinstance(found, ForEach)
    assert [sentences(one) for one in found.body] == [["$f padho"]]


# ── macros ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("head", ["macro ship", "def ship:", "kaam ship", "काम ship", "பணி ship:"])
@pytest.mark.parametrize(
    "call", ["ship", "ship karo", "ship chalao", "run ship", "chalao ship", "/ship", "ship பண்ணு"]
)
def test_a_macro_is_defined_and_called(head: str, call: str) -> None:
    macro, called = read_script(f"{head}\n  push karo\nend\n{call}").statements
    assert isinstance(macro, Macro)
    assert macro.name == "ship"
    assert called == Pipeline(stages=((Called(name="ship", line=4),),), line=4)


def test_a_macro_may_be_called_before_it_is_defined_and_from_a_row() -> None:
    first, _ = read_script("tests chalao; ship\nmacro ship\n push karo\nend").statements
    assert isinstance(first, Pipeline)
    assert first.stages[0][1] == Called(name="ship", line=1)


def test_macros_from_elsewhere_are_known_by_name() -> None:
    script = read_script("ship karo", frozenset(("ship",)))
    assert script.statements[0] == Pipeline(stages=((Called(name="ship", line=1),),), line=1)


def test_a_name_among_other_words_is_no_call() -> None:
    script = read_script("ship ko padho", frozenset(("ship",)))
    assert sentences(script.statements[0]) == ["ship ko padho"]


# ── faults ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("agar pass\n push karo", "missing_end", 1),
        ("push karo\n3 baar:\n push karo", "missing_end", 2),
        ("har f $x mein:\n 3 baar:\n  push karo\n end", "missing_end", 1),
        ("macro a\n push karo", "missing_end", 1),
        ("if pass\n push\nelse\n undo", "missing_end", 1),
        ("end", "missing_end", 1),
        ("push karo\nwarna wapas lo", "missing_end", 2),
        ("3 baar:\n push karo\nwarna\n wapas lo\nend", "missing_end", 3),
        ("if pass\n push\nelse\n undo\nelse\n pull\nend", "missing_end", 5),
        ("agar kuch bhi ho to push karo", "bad_condition", 1),
        ("if the moon is full then push", "bad_condition", 1),
        ("if you can, delete app.py", "bad_condition", 1),
        ("x =", "missing_argument", 1),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, code: str, line: int) -> None:
    problem = fault_of(text)
    assert (problem.fault.code, problem.line) == (code, line)
    assert str(line) in problem.fault.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if pass\n push", "has no end"),
        ("agar pass\n push karo", "band nahi hua"),
        ("अगर पास\n push करो", "बंद नहीं हुआ"),
        ("जर पास\n push करा", "बंद झाला नाही"),
        ("jar pass\n push kara", "band zala nahi"),
        ("pass என்றால்:\n push பண்ணு", "முடியவில்லை"),
        ("pass endraal:\n push pannu", "mudiyavillai"),
        ("pass అయితే:\n push చేయి", "ముగియలేదు"),
        ("pass ayithe:\n push cheyyi", "mugiyaledu"),
        ("pass ಆದರೆ:\n push ಮಾಡು", "ಮುಗಿದಿಲ್ಲ"),
        ("pass aadare:\n push maadu", "mugidilla"),
    ],
)
def test_a_fault_is_told_in_the_language_and_script_of_the_block(text: str, said: str) -> None:
    assert said in fault_of(text).fault.message


def test_a_script_has_bounds() -> None:
    too_long = fault_of("a.py padho\n" * (MAX_LINES + 1))
    assert f"{MAX_LINES:,}" in too_long.fault.message
    deep = "2 baar:\n" * (MAX_DEPTH + 1) + "a.py padho\n" + "end\n" * (MAX_DEPTH + 1)
    assert str(MAX_DEPTH) in fault_of(deep).fault.message


WORDS = [
    *("agar", "warna", "end", "to", ":", "har", "3 baar:", "macro", "x", "=", "|", ";", "phir"),
    *("pass", "fail", "in", "mein", '"a"', "'", "padho", "a.py", "khaali", "nahi", "hai", "{x}"),
    *("அ", "ಆದರೆ", "అయితే", "வை", "।", "$ ls", "!", "#", "“", "else", "if", "for each", "let"),
    *("$x", "\n"),
]


def read_or_refused(text: str) -> str:
    """What came of it: nothing but a script or a fault with words may."""
    try:
        return f"{len(read_script(text).statements)} statements"
    except ScriptFault as problem:
        return problem.fault.message


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    assert read_or_refused(text)


@given(st.text(max_size=200))
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    assert read_or_refused(text)
