"""git: read by sub-command and flag, guarded by policy, and deaf to a hostile repository."""

import os
import subprocess
from pathlib import Path

import pytest

from ankrcode.permissions.programs.git import DIFF_FLAGS, DIFFING, SETTINGS, hardened
from permissions.verdicts import at, judged, verdict_of

PAIRS = {
    # the same sub-command, looking and changing
    "git branch": "git branch new",
    "git branch -a": "git branch -d old",
    "git branch --list 'x*'": "git branch x",
    "git branch --contains HEAD": "git branch -f main HEAD",
    "git branch --show-current": "git branch -m new",
    "git branch --merged main": "git branch --unset-upstream",
    "git branch --sort=-committerdate": "git branch --edit-description",
    "git tag": "git tag v1",
    "git tag -l": "git tag -d v1",
    "git tag -n5": "git tag -a v1 -m x",
    "git tag --contains HEAD": "git tag -f v1",
    "git tag --points-at HEAD": "git tag -s v1",
    "git stash list": "git stash",
    "git stash show": "git stash pop",
    "git stash show -p": "git stash drop",
    "git config user.name": "git config user.name x",
    "git config --get user.name": "git config --unset user.name",
    "git config -l": "git config -e",
    "git config get user.name": "git config set user.name x",
    "git config --global --list": "git config --global x.y z",
    "git config --get-regexp '^user'": "git config --replace-all a b",
    "git remote": "git remote add o u",
    "git remote -v": "git remote rename a b",
    "git remote get-url origin": "git remote set-url origin u",
    "git reflog": "git reflog expire --all",
    "git reflog show": "git reflog delete x",
    "git worktree list": "git worktree prune",
    "git submodule": "git submodule update",
    "git submodule status": "git submodule foreach ls",
    "git notes list": "git notes add",
    "git bisect log": "git bisect start",
    "git bundle verify x": "git bundle create x",
    "git symbolic-ref HEAD": "git symbolic-ref HEAD refs/heads/x",
    "git hash-object f": "git hash-object -w f",
    "git apply --stat p": "git apply p",
    "git apply --check p": "git apply --check --apply p",
    "git diff": "git diff --output=x",
    "git diff --no-ext-diff": "git diff --ext-diff",
    "git log -p": "git log -p --ext-diff",
    "git log --format=%h": "git log --format=%G?",
    "git log --pretty=format:%s": "git log --pretty='format:%GK'",
    "git show HEAD": "git show --textconv HEAD",
    "git show HEAD:a.py": "git show HEAD:.env",
    "git grep x": "git grep -O x",
    "git grep -l x": "git grep -Oless x",
    "git cat-file -p HEAD": "git cat-file --textconv HEAD:x",
    "git fsck": "git fsck --lost-found",
    "git ls-files": "git ls-remote",
    "git --no-pager log": "git -p log",
    "git -C src log": "git -C / log",
    "git -c color.ui=never log": "git -c core.pager=sh log",
    "git -c core.quotepath=off status": "git -c alias.status='!sh' status",
    "git -c core.pager=cat log": "git -c diff.external=sh diff",
    "git help -a": "git help log",
    "git --version": "git --exec-path=/tmp log",
    "git log -h": "git log --help",
    "git blame f": "git blame --contents=/etc/shadow f",
    "git diff --no-index a b": "git diff --no-index /etc/shadow b",
    "git rev-parse HEAD": "git update-ref HEAD x",
    "git describe --tags": "git describe-nothing",
    "git for-each-ref --format='%(refname)'": "git for-each-ref --format='%(signature)'",
}


@pytest.mark.parametrize(("reading", "changing"), PAIRS.items(), ids=PAIRS)
def test_looking_is_told_from_changing(reading: str, changing: str) -> None:
    assert verdict_of(reading) == "read_only"
    assert verdict_of(changing) == "needs_approval"


POLICIES = {
    "git config user.name x": "git.config",
    "git config --global a.b c": "git.config",
    "git config --add a.b c": "git.config",
    "git -c core.hooksPath=x commit": "git.config",
    "git push --force": "git.force_push",
    "git push -f": "git.force_push",
    "git push -uf origin x": "git.force_push",
    "git push --force-with-lease": "git.force_push",
    "git push --mirror": "git.force_push",
    "git push origin +x": "git.force_push",
    "git push origin :x": "git.force_push",
    "git push --delete origin x": "git.force_push",
    "git push -f origin main": "git.force_push_main",
    "git push --force origin HEAD:master": "git.force_push_main",
    "git push origin +main": "git.force_push_main",
    "git reset --hard": "git.reset_hard",
    "git reset --hard HEAD~1": "git.reset_hard",
    "git checkout .": "git.discard",
    "git checkout -- .": "git.discard",
    "git checkout -f": "git.discard",
    "git restore .": "git.discard",
    "git restore src/a.py": "git.discard",
    "git switch --discard-changes x": "git.discard",
    "git clean -f": "git.clean",
    "git clean -fdx": "git.clean",
    "git branch -D x": "git.branch_delete",
    "git commit --no-verify": "git.no_verify",
    "git commit -n": "git.no_verify",
    "git commit -anm x": "git.no_verify",
    "git push --no-verify": "git.no_verify",
    "git merge --no-verify x": "git.no_verify",
    "git commit --no-gpg-sign": "git.no_gpg_sign",
    "git commit --amend": "git.amend",
    "git commit -a --amend --no-edit": "git.amend",
    "cd src && git reset --hard": "git.reset_hard",
    "timeout 5 git clean -fd": "git.clean",
    "bash -c 'git push -f'": "git.force_push",
}


