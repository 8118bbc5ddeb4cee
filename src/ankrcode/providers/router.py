"""A chain of models that answers as one: tries again, goes to the next, remembers who failed.

What whoever listens must know:

* `Waited` and `Switched` void everything that came before them in this answer: the answer begins
  anew, so partial text is to be thrown away. Before them nothing, text, thoughts or calls that
  are not whole may have come, never a `CallClosed`.
* After a `CallClosed` nothing is tried again: the call may be running. If the answer fails then,
  the end is `Failed` with kind `cut`, and whoever runs calls decides how to go on.
* A wait is `await`ed: cancelling or closing the iterator ends it at once.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing

from msgspec.structs import replace

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    Switched,
    Waited,
)
from ankrcode.providers.candidate import Candidate
from ankrcode.providers.health import Health
from ankrcode.providers.retry import RetryPolicy, may_go_elsewhere
from ankrcode.providers.wire import ModelRequest
from ankrcode.words import say

Order = Callable[[ModelRequest], tuple[list[Candidate], Failure | None]]


class _Run:
    """One answer on its way: who is left to ask, what was waited."""

    def __init__(self, line: list[Candidate]) -> None:
        self.candidate = line.pop(0)
        self.line = line
        self.tries = 1
        self.waited_s = 0.0
        self.has_call = False
        self.failure: Failure | None = None
        self.is_over = False


class Router:
    """The first candidate is asked unless it cannot do what is needed, or rests."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        *,
        policy: RetryPolicy | None = None,
        health: Health | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self._candidates = tuple(candidates)
        self._policy = policy or RetryPolicy()
        self._health = health or Health()
        self._sleep = sleep or asyncio.sleep
        self._order = self._order_of(self._health)

    @property
    def name(self) -> str:
        return self._candidates[0].name

    @property
    def context_tokens(self) -> int:
        return self._candidates[0].model.context_tokens

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self._candidates

    async def close(self) -> None:
        for candidate in self._candidates:
            await candidate.model.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        line, passed_over = self._order(request)
        run = _Run(line)
        if run.candidate is not self._candidates[0]:
            yield _switched(run.candidate, passed_over)
        while not run.is_over:
            async with aclosing(_events(run.candidate, request)) as events:
                async for event in events:
                    self._note(run, event)
                    if not isinstance(event, Failed):
                        yield event
            for event in self._after(run):
                yield event
                if isinstance(event, Waited):
                    await self._sleep(event.seconds)

    def _order_of(self, health: Health) -> Order:
        if len(self._candidates) == 1:
            return lambda _: (list(self._candidates), None)
        from ankrcode.providers.line_up import LineUp  # a single model needs no choice

        return LineUp(self._candidates, health).order

    def _note(self, run: _Run, event: AnyStreamEvent) -> None:
        if isinstance(event, CallClosed):
            run.has_call = True
        elif isinstance(event, Failed):
            run.failure = event.failure
        elif isinstance(event, Stopped):
            run.is_over = True
            self._health.succeeded(run.candidate.name)

    def _after(self, run: _Run) -> list[AnyStreamEvent]:
        """An answer has ended: well, or what to do about it."""
        if run.is_over:
            return []
        failure = run.failure or _without_end(run.candidate)
        run.failure = None
        if run.has_call:
            run.is_over = True
            self._health.failed(run.candidate.name, failure)
            return [Failed(failure=replace(failure, kind=FailureKind.CUT))]
        wait = self._policy.wait_before(
            failure, run.tries, run.waited_s, has_other=bool(self._others(run, failure))
        )
        if wait is not None:
            return [self._waited(run, wait, failure)]
        self._health.failed(run.candidate.name, failure)
        return [self._moved_on(run, failure)]

    def _waited(self, run: _Run, wait: float, failure: Failure) -> Waited:
        run.waited_s += wait
        run.tries += 1
        provider, _, model = run.candidate.name.partition("/")
        return Waited(
            seconds=wait, attempt=run.tries, failure=failure, provider=provider, model=model
        )

    def _moved_on(self, run: _Run, failure: Failure) -> Switched | Failed:
        others = self._others(run, failure)
        if not others:
            run.is_over = True
            return Failed(failure=failure)
        run.candidate, run.tries = others[0], 1
        run.line = others[1:]
        return _switched(run.candidate, failure)

    def _others(self, run: _Run, failure: Failure) -> list[Candidate]:
        if not may_go_elsewhere(failure.kind):
            return []
        if failure.kind is FailureKind.CONTEXT:
            room = run.candidate.model.context_tokens
            return [one for one in run.line if one.model.context_tokens > room]
        return run.line


async def _events(
    candidate: Candidate, request: ModelRequest
) -> AsyncGenerator[AnyStreamEvent, None]:
    """Up to the first end, whatever comes after it; closing it closes what it reads from."""
    stream = candidate.model.stream(request)
    try:
        async for event in stream:
            yield event
            if isinstance(event, Stopped | Failed):
                return
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


def _switched(candidate: Candidate, failure: Failure | None) -> Switched:
    provider, _, model = candidate.name.partition("/")
    return Switched(provider=provider, model=model, failure=failure)


def _without_end(candidate: Candidate) -> Failure:
    provider, _, model = candidate.name.partition("/")
    return Failure(kind=FailureKind.CUT, message=say("http_cut"), provider=provider, model=model)
