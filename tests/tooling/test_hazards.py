"""Which calls may run beside which."""

import asyncio
import threading

import pytest

from ankrcode import Acts
from ankrcode.protocol.acts import EVERYTHING, NOTHING, UNKNOWN, file, state, tree
from ankrcode.tooling.hazards import HazardTable, Ticket, conflict, overlap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (file("/a"), file("/a"), True),
        (file("/a"), file("/b"), False),
        (tree("/src"), file("/src/a.py"), True),
        (tree("/src"), file("/src"), True),
        (tree("/src"), file("/src-2/a.py"), False),
        (tree("/src"), tree("/src/deep/er"), True),
        (tree("/"), file("/anything"), True),
        (tree("/src"), tree("/docs"), False),
        (state("cwd"), state("cwd"), True),
        (state("cwd"), state("todos"), False),
        (state("cwd"), tree("/"), False),
        ("net:host", "net:host", True),
        (EVERYTHING, state("cwd"), True),
        (EVERYTHING, file("/a"), True),
    ],
)
def test_resources_overlap_by_whole_path_components(one: str, other: str, expected: bool) -> None:
    assert overlap(one, other) is expected
    assert overlap(other, one) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Acts(reads=(file("/a"),)), Acts(reads=(file("/a"),)), False),
        (Acts(reads=(file("/a"),)), Acts(writes=(file("/a"),)), True),
        (Acts(writes=(file("/a"),)), Acts(writes=(file("/a"),)), True),
        (Acts(writes=(file("/a"),)), Acts(writes=(file("/b"),)), False),
        (Acts(writes=(tree("/d"),)), Acts(reads=(file("/d/x"),)), True),
        (UNKNOWN, Acts(reads=(file("/a"),)), True),
        (UNKNOWN, NOTHING, False),
        (Acts(reads=(EVERYTHING,)), Acts(reads=(EVERYTHING,)), False),
        (Acts(reads=(EVERYTHING,)), Acts(writes=(state("todos"),)), True),
    ],
)
def test_two_calls_conflict_if_one_writes_what_the_other_touches(
    one: Acts, other: Acts, expected: bool
) -> None:
    assert conflict(one, other) is expected
    assert conflict(other, one) is expected


A, B = Acts(writes=(file("/a"),)), Acts(writes=(file("/b"),))


def is_waiting(task: "asyncio.Task[None]") -> bool:
    return not task.done()


async def admitted(ticket: Ticket, acts: Acts) -> "asyncio.Task[None]":
    """Ask for admission, and let the loop run until nothing more happens."""
    task = asyncio.create_task(ticket.admit(acts))
    await settle()
    return task


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_call_still_being_judged_holds_back_only_what_conflicts_with_it() -> None:
    table = HazardTable(8)
    table.enter("agent", A)  # nobody has answered yet
    same, other = table.enter("agent", A), table.enter("agent", B)
    assert is_waiting(await admitted(same, A))
    assert not is_waiting(await admitted(other, B))


async def test_a_call_widened_by_an_edit_queues_behind_what_has_started() -> None:
    table = HazardTable(8)
    judged, started = table.enter("agent", A), table.enter("agent", B)
    await admitted(started, B)
    widened = await admitted(judged, Acts(writes=(file("/a"), file("/b"))))
    assert is_waiting(widened)
    started.leave()
    await settle()
    assert not is_waiting(widened)


async def test_a_call_narrowed_by_an_edit_lets_later_ones_go() -> None:
    table = HazardTable(8)
    first, second = table.enter("agent", UNKNOWN), table.enter("agent", B)
    waiting = await admitted(second, B)
    assert is_waiting(waiting)
    await admitted(first, A)
    await settle()
    assert not is_waiting(waiting)


async def test_a_later_call_that_has_not_started_waits_for_a_widened_one() -> None:
    table = HazardTable(1)
    running = table.enter("other agent", Acts(reads=(file("/x"),)))
    await admitted(running, running.acts)
    first, second = table.enter("agent", A), table.enter("agent", B)
    later = await admitted(second, B)  # ready, but the only slot is taken
    widened = await admitted(first, Acts(writes=(file("/a"), file("/b"))))
    running.leave()
    await settle()
    assert is_waiting(later)
    assert not is_waiting(widened)


async def test_agents_that_conflict_go_one_at_a_time_first_come_first_served() -> None:
    table = HazardTable(8)
    tickets = [table.enter(f"agent {n}", A) for n in range(3)]
    tasks = [await admitted(ticket, A) for ticket in tickets]
    for n, ticket in enumerate(tickets):
        assert [is_waiting(task) for task in tasks] == [False] * (n + 1) + [True] * (2 - n)
        ticket.leave()
        await settle()


async def test_a_barrier_is_not_starved_by_a_stream_of_readers() -> None:
    table = HazardTable(8)
    reading = Acts(reads=(file("/a"),))
    reader = table.enter("reader", reading)
    await admitted(reader, reading)
    barrier = await admitted(table.enter("writer", UNKNOWN), UNKNOWN)
    newcomer = await admitted(table.enter("another", reading), reading)
    assert is_waiting(barrier)
    assert is_waiting(newcomer), "nobody overtakes the barrier"
    reader.leave()
    await settle()
    assert not is_waiting(barrier)


async def test_at_most_as_many_calls_run_as_the_cap_allows() -> None:
    table = HazardTable(2)
    tickets = [table.enter("agent", NOTHING) for _ in range(5)]
    tasks = [await admitted(ticket, NOTHING) for ticket in tickets]
    assert [is_waiting(task) for task in tasks] == [False, False, True, True, True]
    tickets[0].leave()
    await settle()
    assert [is_waiting(task) for task in tasks] == [False, False, False, True, True]


async def test_a_call_that_only_waits_takes_no_slot() -> None:
    table = HazardTable(1)
    waiting = table.enter("parent", NOTHING, takes_slot=False)
    await admitted(waiting, NOTHING)
    busy = table.enter("child", NOTHING)
    assert not is_waiting(await admitted(busy, NOTHING))
    another = table.enter("parent", NOTHING, takes_slot=False)
    assert not is_waiting(await admitted(another, NOTHING))


async def test_judging_waits_for_a_call_that_may_change_what_it_looks_at() -> None:
    table = HazardTable(8)
    mover = table.enter("agent", Acts(writes=(state("cwd"),)))
    relative = table.enter("agent", Acts(reads=(file("/w/x"), state("cwd"))))
    absolute = table.enter("agent", Acts(reads=(file("/w/y"),)))
    judging = asyncio.create_task(relative.state_settled())
    assert not await absolute.state_settled()
    await settle()
    assert not judging.done()
    mover.leave()
    assert await judging


async def test_leaving_twice_or_before_admission_harms_nothing() -> None:
    table = HazardTable(8)
    first, second = table.enter("agent", A), table.enter("agent", A)
    waiting = await admitted(second, A)
    first.leave()
    first.leave()
    await settle()
    assert not is_waiting(waiting)


def test_agents_in_different_event_loops_share_one_table() -> None:
    table = HazardTable(8)

    async def take_turns(agent: str, log: list[str]) -> None:
        for _ in range(50):
            ticket = table.enter(agent, A)
            await ticket.admit(A)
            log.append(agent)
            await asyncio.sleep(0)
            log.append(agent)
            ticket.leave()

    log: list[str] = []
    threads = [
        threading.Thread(target=asyncio.run, args=(take_turns(name, log),)) for name in "pqr"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert len(log) == 300
    assert all(log[n] == log[n + 1] for n in range(0, 300, 2)), "nobody came between"
