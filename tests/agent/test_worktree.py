"""A worktree for one agent: apart from the others, gone if unchanged, kept with its changes."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, text_of
from ankrcode import Toolkit
from ankrcode.agent.worktree import Worktree
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.errors import ToolError
from ankrcode.testing import NO, YES, FakePerson


def git(folder: Path, *words: str) -> str:
    names = ("user.name=t", "user.email=t@example.invalid", "init.defaultBranch=main")
    settings = [word for one in names for word in ("-c", one)]
    done = subprocess.run(
        ["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, template: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "repository"))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: git takes longer than a copy."""
    folder = tmp_path_factory.mktemp("template") / "repository"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("committed\n", encoding="utf-8")
    (folder / "inner" / "b.txt").write_text("below\n", encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


async def made(folder: Path, name: str = "agent_1") -> Worktree:
    kit = Toolkit(cwd=folder)
    return await Worktree.make(str(folder), name, kit.agent.processes)


# ── the worktree itself ───────────────────────────────────────────────────────────────────────
async def test_it_holds_what_is_committed_on_a_branch_of_its_own(
    repository: Path, own_home: Path
) -> None:
    worktree = await made(repository)
    place = Path(worktree.path)
    assert own_home in place.parents
    assert (place / "a.txt").read_text(encoding="utf-8") == "committed\n"
    assert worktree.branch == "ankrcode/agent_1"
    assert git(place, "rev-parse", "--abbrev-ref", "HEAD") == "ankrcode/agent_1"
    assert place.parent.stat().st_mode & 0o077 == 0
    assert await worktree.is_unchanged()


async def test_unchanged_it_goes_and_its_branch_too(repository: Path) -> None:
    worktree = await made(repository)
    assert await worktree.tidy()
    assert not Path(worktree.path).exists()
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "branch") == "* main"


@pytest.mark.parametrize("change", ["new", "edit", "delete", "commit", "stage"])
async def test_with_any_change_it_stays(change: str, repository: Path) -> None:
    worktree = await made(repository)
    place = Path(worktree.path)
    if change == "delete":
        (place / "a.txt").unlink()
    else:
        (place / ("new.txt" if change == "new" else "a.txt")).write_text("x\n", encoding="utf-8")
    if change in ("commit", "stage"):
        git(place, "add", ".")
    if change == "commit":
        git(place, "commit", "--quiet", "-m", "second")
    assert not await worktree.is_unchanged()
    assert not await worktree.tidy()
    assert place.exists()
    assert "ankrcode/agent_1" in git(repository, "branch")


async def test_what_is_ignored_is_no_change(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n", encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "ignore")
    worktree = await made(repository)
    (Path(worktree.path) / "build.log").write_text("x", encoding="utf-8")
    assert await worktree.tidy()


async def test_from_an_inner_folder_the_agent_works_in_that_folder(repository: Path) -> None:
    worktree = await made(repository / "inner")
    assert (Path(worktree.path) / "b.txt").is_file()
    assert worktree.path.endswith("agent_1/inner")
    assert await worktree.tidy()


async def test_outside_a_repository_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="is not inside a git repository"):
        await made(tmp_path)


async def test_of_a_repository_without_files_there_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare")
    with pytest.raises(ToolError, match="could not be made: fatal: this operation must be run in"):
        await made(tmp_path)


async def test_what_git_says_of_a_broken_repository_is_told(repository: Path) -> None:
    (repository / ".git" / "config").write_text("[broken", encoding="utf-8")
    with pytest.raises(ToolError, match="could not be made: fatal: bad config"):
        await made(repository)


