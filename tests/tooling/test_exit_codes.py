"""When exit code 1 is an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.tooling.exit_codes import is_answer
from torture import examples

ANSWERS = [
    "grep x file",
    "/usr/bin/grep -rn x .",
    "cat file | grep x",
    "make; grep x log",
    "make\ngrep x log",
    "LC_ALL=C grep x file",
    "command grep x file",
    "cd src && grep -r x .",
    "cd src && export A=1 && rg x",
    "grep x a || grep y b",
    "make || test -f out",
    "rg 'a|b' src",
    'rg "a && b" src; ',
    "diff a b",
    "diff <(sort a) <(sort b)",
    "cmp a b",
    "test -f x",
    "[ -f x ]",
    "[[ $a == b* ]]",
    "git diff --exit-code",
    "git -C sub --no-pager grep x",
    "pgrep nothing",
    "grep x file 2>/dev/null",
    "for f in *; do grep x $f; done",
]
FAILURES = [
    "false",
    "make",
    "make && grep x log",
    "grep x log && make",
    "grep x log | wc -l",
    "grep x log &",
    "! grep x log",
    "set -o pipefail; cat missing | grep x",
    "set -e; cd missing; grep x y",
    "if grep x y; then false; fi",
    "(cd a; false)",
    "git push",
    "git",
    "echo grep",
    "xgrep a",
    "grep 'unbalanced",
    "python -c 'exit(1)'  # grep",
    "",
    "   ",
    ";",
    "A=1",
]


@pytest.mark.parametrize("command", ANSWERS)
def test_one_is_an_answer_of_programs_that_search_compare_or_test(command: str) -> None:
    assert is_answer(command, 1)
    assert not is_answer(command, 2)
    assert not is_answer(command, 0)
    assert not is_answer(command, 130)


@pytest.mark.parametrize("command", FAILURES)
def test_one_is_a_failure_of_everything_else(command: str) -> None:
    assert not is_answer(command, 1)


@given(command=st.text())
@examples(in_ci=300, in_torture=50_000)
@pytest.mark.torture
def test_whatever_is_written_it_is_judged(command: str) -> None:
    assert isinstance(is_answer(command, 1), bool)


COMPLAINTS = {
    "a directory that is not there": "bash: line 1: cd: nowhere: No such file or directory\n",
    "a file that is not there": "some text\nbash: line 12: missing: No such file or directory\n",
    "a bash elsewhere": "/usr/bin/bash: line 3: out: Permission denied\n",
}


@pytest.mark.parametrize("printed", COMPLAINTS.values(), ids=COMPLAINTS)
def test_where_the_shell_itself_complains_it_is_a_failure(printed: str) -> None:
    assert not is_answer("cd nowhere && grep x <missing >out", 1, printed)
    assert is_answer("cd nowhere && grep x <missing >out", 1, "> " + printed.splitlines()[-1])
