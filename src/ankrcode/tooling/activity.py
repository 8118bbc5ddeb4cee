"""The stream of events (spec 1's ActivityStream): observers look on, and can harm nothing.

Each callback is served by a thread of its own from a bounded queue, so one that is slow, blocks
or raises never delays a call. Code in an event loop reads `events()` instead.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable

from ankrcode.config.limits import MAX_PENDING_EVENTS
from ankrcode.errors import UsageError
from ankrcode.protocol.event import EVENT_TYPES, Event

Callback = Callable[[Event], object]
EVERY = "*"


class ActivityStream:
    """Publish is cheap, and free while nobody watches (`is_watched`)."""

    def __init__(self) -> None:
        self._observers: list[_Observer | _Reader] = []
        self._types: frozenset[str] = frozenset()
        self.is_watched = False

    def publish(self, event: Event) -> None:
        for observer in self._observers:
            if observer.wants(event.type):
                observer.put(event)

    def wants(self, kind: type[Event]) -> bool:
        """Does anybody watch for events of this kind? Whoever makes them asks first."""
        types = self._types
        return bool(types) and (EVERY in types or kind.__struct_config__.tag in types)

    def subscribe(self, event_type: str, callback: Callback) -> Callable[[], None]:
        """Call back for each event of this type, or of every type (`*`). Returns unsubscribe."""
        observer = _Observer(_checked(event_type), callback)
        self._add(observer)

        def unsubscribe() -> None:
            self._remove(observer)
            observer.close()

        return unsubscribe

    async def events(self, *event_types: str) -> AsyncIterator[Event]:
        """The events from now on, as an async iterator in the caller's own loop."""
        reader = self.reader(*event_types)
        try:
            async for event in reader:
                yield event
        finally:
            reader.close()

    def reader(self, *event_types: str) -> "_Reader":
        """The same, listening at once; after `close` it still gives what had arrived."""
        types = frozenset(_checked(one) for one in event_types or (EVERY,))
        reader = _Reader(types, asyncio.get_running_loop(), self._remove)
        self._add(reader)
        return reader

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until every callback has seen what was published; False if one is too slow."""
        waiting = [one for one in list(self._observers) if isinstance(one, _Observer)]
        return all(observer.drain(timeout_s) for observer in waiting)

    @property
    def dropped(self) -> int:
        """How many events observers lost because they were too slow."""
        return sum(observer.dropped for observer in self._observers)

    def _add(self, observer: "_Observer | _Reader") -> None:
        self._observers = [*self._observers, observer]
        self._look()

    def _remove(self, observer: "_Observer | _Reader") -> None:
        self._observers = [one for one in self._observers if one is not observer]
        self._look()

    def _look(self) -> None:
        self._types = frozenset(name for one in self._observers for name in one.types)
        self.is_watched = bool(self._observers)


def _checked(event_type: str) -> str:
    if event_type != EVERY and event_type not in EVENT_TYPES:
        raise UsageError.of("unknown_event", name=event_type, names=", ".join(sorted(EVENT_TYPES)))
    return event_type


class _Observer:
    """One callback, its queue and its thread."""

    def __init__(self, event_type: str, callback: Callback) -> None:
        self.types = frozenset((event_type,))
        self._callback = callback
        self._queue: deque[Event | None] = deque()
        self._ready = threading.Condition()
        self._busy = False
        self.dropped = 0
        threading.Thread(target=self._serve, name="ankrcode-observer", daemon=True).start()

    def wants(self, event_type: str) -> bool:
        return EVERY in self.types or event_type in self.types

    def put(self, event: Event | None) -> None:
        with self._ready:
            if len(self._queue) >= MAX_PENDING_EVENTS:
                self._queue.popleft()
                self.dropped += 1
            self._queue.append(event)
            self._ready.notify_all()

    def close(self) -> None:
        self.put(None)

    def drain(self, timeout_s: float) -> bool:
        with self._ready:
            return self._ready.wait_for(lambda: not self._queue and not self._busy, timeout_s)

    def _serve(self) -> None:
        while (event := self._next()) is not None:
            try:
                self._callback(event)
            except BaseException:  # noqa: BLE001 - an observer's fault, or exit, is the observer's
                _log_fault(self._callback)

    def _next(self) -> Event | None:
        with self._ready:
            self._busy = False
            self._ready.notify_all()
            self._ready.wait_for(lambda: self._queue)
            self._busy = True
            return self._queue.popleft()


class _Reader:
    """An async iterator's queue; safe to feed from any thread."""

    def __init__(
        self,
        types: frozenset[str],
        loop: asyncio.AbstractEventLoop,
        remove: Callable[["_Reader"], None],
    ) -> None:
        self.types = types
        self._loop = loop
        self._remove = remove
        self._queue: deque[Event] = deque()
        self._arrived = asyncio.Event()
        self._is_closed = False
        self.dropped = 0

    def wants(self, event_type: str) -> bool:
        return EVERY in self.types or event_type in self.types

    def put(self, event: Event) -> None:
        if len(self._queue) >= MAX_PENDING_EVENTS:
            self._queue.popleft()
            self.dropped += 1
        self._queue.append(event)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived.set)

    def close(self) -> None:
        """No more will come."""
        self._is_closed = True
        self._remove(self)
        self._arrived.set()

    def __aiter__(self) -> "_Reader":
        return self

    async def __anext__(self) -> Event:
        while not self._queue:
            if self._is_closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._queue.popleft()


def _log_fault(callback: Callback) -> None:
    import logging

    logging.getLogger("ankrcode").exception("an observer raised: %r", callback)
