"""A window of lines: the same as cutting the whole text, whatever the blocks are."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.documents.lines import Window, count_line_ends, window
from torture import examples

NO_BOUND = 10**9


def lines_of(content: bytes) -> list[bytes]:
    """With their ends, which only \\n makes."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def cut_up(content: bytes, sizes: list[int]) -> Iterator[bytes]:
    at = 0
    for size in sizes:
        yield content[at : at + size]
        at += size
    yield content[at:]


class Tap:
    """A stream that knows how much was taken from it."""

    def __init__(self, blocks: list[bytes]) -> None:
        self._blocks = iter(blocks)
        self.taken = 0

    def __iter__(self) -> "Tap":
        return self

    def __next__(self) -> bytes:
        block = next(self._blocks)
        self.taken += 1
        return block


def whole(content: bytes, offset: int, limit: int) -> Window:
    return window([content], offset, limit, max_bytes=NO_BOUND, to_end=True)


@pytest.mark.torture
@given(
    content=st.lists(st.sampled_from([b"\n", b"a", b"\r\n", "क".encode(), b"\0"])).map(b"".join),
    sizes=st.lists(st.integers(1, 5)),
    offset=st.integers(1, 12),
    limit=st.integers(0, 12),
)
@examples(in_ci=400, in_torture=50_000)
def test_a_window_is_what_cutting_the_whole_text_gives(
    content: bytes, sizes: list[int], offset: int, limit: int
) -> None:
    blocks = [block for block in cut_up(content, sizes) if block]
    found = window(blocks, offset, limit, max_bytes=NO_BOUND, to_end=True)
    lines = lines_of(content)
    chosen = lines[offset - 1 : offset - 1 + limit if limit else None]
    assert found.content == b"".join(chosen)
    assert (found.first_line, found.lines) == (offset, len(chosen))
    assert found.total_lines == len(lines)
    assert not found.is_cut
    assert content[found.start : found.start + len(found.content)] == found.content


@pytest.mark.torture
@given(
    content=st.lists(st.sampled_from([b"\n", b"ab"])).map(b"".join),
    sizes=st.lists(st.integers(1, 5)),
    offset=st.integers(1, 6),
    limit=st.integers(0, 6),
    most=st.integers(1, 10),
)
@examples(in_ci=300, in_torture=20_000)
def test_a_bound_gives_the_beginning_of_the_window_and_says_so(
    content: bytes, sizes: list[int], offset: int, limit: int, most: int
) -> None:
    blocks = [block for block in cut_up(content, sizes) if block]
    free = whole(content, offset, limit)
    found = window(blocks, offset, limit, max_bytes=most, to_end=False)
    assert found.content == free.content[:most]
    assert found.is_cut == (len(free.content) > most)
    assert found.total_lines in (None, free.total_lines)


@pytest.mark.parametrize("length", [0, 1, 20, 30, 100, 5_000])
def test_line_ends_are_counted_whatever_the_length_of_lines(length: int) -> None:
    block = (b"x" * length + b"\n") * (100_000 // (length + 1)) + b"x" * 9_000
    assert count_line_ends(block) == block.count(b"\n")
    assert count_line_ends(b"x" * 9_000 + block) == block.count(b"\n")


def test_nothing_has_no_lines() -> None:
    found = whole(b"", 1, 0)
    assert (found.content, found.lines, found.total_lines) == (b"", 0, 0)


@pytest.mark.parametrize("offset", [4, 5, 1_000])
def test_past_the_end_there_is_nothing_but_the_number_of_lines(offset: int) -> None:
    found = whole(b"1\n2\n3", offset, 2)
    assert (found.content, found.lines, found.total_lines) == (b"", 0, 3)


def test_the_stream_is_left_alone_behind_the_window() -> None:
    tap = Tap([b"1\n", b"2\n", b"3\n", b"4\n"])
    found = window(tap, 2, 1, max_bytes=NO_BOUND, to_end=False)
    assert (found.content, found.total_lines) == (b"2\n", None)
    assert tap.taken == 2


def test_counting_to_the_end_reads_all_of_it() -> None:
    tap = Tap([b"1\n", b"2\n", b"3\n", b"4"])
    found = window(tap, 2, 1, max_bytes=NO_BOUND, to_end=True)
    assert (found.content, found.total_lines) == (b"2\n", 4)
    assert tap.taken == 4


def test_a_line_longer_than_the_bound_is_given_up_early() -> None:
    tap = Tap([b"x" * 10] * 100)
    found = window(tap, 1, 1, max_bytes=25, to_end=False)
    assert found.content == b"x" * 25
    assert (found.lines, found.is_cut, found.total_lines) == (1, True, None)
    assert tap.taken == 3
