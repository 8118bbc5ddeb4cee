"""Attacks that wait for git: what is left behind makes it run a program later, outside the wall.

git itself is the judge. After each attack it does its daily work outside; whatever it was made to
run leaves a mark.
"""

import os
import subprocess
from dataclasses import dataclass

import pytest

from sandbox.site import Site
from sandbox.walls import PRESENT, Runner

FSMONITOR = "printf '[core]\\n\\tfsmonitor = {evil}\\n'"
HOOK = "printf '#!/bin/sh\\n{evil}\\n'"
A_REPOSITORY = "mkdir -p x/objects x/refs x/hooks; echo 'ref: refs/heads/main' > x/HEAD; "


@dataclass(frozen=True)
class Attack:
    name: str
    script: str
    start: str = "."  # where the command starts
    before: str = ""  # how the person had set things up


ATTACKS = (
    Attack("a hook", f"{HOOK} > .git/hooks/post-commit; chmod +x .git/hooks/post-commit"),
    Attack(
        "a hook, moved in with its folder",
        f"mkdir h; {HOOK} > h/post-commit; chmod +x h/post-commit; "
        "mv .git/hooks .git/old; mv h .git/hooks",
    ),
    Attack("settings", f"{FSMONITOR} >> .git/config"),
    Attack("settings by git", "git config core.fsmonitor {evil}"),
    Attack("settings through another name", f"ln .git/config c && {FSMONITOR} >> c"),
    Attack("settings through a descriptor", f"exec 3<.git/config; {FSMONITOR} >> /proc/self/fd/3"),
    Attack("settings through /proc", f"{FSMONITOR} >> /proc/self/cwd/.git/config"),
    Attack("settings renamed into place", f"{FSMONITOR} > c; mv -f c .git/config"),
    Attack("settings linked into place", f"{FSMONITOR} > c; ln -sf ../c .git/config"),
    Attack("another repository behind the first", f"{A_REPOSITORY} {FSMONITOR} > x/config; "
           "echo ../x > .git/commondir"),
    Attack("another repository in its place", "cp -r .git x; rm -rf .git; mv x .git; "
           "git config core.fsmonitor {evil}"),
    Attack("a file that names another repository", "cp -r .git x; mv .git y; "
           "echo 'gitdir: x' > .git; git config core.fsmonitor {evil}"),
    Attack("a link to another repository", "cp -r .git x; mv .git y; ln -s x .git; "
           "git config core.fsmonitor {evil}"),
    Attack(
        "attributes and a filter of the person's",
        "mkdir -p .git/info; echo '* filter=own' > .git/info/attributes; echo change >> file",
        before="git config filter.own.clean 'touch {marker}; cat'",
    ),
    Attack(
        "settings of this work tree",
        "git config --worktree core.fsmonitor {evil}",
        before="git config extensions.worktreeConfig true",
    ),
    Attack(
        "hooks elsewhere",
        f"{HOOK} > tools/hooks/post-commit; chmod +x tools/hooks/post-commit",
        before="git config core.hooksPath tools/hooks; mkdir -p tools/hooks",
    ),
    Attack(
        "hooks elsewhere, by what they lie in",
        f"mv tools old; mkdir -p tools/hooks; {HOOK} > tools/hooks/post-commit; "
        "chmod +x tools/hooks/post-commit",
        before="git config core.hooksPath tools/hooks; mkdir -p tools/hooks",
    ),
    Attack(
        "hooks elsewhere that are not there yet",
        f"mkdir -p tools/hooks; {HOOK} > tools/hooks/post-commit; "
        "chmod +x tools/hooks/post-commit",
        before="git config core.hooksPath tools/hooks",
    ),
    Attack(
        "settings that the settings include",
        f"{FSMONITOR} > team.inc",
        before="git config include.path ../team.inc; touch team.inc",
    ),
    Attack(
        "settings to be included that are not there yet",
        f"{FSMONITOR} > team.inc",
        before="git config include.path ../team.inc",
    ),
    Attack(
        "settings of a repository further down",
        "git config core.fsmonitor {evil}",
        start="sub",
        before="git init -q sub",
    ),
    Attack(
        "settings of a repository further down, by what it lies in",
        "cd {work}; cp -r sub x; mv sub old; mv x sub; git -C sub config core.fsmonitor {evil}",
        start="sub",
        before="git init -q sub",
    ),
    Attack(
        "settings of a submodule",
        f"{FSMONITOR} >> .git/modules/sub/config",
        before="git -c protocol.file.allow=always submodule --quiet add {origin} sub",
    ),
    Attack(
        "a hook of a submodule",
        f"{HOOK} > .git/modules/sub/hooks/post-commit; "
        "chmod +x .git/modules/sub/hooks/post-commit",
        before="git -c protocol.file.allow=always submodule --quiet add {origin} sub",
    ),
    Attack(
        "the repository of a further work tree",
        f"{A_REPOSITORY} {FSMONITOR} > x/config; echo {{work}}/x > .git/worktrees/tree/commondir",
        before="git worktree add -q {tree}",
    ),
)  # fmt: skip


