"""Whole tasks over a real connection: the loop, the router, the wire and the tools together."""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.loopback import Answer, ModelServer
from ankrcode import Agent
from ankrcode.config.models import ModelSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind

BROKEN = "def add(a, b):\n    return a - b\n"
TEST = "from calc import add\n\nassert add(2, 3) == 5\nprint('1 passed')\n"
WIRES = {"openai": "/v1", "anthropic": ""}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    monkeypatch.setenv(f"{name.upper()}_API_KEY", "test-key")
    return name


@pytest.fixture
def servers() -> Iterator[list[ModelServer]]:
    running: list[ModelServer] = []
    yield running
    for server in running:
        server.close()


def agent_on(
    servers: list[ModelServer], wire: str, folder: Path, answers: list[Answer], **more: Any
) -> tuple[Agent, ModelServer]:
    server = ModelServer(answers)
    servers.append(server)
    more.setdefault("mode", "bypass")
    url = server.url + WIRES[wire]
    return Agent(f"{wire}/test-model", base_url=url, cwd=folder, **more), server


async def test_a_failing_test_is_mended_over_the_wire(
    servers: list[ModelServer], wire: str, tmp_path: Path
) -> None:
    (tmp_path / "calc.py").write_text(BROKEN)
    (tmp_path / "test_calc.py").write_text(TEST)
    run: Answer = [("Bash", {"command": f"{sys.executable} test_calc.py"})]
    edit = {"file_path": "calc.py", "old_string": "a - b", "new_string": "a + b"}
    answers: list[Answer] = [
        run,
        [("Grep", {"pattern": "def add"}), ("Read", {"file_path": "calc.py"})],
        [("Edit", edit)],
        run,
        "It added nothing; now it adds. The test passes.",
    ]
    agent, server = agent_on(servers, wire, tmp_path, answers, records=True)
    answer = await agent.run("mend the test")
    await agent.close()
    assert answer.ok, answer.error
    assert answer.notes == ()
    assert answer.turns == 5
    assert (tmp_path / "calc.py").read_text() == BROKEN.replace("-", "+")
    last = server.bodies[-1].decode()
    assert "1 passed" in last
    assert "AssertionError" in last


def messages_of(body: bytes) -> list[Any]:
    return [without_marks(one) for one in json.loads(body)["messages"]]


def without_marks(value: Any) -> Any:
    """Marks that tell a vendor where to cache move on; what they mark does not change."""
    if isinstance(value, dict):
        return {key: without_marks(one) for key, one in value.items() if key != "cache_control"}
    return [without_marks(one) for one in value] if isinstance(value, list) else value


async def test_each_request_begins_with_the_one_before(
    servers: list[ModelServer], wire: str, tmp_path: Path
) -> None:
    for number in range(12):
        (tmp_path / f"f{number}.txt").write_text(f"file {number}\n")
    answers: list[Answer] = [[("Read", {"file_path": f"f{number}.txt"})] for number in range(12)]
    agent, server = agent_on(servers, wire, tmp_path, [*answers, "Read.", "More."], mode="default")
    assert (await agent.run("read all")).ok
    agent.kit.mode = "plan"
    assert (await agent.run("and more")).ok
    await agent.close()
    assert len(server.bodies) == 14
    for one, following in pairwise(server.bodies):
        before, after = messages_of(one), messages_of(following)
        assert after[: len(before)] == before
        rest = ("tools", "system")
        assert [json.loads(one).get(key) for key in rest] == [
            json.loads(following).get(key) for key in rest
        ]
    if wire == "openai":  # to the byte, up to where the last message ends
        for one, following in pairwise(server.bodies):
            assert following.startswith(one[: shared(one)])


def shared(body: bytes) -> int:
    """Where the last message begins to close: behind it come the ends of the list and the body."""
    last = json.dumps(json.loads(body)["messages"][-1]["content"], ensure_ascii=False)
    assert body.count(last.encode()) >= 1
    return body.rindex(last.encode()) + len(last.encode())


async def test_a_line_that_goes_dead_is_taken_up_again(
    servers: list[ModelServer], wire: str, tmp_path: Path
) -> None:
    write = {"file_path": "a.txt", "content": "once\n"}
    log = {"command": "echo ran >> log.txt"}
    answers: list[Answer] = [[("Bash", log), ("Write", write)], [("Write", write)], "Both done."]
    agent, server = agent_on(servers, wire, tmp_path, answers)
    server.cut_next = 420 if wire == "openai" else 900  # in the middle of the second call
    answer = await agent.run("log, then write")
    await agent.close()
    assert answer.ok, answer.error
    assert (tmp_path / "a.txt").read_text() == "once\n"
    log_file = tmp_path / "log.txt"  # Chat Completions closes a call only by the next event
    assert not log_file.exists() if wire == "openai" else log_file.read_text() == "ran\n"


@pytest.mark.requirement("S0-004", "S4-003")
async def test_a_call_runs_while_the_answer_still_streams(
    servers: list[ModelServer], wire: str, tmp_path: Path
) -> None:
    mark = {"command": "date +%s.%N > now.txt && mv now.txt began.txt"}
    agent, server = agent_on(servers, wire, tmp_path, [[("Bash", mark)], "Done."])
    server.talks_until = tmp_path / "began.txt"
    assert (await agent.run("go")).ok
    await agent.close()
    began = float((tmp_path / "began.txt").read_text())
    assert began < server.ended[0]


async def test_where_nothing_listens_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    settings = Settings(models=ModelSettings(retries=0))
    agent = Agent("openai/x", base_url="http://127.0.0.1:9/v1", cwd=tmp_path, settings=settings)
    answer = await agent.run("hello")
    await agent.close()
    assert answer.subtype == "error_provider"
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.NETWORK
    assert answer.error


async def test_without_a_model_it_is_said_what_to_set(tmp_path: Path) -> None:
    agent = Agent(cwd=tmp_path, settings=Settings(models=ModelSettings(offline=True)))
    with pytest.raises(ProviderError):
        await agent.run("hello")
    await agent.close()


async def test_usage_of_the_wire_is_counted(
    servers: list[ModelServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    agent, _ = agent_on(servers, "anthropic", tmp_path, [[("List", {})], "Done."])
    answer = await agent.run("look")
    await agent.close()
    assert answer.usage.input_tokens == 30
    assert answer.usage.output_tokens == 18
