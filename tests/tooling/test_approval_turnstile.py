"""One at a time, in order of arrival, over loops and threads, whoever gives up meanwhile."""

import asyncio
import random
import threading

import pytest

from ankrcode.tooling.turnstile import Turnstile


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class Visitor:
    """Passes through and notes when; stays until it is let go."""

    def __init__(self, turnstile: Turnstile, log: list[str], name: str) -> None:
        self.may_go = asyncio.Event()
        self.task = asyncio.ensure_future(self._pass(turnstile, log, name))

    async def _pass(self, turnstile: Turnstile, log: list[str], name: str) -> None:
        async with turnstile:
            log.append(name)
            await self.may_go.wait()

    async def leave(self) -> None:
        self.may_go.set()
        await self.task


async def test_they_pass_in_the_order_they_came() -> None:
    turnstile, log = Turnstile(), list[str]()
    visitors = [Visitor(turnstile, log, name) for name in "abcd"]
    for number, visitor in enumerate(visitors, 1):
        await settle()
        assert len(log) == number
        await visitor.leave()
    assert log == list("abcd")


async def test_after_the_last_one_it_is_free_again() -> None:
    turnstile, log = Turnstile(), list[str]()
    for name in "ab":
        visitor = Visitor(turnstile, log, name)
        await settle()
        await visitor.leave()
    assert log == ["a", "b"]


@pytest.mark.parametrize("gives_up", [0, 1, 2])
async def test_one_that_gives_up_is_passed_over(gives_up: int) -> None:
    turnstile, log = Turnstile(), list[str]()
    visitors = [Visitor(turnstile, log, name) for name in "abc"]
    await settle()
    visitors[gives_up].task.cancel()
    await settle()
    for number, visitor in enumerate(visitors):
        if number != gives_up:
            await visitor.leave()
    assert visitors[gives_up].task.cancelled()
    # the first was inside already when it gave up
    assert log == [name for name in "abc" if gives_up == 0 or name != "abc"[gives_up]]


async def test_a_turn_that_is_handed_over_while_it_is_given_up_is_not_lost() -> None:
    turnstile, log = Turnstile(), list[str]()
    first, second, third = (Visitor(turnstile, log, name) for name in "abc")
    await settle()
    first.may_go.set()
    await asyncio.sleep(0)  # the first leaves now; the second has its turn but has not woken
    second.task.cancel()
    await settle()
    await third.leave()
    assert log[-1] == "c"


async def test_what_is_raised_inside_frees_it() -> None:
    turnstile = Turnstile()
    with pytest.raises(ValueError, match="oh"):
        async with turnstile:
            raise ValueError("oh")
    async with asyncio.timeout(5), turnstile:
        pass


def test_a_waiter_whose_loop_has_ended_is_passed_over() -> None:
    turnstile = Turnstile()
    loop = asyncio.new_event_loop()

    async def hold() -> None:
        await turnstile.__aenter__()

    async def wait() -> None:
        async with turnstile:
            pass

    asyncio.run(hold())
    waiter = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    waiter._log_destroy_pending = False  # type: ignore[attr-defined]  # its loop died first

    async def release_and_take() -> None:
        await turnstile.__aexit__()
        async with asyncio.timeout(5), turnstile:
            pass

    asyncio.run(release_and_take())
    waiter.get_coro().close()


def test_many_threads_never_overlap_and_all_get_through() -> None:
    turnstile, inside, most = Turnstile(), 0, 0
    passed: list[int] = []

    async def visit(number: int, luck: random.Random) -> None:
        nonlocal inside, most
        async with turnstile:
            inside += 1
            most = max(most, inside)
            try:
                await asyncio.sleep(luck.random() / 2_000)
            finally:
                inside -= 1
        passed.append(number)

    async def crowd(seed: int) -> None:
        luck = random.Random(seed)
        tasks = [asyncio.ensure_future(visit(seed * 100 + n, luck)) for n in range(25)]
        for task in luck.sample(tasks, 5):  # some lose patience
            asyncio.get_running_loop().call_later(luck.random() / 100, task.cancel)
        await asyncio.gather(*tasks, return_exceptions=True)

    threads = [threading.Thread(target=lambda s=seed: asyncio.run(crowd(s))) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert len(passed) >= 6 * 20
    assert most == 1
