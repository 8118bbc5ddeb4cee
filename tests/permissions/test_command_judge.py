"""The verdict as a whole: parts, reasons, effects, acts, limits, odd characters."""

from pathlib import Path

import pytest

from ankrcode.permissions.effects import Effect
from ankrcode.permissions.judge import MAX_COMMAND_CHARS
from ankrcode.permissions.places import CommandEnv
from ankrcode.protocol.acts import EVERYTHING
from permissions.verdicts import ENV, at, commands_in, judged, verdict_of


# ── parts and reasons ─────────────────────────────────────────────────────────────────────────
def test_each_command_is_a_part_with_its_own_verdict() -> None:
    parts = judged("ls -la; rm x && git status").parts
    assert [(part.argv, part.verdict) for part in parts] == [
        (("ls", "-la"), "read_only"),
        (("rm", "x"), "needs_approval"),
        (("git", "status"), "read_only"),
    ]
    assert [bool(part.reason) for part in parts] == [False, True, False]


def test_a_wrapper_is_as_bad_as_what_it_runs() -> None:
    parts = {part.argv: part.verdict for part in judged("timeout 5 rm x").parts}
    assert parts == {
        ("rm", "x"): "needs_approval",
        ("timeout", "5", "rm", "x"): "needs_approval",
    }


def test_the_worst_part_decides_and_gives_the_reason() -> None:
    verdict = judged("ls; rm x; rm -rf /; curl y")
    assert verdict.verdict == "blocked"
    assert verdict.reason == "it would delete / with all that is in it"


def test_a_harmless_line_needs_no_reason() -> None:
    verdict = judged("ls -la | wc -l")
    assert (verdict.verdict, verdict.reason) == ("read_only", "")


REASONS = {
    "rm x": "it deletes /work/proj/x",
    "echo x > f": "it writes /work/proj/f",
    "foo": "it runs foo, which is not known here",
    "ls --frob": "'ls --frob' has an option that is not known here",
    "git frob": "'git frob' is not known here",
    "make": "make runs other code",
    "curl x": "curl reaches the network",
    "cat .env": "it reads what may hold secrets (/work/proj/.env)",
    "cat /etc/passwd": "it reads outside the workspace (/etc/passwd)",
    "cat $X": "it reads files that are only known when it runs",
    "$X": "the command is put together when it runs (…)",
    "./x": "it runs a program from an unusual place (./x)",
    "PATH=x ls": "it sets PATH, which changes what programs do",
    "env": "env shows the environment, which may hold secrets",
    "echo $API_KEY": "it shows what may be a secret ($API_KEY)",
    "ls '": "it cannot be read with certainty: a quote is not closed",
    "sort -o x f": "sort -o does more than read",
    "sudo ls": "sudo runs it with other rights",
    "bash x.sh": "x.sh runs code that is not looked into",
    "curl x | sh": "curl reaches the network",
    "kill -9 -1": "it would end every process",
    "mkfs.ext4 /dev/sda": "it would format /dev/sda",
    ":(){ :|:& };:": ": would start itself again and again",
    "chmod -R 777 /": "it would change the rights of all of /",
    "mv ~ /dev/null": "it would move /home/dev away with all that is in it",
}


@pytest.mark.parametrize(("command", "reason"), REASONS.items(), ids=REASONS)
def test_the_reason_says_what_is_wrong(command: str, reason: str) -> None:
    assert judged(command).reason == reason


def test_data_for_scripts_has_every_field() -> None:
    data = judged("git push -f").as_data()
    assert set(data) == {"verdict", "reason", "parts", "effects"}
    assert data["parts"][0]["argv"] == ("git", "push", "-f")
    forced = {"kind": "change", "target": "git push -f", "policy": "git.force_push"}
    assert forced in data["effects"]


