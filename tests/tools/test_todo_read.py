"""TodoRead: the list as it was last set."""

from pathlib import Path

import pytest

from ankrcode import ErrorCode, Toolkit
from ankrcode import tools as builtin


@pytest.mark.requirement("S3-038")
async def test_the_list_is_shown_line_by_line(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    todos = [
        {"content": "Look", "status": "completed", "activeForm": "Looking"},
        {"content": "Leap", "status": "in_progress", "activeForm": "Leaping"},
        {"content": "Land", "status": "pending", "activeForm": "Landing"},
    ]
    await kit.call("TodoWrite", todos=todos)
    result = await kit.call("TodoRead")
    assert result.text == "✅ Look\n🔄 Leaping\n⬜ Land"
    assert result.title == "1 of 3 tasks done"
    assert result.metadata == {"done": 1, "total": 3}
    assert [one.content for one in result.value.todos] == ["Look", "Leap", "Land"]


async def test_an_empty_list_is_said_to_be_empty(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("TodoRead")
    assert (result.ok, result.text) == (True, "The task list is empty.")
    assert result.value.todos == []


async def test_looking_twice_shows_what_changed_in_between(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    first = await kit.call("TodoRead")
    await kit.call("TodoWrite", todos=[{"content": "New", "status": "pending"}])
    assert (first.text, (await kit.call("TodoRead")).text) == ("The task list is empty.", "⬜ New")


async def test_it_takes_nothing(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("TodoRead", filter="open")
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert "filter" in result.text


async def test_it_may_look_in_every_mode(tmp_path: Path) -> None:
    for mode in ("plan", "dontAsk"):
        assert (await Toolkit(cwd=tmp_path, mode=mode).call("TodoRead")).ok


def test_both_tools_of_the_list_need_to_read_only() -> None:
    for module in ("todo_read", "todo_write"):
        assert builtin.definitions()[module].permissions == {"read"}


@pytest.mark.requirement("S0-068")
async def test_a_task_of_several_lines_is_shown_as_one(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    todos = [
        {"content": "Mend it:\n  - here\n\n  - there", "status": "pending"},
        {"content": "Look", "status": "in_progress", "activeForm": "Looking\r\nround\u2028about"},
    ]
    await kit.call("TodoWrite", todos=todos)
    result = await kit.call("TodoRead")
    assert result.text.splitlines() == ["⬜ Mend it: - here - there", "🔄 Looking round about"]
    assert result.value.todos[0].content == todos[0]["content"]  # what was said stays as it is
