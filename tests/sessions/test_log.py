"""The log: what was appended is read back, whatever happened to the bytes around it."""

import os
from binascii import crc32
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.sessions.log import SessionLog, parsed, read_from, read_log, read_tail
from ankrcode.sessions.records import (
    AnyRecord,
    CallBegun,
    CallEnded,
    Checkpoint,
    MessageAdded,
    Named,
    SessionStarted,
    TurnEnded,
    decoded,
    encoded,
)
from ankrcode.workspace.framing import framed, split, unframed
from torture import examples

FIRST = SessionStarted(id="s1", at=1.0, cwd="/w", roots=("/w",))


def said(text: str, at: float = 2.0) -> MessageAdded:
    return MessageAdded(at=at, message=Message(role="user", parts=(TextPart(text=text),)))


def written(path: Path, *records: AnyRecord) -> bytes:
    log = SessionLog(str(path), is_new=True)
    log.append(records)
    log.close()
    return path.read_bytes()


def records_of(path: Path) -> list[AnyRecord]:
    return [record for _, record in read_log(str(path)).records]


# ── frames ────────────────────────────────────────────────────────────────────────────────────
@given(st.binary(min_size=1).filter(lambda content: b"\n" not in content))
@examples(in_ci=100, in_torture=2_000)
def test_a_framed_record_comes_back(content: bytes) -> None:
    line = framed(content)
    assert line.endswith(b"\n")
    assert unframed(line[:-1]) == content


