"""Writes what happens into the log, before it has effects and before anybody is told.

Not an observer: the pipeline waits for it, and a call whose intent cannot be written does not run.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import RLock

from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, Usage
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.log import SessionLog
from ankrcode.sessions.records import (
    AnyRecord,
    CallBegun,
    CallEnded,
    CostSpent,
    MessageAdded,
    TurnEnded,
    TurnStarted,
    as_data,
)
from ankrcode.sessions.restore import Restored

RECORDS_PER_CHECKPOINT = 500
BYTES_PER_CHECKPOINT = 2_000_000


class SessionRecorder:
    def __init__(self, log: SessionLog, state: Restored, *, now: Callable[[], float]) -> None:
        self.log = log
        self.state = state
        self._now = now
        self._since_checkpoint = 0
        self._checkpoint_at = log.size
        self._turn = RLock()  # tasks end in threads of their own
        self._syncing: asyncio.Future[None] | None = None

    def note(self, *records: AnyRecord) -> None:
        """In the system's hands when this returns; `SessionError` if it cannot be."""
        with self._turn:
            offset = self.log.size
            self.log.append(records)
            for record in records:
                self.state.take(record, offset)
            self._since_checkpoint += len(records)
            grown = offset - self._checkpoint_at
            if self._since_checkpoint >= RECORDS_PER_CHECKPOINT or grown >= BYTES_PER_CHECKPOINT:
                self._keep_short()

    def _keep_short(self) -> None:
        """Now and then all that came before in one record: what is read on resuming is bounded."""
        with suppress(SessionError):  # it only saves time
            self.log.append([self.state.checkpoint(self._now())])
        self._since_checkpoint, self._checkpoint_at = 0, self.log.size

    # ── what happens ──────────────────────────────────────────────────────────────────────────
    def said(self, message: Message, *, side: str = "") -> None:
        """A message of the conversation, or of one on the side."""
        self.note(MessageAdded(message=message, agent_id=side, at=self._now()))

    def spent(self, model: str, usage: Usage, usd: float) -> None:
        self.note(CostSpent(model=model, usage=usage, usd=usd, at=self._now()))

    def begun(
        self, call: ToolCall, *, turn_id: str = "", side: str = "", changes: bool = False
    ) -> None:
        at = self._now()
        self.note(CallBegun(call=call, agent_id=side, turn_id=turn_id, changes=changes, at=at))

    def ended(self, result: ToolResult) -> None:
        self.note(ended_record(result, self._now()))

    def turn_started(self, turn_id: str, *said: Message) -> None:
        """A turn, and what the person said to begin it."""
        at = self._now()
        self.note(TurnStarted(turn_id=turn_id, at=at), *_added(said, at))

    async def turn_ended(self, turn_id: str, *said: Message, stop: str = "") -> None:
        """Whoever is told that a turn is done can rely on it: it is on disk, the answer too."""
        at = self._now()
        self.note(*_added(said, at), TurnEnded(turn_id=turn_id, stop=stop, at=at))
        await self.synced()

    # ── to the disk ───────────────────────────────────────────────────────────────────────────
    def sync_soon(self) -> asyncio.Future[None]:
        """Begin to put on disk what is written, while the next request is on its way."""
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.ensure_future(asyncio.to_thread(self.log.sync))
            self._syncing.add_done_callback(_heard)
        return self._syncing

    async def synced(self) -> None:
        """All that was noted before this is on disk. Cancelled, the disk still finishes."""
        if self._syncing is not None and not self._syncing.done():
            await asyncio.shield(self._syncing)
        if len(asyncio.all_tasks()) == 1:  # nobody else would be held up: a thread only costs
            self.log.sync()
        else:
            await asyncio.shield(self.sync_soon())

    def close(self) -> None:
        with self._turn:
            self.log.close()


def _added(said: Iterable[Message], at: float) -> list[MessageAdded]:
    return [MessageAdded(message=message, at=at) for message in said]


def _heard(syncing: asyncio.Future[None]) -> None:
    """A failure nobody waited for is told again by the next sync: it is not forgotten."""
    if not syncing.cancelled():
        syncing.exception()


def ended_record(result: ToolResult, at: float) -> CallEnded:
    return CallEnded(
        at=at,
        call_id=result.call_id,
        title=result.title,
        value=as_data(result.value),
        text=result.text,
        metadata=as_data(result.metadata) or {},
        attachments=result.attachments,
        error=result.error,
        modifiers=result.modifiers,
        duration_ms=result.duration_ms,
    )