@pytest.mark.parametrize(("command", "policy"), POLICIES.items(), ids=POLICIES)
def test_what_cannot_be_taken_back_is_named(command: str, policy: str) -> None:
    verdict = judged(command)
    assert verdict.verdict == "needs_approval"
    assert policy in {effect.policy for effect in verdict.effects}


@pytest.mark.parametrize(
    "command",
    [
        *("git commit -m x", "git push", "git push origin main", "git reset HEAD~1", "git add ."),
        *(
            "git clean -n",
            "git branch x",
            "git restore --staged x",
            "git checkout x",
            "git merge x",
        ),
    ],
)
def test_what_can_be_taken_back_is_asked_without_a_policy(command: str) -> None:
    verdict = judged(command)
    assert verdict.verdict == "needs_approval"
    assert not [effect for effect in verdict.effects if effect.policy]


# ── rewriting ─────────────────────────────────────────────────────────────────────────────────
MUTE = "git " + " ".join(SETTINGS)
FLAGS = " ".join(DIFF_FLAGS)
REWRITTEN = {
    "git status": f"{MUTE} status",
    "git diff HEAD": f"{MUTE} diff {FLAGS} HEAD",
    "git log -p | head": f"{MUTE} log {FLAGS} -p | head",
    "ls; git show": f"ls; {MUTE} show {FLAGS}",
    "git -C src diff": f"{MUTE} -C src diff {FLAGS}",
    "git --no-pager log -3": f"{MUTE} --no-pager log {FLAGS} -3",
    "git ls-files": f"{MUTE} ls-files",
    "x=$(git diff)": f"x=$({MUTE} diff {FLAGS})",
    "timeout 5 git diff": f"timeout 5 {MUTE} diff {FLAGS}",
    "git diff && git status": f"{MUTE} diff {FLAGS} && {MUTE} status",
    "git stash show -p": f"{MUTE} stash show {FLAGS} -p",
    "git reflog show main": f"{MUTE} reflog show {FLAGS} main",
    "git blame f": f"{MUTE} blame --no-textconv f",
    "bash -c 'git diff'": f"bash -c '{MUTE} diff {FLAGS}'",
    "bash -c 'git diff \"$1\"' _ f": f"bash -c '{MUTE} diff {FLAGS} \"$1\"' _ f",
    "find . -name x -exec git log {} +": f"find . -name x -exec {MUTE} log {FLAGS} {{}} +",
    "git ls-files | xargs git blame": f"{MUTE} ls-files | xargs {MUTE} blame --no-textconv",
    "/usr/bin/git diff": f"/usr/bin/{MUTE} diff {FLAGS}",
    "echo git diff": "echo git diff",
    "grep git diff": "grep git diff",
    "grep git f; git diff": f"grep git f; {MUTE} diff {FLAGS}",
    "ls git/git": "ls git/git",
    "ls -la": "ls -la",
    "for f in a b; do git log $f; done": f"for f in a b; do {MUTE} log {FLAGS} $f; done",
}


@pytest.mark.parametrize(("command", "expected"), REWRITTEN.items(), ids=REWRITTEN)
def test_a_command_line_is_rewritten_in_place(command: str, expected: str) -> None:
    assert hardened(command) == expected


def test_a_rewritten_line_is_judged_like_the_first() -> None:
    for command in PAIRS:
        assert verdict_of(hardened(command)) == "read_only", command


# ── a hostile repository ──────────────────────────────────────────────────────────────────────
def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository whose settings run a program at every turn; the program leaves a trace."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/trace\ncat "$1"\n', encoding="utf-8")
    evil.chmod(0o755)
    (folder / ".gitattributes").write_text("*.txt diff=evil\n", encoding="utf-8")
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "a.txt").write_text("two\n", encoding="utf-8")
    git(folder, "commit", "-qam", "second")
    (folder / "a.txt").write_text("three\n", encoding="utf-8")
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command"):
        git(folder, "config", name, str(evil))
    hook = folder / ".git" / "hooks" / "post-index-change"
    hook.write_text(evil.read_text(encoding="utf-8"), encoding="utf-8")
    hook.chmod(0o755)
    return folder


LOOKS = ["git status", "git diff", "git log -p", "git show", "git diff HEAD~1", "git status -s"]


def run(command: str, folder: Path) -> bool:
    """Run it; did the hostile program leave a trace?"""
    trace = folder.parent / "trace"
    trace.unlink(missing_ok=True)
    os.utime(folder / "a.txt")
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, capture_output=True, timeout=30)
    return trace.exists()


@pytest.mark.parametrize("command", LOOKS)
def test_a_hardened_git_runs_nothing_of_a_hostile_repository(command: str, hostile: Path) -> None:
    assert verdict_of(command, at(hostile)) == "read_only"
    assert not run(hardened(command), hostile)


def test_a_plain_git_does_run_it(hostile: Path) -> None:
    assert all(run(command, hostile) for command in ("git status", "git diff"))


@pytest.mark.parametrize("name", sorted(DIFFING))
def test_the_flags_are_known_to_every_sub_command_that_gets_them(name: str, hostile: Path) -> None:
    arguments = {"diff-tree": "HEAD", "diff-index": "HEAD", "stash": "list -p"}
    arguments |= {"blame": "a.txt", "annotate": "a.txt", "reflog": "show -p"}
    command = f"git {name} {arguments.get(name, '')}"
    assert not run(hardened(command), hostile)
