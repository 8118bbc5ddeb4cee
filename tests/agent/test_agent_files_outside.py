"""Files of agents as people really write them, and repositories as they really are."""

import os
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order, system_of, text_of
from agent.test_agent_files import defined, trusted
from agent.test_worktree import git, made, repository, template
from ankrcode.agent.agent_files import MAX_FILE_BYTES, agent_type, own_types
from ankrcode.errors import ToolError
from ankrcode.protocol.event import Noticed
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import YES, FakePerson, Turn

__all__ = ["repository", "template"]

HEAD = "---\nname: odd\n"


# ── one file ──────────────────────────────────────────────────────────────────────────────────
TOOLS = {
    "tools: Read, Grep": ("Read", "Grep"),
    "tools: Read,Grep,": ("Read", "Grep"),
    "tools: [Read, Grep]": ("Read", "Grep"),
    "tools: [\"Read\", 'Grep',]": ("Read", "Grep"),
    "tools: [\n  Read,\n  Grep\n]": ("Read", "Grep"),
    "tools:\n  - Read\n  - Grep": ("Read", "Grep"),
    "tools:\n- Read\n- Grep # to search": ("Read", "Grep"),
    "tools:\n\t- Read\n\t- 'Grep'": ("Read", "Grep"),
    "tools:\n  # what it needs\n  - Read\n\n  - Grep": ("Read", "Grep"),
    'tools: "Read, Grep"': ("Read", "Grep"),
    "tools: Read Grep": ("Read", "Grep"),
    "tools:\tRead,\tGrep": ("Read", "Grep"),
    "tools: Read, Read, Grep": ("Read", "Grep"),
    "tools: '*'": None,
    "tools: all": None,
    "tools: []": (),
    "tools: LS, MultiEdit, BashOutput": ("List", "Edit", "TaskOutput"),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("written", "tools"), TOOLS.items())
def test_tools_are_read_in_every_form_and_every_line_ending(
    written: str, tools: tuple[str, ...] | None, line_end: str
) -> None:
    text = f"\ufeff{HEAD}{written}\n---\nDo it.\n".replace("\n", line_end)
    assert agent_type(text).tools == tools


PROMPTS = {
    "a line in the body": ("---\n---\nOne.\n\n---\n\nTwo.", "One.\n\n---\n\nTwo."),
    "a table": ("---\n---\n| a | b |\n|---|---|\n", "| a | b |\n|---|---|"),
    "code": ("---\n---\n```yaml\nname: x\n```", "```yaml\nname: x\n```"),
    "blanks behind the fence": ("--- \nname: x\n---\t\nDo.", "Do."),
    "script": ("---\nname: खोजी\n---\nखोजो।", "खोजो।"),
}


@pytest.mark.parametrize(("text", "prompt"), PROMPTS.values(), ids=PROMPTS)
def test_what_stands_below_is_the_prompt_to_the_letter(text: str, prompt: str) -> None:
    assert agent_type(text, "/x/name.md").prompt == prompt


DESCRIPTIONS = {
    "description: Use this: for all": "Use this: for all",
    'description: It\'s "good"': 'It\'s "good"',
    'description: "Says: \\"go\\""': 'Says: "go"',
    "description: |\n  One\n  two": "One\ntwo",
    "description: >-\n  One\n  two": "One two",
    "description: One\n  two": "One two",
    "description: a#b # c": "a#b",
    "description:": "",
    "color: red": "",
    "description: पहला काम": "पहला काम",
    "hooks:\n  PreToolUse:\n    - matcher: Bash\ndescription: x": "x",
}


@pytest.mark.parametrize(("written", "description"), DESCRIPTIONS.items())
def test_a_description_is_read_or_missing(written: str, description: str) -> None:
    assert agent_type(f"{HEAD}{written}\n---\nDo it.").description == description


