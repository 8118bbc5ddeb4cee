"""One answer of the model: shown while it streams, its calls running as soon as they are whole."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.agent.conversation import Conversation, Tell
from ankrcode.app import Toolkit
from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Noticed, TextArrived, ThinkingArrived
from ankrcode.protocol.message import Message, Part, ToolUsePart
from ankrcode.protocol.result import ToolResult
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    Failure,
    StopReason,
    Switched,
    TextGrew,
    ThinkingGrew,
    Waited,
)
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import Model, ModelRequest
from ankrcode.tooling.scheduler import Turn


class Heard(Struct, frozen=True, kw_only=True):
    """What an answer came to; its calls have their results already."""

    text: str
    calls: tuple[ToolUsePart, ...]
    results: tuple[ToolResult, ...] = ()
    queued: tuple[ToolResult, ...] = ()  # of calls that results asked for
    broken: tuple[CallBroken, ...] = ()
    was_retried: bool = False  # whoever asks models has tried again already
    gathered: Gathered

    @property
    def failure(self) -> Failure | None:
        return self.gathered.failure

    @property
    def stop(self) -> StopReason | None:
        return self.gathered.stop


class Listener:
    """Hears one answer. The message is in the conversation when this ends, however it ends."""

    def __init__(
        self,
        kit: Toolkit,
        conversation: Conversation,
        tell: Tell,
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        """`begun`: called when the first word of the answer is there."""
        self._kit = kit
        self._begun: Callable[[], None] | None = begun
        self._conversation = conversation
        self._tell = tell
        self.gathered = Gathered()
        self._tasks: list[asyncio.Task[ToolResult]] = []
        self._noted_calls: set[str] = set()
        self._noted_others = 0
        self._id = kit.source.new_id("message")  # of this answer, whose pieces are noted one by one
        self._is_kept = False
        self.spoke_as = ""  # another model, if one took over
        self._was_retried = False

    async def hear(self, model: Model, request: ModelRequest) -> Heard:
        async with self._kit.turn() as turn:
            try:
                async with aclosing(model.stream(request)) as events:  # type: ignore[type-var]
                    async for event in events:
                        self._take(event, turn)
                        if isinstance(event, CallClosed):
                            await asyncio.sleep(0)  # it begins before more of the answer is read
                self._conclude()
                results = await turn.results() if self._tasks else []
            except BaseException:  # cancelled, or nothing can be noted any more
                await self._wind_up(turn)
                raise
        return self._heard(results, turn.queued_results)

    # ── while it streams ──────────────────────────────────────────────────────────────────
    def _take(self, event: AnyStreamEvent, turn: Turn) -> None:
        if self._begun is not None:
            self._begun()
            self._begun = None
        match event:
            case TextGrew():
                self._tell(TextArrived, text=event.text)
            case ThinkingGrew():
                self._tell(ThinkingArrived, text=event.text)
            case CallClosed():
                event = replace(event, id=self._conversation.unused_id(event.id))
            case Waited() | Switched():
                self._noted_others = 0
                self._was_retried = True
                self._notice(event)
        self.gathered.feed(event)
        if isinstance(event, CallClosed):
            self._note_so_far()
            call = ToolCall(name=event.name, arguments=event.arguments, id=event.id)
            self._tasks.append(turn.feed(call))

    def _note_so_far(self) -> None:
        """What was said up to a call is in the log before the call runs."""
        fresh: list[Part] = []
        others = 0
        for part in self.gathered.parts:
            if isinstance(part, ToolUsePart):
                if part.id not in self._noted_calls:
                    fresh.append(part)
                    self._noted_calls.add(part.id)
            else:
                others += 1
                if others > self._noted_others:
                    fresh.append(part)
        self._noted_others = max(others, self._noted_others)
        self._conversation.note(Message(role="assistant", parts=tuple(fresh), id=self._id))

    def _notice(self, event: Waited | Switched) -> None:
        if isinstance(event, Waited):
            values = {"seconds": round(event.seconds, 1), "why": event.failure.message}
            self._tell(Noticed, key="model_waits", values=values)
        else:
            self.spoke_as = f"{event.provider}/{event.model}"
            why = event.failure.message if event.failure else "…"
            values = {"model": self.spoke_as, "why": why}
            self._tell(Noticed, key="model_switched", values=values)

    # ── when it is over ───────────────────────────────────────────────────────────────────
    def _conclude(self) -> None:
        """Into the conversation. An answer that broke off before its first call is not kept:
        it will be asked for again."""
        gathered = self.gathered
        if gathered.failure is None or gathered.calls:
            self._keep()

    def _keep(self) -> None:
        if not self._is_kept:
            self._is_kept = True
            self._conversation.add(replace(self.gathered.message, id=self._id))
            self._note_so_far()

    async def _wind_up(self, turn: Turn) -> None:
        """What was said stays said, and every call in it gets its result."""
        turn.cancel()
        turn.close()
        with suppress(SessionError):
            self._keep()
        if results := await _settled(turn, self._tasks):
            self._conversation.tell_results(self._ordered(results))

    def _ordered(self, results: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
        """As the calls stand in the message; they may have closed in another order."""
        by_id = {result.call_id: result for result in results}
        return tuple(by_id[call.id] for call in self.gathered.calls)

    def _heard(self, results: Iterable[ToolResult], queued: Iterable[ToolResult]) -> Heard:
        gathered = self.gathered
        return Heard(
            text=gathered.text,
            calls=gathered.calls,
            results=self._ordered(results),
            queued=tuple(queued),
            broken=tuple(gathered.broken),
            was_retried=self._was_retried,
            gathered=gathered,
        )


async def _settled(turn: Turn, tasks: "list[asyncio.Task[ToolResult]]") -> list[ToolResult]:
    """Each task ends in a result; whoever cancels meanwhile waits for that, too."""
    while pending := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError:
            turn.cancel()
    return [task.result() for task in tasks]
