"""Hooks written in Python: a function that gets what a script gets, and answers like one."""

import asyncio
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from msgspec import Struct

from ankrcode.config.hooks import HookGroup
from ankrcode.config.limits import HOOK_TIMEOUT_S
from ankrcode.errors import UsageError
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer
from ankrcode.tooling.hooks.events import HookEvent
from ankrcode.words import say

HookFunction = Callable[[dict[str, Any]], Any]


class FunctionHook(Struct, frozen=True, kw_only=True):
    """One function for one event."""

    event: HookEvent
    function: HookFunction
    group: HookGroup
    timeout_s: float

    def __call__(self, payload: dict[str, Any]) -> Any:
        """Still the function it was."""
        return self.function(payload)

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))

    async def answer(self, payload: Mapping[str, Any]) -> HookAnswer:
        """What it returned, in one form for all; what it raised, too."""
        from ankrcode.tooling.foreign import called
        from ankrcode.tooling.hooks.protocol import (
            NotUnderstood,
            answer_of_data,
            settled,
            unusable,
        )

        given = deepcopy(dict(payload))  # whatever it does to it, the call stays as it was
        try:
            said = await asyncio.wait_for(called(self.function, given), self.timeout_s)
            if said is None:
                return SILENCE
            if isinstance(said, HookAnswer):
                return settled(self.event, said)
            return answer_of_data(self.event, said)
        except TimeoutError:
            why = say("hook_late", hook=self.name, seconds=f"{self.timeout_s:g}")
        except NotUnderstood as problem:
            why = say("hook_function_garbled", hook=self.name, why=problem)
        except Exception as problem:  # noqa: BLE001 - whatever a hook raises is its answer
            why = say("hook_function_raised", hook=self.name, error=repr(problem))
        return unusable(self.event, why)


def hook(
    event: HookEvent | str, *, matcher: str = "", timeout_s: float = HOOK_TIMEOUT_S
) -> Callable[[HookFunction], FunctionHook]:
    """Make a hook of a function: `@hook("PreToolUse", matcher="Bash")`."""
    if event not in list(HookEvent):
        raise UsageError.of("hook_event", event=event, events=", ".join(HookEvent))
    group = HookGroup(matcher=matcher)
    group.matches("")  # a broken pattern is said here, not at the first call
    return lambda function: FunctionHook(
        event=HookEvent(event), function=function, group=group, timeout_s=timeout_s
    )
