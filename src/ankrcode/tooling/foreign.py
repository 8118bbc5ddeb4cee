"""Functions of others: called wherever they block nobody, and what they raise ends only them."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

# `sys.exit()` would end the loop and all that works in it; the others are no error to a future:
# whoever waits for one would wait for ever, or be taken for cancelled.
_NO_ERRORS = (StopIteration, SystemExit, KeyboardInterrupt, asyncio.CancelledError)


class Ended(Exception):
    """In place of what would have ended more than the function."""

    def __repr__(self) -> str:
        return str(self)


async def called(function: Callable[[Any], Any], given: Any) -> Any:
    """What it gives: an async one here, an ordinary one in a thread, for it may take its time."""
    real = function if inspect.isroutine(function) else type(function).__call__
    try:
        if inspect.iscoroutinefunction(real):
            said = function(given)
        else:
            said = await asyncio.to_thread(_contained, function, given)
        return await said if inspect.isawaitable(said) else said
    except (SystemExit, KeyboardInterrupt) as problem:
        raise Ended(repr(problem)) from None
    except asyncio.CancelledError as problem:
        current = asyncio.current_task()
        if current is None or current.cancelling():
            raise
        raise Ended(repr(problem)) from None


def _contained(function: Callable[[Any], Any], given: Any) -> Any:
    try:
        return function(given)
    except _NO_ERRORS as problem:
        raise Ended(repr(problem)) from None
