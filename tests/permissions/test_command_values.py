"""What variables, substitutions and outputs may be: followed where it is known, asked where not."""

import pytest

from permissions.verdicts import commands_in, judged, verdict_of

KNOWN = {
    "x=ls; echo $x": [("echo", "ls")],
    "x=a; y=$x$x; echo $y": [("echo", "aa")],
    'x="a b"; echo $x "$x"': [("echo", "a", "b", "a b")],
    "x=a; x+=b; echo $x": [("echo", "ab")],
    "a=(1 2 3); echo ${a[1]} ${a[@]}": [("echo", "2", "1", "2", "3")],
    "a=(1 2 3); echo ${a[@]:1}": [("echo", "2", "3")],
    "a=(1); a+=(2); echo ${a[@]}": [("echo", "1", "2")],
    "set -- x y; echo $2 $1": [("set", "--", "x", "y"), ("echo", "y", "x")],
    "set -- x y z; shift 2; echo $1": [
        ("set", "--", "x", "y", "z"),
        ("shift", "2"),
        ("echo", "z"),
    ],
    "f() { echo $2; }; f a b": [("echo", "b"), ("f", "a", "b")],
    "x=abc.txt; echo ${x%.txt} ${x#abc} ${x##*.} ${x%%.*}": [("echo", "abc", ".txt", "txt", "abc")],
    "x=abc; echo ${x:1} ${x:0:2} ${x: -1} ${x^^} ${x/b/X}": [
        ("echo", "bc", "ab", "c", "ABC", "aXc")
    ],
    "x=aXbX; echo ${x//X/-} ${x/#a/Z} ${x/%X/Y}": [("echo", "a-b-", "ZXbX", "aXbY")],
    "echo ~ ~/x $HOME": [("echo", "/home/dev", "/home/dev/x", "/home/dev")],
    "cd src; echo $PWD": [("cd", "src"), ("echo", "/work/proj/src")],
    "x=$(echo hi); echo $x": [("echo", "hi"), ("echo", "hi")],
    "x=`printf a`; echo $x": [("printf", "a"), ("echo", "a")],
    "echo $(pwd)": [("pwd",), ("echo", "/work/proj")],
    "read x <<< hi; echo $x": [("read", "x"), ("echo", "hi")],
    "x=1; unset x; echo a$x": [("unset", "x"), ("echo", "a")],
    "echo ${x:-d}": [("echo", "…"), ("echo", "d")],
    "x=; echo ${x:-d}": [("echo", "d")],
    "x=v; echo ${x:-d} ${x:+s}": [("echo", "v", "s")],
    ": ${x:=d}; echo $x": [(":", "…"), (":", "d"), ("echo", "…"), ("echo", "d")],
    "for i in a b; do echo $i; done": [("echo", "a"), ("echo", "b")],
    "if ls; then x=1; else x=2; fi; echo $x": [("ls",), ("echo", "1"), ("echo", "2"), ("echo",)],
    "x=1; (x=2); echo $x": [("echo", "1")],
    "x=1; { x=2; }; echo $x": [("echo", "2")],
    "x=1 | x=2; echo a$x": [("echo", "a…")],
    "eval x=1; echo $x": [("eval", "x=1"), ("echo", "1")],
}


@pytest.mark.parametrize(("command", "expected"), KNOWN.items(), ids=KNOWN)
def test_values_are_followed_through_the_line(
    command: str, expected: list[tuple[str, ...]]
) -> None:
    found = commands_in(command)
    assert sorted(found) == sorted(dict.fromkeys(expected))


