"""Whose exit code it is: bash itself is the judge.

Each command line is run twice with stand-ins on the PATH. In the second run the searching programs
end with 2 instead of 1: if the line's own code changes from 1 to 2, it was theirs.
"""

import os
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.tooling.exit_codes import is_answer
from torture import examples

SEARCHES = ("grep", "diff", "cmp", "rg")
FAILS = ("fails", "make")
WORKS = ("works", "cat")

Judge = Callable[[str], tuple[int, bool]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Runs a line: its exit code, and whether that is the answer of a program that searches."""
    folder = tmp_path_factory.mktemp("programs")
    for names, code in ((SEARCHES, "${ANSWER}"), (FAILS, "1"), (WORKS, "0")):
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
            (folder / name).chmod(0o755)

    def code_of(line: str, answer: int) -> int:
        env = {"PATH": f"{folder}:{os.environ['PATH']}", "ANSWER": str(answer)}
        ran = subprocess.run(
            ["bash", "-c", line],
            env=env,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        return ran.returncode

    def judge(line: str) -> tuple[int, bool]:
        code = code_of(line, 1)
        return code, code == 1 and code_of(line, 2) == 2

    return judge


# ── lines that people write: here the answer must be recognised ───────────────────────────────
RECOGNISED = [
    "grep x file",
    "grep -q 'a b' file",
    'grep "it\'s" file',
    "grep -c x <file_of_nothing || grep y z",
    "works; grep x",
    "echo a && grep x",
    "[ -f x ] || grep x",
    "grep x && grep y",
    "grep x file && echo found",
    "works | grep x && echo found",
    "for i in 1 2; do grep x $i; done",
    "if works; then grep x; else echo no; fi",
    "case a in a) grep x ;; esac",
    "works | grep x",
    "works | works | grep x",
    "works | grep x | grep y",
    "fails | grep x",
    "fails; grep x",
    "fails || grep x",
    "cd . && grep -r x .",
    "cd . && export A=1 && grep -r x .",
    "LC_ALL=C grep x file",
    "LC_ALL=C LANG=C grep x file",
    "command grep x file",
    "env grep x file",
    "env LC_ALL=C grep x file",
    "time grep x file",
    "nice grep x file",
    "nice -n 5 grep x file",
    "timeout 5 grep x file",
    "stdbuf -oL grep x file",
    "grep x file; ",
    "grep x file\n",
    "\n\n  grep x file",
    "# look for x\ngrep x file",
    "grep x file # is it there?",
    "grep x file >/dev/null",
    "grep x file 2>&1",
    "grep x file >out 2>&1 </dev/null",
    "2>/dev/null grep x file",
    "diff a b",
    "diff <(works) <(works)",
    "cmp -s a b",
    "rg x",
    "rg 'a|b' .",
    "rg 'a && b; c' .",
    "works\ngrep x file",
    "cd . &&\n  grep x file",
    "works |\n  grep x file",
    "grep \\\n  x file",
    "works & grep x file",
    "(grep x file)",
    "{ grep x file; }",
    ": && (cd . && grep x file)",
    "if works; then works; fi; grep x file",
    "for i in 1 2; do works; done; grep x file",
    "x=$(works); grep $x file",
    "grep $(works) file",
    "grep x <<< text",
    "grep x <<'END'\ntext\nEND",
]


@pytest.mark.parametrize("line", RECOGNISED)
def test_an_answer_is_recognised_for_what_it_is(judged: Judge, line: str) -> None:
    code, is_theirs = judged(line)
    assert (code, is_theirs) == (1, True), "the example itself is wrong"
    assert is_answer(line, code)


# ── lines where the code is somebody else's: here it must not be taken for an answer ──────────
NOT_THEIRS = [
    "fails",
    "grep x; fails",
    "grep x || fails",
    "grep x | fails",
    "fails && grep x",
    "works && fails && grep x",
    "! works",
    "! works | works",
    "(exit 1)",
    "exit 1",
    "false",
    "grep x; exit 1",
    "grep x; false",
    "grep x | works; fails",
    "set -o pipefail; fails | works",
    "set -e; fails; grep x",
    "if works; then fails; fi",
    "grep() { fails; }; grep x",
    "env fails grep",
    "fails grep x",
    "time fails",
    "timeout 5 fails",
    "bash -c fails",
    "xargs grep x </dev/null; fails",
    "works && (grep x; fails)",
    "{ grep x; fails; }",
    "for i in grep; do fails; done",
    "echo 'grep x'; fails",
    "fails # grep x",
    "fails; # grep",
    "x=$(fails)",
    "eval fails",
    "trap 'exit 1' EXIT; grep x",
    "alias grep=fails; fails",
]


@pytest.mark.parametrize("line", NOT_THEIRS)
def test_a_failure_is_not_taken_for_an_answer(judged: Judge, line: str) -> None:
    code, is_theirs = judged(line)
    assert (code, is_theirs) == (1, False), "the example itself is wrong"
    assert not is_answer(line, code)


# ── any line ──────────────────────────────────────────────────────────────────────────────────
names = st.sampled_from((*SEARCHES, *FAILS, *WORKS))
prefixes = st.sampled_from(("", "", "", "LC_ALL=C ", "command ", "env ", "env A=1 ", "time ", "! "))
arguments = st.sampled_from(
    ("", " x", " 'a; b'", " -q x", " x >/dev/null", " x 2>&1", ' "&& fails"')
)
commands = st.builds("{}{}{}".format, prefixes, names, arguments)
operators = st.sampled_from((" ; ", " && ", " || ", " | ", "\n", " |& ", " & "))


def joined(first: str, rest: list[tuple[str, str]]) -> str:
    return first + "".join(f"{operator}{command}" for operator, command in rest)


lists = st.builds(joined, commands, st.lists(st.tuples(operators, commands), max_size=3))
groups = st.one_of(
    st.builds("({})".format, lists),
    st.builds("{{ {}\n}}".format, lists),
    st.builds("if {}\nthen {}\nfi".format, lists, lists),
    st.builds("x=$({})".format, lists),
)
lines = st.builds(
    "{}{}{}".format,
    st.sampled_from(("", "", "", "set -e; ", "set -o pipefail; ", "cd . && ", "# note\n")),
    st.builds(
        joined, st.one_of(commands, groups), st.lists(st.tuples(operators, commands), max_size=3)
    ),
    st.sampled_from(("", "", ";", "\n", " # grep", " &")),
)


@given(line=lines)
@examples(in_ci=250, in_torture=20_000)
@pytest.mark.torture
def test_nothing_is_taken_for_an_answer_that_is_none(judged: Judge, line: str) -> None:
    if is_answer(line, 1):
        code, is_theirs = judged(line)
        assert code != 1 or is_theirs


@given(line=st.text(st.sampled_from("grep x;&|!(){}<>'\"\\\n $`#=")), code=st.integers(0, 255))
@examples(in_ci=250, in_torture=20_000)
@pytest.mark.torture
def test_any_text_gets_a_verdict_and_only_code_1_is_an_answer(line: str, code: int) -> None:
    assert is_answer(line, code) in (False, code == 1)
