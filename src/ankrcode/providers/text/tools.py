"""Tools for models that have none of their own: taught in the system text, read back from theirs.

Either because it is known that a model has no tool calls, or because it shows: its server says so,
or it writes calls into its text instead of making them.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    Waited,
)
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.text.prompt import TextConversation
from ankrcode.providers.wire import Model, ModelRequest

PRINTED_TWICE = 2
_FIRST_INDEX = 1_000  # calls found in text beside those that the wire counts from 0
_REFUSALS = (FailureKind.BAD_REQUEST, FailureKind.MODEL, FailureKind.SERVER)
_NO_TOOLS = re.compile(
    r"(?:not|n't|no endpoints found that|without) support\w*[^.]{0,40}\b(?:tool|function)"
    r"|\b(?:tool|function)s?\b[^.]{0,60}\b(?:not|un)\s?(?:supported|available|enabled|allowed)"
    r"|requires? --(?:jinja|enable-auto-tool-choice)",
    re.IGNORECASE,
)


def refuses_tools(failure: Failure) -> bool:
    """Does it fail only because tools were offered?"""
    return failure.kind in _REFUSALS and bool(_NO_TOOLS.search(failure.message))


class TextToolsModel:
    """A model with tools by text. `always`: from the first request on; else when it turns out
    that its own do not work."""

    def __init__(self, model: Model, *, always: bool = True) -> None:
        self.model = model
        self._conversation = TextConversation()
        self._printed = 0  # answers that had calls in their text, of a model with tools of its own
        self.is_on = always

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def context_tokens(self) -> int:
        return self.model.context_tokens

    async def close(self) -> None:
        await self.model.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        if not self.is_on:
            async with aclosing(self._watched(request)) as events:
                async for event in events:
                    if isinstance(event, Failed) and request.tools and refuses_tools(event.failure):
                        self.is_on = True
                        break
                    yield event
                else:
                    return
        asked = self._conversation.translated(request)
        async with aclosing(self._found(asked, _Found(request))) as events:
            async for event in events:
                yield event

    async def _watched(self, request: ModelRequest) -> AsyncGenerator[AnyStreamEvent]:
        """With its own tools; calls in its text are found all the same, and counted."""
        found = _Found(request, first_index=_FIRST_INDEX)
        async with aclosing(self._found(request, found)) as events:
            async for event in events:
                yield event
        self._printed += found.calls.closed > 0
        self.is_on = self._printed >= PRINTED_TWICE

    async def _found(
        self, request: ModelRequest, found: "_Found"
    ) -> AsyncGenerator[AnyStreamEvent]:
        async with aclosing(self.model.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                for one in found.take(event):
                    yield one


class _Found:
    """One answer on its way: its text is searched for calls."""

    def __init__(self, request: ModelRequest, *, first_index: int = 0) -> None:
        self._tools = () if request.options.tool_choice == "none" else request.tools
        self._first_index = first_index
        self.calls = TextCalls(self._tools, first_index=first_index)

    def take(self, event: AnyStreamEvent) -> list[AnyStreamEvent]:
        if not self._tools:
            return [event]
        match event:
            case TextGrew():
                return self.calls.feed(event.text)
            case CallOpened() | Failed():
                return [*self.calls.end(), event]
            case Stopped():
                return [*self.calls.end(), self._stopped(event)]
            case Waited() | Switched():  # the answer begins anew
                self.calls = TextCalls(self._tools, first_index=self._first_index)
        return [event]

    def _stopped(self, event: Stopped) -> Stopped:
        """A model that wrote a call ends its turn; for us it waits for the result."""
        ended = event.reason in (StopReason.END, StopReason.STOP_SEQUENCE, StopReason.OTHER)
        if self.calls.closed and ended:
            return Stopped(reason=StopReason.TOOL_USE, raw=event.raw)
        return event
