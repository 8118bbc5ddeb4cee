"""Spec 4's scheduling policy, available by name beside the default one in `hazards.py`."""

import asyncio
from collections.abc import Callable, Hashable

from ankrcode.protocol.acts import Acts


class PartitionTable:
    """All safe calls at once, then the unsafe ones one by one.

    It reorders `[Read f, Edit f, Read f]` into a stale read, so it is not the default.
    """

    def __init__(self) -> None:
        self._safe: list[PartitionTicket] = []
        self._unsafe: list[PartitionTicket] = []
        self._is_closed = asyncio.Event()

    def enter(
        self,
        agent: Hashable,
        acts: Acts,
        *,
        takes_slot: bool = True,
        is_safe: Callable[[], bool] | None = None,
    ) -> "PartitionTicket":
        ticket = PartitionTicket(self)
        (self._safe if is_safe is not None and is_safe() else self._unsafe).append(ticket)
        return ticket

    def close(self) -> None:
        """The model has said all its calls: the unsafe ones may follow."""
        self._is_closed.set()

    async def turn_of(self, ticket: "PartitionTicket") -> None:
        if ticket not in self._unsafe:
            return
        await self._is_closed.wait()
        for earlier in (*self._safe, *self._unsafe[: self._unsafe.index(ticket)]):
            await earlier.left.wait()


class PartitionTicket:
    """One call's place in a partitioned batch."""

    def __init__(self, table: PartitionTable) -> None:
        self._table = table
        self.left = asyncio.Event()

    async def state_settled(self) -> bool:
        return False

    def change(self, acts: Acts) -> None:
        """Spec 4 partitions by the first arguments."""

    async def admit(self, acts: Acts) -> None:
        await self._table.turn_of(self)

    def leave(self) -> None:
        self.left.set()
