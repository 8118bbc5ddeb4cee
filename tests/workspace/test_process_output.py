"""What a process prints: bounded in memory, whole on disk, and honest about what is missing."""

import os
import resource
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.processes.output import MEMORY_BYTES, Output
from ankrcode.workspace.processes.saved import ENDING_BYTES, Saved
from torture import examples
from workspace.running import descriptors, settle

MIB = 1024 * 1024


def saved_in(folder: Path, max_bytes: int = 2 << 30, max_folder_bytes: int = 10 << 30) -> Saved:
    place = str(folder / "results" / "session")
    return Saved(place, max_bytes=max_bytes, max_folder_bytes=max_folder_bytes)


def numbered(size: int) -> bytes:
    """Bytes of which every stretch tells where it is."""
    return b"".join(b"%015d\n" % number for number in range(0, size + 16, 16))[:size]


def feed(output: Output, data: bytes, step: int = 64 * 1024) -> None:
    for start in range(0, len(data), step):
        output.write(memoryview(data)[start : start + step])


def test_little_output_never_touches_the_disk(tmp_path: Path) -> None:
    output = Output(saved_in(tmp_path))
    feed(output, b"hello\n")
    output.close()
    assert output.extract().head == b"hello\n"
    assert output.path == ""
    assert list(tmp_path.iterdir()) == []


def test_more_is_saved_whole_for_its_owner_only(tmp_path: Path) -> None:
    output, data = Output(saved_in(tmp_path)), numbered(3 * MIB)
    feed(output, data)
    output.close()
    path = Path(output.path)
    assert path.read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    extract = output.extract()
    assert data.startswith(extract.head)
    assert data.endswith(extract.tail)
    assert len(extract.head) + extract.skipped + len(extract.tail) == len(data)


def test_it_can_be_saved_at_any_time(tmp_path: Path) -> None:
    output = Output(saved_in(tmp_path))
    feed(output, b"before ")
    path = output.save()
    feed(output, b"after")
    output.close()
    assert Path(path).read_bytes() == b"before after"
    assert output.save() == path
    output.discard()
    assert not Path(path).exists()
    assert output.path == ""


def test_it_can_be_saved_when_all_is_over(tmp_path: Path) -> None:
    before = descriptors()
    output = Output(saved_in(tmp_path))
    feed(output, b"over")
    output.close()
    assert Path(output.save()).read_bytes() == b"over"
    settle(descriptors, before)


@given(
    sizes=st.lists(st.integers(0, 90_000), max_size=8),
    offset=st.integers(0, 300_000),
    most=st.integers(1, 400_000),
)
@examples(in_ci=60, in_torture=3_000)
@pytest.mark.torture
def test_any_stretch_is_told_truly(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], offset: int, most: int
) -> None:
    folder = tmp_path_factory.mktemp("out")
    output, whole = Output(saved_in(folder)), numbered(sum(sizes))
    start = 0
    for size in sizes:
        output.write(memoryview(whole)[start : start + size])
        start += size
        wanted = whole[offset:start]
        extract = output.extract(offset, most)
        assert wanted.startswith(extract.head)
        assert wanted.endswith(extract.tail)
        assert len(extract.head) + len(extract.tail) + extract.skipped == len(wanted)
        if len(wanted) <= most:
            assert extract.head == wanted
        else:
            assert len(extract.head) + len(extract.tail) <= most
    output.close()
    assert not output.path or Path(output.path).read_bytes() == whole
    output.discard()


# ── limits ────────────────────────────────────────────────────────────────────────────────────
def parts_of(path: str) -> tuple[bytes, int, bytes]:
    """Beginning, how much is said to be dropped, end."""
    content = Path(path).read_bytes()
    head, found, rest = content.partition("\n[… ".encode())
    assert found
    count, _, tail = rest.partition(" bytes were dropped here …]\n".encode())
    return head, int(count.replace(b",", b"")), tail


@pytest.mark.parametrize("size", [20 * MIB, 41 * MIB + 7])
def test_past_the_limit_the_middle_is_dropped_and_that_is_said(tmp_path: Path, size: int) -> None:
    before = descriptors()
    output, data = Output(saved_in(tmp_path, max_bytes=8 * MIB)), numbered(size)
    feed(output, data, step=MIB - 1)
    output.close()
    head, dropped, tail = parts_of(output.path)
    assert data.startswith(head)
    assert data.endswith(tail)
    assert len(head) == 6 * MIB
    assert MIB <= len(tail) <= 2 * MIB
    assert dropped == output.dropped == size - len(head) - len(tail)
    settle(descriptors, before)
    assert len(list(Path(output.path).parent.iterdir())) == 1


def test_what_just_fits_into_the_ending_is_not_dropped(tmp_path: Path) -> None:
    output, data = Output(saved_in(tmp_path, max_bytes=8 * MIB)), numbered(8 * MIB)
    feed(output, data)
    output.close()
    assert Path(output.path).read_bytes() == data
    assert output.dropped == 0


def test_all_outputs_together_are_bounded_too(tmp_path: Path) -> None:
    saved = saved_in(tmp_path, max_bytes=100 * MIB, max_folder_bytes=6 * MIB)
    first, second = Output(saved), Output(saved)
    feed(first, numbered(4 * MIB))
    first.close()
    assert first.dropped == 0
    data = numbered(30 * MIB)
    feed(second, data)
    second.close()
    head, dropped, tail = parts_of(second.path)
    assert len(head) == 2 * MIB
    assert len(tail) <= ENDING_BYTES
    assert dropped == len(data) - len(head) - len(tail)