BROKEN: dict[str, str | bytes] = {
    "empty": "",
    "only a fence": "---\n",
    "no second fence": "---\nname: x\nDo it.",
    "no first fence": "name: x\n---\nDo it.",
    "nothing below": "---\nname: x\n---\n  \n",
    "turns": "---\nmaxTurns: many\n---\nDo.",
    "no turns": "---\nmaxTurns: 0\n---\nDo.",
    "turns in words of another script": "---\nmaxTurns: १०\n---\nDo.",
    "mode": "---\npermissionMode: godMode\n---\nDo.",
    "isolation": "---\nisolation: docker\n---\nDo.",
    "no bracket": "---\ntools: [Read, Grep\n---\nDo.",
    "no key": "---\njust words\n---\nDo.",
    "a part that is none": "---\ntools: Bash(\n---\nDo.",
    "another encoding": "---\nname: x\n---\nDo.".encode("utf-16"),
    "no text": b"\x00\xff\xfe" * 40,
    "too large": "---\n---\n" + "x" * MAX_FILE_BYTES,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
async def test_a_file_that_cannot_be_used_is_named_once_and_no_other_suffers(
    content: str | bytes, tmp_path: Path
) -> None:
    folder = tmp_path / ".claude" / "agents"
    defined(folder, "good.md", "---\nname: good\n---\nDo it.")
    bad = folder / "bad.md"
    bad.write_bytes(content if isinstance(content, bytes) else content.encode())
    trusted(tmp_path)
    firm = Firm(tmp_path, [calls(order("part a", "good")), "did", "done"])
    notices: list[str] = []
    firm.kit.on("notice", lambda event: notices.append(_message(event)))
    await firm.run()
    assert firm.results[0].ok
    assert [str(bad) in one for one in notices] == [True]


def _message(event: Any) -> str:
    assert isinstance(event, Noticed)
    return str(event.values.get("message"))


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    head = "---\nname: big\n---\n"
    defined(tmp_path / ".claude" / "agents", "big.md", head + "x" * (MAX_FILE_BYTES - len(head)))
    trusted(tmp_path)
    types, faults = own_types(str(tmp_path), os.environ)
    assert ([*types], faults) == (["big"], [])


def test_what_is_no_file_does_not_hold_anybody_up(tmp_path: Path) -> None:
    folder = tmp_path / ".ankrcode" / "agents"
    (folder / "folder.md").mkdir(parents=True)
    os.mkfifo(folder / "pipe.md")
    (folder / "nowhere.md").symlink_to(tmp_path / "nowhere")
    (folder / "circle.md").symlink_to(folder / "circle.md")
    defined(folder, "good.md", "---\n---\nDo it.")
    defined(folder, "notes.txt", "not an agent")
    trusted(tmp_path)
    types, faults = own_types(str(tmp_path), os.environ)
    assert [*types] == ["good"]
    assert len(faults) == 4


# ── who is meant ──────────────────────────────────────────────────────────────────────────────
async def asked_by(folder: Path, kind: str) -> str:
    """What the agent of this name is told first; empty where there is none."""
    firm = Firm(folder, [calls(order("part a", kind)), "did", "done"])
    await firm.run()
    return system_of(firm.request("part a")) if firm.results[0].ok else ""


async def test_ours_before_theirs_and_both_before_presets(tmp_path: Path) -> None:
    theirs, ours = tmp_path / ".claude" / "agents", tmp_path / ".ankrcode" / "agents"
    defined(theirs, "x.md", "---\nname: explore\n---\nYou are of claude.")
    trusted(tmp_path)
    assert "You are of claude." in await asked_by(tmp_path, "explore")
    defined(ours, "y.md", "---\nname: explore\n---\nYou are of ankrcode.")
    assert "You are of ankrcode." in await asked_by(tmp_path, "explore")
    assert "You are of ankrcode." in await asked_by(tmp_path, "Explore")


async def test_a_name_in_other_capitals_is_another_name_where_both_are_there(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ".claude" / "agents"
    defined(folder, "a.md", "---\nname: Reviewer\n---\nYou are the great one.")
    defined(folder, "b.md", "---\nname: reviewer\n---\nYou are the small one.")
    trusted(tmp_path)
    assert "great" in await asked_by(tmp_path, "Reviewer")
    assert "small" in await asked_by(tmp_path, "reviewer")
    assert await asked_by(tmp_path, " REVIEWER ") != ""


async def test_of_two_files_with_one_name_the_later_counts(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "agents"
    defined(folder, "a.md", "---\nname: twin\n---\nYou are the first.")
    defined(folder, "b.md", "---\nname: twin\n---\nYou are the second.")
    trusted(tmp_path)
    assert "second" in await asked_by(tmp_path, "twin")


async def test_an_alias_never_takes_the_place_of_a_name(tmp_path: Path) -> None:
    text = "---\nname: thief\naliases: explore, code\n---\nYou are a thief."
    defined(tmp_path / ".claude" / "agents", "thief.md", text)
    trusted(tmp_path)
    assert "thief" not in await asked_by(tmp_path, "explore")
    assert "thief" in await asked_by(tmp_path, "thief")


async def test_tools_that_are_not_there_are_passed_over(tmp_path: Path) -> None:
    text = "---\nname: odd\ntools: Read, Frobnicate, mcp__x__y, Grep\n---\nDo it."
    defined(tmp_path / ".claude" / "agents", "odd.md", text)
    trusted(tmp_path)
    firm = Firm(tmp_path, [calls(order("part a", "odd")), "did", "done"])
    await firm.run()
    assert sorted(firm.tools_told("part a")) == ["Grep", "Read"]


@pytest.mark.parametrize("model", ["nowhere/none", "gpt-17-imaginary", "a b c", "/"])
async def test_a_model_that_nobody_knows_is_named_and_nobody_begins(
    model: str, tmp_path: Path
) -> None:
    defined(tmp_path / ".claude" / "agents", "odd.md", f"{HEAD}model: {model}\n---\nDo it.")
    trusted(tmp_path)
    firm = Firm(tmp_path, [calls(order("part a", "odd")), "done"])
    await firm.run()
    assert firm.results[0].error is not None
    assert model.strip() in firm.results[0].text
    assert len(firm.model.requests) == 2


@pytest.mark.parametrize("model", ["Sonnet", "HAIKU", "inherit", "large", "'opus'"])
async def test_sizes_are_known_however_they_are_written(model: str, tmp_path: Path) -> None:
    defined(tmp_path / ".claude" / "agents", "odd.md", f"{HEAD}model: {model}\n---\nDo it.")
    trusted(tmp_path)
    assert await asked_by(tmp_path, "odd")


# ── what the model is told of them ────────────────────────────────────────────────────────────
async def told_of(folder: Path) -> str:
    firm = Firm(folder, ["hi"])
    await firm.run()
    [task] = [one for one in firm.model.requests[0].tools if one.name == "Task"]
    return task.description


@pytest.mark.parametrize("number", [1, 3, 12, 60])
async def test_however_long_they_are_described_every_one_is_named(
    number: int, tmp_path: Path
) -> None:
    for one in range(number):
        text = (
            f"---\nname: agent{one:02}\ndescription: |\n  {'Long words. ' * 90}\n  More.\n---\nDo."
        )
        defined(tmp_path / ".claude" / "agents", f"{one:02}.md", text)
    trusted(tmp_path)
    own = (await told_of(tmp_path)).partition("Defined here as well:\n")[2].splitlines()
    assert [line.split(":")[0] for line in own] == [f"- agent{one:02}" for one in range(number)]
    assert sum(map(len, own)) < 2_500
    assert all("Long words." in line for line in own)


async def test_short_descriptions_stay_whole_beside_a_long_one(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "agents"
    defined(folder, "a.md", f"---\nname: talker\ndescription: {'Talks. ' * 900}\n---\nDo.")
    defined(folder, "b.md", "---\nname: brief\ndescription: Says it in a few words.\n---\nDo.")
    defined(folder, "c.md", "---\nname: silent\n---\nDo.")
    trusted(tmp_path)
    told = await told_of(tmp_path)
    assert "\n- brief: Says it in a few words.\n" in told
    assert told.endswith("\n- silent")
    assert told.count("Talks.") > 200


async def test_two_hundred_are_told_as_far_as_there_is_room(tmp_path: Path) -> None:
    for one in range(200):
        defined(tmp_path / ".claude" / "agents", f"{one:03}.md", f"---\nname: a{one:03}\n---\nDo.")
    trusted(tmp_path)
    told = await told_of(tmp_path)
    assert "- a000" in told
    assert told.endswith("- and 100 more")
    assert await asked_by(tmp_path, "a199")  # who is not told of can still be started


# ── repositories ──────────────────────────────────────────────────────────────────────────────
async def test_in_a_submodule_the_worktree_is_of_the_submodule(
    repository: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        str(repository), "part")  # fmt: skip
    worktree = await made(outer / "part")
    assert Path(worktree.path, "a.txt").exists()
    assert git(Path(worktree.path), "log", "--format=%s") == "first"
    assert await worktree.tidy()
    assert not Path(worktree.path).exists()


async def test_of_a_sparse_checkout_what_is_there_is_there(repository: Path) -> None:
    git(repository, "status")  # a copy has other times: look again
    git(repository, "sparse-checkout", "set", "--no-cone", "/a.txt")
    assert not (repository / "inner" / "b.txt").exists()
    worktree = await made(repository)
    assert Path(worktree.path, "a.txt").read_text(encoding="utf-8") == "committed\n"
    assert await worktree.tidy()
    assert git(repository, "status", "--porcelain") == ""


async def test_a_bare_repository_gives_none_and_says_so(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(bare))
    before = git(bare, "for-each-ref")
    with pytest.raises(ToolError, match="work"):
        await made(bare)
    assert git(bare, "for-each-ref") == before


async def test_from_a_head_on_no_branch(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    worktree = await made(repository)
    assert git(Path(worktree.path), "rev-parse", "HEAD") == git(repository, "rev-parse", "HEAD")
    assert await worktree.tidy()


async def test_of_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", str(shallow))
    worktree = await made(shallow)
    assert Path(worktree.path, "inner", "b.txt").exists()
    assert await worktree.tidy()


@pytest.mark.parametrize("name", ["with blanks", "हिन्दी", "quote'd", "-dash", "new\nline"])
async def test_of_a_folder_whatever_it_is_called(
    name: str, repository: Path, tmp_path: Path
) -> None:
    place = tmp_path / name
    repository.rename(place)
    worktree = await made(place)
    assert Path(worktree.path, "a.txt").exists()
    assert await worktree.tidy()


async def test_from_a_worktree_that_the_person_made(repository: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    git(repository, "worktree", "add", "--quiet", "-b", "mine", str(own))
    (own / "new.txt").write_text("x", encoding="utf-8")
    worktree = await made(own)
    assert Path(worktree.path, "new.txt").exists()
    assert await worktree.tidy()
    assert own.is_dir()
    assert git(repository, "branch", "--list", "ankrcode/*") == ""


async def test_a_branch_that_has_the_name_already_is_not_taken(repository: Path) -> None:
    git(repository, "branch", "ankrcode/agent_1")
    before = git(repository, "rev-parse", "ankrcode/agent_1")
    with pytest.raises(ToolError):
        await made(repository)
    assert git(repository, "rev-parse", "ankrcode/agent_1") == before


async def test_while_somebody_holds_the_index_nobody_waits_for_it(repository: Path) -> None:
    """A lock of git's own: a worktree has an index of its own."""
    (repository / ".git" / "index.lock").write_text("", encoding="utf-8")
    worktree = await made(repository)
    assert await worktree.tidy()
    (repository / ".git" / "index.lock").unlink()
    assert git(repository, "status", "--porcelain") == ""


async def test_two_agents_of_a_file_each_have_a_place_of_their_own(repository: Path) -> None:
    text = "---\nname: apart\nisolation: worktree\ntools: Write, Read\n---\nDo it."
    defined(repository / ".ankrcode" / "agents", "apart.md", text)
    trusted(repository)

    def reply(request: ModelRequest) -> Turn:
        is_first = text_of(request.messages[-1]).startswith("part")
        write = calls(call("Write", file_path="n.txt", content="x"))
        return write if is_first else Turn(text="did")

    turns = [calls(order("part a", "apart"), order("part b", "apart")), *[reply] * 4, "ok"]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES] * 4))
    await firm.run()
    places = {one.metadata["worktree"] for one in firm.results}
    assert len(places) == 2
    assert all(Path(one, "n.txt").exists() for one in places)
    assert not (repository / "n.txt").exists()
    assert all(one in "".join(text_of(m) for m in firm.kit.agent.messages) for one in places)
    await firm.agent.close()
