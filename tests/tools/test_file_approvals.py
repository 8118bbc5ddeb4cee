"""When a person is asked about Write, Move, Delete and NotebookEdit, and what they are shown."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ankrcode import Approval, ApprovalAnswer, Mode, Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import NO, YES, FakePerson
from documents import code_cell, notebook

ALWAYS = ApprovalAnswer(approved=True, remember="session")


class Case(NamedTuple):
    """A call, what the person is shown of it, and the modes in which nobody is asked."""

    tool: str
    arguments: dict[str, Any]
    shown: tuple[str, ...]
    unasked: tuple[Mode, ...] = (Mode.ACCEPT_EDITS, Mode.BYPASS)
    kind: str = "text"


ONLY_BYPASS = (Mode.BYPASS,)
CASES = {
    "write a new file": Case(
        "Write", {"file_path": "new.txt", "content": "one\ntwo\n"}, ("+one", "+two"), kind="diff"
    ),
    "write a new file in new folders": Case(
        "Write", {"file_path": "a/b/new.txt", "content": "x\n"}, ("+x",), kind="diff"
    ),
    "write bytes": Case(
        "Write",
        {"file_path": "new.bin", "content": "AAEC", "encoding": "base64"},
        ("new.bin", "3"),
    ),
    "overwrite": Case(
        "Write",
        {"file_path": "read.txt", "content": "first\nchanged\n"},
        ("-second", "+changed"),
        kind="diff",
    ),
    "empty a file": Case(
        "Write", {"file_path": "read.txt", "content": ""}, ("-first", "-second"), kind="diff"
    ),
    "move": Case(
        "Move", {"source": "read.txt", "destination": "moved.txt"}, ("read.txt", "moved.txt")
    ),
    "move into a folder": Case(
        "Move", {"source": "read.txt", "destination": "full"}, ("full/read.txt",)
    ),
    "move a folder": Case("Move", {"source": "full", "destination": "other"}, ("full", "other")),
    "move over": Case(
        "Move",
        {"source": "read.txt", "destination": "full/x", "overwrite": True},
        ("read.txt", "full/x"),
        ONLY_BYPASS,
    ),
    "delete a file": Case("Delete", {"path": "read.txt"}, ("read.txt",), ONLY_BYPASS),
    "delete a link": Case("Delete", {"path": "link"}, ("link",), ONLY_BYPASS),
    "delete a folder": Case(
        "Delete",
        {"path": "full", "recursive": True},
        ("full", "full/deep/y", "full/x"),
        ONLY_BYPASS,
    ),
    "delete an empty folder": Case("Delete", {"path": "empty"}, ("empty",), ONLY_BYPASS),
    "edit a cell": Case(
        "NotebookEdit",
        {"notebook_path": "n.ipynb", "cell_number": 0, "new_source": "x = 2"},
        ("-x = 1", "+x = 2"),
        kind="diff",
    ),
    "insert a cell": Case(
        "NotebookEdit",
        {"notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": "y = 3"},
        ("+y = 3",),
        kind="diff",
    ),
    "delete a cell": Case(
        "NotebookEdit",
        {"notebook_path": "n.ipynb", "edit_mode": "delete", "cell_number": 0},
        ("-x = 1",),
        kind="diff",
    ),
}
ASKING = (Mode.DEFAULT, Mode.ACCEPT_EDITS)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every path with its content; a folder without, a link with where it leads."""
    found: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        content = b"-> " + bytes(path.readlink()) if path.is_symlink() else None
        found[str(path.relative_to(folder))] = (
            path.read_bytes() if path.is_file() and not content else content
        )
    return found


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "full" / "deep").mkdir(parents=True)
    (work / "full" / "x").write_bytes(b"x")
    (work / "full" / "deep" / "y").write_bytes(b"y")
    (work / "empty").mkdir()
    (work / "read.txt").write_bytes(b"first\nsecond\n")
    (work / "link").symlink_to("read.txt")
    made = notebook(code_cell("x = 1", cell_id="a"))
    (work / "n.ipynb").write_text(json.dumps(made, indent=1), encoding="utf-8")
    return work