async def test_a_hook_of_git_that_started_us_does_not_lead_us_astray(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    index = (repository / ".git" / "index").read_bytes()
    (repository / "a.txt").write_text("staged\n", encoding="utf-8")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git" / "index"))
    worktree = await made(repository)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert (Path(worktree.path) / "a.txt").read_text(encoding="utf-8") == "staged\n"
    assert (repository / ".git" / "index").read_bytes() == index
    assert git(other, "worktree", "list").count("\n") == 0


async def test_from_a_folder_that_git_does_not_keep_the_agent_has_one_too(repository: Path) -> None:
    (repository / "empty" / "deep").mkdir(parents=True)
    worktree = await made(repository / "empty" / "deep")
    assert Path(worktree.path).is_dir()
    assert worktree.path.endswith("/empty/deep")
    assert await worktree.tidy()


@pytest.mark.parametrize("name", ["../../x", "a/b", "", ".", "..", "a b", "-x;y", "é", "x\n"])
async def test_a_name_from_outside_is_never_a_path(name: str, repository: Path) -> None:
    with pytest.raises(ToolError, match="could not be made"):
        await made(repository, name)
    assert git(repository, "worktree", "list").count("\n") == 0


async def test_what_git_complains_about_is_told(repository: Path) -> None:
    git(repository, "branch", "ankrcode/agent_1")
    with pytest.raises(ToolError, match=r"could not be made: .*already exists"):
        await made(repository)


async def test_nothing_that_the_repositorys_settings_name_is_run(
    repository: Path, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
    hook.chmod(0o755)
    (repository / ".gitattributes").write_text("*.txt filter=evil\n", encoding="utf-8")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "--quiet", "-m", "attributes")
    (repository / "a.txt").write_text("not committed\n", encoding="utf-8")
    (repository / "new.txt").write_text("new\n", encoding="utf-8")
    for kind in ("smudge", "clean"):
        git(repository, "config", f"filter.evil.{kind}", f"touch {canary}; cat")
    git(repository, "config", "core.fsmonitor", f"touch {canary}")
    worktree = await made(repository)
    (Path(worktree.path) / "inner" / "b.txt").write_text("changed\n", encoding="utf-8")
    assert not await worktree.tidy()
    assert not canary.exists()


# ── an agent in it ────────────────────────────────────────────────────────────────────────────
def isolated(prompt: str, kind: str = "code", **more: Any) -> Any:
    return order(prompt, kind, isolation="worktree", **more)


async def test_an_agents_changes_are_in_its_worktree_alone(repository: Path) -> None:
    turns = [
        calls(isolated("change it")),
        calls(call("Write", file_path="new.txt", content="x")),
        "changed",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    (result,) = firm.of_task
    place = Path(result.value.worktree)
    assert (place / "new.txt").read_text(encoding="utf-8") == "x"
    assert not (repository / "new.txt").exists()
    assert result.value.branch == f"ankrcode/{result.value.agent_id}"
    assert f"Its changes are in {place}, on the branch ankrcode/" in result.text
    assert "Nothing was merged." in result.text


async def test_an_agent_that_changed_nothing_leaves_nothing(repository: Path) -> None:
    turns = [calls(isolated("look")), calls(call("Read", file_path="a.txt")), "seen", "done"]
    firm = Firm(repository, turns, approve=FakePerson([YES]))
    await firm.run()
    (result,) = firm.of_task
    assert (result.value.worktree, result.value.branch) == ("", "")
    assert git(repository, "branch") == "* main"
    assert git(repository, "worktree", "list").count("\n") == 0


async def test_it_cannot_write_where_its_parent_works(repository: Path) -> None:
    outside = str(repository / "outside.txt")
    turns = [
        calls(isolated("write outside")),
        calls(call("Write", file_path=outside, content="x")),
        "tried",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES, NO]))
    await firm.run()
    assert not (repository / "outside.txt").exists()


async def test_the_rules_of_the_settings_count_there_too(repository: Path) -> None:
    settings = Settings(permissions=PermissionSettings(deny=["Write(/inner/**)"]))
    turns = [
        calls(isolated("write")),
        calls(
            call("Write", file_path="inner/no.txt", content="x"),
            call("Write", file_path="yes.txt", content="x"),
        ),
        "tried",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", settings=settings, approve=FakePerson([YES]))
    await firm.run()
    place = Path(firm.of_task[0].value.worktree)
    assert (place / "yes.txt").exists()
    assert not (place / "inner" / "no.txt").exists()


async def test_two_at_once_do_not_meet(repository: Path) -> None:
    def child(request: Any) -> Any:
        said = text_of(request.messages[-1])
        if said.startswith("part"):
            return calls(call("Write", file_path="same.txt", content=said))
        return "written"

    turns = [calls(isolated("part one"), isolated("part two")), *[child] * 4, "done"]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES, YES]))
    await firm.run()
    places = [Path(one.value.worktree) for one in firm.of_task]
    written = {(place / "same.txt").read_text(encoding="utf-8").splitlines()[0] for place in places}
    assert written == {"part one", "part two"}


async def test_the_person_is_asked_first_and_a_no_makes_nothing(repository: Path) -> None:
    person = FakePerson([NO])
    firm = Firm(repository, [calls(isolated("x")), "done"], approve=person)
    await firm.run()
    assert "git worktree add" in str(person.asked[0].acts.runs)
    assert git(repository, "worktree", "list").count("\n") == 0


async def test_where_none_can_be_made_the_agent_does_not_begin(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(isolated("x")), "done"], approve=FakePerson([YES]))
    await firm.run()
    assert "no worktree can be made" in firm.results[0].text
    assert len(firm.model.requests) == 2


async def test_going_on_an_agent_finds_its_changes_again(repository: Path) -> None:
    def again(request: Any) -> Any:
        said = text_of(request.messages[-1])
        agent_id = said.split("resume ")[1].split(".")[0]
        return calls(order("what did you write?", "code", resume=agent_id))

    turns = [
        calls(isolated("write")),
        calls(call("Write", file_path="new.txt", content="x")),
        "written",
        again,
        calls(call("Read", file_path="new.txt")),
        "it is there",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES]))
    await firm.run()
    first, second = firm.of_task
    assert first.value.worktree == second.value.worktree
    assert second.value.response == "it is there"