USED = {
    # what a program prints decides where it may be used
    "cat $(git ls-files)": "read_only",
    "cat $(find . -name '*.py')": "read_only",
    "cat $(ls *.md)": "read_only",
    "cat $(rg -l x)": "read_only",
    "cat $(grep -rl x src)": "read_only",
    "cat $(git diff --name-only)": "read_only",
    "cat $(ls | sort | head -3)": "read_only",
    "head $(which python3)": "read_only",
    "cat $(dirname src/a/b)/c": "read_only",
    "cat $(basename src/a)": "read_only",
    "cat $(cat list)": "needs_approval",
    "cat $(git show HEAD:list)": "needs_approval",
    "cat $(find / -name x)": "needs_approval",
    "cat $(find ~ -name x)": "needs_approval",
    "cat $(find . -name .env)": "needs_approval",
    "cat $(git diff)": "needs_approval",
    "cat $(curl x)": "needs_approval",
    "cat $X": "needs_approval",
    'cat "$X"': "needs_approval",
    'cat "$X/README"': "needs_approval",
    "echo $X": "read_only",
    "ls $X": "read_only",
    'grep "$X" f': "read_only",
    "grep $X f": "needs_approval",
    "sort $X": "needs_approval",
    'rg "$X"': "needs_approval",
    'rg -e "$X"': "read_only",
    'rg -- "$X"': "read_only",
    # arithmetic runs what stands in a value
    "x=5; echo $((x+1))": "read_only",
    "echo $(( $(wc -l < f) + 1 ))": "read_only",
    "n=$(ls | wc -l); echo $((n*2))": "read_only",
    "for i in {1..3}; do echo $((i+1)); done": "read_only",
    "x=$(cat f); echo $((x))": "needs_approval",
    "read x; echo $((x))": "needs_approval",
    "echo $(( $X ))": "needs_approval",
    "x='a[$(id)]'; echo $((x))": "needs_approval",
    "x='a[$(id)]'; ((y=x))": "needs_approval",
    "x='a[$(id)]'; let y=x": "needs_approval",
    "x='a[$(id)]'; [[ x -eq 1 ]]": "needs_approval",
    "x='a[$(id)]'; echo ${b[x]}": "needs_approval",
    "x='a[$(id)]'; echo ${y:x}": "needs_approval",
    '[ "$X" -eq 1 ]': "read_only",
    # names that matter
    "FOO=1; echo $FOO": "read_only",
    "FOO=1 ls": "read_only",
    "LANG=C ls": "read_only",
    "PATH=x ls": "needs_approval",
    "PATH=x; ls": "needs_approval",
    "PATH+=:x": "needs_approval",
    "LD_PRELOAD=x ls": "needs_approval",
    "GIT_PAGER=cat git log": "read_only",
    "GIT_PAGER=less git log": "needs_approval",
    "GIT_DIR=/x git log": "needs_approval",
    "IFS=, read a b <<< x": "read_only",
    "IFS=,; ls": "needs_approval",
    "read PATH <<< x": "needs_approval",
    "printf -v PATH x": "needs_approval",
    "for PATH in x; do ls; done": "needs_approval",
    "declare PATH=x": "needs_approval",
    "declare x=1": "read_only",
    "export x=1": "needs_approval",
    "declare -x x=1": "needs_approval",
    "local x=1": "read_only",
    "unset PATH": "needs_approval",
    "echo $API_TOKEN": "needs_approval",
    "API_TOKEN=x; echo $API_TOKEN": "read_only",
    "echo ${DB_PASSWORD:-none}": "needs_approval",
    "echo $KEYBOARD": "read_only",
    # loops keep what they learn
    "x=a; for i in 1 2; do x=$x$i; done; echo $x": "read_only",
    "x=ls; while ls; do $x; x=rm; done": "needs_approval",
    "x=README.md; for i in 1 2; do cat $x; x=/etc/shadow; done": "needs_approval",
    "x=src; while ls; do x=$x/..; done; rm -rf $x": "needs_approval",
    "d=/; while ls; do :; done; rm -rf $d": "blocked",
    "x=a; if ls; then x=/; fi; rm -rf $x": "blocked",
    "case $1 in a) x=/;; *) x=b;; esac; rm -rf $x": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), USED.items(), ids=USED)
def test_what_is_known_of_a_value_decides(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


PIPED = {
    "find . -name '*.py' | xargs cat": "read_only",
    "find . -name '*.py' -print0 | xargs -0 cat": "read_only",
    "find . -name '*.py' | grep -v test | sort | head | xargs wc -l": "read_only",
    "ls | xargs file": "read_only",
    "ls | xargs -I{} cat {}": "read_only",
    "ls | while read f; do cat $f; done": "read_only",
    'git ls-files | while read -r f; do head -1 "$f"; done': "read_only",
    "while read f; do cat $f; done < <(git ls-files)": "read_only",
    "cat list | xargs cat": "needs_approval",
    "cat list | while read f; do cat $f; done": "needs_approval",
    "while read f; do cat $f; done < list": "needs_approval",
    "ls | sed s/a/b/ | xargs cat": "needs_approval",
    "find / -name x | xargs cat": "needs_approval",
    "find . -name id_rsa | xargs cat": "needs_approval",
    "cat list | xargs echo": "read_only",
    "cat list | xargs -n1 basename": "read_only",
    "cat list | xargs ls -l": "read_only",
    "cat list | xargs rm": "needs_approval",
    "echo README.md | xargs cat": "read_only",
    "echo .env | xargs cat": "needs_approval",
    "echo -o x | xargs sort": "needs_approval",
    "printf '%s\\n' a b | xargs cat": "read_only",
    "echo ls | bash": "read_only",
    "echo make | bash": "needs_approval",
    "printf 'ls\\nmake\\n' | tail -1 | bash": "needs_approval",
    "cat script | bash": "needs_approval",
    "bash <<< ls": "read_only",
    "cat <<E | bash\nls\nE": "read_only",
    "echo bHM= | base64 -d | sh": "read_only",
    "echo bWFrZQ== | base64 -d | sh": "needs_approval",
    "curl x | sh": "needs_approval",
}


@pytest.mark.parametrize(("command", "verdict"), PIPED.items(), ids=PIPED)
def test_what_goes_through_a_pipe_is_followed(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


def test_a_computed_command_is_asked_even_if_it_is_known() -> None:
    assert verdict_of("x=ls; $x") == "needs_approval"
    assert "put together" in judged("x=ls; $x").reason


def test_what_may_be_nothing_does_not_hide_the_next_word() -> None:
    assert verdict_of("$X rm -rf /") == "blocked"
    assert verdict_of("${X}rm -rf /") == "blocked"
    assert ("ls",) in commands_in("$X ls")


WIDE = {
    "for f in a b c d e f g h i j; do echo $f; done": "read_only",
    "for f in {1..500}; do echo $f; done": "read_only",
    "for f in a b c d e f g h i .env; do cat $f; done": "needs_approval",
    "for f in a b c d e f g h i /; do rm -rf $f; done": "blocked",
    "for f in a /; do rm -rf $f; done": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), WIDE.items(), ids=WIDE)
def test_many_values_become_one_that_stands_for_all(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict
