"""Read-only git through the real pipeline, in repositories whose settings name a program.

Each repository is first given to a plain git, which runs the program: the trap works.
"""

import os
import subprocess
from asyncio import Runner
from pathlib import Path
from typing import NamedTuple

import pytest

from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash

SIGNED = (
    "git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n"
    " abc\\n -----END PGP SIGNATURE-----' > c; "
    "git update-ref HEAD $(git hash-object -w -t commit c)"
)
LAZY = (
    "git config extensions.partialClone origin; git config remote.origin.promisor true; "
    "git config core.repositoryformatversion 1; "
    "rm -f .git/objects/$(git rev-parse HEAD~1:a.txt | sed 's,^..,&/,')"
)
SUBMODULE = (
    "git init -q ../sub; (cd ../sub; echo 1 > f.txt; git add .; git commit -qm 1); "
    "git -c protocol.file.allow=always submodule -q add ../sub sub; git commit -qm sub; "
    "echo 2 > sub/f.txt"
)
HOOK = "cp {evil} .git/hooks/{name}; chmod +x .git/hooks/{name}"


class Trap(NamedTuple):
    setting: str  # a script that sets it
    commands: tuple[str, ...]


TRAPS = {
    "fsmonitor": Trap(
        "git config core.fsmonitor {evil}",
        ("git status", "git status -s | head -3", "cd . && git diff --stat", "git ls-files -m"),
    ),
    "fsmonitor of an included file": Trap(
        "git config include.path ../more; git config -f more core.fsmonitor {evil}",
        ("git status", "git diff"),
    ),
    "an external diff": Trap(
        "git config diff.external {evil}",
        ("git diff", "git diff HEAD~1", "x=$(git diff); echo done", "bash -c 'git diff HEAD'"),
    ),
    "an external diff, when asked for by a loop": Trap(
        "git config diff.external {evil}",
        ("for f in a.txt; do git diff $f; done", "if git diff --quiet; then echo same; fi"),
    ),
    "a driver's diff": Trap(
        "echo '*.txt diff=e' > .gitattributes; git config diff.e.command {evil}",
        ("git diff", "git diff -- a.txt", "timeout 9 git diff", "ls | xargs git diff --"),
    ),
    "a text conversion": Trap(
        "echo '*.txt diff=e' > .gitattributes; git config diff.e.textconv {evil}",
        ("git diff", "git log -p", "git show", "git blame a.txt", "git log -S three --stat"),
    ),
    "a clean filter": Trap(
        "echo '*.txt filter=e' > .gitattributes; git config filter.e.clean {evil}",
        ("git diff", "git blame a.txt", "git hash-object a.txt"),
    ),
    "a filter process": Trap(
        "echo '*.txt filter=e' > .git/info/attributes; git config filter.e.process {evil}",
        ("git diff", "git diff --stat", "git blame a.txt"),
    ),
    "a hook": Trap(HOOK.replace("{name}", "post-index-change"), ("git status", "git status -sb")),
    "a folder of hooks": Trap(
        "mkdir h; cp {evil} h/post-index-change; git config core.hooksPath h", ("git status",)
    ),
    "a signature shown by default": Trap(
        f"{SIGNED}; git config log.showSignature true; git config gpg.program {{evil}}",
        ("git log", "git log -1 --stat", "git show"),
    ),
    "a signature in a format of their own": Trap(
        f"{SIGNED}; git config pretty.mine 'x %G?'; git config gpg.program {{evil}}",
        ("git log --format=mine", "git log --pretty=mine -1"),
    ),
    "a signature in the usual format": Trap(
        f"{SIGNED}; git config format.pretty '%h %GS'; git config gpg.program {{evil}}",
        ("git log", "git show"),
    ),
    "an object fetched by ssh": Trap(
        f"{LAZY}; git config remote.origin.url ssh://x/y; git config core.sshCommand {{evil}}",
        ("git log -p", "git show HEAD~1:a.txt", "git diff HEAD~1"),
    ),
    "an object fetched by a program": Trap(
        f"{LAZY}; git config remote.origin.url 'ext::{{evil}}'; "
        "git config protocol.ext.allow always",
        ("git log -p", "git cat-file -p HEAD~1:a.txt", "git grep one HEAD~1"),
    ),
    "an object fetched from a folder": Trap(
        f"{LAZY}; git config remote.origin.url /; git config remote.origin.uploadpack {{evil}}",
        ("git log -p", "git show HEAD~1:a.txt"),
    ),
    "fsmonitor of a submodule": Trap(
        f"{SUBMODULE}; git -C sub config core.fsmonitor {{evil}}", ("git status", "git diff")
    ),
    "an external diff of a submodule": Trap(
        f"{SUBMODULE}; git config diff.submodule diff; git -C sub config diff.external {{evil}}",
        ("git diff", "git -C sub diff"),
    ),
    "a filter of a submodule": Trap(
        f"{SUBMODULE}; git -C sub config filter.e.clean {{evil}}; "
        "echo '*.txt filter=e' > .git/modules/sub/info/attributes; echo 22 > sub/f.txt",
        ("git -C sub diff", "cd sub && git blame f.txt"),
    ),
}
# What git itself never runs for these, so a plain one shows no trap.
IDLE = {
    "pagers": Trap(
        "git config core.pager {evil}; git config pager.log {evil}; git config pager.status {evil}",
        ("git log", "git status", "git diff", "git show", "git blame a.txt", "git branch -v"),
    ),
    "aliases of commands that exist": Trap(
        "git config alias.status '!{evil}'; git config alias.log '!{evil}'",
        ("git status", "git log -1"),
    ),
    "an editor": Trap("git config core.editor {evil}", ("git log", "git tag -l", "git var -l")),
}


class Folder:
    def __init__(self, base: Path) -> None:
        self.work, self.trace, self.evil = base / "work", base / "trace", base / "evil"
        self.work.mkdir()
        self.evil.write_text(f'#!/bin/sh\ntouch {self.trace}\ncat "$1"\n', encoding="utf-8")
        self.evil.chmod(0o755)
        names = ("AUTHOR", "COMMITTER")
        self.variables = {
            **os.environ,
            **{f"GIT_{who}_{what}": "a@example.com" for who in names for what in ("NAME", "EMAIL")},
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.shell(
            "git init -q; echo one > a.txt; git add .; git commit -qm 1; "
            "echo two > a.txt; git commit -qam 2; echo three > a.txt"
        )

    def shell(self, script: str, *, check: bool = True) -> str:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.work,
            env=self.variables,
            check=check,
            capture_output=True,
            timeout=30,
        )
        return done.stdout.decode()

    def lay(self, trap: Trap) -> None:
        self.shell(trap.setting.replace("{evil}", str(self.evil)))
        self.forget()

    def forget(self) -> None:
        """No trace, and git must look at the file again."""
        self.trace.unlink(missing_ok=True)
        os.utime(self.work / "a.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
async def test_a_read_only_git_runs_no_program_of_the_repository(
    trap: Trap, folder: Folder
) -> None:
    folder.lay(trap)
    fired = []
    for command in trap.commands:
        folder.shell(command, check=False)
        fired.append(folder.trace.exists())
        folder.forget()
    assert any(fired)
    bench = Bench(Bash, folder.work)
    for command in trap.commands:
        result = await bench.run(command=command)
        assert bench.person.asked == [], command
        assert not folder.trace.exists(), (command, result.text)
        folder.forget()


@pytest.mark.parametrize("trap", IDLE.values(), ids=IDLE)
async def test_what_git_would_not_run_by_itself_does_not_run_either(
    trap: Trap, folder: Folder
) -> None:
    folder.lay(trap)
    bench = Bench(Bash, folder.work)
    for command in trap.commands:
        await bench.run(command=command)
        assert not folder.trace.exists(), command


async def test_an_alias_that_is_no_command_of_git_is_asked(folder: Folder) -> None:
    folder.lay(Trap("git config alias.st '!{evil}'", ()))
    bench = Bench(Bash, folder.work)
    await bench.run(command="git st")
    assert len(bench.person.asked) == 1
    assert not folder.trace.exists()


WORDS = {
    "echo git diff": "git diff",
    "printf '%s ' run git status": "run git status",
    "grep -c git a.txt": "0",
    "ls git a.txt 2>/dev/null": "a.txt",
}


@pytest.mark.parametrize(("command", "printed"), WORDS.items(), ids=WORDS)
async def test_the_word_git_is_left_alone_where_it_is_no_command(
    command: str, printed: str, folder: Folder
) -> None:
    assert printed in (await Bench(Bash, folder.work).run(command=command)).text


HIDDEN = (
    'f=a.txt; bash -c "git diff $f"',
    'x=diff; eval "git $x"',
    "for c in status diff; do git $c; done",
    "eval 'git diff'",
    "echo 'git diff' | bash",
)


@pytest.mark.parametrize("command", HIDDEN)
async def test_a_git_that_cannot_be_made_safe_is_asked(command: str, folder: Folder) -> None:
    folder.lay(TRAPS["an external diff"])
    bench = Bench(Bash, folder.work)
    await bench.run(command=command)
    assert len(bench.person.asked) == 1
    assert not folder.trace.exists()


LOOKS = ("status", "diff", "log --oneline", "show --stat", "blame a.txt", "log -p -1", "branch -v")


@pytest.mark.parametrize("command", [f"git {look}" for look in LOOKS])
def test_what_a_deaf_git_prints_is_what_git_prints(command: str, folder: Folder) -> None:
    plain = folder.shell(command)
    with Runner() as runner:
        result = runner.run(Bench(Bash, folder.work).run(command=command))
    assert result.text.strip() == plain.strip()
