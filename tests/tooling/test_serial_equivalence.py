"""Running calls side by side gives what running them one after another gives.

Random calls with random acts, some edited at approval, over several agents: no two conflicting
calls ever overlap, the outcome is that of a serial run, and each agent's program order holds.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ankrcode import (
    Acts,
    Approval,
    ApprovalAnswer,
    Permission,
    Tool,
    ToolCall,
    ToolContext,
    ToolInput,
    Toolkit,
)
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.tooling.hazards import conflict, overlap
from ankrcode.tooling.registry import Registry
from torture import examples

RESOURCES = ["file:/a", "file:/d/b", "file:/d/c", "tree:/d", "state:x", "state:y", EVERYTHING]
PLACES = ["file:/a", "file:/d/b", "file:/d/c", "state:x", "state:y"]


class Step(Struct, frozen=True):
    """One call to make: what it touches, what an editing person changes that to, how long."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    edited: tuple[tuple[str, ...], tuple[str, ...]] | None
    pauses: int
    thinking: int  # how long the person takes

    @property
    def final(self) -> Acts:
        reads, writes = self.edited or (self.reads, self.writes)
        return Acts(reads=reads, writes=writes)

    @property
    def is_edited(self) -> bool:
        return self.final != Acts(reads=self.reads, writes=self.writes)


class TouchInput(ToolInput):
    name: str
    reads: list[str]
    writes: list[str]


class World:
    """Places with values; a write leaves a trace of who wrote and what it had read."""

    def __init__(self, steps: dict[str, Step]) -> None:
        self.steps = steps
        self.values: dict[str, Any] = dict.fromkeys(PLACES, 0)
        self.active: dict[str, Acts] = {}
        self.started: list[str] = []
        self.overlaps: list[tuple[str, str]] = []

    def begin(self, name: str, acts: Acts) -> None:
        clashes = [other for other, held in self.active.items() if conflict(held, acts)]
        self.overlaps += [(other, name) for other in clashes]
        self.active[name] = acts
        self.started.append(name)

    def seen(self, acts: Acts) -> Any:
        touched = (*acts.reads, *acts.writes)
        return tuple(self.values[p] for p in PLACES if any(overlap(p, r) for r in touched))

    def write(self, name: str, acts: Acts, seen: Any) -> None:
        for place in PLACES:
            if any(overlap(place, resource) for resource in acts.writes):
                self.values[place] = hash((name, seen, self.values[place]))


class Touch(Tool[TouchInput]):
    name = "Touch"
    permission = Permission.WRITE
    shares_repeats = False

    def __init__(self, world: World) -> None:
        self.world = world

    def acts(self, args: TouchInput, ctx: ToolContext) -> Acts:
        return Acts(reads=tuple(args.reads), writes=tuple(args.writes))

    def approval(self, args: TouchInput, ctx: ToolContext) -> str:
        return "every call asks here"

    async def run(self, args: TouchInput, ctx: ToolContext) -> str:
        acts = self.acts(args, ctx)
        self.world.begin(args.name, acts)
        seen = self.world.seen(acts)
        for _ in range(self.world.steps[args.name].pauses):
            await asyncio.sleep(0)
        self.world.write(args.name, acts, seen)
        del self.world.active[args.name]
        return args.name


resource_sets = st.lists(st.sampled_from(RESOURCES), max_size=2, unique=True).map(tuple)
steps = st.builds(
    Step,
    reads=resource_sets,
    writes=resource_sets,
    edited=st.one_of(st.none(), st.none(), st.tuples(resource_sets, resource_sets)),
    pauses=st.integers(0, 4),
    thinking=st.integers(0, 6),
)
programs = st.lists(st.lists(steps, min_size=1, max_size=6), min_size=1, max_size=3)


def person_for(world: World) -> Any:
    async def answer(approval: Approval) -> ApprovalAnswer:
        step = world.steps[approval.arguments["name"]]
        for _ in range(step.thinking):
            await asyncio.sleep(0)
        if step.edited is None:
            return ApprovalAnswer(approved=True)
        reads, writes = map(list, step.edited)
        edited = {"name": approval.arguments["name"], "reads": reads, "writes": writes}
        return ApprovalAnswer(approved=True, arguments=edited)

    return answer


def calls_of(agent: int, part: list[Step]) -> list[ToolCall]:
    return [
        ToolCall(
            name="Touch",
            arguments={
                "name": f"{agent}.{number}",
                "reads": list(step.reads),
                "writes": list(step.writes),
            },
        )
        for number, step in enumerate(part)
    ]


async def run_side_by_side(program: list[list[Step]]) -> World:
    world = World(
        {f"{a}.{n}": step for a, part in enumerate(program) for n, step in enumerate(part)}
    )
    first = Toolkit(registry=Registry([Touch(world)]), approve=person_for(world))
    kits = [first, *(first.for_agent(f"agent {n}") for n in range(1, len(program)))]
    work = [kits[n].call_all(calls_of(n, part)) for n, part in enumerate(program)]
    answers = await asyncio.wait_for(asyncio.gather(*work), timeout=30)
    for agent, results in enumerate(answers):
        names = [result.text.partition("\n")[0] for result in results]
        assert names == [f"{agent}.{n}" for n in range(len(results))], "results in call order"
    return world


def run_serially(world: World) -> dict[str, Any]:
    serial = World(world.steps)
    for name in world.started:
        acts = world.steps[name].final
        serial.write(name, acts, serial.seen(acts))
    return serial.values


@pytest.mark.torture
@pytest.mark.requirement("S4-128", "S0-193")
@given(program=programs)
@examples(in_ci=300, in_torture=20_000)
def test_any_program_ends_as_if_its_calls_had_run_one_after_another(
    program: list[list[Step]],
) -> None:
    world = asyncio.run(run_side_by_side(program))

    assert world.overlaps == []
    assert len(world.started) == len(world.steps), "every call ran once"
    assert world.values == run_serially(world)
    for agent, part in enumerate(program):
        for later in range(len(part)):
            for earlier in range(later):
                if part[earlier].is_edited or not conflict(part[earlier].final, part[later].final):
                    continue  # an edit that widened a call queues it behind what has started
                before, after = f"{agent}.{earlier}", f"{agent}.{later}"
                assert world.started.index(before) < world.started.index(after)