class Desk:
    def __init__(self, work: Path, mode: Mode, *answers: ApprovalAnswer) -> None:
        self.person = FakePerson(answers)
        self.kit = Toolkit(cwd=work, mode=mode, approve=self.person)

    async def run(self, name: str) -> ToolResult:
        case = CASES[name]
        await self.kit.call("Read", file_paths=["read.txt", "n.ipynb"])
        return await self.kit.call(case.tool, case.arguments)

    @property
    def asked(self) -> Approval:
        (asked,) = self.person.asked
        return asked


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS])
@pytest.mark.parametrize("name", CASES)
async def test_who_is_asked_sees_what_will_happen_and_a_no_changes_nothing(
    name: str, mode: Mode, work: Path
) -> None:
    before = snapshot(work)
    desk = Desk(work, mode, NO)
    result = await desk.run(name)
    case = CASES[name]
    if mode in case.unasked:
        assert result.ok, result.text
        assert not desk.person.asked
        return
    assert desk.asked.tool == case.tool
    assert desk.asked.preview is not None
    assert desk.asked.preview.format == case.kind
    for part in case.shown:
        assert part in desk.asked.preview.body
    assert case.tool in desk.asked.preview.title
    assert result.error is not None
    assert result.error.code == "PERMISSION_DENIED"
    assert snapshot(work) == before


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO])
@pytest.mark.parametrize("name", CASES)
async def test_a_yes_does_it_and_the_acts_that_were_shown_name_every_change(
    name: str, mode: Mode, work: Path
) -> None:
    before = snapshot(work)
    desk = Desk(work, mode, YES)
    assert (await desk.run(name)).ok
    after = snapshot(work)
    changed = {
        one for one in before.keys() | after.keys() if before.get(one, 0) != after.get(one, 0)
    }
    assert changed
    for asked in desk.person.asked:
        for path in changed:
            is_made = (work / path).is_dir() and path not in before  # a folder on the way
            assert is_made or asked.acts.may_write(str(work / path)), path


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.DONT_ASK])
@pytest.mark.parametrize("name", CASES)
async def test_where_nobody_is_asked_nothing_happens(name: str, mode: Mode, work: Path) -> None:
    before = snapshot(work)
    desk = Desk(work, mode, YES)
    result = await desk.run(name)
    assert result.error is not None
    assert result.error.code == "PERMISSION_DENIED"
    assert not desk.person.asked
    assert snapshot(work) == before


@pytest.mark.parametrize("name", CASES)
async def test_in_bypass_mode_nobody_is_asked(name: str, work: Path) -> None:
    desk = Desk(work, Mode.BYPASS)
    assert (await desk.run(name)).ok
    assert not desk.person.asked


@pytest.mark.requirement("S2-016")
@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO])
@pytest.mark.parametrize("answer", [YES, ALWAYS])
async def test_every_delete_is_confirmed_again(
    mode: Mode, answer: ApprovalAnswer, work: Path
) -> None:
    desk = Desk(work, mode, *[answer] * 3)
    desk.kit.agent.policy.grant("Delete")
    for number in range(3):
        (work / "again").write_bytes(b"x")
        assert (await desk.kit.call("Delete", path="again")).ok
        assert len(desk.person.asked) == number + 1


@pytest.mark.requirement("S2-012", "S2-013")
@pytest.mark.parametrize(
    ("mode", "new", "over"),
    [
        (Mode.DEFAULT, 1, 1),
        (Mode.ACCEPT_EDITS, 0, 0),
        (Mode.BYPASS, 0, 0),
    ],
)
async def test_how_often_a_new_file_and_an_overwritten_one_are_asked_for(
    mode: Mode, new: int, over: int, work: Path
) -> None:
    desk = Desk(work, mode, YES, YES)
    assert (await desk.run("write a new file")).ok
    assert len(desk.person.asked) == new
    assert (await desk.run("overwrite")).ok
    assert len(desk.person.asked) == new + over


