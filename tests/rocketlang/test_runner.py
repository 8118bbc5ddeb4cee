"""Scripts at work: which calls they make, in which order, and when they stop."""

import pytest

from ankrcode.rocketlang.api import finished, parse, runner_of
from ankrcode.rocketlang.executor import Answer
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.runner import MAX_REPEATS
from ankrcode.rocketlang.script import ScriptFault
from ankrcode.rocketlang.stubs import Stubs
from rocketlang.scripts import TESTS, bash, finds, played, read, said, stub, suite

FOUND = finds("src/a.py", "src/b.py")
GLOB = ("Glob", {"pattern": "**/*.py", "path": "src"})
BOTH = [GLOB, read("src/a.py"), read("src/b.py")]
RUN = bash(TESTS)
NO_A = ("Glob", {"pattern": "a.py"})


# ── values ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('f = "app.py"\n$f padho', read("app.py")),
        ("f = app.py\n$f padho", read("app.py")),
        ("f = app.py\n{f} padho", read("app.py")),
        ('d = "src"\n{d}/app.py padho', read("src/app.py")),
        ('d = "src"\nn = "app"\n{d}/{n}.py padho', read("src/app.py")),
        ('f = "my file.txt"\n$f padho', read("my file.txt")),
        ('x = "duniya"\n"namaste {x}" bolo', said("namaste duniya")),
        ('x = "duniya"\ny = "namaste {x}"\n$y bolo', said("namaste duniya")),
        ('x = "duniya"\ny = $x\n"{y}" bolo', said("duniya")),
        ('x = 7\n"{x} baar" bolo', said("7 baar")),
        ('नाम = "दुनिया"\n"नमस्ते {नाम}" बोलो', said("नमस्ते दुनिया")),
        ('"{y} {}" bolo', said("{y} {}")),
        ('q = "TODO"\nsrc mein $q dhoondo', ("Grep", {"pattern": "TODO", "path": "src"})),
        ('m = "fix it"\n$m commit karo', bash("git commit -m 'fix it'")),
        ('m = "it\'s"\n"{m} fixed" commit karo', bash("git commit -m 'it'\\''s fixed'")),
        ('f = "x.py"\n$ wc -l {f}', bash("wc -l x.py")),
        ('f = "a b.py"\n$ wc -l "{f}"', bash('wc -l "a b.py"')),
        ("n = 5\napp.py ki pehli $n lines dikhao", ("Read", {"file_path": "app.py", "limit": 5})),
    ],
)
def test_values_find_their_places(text: str, call: tuple[str, dict[str, object]]) -> None:
    assert played(text) == [call]


def test_values_can_be_given_from_outside_and_set_anew() -> None:
    assert played("$f padho\nf = b.py\n$f padho", f="a.py") == [read("a.py"), read("b.py")]


def test_what_a_command_brought_is_a_value() -> None:
    count = stub("Grep", result=7, pattern="TODO", path="src", output_mode="count")
    calls = played('n = src mein TODO gino\n"kul {n}" bolo', count)
    assert calls[1:] == [said("kul 7")]


def test_what_the_shell_printed_is_a_value() -> None:
    branch = stub("Bash", result="main", command="git branch --show-current")
    calls = played('b = $ git branch --show-current\n"on {b}" bolo', branch)
    assert calls[1:] == [said("on main")]


def test_nothing_in_a_value_is_ever_a_word_of_the_language() -> None:
    name = 'x"; app.py hatao; "y.py'
    assert played("src mein python files dhoondo | padho", finds(name)) == [GLOB, read(name)]
    text = "files = src mein python files dhoondo\nhar f $files mein:\n  $ cat {f}\nend"
    (_, shell) = played(text, finds("a; reboot.py"))
    assert shell == bash("cat 'a; reboot.py'")


# ── pipes and pronouns ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "src mein python files dhoondo | padho",
        "src mein python files dhoondo | unhe padho",
        "src mein python files dhoondo phir unhe padho",
        "src mein python files dhoondo; unhe padho",
        "src mein python files dhoondo\nunhe padho",
        "find python files in src | read",
        "find python files in src then read them",
        "src मध्ये python files शोधा | वाचा",
        "src-il python files thedu | padi",
        "src lo python files vetuku | chaduvu",
        "src nalli python files huduku | odu",
    ],
)
def test_what_was_found_is_worked_on_one_by_one(text: str) -> None:
    assert played(text, FOUND) == BOTH
    assert played(text, finds()) == [GLOB]