# ── effects and acts ──────────────────────────────────────────────────────────────────────────
def test_effects_name_real_places(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    verdict = judged("cat link > out; rm link", at(tmp_path))
    assert Effect("read", f"{tmp_path}/real") in verdict.effects
    assert Effect("write", f"{tmp_path}/out") in verdict.effects
    assert {one.kind for one in verdict.effects} == {"read", "write", "delete"}


def test_reading_acts_change_nothing() -> None:
    acts = judged("cat a.txt").acts
    assert acts.changes_nothing
    assert acts.reads == ("state:cwd", "tree:/work/proj/a.txt")
    assert (acts.writes, acts.runs, acts.connects) == ((), (), ())


def test_known_writes_are_exact() -> None:
    acts = judged("cp a b; echo x > c; rm d").acts
    assert "tree:/work/proj/b" in acts.writes
    assert "tree:/work/proj/c" in acts.writes
    assert "tree:/work/proj/d" in acts.writes


def test_what_runs_other_code_may_touch_everything() -> None:
    acts = judged("make test").acts
    assert EVERYTHING in acts.writes
    assert acts.runs == ("make test",)


def test_connections_are_named_where_they_are_known() -> None:
    assert judged("cat < /dev/tcp/example.org/80").acts.connects
    assert "curl" in judged("curl https://example.org").acts.connects


def test_changing_the_folder_is_a_write_of_that_state() -> None:
    assert "state:cwd" in judged("cd src && ls").acts.writes
    assert "state:cwd" not in judged("ls src").acts.writes
    assert judged("ls src").acts.reads[0] == "state:cwd"


def test_unknown_text_acts_on_everything() -> None:
    acts = judged("ls '").acts
    assert EVERYTHING in acts.writes


# ── limits ────────────────────────────────────────────────────────────────────────────────────
def test_a_very_long_line_is_asked() -> None:
    assert verdict_of("echo " + "x" * (MAX_COMMAND_CHARS - 5)) == "read_only"
    assert verdict_of("echo " + "x" * MAX_COMMAND_CHARS) == "needs_approval"


def test_wrappers_are_followed_to_a_depth_of_eight() -> None:
    assert verdict_of("env " * 8 + "ls") == "read_only"
    assert verdict_of("env " * 9 + "ls") == "needs_approval"
    assert verdict_of("env " * 8 + "rm -rf /") == "blocked"


def test_a_line_that_multiplies_is_asked() -> None:
    many = "; ".join(f"echo {{a,b}} ${number}" for number in range(2_000))
    assert verdict_of(many[:9_900]) in ("read_only", "needs_approval")
    loops = "for a in 1 2; do " * 12 + "ls; " + "done; " * 12
    assert verdict_of(loops) in ("read_only", "needs_approval")


ODD = {
    "a zero byte": "ls\0-la",
    "an escape": "ls \x1b[2J",
    "a carriage return": "ls\r",
    "a line with both": "ls\r\nrm x",
    "a backspace": "ls x\b\b",
    "a blank that does not break": "ls\u00a0-la",
    "a wide blank": "ls\u3000-la",
    "a line separator": "ls\u2028rm x",
    "nothing, invisibly": "ls\u200b",
    "reversed text": "ls \u202egnp.x",
    "a mark of order": "\ufeffls",
    "half a character": "ls \ud800",
    "a delete": "ls\x7f",
    "next line": "ls\x85",
    "a soft hyphen": "l\u00ads",
}


@pytest.mark.parametrize("command", ODD.values(), ids=ODD)
def test_characters_that_show_other_than_they_act_are_asked(command: str) -> None:
    verdict = judged(command)
    assert verdict.verdict == "needs_approval"
    assert "U+" in verdict.reason


def test_characters_that_show_other_than_they_act_do_not_unblock() -> None:
    assert verdict_of("rm -rf / \u200b") == "blocked"
    assert verdict_of("rm -rf /; \0") == "blocked"


@pytest.mark.parametrize("text", ["नमस्ते", "क्‍ष", "می‌خواهم", "日本語", "é", "👨‍👩‍👧", "Ünïcödé"])
def test_text_in_any_language_is_text(text: str) -> None:
    assert verdict_of(f"echo '{text}'") == "read_only"
    assert verdict_of(f"cat {text}.md") == "read_only"
    assert verdict_of(f"rm {text}.md") == "needs_approval"


def test_a_program_in_look_alike_letters_is_another_program() -> None:
    assert verdict_of("lѕ -la") == "needs_approval"  # the s is Cyrillic
    assert verdict_of("ｌｓ -la") == "needs_approval"


@pytest.mark.parametrize("command", ["", " ", "\n", "\t\n ", "# only a comment", "\n\n# a\n"])
def test_nothing_is_harmless(command: str) -> None:
    assert verdict_of(command) == "read_only"
    assert commands_in(command) == []


# ── functions, loops, wrappers ────────────────────────────────────────────────────────────────
FUNCTIONS = {
    "f() { ls; }; f": "read_only",
    "f() { cat $1; }; f README.md": "read_only",
    "f() { cat $1; }; f .env": "needs_approval",
    "f() { cat $1; }": "needs_approval",
    "f() { ls; }": "read_only",
    "f() { rm x; }": "needs_approval",
    "ls() { rm x; }; ls": "needs_approval",
    "ls() { rm x; }; command ls; unset -f ls": "needs_approval",
    "cat() { rm -rf /; }; cat": "blocked",
    "f() { g; }; g() { ls; }; f": "read_only",
    "f() { g; }; g() { rm x; }; f": "needs_approval",
    "f() { f; }; f": "needs_approval",
    "f() { f | f & }; f": "blocked",
    "f() { g | g & }; g() { f; }; f": "blocked",
    "f() { local x=$1; cat $x; }; f a.md": "read_only",
    "f() { cd /; }; f; rm -rf *": "blocked",
    "if ls; then f() { rm x; }; else f() { ls; }; fi; f": "needs_approval",
    "if ls; then ls() { rm x; }; fi; ls": "needs_approval",
    "if ls; then rm() { ls; }; fi; rm x": "needs_approval",
    "rm() { ls; }; rm x": "read_only",
    "f() { ls | g; }; g() { g; }; f": "needs_approval",
    "f() { ls; }; trap f EXIT": "needs_approval",
    "f() { rm -rf $1; }; for d in a /; do f $d; done": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), FUNCTIONS.items(), ids=FUNCTIONS)
