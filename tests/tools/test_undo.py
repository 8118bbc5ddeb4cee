"""Undo: the newest change, a named one, all since one; shown first, and never over other work."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.config.limits import PATHS_LISTED_CHARS
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tools.undo import Undo, UndoInput
from tools.suite import DEFINITIONS
from workspace.deep import chain, make, seen


@pytest.fixture
def kit(tmp_path: Path) -> Toolkit:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    return Toolkit(cwd=tmp_path, mode="acceptEdits")


def text_of(kit: Toolkit, name: str) -> str | None:
    path = Path(kit.agent.workspace.root) / name
    return path.read_text(encoding="utf-8") if path.exists() else None


async def change(kit: Toolkit, name: str, content: str) -> str:
    """Write it; the id of the change."""
    if text_of(kit, name) is not None:
        assert (await kit.call("Read", file_path=name)).ok
    result = await kit.call("Write", file_path=name, content=content)
    assert result.ok, result.text
    return str(result.metadata["change_id"])


async def test_the_newest_change_is_taken_back(kit: Toolkit) -> None:
    change_id = await change(kit, "a.txt", "two\n")
    result = await kit.call("Undo")
    assert result.ok, result.text
    assert text_of(kit, "a.txt") == "one\n"
    assert result.value.ids == [change_id]
    assert result.value.paths == [f"{kit.agent.workspace.root}/a.txt"]
    assert result.text == f"~ {kit.agent.workspace.root}/a.txt"


async def test_again_and_again_it_goes_further_back(kit: Toolkit) -> None:
    for content in ("two\n", "three\n", "four\n"):
        await change(kit, "a.txt", content)
    for content in ("three\n", "two\n", "one\n"):
        assert (await kit.call("Undo")).ok
        assert text_of(kit, "a.txt") == content
    result = await kit.call("Undo")
    assert (result.ok, result.text) == (True, "There is nothing to undo here.")


async def test_an_undo_is_no_change_of_its_own(kit: Toolkit) -> None:
    await change(kit, "a.txt", "two\n")
    result = await kit.call("Undo")
    assert "change_id" not in result.metadata
    assert len(kit.journal.entries()) == 1


async def test_one_change_by_its_id_or_the_call_that_made_it(kit: Toolkit) -> None:
    first = await change(kit, "b.txt", "b\n")
    await change(kit, "c.txt", "c\n")
    result = await kit.call("Write", file_path="d.txt", content="d\n")
    assert (await kit.call("Undo", id=first)).ok
    assert [text_of(kit, name) for name in ("b.txt", "c.txt", "d.txt")] == [None, "c\n", "d\n"]
    assert (await kit.call("Undo", id=result.call_id)).ok
    assert text_of(kit, "d.txt") is None


async def test_all_that_came_after_a_change(kit: Toolkit) -> None:
    first = await change(kit, "b.txt", "b\n")
    await change(kit, "b.txt", "bb\n")
    await change(kit, "c.txt", "c\n")
    result = await kit.call("Undo", to=first)
    assert len(result.value.ids) == 2
    assert (text_of(kit, "b.txt"), text_of(kit, "c.txt")) == ("b\n", None)


async def test_a_preview_shows_it_and_changes_nothing(kit: Toolkit) -> None:
    await change(kit, "a.txt", "two\n")
    result = await kit.call("Undo", preview=True)
    assert result.ok
    assert "-two" in result.text
    assert "+one" in result.text
    assert text_of(kit, "a.txt") == "two\n"
    assert (await kit.call("Undo", preview=True)).value.paths == []


async def test_what_others_changed_since_is_not_overwritten(kit: Toolkit) -> None:
    await change(kit, "a.txt", "two\n")
    await change(kit, "b.txt", "b\n")
    (Path(kit.agent.workspace.root) / "b.txt").write_text("mine\n", encoding="utf-8")
    result = await kit.call("Undo")
    assert not result.ok
    assert "changed since" in result.text
    assert (text_of(kit, "a.txt"), text_of(kit, "b.txt")) == ("two\n", "mine\n")
    preview = await kit.call("Undo", preview=True)
    assert "! " in preview.text
    assert preview.value.conflicts


@pytest.mark.parametrize("which", ["nonsense", "change"])
async def test_a_name_that_fits_none_or_several_is_refused(which: str, kit: Toolkit) -> None:
    await change(kit, "b.txt", "b\n")
    await change(kit, "c.txt", "c\n")
    result = await kit.call("Undo", id=which)
    assert not result.ok
    assert which in result.text
    assert text_of(kit, "c.txt") == "c\n"


async def test_after_it_a_file_must_be_read_again(kit: Toolkit) -> None:
    await change(kit, "a.txt", "two\n")
    await kit.call("Undo")
    edit = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
    assert not (await kit.call("Edit", **edit)).ok
    await kit.call("Read", file_path="a.txt")
    assert (await kit.call("Edit", **edit)).ok


async def test_what_commands_changed_can_be_taken_back(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    assert (await kit.call("Bash", command="mkdir d; echo x > d/e.txt")).ok
    assert (await kit.call("Undo")).ok
    assert not (tmp_path / "d").exists()
    kit.close()


async def test_the_person_is_asked_with_the_difference(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    person = FakePerson([YES, NO, YES])
    kit = Toolkit(cwd=tmp_path, approve=person)
    await change(kit, "a.txt", "two\n")
    assert not (await kit.call("Undo")).ok
    assert text_of(kit, "a.txt") == "two\n"
    asked = person.asked[-1]
    assert asked.acts.writes_files == (f"{tmp_path}/a.txt",)
    assert asked.preview is not None
    assert "+one" in asked.preview.body
    assert (await kit.call("Undo")).ok
    assert text_of(kit, "a.txt") == "one\n"


async def test_plan_mode_may_look_but_not_undo(kit: Toolkit) -> None:
    await change(kit, "a.txt", "two\n")
    kit.mode = "plan"
    assert not (await kit.call("Undo")).ok
    assert (await kit.call("Undo", preview=True)).ok
    assert text_of(kit, "a.txt") == "two\n"


async def test_what_is_protected_is_asked_about_in_every_mode(tmp_path: Path) -> None:
    hooks = tmp_path / ".git" / "hooks"
    hooks.mkdir(parents=True)
    kit = Toolkit(cwd=tmp_path, approve=FakePerson([YES]), mode="acceptEdits")
    assert (await kit.call("Write", file_path=".git/hooks/pre-commit", content="x")).ok
    result = await kit.call("Undo")
    assert not result.ok
    assert (hooks / "pre-commit").exists()


async def test_an_undo_beside_a_change_of_the_same_turn_never_hits_something_else(
    kit: Toolkit,
) -> None:
    await change(kit, "a.txt", "two\n")
    async with kit.turn() as turn:
        from ankrcode import ToolCall

        turn.feed(ToolCall(name="Write", arguments={"file_path": "b.txt", "content": "b\n"}))
        turn.feed(ToolCall(name="Undo"))
        write, undo = await turn.results()
    assert write.ok
    assert not undo.ok
    assert "meantime" in undo.text
    assert (text_of(kit, "a.txt"), text_of(kit, "b.txt")) == ("two\n", "b\n")


def test_its_definition_says_what_it_takes() -> None:
    definition = DEFINITIONS["Undo"]
    assert set(definition.input_schema["properties"]) == {"id", "to", "preview"}
    assert not definition.input_schema.get("required")
    assert Undo().subject(UndoInput(id="x")) == "x"


async def test_long_paths_are_listed_within_a_bound_and_counted_in_full(
    kit: Toolkit, tmp_path: Path
) -> None:
    make(tmp_path, "deep", chain(700, "a-longer-name"))
    before = seen(tmp_path)
    kit = Toolkit(cwd=tmp_path, mode="bypass", approve=FakePerson())
    assert (await kit.call("Delete", path="deep", recursive=True)).ok
    result = await kit.call("Undo")
    assert result.ok, result.text
    assert result.metadata["paths"] == 701
    assert 0 < sum(map(len, result.value.paths)) <= PATHS_LISTED_CHARS
    assert seen(tmp_path) == before
    assert (await kit.call("Redo")).ok
    assert not (tmp_path / "deep").exists()
