"""Which calls may run beside which. Two calls conflict if one writes what the other touches.

`HazardTable` is shared by all agents of a workspace. A call enters it the moment it is known,
holds its place while it is judged, and is admitted with its *final* acts. Conflicting calls of
one agent run in program order; conflicting calls of different agents run one at a time, first
come first served; everything else runs at once, up to a cap.
"""

import asyncio
import threading
from collections.abc import Callable, Hashable, Iterable

from ankrcode.protocol.acts import EVERYTHING, Acts, state

# Judging a call reads the permissions: a call that may change them is waited for.
_JUDGING_READS = (state("permissions"),)


def conflict(one: Acts, other: Acts) -> bool:
    return (
        _touch(one.writes, other.writes)
        or _touch(one.writes, other.reads)
        or _touch(other.writes, one.reads)
    )


def _touch(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    if not some or not others:
        return False
    if EVERYTHING in some or EVERYTHING in others:
        return True
    return any(overlap(one, other) for one in some for other in others)


def overlap(one: str, other: str) -> bool:
    """Do two resources share anything? A tree holds every file and tree below it."""
    if one == other or EVERYTHING in (one, other):
        return True
    return _holds(one, other) or _holds(other, one)


def _holds(tree: str, other: str) -> bool:
    if not tree.startswith("tree:") or not other.startswith(("file:", "tree:")):
        return False
    folder, path = tree[5:].rstrip("/"), other[5:]
    return path == folder or path.startswith(folder + "/")


class Ticket:
    """One call's place in the table, from the moment it is fed until it has its result."""

    __slots__ = (
        "_left",
        "_table",
        "_waiters",
        "acts",
        "agent",
        "blockers",
        "dependents",
        "is_settled",
        "is_started",
        "takes_slot",
    )

    def __init__(
        self, table: "HazardTable", agent: Hashable, acts: Acts, *, takes_slot: bool
    ) -> None:
        self._table = table
        self._waiters: list[asyncio.Future[None]] = []
        self._left = False
        self.agent = agent
        self.acts = acts
        self.takes_slot = takes_slot
        self.is_settled = False  # judged: `acts` are final
        self.is_started = False
        self.blockers: set[Ticket] = set()  # earlier calls of the same agent to wait for
        self.dependents: dict[Ticket, None] = {}  # later ones that wait for this, in order

    async def state_settled(self) -> bool:
        """Wait for earlier calls that may change what this call is judged by; True if it waited."""
        waited = False
        while (writer := self._table.writer_of_state_before(self)) is not None:
            await writer.wait_until_left()
            waited = True
        return waited

    def change(self, acts: Acts) -> None:
        """Other acts than first declared; the place in the program order stays."""
        self._table.change(self, acts)

    async def admit(self, acts: Acts) -> None:
        """Wait until nothing that conflicts with the final acts is under way."""
        self._table.settle(self, acts)
        if not self.is_started:
            await self._wait(lambda: self.is_started)

    async def wait_until_left(self) -> None:
        if not self._left:
            # A future of the *waiting* loop: agents may live in different ones.
            await self._wait(lambda: self._left)

    def leave(self) -> None:
        """The call has its result (or was given up): let others go on."""
        self._table.leave(self)

    async def _wait(self, is_over: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        while not is_over():
            waiter: asyncio.Future[None] = loop.create_future()
            with self._table.lock:
                if is_over():
                    return
                self._waiters.append(waiter)
            await waiter

    def wake(self) -> None:
        """Called with the table's lock held, from any thread."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            loop = waiter.get_loop()
            if loop is _running_loop():
                _finish(waiter)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(_finish, waiter)

    def mark_left(self) -> None:
        self._left = True


class HazardTable:
    """Everything under way in one workspace."""

    def __init__(self, max_running: int) -> None:
        self.lock = threading.RLock()
        self._max_running = max_running
        self._queues: dict[Hashable, dict[Ticket, None]] = {}  # unfinished, in program order
        self._ready: dict[Ticket, None] = {}  # judged and unblocked, first come first served
        self._running: set[Ticket] = set()
        self._slots_taken = 0

    def enter(
        self,
        agent: Hashable,
        acts: Acts,
        *,
        takes_slot: bool = True,
        is_safe: Callable[[], bool] | None = None,
    ) -> Ticket:
        """Take a place behind all earlier calls of this agent. (Spec 4's asks `is_safe`.)"""
        ticket = Ticket(self, agent, acts, takes_slot=takes_slot)
        with self.lock:
            queue = self._queues.setdefault(agent, {})
            for earlier in queue:
                if conflict(earlier.acts, acts):
                    _block(ticket, earlier)
            queue[ticket] = None
        return ticket

    def close(self) -> None:
        """No more calls in this batch: nothing to do here, hazards need no batch."""

    def writer_of_state_before(self, ticket: Ticket) -> Ticket | None:
        """The nearest earlier call of the same agent that may change what this one is judged by."""
        with self.lock:
            queue = self._queues[ticket.agent]
            if len(queue) == 1:
                return None
            looked_at = (*_JUDGING_READS, *_states(ticket.acts.reads))
            earlier = _before(ticket, queue)
            return next((one for one in earlier if _touch(one.acts.writes, looked_at)), None)

    def change(self, ticket: Ticket, acts: Acts) -> None:
        with self.lock:
            self._unblock_from_earlier(ticket)
            ticket.acts = acts
            is_later = False
            for other in list(self._queues[ticket.agent]):
                if other is ticket:
                    is_later = True
                elif not is_later:
                    if conflict(other.acts, acts):
                        _block(ticket, other)
                else:
                    self._reconsider_later(other, ticket)
            self._start_ready()

    def settle(self, ticket: Ticket, acts: Acts) -> None:
        with self.lock:
            if acts != ticket.acts:
                self.change(ticket, acts)
            ticket.is_settled = True
            self._make_ready(ticket)
            self._start_ready()

    def leave(self, ticket: Ticket) -> None:
        with self.lock:
            queue = self._queues.get(ticket.agent)
            if queue is None or ticket not in queue:
                return
            del queue[ticket]
            if not queue:
                del self._queues[ticket.agent]
            self._unblock_from_earlier(ticket)
            self._ready.pop(ticket, None)
            if ticket in self._running:
                self._running.remove(ticket)
                self._slots_taken -= ticket.takes_slot
            ticket.mark_left()
            ticket.wake()
            for later in ticket.dependents:
                later.blockers.discard(ticket)
                self._make_ready(later)
            self._start_ready()

    def _reconsider_later(self, later: Ticket, changed: Ticket) -> None:
        """`changed` has new acts; a later call that has not started keeps the program order."""
        if later.is_started:
            return  # `changed` queues behind what has started
        if conflict(changed.acts, later.acts):
            _block(later, changed)
            self._ready.pop(later, None)
        elif changed in later.blockers:
            later.blockers.discard(changed)
            changed.dependents.pop(later, None)
            self._make_ready(later)

    def _unblock_from_earlier(self, ticket: Ticket) -> None:
        for earlier in ticket.blockers:
            earlier.dependents.pop(ticket, None)
        ticket.blockers.clear()

    def _make_ready(self, ticket: Ticket) -> None:
        if ticket.is_settled and not ticket.blockers and not ticket.is_started:
            self._ready[ticket] = None

    def _start_ready(self) -> None:
        """Start what can start; nothing overtakes a conflicting call that became ready earlier."""
        waiting: list[Ticket] = []
        for ticket in list(self._ready):
            if ticket.takes_slot and self._slots_taken >= self._max_running:
                if all(one.takes_slot for one in self._ready):
                    return
                waiting.append(ticket)
            elif _conflicts_with_any(ticket, self._running) or _conflicts_with_any(ticket, waiting):
                waiting.append(ticket)
            else:
                del self._ready[ticket]
                self._running.add(ticket)
                self._slots_taken += ticket.takes_slot
                ticket.is_started = True
                ticket.wake()


def _block(ticket: Ticket, earlier: Ticket) -> None:
    ticket.blockers.add(earlier)
    earlier.dependents[ticket] = None


def _before(ticket: Ticket, queue: Iterable[Ticket]) -> Iterable[Ticket]:
    for earlier in queue:
        if earlier is ticket:
            return
        yield earlier


def _states(resources: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(resource for resource in resources if resource.startswith("state:"))


def _conflicts_with_any(ticket: Ticket, others: Iterable[Ticket]) -> bool:
    return any(conflict(ticket.acts, other.acts) for other in others)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _finish(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