class Checkout:
    """A repository with one commit, another to take things from, and a person who uses both."""

    def __init__(self, site: Site) -> None:
        self.site, self.work = site, site.work
        self.marker, self.tree = site.base / "marker", site.base / "tree"
        self.origin, self.evil = site.base / "origin", site.base / "evil"
        self.evil.write_text(f"#!/bin/sh\ntouch {self.marker}\n", encoding="utf-8")
        self.evil.chmod(0o755)
        self.shell(f"git init -q {self.origin}; cd {self.origin}; git commit -q --allow-empty -m 0")
        self.shell("rm -rf .git .idea .gemini gemini; git init -q; echo 1 > file; git add file")
        self.shell("git commit -qm 1")

    def fill(self, text: str) -> str:
        values = {"work": self.work, "marker": self.marker, "evil": self.evil}
        for name, value in {**values, "origin": self.origin, "tree": self.tree}.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def shell(self, script: str) -> None:
        subprocess.run(["bash", "-ec", script], cwd=self.work, env=identity(), check=True)

    def attack(self, attack: Attack, wall: str, profile: str) -> None:
        self.shell(self.fill(attack.before))
        runner = Runner(self.site.home / "saved", wall=wall)
        process = runner.processes.start(
            ["bash", "-c", self.fill(attack.script)],
            cwd=str(self.work / attack.start),
            env=identity(),
            profile=profile,
            roots=(str(self.work),),
            timeout_s=20,
        )
        assert process.wait(25)

    def is_marked_by_daily_work(self) -> bool:
        for folder in (self.work, self.work / "sub", self.tree):
            if folder.is_dir():
                for words in ("status", "add -A .", "commit -q --allow-empty -m 2", "log -1"):
                    subprocess.run(
                        ["git", *words.split()],
                        cwd=folder,
                        env=identity(),
                        capture_output=True,
                        check=False,
                    )
        return self.marker.exists()


def identity() -> dict[str, str]:
    names = ("AUTHOR", "COMMITTER")
    people = {f"GIT_{name}_{what}": "a@example.com" for name in names for what in ("NAME", "EMAIL")}
    return {**os.environ, **people, "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_without_a_wall_git_is_taken_in(attack: Attack, site: Site) -> None:
    checkout = Checkout(site)
    checkout.attack(attack, "none", "open")
    assert checkout.is_marked_by_daily_work()


@pytest.mark.parametrize("wall", PRESENT)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_behind_a_wall_git_runs_nothing_for_it(attack: Attack, wall: str, site: Site) -> None:
    checkout = Checkout(site)
    checkout.attack(attack, wall, "workspace-write")
    assert not checkout.is_marked_by_daily_work()


DAILY = {
    "commit": "echo 2 > file; git commit -qam 2",
    "branch and merge": "git checkout -qb side; git commit -q --allow-empty -m s; "
    "git checkout -q -; git merge -q --no-ff -m m side; git branch -qd side",
    "tag": "git tag v1; git tag -a v2 -m two",
    "stash": "echo 2 > file; git stash -q; git stash pop -q",
    "rebase": "git checkout -qb side; git commit -q --allow-empty -m s; git rebase -q -",
    "amend and reset": "git commit -q --amend --allow-empty -m n; git reset -q --hard",
    "clean up": "git repack -adqn; git pack-refs --all; git prune",
    "move and remove": "git mv file other; git commit -qm m; git rm -q other; git commit -qm r",
    "notes": "git notes add -m note",
    "reflog": "git reflog expire --all",
}


@pytest.mark.parametrize("wall", PRESENT)
@pytest.mark.parametrize("script", DAILY.values(), ids=DAILY)
def test_the_daily_work_with_git_goes_on_behind_the_wall(
    script: str, wall: str, site: Site
) -> None:
    work = Checkout(site).work
    runner = Runner(site.home / "saved", wall=wall)
    done = runner(["bash", "-ec", script], roots=[work], env=identity())
    assert (done.code, done.outcome.violations) == (0, ()), done.text
    subprocess.run(["git", "fsck", "--no-progress"], cwd=work, check=True, capture_output=True)


@pytest.mark.parametrize("wall", PRESENT)
def test_a_commit_works_in_a_submodule_and_above_it(wall: str, site: Site) -> None:
    checkout = Checkout(site)
    checkout.shell(f"git -c protocol.file.allow=always submodule --quiet add {checkout.origin} sub")
    runner = Runner(site.home / "saved", wall=wall)
    script = "cd sub; echo 1 > a; git add a; git commit -qm in; cd ..; git commit -qam above"
    done = runner(["bash", "-ec", script], roots=[checkout.work], env=identity())
    assert (done.code, done.outcome.violations) == (0, ()), done.text


@pytest.mark.parametrize("wall", PRESENT)
def test_with_many_submodules_all_of_them_are_read_only(wall: str, site: Site) -> None:
    checkout = Checkout(site)
    modules = [checkout.work / ".git" / "modules" / f"m{number}" for number in range(12)]
    for module in modules:
        (module / "hooks").mkdir(parents=True)
        (module / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (module / "config").write_text("[core]\n", encoding="utf-8")
    runner = Runner(site.home / "saved", wall=wall)
    runner.bash("for m in .git/modules/*; do echo evil >> $m/config; done", roots=[checkout.work])
    assert {(module / "config").read_text(encoding="utf-8") for module in modules} == {"[core]\n"}
