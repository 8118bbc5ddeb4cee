"""Files for the whole of an output: private, and of bounded size, whatever is printed.

Past the limit the middle is dropped: the file keeps its beginning and gets the end. A disk that is
full ends the saving, never the command.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Protocol

ENDING_BYTES = 16 * 1024 * 1024  # so much of the end is kept, once the middle is dropped
_LEAST_BYTES = 1024 * 1024  # a command may always save so much
_COPY_BYTES = 1024 * 1024


class Sieve(Protocol):
    """Takes out of an output what must not be kept. It may hold back what it is not sure of."""

    @property
    def held(self) -> bytes: ...

    def feed(self, data: memoryview) -> Iterable[bytes | memoryview]: ...

    def end(self) -> bytes: ...


class Saved:
    """The folder where outputs are saved, how much may lie there, and what may not."""

    def __init__(
        self,
        folder: str,
        *,
        max_bytes: int = 2 << 30,
        max_folder_bytes: int = 10 << 30,
        sieve: Callable[[], Sieve] | None = None,
    ) -> None:
        self.folder = folder
        self.new_sieve = sieve or Coarse
        self.max_bytes = max_bytes
        self._max_folder_bytes = max_folder_bytes
        self._used = 0

    def new_file(self) -> tuple[int, str]:
        """A new file under a random name, for its owner only."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        self._used = _size_of(os.path.dirname(self.folder))  # noqa: PTH120 - of all sessions
        path = os.path.join(self.folder, f"{os.urandom(12).hex()}.txt")  # noqa: PTH118
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(path, flags, 0o600), path

    def nameless_file(self) -> int:
        """A file that vanishes with its handle."""
        handle, path = self.new_file()
        os.unlink(path)  # noqa: PTH108
        return handle

    def write(self, handle: int, data: memoryview | bytes) -> int:
        """Write what the system takes at once; how many bytes that was."""
        count = os.write(handle, data)
        self._used += count  # by several threads: about right is enough
        return count

    @property
    def left(self) -> int:
        return self._max_folder_bytes - self._used


class Coarse:
    """Lets everything through."""

    held = b""

    def feed(self, data: memoryview) -> Iterable[memoryview]:
        return (data,)

    def end(self) -> bytes:
        return b""


class SavedOutput:
    """One output's file. It never fails: `error` says why it stopped growing."""

    def __init__(self, saved: Saved) -> None:
        self._saved = saved
        self._ending: _Ending | None = None
        self._ending_bytes = min(ENDING_BYTES, saved.max_bytes // 4)
        self._offered = 0
        self._dropped = 0
        self.in_order = 0  # so many bytes of the beginning stand where they were printed
        self.error = ""
        self.path = ""
        self._handle = -1
        try:
            self._handle, self.path = saved.new_file()
        except OSError as problem:
            self._fail(problem)

    @property
    def dropped(self) -> int:
        """How many bytes are not in the file."""
        return self._offered - self.in_order if self.error else self._dropped

    def write(self, data: memoryview) -> None:
        self._offered += len(data)
        if self.error:
            return
        try:
            if self._ending is None:
                data = self._append(data)
            if data:
                self._ending = self._ending or _Ending(self._saved, self._ending_bytes)
                self._ending.write(data)
        except OSError as problem:
            self._fail(problem)

    def read(self, start: int, end: int) -> bytes:
        """These bytes of the beginning; fewer where they are not there (any more)."""
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return b""
        try:
            return os.pread(handle, max(0, min(end, self.in_order) - start), start)
        finally:
            os.close(handle)

    def close(self) -> None:
        """No more comes: put the end where the middle was dropped."""
        if self._ending is not None:
            try:
                self._append_ending(self._ending)
            except OSError as problem:
                self._fail(problem)
            self._ending.close()
            self._ending = None
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def remove(self) -> None:
        self.close()
        if self.path:
            with suppress(OSError):
                os.unlink(self.path)  # noqa: PTH108
            self.path = ""

    def _append(self, data: memoryview) -> memoryview:
        """Write what fits; give back the rest."""
        limit = self._saved.max_bytes - self._ending_bytes
        while data:
            least = _LEAST_BYTES - self.in_order
            room = min(limit - self.in_order, max(self._saved.left, least))
            if room <= 0:
                break
            count = self._saved.write(self._handle, data[:room])
            self.in_order += count
            data = data[count:]
        return data

    def _append_ending(self, ending: "_Ending") -> None:
        self._dropped = ending.dropped
        if ending.dropped:
            self._whole(f"\n[… {ending.dropped:,} bytes were dropped here …]\n".encode())
        for piece in ending.pieces():
            self._whole(piece)
            self.in_order += 0 if ending.dropped else len(piece)

    def _whole(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._saved.write(self._handle, view) :]

    def _fail(self, problem: OSError) -> None:
        self.error = problem.strerror or str(problem)


class _Ending:
    """The last bytes of an output that has no end, in two files that take turns."""

    def __init__(self, saved: Saved, size: int) -> None:
        self._saved = saved
        self._turn = max(1, size // 2)
        self._handles = [saved.nameless_file()]
        self._sizes = [0]
        self._total = 0

    @property
    def dropped(self) -> int:
        return self._total - sum(self._sizes)

    def write(self, data: memoryview) -> None:
        self._total += len(data)
        while data:
            if self._sizes[-1] >= self._turn:
                self._take_turn()
            count = self._saved.write(self._handles[-1], data[: self._turn - self._sizes[-1]])
            self._sizes[-1] += count
            data = data[count:]

    def _take_turn(self) -> None:
        if len(self._handles) > 1:
            os.close(self._handles.pop(0))
            self._sizes.pop(0)
        self._handles.append(self._saved.nameless_file())
        self._sizes.append(0)

    def pieces(self) -> Iterator[bytes]:
        for handle, size in zip(self._handles, self._sizes, strict=True):
            for start in range(0, size, _COPY_BYTES):
                yield os.pread(handle, min(_COPY_BYTES, size - start), start)

    def close(self) -> None:
        for handle in self._handles:
            os.close(handle)


def _size_of(folder: str) -> int:
    """How many bytes lie in the files of a folder and its subfolders."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # gone meanwhile
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118
    return total
