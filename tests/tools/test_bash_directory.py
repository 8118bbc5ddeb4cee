"""Where the next command starts, whatever the last one did; and what does not go along."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from ankrcode import ToolCall, Toolkit
from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash


class Tree(NamedTuple):
    bench: Bench
    root: Path

    async def here(self) -> str:
        """Where the next command starts, as the shell itself sees it."""
        result = await self.bench.run(command="pwd -P")
        return os.path.relpath(result.text, self.root)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "work"
    for folder in ("a/deep", "b", "with blank", "नमस्ते", "-dash", "new\nline", "quo'te", "$HOME"):
        (root / folder).mkdir(parents=True)
    (root / "link").symlink_to("a/deep")
    (root / "out").symlink_to(tmp_path)
    (tmp_path / "work2").mkdir()
    return Tree(Bench(Bash, root, mode="bypass"), root)


# command → where the next one starts
MOVES = {
    "cd": ("cd a", "a"),
    "cd twice": ("cd a; cd deep", "a/deep"),
    "cd and back": ("cd a; cd ..", "."),
    "cd -": ("cd a; cd ../b; cd - >/dev/null", "a"),
    "pushd": ("pushd a >/dev/null", "a"),
    "pushd and popd": ("pushd a >/dev/null; popd >/dev/null", "."),
    "cd by a variable": ("x=a/deep; cd $x", "a/deep"),
    "cd in a function": ("go() { cd a; }; go", "a"),
    "cd in a group": ("{ cd a; }", "a"),
    "cd in a loop": ("for d in a deep; do cd $d; done", "a/deep"),
    "cd in a condition": ("if cd a; then :; fi", "a"),
    "cd in the last part of a list": ("true && cd a", "a"),
    "cd after a failure": ("false || cd a", "a"),
    "cd in eval": ("eval 'cd a'", "a"),
    "cd in a sourced file": ("echo 'cd a' >go.sh; . ./go.sh", "a"),
    "cd by CDPATH": ("CDPATH=a; cd deep >/dev/null", "a/deep"),
    "cd in a subshell": ("(cd a)", "."),
    "cd in a substitution": ("x=$(cd a; pwd)", "."),
    "cd in a pipeline": ("cd a | cat", "."),
    "cd in the background": ("cd a & wait", "."),
    "cd in another shell": ("bash -c 'cd a'", "."),
    "cd in the last part of a pipeline": ("shopt -s lastpipe; true | cd a", "a"),
    "a cd that fails": ("cd nowhere", "."),
    "a cd that fails after one that did not": ("cd a; cd nowhere", "a"),
    "then a failure": ("cd a; false", "a"),
    "then an exit": ("cd a; exit 7", "a"),
    "then an exit in a function": ("f() { cd a; exit 7; }; f", "a"),
    "then an error that ends it": ("set -e; cd a; false; cd deep", "a"),
    "then a missing variable": ("set -u; cd a; echo $nothing", "a"),
    "then a syntax error": ("cd a\nif", "a"),
    "then a command that is not there": ("cd a; nosuchcommand", "a"),
    "a trap of its own": ("trap 'echo bye' EXIT; cd a", "a"),
    "a trap of its own and an exit": ("trap 'cd b' EXIT; cd a; cd ..", "."),
    "a trap that was taken away": ("trap - EXIT; cd a", "a"),
    "a return": ("cd a; return 0 2>/dev/null", "a"),
    "names with blanks": ("cd 'with blank'", "with blank"),
    "names in another script": ("cd नमस्ते", "नमस्ते"),
    "names with a dash": ("cd -- -dash", "-dash"),
    "names with a line break": ("cd $'new\\nline'", "new\nline"),
    "names with a quote": ('cd "quo\'te"', "quo'te"),
    "names with a dollar": ("cd '$HOME'", "$HOME"),
    "a link is where it leads": ("cd link", "a/deep"),
    "out of a link": ("cd link; cd ..", "."),
    "out of a link for real": ("cd -P link; cd ..", "a"),
    "a builtin that is hidden": ("pwd() { echo /etc; }; cd() { builtin cd b; }; cd a", "b"),
    "a PWD that lies": ("cd a; PWD=/etc", "a"),
    "everything it prints goes elsewhere": ("exec >/dev/null 2>&1; cd a", "a"),
    "everything it prints is closed": ("exec >&- 2>&-; cd a", "a"),
    "with tracing on": ("set -x; cd a", "a"),
    "with a debug trap": ("trap 'true' DEBUG; cd a", "a"),
    "with an error trap": ("trap 'true' ERR; cd a; false", "a"),
    "without globbing": ("set -f; cd a", "a"),
    "as POSIX says": ("set -o posix; cd a", "a"),
}


@pytest.mark.parametrize(("command", "expected"), MOVES.values(), ids=MOVES)
async def test_the_next_command_starts_where_the_last_one_ended(
    tree: Tree, command: str, expected: str
) -> None:
    result = await tree.bench.run(command=command)
    assert await tree.here() == expected
    if result.value:
        assert result.value.cwd == str((tree.root / expected).resolve())


TRACES = {
    "tracing": ("set -x; echo a", "++ echo a\na"),
    "echoing": ("set -v\necho a", "echo a\na"),
    "its own trap": ("trap 'echo bye' EXIT; echo a", "a\nbye"),
    "its own trap's errors": ("trap 'echo bye >&2' EXIT; echo a", "a\nbye"),
    "its own trap on exit": ("trap 'echo bye $?' EXIT; exit 3", "bye 3"),
    "a debug trap": ("trap 'echo [$BASH_COMMAND]' DEBUG; echo a", "[echo a]\na"),
    "arguments": ("echo $# $0", "0 bash"),
    "its options": ("echo $-", "hBc"),
    "its functions": ("declare -F | grep -v ankrcode | wc -l", "0"),
    "its line numbers": ("echo $LINENO\necho $LINENO", "1\n2"),
    "its errors": ("nosuchcommand", "bash: line 1: nosuchcommand: command not found"),
    "its errors further down": ("\n\nnosuchcommand", "bash: line 3: nosuchcommand"),
    "its descriptors": ("ls /proc/self/fd | head -n 3 | xargs", "0 1 2"),
    "a here document": ("cat <<'X'\na $b `c`\nX", "a $b `c`"),
    "a comment at the end": ("echo a # and so on", "a"),
    "a line that goes on": ("echo a \\\nb", "a b"),
    "several lines": ("for i in 1 2\ndo\n  echo $i\ndone", "1\n2"),
    "windows lines": ("echo a\r\n", "a"),
}


@pytest.mark.parametrize(("command", "expected"), TRACES.values(), ids=TRACES)
async def test_nothing_of_ours_shows_in_what_it_prints(
    tree: Tree, command: str, expected: str
) -> None:
    result = await tree.bench.run(command=command)
    assert result.value.output.startswith(expected)
    assert "ankrcode" not in result.text
    assert "pwd" not in result.text


# What one command sets, the next does not see: (what to set, how to see it, what is seen).
FORGOTTEN = {
    "a variable": ("x=1", "echo [$x]", "[]"),
    "an exported variable": ("export x=1", "echo [$x]", "[]"),
    "a variable of ours": ("export PAGER=less CI=", "echo $PAGER $CI", "cat true"),
    "a path": ("export PATH=/nowhere", "ls -d .", "."),
    "a function": ("f() { :; }", "type -t f || echo none", "none"),
    "an exported function": ("f() { :; }; export -f f", "type -t f || echo none", "none"),
    "an alias": ("shopt -s expand_aliases; alias f=ls", "type -t f || echo none", "none"),
    "an option": ("set -eu -o pipefail", "set -o | grep -c 'pipefail.*off'", "1"),
    "a shell option": ("shopt -s globstar", "shopt -q globstar || echo off", "off"),
    "a mask": ("umask 077", "umask", "0022"),
    "a limit": ("ulimit -n 20", "test $(ulimit -n) -gt 20 && echo more", "more"),
    "a descriptor": ("exec 5>file", "{ echo x >&5; } 2>/dev/null || echo closed", "closed"),
    "a trap": ("trap 'echo bye' EXIT", "echo only", "only"),
    "a job": ("sleep 1000 &", "jobs | wc -l", "0"),
    "a stack of directories": ("pushd a; pushd ..", "dirs -p | wc -l", "1"),
    "where cd - leads": ("cd a; cd ..", "cd - 2>&1 | grep -c 'OLDPWD not set'", "1"),
    "the last exit code": ("true", "echo $?", "0"),
    "the history": ("history -s x", "history | wc -l", "0"),
}


@pytest.mark.parametrize(("given", "seen", "expected"), FORGOTTEN.values(), ids=FORGOTTEN)
async def test_nothing_else_goes_along(tree: Tree, given: str, seen: str, expected: str) -> None:
    before = os.umask(0o022)
    try:
        await tree.bench.run(command=given)
        result = await tree.bench.run(command=seen)
    finally:
        os.umask(before)
    assert result.text == expected


# ── for one call ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("cwd", "where"),
    [
        ("a", "a"),
        ("./a/../b", "b"),
        ("a/deep/", "a/deep"),
        (".", "."),
        ("with blank", "with blank"),
        ("नमस्ते", "नमस्ते"),
        ("link", "a/deep"),
        ("-dash", "-dash"),
    ],
)
async def test_another_directory_for_one_call(tree: Tree, cwd: str, where: str) -> None:
    result = await tree.bench.run(command="pwd -P", cwd=cwd)
    assert os.path.relpath(result.text, tree.root) == where
    assert await tree.here() == "."


async def test_it_counts_from_where_the_last_command_went(tree: Tree) -> None:
    await tree.bench.run(command="cd a")
    result = await tree.bench.run(command="pwd -P; cd ..", cwd="deep")
    assert result.text == str(tree.root / "a" / "deep")
    assert await tree.here() == "a"
    absolute = await tree.bench.run(command="pwd -P", cwd=str(tree.root / "b"))
    assert absolute.text == str(tree.root / "b")


async def test_a_task_in_the_background_starts_there_and_moves_nothing(tree: Tree) -> None:
    kit = Toolkit(cwd=tree.root, mode="bypass")
    await kit.call("Bash", command="cd a")
    task = await kit.call("Bash", command="pwd -P; cd deep", run_in_background=True)
    ended = await kit.call("TaskOutput", task_id=task.value.task_id)
    assert ended.value.task.output == f"{tree.root}/a\n"
    assert (await kit.call("Bash", command="pwd")).text == f"{tree.root}/a"
    kit.close()


# ── out of the workspace ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    ["cd /", "cd ..", "cd ../work2", "cd out", "cd -P out/work2", "cd /proc/self/cwd/../.."],
)
async def test_outside_it_does_not_stay(tree: Tree, command: str) -> None:
    await tree.bench.run(command="cd a")
    result = await tree.bench.run(command=f"cd ..; {command}")
    assert "is outside the workspace: the working directory is" in result.text
    assert result.value.cwd == str(tree.root / "a")
    assert await tree.here() == "a"


async def test_a_further_root_is_no_outside(tree: Tree, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tree.root, mode="bypass", extra_directories=[tmp_path / "work2"])
    result = await kit.call("Bash", command="cd ../work2")
    assert "outside" not in result.text
    assert (await kit.call("Bash", command="pwd")).text == str(tmp_path / "work2")


async def test_a_failing_command_outside_is_said_to_be_both(tree: Tree) -> None:
    result = await tree.bench.run(command="cd /; false")
    assert "outside the workspace" in result.text
    assert result.text.endswith("Exit code: 1")


# ── a directory that is gone ──────────────────────────────────────────────────────────────────
async def test_the_root_itself_may_be_gone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    bench = Bench(Bash, root, mode="bypass")
    await bench.run(command="true")
    root.rmdir()
    result = await bench.run(command="echo a")
    assert result.error is not None
    assert result.error.code == "NOT_A_DIRECTORY"
    root.mkdir()
    assert (await bench.run(command="echo a")).text == "a"


async def test_one_that_was_replaced_by_a_file_is_gone_too(tree: Tree) -> None:
    await tree.bench.run(command="cd b")
    (tree.root / "b").rmdir()
    (tree.root / "b").touch()
    result = await tree.bench.run(command="echo a")
    assert result.error is not None
    assert await tree.here() == "."


async def test_one_that_was_renamed_is_gone_and_its_new_name_is_not_guessed(tree: Tree) -> None:
    await tree.bench.run(command="cd b")
    (tree.root / "b").rename(tree.root / "c")
    assert not (await tree.bench.run(command="echo a")).ok
    assert await tree.here() == "."


@pytest.mark.parametrize(
    "command", ["cd b; rmdir ../b", "cd b; mv ../b ../c; rmdir ../c", "cd b && rmdir $PWD"]
)
async def test_a_command_that_removes_where_it_stands_leaves_the_next_one_in_place(
    tree: Tree, command: str
) -> None:
    await tree.bench.run(command=command)
    assert await tree.here() == "."


async def test_agents_have_directories_of_their_own(tree: Tree) -> None:
    kit = Toolkit(cwd=tree.root, mode="bypass")
    child = kit.for_agent("helper")
    await child.call("Bash", command="cd a")
    assert (await kit.call("Bash", command="pwd")).text == str(tree.root)
    assert (await child.call("Bash", command="pwd")).text == str(tree.root / "a")
    child.close()
    kit.close()


async def test_calls_of_one_message_move_in_their_order(tree: Tree) -> None:
    kit = Toolkit(cwd=tree.root, mode="bypass")
    commands = ["cd a", "pwd", "cd deep", "pwd", "cd ../../b", "pwd"]
    calls = [ToolCall(name="Bash", arguments={"command": one}) for one in commands]
    results = await kit.call_all(calls)
    assert [result.text for result in results][1::2] == [
        str(tree.root / where) for where in ("a", "a/deep", "b")
    ]
