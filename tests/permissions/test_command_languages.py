"""Little languages inside arguments: awk, sed, jq, and code that is always asked."""

import pytest

from ankrcode.permissions.programs import awk, sed
from permissions.verdicts import judged, verdict_of

AWK_HARMLESS = [
    "{print $1}",
    "$3 > 100",
    "$3 > 100 {print $1}",
    "{ if ($1 > 5) print }",
    "{print ($1 > 5)}",
    '{printf "%s\\n", $1}',
    "/a|b/ {print}",
    "$0 ~ /x>y/ {print}",
    'BEGIN {FS=","} {print $2}',
    "{n = $1 / 2; print n}",
    "{a[$1] += $2} END {for (k in a) print k, a[k]}",
    '{gsub(/\\|/, "-"); print}',
    '# system("id")\n{print}',
    '{print "system(id) | sh > f"}',
    "{while ((getline line) > 0) n++} END {print n}",
    "function f(a, b) {return a > b} {print f($1, $2)}",
    '{print > "/dev/stderr"}',
    "NR == 1, NR == 5",
    "{print substr($0, 1, 3); next}",
    "!seen[$0]++",
    "{ print length($0) }",
    '$1 == "a" || $2 == "b"',
    "{x = y ~ /a/ ? 1 : 2; print x}",
    "{print; exit}",
    "{ delete a[1]; print }",
    "BEGIN { while (i < 3) { print i; i++ } }",
    '{ $2 = ""; print }',
    "/\\// {print}",
    "/[/]/ {print}",
]


@pytest.mark.parametrize("program", AWK_HARMLESS)
def test_awk_that_prints_is_harmless(program: str) -> None:
    assert awk.read(program).doubt == ""
    assert awk.read(program).reads == []


AWK_HARMFUL = [
    '{print > "f"}',
    '{print >> "f"}',
    "{print > $1}",
    '{print $1 > "f" $2}',
    '{printf "%s", $1 > "f"}',
    '{print > "/dev/stdout" $1}',
    'BEGIN {system("id")}',
    "{ system( $1 ) }",
    '{print | "sh"}',
    '{print |& "sh"}',
    '"id" | getline',
    'BEGIN { cmd = "id"; cmd | getline x }',
    "{ getline x < $1 }",
    '{ getline x < "a" $1 }',
    '@load "fork"',
    '@include "x"',
    'BEGIN { f = "system"; @f("id") }',
    "BEGIN { for (k in ENVIRON) print k }",
    'BEGIN { print ENVIRON["SECRET"] }',
    'BEGIN { PROCINFO["x"] = 1 }',
    "{ print ` }",
    '{ print "unclosed }',
    "/unclosed",
    "{ print \\ }",
]


@pytest.mark.parametrize("program", AWK_HARMFUL)
def test_awk_that_does_more_is_a_doubt(program: str) -> None:
    assert awk.read(program).doubt


def test_awk_names_the_files_it_reads() -> None:
    found = awk.read('BEGIN { while ((getline l < "notes.txt") > 0) print l }')
    assert (found.doubt, found.reads) == ("", ["notes.txt"])
    assert verdict_of("awk 'BEGIN { getline l < \"notes.txt\"; print l }'") == "read_only"
    assert verdict_of("awk 'BEGIN { getline l < \".env\"; print l }'") == "needs_approval"


SED_HARMLESS = [
    *("p", "1p", "1,5p", "$p", "/a/p", "/a/,/b/p", "1~2p", "0,/x/d", "1!d", "/a/!p", "5q", "Q"),
    *("s/a/b/", "s/a/b/g", "s/a/b/2p", "s|a|b|", "s,a,b,I", "s/a\\/b/c/", "s/[/]/x/", "s/a/b/gM"),
    *("y/abc/xyz/", "=", "l", "l 5", "n;d", "N;P;D", "h;G;x", "z", "F", "/x/{p;d}", "{p}", "{p;p}"),
    *("a text", "i\\\ntext", "c\\text", "a\\\none\\\ntwo", ":a;N;$!ba;s/\\n/ /", "b end", "t;d"),
    *("/a/I,+3p", "\\|x|p", "s/w/e/", "s/e/w/g", "# w out", "p # w out", "1i e", "s/a/w out/"),
    *("w /dev/stdout", "s/a/b/w /dev/stderr", "$!N", "1{h;d}", "s/\\[x\\]/y/", "s/[^]]*/x/"),
]


@pytest.mark.parametrize("script", SED_HARMLESS)
def test_sed_that_edits_its_stream_is_harmless(script: str) -> None:
    found = sed.read(script)
    assert (found.doubt, found.writes, found.reads) == ("", [], [])


SED_HARMFUL = {
    "w out": ["out"],
    "1w out": ["out"],
    "/x/w out": ["out"],
    "s/a/b/w out": ["out"],
    "s/a/b/gw out": ["out"],
    "p;w out": ["out"],
    "{w out\n}": ["out"],
    "W out": ["out"],
}


@pytest.mark.parametrize(("script", "files"), SED_HARMFUL.items(), ids=SED_HARMFUL)
def test_sed_names_the_files_it_writes(script: str, files: list[str]) -> None:
    assert sed.read(script).writes == files


