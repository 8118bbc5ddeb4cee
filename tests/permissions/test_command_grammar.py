"""How a line is read: word by word as bash reads it, command by command as bash runs them."""

import random
import re
import subprocess
from pathlib import Path

import pytest

from ankrcode.permissions.shell.braces import expanded
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.syntax import (
    Branches,
    Case,
    Condition,
    Coprocess,
    CountedFor,
    For,
    Function,
    Group,
    Loop,
    Pipeline,
    Simple,
    Subshell,
    Text,
)
from ankrcode.permissions.shell.walking import simple_commands
from ankrcode.permissions.shell.witness import is_plain, names_by_tree_sitter, witness
from permissions.verdicts import HOME, commands_in, labelled, verdict_of
from torture import IS_TORTURE

WORDS = 20_000 if IS_TORTURE else 1_500


def first(text: str) -> object:
    return parse(text).script.items[0][1]


def names(text: str) -> list[str]:
    """The first word of every simple command, as it is written."""
    return [
        "".join(part.text for part in node.words[0].parts if isinstance(part, Text))
        for node in simple_commands(parse(text).script)
        if node.words
    ]


# ── words, compared with bash ─────────────────────────────────────────────────────────────────
PIECES = [
    *("a", "b c", "x", "-n", "", "é", "1", "a,b", "..", "=", "%", "@", "+", ":", "#", "^"),
    *("'q'", "'a b'", "'$x'", "''", "'\\'", '"d"', '"a b"', '"\\$x"', '"\\a"', '"\\\\"', '""'),
    *("\\a", "\\ ", "\\'", '\\"', "\\\\", "\\$", "\\{", "\\}", "\\\n", "\\,", "\\*"),
    *("$'t\\tb'", "$'\\x41'", "$'\\101'", "$'\\u00e9'", "$'\\''", "$'a\\\\'", "$'\\e'", '$"l"'),
    *("{a,b}", "{1..3}", "{x,y{1,2}}", "{a}", "{", "}", "{}", "{,z}", "{c..a}", "{01..03}"),
    *("~", "~/x", "*", "?", "[ab]", "!", "$", "$$x"[:1], "{a,'b c'}", '{"x y",z}', "{3..1..2}"),
]


def words(chance: random.Random) -> str:
    return " ".join(
        "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 3)))
        for _ in range(chance.randint(1, 4))
    )


