"""What a searching process writes, taken in as it comes: all of it counted, the first part kept.

The process searches with several threads, so files come in any order; "first" means by path. A
pattern that fits every line of a large tree gives gigabytes: beyond what is kept, bytes are only
counted, and counting line breaks in what passes by costs far less than asking a second time.
"""

import re
from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T", bytes, tuple[bytes, int], tuple[int, bytes])

MAX_LINE_BYTES = 8 * 1024 * 1024
_COUNTED = re.compile(rb"([^\0]+)\0(\d+)\n")
_COUNT = re.compile(rb"\0\d+\n")
_LINE = re.compile(rb"(\d+)([\0-])(.*)", re.DOTALL)
_MAX_REST = 64 * 1024
_REMARK = b"byte around offset "
_BINARY = re.compile(
    rb"(?:\A|\n)\./.*: (?:WARNING: stopped searching binary file after match|binary file matches)"
    rb' \(found "\\0" byte around offset \d+\)\Z',
    re.DOTALL,
)


class Preview:
    """The beginning of what is found, passed on while the search goes on; bounded."""

    def __init__(self, show: Callable[[str], None], max_bytes: int) -> None:
        self._show = show
        self.left = max_bytes

    def add(self, lines: bytes) -> None:
        """Whole lines, without the last line break."""
        if self.left > 0 and lines:
            if len(lines) > self.left:
                lines = lines[: lines.rfind(b"\n", 0, self.left) + 1] + "…".encode()
            self.left -= len(lines)
            self._show(lines.decode("utf-8", "replace") + "\n")

    def add_block(self, path: bytes, lines: bytes) -> None:
        if self.left > 0:
            shown = lines.strip(b"\n")[: self.left]
            lines = b"\n".join(path + b":" + line for line in shown.split(b"\n"))
            self.add(lines.replace(MATCH_SIGN, b":"))


# Between the number of a matching line and its text. A text file holds no NUL, so that counting
# matches is counting these.
MATCH_SIGN = b"\0"


class Bounds(Struct, frozen=True, kw_only=True):
    """How much is kept: entries (lines or files), and the bytes of all their lines."""

    entries: int
    content_bytes: int
    timed_files: int = 0  # up to so many files are kept whole, to be put in order of time


class Firsts(Generic[T]):
    """The smallest of very many, in bounded memory: the rest is forgotten as it comes."""

    def __init__(self, limit: int, *, room: int = 0) -> None:
        self._limit = limit
        self._room = max(2 * limit, room)  # so many are held before any is forgotten
        self._held: list[T] = []
        self._border: T | None = None

    @property
    def is_whole(self) -> bool:
        return self._border is None

    def add(self, items: list[T]) -> None:
        border = self._border
        self._held += items if border is None else [one for one in items if one < border]
        if len(self._held) > self._room:
            self._forget()

    def first(self) -> list[T]:
        self._forget()
        return self._held

    def all(self) -> list[T]:
        """Everything, where nothing was forgotten."""
        return sorted(self._held) if self.is_whole else self.first()

    def _forget(self) -> None:
        self._held.sort()
        if len(self._held) > self._limit:
            del self._held[self._limit :]
            self._border = self._held[-1]


class Names:
    """Paths, each ended by NUL."""

    def __init__(self, bounds: Bounds, preview: Preview) -> None:
        self._found: Firsts[bytes] = Firsts(bounds.entries, room=bounds.timed_files)
        self._preview = preview
        self._rest = b""
        self.kept: list[bytes] = []
        self.total = 0

    @property
    def is_whole(self) -> bool:
        return self._found.is_whole

    def feed(self, data: bytes) -> None:
        *names, self._rest = (self._rest + data).split(b"\0")
        self.total += len(names)
        if self._preview.left > 0:
            self._preview.add(b"\n".join(names))
        self._found.add(names)

    def finish(self) -> None:
        """In order of paths; the order of time is made by whoever knows the times."""
        self.kept = self._found.all()


class Counts:
    """Path, NUL, number, line break."""

    def __init__(self, bounds: Bounds, preview: Preview) -> None:
        self._found: Firsts[tuple[bytes, int]] = Firsts(bounds.entries)
        self._preview = preview
        self._rest = b""
        self.kept: list[tuple[bytes, int]] = []
        self.total = 0
        self.matches = 0

    def feed(self, data: bytes) -> None:
        data = self._rest + data
        end = _end_of_counts(data)
        region, self._rest = data[:end], data[end:]
        found = [(path, int(number)) for path, number in _COUNTED.findall(region)]
        self.total += len(found)
        self.matches += sum(number for _, number in found)
        if self._preview.left > 0:
            self._preview.add(region[:-1].replace(b"\0", b":"))
        self._found.add(found)

    def finish(self) -> None:
        self.kept = self._found.first()


def _end_of_counts(data: bytes) -> int:
    """Where the last whole entry ends; a path may hold line breaks, a number none."""
    zero = data.rfind(b"\0")
    while zero >= 0:
        if whole := _COUNT.match(data, zero):
            return whole.end()
        zero = data.rfind(b"\0", 0, zero)
    return 0


class Block(Struct):
    """The lines of one file, as they were written: number, sign, text."""

    path: bytes
    lines: bytes
    is_full: bool = False  # some of its lines were left out

    @property
    def entries(self) -> int:
        return self.lines.count(b"\n") + bool(self.lines)