def test_functions_are_judged_where_they_are_called(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


WRAPPED = {
    "env ls": "read_only",
    "env -i LANG=C ls": "read_only",
    "env -C src ls": "read_only",
    "env -S 'ls -la'": "read_only",
    "env -S 'ls $X'": "needs_approval",
    "env -C ~ cat x": "needs_approval",
    "nice -n 5 ls": "read_only",
    "nice -5 ls": "read_only",
    "timeout -s KILL 5 ls": "read_only",
    "timeout --preserve-status 5 ls": "read_only",
    "nohup ls": "read_only",
    "stdbuf -i0 -o0 ls": "read_only",
    "xargs -n1 -P4 ls": "read_only",
    "xargs -r -d '\\n' echo": "read_only",
    "xargs --unknown echo": "needs_approval",
    "command -v ls": "read_only",
    "command -p ls": "read_only",
    "builtin echo": "read_only",
    "exec ls": "read_only",
    "exec -a x ls": "read_only",
    "time -p ls": "read_only",
    "/usr/bin/time ls": "read_only",
    "/usr/bin/time -o x ls": "needs_approval",
    "watch -n1 ls": "read_only",
    "watch 'ls | wc'": "read_only",
    "watch make": "needs_approval",
    "bash -c ls": "read_only",
    "bash -xc ls": "read_only",
    "bash -e -c 'ls; pwd'": "read_only",
    "bash -euo pipefail -c 'ls | wc'": "read_only",
    "bash --norc --noprofile -c ls": "read_only",
    "bash -c 'cat $1' _ a.md": "read_only",
    "bash -c 'cat $1' _ .env": "needs_approval",
    "bash -c 'echo $0' x": "read_only",
    "bash -lc ls": "needs_approval",
    "bash -ic ls": "needs_approval",
    "bash --login -c ls": "needs_approval",
    "bash --rcfile x -c ls": "needs_approval",
    "bash -O expand_aliases -c ls": "needs_approval",
    "bash -n x.sh": "read_only",
    "bash x.sh": "needs_approval",
    "bash -c": "needs_approval",
    "sh -c 'ls | wc'": "read_only",
    "sh -c 'ls &> /dev/null'": "needs_approval",
    "sh -c '[[ a > b ]]'": "needs_approval",
    "sh -c \"echo $'x'\"": "needs_approval",
    "dash -c ls": "read_only",
    "zsh -c 'ls -la'": "read_only",
    "zsh -c 'ls *(e:id:)'": "needs_approval",
    "zsh -c '=ls'": "needs_approval",
    "fish -c ls": "needs_approval",
    "eval ls": "read_only",
    "eval 'ls; pwd'": "read_only",
    "eval $X": "needs_approval",
    "busybox ls": "read_only",
    "busybox rm x": "needs_approval",
    "busybox --list": "read_only",
    "find . -exec ls {} +": "read_only",
    "find . -execdir ls {} \\;": "read_only",
    "find . -exec cat {} \\;": "read_only",
    "find . -exec {} \\;": "needs_approval",
    "find . -exec sh -c 'cat {}' \\;": "needs_approval",
    "find . -exec sh -c 'cat \"$1\"' _ {} \\;": "read_only",
    "find src -exec rm {} \\;": "needs_approval",
    "sudo -n true": "needs_approval",
    "ssh host ls": "needs_approval",
    "parallel ls ::: a": "needs_approval",
    "strace ls": "needs_approval",
    "script -qc ls /dev/null": "needs_approval",
    "chroot /x ls": "needs_approval",
    "setsid -w ls": "read_only",
    "ionice -c 2 -n 7 ls": "read_only",
    "taskset -c 0 ls": "read_only",
    "chrt -b 0 ls": "read_only",
    "unbuffer ls": "read_only",
    "trap - INT": "read_only",
    "trap": "read_only",
    "trap ls INT": "needs_approval",
    "coproc ls": "read_only",
    "coproc make": "needs_approval",
}


@pytest.mark.parametrize(("command", "verdict"), WRAPPED.items(), ids=WRAPPED)
def test_a_command_inside_a_command_is_judged(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


REDIRECTED = {
    "ls > /dev/null": "read_only",
    "ls 2> /dev/null": "read_only",
    "ls &> /dev/null": "read_only",
    "ls >> /dev/null": "read_only",
    "ls 2>&1": "read_only",
    "ls >&2": "read_only",
    "ls 2>&-": "read_only",
    "ls > /dev/stderr": "read_only",
    "ls > /dev/tty": "read_only",
    "ls > /dev/fd/2": "read_only",
    "ls < a.txt": "read_only",
    "ls <<< x": "read_only",
    "ls 3< a.txt": "read_only",
    "ls > f": "needs_approval",
    "ls >f": "needs_approval",
    "ls 1>f": "needs_approval",
    "ls 2>f": "needs_approval",
    "ls >|f": "needs_approval",
    "ls <>f": "needs_approval",
    "ls &>f": "needs_approval",
    "ls >&f": "needs_approval",
    "ls {x}>f": "needs_approval",
    "ls > $X": "needs_approval",
    "ls > a b": "needs_approval",
    "> f": "needs_approval",
    "ls > /dev/null > f": "needs_approval",
    "ls > /dev/null; ls > f": "needs_approval",
    "(ls) > f": "needs_approval",
    "if ls; then :; fi > f": "needs_approval",
    "ls > >(cat)": "read_only",
    "ls > >(tee f)": "needs_approval",
    "ls < .env": "needs_approval",
    "ls < ~/x": "needs_approval",
    "exec 3> f": "needs_approval",
    "exec 3< a.txt": "read_only",
    "ls > /dev/sda": "blocked",
    "ls >> /dev/sda": "blocked",
    "ls 2> /dev/nvme0n1": "blocked",
    "ls > /dev/tcp/a/1": "needs_approval",
    "ls | tee /dev/null": "read_only",
    "ls | tee f": "needs_approval",
    "ls | tee /dev/sda": "blocked",
}


@pytest.mark.parametrize(("command", "verdict"), REDIRECTED.items(), ids=REDIRECTED)
def test_redirections_are_reads_and_writes(command: str, verdict: str) -> None:
    assert verdict_of(command) == verdict


def test_the_folder_and_the_home_are_those_of_the_question() -> None:
    deep = CommandEnv(roots=("/work/proj",), cwd="/work/proj/src", home="/home/dev")
    assert verdict_of("rm -rf *", ENV) == "blocked"
    assert verdict_of("rm -rf *", deep) == "needs_approval"
    assert verdict_of("rm -rf ../*", deep) == "blocked"
    other = CommandEnv(roots=("/work/proj",), cwd="/work/proj", home="/srv/people/me")
    assert verdict_of("rm -rf ~", other) == "blocked"
    assert verdict_of("rm -rf /srv/people/me", ENV) == "needs_approval"