@pytest.mark.parametrize("text", ["*.log dhoondo | hatao", "*.log dhoondo\nunhe hatao"])
def test_where_nothing_was_found_nothing_is_touched(text: str) -> None:
    assert played(text) == [("Glob", {"pattern": "*.log"})]


def test_lines_of_text_from_a_search_are_paths_too() -> None:
    lines = stub(
        "Grep",
        result="src/a.py:3: TODO\nsrc/a.py:9: TODO\nsrc/b.py:1: TODO",
        pattern="TODO",
        path="src",
    )
    assert played("src mein TODO dhoondo | padho", lines)[1:] == BOTH[1:]
    plain = stub("Glob", result="src/a.py\nsrc/b.py", pattern="**/*.py", path="src")
    assert played("src mein python files dhoondo | padho", plain) == BOTH


def test_text_is_handed_on_whole_and_unchanged() -> None:
    text = "+ {x} $y 'q' \"r\" | ; \\ `z`\n- नमस्ते\n"
    diff = stub("Bash", result=text, command="git diff")
    calls = played('x = "no"\ngit diff dikhao | notes.txt mein likho', diff)
    assert calls[-1] == ("Write", {"file_path": "notes.txt", "content": text})
    assert played("git diff dikhao | bolo", diff)[-1] == said(text)


@pytest.mark.parametrize(
    ("stage", "commands"),
    [
        ("chalao", ["python src/a.py", "python src/b.py"]),
        ("test karo", [f"{TESTS} src/a.py", f"{TESTS} src/b.py"]),
        ("git mein jodo", ["git add src/a.py", "git add src/b.py"]),
        ("git status dikhao", ["git status"]),
    ],
)
def test_a_stage_works_on_what_it_is_handed_unless_it_has_its_own(
    stage: str, commands: list[str]
) -> None:
    calls = played(f"src mein python files dhoondo | {stage}", FOUND)
    assert calls[1:] == [bash(one) for one in commands]


def test_a_value_is_a_thing_or_a_quotation_as_the_verb_wants() -> None:
    text = 'a = "x"\nb = "y z"\napp.py mein $a ko $b se badlo\n$b bolo'
    edit = {"file_path": "app.py", "old_string": "x", "new_string": "y z"}
    assert played(text) == [("Edit", edit), said("y z")]


def test_three_stages() -> None:
    text = "src mein python files dhoondo | padho | bolo"
    first = stub("Read", result="one", file_path="src/a.py")
    second = stub("Read", result="two", file_path="src/b.py")
    assert played(text, FOUND, first, second) == [*BOTH, said("one"), said("two")]


@pytest.mark.parametrize(
    "text",
    [
        "a.py padho phir use hatao",
        "a.py padho; ise hatao",
        "a.py padho\nuse hatao",
        "read a.py then delete it",
    ],
)
def test_a_pronoun_names_what_was_worked_on(text: str) -> None:
    assert played(text) == [read("a.py"), ("Delete", {"path": "a.py"})]


@pytest.mark.parametrize("second", ["ise likho", "write it", "use badlo"])
def test_a_pronoun_is_never_both_the_file_and_its_content(second: str) -> None:
    with pytest.raises(ScriptFault):
        played(f"a.py padho\n{second}")


@pytest.mark.parametrize("joint", ["\n", "; ", " phir "])
def test_without_a_pipe_or_a_pronoun_nothing_is_filled_in(joint: str) -> None:
    with pytest.raises(ScriptFault):
        played(f"a.py padho{joint}hatao")


