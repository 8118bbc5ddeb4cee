"""Answers as data, and a memory beside the conversation."""

import asyncio
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from agent.talking import agent_in, call, calls, check_prefixes, said, texts
from ankrcode.agent.finishing import MAX_REPAIRS
from ankrcode.agent.memory import Experience
from ankrcode.agent.structured import Misfit, fitting
from ankrcode.errors import UsageError
from ankrcode.protocol.event import Noticed

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
    "required": ["name", "count"],
    "additionalProperties": False,
}


async def test_an_answer_that_fits_comes_as_data(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ['{"name": "a", "count": 3}'])
    answer = await agent.run("count", schema=SCHEMA)
    assert answer.ok
    assert answer.structured == {"name": "a", "count": 3}
    assert model.requests[0].options.schema == SCHEMA
    assert '"minimum":0' in texts(said(model.requests[0])[0])


async def test_one_that_does_not_fit_is_mended(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ['{"name": 1}', '```json\n{"name": "b", "count": 0}\n```'])
    answer = await agent.run("count", schema=SCHEMA)
    assert answer.structured == {"name": "b", "count": 0}
    told = texts(model.requests[1].messages[-1])
    assert "count" in told
    assert "name" in told


async def test_one_that_never_fits_is_an_error(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["three", '{"name": 1}', "3", "still three", "never asked"])
    answer = await agent.run("count", schema=SCHEMA)
    assert answer.subtype == "error_schema"
    assert answer.structured is None
    assert answer.text == "still three"
    assert len(model.requests) == 1 + MAX_REPAIRS


async def test_words_first_then_a_misfit_then_data(tmp_path: Path) -> None:
    turns = ["Let me think.", '{"name": "a"}', '{"name": "a", "count": 3}']
    agent, model = agent_in(tmp_path, turns)
    answer = await agent.run("count", schema=SCHEMA)
    assert answer.structured == {"name": "a", "count": 3}
    check_prefixes(model.requests)


@pytest.mark.parametrize(
    "text",
    [
        'It is {"name": "a", "count": 3}.',
        'Sure!\n\n{"name": "a",\n "count": 3}\n\nAnything else?',
        'Here:\n```json\n{"name": "a", "count": 3}\n```\nBye {you}.',
        '```\n{"name": "a", "count": 3}\n```',
    ],
)
def test_data_among_words_is_found(text: str) -> None:
    assert fitting(text, SCHEMA) == {"name": "a", "count": 3}


@pytest.mark.parametrize("text", ["{" * 300_000, "[{" * 100_000 + "]", "```json\n" * 50_000])
def test_brackets_without_end_are_given_up_in_time(text: str) -> None:
    started = monotonic()
    with pytest.raises(Misfit, match="not JSON"):
        fitting(text, SCHEMA)
    assert monotonic() - started < 5


OPTIONAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer"},
        "kind": {"enum": ["a", "b"]},
        "none": {"type": "null"},
        "inner": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/one"}]}},
    },
    "required": ["name", "none"],
    "$defs": {
        "one": {"type": "object", "properties": {"y": {"type": "string"}}, "required": []},
    },
}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"name": "a", "none": null, "size": null}', {"name": "a", "none": None}),
        ('{"name": "a", "none": null, "kind": null}', {"name": "a", "none": None}),
        (
            '{"name": "a", "none": null, "inner": {"x": null}}',
            {"name": "a", "none": None, "inner": {}},
        ),
    ],
)
def test_null_for_what_is_optional_is_nothing(text: str, meant: dict[str, Any]) -> None:
    """Vendors with a strict mode require every property, and null is how nothing is said there."""
    assert fitting(text, OPTIONAL) == meant


def test_null_is_found_however_deep_it_lies() -> None:
    schema = {**OPTIONAL, "required": ["name"]}
    assert fitting('{"name": "a", "list": [{"y": null}]}', schema) == {"name": "a", "list": [{}]}


def test_null_for_what_is_required_is_a_fault() -> None:
    with pytest.raises(Misfit, match="name: null"):
        fitting('{"name": null, "none": null, "size": null}', OPTIONAL)


