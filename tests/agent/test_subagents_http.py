"""Further agents over real connections: several at once, and an expert of another vendor."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.loopback import Answer, Call, ModelServer
from ankrcode.agent.agent import Agent
from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings

WIRES = {"openai": "/v1", "anthropic": ""}


@pytest.fixture
def servers() -> Iterator[list[ModelServer]]:
    running: list[ModelServer] = []
    yield running
    for server in running:
        server.close()


def serving(servers: list[ModelServer], answers: list[Answer]) -> ModelServer:
    servers.append(ModelServer(answers))
    return servers[-1]


def order(prompt: str, kind: str = "explore", **more: Any) -> Call:
    return "Task", {"description": "d", "prompt": prompt, "subagent_type": kind, **more}


def told(body: bytes) -> str:
    return json.dumps(json.loads(body), ensure_ascii=False)


@pytest.mark.parametrize("wire", WIRES)
async def test_several_at_once_share_the_parents_server(
    wire: str, servers: list[ModelServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{wire.upper()}_API_KEY", "test-key")
    number = 6
    parts: list[Answer] = ["a report"] * number
    orders = [order(f"part {part}") for part in range(number)]
    server = serving(servers, [orders, *parts, "all done"])
    async with Agent(
        f"{wire}/test-model", base_url=server.url + WIRES[wire], cwd=tmp_path
    ) as agent:
        answer = await agent.run("hand it out")
    assert answer.text == "all done"
    assert len(server.bodies) == number + 2  # nobody asked anywhere else
    asked = [told(body) for body in server.bodies[1:-1]]
    for part in range(number):
        assert sum(f"part {part}" in body for body in asked) == 1
        assert sum("hand it out" in body for body in asked) == 0
    assert told(server.bodies[-1]).count("a report") == number


async def test_each_of_several_conversations_only_grows(
    servers: list[ModelServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share a model and what it keeps encoded, and yet none hears of another."""
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    looks: list[Answer] = [[("Glob", {"pattern": "*.a"})]] * 6
    server = serving(servers, [[order("one"), order("two")], *looks, "report", "report", "done"])
    async with Agent("openai/test-model", base_url=f"{server.url}/v1", cwd=tmp_path) as agent:
        assert (await agent.run("go")).text == "done"
    for prompt in ("one", "two"):
        mine = [
            body["messages"]
            for body in map(json.loads, server.bodies)
            if any(one["role"] == "user" and one["content"] == prompt for one in body["messages"])
        ]
        assert mine
        for before, after in pairwise(mine):
            assert after[: len(before)] == before
            assert len(after) > len(before)


async def test_an_expert_of_another_vendor_is_asked_at_its_own_address(
    servers: list[ModelServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    expert = serving(servers, ["I would not."])
    asked = order("is it sound?", "delegate", model="oracle/wise")
    parent = serving(servers, [[asked], "The expert would not."])
    oracle = ProviderSettings(wire="openai-chat", base_url=f"{expert.url}/v1", auth="none")
    settings = Settings(providers={"oracle": oracle})
    async with Agent(
        "anthropic/test-model", base_url=parent.url, cwd=tmp_path, settings=settings
    ) as agent:
        answer = await agent.run("ask somebody")
    assert answer.text == "The expert would not."
    assert len(expert.bodies) == 1
    assert json.loads(expert.bodies[0])["model"] == "wise"
    assert "is it sound?" in told(expert.bodies[0])
    assert "I would not." in told(parent.bodies[1])
    assert "ask somebody" not in told(expert.bodies[0])


async def test_a_model_that_nobody_knows_is_told_and_nobody_is_asked(
    servers: list[ModelServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    server = serving(servers, [[order("x", "delegate", model="nowhere/none")], "alone then"])
    async with Agent("openai/test-model", base_url=f"{server.url}/v1", cwd=tmp_path) as agent:
        assert (await agent.run("go")).text == "alone then"
    assert "The model 'nowhere/none' for the agent cannot be used" in told(server.bodies[1])
