"""`ankrcode sessions replay`: the same calls again, in a copy; what differs is told."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ankrcode.protocol.call import ToolCall
from ankrcode.sessions.records import AnyRecord, CallBegun, CallEnded, TurnStarted
from ankrcode.tooling.durable import session_store
from frontends.command import Done, ankrcode, answers


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\n", encoding="utf-8")
    return folder


def record(work: Path, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    lines = [json.dumps({"id": 1, "tool": tool, "params": params}) for tool, params in calls]
    arguments = ("exec", "--batch", "--session", "s", "--permission-mode", "bypass")
    return answers(ankrcode(*arguments, cwd=work, given="\n".join(lines)))


def replay(work: Path, *options: str) -> Done:
    return ankrcode("sessions", "replay", "s", *options, cwd=work)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


SESSION = [
    ("Read", {"file_path": "a.txt"}),
    ("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"}),
    ("Write", {"file_path": "new/b.txt", "content": "fresh\n"}),
    ("Bash", {"command": "cat a.txt new/b.txt > c.txt && wc -l < c.txt"}),
    ("Read", {"file_path": "c.txt"}),
    ("Read", {"file_path": "missing.txt"}),
    ("Bash", {"command": "rm a.txt; ls"}),
]


def test_a_session_says_the_same_again_and_nothing_is_changed(work: Path) -> None:
    assert [answer["ok"] for answer in record(work, *SESSION)] == [True] * 5 + [False, True]
    before = snapshot(work)
    done = replay(work, "--verify")
    assert done.stdout == "7 calls were compared; 0 differ.\n", done.stdout
    assert done.returncode == 0
    assert snapshot(work) == before
    assert [one["same"] for one in answers(replay(work, "--json"))] == [True] * 7


def test_what_a_later_session_changed_is_taken_back_in_the_copy_too(work: Path) -> None:
    record(work, ("Read", {"file_path": "a.txt"}))
    later = ("exec", "Write", "file_path=a.txt", "content=other", "--session", "later")
    assert ankrcode(*later, "--permission-mode", "bypass", cwd=work).returncode == 1  # not read
    command = ("exec", "Bash", "command=echo other > a.txt", "--permission-mode", "bypass")
    assert ankrcode(*command, cwd=work).returncode == 0
    assert replay(work, "--verify").returncode == 0
    assert (work / "a.txt").read_text(encoding="utf-8") == "other\n"


def test_what_the_person_changed_since_is_told_as_a_difference(work: Path) -> None:
    record(work, ("Read", {"file_path": "a.txt"}), ("List", {"path": "new"}))
    (work / "a.txt").write_text("theirs\n", encoding="utf-8")
    done = replay(work)
    assert done.returncode == 0  # only told
    assert "Read" in done.stdout
    assert "alpha" in done.stdout
    assert "theirs" in done.stdout
    assert done.stdout.endswith("2 calls were compared; 1 differ.\n")
    assert replay(work, "--verify").returncode == 1
    first, second = answers(replay(work, "--json"))
    assert (first["same"], second["same"]) == (False, True)


def test_links_pipes_and_unreadable_names_in_the_workspace_harm_nothing(work: Path) -> None:
    os.mkfifo(work / "pipe")
    (work / "dangling").symlink_to("nowhere")
    (work / "outside").symlink_to("/")
    (Path(str(work)) / "caf\udce9").write_bytes(b"x")
    record(work, ("Read", {"file_path": "a.txt"}))
    assert replay(work, "--verify").returncode == 0


# ── a log may be anybody's ────────────────────────────────────────────────────────────────────
def forged(work: Path, *calls: tuple[str, dict[str, Any]], **facts: Any) -> None:
    """A session somebody made up."""
    facts = {"cwd": str(work), "roots": (str(work),), **facts}
    opened = session_store().create("s", 1.0, **facts)
    records: list[AnyRecord] = [TurnStarted(turn_id="t")]
    for number, (tool, params) in enumerate(calls):
        call = ToolCall(name=tool, arguments=params, id=str(number))
        records += [CallBegun(call=call), CallEnded(call_id=str(number), text="done")]
    opened.log.append(records)
    opened.log.close()


def test_nothing_outside_the_copy_is_changed_whatever_the_log_asks_for(
    work: Path, tmp_path: Path, own_home: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept", encoding="utf-8")
    (work / "way-out").symlink_to(outside)
    settings = {
        "permissions": {"mode": "bypass", "allow": ["Bash(*)", "Write(*)"]},
        "sandbox": {"wall": "none"},
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]},
    }
    forged(
        work,
        ("Write", {"file_path": str(outside / "new.txt"), "content": "x"}),
        ("Write", {"file_path": "way-out/new.txt", "content": "x"}),
        ("Bash", {"command": f"touch {outside}/new.txt"}),
        ("Bash", {"command": "touch way-out/new.txt"}),
        ("Bash", {"command": f"truncate -s 0 {outside}/kept.txt"}),
        ("Bash", {"command": "touch ~/new.txt"}),
        ("Delete", {"path": str(outside / "kept.txt")}),
        settings=settings,
        mode="bypass",
    )
    before = snapshot(tmp_path), snapshot(own_home / ".ssh")
    done = replay(work)
    assert done.returncode == 0
    assert (snapshot(tmp_path), snapshot(own_home / ".ssh")) == before
    assert not (own_home / "new.txt").exists()
    assert not list(tmp_path.rglob("hooked"))
    assert all(not one["same"] for one in answers(replay(work, "--json")))


@pytest.mark.parametrize("settings", [{"limits": 5}, {"read": {"nonsense": 1}}, {"glob": None}])
def test_settings_of_another_version_are_left_out(settings: dict[str, Any], work: Path) -> None:
    forged(work, ("List", {"path": "."}), settings=settings)
    assert replay(work).returncode == 0


def test_tools_that_are_no_more_are_told(work: Path) -> None:
    forged(work, ("Hologram", {"x": 1}))
    for option in ([], ["--recorded"]):
        (one,) = answers(replay(work, "--json", *option))
        assert (one["same"], "Hologram" in one["now"]) == (False, True)


def test_a_workspace_that_is_gone_is_told(work: Path) -> None:
    record(work, ("List", {"path": "."}))
    (work / "a.txt").unlink()
    for leftover in work.iterdir():
        leftover.unlink()
    work.rmdir()
    done = ankrcode("sessions", "replay", "s", cwd=work.parent)
    assert done.returncode == 2
    assert "is not there" in done.stderr


def test_a_call_that_was_interrupted_is_not_run_again(work: Path) -> None:
    opened = session_store().create("s", 1.0, cwd=str(work), roots=(str(work),))
    call = ToolCall(name="Bash", arguments={"command": "touch ran"}, id="c")
    opened.log.append([CallBegun(call=call, changes=True)])
    opened.log.close()
    session_store().resume("s", 2.0).log.close()
    assert replay(work).stdout == "0 calls were compared; 0 differ.\n"


# ── answered from the log ─────────────────────────────────────────────────────────────────────
def test_a_session_can_be_answered_from_its_log_where_nothing_of_it_exists(
    work: Path, tmp_path: Path
) -> None:
    record(work, *SESSION)
    exported = ankrcode("sessions", "export", "s", "--redact", cwd=work).stdout
    file = tmp_path / "report.jsonl"
    file.write_text(exported, encoding="utf-8")
    other = {"HOME": str(tmp_path / "elsewhere")}
    taken = ankrcode("sessions", "import", file, cwd=tmp_path, env=other).stdout.strip()
    for path in (work / "c.txt", work / "new" / "b.txt"):
        path.unlink()
    before = snapshot(work)
    done = ankrcode(
        *("sessions", "replay", taken, "--recorded", "--verify"), cwd=tmp_path, env=other
    )
    assert (done.returncode, done.stdout) == (0, "6 calls were compared; 0 differ.\n"), done.stdout
    assert snapshot(work) == before


def test_a_call_that_would_not_be_let_pass_today_is_told(work: Path) -> None:
    forged(work, ("List", {"path": "."}), ("Read", {"file_path": 7}))
    fine, wrong = answers(replay(work, "--recorded", "--json"))
    assert (fine["same"], wrong["same"]) == (True, False)
    assert "file_path" in wrong["now"]
    assert replay(work, "--recorded", "--verify").returncode == 1


def test_what_is_told_can_be_told_without_secrets(work: Path, own_home: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    opened = session_store().create("s", 1.0, cwd=str(work), roots=(str(work),))
    call = ToolCall(name="List", arguments={"path": "."}, id="c")
    said = f"{secret} in {own_home}/x"
    opened.log.append([CallBegun(call=call), CallEnded(call_id="c", text=said)])
    opened.log.close()
    assert secret not in replay(work).stdout
    assert f"{own_home}/x" in replay(work).stdout
    for option in ([], ["--json"]):
        shown = replay(work, "--redact", *option).stdout
        assert secret not in shown
        assert str(own_home) not in shown
        assert "~/x" in shown