class Lines:
    """Blocks: path, NUL, numbered lines; an empty line between blocks, none within."""

    def __init__(self, bounds: Bounds, preview: Preview, *, has_context: bool) -> None:
        self._bounds = bounds
        self._preview = preview
        self._has_context = has_context
        self._rest = b""
        self._skips_line = False
        self._open: Block | None = None
        self._border: bytes | None = None
        self._kept_entries = self._kept_bytes = 0
        self._zeros = self._breaks = 0
        self.kept: list[Block] = []
        self.files = self.matches = self.entries = self.binary = 0

    def feed(self, data: bytes) -> None:
        # Counted in what arrives, before it is taken apart: a NUL for each path and each match, a
        # line break for each line. Block by block it would take several times as long.
        self._zeros += data.count(b"\0")
        if self._has_context:
            self._breaks += data.count(b"\n")
        if self._skips_line:  # the rest of a line that is longer than anyone reads
            end = data.find(b"\n")
            if end < 0:
                return
            data, self._skips_line = data[end:], False
        *whole, self._rest = (self._rest + data).split(b"\n\n")
        if whole:
            self._take(whole)
        if len(self._rest) > _MAX_REST:
            self._take_part()

    def finish(self) -> None:
        region, self._rest = self._rest.removesuffix(b"\n"), b""
        if self._open is not None or b"\0" in region:
            self._take([region])
        elif _BINARY.search(region):  # a binary file alone: there is no block to it
            self.binary += 1
        self.matches = self._zeros - self.files
        # Between two blocks there is an empty line.
        self.entries = self._breaks - max(0, self.files - 1) if self._has_context else self.matches
        self._prune()

    def _take(self, pieces: list[bytes]) -> None:
        """The ends of blocks, each whole from its path on, but for the one that is open."""
        if self._open is not None:
            self._extend(self._open, self._without_remark(pieces.pop(0)))
            self._keep(self._open)
            self._open = None
        begun = b""  # a path may hold an empty line itself: then its pieces belong together
        for piece in pieces:
            path, found, lines = (begun + piece).partition(b"\0")
            if not found:
                begun = path + b"\n\n"
                continue
            begun = b""
            self._begin(path)
            lines = self._without_remark(lines)
            if self._preview.left > 0:
                self._preview.add_block(path, lines)
            if self._border is None or path < self._border:
                self._keep(self._bounded(Block(path, lines)))
        if begun:
            self._rest = begun + self._rest

    def _take_part(self) -> None:
        """A block so large that it is taken in before its end is there, but for its last line."""
        end = self._rest.rfind(b"\n")
        if end <= 0:
            if len(self._rest) > MAX_LINE_BYTES:
                self._rest, self._skips_line = self._rest[:MAX_LINE_BYTES], True
            return
        part, rest = self._rest[:end], self._rest[end:]
        if self._open is None:
            path, found, part = part.partition(b"\0")
            if not found:
                return
            self._begin(path)
            self._open = Block(path, b"")
        self._rest = rest
        self._extend(self._open, self._without_remark(part))

    def _begin(self, path: bytes) -> None:
        self.files += 1
        if self._has_context and b"\n" in path:
            self._breaks -= path.count(b"\n")

    def _extend(self, block: Block, more: bytes) -> None:
        self._preview.add_block(block.path, more)
        if not block.is_full and (self._border is None or block.path < self._border):
            block.lines += more
            self._bounded(block)

    def _without_remark(self, lines: bytes) -> bytes:
        """A block without ripgrep's own last word, that the file turned out to be binary."""
        if not lines.endswith(b")") or _REMARK not in lines[-64:]:
            return lines
        # It stands on a line of its own behind the last numbered one.
        remark = _BINARY.search(lines, max(0, lines.rfind(b"\0")))
        if remark is None or not remark[0].startswith(b"\n"):
            return lines
        self.binary += 1
        self._breaks -= remark[0].count(b"\n")
        return lines[: remark.start()]

    def _bounded(self, block: Block) -> Block:
        """At most as many lines and bytes as could ever be shown, but one line at least."""
        most, wanted = self._bounds.content_bytes, self._bounds.entries
        if len(block.lines) > most:
            end = block.lines.rfind(b"\n", 0, most)
            block.lines = block.lines[: end if end > 0 else most]
            block.is_full = True
        if block.entries > wanted:
            block.lines = b"\n".join(block.lines.split(b"\n", wanted)[:wanted])
            block.is_full = True
        return block

    def _keep(self, block: Block) -> None:
        if not block.lines:
            return  # it came after all that is wanted
        self.kept.append(block)
        self._kept_entries += block.entries
        self._kept_bytes += len(block.lines)
        if (
            self._kept_entries > 2 * self._bounds.entries
            or self._kept_bytes > 2 * self._bounds.content_bytes
        ):
            self._prune()

    def _prune(self) -> None:
        """Only the first blocks by path, as many as are wanted."""
        self.kept.sort(key=lambda block: block.path)
        entries = size = 0
        for index, block in enumerate(self.kept):
            entries += block.entries
            size += len(block.lines)
            if entries >= self._bounds.entries or size >= self._bounds.content_bytes:
                if index + 1 < len(self.kept):
                    self._border = block.path
                    del self.kept[index + 1 :]
                break
        self._kept_entries, self._kept_bytes = entries, size


class Line(Struct, frozen=True):
    """One line of a file: a match, or what stands around one."""

    number: int
    is_match: bool
    text: bytes


def lines_of(block: Block) -> list[Line]:
    """The lines of a block; the marks between groups are left out, the numbers tell them."""
    found = map(_LINE.fullmatch, block.lines.strip(b"\n").split(b"\n"))
    return [
        Line(int(one[1]), one[2] == MATCH_SIGN, one[3].removesuffix(b"\r")) for one in found if one
    ]
