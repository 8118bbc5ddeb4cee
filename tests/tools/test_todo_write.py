"""TodoWrite: the whole list at once, at most one task in progress."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import ErrorCode, ToolCall, Toolkit
from ankrcode import tools as builtin
from ankrcode.tooling.todos import ICONS, MAX_TODOS, Todo, active, known, lines
from torture import examples

STATUSES = ("pending", "in_progress", "completed")


def todo(content: str, status: str = "pending", **more: str) -> dict[str, str]:
    return {"content": content, "status": status, **more}


WORK = [
    todo("Read the code", "completed"),
    todo("Run the tests", "in_progress", activeForm="Running the tests"),
    todo("Write it down"),
]


def lasting(kit: Toolkit) -> list[tuple[str, str]]:
    return [(one.content, one.status) for one in kit.agent.todos]


@pytest.mark.requirement("S0-064", "S0-065", "S4-219", "S4-220", "S3-038")
async def test_the_list_is_set_as_given(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    result = await kit.call("TodoWrite", todos=WORK)
    assert result.ok
    assert lasting(kit) == [(one["content"], one["status"]) for one in WORK]
    assert result.metadata == {"done": 1, "total": 3}
    assert result.title == "1 of 3 tasks done"


@pytest.mark.requirement("S4-101")
async def test_the_whole_list_is_replaced_and_may_be_emptied(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await kit.call("TodoWrite", todos=WORK)
    await kit.call("TodoWrite", todos=[todo("Only this")])
    assert lasting(kit) == [("Only this", "pending")]
    assert (await kit.call("TodoWrite", todos=[])).text == "Todo list updated."
    assert lasting(kit) == []


@pytest.mark.requirement("S4-104", "S0-174")
async def test_the_reply_names_the_active_task_by_its_active_form(tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("TodoWrite", todos=WORK)
    assert result.text == "Todo list updated. Active: Running the tests"
    assert result.value.active == "Running the tests"


@pytest.mark.requirement("S4-103")
@pytest.mark.parametrize("more", [{}, {"activeForm": ""}, {"activeForm": "  "}])
async def test_without_an_active_form_the_content_is_shown(
    more: dict[str, str], tmp_path: Path
) -> None:
    todos = [todo("परीक्षण चलाओ", "in_progress", **more)]
    result = await Toolkit(cwd=tmp_path).call("TodoWrite", todos=todos)
    assert result.text == "Todo list updated. Active: परीक्षण चलाओ"


@pytest.mark.requirement("S4-221")
@pytest.mark.parametrize("status", ["pending", "completed"])
async def test_without_an_active_task_the_reply_is_short(status: str, tmp_path: Path) -> None:
    result = await Toolkit(cwd=tmp_path).call("TodoWrite", todos=[todo("a", status)])
    assert result.text == "Todo list updated."


@pytest.mark.requirement("S0-066", "S4-102")
@pytest.mark.parametrize("count", [2, 3, 10])
async def test_more_than_one_in_progress_changes_nothing(count: int, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await kit.call("TodoWrite", todos=WORK)
    todos = [todo(f"t{number}", "in_progress") for number in range(count)]
    result = await kit.call("TodoWrite", todos=todos)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert result.text.startswith("Exactly one task should be in_progress at a time")
    assert result.error.details == {"in_progress": count}
    assert lasting(kit) == [(one["content"], one["status"]) for one in WORK]


@pytest.mark.parametrize(
    "todos",
    [
        [{"content": "a"}],
        [{"status": "pending"}],
        [todo("a", "done")],
        [todo("a", "")],
        [todo("")],
        [todo(" \n\t")],
        [todo("x" * 1_001)],
        [todo("a")] * (MAX_TODOS + 1),
        ["a"],
        "a",
        None,
        [todo("fine"), {"content": 1, "status": "pending"}],
    ],
)
async def test_a_list_with_any_fault_is_not_taken_at_all(todos: Any, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await kit.call("TodoWrite", todos=[todo("kept")])
    result = await kit.call("TodoWrite", todos=todos)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert lasting(kit) == [("kept", "pending")]


async def test_what_other_products_add_to_a_task_does_no_harm(tmp_path: Path) -> None:
    extra = {"id": "1", "priority": "high"}
    result = await Toolkit(cwd=tmp_path).call("TodoWrite", todos=[todo("a", **extra)])
    assert result.ok


@pytest.mark.requirement("S0-174")
async def test_what_is_done_now_is_said_by_its_active_form_the_rest_by_its_content(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path)
    result = await kit.call("TodoWrite", todos=WORK)
    assert lines(result.value.todos) == [
        "✅ Read the code",
        "🔄 Running the tests",
        "⬜ Write it down",
    ]


@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk", "acceptEdits", "auto", "bypass"])
async def test_it_needs_no_approval_in_any_mode(mode: str, tmp_path: Path) -> None:
    assert (await Toolkit(cwd=tmp_path, mode=mode).call("TodoWrite", todos=WORK)).ok


async def test_nothing_is_kept_for_undo(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    await kit.call("TodoWrite", todos=WORK)
    assert "journal" not in kit.__dict__


@pytest.mark.requirement("S4-225")
async def test_in_one_answer_the_last_list_counts_and_a_look_sees_what_was_said_before_it(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path)
    calls = [
        ToolCall(name="TodoWrite", arguments={"todos": [todo("first")]}),
        ToolCall(name="TodoRead"),
        ToolCall(name="TodoWrite", arguments={"todos": [todo("second")]}),
        ToolCall(name="TodoRead"),
    ]
    results = await kit.call_all(calls)
    assert [results[1].text, results[3].text] == ["⬜ first", "⬜ second"]
    tool = kit.registry.find("TodoWrite")
    assert not tool.is_concurrency_safe(tool.model.parse({"todos": []}))


async def test_each_agent_has_a_list_of_its_own(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    child = kit.for_agent("child")
    await kit.call("TodoWrite", todos=[todo("mine")])
    await child.call("TodoWrite", todos=[todo("yours")])
    assert lasting(kit) == [("mine", "pending")]
    assert lasting(child) == [("yours", "pending")]
    kit.clear_state()
    assert lasting(kit) == []


# ── what lasts ────────────────────────────────────────────────────────────────────────────────
async def test_the_list_comes_back_with_the_session(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, records=True, session_id="s1")
    await kit.call("TodoWrite", todos=WORK)
    kit.close()
    again = Toolkit(cwd=tmp_path, records=True, session_id="s1")
    shown = await again.call("TodoRead")
    assert shown.text.splitlines() == [
        "✅ Read the code",
        "🔄 Running the tests",
        "⬜ Write it down",
    ]
    await again.call("TodoWrite", todos=[])
    again.close()
    third = Toolkit(cwd=tmp_path, records=True, session_id="s1")
    assert (await third.call("TodoRead")).text == "The task list is empty."
    third.close()


async def test_a_childs_list_is_not_the_sessions(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, records=True, session_id="s2")
    await kit.call("TodoWrite", todos=[todo("mine")])
    await kit.for_agent("child").call("TodoWrite", todos=[todo("yours")])
    kit.close()
    again = Toolkit(cwd=tmp_path, records=True, session_id="s2")
    assert [one.content for one in known(again.agent.todos)] == ["mine"]
    again.close()


def test_what_is_no_task_is_left_out_of_a_list_that_comes_back() -> None:
    items = [
        todo("a"),
        {"x": 1},
        3,
        None,
        todo("b", "sleeping"),
        Todo(content="c", status="pending"),
    ]
    assert [one.content for one in known(items)] == ["a", "c"]


@examples(200, 5_000)
@given(
    st.lists(
        st.builds(
            Todo,
            content=st.text(min_size=1).filter(lambda text: bool(text.strip())),
            status=st.sampled_from(STATUSES),
            active_form=st.text(),
        ),
        max_size=20,
    )
)
def test_every_list_survives_being_written_down(todos: list[Todo]) -> None:
    try:
        written = msgspec.json.encode(todos)
    except UnicodeEncodeError:  # lone surrogates never get as far as a tool
        return
    assert known(msgspec.json.decode(written)) == todos
    assert [line.split(" ")[0] for line in lines(todos)] == [ICONS[one.status] for one in todos]
    current = active(todos)
    assert (current is None) == all(one.status != "in_progress" for one in todos)


# ── what the model is told ────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-222", "S4-223", "S4-224", "S0-173")
def test_the_description_says_when_to_use_it_when_not_and_what_the_fields_mean() -> None:
    told = builtin.definitions()["todo_write"]
    for words in ("three or more steps", "Not for a single simple task", "is an order", "while it"):
        assert words in told.description
    task = told.input_schema["properties"]["todos"]["items"]
    assert set(task["properties"]) == {"content", "status", "activeForm"}
    assert sorted(task["required"]) == ["content", "status"]
    assert sorted(task["properties"]["status"]["enum"]) == sorted(STATUSES)
    assert told.input_schema["required"] == ["todos"]
    assert told.permission == "read"