@given(st.binary(min_size=1, max_size=40).filter(lambda c: b"\n" not in c), st.data())
@examples(in_ci=200, in_torture=5_000)
def test_one_flipped_bit_is_noticed(content: bytes, data: st.DataObject) -> None:
    line = bytearray(framed(content)[:-1])
    bit = data.draw(st.integers(0, len(line) * 8 - 1))
    line[bit // 8] ^= 1 << bit % 8
    assert unframed(bytes(line)) is None or unframed(bytes(line)) == content  # case of a hex digit


@pytest.mark.parametrize("line", [b"", b"x", b"00000000", b"00000000 ", b"zzzzzzzz {}", b"{}" * 9])
def test_what_is_no_frame_is_no_record(line: bytes) -> None:
    assert unframed(line) is None


def test_lines_are_found_with_their_places_and_a_torn_end_too() -> None:
    assert list(split(b"ab\n\ncd\nef")) == [(0, b"ab"), (4, b"cd"), (7, b"ef")]
    assert list(split(b"")) == []


def test_a_person_can_read_the_log(tmp_path: Path) -> None:
    data = written(tmp_path / "s", FIRST, said("नमस्ते"))
    lines = data.decode().splitlines()
    assert lines[0][9:].startswith('{"type":"session_started","at":1.0,"id":"s1"')
    assert "नमस्ते" in lines[1]
    assert int(lines[1][:8], 16) == crc32(lines[1][9:].encode())


# ── writing and reading ───────────────────────────────────────────────────────────────────────
def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s"
    written(path, FIRST, said("one"))
    again = SessionLog(str(path))
    again.append([said("two\nlines"), TurnEnded(turn_id="t", at=3.0)])
    again.close()
    assert records_of(path) == [
        FIRST,
        said("one"),
        said("two\nlines"),
        TurnEnded(turn_id="t", at=3.0),
    ]


def test_a_log_is_private(tmp_path: Path) -> None:
    written(tmp_path / "s", FIRST)
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o600


def test_a_session_is_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    log = SessionLog(str(tmp_path / "s"), is_new=True)
    with pytest.raises(SessionError, match="another process"):
        SessionLog(str(tmp_path / "s"))
    log.close()
    SessionLog(str(tmp_path / "s")).close()


def test_a_new_session_never_overwrites_another(tmp_path: Path) -> None:
    written(tmp_path / "s", FIRST)
    with pytest.raises(SessionError, match="exists"):
        SessionLog(str(tmp_path / "s"), is_new=True)
    assert records_of(tmp_path / "s") == [FIRST]


def test_a_log_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    written(tmp_path / "real", FIRST)
    (tmp_path / "s").symlink_to(tmp_path / "real")
    with pytest.raises(SessionError):
        SessionLog(str(tmp_path / "s"))
    with pytest.raises(SessionError):
        read_log(str(tmp_path / "s"))


def test_a_missing_log_says_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no session"):
        SessionLog(str(tmp_path / "s"))
    with pytest.raises(SessionError, match="no session"):
        read_tail(str(tmp_path / "s"))


def test_a_record_of_a_later_version_is_kept_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "s"
    written(path, FIRST)
    with path.open("ab") as file:
        file.write(framed(b'{"type":"hologram","at":2,"x":1}'))
    content = read_log(str(path))
    assert ([record for _, record in content.records], content.unknown) == ([FIRST], 1)
    assert content.damage == []


# ── damage ────────────────────────────────────────────────────────────────────────────────────
def test_a_torn_tail_is_told_and_writing_goes_on_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    whole = written(path, FIRST, said("one"), said("two"))
    path.write_bytes(whole[:-5])
    log = SessionLog(str(path))
    log.append([said("three")])
    log.close()
    content = read_log(str(path))
    assert [record for _, record in content.records] == [FIRST, said("one"), said("three")]
    assert len(content.damage) == 1


def test_every_truncation_keeps_what_is_whole(tmp_path: Path) -> None:
    records: list[AnyRecord] = [FIRST, said("a"), said("b" * 50), TurnEnded(turn_id="t", at=3.0)]
    whole = written(tmp_path / "s", *records)
    ends = [0, *(place + len(line) + 1 for place, line in split(whole))]
    for length in range(len(whole) + 1):
        content = parsed(whole[:length], 0)
        kept = sum(1 for end in ends[1:] if length >= end - 1)  # only the line end may be missing
        assert [record for _, record in content.records] == records[:kept]
        assert bool(content.damage) == (length not in ends and length + 1 not in ends)


def test_every_flipped_byte_costs_one_record_at_most(tmp_path: Path) -> None:
    records: list[AnyRecord] = [FIRST, said("a"), said("b"), TurnEnded(turn_id="t", at=3.0)]
    whole = written(tmp_path / "s", *records)
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 0x5A
        found = [record for _, record in parsed(bytes(broken), 0).records]
        lost = [record for record in records if record not in found]
        assert [record for record in records if record in found] == found
        is_line_end = whole[place : place + 1] == b"\n"
        assert len(lost) <= (2 if is_line_end else 1)


@given(st.binary(max_size=300), st.integers(0, 5))
@examples(in_ci=200, in_torture=5_000)
def test_anything_may_lie_between_two_records(noise: bytes, count: int) -> None:
    records: list[AnyRecord] = [said(str(number)) for number in range(count)]
    lines = [framed(encoded(record)) for record in records]
    content = parsed((noise + b"\n").join([b"", *lines]), 0)
    assert [record for _, record in content.records] == records


@given(st.binary(max_size=200))
@examples(in_ci=300, in_torture=5_000)
def test_no_bytes_make_the_decoder_raise(content: bytes) -> None:
    assert decoded(content) is None or encoded(decoded(content) or FIRST)


# ── a disk that is full ───────────────────────────────────────────────────────────────────────
class Failing:
    """`os.write` that takes so many bytes and then fails."""

    def __init__(self, room: int, number: int) -> None:
        self.room = room
        self.number = number
        self.write = os.write

    def __call__(self, handle: int, data: memoryview) -> int:
        if self.room <= 0:
            raise OSError(self.number, os.strerror(self.number))
        done = self.write(handle, bytes(data[: self.room]))
        self.room -= done
        return done


@pytest.mark.parametrize("number", [28, 5, 122], ids=["ENOSPC", "EIO", "EDQUOT"])
@pytest.mark.parametrize("room", [0, 1, 8, 9, 20, 60])
def test_half_a_record_is_taken_back(
    room: int, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    before = written(path, FIRST, said("one"))
    log = SessionLog(str(path))
    monkeypatch.setattr(os, "write", Failing(room, number))
    with pytest.raises(SessionError, match="recorded before is intact"):
        log.append([said("two" * 30)])
    monkeypatch.undo()
    assert path.read_bytes() == before
    log.append([said("three")])
    log.close()
    assert records_of(path) == [FIRST, said("one"), said("three")]


def test_what_cannot_be_taken_back_stays_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    written(path, FIRST)
    log = SessionLog(str(path))
    monkeypatch.setattr(os, "write", Failing(20, 28))
    monkeypatch.setattr(os, "ftruncate", Failing(0, 5))
    with pytest.raises(SessionError):
        log.append([said("lost")])
    monkeypatch.undo()
    log.append([said("kept")])
    log.close()
    assert records_of(path) == [FIRST, said("kept")]


# ── long logs ─────────────────────────────────────────────────────────────────────────────────
def long_log(path: Path, checkpoint_at: int, count: int = 3_000) -> None:
    records: list[AnyRecord] = [FIRST]
    for number in range(count):
        records.append(said(f"{number} " + "x" * 300))
        if number == checkpoint_at:
            records.append(Checkpoint(at=9.0, state={"id": "s1", "turns": number}))
    written(path, *records)


def test_the_tail_begins_at_the_newest_checkpoint(tmp_path: Path) -> None:
    long_log(tmp_path / "s", 2_990)
    tail = read_tail(str(tmp_path / "s"))
    assert isinstance(tail.records[0][1], Checkpoint)
    assert len(tail.records) == 10
    offset = tail.records[0][0]
    assert read_from(str(tmp_path / "s"), offset).records == tail.records


def test_a_checkpoint_far_from_the_end_is_found_by_looking_further_back(tmp_path: Path) -> None:
    long_log(tmp_path / "s", 1_000)
    assert isinstance(read_tail(str(tmp_path / "s")).records[0][1], Checkpoint)


def test_without_a_checkpoint_the_tail_is_the_whole(tmp_path: Path) -> None:
    long_log(tmp_path / "s", -1)
    assert len(read_tail(str(tmp_path / "s")).records) == 3_001


def test_a_damaged_checkpoint_is_none(tmp_path: Path) -> None:
    long_log(tmp_path / "s", 2_990)
    data = bytearray((tmp_path / "s").read_bytes())
    data[data.rfind(b'"turns":2990') + 9] ^= 1
    (tmp_path / "s").write_bytes(data)
    tail = read_tail(str(tmp_path / "s"))
    assert isinstance(tail.records[0][1], SessionStarted)
    assert len(tail.damage) == 1


def test_text_that_looks_like_a_checkpoint_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s"
    quoted = said('{"type":"checkpoint","state":{}}' * 10)
    written(path, FIRST, *[said("x" * 3_000)] * 100, quoted)
    assert isinstance(read_tail(str(path)).records[0][1], SessionStarted)


# ── records ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "record",
    [
        FIRST,
        said("text"),
        CallBegun(call=ToolCall(name="Bash", arguments={"command": "ls"}, id="c1"), changes=True),
        CallBegun(call=ToolCall(name="Bash", arguments='{"broken', id="c2")),
        CallEnded(call_id="c1", text="out", value={"exit_code": 0}, metadata={"a": [1, None]}),
        Named(title="A title\nin two lines"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_survives_its_journey(record: AnyRecord) -> None:
    assert decoded(encoded(record)) == record
    assert b"\n" not in encoded(record)