def by_bash(lines: list[str], folder: Path) -> list[list[str] | None]:
    """The arguments that bash makes of each line; None where it cannot read it."""
    done = subprocess.run(
        ["/bin/bash", "--norc"],
        input=arguments_of(lines).encode(),
        cwd=folder,
        env={"HOME": HOME, "PATH": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    answers = done.stdout.decode("utf-8").split("\1")[:-1]
    return [None if one.endswith("F") else one.split("\0")[:-1] for one in answers]


def quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def arguments_of(lines: list[str]) -> str:
    """A script that says the arguments of each line, or F."""
    show = "show() { for a; do printf '%s\\0' \"$a\"; done; }\n"
    return show + "\n".join(
        f"eval {quote('show ' + line)} 2>/dev/null || printf F; printf '\\1'" for line in lines
    )


def as_bash(text: str) -> str:
    """Nobody of that name lives here: bash leaves ~name alone, we think of a home."""
    return text if text.startswith(HOME) else re.sub(r"^/home/", "~", text)


@pytest.mark.torture
def test_words_become_the_arguments_that_bash_makes_of_them(tmp_path: Path) -> None:
    chance = random.Random(None if IS_TORTURE else 5)
    lines = [words(chance) for _ in range(WORDS)]
    theirs = by_bash(lines, tmp_path)
    assert len(theirs) == len(lines)
    compared = 0
    for line, expected in zip(lines, theirs, strict=True):
        found = [argv for argv in commands_in(f"show {line}") if argv[0] == "show"]  # or its `dd`
        if expected is None or not found or "…" in "".join(found[0]) or "~+" in line:
            continue
        compared += 1
        assert [as_bash(text) for text in found[0][1:]] == expected, repr(line)
    assert compared > 0.8 * WORDS


BRACES = {
    "a{b,c}d": ["abd", "acd"],
    "{1..4}": ["1", "2", "3", "4"],
    "{4..1}": ["4", "3", "2", "1"],
    "{1..10..4}": ["1", "5", "9"],
    "{a..d..2}": ["a", "c"],
    "{08..10}": ["08", "09", "10"],
    "{-2..1}": ["-2", "-1", "0", "1"],
    "{a,b}{1,2}": ["a1", "a2", "b1", "b2"],
    "{a,{b,c}}": ["a", "b", "c"],
    "{a}": ["{a}"],
    "{}": ["{}"],
    "{,}": ["", ""],
    "x{a,b": ["x{a,b"],
    "a,b}": ["a,b}"],
    "{a..}": ["{a..}"],
    "{1..2,x}": ["1..2", "x"],
}


@pytest.mark.parametrize(("word", "expected"), BRACES.items(), ids=BRACES)
def test_braces_are_multiplied_out(word: str, expected: list[str]) -> None:
    found = expanded((Text(word, quoted=False),))
    texts = ["".join(part.text for part in one if isinstance(part, Text)) for one in found]
    assert texts == expected


def test_quoted_braces_are_text() -> None:
    assert commands_in("echo '{a,b}' \"{c,d}\" \\{e,f}") == [("echo", "{a,b}", "{c,d}", "{e,f}")]


# ── constructs ────────────────────────────────────────────────────────────────────────────────
FORMS = {
    "ls -la": Simple,
    "ls | wc": Pipeline,
    "(ls)": Subshell,
    "{ ls; }": Group,
    "if ls; then id; fi": Branches,
    "while ls; do id; done": Loop,
    "until ls; do id; done": Loop,
    "for x in a b; do ls; done": For,
    "for x; do ls; done": For,
    "select x in a; do ls; done": For,
    "for ((i=0;i<3;i++)); do ls; done": CountedFor,
    "case x in a) ls;; esac": Case,
    "f() { ls; }": Function,
    "function f { ls; }": Function,
    "[[ a == b ]]": Condition,
    "ls &": Coprocess,
    "coproc ls": Coprocess,
}


@pytest.mark.parametrize(("text", "form"), FORMS.items(), ids=FORMS)
def test_each_construct_is_recognised(text: str, form: type) -> None:
    assert parse(text).fault == ""
    assert isinstance(first(text), form)


COMMANDS = {
    "ls; id; pwd": ["ls", "id", "pwd"],
    "ls && id || pwd": ["ls", "id", "pwd"],
    "ls | wc -l |& cat": ["ls", "wc", "cat"],
    "ls & id": ["ls", "id"],
    "ls\nid\n\npwd": ["ls", "id", "pwd"],
    "ls # id\npwd": ["ls", "pwd"],
    "ls \\\n -l": ["ls"],
    "echo $(id)": ["echo", "id"],
    "echo `id`": ["echo", "id"],
    'echo "a $(id) b"': ["echo", "id"],
    "echo '$(id)'": ["echo"],
    "echo \\$(id)": [],
    'echo "\\$(id)"': ["echo"],
    "echo $((1 + $(id)))": ["echo", "id"],
    "echo ${x:-$(id)}": ["echo", "id"],
    'echo "${x:-$(id)}"': ["echo", "id"],
    "echo ${x/`id`/b}": ["echo", "id"],
    "echo ${a[$(id)]}": ["echo", "id"],
    "a[$(id)]=1": ["id"],
    "a=($(id) b)": ["id"],
    "x=$(id) ls": ["ls", "id"],
    "cat <(id) >(wc)": ["cat", "id", "wc"],
    "cat <<< $(id)": ["cat", "id"],
    "cat <<E\n$(id) `pwd`\nE": ["cat", "id", "pwd"],
    "cat <<'E'\n$(id)\nE": ["cat"],
    "cat <<-E | wc\n\t$(id)\n\tE": ["cat", "id", "wc"],
    "cat <<A <<B\n$(a1)\nA\n$(b1)\nB\nls": ["cat", "a1", "b1", "ls"],
    "[[ -f $(id) ]]": ["id"],
    "(( $(id) ))": ["id"],
    "for x in $(id); do ls; done": ["id", "ls"],
    "case $(id) in $(pwd)) ls;; esac": ["id", "pwd", "ls"],
    "f() { ls; }; f": ["ls", "f"],
    "f() (ls)": ["ls"],
    "function f() { ls; }": ["ls"],
    "time ls": ["ls"],
    "time -p ls | wc": ["ls", "wc"],
    "! ls": ["ls"],
    "coproc N { ls; }": ["ls"],
    "{ ls; } > >(wc)": ["ls", "wc"],
    "if ls; then id; elif pwd; then wc; else cat; fi": ["ls", "id", "pwd", "wc", "cat"],
    "while ls; do id; done < <(pwd)": ["ls", "id", "pwd"],
    "echo `ls \\`id\\``": ["echo", "ls", "id"],
    "echo $(ls $(id $(pwd)))": ["echo", "ls", "id", "pwd"],
    "$((ls); id)": [],
    "echo $((ls); id)": ["echo", "ls", "id"],
    "((ls); id)": ["ls", "id"],
}


@pytest.mark.parametrize(("text", "expected"), COMMANDS.items(), ids=COMMANDS)
def test_every_command_is_found(text: str, expected: list[str]) -> None:
    found = [name for name in names(text) if name]
    if expected:
        assert parse(text).fault == ""
        assert sorted(found) == sorted(expected)
    else:
        assert verdict_of(text) == "needs_approval"


FAULTY = [
    *("ls (", "ls )", "(ls", "ls)", "{ ls", "{ ls; ", "if ls", "if ls; then", "fi", "done", "then"),
    *("while ls; do", "for", "for x in a"),
    *("for 1 in a; do ls; done", "case", "case x in a", "esac"),
    *("case x in a) ls", "[[", "[[ a", "((", "((1", "$(", "echo $(", "echo `", "echo '", 'echo "'),
    *("echo ${", "echo ${x", "echo ${x:-", "echo $((", "ls |", "| ls", "ls &&", "&& ls", "ls ||"),
    *("ls ; ;", ";", "& ls", "ls & ; id", "cat <<E"),
    *("cat <<E\nx", "cat <<", "ls >", "ls <", "ls 2>"),
    *("f() ls", "f()", "function", "function f", "a=(", "a=(b", "echo \\", "ls ;; id", "coproc"),
    *("echo ${ ls; }", "echo ${| ls; }", "echo !(a)x", "select"),
    *("time (", "! (", "echo $[1", "<(ls"),
    *("cat <<$x\n$x", "if ; then ls; fi", "while ; do ls; done"),
    *("for x in a; do done", "{ }", "()"),
]


@pytest.mark.parametrize("text", FAULTY)
def test_what_cannot_be_read_is_never_let_through(text: str) -> None:
    assert verdict_of(text) == "needs_approval"


def test_what_stands_before_a_fault_is_still_looked_at() -> None:
    assert verdict_of("rm -rf /\nls (") == "blocked"
    assert verdict_of("ls\nls (") == "needs_approval"


def test_what_other_shells_read_otherwise_is_marked() -> None:
    for text in ("[[ a ]]", "echo $'x'", "cat <(ls)", "a=(b)", "ls &> f", "echo ${x//a/b}"):
        assert parse(text).bashisms, text
    for text in ("ls | wc", "if ls; then id; fi", "echo ${x:-y}", "f() { ls; }", "ls 2>&1"):
        assert not parse(text).bashisms, text


def test_the_same_text_gives_the_same_tree() -> None:
    assert parse("ls -la | wc") is parse("ls -la | wc")


# ── the second reader ─────────────────────────────────────────────────────────────────────────
def test_both_readers_agree_on_the_harmless_lines() -> None:
    assert [line for line in labelled("read_only") if witness(line)] == []


def test_the_second_reader_really_reads() -> None:
    assert names_by_tree_sitter("ls | wc; echo $(id)") == {"ls", "wc", "echo", "id"}
    assert names_by_tree_sitter("ls )") == set()


def test_a_command_that_only_the_second_reader_sees_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ankrcode.permissions.shell import witness as module

    monkeypatch.setattr(module, "names_by_tree_sitter", lambda command: {"ls", "hidden"})
    witness.cache_clear()
    assert "hidden" in witness("ls -l *.py")
    assert verdict_of("ls -l *.py") == "needs_approval"
    witness.cache_clear()


def test_a_plain_line_does_without_the_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    from ankrcode.permissions.shell import witness as module

    monkeypatch.setattr(module, "names_by_tree_sitter", pytest.fail)
    witness.cache_clear()
    for line in (
        "ls -la",
        "sleep 0.5; printf '%s_%s' 7 par",
        'git log --format=%h | head -3 && cd "a b"',
    ):
        assert witness(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "ls *",
        "echo $HOME",
        "a\\b",
        "a `b`",
        "(a)",
        "{ a; }",
        "a > b",
        "a & b",
        "a # b",
        "! a",
        "a ~",
        'a "$b"',
        "a 'b\nc'",
        "a\nb",
        "if a; then b; fi",
        "time ls",
        "for x in y; do z; done",
        "a ;; b",
        "a |& b",
        "a[0]=1",
        "a=1 b",
        "dd if=x",
        "ü",
    ],
)
def test_whatever_could_be_misread_is_not_plain(line: str) -> None:
    assert not is_plain(line)


@pytest.mark.torture
def test_of_what_is_plain_both_readers_find_the_same() -> None:
    chance = random.Random(20261115)
    pieces = [
        *"ab1_./:,@%+=-",
        " ",
        "\t",
        ";",
        "&&",
        "|",
        "||",
        "'x y'",
        "''",
        '"p q"',
        "ls",
        "in",
        "-n",
    ]
    plain = 0
    for _ in range(20 * WORDS):
        line = "".join(chance.choices(pieces, k=chance.randint(1, 12)))
        if not is_plain(line):
            continue
        plain += 1
        words = {
            "".join(part.text for part in word.parts if isinstance(part, Text))
            for node in simple_commands(parse(line).script)
            for word in node.words
        }
        assert names_by_tree_sitter(line) <= words, line
    assert plain > 5 * WORDS


@pytest.mark.parametrize(
    "line",
    [
        'echo "$\\\n(touch x)"',
        "echo $\\\n(touch x)",
        "echo $\\\n{x}",
        'echo "$\\\n{x:-$(touch y)}"',
        "cat $\\\nHOME/.ssh/id_rsa",
        "cat $HO\\\nME/.ssh/id_rsa",
        "cat $HO\\\n\\\nME/.ssh/id_rsa",
        "cat <<E\n$\\\n(touch x)\nE",
        "ls ~:$x",
        "ls ~=~",
    ],
)
def test_a_continued_line_hides_no_expansion(line: str) -> None:
    """Where bash reads on as if there were no break, we would read two things."""
    assert verdict_of(line) == "needs_approval"


@pytest.mark.parametrize("line", ["ls $HOME\\\n/src", "ls $HOME \\\n  src", "ls \\\n-la", "l\\\ns"])
def test_a_continued_line_is_read_where_nothing_is_cut(line: str) -> None:
    assert verdict_of(line) == "read_only"


@pytest.mark.parametrize(
    ("word", "meant"),
    {
        "of=~/x": "of=/home/dev/x",
        "c=~": "c=/home/dev",
        "c+=~": "c+=/home/dev",
        "c=~/x:~/y": "c=/home/dev/x:/home/dev/y",
        "c=a:~": "c=a:/home/dev",
        "--c=~": "--c=~",
        "1=~": "1=~",
        "c='~'": "c=~",
        "c=~'/x'": "c=~/x",
    }.items(),
)
def test_what_looks_like_an_assignment_has_its_tilde_expanded(word: str, meant: str) -> None:
    assert commands_in(f"show {word}") == [("show", meant)]
