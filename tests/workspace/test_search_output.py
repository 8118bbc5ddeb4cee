"""What a search writes, taken in piece by piece: all of it counted, the first of it kept."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.search.output import (
    MATCH_SIGN,
    MAX_LINE_BYTES,
    Bounds,
    Counts,
    Firsts,
    Lines,
    Names,
    Preview,
    lines_of,
)
from torture import examples

ALL = Bounds(entries=10_000, content_bytes=10**7, timed_files=10_000)

paths = st.lists(
    st.lists(
        st.sampled_from([b"a", b"b", b"\n", b"\n\n", b" ", b"1:", b"\xff", b"/"]), min_size=1
    ).map(lambda parts: b"./" + b"".join(parts)),
    unique=True,
    max_size=6,
)
texts = st.lists(
    st.sampled_from([b"", b"x", b"5:y", b"--", b"./z", b"3", b"\r", b"a b"]), max_size=4
)
cuts = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def quiet() -> Preview:
    return Preview(lambda text: None, 10**6)


def pieces(data: bytes, sizes: list[int]) -> Iterator[bytes]:
    """The same bytes in parts of these sizes, over and over."""
    at = number = 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        yield data[at : at + size]
        at, number = at + size, number + 1


@examples(in_ci=300, in_torture=20_000)
@given(names=paths, sizes=cuts)
def test_names_are_the_same_however_they_arrive(names: list[bytes], sizes: list[int]) -> None:
    collector = Names(ALL, quiet())
    for part in pieces(b"".join(name + b"\0" for name in names), sizes):
        collector.feed(part)
    collector.finish()
    assert collector.kept == sorted(names)
    assert collector.total == len(names)


@examples(in_ci=300, in_torture=20_000)
@given(names=paths, sizes=cuts)
def test_counts_are_the_same_however_they_arrive(names: list[bytes], sizes: list[int]) -> None:
    collector = Counts(ALL, quiet())
    counted = [(name, number * 7 + 1) for number, name in enumerate(names)]
    for part in pieces(b"".join(b"%s\0%d\n" % one for one in counted), sizes):
        collector.feed(part)
    collector.finish()
    assert collector.kept == sorted(counted)
    assert collector.matches == sum(number for _, number in counted)


@pytest.mark.torture
@examples(in_ci=400, in_torture=20_000)
@given(
    names=paths,
    lines=st.lists(texts.filter(bool), min_size=6, max_size=6),
    sizes=cuts,
    context=st.booleans(),
)
def test_lines_are_the_same_however_they_arrive(
    names: list[bytes], lines: list[list[bytes]], sizes: list[int], context: bool
) -> None:
    blocks = {
        name: [(number, not (context and number % 2), text) for number, text in enumerate(these, 1)]
        for name, these in zip(names, lines, strict=False)
    }
    written = b"\n".join(
        name
        + b"\0"
        + b"".join(b"%d%s%s\n" % (n, MATCH_SIGN if m else b"-", t) for n, m, t in these)
        for name, these in blocks.items()
    )
    collector = Lines(ALL, quiet(), has_context=context)
    for part in pieces(written, sizes):
        collector.feed(part)
    collector.finish()
    found = {
        block.path: [(one.number, one.is_match, one.text) for one in lines_of(block)]
        for block in collector.kept
    }
    assert found == {
        name: [(n, m, t.removesuffix(b"\r")) for n, m, t in these] for name, these in blocks.items()
    }
    assert list(found) == sorted(blocks)
    assert collector.files == len(blocks)
    assert collector.entries == sum(map(len, blocks.values()))
    assert collector.matches == sum(m for these in blocks.values() for _, m, _ in these)


def test_beyond_the_bounds_everything_is_counted_and_the_first_by_path_is_kept() -> None:
    bounds = Bounds(entries=10, content_bytes=10**6)
    names = [b"./%05d" % (number * 7919 % 10_007) for number in range(5_000)]
    listed, counted, lines = (
        Names(bounds, quiet()),
        Counts(bounds, quiet()),
        Lines(bounds, quiet(), has_context=False),
    )
    for start in range(0, 5_000, 100):
        part = names[start : start + 100]
        listed.feed(b"".join(name + b"\0" for name in part))
        counted.feed(b"".join(name + b"\x002\n" for name in part))
        text = b"\n".join(name + b"\x001\x00x\n2\x00y\n" for name in part)
        lines.feed((b"\n" if start else b"") + text)
        assert len(listed.kept) <= 120
        assert len(lines.kept) <= 30
    for one in (listed, counted, lines):
        one.finish()
    first = sorted(names)
    assert listed.kept == first[:10]
    assert [name for name, _ in counted.kept] == first[:10]
    assert [block.path for block in lines.kept] == first[:5]
    assert (listed.total, counted.total, lines.files) == (5_000, 5_000, 5_000)
    assert counted.matches == lines.matches == 10_000
    assert not listed.is_whole


def test_one_file_with_endless_matches_is_kept_in_part_and_counted_whole() -> None:
    collector = Lines(Bounds(entries=100, content_bytes=10**6), quiet(), has_context=False)
    collector.feed(b"./big\0")
    for number in range(200):
        collector.feed(b"".join(b"%d\x00x\n" % (number * 1_000 + line) for line in range(1_000)))
        assert sum(len(block.lines) for block in collector.kept) < 10_000
    collector.finish()
    assert collector.matches == 200_000
    (block,) = collector.kept
    assert [line.number for line in lines_of(block)] == list(range(100))


def test_a_line_of_any_length_is_kept_up_to_a_bound() -> None:
    collector = Lines(ALL, quiet(), has_context=False)
    collector.feed(b"./long\x001\x00")
    for _ in range(18):
        collector.feed(b"x" * 500_000)
    collector.feed(b"\n2\x00short\n\n./next\x005\x00y\n")
    collector.finish()
    first, second = lines_of(collector.kept[0])
    assert MAX_LINE_BYTES - 100 < len(first.text) <= MAX_LINE_BYTES
    assert (second.number, second.text) == (2, b"short")
    assert [block.path for block in collector.kept] == [b"./long", b"./next"]
    assert collector.matches == 3


STOPPED = (
    b'./a: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)'
)
MATCHES = b'./a: binary file matches (found "\\0" byte around offset 5)'


@pytest.mark.parametrize(
    ("written", "matches", "files"),
    [
        (b"./a\x001\x00x\n" + STOPPED + b"\n", 1, 1),
        (MATCHES + b"\n", 0, 0),
        (b"./a\x001\x00x\n" + MATCHES + b"\n\n./b\x001\x00y\n", 2, 2),
    ],
)
def test_remarks_about_binary_files_are_counted_not_shown(
    written: bytes, matches: int, files: int
) -> None:
    collector = Lines(ALL, quiet(), has_context=False)
    collector.feed(written)
    collector.finish()
    assert (collector.binary, collector.matches, collector.files) == (1, matches, files)
    assert all(line.text in (b"x", b"y") for block in collector.kept for line in lines_of(block))


@pytest.mark.parametrize("size", [64, 1_000, 70_000, 1_000_000])
def test_a_remark_behind_very_many_lines_is_seen_however_it_arrives(size: int) -> None:
    lines = b"".join(b"%d\x00x\n" % number for number in range(40_000))
    written = b"./a\x00" + lines + STOPPED + b"\n"
    for context in (True, False):
        collector = Lines(ALL, quiet(), has_context=context)
        for part in pieces(written, [size]):
            collector.feed(part)
        collector.finish()
        assert (collector.binary, collector.matches, collector.entries) == (1, 40_000, 40_000)


def test_a_line_that_only_looks_like_a_remark_is_a_line() -> None:
    collector = Lines(ALL, quiet(), has_context=False)
    collector.feed(b"./x\x001\x00" + MATCHES + b"\n")
    collector.finish()
    assert collector.binary == 0
    assert [line.text for line in lines_of(collector.kept[0])] == [MATCHES]


def test_the_preview_shows_whole_lines_and_stops_at_its_bound() -> None:
    shown: list[str] = []
    collector = Lines(ALL, Preview(shown.append, 60), has_context=False)
    collector.feed(b"./a\x001\x00one\n2\x00two\n\n./b\x001\x00three\n")
    collector.feed(b"\n./c\x00" + b"".join(b"%d\x00more\n" % number for number in range(1_000)))
    collector.finish()
    text = "".join(shown)
    assert text.startswith("./a:1:one\n./a:2:two\n")
    assert len(text) < 200


@examples(in_ci=300, in_torture=20_000)
@given(
    batches=st.lists(st.lists(st.binary(max_size=2), max_size=30), max_size=12),
    limit=st.integers(1, 8),
    room=st.integers(0, 40),
)
def test_the_first_of_very_many_are_those_that_sorting_them_all_would_give(
    batches: list[list[bytes]], limit: int, room: int
) -> None:
    everything = sorted({one for batch in batches for one in batch})
    seen: set[bytes] = set()
    firsts: Firsts[bytes] = Firsts(limit, room=room)
    for batch in batches:
        fresh = sorted(set(batch) - seen)
        firsts.add(fresh)
        seen.update(fresh)
    if len(everything) <= max(2 * limit, room):
        assert firsts.is_whole
        assert firsts.all() == everything
    assert firsts.first() == everything[:limit]
