"""A call that is cancelled while the journal still looks: it does not run, and is not noted."""

import asyncio
import random
from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.testing import YES
from ankrcode.workspace.journal.entries import Begun, Closed, Entry
from torture import IS_TORTURE
from workspace.desk import picture

FILES = 300
BOUND_S = 20.0


def furnished(folder: Path) -> None:
    for number in range(FILES):
        inner = folder / "tree" / f"d{number % 10}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"f{number}").write_bytes(b"%d\n" % number * 200)


async def yes(_: object) -> object:
    return YES


def open_calls(kit: Toolkit) -> set[str]:
    """Calls that are noted as begun and never as over: after a crash they would be looked into."""
    begun: set[str] = set()
    for record in kit.journal.records():
        match record:
            case Begun():
                begun.add(record.id)
            case Closed() | Entry():
                begun.discard(record.id)
    return begun


async def all_noted(kit: Toolkit) -> None:
    """What is under way in a thread ends, though the call that began it is over."""
    async with asyncio.timeout(BOUND_S):
        while open_calls(kit):
            await asyncio.sleep(0.01)


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolkit:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    furnished(tmp_path / "work")
    return Toolkit(cwd=tmp_path / "work", mode="bypass", approve=yes)  # type: ignore[arg-type]


async def test_a_delete_that_is_cancelled_anywhere_leaves_nothing_open(
    kit: Toolkit, tmp_path: Path
) -> None:
    """What was deleted by then comes back; what the person does later is not taken for its work."""
    chance, before = random.Random(3), picture(tmp_path / "work")
    for _ in range(100 if IS_TORTURE else 12):
        call = asyncio.ensure_future(kit.call("Delete", path="tree", recursive=True))
        await asyncio.sleep(chance.random() * 0.12)
        call.cancel()
        await asyncio.wait((call,), timeout=BOUND_S)
        await all_noted(kit)
        if picture(tmp_path / "work") != before:
            assert (await kit.call("Undo")).ok
        assert picture(tmp_path / "work") == before
    kit.close()


async def test_a_call_that_never_ran_is_not_blamed_for_what_the_person_did_next(
    kit: Toolkit, tmp_path: Path
) -> None:
    call = asyncio.ensure_future(kit.call("Delete", path="tree", recursive=True))
    blobs = Path(kit.journal.folder) / "blobs"
    async with asyncio.timeout(BOUND_S):
        while not blobs.exists() and not call.done():
            await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait((call,), timeout=BOUND_S)
    await all_noted(kit)
    (tmp_path / "work" / "tree" / "d0" / "f0").write_bytes(b"theirs")
    assert [one.entry.title for one in kit.journal.entries() if one.is_found] == []
    kit.close()