# ── failing ───────────────────────────────────────────────────────────────────────────────────
FAILS, PASSES = suite(ok=False, result="no"), suite(ok=True)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('tests chalao\n"x" bolo', [RUN]),
        ('tests chalao; "x" bolo', [RUN]),
        ('tests chalao phir "x" bolo', [RUN]),
        ("tests chalao | bolo", [RUN]),
        ('2 baar:\n tests chalao\nend\n"x" bolo', [RUN]),
        ('macro t\n tests chalao\nend\nt\n"x" bolo', [RUN]),
        ('r = tests chalao\n"x" bolo', [RUN]),
        ('tests chalao\nagar a.py hai to "y" bolo\n"x" bolo', [RUN]),
        ('tests chalao\nagar fail to "x" bolo', [RUN, said("x")]),
        ('tests chalao\nagar pass to "y" bolo\n"x" bolo', [RUN, said("x")]),
        ('tests chalao\nagar pass to "y" bolo warna "x" bolo', [RUN, said("x")]),
        ('tests chalao\nagar pass to "y" bolo\nagar fail to "x" bolo', [RUN, said("x")]),
        ('r = tests chalao\nif not pass then say "x"', [RUN, said("x")]),
        ('2 baar:\n tests chalao\nend\nagar fail to "x" bolo', [RUN, said("x")]),
        ('2 baar:\n tests chalao\n agar fail to "x" bolo\nend', [RUN, said("x"), RUN, said("x")]),
        ('macro t\n tests chalao\nend\nt\nagar fail to "x" bolo', [RUN, said("x")]),
        ('tests chalao; push karo\nagar fail to "x" bolo', [RUN, said("x")]),
        ('macro t\n tests chalao\n push karo\nend\nt\nagar fail to "x" bolo', [RUN, said("x")]),
        (
            'agar a.py nahi hai\n tests chalao\n push karo\nend\nagar fail to "x" bolo',
            [NO_A, RUN, said("x")],
        ),
        ('r = tests chalao\nagar fail to "{r}!" bolo', [RUN, said("no!")]),
    ],
)
def test_a_call_that_fails_ends_the_script_unless_the_next_line_asks(
    text: str, calls: list[tuple[str, dict[str, object]]]
) -> None:
    assert played(text, FAILS) == calls


def test_a_loop_goes_on_where_its_first_line_asks_how_the_last_went() -> None:
    loop = '2 baar:\n agar {} to "x" bolo\n tests chalao\nend\nagar fail to "y" bolo'
    asked = 'tests chalao\nagar fail to "a" bolo\n'
    assert played("tests chalao\n" + loop.format("fail"), FAILS) == [RUN]
    calls = played(asked + loop.format("pass"), FAILS)
    assert calls == [RUN, said("a"), said("x"), RUN, RUN, said("y")]


def test_what_was_asked_about_is_over_also_where_nothing_else_was_called() -> None:
    text = 'tests chalao\nagar fail to x = "1"\n*.log dhoondo\nunhe hatao\n"on" bolo'
    assert played(text, FAILS) == [RUN, ("Glob", {"pattern": "*.log"}), said("on")]
    macro = 'macro t\n tests chalao\n agar fail to x = "1"\nend\nt\n"on" bolo'
    assert played(macro, FAILS) == [RUN, said("on")]


def test_of_several_that_were_found_none_is_touched_after_one_failed() -> None:
    bad = stub("Read", ok=False, file_path="src/a.py")
    assert played("src mein python files dhoondo | padho", FOUND, bad) == BOTH[:2]


def test_the_outcome_is_that_of_the_last_call() -> None:
    text = 'tests chalao\n"x" bolo\nagar pass to "y" bolo warna "z" bolo'
    assert played(text, PASSES) == [RUN, said("x"), said("y")]


# ── conditions and loops ──────────────────────────────────────────────────────────────────────
SETUP = ("Glob", {"pattern": "setup.py"})
MADE = ("Write", {"file_path": "setup.py", "content": ""})


@pytest.mark.parametrize(
    ("text", "found", "calls"),
    [
        ("agar setup.py hai to setup.py padho", ["setup.py"], [SETUP, read("setup.py")]),
        ("agar setup.py hai to setup.py padho", [], [SETUP]),
        ("agar setup.py nahi hai to setup.py banao", [], [SETUP, MADE]),
        ("agar setup.py nahi hai to setup.py banao", ["setup.py"], [SETUP]),
        ("if setup.py exists then read setup.py else create setup.py", [], [SETUP, MADE]),
        ('f = setup.py\nagar $f hai to "x" bolo', ["setup.py"], [SETUP, said("x")]),
        ('f = "setup"\nagar {f}.py hai to "x" bolo', ["setup.py"], [SETUP, said("x")]),
    ],
)
def test_whether_a_file_exists_is_looked_up(
    text: str, found: list[str], calls: list[tuple[str, dict[str, object]]]
) -> None:
    assert played(text, stub("Glob", result=found, pattern="setup.py")) == calls


