"""kill -9 at any moment: what was answered is in the log, and no file is half of anything."""

import json
import random
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CallBegun, CallEnded, TaskKept, TurnEnded
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from frontends.command import Batch, ankrcode, answers
from torture import IS_TORTURE

KILLS = 500 if IS_TORTURE else 12
LINES = 400  # of the file that is written over and over


class LongRun:
    """One session over many processes, each of which is killed."""

    def __init__(self, work: Path, home: Path) -> None:
        self.work = work
        self.store = SessionStore(home / ".local/state/ankrcode/sessions")
        self.number = 0
        self.acknowledged: list[dict[str, Any]] = []

    def once(self, delay_s: float, *, early: bool) -> None:
        """Send calls until the process is gone; remember which were answered."""
        with Batch(self.work, "--session", "long", "--permission-mode", "bypass") as batch:
            timer = threading.Timer(delay_s, batch.process.kill)
            try:
                if early:  # also while it starts, opens the session and mends it
                    timer.start()
                # A write that was cut off may have happened: the file must be looked at again.
                batch.ask({"id": "look", "tool": "Read", "params": {"file_path": "whole.txt"}})
                if not early:
                    timer.start()
                while True:
                    call = self.next_call()
                    answer = batch.ask(call)
                    assert answer["ok"], answer
                    self.acknowledged.append(call)
            except (BrokenPipeError, json.JSONDecodeError):
                pass
            timer.join()

    def next_call(self) -> dict[str, Any]:
        self.number += 1
        number = self.number
        if number % 5 == 0:
            params: dict[str, Any] = {"command": f"echo {number} >> appended.txt"}
            return {"id": number, "tool": "Bash", "params": params}
        content = f"{number}\n" * LINES
        params = {"file_path": "whole.txt", "content": content}
        return {"id": number, "tool": "Write", "params": params}

    # ── what must hold ────────────────────────────────────────────────────────────────────────
    def check(self) -> None:
        content = read_log(self.store.path_of("long"))
        begun = {
            json.dumps(one.call.arguments): one.call.id
            for _, one in content.records
            if isinstance(one, CallBegun)
        }
        ended = [one.call_id for _, one in content.records if isinstance(one, CallEnded)]
        assert len(ended) == len(set(ended))
        for call in self.acknowledged:
            assert begun[json.dumps(call["params"])] in ended
        turns = sum(isinstance(one, TurnEnded) for _, one in content.records)
        assert turns >= len(self.acknowledged)
        text = (self.work / "whole.txt").read_text(encoding="utf-8")
        assert len(set(text.splitlines())) == 1
        assert len(text.splitlines()) == LINES


@pytest.fixture
def run(tmp_path: Path, own_home: Path) -> LongRun:
    return LongRun(tmp_path, own_home)


@pytest.mark.torture
def test_nothing_that_was_answered_is_lost_when_the_process_is_killed(run: LongRun) -> None:
    chance = random.Random(None if IS_TORTURE else 6)
    for _ in range(KILLS):
        run.once(chance.uniform(0.0, 0.3), early=chance.random() < 0.3)
        if (run.work / "whole.txt").exists():
            run.check()
    assert len(run.acknowledged) > KILLS
    assert goes_on(run.work)
    run.check()
    state, content = restore(run.store.path_of("long"))
    assert state.open_calls == {}
    assert state.calls >= len(run.acknowledged)
    leftovers = {one.name for one in run.work.iterdir()} - {"whole.txt", "appended.txt"}
    assert leftovers == set()
    assert len(content.damage) <= KILLS


def goes_on(work: Path) -> bool:
    done = ankrcode("exec", "List", "path=.", "--json", "--resume", "long", cwd=work)
    (answer,) = answers(done)
    return bool(answer["ok"])


