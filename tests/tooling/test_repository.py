"""Git that only reads, in repositories whose own settings name programs."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from ankrcode import Toolkit, ToolResult


class Repository:
    """A repository with one file that changed in a way that git has to look inside."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.commit("a.txt", "one\n")

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        identity = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always")
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=cwd or self.root, check=True, capture_output=True)
        return done.stdout.decode()

    def commit(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")
        (self.root / ".gitattributes").write_text("*.txt filter=evil\n", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def touch(self) -> None:
        for file in (self.root / "a.txt", self.root / "sub" / "a.txt"):
            if file.exists():
                file.write_text("two\n", encoding="utf-8")
                os.utime(file, (1, 1))


class Site:
    """A workspace with a repository, and a trap outside of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sprung = folder / "sprung"
        self.top = Repository(folder / "top")

    @property
    def trap(self) -> str:
        return f"touch {shlex.quote(str(self.sprung))}; cat"

    async def bash(self, command: str) -> ToolResult:
        kit = Toolkit(cwd=self.top.root)
        try:
            return await kit.call("Bash", command=command)
        finally:
            kit.close()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def set_clean(site: Site, config: Path, name: str = "evil") -> None:
    site.top.git("config", "--file", str(config), f"filter.{name}.clean", site.trap)


# ── where a repository may hide a filter ──────────────────────────────────────────────────────
def in_config(site: Site) -> None:
    set_clean(site, site.top.root / ".git" / "config")


def as_a_process(site: Site) -> None:
    site.top.git("config", "filter.evil.process", site.trap)
    site.top.git("config", "filter.evil.required", "true")


def in_an_included_file(site: Site) -> None:
    set_clean(site, site.top.root / ".git" / "more")
    site.top.git("config", "include.path", "more")


def in_a_conditional_include(site: Site) -> None:
    set_clean(site, site.top.root / ".git" / "more")
    site.top.git("config", f"includeIf.gitdir:{site.top.root}/.path", "more")


def in_the_settings_of_the_work_tree(site: Site) -> None:
    site.top.git("config", "extensions.worktreeConfig", "true")
    set_clean(site, site.top.root / ".git" / "config.worktree")


def in_odd_spelling(site: Site) -> None:
    with (site.top.root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(f'[FiLtEr "evil"] ClEaN = "{site.trap}"\n')


def in_old_spelling(site: Site) -> None:
    with (site.top.root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(f'[filter.evil]\n\tclean = "{site.trap}"\n')


def under_a_name_with_blanks(site: Site) -> None:
    name = "e vil'\"$(x);"
    set_clean(site, site.top.root / ".git" / "config", name)
    attributes = site.top.root / ".git" / "info" / "attributes"
    attributes.write_text("*.txt filter=evil\n", encoding="utf-8")
    set_clean(site, site.top.root / ".git" / "config")


def in_a_submodule(site: Site) -> None:
    Repository(site.folder / "other")
    site.top.git("submodule", "add", "-q", str(site.folder / "other"), "sub")
    site.top.git("commit", "-qm", "sub")
    set_clean(site, site.top.root / ".git" / "modules" / "sub" / "config")


def in_a_nested_repository(site: Site) -> None:
    """A submodule that keeps its own .git, and that no .gitmodules speaks of."""
    inner = Repository(site.top.root / "sub")
    site.top.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
    site.top.git("commit", "-qm", "sub")
    set_clean(site, inner.root / ".git" / "config")


def in_the_repository_of_a_further_work_tree(site: Site) -> None:
    """Here the workspace is a work tree: its .git is a file."""
    real = site.top
    real.root.rename(site.folder / "real")
    real.root = site.folder / "real"
    real.git("worktree", "add", "-q", str(site.folder / "top"), "-b", "side")
    set_clean(site, real.root / ".git" / "config")
    real.root = site.folder / "top"


HIDING = [
    in_config,
    as_a_process,
    in_an_included_file,
    in_a_conditional_include,
    in_the_settings_of_the_work_tree,
    in_odd_spelling,
    in_old_spelling,
    under_a_name_with_blanks,
    in_a_submodule,
    in_a_nested_repository,
    in_the_repository_of_a_further_work_tree,
]


@pytest.mark.parametrize("hide", HIDING, ids=lambda hide: hide.__name__)
async def test_no_filter_of_a_repository_runs(hide: object, site: Site) -> None:
    assert callable(hide)
    hide(site)
    site.top.touch()
    for command in ("git status --short", "git diff", "git -C . diff --stat"):
        result = await site.bash(command)
        assert result.ok, result.text
        assert "a.txt" in result.text or "sub" in result.text
        assert not site.sprung.exists(), command


@pytest.mark.parametrize("hide", HIDING, ids=lambda hide: hide.__name__)
def test_plain_git_would_run_it(hide: object, site: Site) -> None:
    assert callable(hide)
    hide(site)
    site.top.touch()
    for command in (["git", "status"], ["git", "diff"]):
        subprocess.run(command, cwd=site.top.root, capture_output=True, check=False)
    assert site.sprung.exists()


async def test_a_bare_repository_inside_the_checkout_runs_nothing(site: Site) -> None:
    """It can come with any clone: to git it is a repository like another."""
    evil = site.top.root / "evil"
    (evil / "objects").mkdir(parents=True)
    (evil / "refs").mkdir()
    (evil / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    settings = f'[core]\n\tbare = false\n\tworktree = "."\n\tfsmonitor = "{site.trap}"\n'
    (evil / "config").write_text(settings + f'[filter "evil"]\n\tclean = "{site.trap}"\n', "utf-8")
    for command in ("cd evil && git status", "git -C evil status", "git -C evil diff"):
        await site.bash(command)
        assert not site.sprung.exists(), command


@pytest.mark.parametrize("name", ["a=b", "a\nb", "a=", "\x1b"])
async def test_a_filter_that_git_cannot_be_told_about_is_refused(name: str, site: Site) -> None:
    quoted = name.replace("\n", "\\\n").replace('"', '\\"')
    with (site.top.root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(f'[filter "{quoted}"]\n\tclean = "{site.trap}"\n')
    site.top.touch()
    result = await site.bash("git diff")
    assert result.error is not None
    assert result.error.code in ("BLOCKED", "EXECUTION_ERROR")
    assert not site.sprung.exists()


async def test_broken_settings_are_refused(site: Site) -> None:
    (site.top.root / ".git" / "config").write_text("[filter", encoding="utf-8")
    result = await site.bash("git diff")
    assert result.error is not None
    assert result.error.code == "BLOCKED"
    assert "Look at its .git/config first." in result.text


async def test_the_persons_own_filter_may_run(site: Site, own_home: Path) -> None:
    (own_home / ".gitconfig").write_text(
        f'[filter "evil"]\n\tclean = "{site.trap}"\n', encoding="utf-8"
    )
    site.top.git("config", "filter.other.clean", "cat")  # so that git is asked at all
    site.top.touch()
    assert (await site.bash("git diff")).ok
    assert site.sprung.exists()


async def test_a_repository_cannot_speak_for_the_person(site: Site, own_home: Path) -> None:
    """The same name in both places: the repository's word would count, so it is switched off."""
    (own_home / ".gitconfig").write_text('[filter "evil"]\n\tclean = cat\n', encoding="utf-8")
    in_config(site)
    site.top.touch()
    assert (await site.bash("git diff")).ok
    assert not site.sprung.exists()


async def test_what_a_person_approved_runs_as_it_was_approved(site: Site) -> None:
    in_config(site)
    site.top.touch()
    kit = Toolkit(cwd=site.top.root, mode="bypass")
    assert (await kit.call("Bash", command="git add a.txt")).ok
    assert site.sprung.exists()
    kit.close()


async def test_what_git_says_is_the_same_as_ever(site: Site) -> None:
    site.top.touch()
    for command in ("git status --short", "git diff", "git log --format=%s", "git show --stat"):
        result = await site.bash(command)
        assert result.text.strip() == site.top.git(*shlex.split(command)[1:]).strip()


async def test_without_a_repository_git_speaks_for_itself(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    result = await kit.call("Bash", command="git status")
    assert "not a git repository" in result.text
    assert (await kit.call("Bash", command="echo git")).text.strip() == "git"
    kit.close()