@pytest.mark.parametrize(
    "script",
    ["e", "e id", "1e id", "s/a/b/e", "s/a/b/ge", "s/x", "s/x/y", "y/a/", "k", "s/a/b/X", "/x"],
)
def test_sed_that_runs_commands_or_is_not_understood_is_a_doubt(script: str) -> None:
    assert sed.read(script).doubt


def test_sed_names_the_files_it_reads() -> None:
    assert sed.read("r notes.txt").reads == ["notes.txt"]
    assert verdict_of("sed 'r notes.txt' f") == "read_only"
    assert verdict_of("sed 'r .env' f") == "needs_approval"


SED_CALLS = {
    "sed -n 1p f": "read_only",
    "sed -e 1p -e 2p f": "read_only",
    "sed --expression=1p f": "read_only",
    "sed -nE 's/a/b/p' f": "read_only",
    "sed -i 1p f": "needs_approval",
    "sed -ie 1p f": "needs_approval",
    "sed -n -i.bak 1p f": "needs_approval",
    "sed --in-place 1p f": "needs_approval",
    "sed -Ei 's/a/b/' f": "needs_approval",
    "sed -f s.sed f": "needs_approval",
    "sed --file=s.sed f": "needs_approval",
    "sed -e 'w x' f": "needs_approval",
    "sed -e p -e 'w x' f": "needs_approval",
    "sed 1p .env": "needs_approval",
    "n=3; sed -n ${n}p f": "read_only",
    "sed -n $(wc -l < f)p f": "read_only",
    'sed "s/a/$X/" f': "needs_approval",
}


@pytest.mark.parametrize(("command", "verdict"), SED_CALLS.items(), ids=SED_CALLS)
def test_a_call_of_sed_is_judged_with_its_flags(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


AWK_CALLS = {
    "awk '{print}' f": "read_only",
    "awk -F: '{print}' f": "read_only",
    "awk -F : -v x=1 '{print x}' f": "read_only",
    "awk -- '{print}' f": "read_only",
    "awk '{print}' x=1 f": "read_only",
    "awk -e '{print}' f": "read_only",
    "gawk --csv '{print $2}' f": "read_only",
    "mawk '{print}' f": "read_only",
    "awk '{print}' /etc/shadow": "needs_approval",
    "awk -f p.awk f": "needs_approval",
    "awk -fp.awk f": "needs_approval",
    "awk --file=p.awk f": "needs_approval",
    "awk -E p.awk": "needs_approval",
    "awk -l fork '{print}'": "needs_approval",
    "awk -i inplace '{print}' f": "needs_approval",
    "awk -o '{print}' f": "needs_approval",
    "awk -p '{print}' f": "needs_approval",
    "awk -d '{print}' f": "needs_approval",
    'awk "$P" f': "needs_approval",
    "awk 'BEGIN{system(\"rm -rf /\")}'": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), AWK_CALLS.items(), ids=AWK_CALLS)
def test_a_call_of_awk_is_judged_with_its_flags(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


JQ_CALLS = {
    "jq . f.json": "read_only",
    "jq -r .env f.json": "read_only",
    "jq '.a.env' f.json": "read_only",
    "jq '\"env\"' f.json": "read_only",
    "jq '.[\"$ENV\"]' f.json": "read_only",
    "jq env.HOME f.json": "read_only",
    "jq -f prog.jq f.json": "read_only",
    "jq --rawfile a notes.txt '$a' f.json": "read_only",
    "jq env f.json": "needs_approval",
    "jq '$ENV' f.json": "needs_approval",
    "jq 'env.API_KEY' f.json": "needs_approval",
    "jq --rawfile a .env '$a' f.json": "needs_approval",
    "jq . .env": "needs_approval",
    "jq --unknown . f.json": "needs_approval",
}


@pytest.mark.parametrize(("command", "verdict"), JQ_CALLS.items(), ids=JQ_CALLS)
def test_jq_shows_everything_but_the_environment(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


CODE = {
    "python -c 'print(1)'": "needs_approval",
    "python -c 'print(\"rm -rf /\")'": "needs_approval",
    "python -c 'import os; os.system(\"ls\")'": "needs_approval",
    "python -c 'import os; os.system(\"rm -rf /\")'": "blocked",
    "python -c 'import subprocess; subprocess.run(\"rm -rf ~\", shell=True)'": "blocked",
    "python -c 'import shutil; shutil.rmtree(\"/\")'": "blocked",
    "python -c 'import shutil; shutil.rmtree(\"build\")'": "needs_approval",
    "perl -e 'exec(\"rm -rf /\")'": "blocked",
    "ruby -e 'FileUtils.rm_rf(\"/\")'": "blocked",
    'node -e \'require("fs").rmSync("/", {recursive: true})\'': "blocked",
    "perl -e 'fork while fork'": "blocked",
    "python --version": "read_only",
    "python script.py": "needs_approval",
    "python": "needs_approval",
    "node app.js": "needs_approval",
}


@pytest.mark.parametrize(("command", "verdict"), CODE.items(), ids=CODE)
def test_code_is_asked_and_what_it_obviously_destroys_is_blocked(
    command: str, verdict: str
) -> None:
    assert verdict_of(command) == verdict


def test_the_reason_says_which_language_does_what() -> None:
    assert "print > writes a file" in judged("awk '{print > \"f\"}' f").reason
    assert "e runs commands" in judged("sed '1e id' f").reason
