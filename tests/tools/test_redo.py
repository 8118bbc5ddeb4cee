"""Redo: what was taken back comes again, all of it at once."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from tools.suite import DEFINITIONS


@pytest.fixture
def kit(tmp_path: Path) -> Toolkit:
    return Toolkit(cwd=tmp_path, mode="acceptEdits")


async def write(kit: Toolkit, name: str, content: str = "x\n") -> str:
    result = await kit.call("Write", file_path=name, content=content)
    assert result.ok, result.text
    return str(result.metadata["change_id"])


def names(kit: Toolkit) -> list[str]:
    return sorted(path.name for path in Path(kit.agent.workspace.root).iterdir())


async def test_what_was_undone_is_made_again(kit: Toolkit) -> None:
    await write(kit, "a.txt")
    await kit.call("Undo")
    assert names(kit) == []
    result = await kit.call("Redo")
    assert result.ok
    assert result.text == f"+ {kit.agent.workspace.root}/a.txt"
    assert names(kit) == ["a.txt"]


async def test_what_was_taken_back_at_once_comes_again_at_once(kit: Toolkit) -> None:
    first = await write(kit, "a.txt")
    await write(kit, "b.txt")
    await write(kit, "c.txt")
    await kit.call("Undo", to=first)
    assert names(kit) == ["a.txt"]
    assert len((await kit.call("Redo")).value.ids) == 2
    assert names(kit) == ["a.txt", "b.txt", "c.txt"]


async def test_undo_and_redo_take_turns(kit: Toolkit) -> None:
    await write(kit, "a.txt")
    for _ in range(3):
        assert (await kit.call("Undo")).ok
        assert names(kit) == []
        assert (await kit.call("Redo")).ok
        assert names(kit) == ["a.txt"]


async def test_one_change_by_its_id(kit: Toolkit) -> None:
    first = await write(kit, "a.txt")
    await write(kit, "b.txt")
    await kit.call("Undo")
    await kit.call("Undo")
    assert (await kit.call("Redo", id=first)).ok
    assert names(kit) == ["a.txt"]
    assert not (await kit.call("Redo", id="nonsense")).ok


async def test_nothing_to_redo_is_told(kit: Toolkit) -> None:
    await write(kit, "a.txt")
    result = await kit.call("Redo")
    assert (result.ok, result.text) == (True, "There is nothing to redo here.")
    preview = await kit.call("Redo", preview=True)
    assert preview.text == "There is nothing to redo here."


async def test_a_preview_shows_it_and_makes_nothing(kit: Toolkit) -> None:
    await write(kit, "a.txt", "hello\n")
    await kit.call("Undo")
    result = await kit.call("Redo", preview=True)
    assert "+hello" in result.text
    assert names(kit) == []


async def test_what_came_in_the_way_is_not_overwritten(kit: Toolkit) -> None:
    await write(kit, "a.txt")
    await kit.call("Undo")
    (Path(kit.agent.workspace.root) / "a.txt").write_text("mine\n", encoding="utf-8")
    result = await kit.call("Redo")
    assert not result.ok
    assert "changed since" in result.text


async def test_plan_mode_redoes_nothing(kit: Toolkit) -> None:
    await write(kit, "a.txt")
    await kit.call("Undo")
    kit.mode = "plan"
    assert not (await kit.call("Redo")).ok
    assert names(kit) == []


def test_its_definition_says_what_it_takes() -> None:
    assert set(DEFINITIONS["Redo"].input_schema["properties"]) == {"id", "preview"}