@pytest.mark.parametrize(
    ("condition", "output", "holds"),
    [
        ('$out mein "error" hai', "an error", True),
        ('$out mein "error" hai', "fine", False),
        ('$out mein "error" nahi hai', "fine", True),
        ("$out khaali hai", "", True),
        ("$out khaali hai", " \n", True),
        ("$out khaali hai", "x", False),
        ("$out khaali nahi hai", "x", True),
    ],
)
def test_values_are_asked_about(condition: str, output: str, holds: bool) -> None:
    text = f'out = tests chalao\nagar {condition} to "yes" bolo warna "no" bolo'
    calls = played(text, suite(ok=True, result=output))
    assert calls == [RUN, said("yes" if holds else "no")]


def test_for_each_goes_through_lists_and_lines() -> None:
    text = "files = src mein python files dhoondo\nhar f $files mein:\n  $f padho\nend"
    assert played(text, FOUND) == BOTH
    lines = stub("Bash", result="src/a.py\n\nsrc/b.py\n", command="git ls-files")
    text = "files = $ git ls-files\nfor each f in $files:\n  read $f\nend"
    assert played(text, lines)[1:] == BOTH[1:]


def test_loops_in_loops_and_ifs_in_loops() -> None:
    text = (
        "files = src mein python files dhoondo\n"
        "har f $files mein:\n"
        "  2 baar:\n"
        '    agar $f mein "b" hai to\n'
        "      $f padho\n"
        "    khatam\n"
        "  khatam\n"
        "khatam\n"
        '"done" bolo'
    )
    b = read("src/b.py")
    assert played(text, FOUND) == [GLOB, b, b, said("done")]


def test_a_macro_sees_and_sets_the_values_of_its_caller() -> None:
    text = 'macro greet\n "hi {who}" bolo\n who = "all"\nend\nwho = "you"\ngreet\ngreet karo'
    assert played(text) == [said("hi you"), said("hi all")]


def test_macros_call_macros() -> None:
    text = "macro a\n b\n b\nend\nmacro b\n push karo\nend\na"
    assert played(text) == [bash("git push")] * 2


def test_zero_times_is_not_at_all() -> None:
    assert played("0 baar:\n push karo\nend") == []


@pytest.mark.parametrize("count", ["many", "-1", str(MAX_REPEATS + 1)])
def test_loops_are_bounded(count: str) -> None:
    with pytest.raises(ScriptFault) as caught:
        played(f'n = "{count}"\n$n baar:\n push karo\nend')
    assert f"{MAX_REPEATS:,}" in str(caught.value)


def test_all_calls_of_a_run_are_bounded() -> None:
    text = f"{MAX_REPEATS} baar:\n{MAX_REPEATS} baar:\n push karo\nend\nend"
    with pytest.raises(ScriptFault) as caught:
        played(text)
    assert "10,000" in str(caught.value)


# ── confirming ────────────────────────────────────────────────────────────────────────────────
class Wary(Stubs):
    """Says no to what was only nearly understood."""

    async def confirm(self, reading: Reading, text: str, line: int) -> bool:
        self.calls.append(Planned(tool="asked", args={"text": text, "line": line}))
        return False


def test_what_is_not_confirmed_does_not_run_and_ends_the_script() -> None:
    program, wary = parse('"a" bolo\nold.log hatoa\n"b" bolo'), Wary()
    assert program.confirm
    trace = finished(runner_of(program, wary).run(program.script))
    assert not trace.ok
    assert trace.confirm
    assert [one.tool for one in wary.calls] == ["Say", "asked"]


class Broken(Stubs):
    """Everything fails."""

    async def call(self, planned: Planned, line: int) -> Answer:
        await super().call(planned, line)
        return Answer(ok=False, result="no")


def test_the_trace_tells_each_call_with_its_line_and_outcome() -> None:
    program = parse("# first\na.py padho\nagar fail to b.py padho")
    trace = finished(runner_of(program, Broken()).run(program.script))
    assert [(one.call.args["file_path"], one.ok, one.line) for one in trace.calls] == [
        ("a.py", False, 2),
        ("b.py", False, 3),
    ]
    assert not trace.ok
