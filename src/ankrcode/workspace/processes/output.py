"""What a process prints: the beginning and the end in memory, the whole on disk.

Memory is bounded whatever comes. Little output never touches the disk; more goes to a file as it
arrives, through a sieve: offsets count what passed it. What it holds back can be seen, not saved.
"""

import threading
from functools import cached_property

from msgspec import Struct

from ankrcode.workspace.processes.saved import Saved, SavedOutput, Sieve

MEMORY_BYTES = 128 * 1024  # so much is kept of the beginning
_TAIL_BYTES = 64 * 1024  # and so much of the end, at least


class Extract(Struct, frozen=True):
    """A stretch of output: its beginning and its end, and how many bytes lie between."""

    head: bytes
    tail: bytes
    skipped: int
    end: int  # where it ends, counted from the first byte that was ever printed


class Output:
    """One stream of one process. The process's thread writes, any thread reads."""

    def __init__(self, saved: Saved) -> None:
        self._saved = saved
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()  # of what no longer fitted into the head
        self._file: SavedOutput | None = None
        self._is_closed = False
        self._kept = 0  # bytes that passed the sieve
        self.total = 0  # bytes that were printed

    @cached_property
    def _sieve(self) -> Sieve:
        """Made when something is printed: no process has to wait for it."""
        return self._saved.new_sieve()

    @property
    def is_closed(self) -> bool:
        """Will no more come?"""
        return self._is_closed

    @property
    def path(self) -> str:
        """Where it is saved; "" where it is not."""
        return self._file.path if self._file else ""

    @property
    def dropped(self) -> int:
        """How many bytes are not in the file."""
        return self._file.dropped if self._file else 0

    @property
    def save_error(self) -> str:
        return self._file.error if self._file else ""

    # ── the process's side ────────────────────────────────────────────────────────────────
    def write(self, data: memoryview) -> None:
        with self._lock:
            self.total += len(data)
            for part in self._sieve.feed(data):
                self._keep(memoryview(part))

    def close(self) -> None:
        """No more comes."""
        with self._lock:
            self._keep(memoryview(self._sieve.end()))
            self._is_closed = True
            if self._file is not None:
                self._file.close()

    # ── the readers' side ─────────────────────────────────────────────────────────────────
    def save(self) -> str:
        """Make sure that all of it is in a file, now and later; its path, "" where that fails."""
        with self._lock:
            if self._file is None:
                self._open()
            return self.path

    def discard(self) -> None:
        """Nobody needs the file any more."""
        with self._lock:
            if self._file is not None:
                self._file.remove()

    def extract(self, offset: int = 0, most: int = MEMORY_BYTES) -> Extract:
        """What was printed from `offset` on: whole if it is no more than `most` bytes."""
        with self._lock:
            end = self._kept + len(self._sieve.held)
            length = max(0, end - offset)
            if length <= most:
                whole = self._range(offset, end)
                if len(whole) == length:
                    return Extract(whole, b"", 0, end)
            half = min(most, length) // 2
            head = self._range(offset, offset + half)
            tail = self._range(end - half, end)
            return Extract(head, tail, length - len(head) - len(tail), end)

    def _range(self, start: int, end: int) -> bytes:
        """These bytes, as far as they are still there; last what the sieve holds back."""
        held = self._sieve.held[max(0, start - self._kept) : max(0, end - self._kept)]
        return self._passed(start, min(end, self._kept)) + held

    def _passed(self, start: int, end: int) -> bytes:
        size, tail_start = len(self._head), self._kept - len(self._tail)
        if end <= size or (start < size and tail_start <= size):
            return bytes(self._head[start:end] + self._tail[: max(0, end - tail_start)])
        if start >= tail_start:
            return bytes(self._tail[start - tail_start : end - tail_start])
        if self._file is not None and end <= self._file.in_order:
            return self._file.read(start, end)
        return bytes(self._tail[: max(0, end - tail_start)])

    def _keep(self, data: memoryview) -> None:
        if self._file is None and self._kept + len(data) > MEMORY_BYTES:
            self._open()
        if self._file is not None:
            self._file.write(data)
        self._kept += len(data)
        room = MEMORY_BYTES - len(self._head)
        self._head += data[:room]
        self._remember(data[room:])

    def _open(self) -> None:
        self._file = SavedOutput(self._saved)
        self._file.write(memoryview(bytes(self._head)))
        if self._is_closed:
            self._file.close()

    def _remember(self, data: memoryview) -> None:
        if len(data) >= _TAIL_BYTES:
            self._tail = bytearray(data[-_TAIL_BYTES:])
            return
        self._tail += data
        if len(self._tail) > 2 * _TAIL_BYTES:
            del self._tail[:-_TAIL_BYTES]
