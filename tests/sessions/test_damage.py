"""A torn or rotten end of the log: it opens, says so, and keeps every record that is whole."""

import random
from pathlib import Path

import pytest

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import parsed, read_log
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import AnyRecord, Checkpoint, Named
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from ankrcode.workspace.framing import split
from torture import IS_TORTURE

LAST = 64 * 1024
STRIDE = 1 if IS_TORTURE else 331
RANDOM = 2_000 if IS_TORTURE else 40
WRITTEN_ON = 16 if IS_TORTURE else 1  # every so many are also gone on with


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A log of more than 64 KiB, with checkpoints, messages, calls and results in it."""
    opened = SessionStore(tmp_path_factory.mktemp("whole")).create("s", 1.0, cwd="/w")
    recorder = SessionRecorder(opened.log, opened.state, now=lambda: 2.0)
    for number in range(260):
        recorder.turn_started(str(number))
        recorder.said(Message(role="user", parts=(TextPart(text=f"{number} नमस्ते"),)))
        recorder.begun(ToolCall(name="List", arguments={"path": "."}, id=str(number)))
        recorder.ended(ToolResult(call_id=str(number), text=f"{number} " + "x" * (number % 200)))
    recorder.close()
    data = Path(opened.log.path).read_bytes()
    assert len(data) > LAST
    return data


@pytest.fixture(scope="module")
def records(whole: bytes) -> list[tuple[int, AnyRecord]]:
    found = parsed(whole, 0)
    assert (found.damage, found.unknown) == ([], 0)
    assert any(isinstance(one, Checkpoint) for _, one in found.records)
    return found.records


def places(size: int) -> list[int]:
    chance = random.Random(None if IS_TORTURE else 6)
    return [*range(size - LAST, size, STRIDE), *(chance.randrange(size) for _ in range(RANDOM))]


@pytest.mark.torture
def test_every_truncation_opens_and_keeps_what_is_whole(
    whole: bytes, records: list[tuple[int, AnyRecord]], tmp_path: Path
) -> None:
    ends = {place: place + len(line) for place, line in split(whole)}
    clean = {0, *ends.values(), *(end + 1 for end in ends.values())}
    store = SessionStore(tmp_path / "sessions")
    store.create("s", 1.0).log.close()
    path = Path(store.path_of("s"))
    for number, length in enumerate(places(len(whole))):
        path.write_bytes(whole[:length])
        kept = [one for place, one in records if ends[place] <= length]
        assert [one for _, one in read_log(str(path)).records] == kept
        assert bool(restore(str(path))[1].damage) == (length not in clean)
        if number % WRITTEN_ON:
            continue
        opened = store.resume("s", 3.0)
        assert bool(opened.warnings) == (length not in clean)
        opened.log.append([Named(title="on")])
        opened.log.close()
        assert restore(str(path))[0].title == "on"
        assert [one for _, one in read_log(str(path)).records][: len(kept)] == kept


@pytest.mark.torture
def test_every_flipped_bit_costs_no_more_than_the_record_it_hits(
    whole: bytes, records: list[tuple[int, AnyRecord]], tmp_path: Path
) -> None:
    lines = dict(split(whole))
    store = SessionStore(tmp_path / "sessions")
    store.create("s", 1.0).log.close()
    path = Path(store.path_of("s"))
    chance = random.Random(None if IS_TORTURE else 7)
    for number, place in enumerate(places(len(whole))):
        rotten = bytearray(whole)
        rotten[place] ^= 1 << chance.randrange(8)
        path.write_bytes(rotten)
        found = [one for _, one in read_log(str(path)).records]
        hit = [one for start, one in records if start <= place <= start + len(lines[start])]
        after = [one for start, one in records if start == place + 1]  # its line end was hit
        is_end = whole[place : place + 1] == b"\n"
        lost = [*hit, *(after if is_end else [])]
        expected = [one for _, one in records if not any(one is gone for gone in lost)]
        assert [one for one in found if one not in lost] == [
            one for one in expected if one not in lost
        ]
        assert restore(str(path))[1].damage or place < len(whole) - LAST
        if number % WRITTEN_ON:
            continue
        opened = store.resume("s", 3.0)
        assert opened.warnings or place < len(whole) - LAST
        opened.log.append([Named(title="on")])
        opened.log.close()
        assert restore(str(path))[0].title == "on"


@pytest.mark.parametrize(
    ("first", "second"), [(0, 300), (1_000, 60_000), (-5_000, None)], ids=["head", "middle", "tail"]
)
def test_a_hole_of_zeros_keeps_both_sides(
    first: int, second: int | None, whole: bytes, tmp_path: Path
) -> None:
    """What a file system may leave after a power cut."""
    holed = bytearray(whole)
    size = len(holed[first:second])
    holed[first:second] = bytes(size)
    store = SessionStore(tmp_path / "sessions")
    store.create("s", 1.0).log.close()
    path = Path(store.path_of("s"))
    path.write_bytes(holed)
    content = read_log(str(path))
    assert content.damage
    assert content.records
    opened = store.resume("s", 3.0)
    assert opened.state.id == "s"
    opened.log.close()
    assert [one.id for one in SessionIndex(store).sessions()] == ["s"]


@pytest.mark.parametrize("content", [b"", b"\n", b"\0" * 10_000, b"garbage\n" * 100, b"\xff" * 99])
def test_a_log_of_which_nothing_is_left_still_opens(content: bytes, tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    store.create("s", 1.0).log.close()
    Path(store.path_of("s")).write_bytes(content)
    opened = store.resume("s", 3.0)
    assert bool(opened.warnings) == bool(content.strip(b"\n"))
    opened.log.append([Named(title="on")])
    opened.log.close()
    state, _ = restore(store.path_of("s"))
    assert state.title == "on"
    assert store.fork("s", "t", 4.0).state.title == "on"


def test_a_checkpoint_of_another_version_is_passed_over(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    opened = store.create("s", 1.0, cwd="/w")
    opened.log.append([Named(title="T"), Checkpoint(state={"turns": "many"}), Named(title="U")])
    opened.log.close()
    state, _ = restore(store.path_of("s"))
    assert (state.title, state.cwd) == ("U", "/w")