# ── nobody is bothered with what cannot be done ───────────────────────────────────────────────
IMPOSSIBLE: dict[str, tuple[str, dict[str, Any], str]] = {
    "unread": ("Write", {"file_path": "full/x", "content": "new"}, "NOT_READ"),
    "over a folder": ("Write", {"file_path": "full", "content": "new"}, "IS_A_DIRECTORY"),
    "below a file": ("Write", {"file_path": "read.txt/x", "content": "new"}, "NOT_A_DIRECTORY"),
    "no folder": (
        "Write",
        {"file_path": "no/x", "content": "new", "create_dirs": False},
        "FILE_NOT_FOUND",
    ),
    "no base64": (
        "Write",
        {"file_path": "new", "content": "?", "encoding": "base64"},
        "INVALID_INPUT",
    ),
    "delete nothing": ("Delete", {"path": "nothing"}, "FILE_NOT_FOUND"),
    "delete a full folder": ("Delete", {"path": "full"}, "IS_A_DIRECTORY"),
    "delete the workspace": ("Delete", {"path": ".", "recursive": True}, "BLOCKED"),
    "move nothing": ("Move", {"source": "nothing", "destination": "x"}, "FILE_NOT_FOUND"),
    "move onto itself": ("Move", {"source": "full/x", "destination": "full/x"}, "INVALID_PATH"),
    "move into itself": ("Move", {"source": "full", "destination": "full/deep"}, "INVALID_PATH"),
    "move over a file": ("Move", {"source": "read.txt", "destination": "full/x"}, "INVALID_PATH"),
    "move the workspace": ("Move", {"source": ".", "destination": "full/x"}, "BLOCKED"),
    "unread notebook": ("NotebookEdit", {"notebook_path": "n.ipynb", "cell_number": 0}, "NOT_READ"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
async def test_what_cannot_be_done_is_refused_before_anyone_is_asked(name: str, work: Path) -> None:
    tool, arguments, code = IMPOSSIBLE[name]
    person = FakePerson([YES])
    before = snapshot(work)
    result = await Toolkit(cwd=work, approve=person).call(tool, arguments)
    assert result.error is not None
    assert result.error.code == code
    assert result.error.suggestion
    assert not person.asked
    assert snapshot(work) == before


OUTSIDE: dict[str, tuple[str, dict[str, Any]]] = {
    "write": ("Write", {"file_path": "../outside/there", "content": "new"}),
    "delete": ("Delete", {"path": "../outside/there"}),
    "delete nothing": ("Delete", {"path": "../outside/nothing"}),
    "move out": ("Move", {"source": "read.txt", "destination": "../outside/there"}),
    "move in": ("Move", {"source": "../outside/nothing", "destination": "in.txt"}),
    "edit": ("NotebookEdit", {"notebook_path": "../outside/n.ipynb", "cell_number": 0}),
}


@pytest.mark.parametrize("name", OUTSIDE)
async def test_about_what_lies_outside_a_no_tells_the_model_nothing(name: str, work: Path) -> None:
    """Whether it exists, and what it holds, is for the person alone."""
    outside = work.parent / "outside"
    tool, arguments = OUTSIDE[name]
    texts = []
    for content in (None, b"content"):
        outside.mkdir(exist_ok=True)
        if content:
            (outside / "there").write_bytes(content)
        person = FakePerson([NO])
        result = await Toolkit(cwd=work, approve=person).call(tool, arguments)
        assert len(person.asked) == 1
        assert result.error is not None
        assert result.error.code == "PERMISSION_DENIED"
        texts.append(result.text)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("mode", [Mode.ACCEPT_EDITS, Mode.AUTO])
async def test_what_lies_outside_is_asked_for_in_every_mode_that_asks(
    name: str, mode: Mode, work: Path
) -> None:
    (work.parent / "outside").mkdir()
    (work.parent / "outside" / "there").write_bytes(b"precious")
    tool, arguments = OUTSIDE[name]
    person = FakePerson([NO])
    result = await Toolkit(cwd=work, mode=mode, approve=person).call(tool, arguments)
    assert not result.ok
    assert len(person.asked) == 1
    assert (work.parent / "outside" / "there").read_bytes() == b"precious"


# ── between the question and the deed ─────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ["overwrite", "move over", "edit a cell"])
async def test_a_change_while_the_person_thinks_is_not_written_over(name: str, work: Path) -> None:
    """What was shown is no longer what would happen."""

    class Slow(FakePerson):
        async def __call__(self, approval: Approval) -> ApprovalAnswer:
            (work / "read.txt").write_bytes(b"someone else's\n")
            (work / "n.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
            return await super().__call__(approval)

    case = CASES[name]
    kit = Toolkit(cwd=work, approve=Slow([YES]))
    await kit.call("Read", file_paths=["read.txt", "n.ipynb"])
    result = await kit.call(case.tool, case.arguments)
    if case.tool == "Move":
        assert result.ok  # a move takes the file along as it is
        assert (work / "full" / "x").read_bytes() == b"someone else's\n"
        return
    assert result.error is not None
    assert result.error.code == "CHANGED_SINCE_READ"
    assert (work / "read.txt").read_bytes() == b"someone else's\n"


async def test_other_arguments_with_the_yes_are_judged_and_shown_anew(work: Path) -> None:
    other = ApprovalAnswer(approved=True, arguments={"path": "empty"})
    person = FakePerson([other, YES])
    result = await Toolkit(cwd=work, approve=person).call("Delete", path="full", recursive=True)
    assert result.ok, result.text
    assert (work / "full" / "x").exists()
    assert not (work / "empty").exists()
