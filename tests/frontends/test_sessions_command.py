"""`ankrcode sessions` and the session options of `exec`: real processes, a home of their own."""

import asyncio
import os
import time
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.frontends.cli import main
from ankrcode.protocol.message import Message, TextPart
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import MessageAdded, Named, TurnStarted
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store
from frontends.command import Done, ankrcode, answers

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def work(own_home: Path) -> Path:
    """Inside the home, so that redaction has something to shorten."""
    folder = own_home / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\nbeta\n", encoding="utf-8")
    return folder


def record(work: Path, session: str, *calls: tuple[str, dict[str, Any]]) -> None:
    """A session with these calls, each in a turn of its own."""

    async def called(kit: Toolkit) -> None:
        assert kit.session is not None
        for tool, params in calls:
            async with kit.session.turn():
                await kit.call(tool, params)

    kit = Toolkit(cwd=work, session_id=session, records=True, mode="bypass")
    asyncio.run(called(kit))
    kit.close()


def sessions(work: Path, *arguments: str | Path) -> Done:
    """The command in this process: each has its own process once, below."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    given = ["--cwd", str(work), "sessions", *map(str, arguments)]
    with redirect_stdout(out), redirect_stderr(err):
        code = main.run(given)
    said = [_written(one) for one in (out, err)]
    return Done(given, code, *said)


def _written(stream: TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, BytesIO)
    return stream.buffer.getvalue().decode()


LIST = ("List", {"path": "."})
READ = ("Read", {"file_path": "a.txt"})


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["list"], "mine  "),
        (["search", "alpha"], "mine  result: "),
        (["show", "mine"], "session mine  "),
        (["rename", "mine", "T"], ""),
        (["tag", "mine", "t"], ""),
        (["fork", "mine"], "session_"),
        (["delete", "mine"], "mine\n"),
        (["prune", "--max-size", "0"], "mine\n"),
        (["export", "mine"], ""),
        (["export", "mine", "--format", "claude"], '{"parentUuid":null'),
        (["replay", "mine", "--verify"], "1 calls were compared; 0 differ.\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_action_works_as_a_process_of_its_own(
    arguments: list[str], expected: str, work: Path
) -> None:
    record(work, "mine", READ)
    done = ankrcode("sessions", *arguments, cwd=work)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(expected)


# ── exec ──────────────────────────────────────────────────────────────────────────────────────
def test_a_session_is_recorded_only_if_it_is_asked_for(work: Path) -> None:
    assert ankrcode("exec", "List", "path=.", cwd=work).returncode == 0
    assert sessions(work, "list").stdout == ""
    record(work, "mine", LIST)
    assert sessions(work, "list").stdout.startswith("mine  ")


def test_a_session_is_gone_on_with_by_name_by_beginning_and_as_the_newest(work: Path) -> None:
    record(work, "mine-1", LIST)
    for option in (["--session", "mine-1"], ["--resume", "mine"], ["--continue"]):
        done = ankrcode("exec", "Read", "file_path=a.txt", *option, cwd=work)
        assert done.returncode == 0, done.stderr
    (line,) = answers(sessions(work, "list", "--json"))
    assert (line["turns"], line["calls"]) == (4, 4)


def test_the_newest_session_is_that_of_this_workspace(work: Path, tmp_path: Path) -> None:
    record(work, "here", LIST)
    record(tmp_path, "there", LIST)
    assert ankrcode("exec", "List", "path=.", "--continue", cwd=work).returncode == 0
    calls = {one["id"]: one["calls"] for one in answers(sessions(work, "list", "--json"))}
    assert calls == {"here": 2, "there": 1}
    assert [one["id"] for one in answers(sessions(work, "list", "--json", "--here"))] == ["here"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resume", "nothing"], "No session has an id that begins with 'nothing'"),
        (["--continue"], "No session was recorded in"),
        (["--fork"], "--fork needs"),
        (["--session", "new", "--fork"], "There is no session"),
        (["--session", "a", "--resume", "b"], "not allowed with"),
        (["--session", "a" * 101], "not the id of a session"),
        (["--session", "a b"], "not the id of a session"),
        (["--session", "-"], "not the id of a session"),
        (["--resume", "../x"], "not the id of a session"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_session_that_cannot_be_meant_is_refused(
    options: list[str], said: str, work: Path
) -> None:
    done = ankrcode("exec", "List", "path=.", *options, cwd=work)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert sessions(work, "list").stdout == ""


def test_going_on_in_another_workspace_is_told(work: Path, tmp_path: Path) -> None:
    record(work, "mine", LIST)
    done = ankrcode("exec", "List", "path=.", "--resume", "mine", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.endswith(f"recorded in another workspace, {work}.\n")


def test_a_fork_goes_its_own_way(work: Path) -> None:
    record(work, "mine", READ)
    done = ankrcode("exec", "List", "path=.", "--continue", "--fork", cwd=work)
    forked = done.stderr.split()[-1].rstrip(".")
    assert forked.startswith("session_")
    known = {one["id"]: one for one in answers(sessions(work, "list", "--json"))}
    assert (known["mine"]["calls"], known[forked]["calls"]) == (1, 2)


def test_damage_is_told_when_a_session_is_gone_on_with(work: Path) -> None:
    record(work, "mine", LIST, READ)
    path = Path(session_store().path_of("mine"))
    path.write_bytes(path.read_bytes()[:-7])
    done = ankrcode("exec", "List", "path=.", "--session", "mine", cwd=work)
    assert done.returncode == 0
    assert "1 damaged records were left out." in done.stderr
    shown = sessions(work, "show", "mine")
    assert "1 damaged records were left out." in shown.stderr
    assert "→ Read" in shown.stdout


def test_a_dialect_is_recorded_by_its_native_names(work: Path) -> None:
    done = ankrcode(
        *("exec", "read_file", "path=a.txt", "--dialect", "workspace", "--session", "d"), cwd=work
    )
    assert done.returncode == 0, done.stderr
    assert "→ Read {" in sessions(work, "show", "d").stdout


# ── list, search, show ────────────────────────────────────────────────────────────────────────
def test_the_newest_session_is_listed_first_with_its_title_and_tags(work: Path) -> None:
    for number, name in enumerate(("old", "new")):
        record(work, name, LIST)
        os.utime(session_store().path_of(name), (1_000 + number, 1_000 + number))
    assert sessions(work, "rename", "old", "मेरा काम").returncode == 0
    assert sessions(work, "tag", "old", "work", "urgent").returncode == 0
    first, second = sessions(work, "list").stdout.splitlines()
    assert first.startswith("old  ")
    assert first.endswith("1 turns, 1 calls  मेरा काम  #work #urgent")
    assert second.startswith("new  ")
    (one, _) = answers(sessions(work, "list", "--json"))
    assert (one["title"], one["tags"], one["cwd"]) == ("मेरा काम", ["work", "urgent"], str(work))
    assert one["bytes"] > 100


def test_tags_are_replaced_and_taken_away(work: Path) -> None:
    record(work, "mine", LIST)
    for tags, expected in ((["a", "b"], ["a", "b"]), (["c"], ["c"]), ([], [])):
        sessions(work, "tag", "mine", *tags)
        assert answers(sessions(work, "list", "--json"))[0]["tags"] == expected


def test_words_are_found_where_they_were_said(work: Path) -> None:
    record(work, "greek", READ)
    record(work, "other", LIST)
    found = sessions(work, "search", "alpha", "beta")
    assert found.returncode == 0
    assert found.stdout.startswith("greek  result: ")
    (hit,) = answers(sessions(work, "search", "--json", "alph"))
    assert (hit["id"], hit["who"]) == ("greek", "result")
    nothing = sessions(work, "search", "omega")
    assert (nothing.returncode, nothing.stdout) == (1, "")


def test_a_session_is_shown_as_it_happened(work: Path) -> None:
    record(work, "mine", READ, ("Read", {"file_path": "missing"}))
    sessions(work, "rename", "mine", "Title")
    lines = sessions(work, "show", "mi").stdout.splitlines()
    assert lines[0].startswith("session mine  ")
    assert [line[0] for line in lines[1:]] == ["─", "→", "←", "─", "→", "✗", "#"]
    assert "alpha" in lines[3]


def test_only_the_last_turns_are_shown_if_asked(work: Path) -> None:
    record(work, "mine", *[("Glob", {"pattern": f"{n}*"}) for n in range(5)])
    shown = sessions(work, "show", "mine", "--last", "2").stdout
    assert [line[0] for line in shown.splitlines()] == ["─", "→", "←"] * 2
    assert "'4*'" in shown
    assert "'2*'" not in shown
    assert sessions(work, "show", "mine", "--last", "99").stdout.count("── turn") == 5


def test_a_session_is_shown_as_data(work: Path) -> None:
    record(work, "mine", LIST)
    kinds = [one["type"] for one in answers(sessions(work, "show", "mine", "--json"))]
    assert kinds == ["session_started", "turn_started", "call_begun", "call_ended", "turn_ended"]


def test_what_was_said_cannot_move_the_cursor(work: Path) -> None:
    """Through a pipe bytes stay as they are; nothing here is a terminal, but nothing breaks."""
    opened = session_store().create("evil", 1.0)
    said = Message(role="user", parts=(TextPart(text="\x1b[2J\x07 hidden \udcff"),))
    opened.log.append(
        [TurnStarted(turn_id="t"), MessageAdded(message=said), Named(title="\x1b[31m")]
    )
    opened.log.close()
    for command in (["show", "evil"], ["list"], ["search", "hidden"], ["show", "evil", "--json"]):
        assert sessions(work, *command).returncode == 0


def test_a_time_that_no_calendar_has_is_shown_somehow(work: Path) -> None:
    opened = session_store().create("odd", 1e300)
    opened.log.append([Named(title="T", at=1e300)])
    opened.log.close()
    for command in (["show", "odd"], ["list"], ["export", "odd", "--format", "claude"]):
        assert sessions(work, *command).returncode == 0


@pytest.mark.parametrize("action", ["show", "rename", "tag", "fork", "export", "replay", "delete"])
def test_an_unknown_session_is_told(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["T"] if action == "rename" else []
    assert main.run(["sessions", action, "nothing", *more]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "No session has an id that begins with 'nothing'" in said.err


def test_a_beginning_that_fits_two_is_told(work: Path) -> None:
    for name in ("ab1", "ab2"):
        record(work, name, LIST)
    done = sessions(work, "show", "ab")
    assert (done.returncode, "2 sessions" in done.stderr) == (2, True)


# ── fork, delete, prune ───────────────────────────────────────────────────────────────────────
def test_a_fork_is_told_by_its_id(work: Path) -> None:
    record(work, "mine", LIST)
    forked = sessions(work, "fork", "mine").stdout.strip()
    (as_data,) = answers(sessions(work, "fork", "mine", "--json"))
    assert len({"mine", forked, as_data["id"]}) == 3
    assert "→ List" in sessions(work, "show", forked).stdout


def test_deleted_sessions_are_gone_with_what_they_saved(work: Path, own_home: Path) -> None:
    for name in ("a", "b", "c"):
        record(work, name, LIST)
    results = own_home / ".local/state/ankrcode/results"
    (results / "a").mkdir(parents=True, exist_ok=True)
    (results / "a" / "big.txt").write_text("x", encoding="utf-8")
    assert sessions(work, "delete", "a", "b").stdout == "a\nb\n"
    assert sessions(work, "list").stdout.startswith("c  ")
    assert not (results / "a").exists()


def test_old_sessions_are_pruned_by_age(work: Path) -> None:
    now = time.time()
    for name, hours in (("old", 50), ("middle", 20), ("new", 0)):
        record(work, name, LIST)
        os.utime(session_store().path_of(name), (now - hours * 3_600,) * 2)
    assert sessions(work, "prune", "--older-than", "2d").stdout == "old\n"
    assert answers(sessions(work, "prune", "--older-than", "12h", "--json")) == [{"id": "middle"}]
    assert sessions(work, "prune").stdout == ""
    assert session_store().ids() == ["new"]


def test_the_oldest_are_pruned_by_size(work: Path) -> None:
    for number, name in enumerate(("old", "middle", "new")):
        record(work, name, LIST)
        os.utime(session_store().path_of(name), (1_000 + number, 1_000 + number))
    size = Path(session_store().path_of("new")).stat().st_size
    kilobytes = 2 * size // 1_000 + 1
    assert sessions(work, "prune", "--max-size", f"{kilobytes}K").stdout == "old\n"
    assert sessions(work, "prune", "--max-size", "0").stdout == "middle\nnew\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("--older-than", value) for value in ("", "5", "d", "5x", "-5d", "1.5d", "5 d", "٥d")],
        *[("--max-size", value) for value in ("G", "5T", "-1", "1,5M", "5MM")],
    ],
)
def test_a_measure_that_is_none_prunes_nothing(
    option: str, value: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(work, "mine", LIST)
    assert main.run(["sessions", "prune", f"{option}={value}"]) == 2
    assert "is no measure" in capsys.readouterr().err
    assert session_store().ids() == ["mine"]


# ── export, import ────────────────────────────────────────────────────────────────────────────
def test_a_session_moves_to_another_home_and_is_gone_on_with_there(
    work: Path, tmp_path: Path
) -> None:
    record(work, "mine", READ)
    sessions(work, "rename", "mine", "Title")
    exported = sessions(work, "export", "mine").stdout
    file = tmp_path / "moved.jsonl"
    file.write_text(exported, encoding="utf-8")
    other = {"HOME": str(tmp_path / "other")}
    done = ankrcode("sessions", "import", file, cwd=work, env=other)
    taken = done.stdout.strip()
    assert done.returncode == 0
    (line,) = answers(ankrcode("sessions", "list", "--json", cwd=work, env=other))
    assert (line["id"], line["title"], line["calls"]) == (taken, "Title", 1)
    done = ankrcode("exec", "List", "path=.", "--resume", taken, cwd=work, env=other)
    assert done.returncode == 0


def test_the_transcript_of_other_agents_goes_out_and_in(work: Path, tmp_path: Path) -> None:
    record(work, "mine", READ, LIST)
    out = sessions(work, "export", "mine", "--format", "claude")
    lines = answers(out)
    assert [line["type"] for line in lines] == ["assistant", "user"] * 2
    assert [line["parentUuid"] for line in lines[1:]] == [line["uuid"] for line in lines[:-1]]
    file = tmp_path / "t.jsonl"
    file.write_text(out.stdout, encoding="utf-8")
    taken = sessions(work, "import", file).stdout.strip()
    shown = sessions(work, "show", taken).stdout
    assert "assistant calls Read" in shown
    assert "alpha" in shown
    again = answers(sessions(work, "export", taken, "--format", "claude"))
    assert [line["message"] for line in again] == [line["message"] for line in lines]


def test_what_is_shared_holds_no_secret_and_no_home(work: Path, own_home: Path) -> None:
    opened = session_store().create("mine", 1.0, cwd=str(work), roots=(str(work),))
    said = f"my token {SECRET} is in {work}/a.txt and {own_home}x"
    message = Message(role="user", parts=(TextPart(text=said),))
    opened.log.append([MessageAdded(message=message), Named(title=f"{own_home}/x")])
    opened.log.close()
    for command in (
        ["export", "mine", "--redact"],
        ["export", "mine", "--redact", "--format", "claude"],
        ["show", "mine", "--redact"],
        ["show", "mine", "--redact", "--json"],
    ):
        shown = sessions(work, *command).stdout
        assert SECRET not in shown
        assert str(work) not in shown
        assert "~/work/a.txt" in shown
        assert f"{own_home}x" in shown  # another folder, whose name begins alike
    assert SECRET in sessions(work, "export", "mine", "--whole").stdout


def test_a_redacted_export_is_a_session_itself(work: Path, tmp_path: Path) -> None:
    record(work, "mine", READ)
    file = tmp_path / "shared.jsonl"
    file.write_text(sessions(work, "export", "mine", "--redact").stdout, encoding="utf-8")
    taken = sessions(work, "import", file).stdout.strip()
    content = read_log(session_store().path_of(taken))
    assert content.damage == []
    assert "→ Read" in sessions(work, "show", taken).stdout


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\xff\xfe" * 100, b"{}\n[]\n"])
def test_a_file_that_is_no_session_is_refused(content: bytes, work: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(content)
    done = sessions(work, "import", tmp_path / "f")
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no session" in done.stderr
    assert sessions(work, "list").stdout == ""


def test_a_long_session_is_listed_and_searched_beside_others(work: Path) -> None:
    store = SessionStore(session_store().folder)
    opened = store.create("long", 1.0, cwd=str(work))
    text = Message(role="user", parts=(TextPart(text="needle " + "hay " * 500),))
    opened.log.append([MessageAdded(message=text)] * 500)
    opened.log.close()
    record(work, "short", LIST)
    assert {one["id"] for one in answers(sessions(work, "list", "--json"))} == {"long", "short"}
    hits = answers(sessions(work, "search", "needle", "--json"))
    assert {hit["id"] for hit in hits} == {"long"}
    assert all(len(hit["excerpt"]) < 500 for hit in hits)