def test_references_inside_the_schema_are_followed() -> None:
    node = {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
        "required": ["v"],
    }
    schema = {"$defs": {"node": node}, "$ref": "#/$defs/node"}
    assert fitting('{"v": 1, "next": {"v": 2}}', schema) == {"v": 1, "next": {"v": 2}}
    with pytest.raises(Misfit, match="next/v"):
        fitting('{"v": 1, "next": {"v": "two"}}', schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strange"},
        {"$ref": "#/nowhere"},
        {"$ref": "http://127.0.0.1:9/elsewhere.json"},
        {"type": "string", "pattern": "(["},
        {"properties": []},
    ],
)
async def test_what_is_no_schema_is_said_before_a_model_is_asked(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    agent, model = agent_in(tmp_path, ["never asked"])
    with pytest.raises(UsageError, match="no JSON Schema"):
        await agent.run("count", schema=schema)
    assert model.requests == []
    assert (await agent.run("and in words?")).text == "never asked"  # it is not stuck


async def test_the_next_task_may_ask_for_plain_words(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ['{"name": "a", "count": 3}', "Three."])
    await agent.run("count", schema=SCHEMA)
    answer = await agent.run("and in words?")
    assert (answer.text, answer.structured) == ("Three.", None)
    assert model.requests[1].options.schema is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no data", "not JSON"),
        ('{"name": "a", "count": -1}', "count"),
        ('{"name": "a", "count": 1, "more": 2}', "more"),
        ("[]", "the whole"),
    ],
)
def test_every_fault_is_named(text: str, fault: str) -> None:
    with pytest.raises(Misfit, match=fault):
        fitting(text, SCHEMA)


def test_text_around_a_fence_does_no_harm() -> None:
    text = 'Here it is:\n```json\n{"name": "x", "count": 1}\n```\nDone.'
    assert fitting(text, SCHEMA) == {"name": "x", "count": 1}


# ── memory ────────────────────────────────────────────────────────────────────────────────
class ListMemory:
    """Remembers all, recalls what shares a word."""

    def __init__(self, *known: str) -> None:
        self.known = list(known)
        self.experiences: list[Experience] = []
        self.asked: list[str] = []

    async def recall(self, query: str) -> str:
        self.asked.append(query)
        words = set(query.split())
        return "\n".join(one for one in self.known if words & set(one.split()))

    async def remember(self, experience: Experience) -> None:
        self.experiences.append(experience)


@pytest.mark.requirement("S0-122", "S0-123", "S0-126")
async def test_what_is_recalled_comes_with_the_task_and_changes_no_prefix(tmp_path: Path) -> None:
    memory = ListMemory("the deploy key lies in the vault")
    agent, model = agent_in(tmp_path, ["ok", "ok"], memory=memory)
    await agent.run("how do we deploy ?")
    await agent.run("nothing known")
    first, _, second = said(model.requests[1])
    assert "## Relevant Context from Memory\nthe deploy key lies in the vault" in texts(first)
    assert "Memory" not in texts(second)
    assert memory.asked == ["how do we deploy ?", "nothing known"]
    check_prefixes(model.requests)


@pytest.mark.requirement("S0-124", "S0-125")
async def test_a_task_is_remembered_with_what_was_learned(tmp_path: Path) -> None:
    memory = ListMemory()
    turns = [
        calls(call("Write", file_path="a.py", content="x = 1\n")),
        calls(call("Bash", command="true")),
        "Written.",
    ]
    agent, _ = agent_in(tmp_path, turns, memory=memory, mode="bypass")
    answer = await agent.run("Write a.py. Never use tabs.")
    [kept] = memory.experiences
    assert (kept.input, kept.output) == ("Write a.py. Never use tabs.", "Written.")
    assert kept.session_id == answer.session_id
    assert kept.cwd == str(tmp_path)
    assert kept.learnings == (
        "The person said: Never use tabs.",
        "Changed: a.py",
        "Worked: true",
    )
    await agent.close()


async def test_a_task_that_failed_is_not_remembered(tmp_path: Path) -> None:
    memory = ListMemory()
    agent, _ = agent_in(tmp_path, [calls(call("List"))] * 3, memory=memory, max_turns=1)
    assert (await agent.run("look")).is_error
    assert memory.experiences == []


async def test_without_a_memory_nothing_is_asked(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["ok"])
    await agent.run("hello")
    assert texts(said(model.requests[0])[0]) == "hello"


class BrokenMemory:
    async def recall(self, query: str) -> str:
        raise OSError("the store is gone")

    async def remember(self, experience: Experience) -> None:
        raise OSError("the store is gone")


async def test_a_memory_that_fails_costs_no_task(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, ["Done."], memory=BrokenMemory())
    notices = [one.key async for one in agent.stream("work") if isinstance(one, Noticed)]
    assert agent.answer is not None
    assert agent.answer.text == "Done."
    assert notices == ["memory_failed", "memory_failed"]


class SlowMemory(ListMemory):
    async def remember(self, experience: Experience) -> None:
        await asyncio.Event().wait()


async def test_a_memory_that_never_ends_can_be_cancelled(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, ["Done."], memory=SlowMemory())
    working = asyncio.ensure_future(agent.run("work"))
    for _ in range(200):
        await asyncio.sleep(0.001)
        if agent.kit.agent.messages and agent.kit.agent.messages[-1].role == "assistant":
            break
    await asyncio.sleep(0.01)
    agent.cancel()
    assert (await working).text == "Done."