def test_a_call_that_was_cut_off_is_marked_and_not_run_again(
    tmp_path: Path, own_home: Path
) -> None:
    with Batch(tmp_path, "--session", "cut", "--permission-mode", "bypass") as batch:
        command = "echo once >> count.txt; echo > started; sleep 60"
        batch.send({"id": 1, "tool": "Bash", "params": {"command": command}})
        until_there(tmp_path / "started", batch)
        batch.process.kill()
    assert goes_on_with(tmp_path, "cut")
    records = [one for _, one in read_log(path_of(own_home, "cut")).records]
    (result,) = [one for one in records if isinstance(one, CallEnded) and one.interrupted]
    assert "Nobody knows how far it got" in result.text
    assert (tmp_path / "count.txt").read_text(encoding="utf-8") == "once\n"


def test_a_task_in_the_background_of_a_dead_process_is_lost(tmp_path: Path, own_home: Path) -> None:
    params = {"command": "sleep 300", "run_in_background": True}
    with Batch(tmp_path, "--session", "bg", "--permission-mode", "bypass") as batch:
        task = batch.ask({"id": 1, "tool": "Bash", "params": params})["metadata"]["task_id"]
        batch.process.kill()
    state, _ = restore(path_of(own_home, "bg"))
    assert state.tasks[task].status == "running"
    done = ankrcode("exec", "List", "path=.", "--json", "--session", "bg", cwd=tmp_path)
    (answer,) = answers(done)
    (note,) = answer["metadata"]["notes"]
    assert task in note
    assert "ended with the process" in note
    assert tasks_in(own_home) == [(task, "running", None), (task, "lost", None)]
    done = ankrcode("exec", "List", "path=.", "--json", "--session", "bg", cwd=tmp_path)
    assert "notes" not in answers(done)[0]["metadata"]  # told once


def test_a_task_that_ended_is_recorded_as_ended(tmp_path: Path, own_home: Path) -> None:
    params = {"command": "exit 3", "run_in_background": True}
    with Batch(tmp_path, "--session", "bg", "--permission-mode", "bypass") as batch:
        task = batch.ask({"id": 1, "tool": "Bash", "params": params})["metadata"]["task_id"]
        out = {"task_id": task, "block": True, "timeout": 10_000}
        assert batch.ask({"id": 2, "tool": "TaskOutput", "params": out})["ok"]
        assert batch.end()[0] == 0
    noted = tasks_in(own_home)
    assert noted in ([(task, "running", None), (task, "failed", 3)], [(task, "failed", 3)])
    assert restore(path_of(own_home, "bg"))[0].tasks == {}


def test_an_interrupt_leaves_a_session_that_can_be_gone_on_with(
    tmp_path: Path, own_home: Path
) -> None:
    with Batch(tmp_path, "--session", "int", "--permission-mode", "bypass") as batch:
        command = "echo > started; sleep 60"
        batch.send({"id": 1, "tool": "Bash", "params": {"command": command}})
        until_there(tmp_path / "started", batch)
        batch.process.send_signal(signal.SIGINT)
        code, said = batch.end()
    assert (code, "Traceback" in said) == (130, False)
    assert goes_on_with(tmp_path, "int")
    records = [one for _, one in read_log(path_of(own_home, "int")).records]
    begun = [one.call.id for one in records if isinstance(one, CallBegun)]
    ended = [one.call_id for one in records if isinstance(one, CallEnded)]
    assert begun == ended
    assert len(begun) == 2


def tasks_in(home: Path) -> list[tuple[str, str, int | None]]:
    records = [one for _, one in read_log(path_of(home, "bg")).records]
    return [
        (one.task_id, one.status, one.exit_code) for one in records if isinstance(one, TaskKept)
    ]


def goes_on_with(work: Path, session: str) -> bool:
    done = ankrcode("exec", "List", "path=.", "--session", session, cwd=work)
    return done.returncode == 0


def path_of(home: Path, session: str) -> str:
    return SessionStore(home / ".local/state/ankrcode/sessions").path_of(session)


def until_there(path: Path, batch: Batch) -> None:
    """The process is alive until the file is there; a broken one would end the loop."""
    while not path.exists():
        assert batch.process.poll() is None
