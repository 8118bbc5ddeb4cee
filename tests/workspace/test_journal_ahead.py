"""The workspace is looked at while there is time: the first command need not wait for it."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.workspace.journal.manifest import Manifest, scan
from ankrcode.workspace.journal.watch import Watch
from workspace.desk import Desk, furnish

BOUND_S = 20


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    furnish(made.work)
    yield made
    made.journal.close()


def test_a_command_after_a_look_ahead_does_not_scan_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: list[str] = []

    def counted(root: str, *more: Any) -> Manifest:
        scanned.append(root)
        return scan(root, *more)

    monkeypatch.setattr("ankrcode.workspace.journal.tree.scan", counted)
    desk.journal.look_ahead()
    assert scanned == [str(desk.work)]
    if desk.journal.tree._watch.touched() is None:
        pytest.skip("the system gives no more notices: others have them all")
    before = desk.look()
    entry = desk.shell("echo x > a.txt; rm d/one")
    assert entry is not None
    assert len(entry.changes) == 2
    assert scanned == [str(desk.work)]
    desk.undo()
    assert desk.look() == before


def test_what_the_person_changes_between_the_look_and_the_command_is_theirs(desk: Desk) -> None:
    desk.journal.look_ahead()
    (desk.work / "a.txt").write_bytes(b"theirs")
    (desk.work / "new").mkdir()
    (desk.work / "new" / "file").write_bytes(b"theirs too")
    before = desk.look()
    entry = desk.shell("rm -r new; echo command > a.txt")
    assert entry is not None
    desk.undo()
    assert desk.look() == before


def test_a_look_that_nobody_needs_any_more_ends_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()
    real = Watch.add

    def slow(self: Watch, folder: str, handle: int) -> None:
        begun.set()
        assert may_go_on.wait(BOUND_S)
        real(self, folder, handle)

    monkeypatch.setattr(Watch, "add", slow)
    looking = threading.Thread(target=desk.journal.look_ahead)
    looking.start()
    assert begun.wait(BOUND_S)
    closing = threading.Thread(target=desk.journal.close)
    closing.start()
    while not desk.journal.tree._is_closed:
        pass
    may_go_on.set()
    closing.join(BOUND_S)
    looking.join(BOUND_S)
    assert not closing.is_alive()
    assert not looking.is_alive()
    assert desk.journal.tree.manifest == {}, "it stopped at the next folder"


def test_a_toolkit_looks_ahead_once_and_never_for_a_further_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    furnish(work)
    kit = Toolkit(cwd=work, mode="bypass")
    kit.for_agent("child").look_ahead()
    assert "journal" not in kit.__dict__
    kit.look_ahead()
    deadline = monotonic() + BOUND_S
    while str(work) not in kit.journal.tree.manifest and monotonic() < deadline:
        pass
    assert str(work / "d") in kit.journal.tree.manifest
    kit.look_ahead()
    assert kit.call_sync("Bash", command="make 2>/dev/null; echo x > made").ok
    kit.close()


def test_a_watch_that_is_forgotten_gives_its_handle_back() -> None:
    watch = Watch()
    handle = watch._handle = os.open(os.devnull, os.O_RDONLY)
    del watch
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(handle)