def test_outputs_of_earlier_sessions_count(tmp_path: Path) -> None:
    earlier = tmp_path / "results" / "earlier"
    earlier.mkdir(parents=True)
    (earlier / "old.txt").write_bytes(bytes(5 * MIB))
    saved = saved_in(tmp_path, max_folder_bytes=5 * MIB)
    output, data = Output(saved), numbered(30 * MIB)
    feed(output, data)
    output.close()
    head, _, tail = parts_of(output.path)
    assert len(head) == MIB  # so much is always kept
    assert data.endswith(tail)


# ── faults ────────────────────────────────────────────────────────────────────────────────────
@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """The system refuses to let a file grow, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_ends_the_saving_but_loses_neither_beginning_nor_end(tmp_path: Path) -> None:
    before = descriptors()
    output, data = Output(saved_in(tmp_path)), numbered(5 * MIB)
    with files_no_longer_than(MIB):
        feed(output, data)
        output.close()
    assert output.save_error == "File too large"
    assert Path(output.path).read_bytes() == data[:MIB]
    assert output.dropped == 4 * MIB
    extract = output.extract()
    assert data.startswith(extract.head)
    assert data.endswith(extract.tail)
    assert len(extract.head) >= MEMORY_BYTES // 2
    settle(descriptors, before)


@pytest.mark.parametrize("kind", ["a file in its place", "no name"])
def test_a_folder_that_cannot_be_made_is_said_once_and_harms_nothing(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "results").write_text("in the way", encoding="utf-8")
    saved = saved_in(tmp_path) if kind == "a file in its place" else Saved("")
    output, data = Output(saved), numbered(MIB)
    feed(output, data)
    output.close()
    assert output.save_error
    assert output.path == output.save() == ""
    extract = output.extract()
    assert data.startswith(extract.head)
    assert data.endswith(extract.tail)


def test_the_file_of_another_is_never_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)
    taken = tmp_path / "results" / "session" / f"{bytes(12).hex()}.txt"
    taken.parent.mkdir(parents=True)
    taken.symlink_to(tmp_path / "elsewhere")
    output = Output(saved_in(tmp_path))
    feed(output, numbered(MIB))
    output.close()
    assert output.save_error
    assert not (tmp_path / "elsewhere").exists()


# ── a sieve ───────────────────────────────────────────────────────────────────────────────────
class Sieve:
    """Takes out the word `secret`; holds back what may be its beginning."""

    def __init__(self) -> None:
        self.held = b""

    def feed(self, data: memoryview) -> Iterable[bytes]:
        whole = (self.held + data).replace(b"secret", b"***")
        size = next(n for n in range(5, -1, -1) if whole.endswith(b"secret"[:n]))
        self.held = whole[len(whole) - size :]
        yield whole[: len(whole) - size]

    def end(self) -> bytes:
        rest, self.held = self.held, b""
        return rest


def sieved_in(folder: Path) -> Output:
    return Output(Saved(str(folder / "results" / "session"), sieve=Sieve))


def test_what_does_not_pass_the_sieve_is_neither_kept_nor_saved(tmp_path: Path) -> None:
    output = sieved_in(tmp_path)
    feed(output, b"a secret\n" * 50_000, step=7)
    output.close()
    assert Path(output.path).read_bytes() == b"a ***\n" * 50_000
    assert output.total == 9 * 50_000
    extract = output.extract()
    assert b"secret" not in extract.head + extract.tail
    assert extract.end == 6 * 50_000


def test_what_is_held_back_is_seen_but_not_saved(tmp_path: Path) -> None:
    output = sieved_in(tmp_path)
    path = Path(output.save())
    feed(output, b"name? secr")
    assert output.extract().head == b"name? secr"
    assert output.extract().end == 10
    assert output.extract(offset=6).head == b"secr"
    assert output.extract(offset=8).head == b"cr"
    assert path.read_bytes() == b"name? "
    feed(output, b"et!")
    assert output.extract().head == b"name? ***!"
    assert path.read_bytes() == b"name? ***!"
    feed(output, b" sec")
    output.close()
    assert path.read_bytes() == b"name? ***! sec"


@given(
    parts=st.lists(st.sampled_from([b"secret", b"sec", b"x", b"ret", b"\n" * 70_000]), max_size=8),
    step=st.integers(1, 100_000),
    offset=st.integers(0, 200_000),
)
@examples(in_ci=40, in_torture=2_000)
@pytest.mark.torture
def test_through_a_sieve_too_any_stretch_is_told_truly(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], step: int, offset: int
) -> None:
    output = sieved_in(tmp_path_factory.mktemp("out"))
    whole = b"".join(parts)
    wanted = whole.replace(b"secret", b"***")
    feed(output, whole, step=max(step, len(whole) // 50))
    output.close()
    extract = output.extract(offset, most=1_000_000)
    assert extract.head == wanted[offset:] or extract.skipped
    assert extract.end == len(wanted)
    assert Path(output.save()).read_bytes() == wanted
    output.discard()
