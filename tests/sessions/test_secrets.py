"""A key that somebody pastes into a prompt: the log keeps it to go on, no door shows it."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, calls, order, text_of
from ankrcode import Toolkit
from ankrcode.frontends.cli import main
from ankrcode.protocol.message import Message, TextPart, ThinkingPart
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import MessageAdded
from ankrcode.tooling.durable import session_store
from frontends.test_sessions_command import sessions

KEY = "ghp_" + "a1B2" * 9
KNOWN = "correct horse battery"  # a secret by its variable alone, whatever it looks like
PROMPT = f"Please deploy with the token {KEY} or with {KNOWN}, as ever."


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_PASSWORD", KNOWN)


@pytest.fixture
def work(own_home: Path) -> Path:
    folder = own_home / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def said(work: Path) -> Path:
    """A whole conversation in which a person and a model say a secret."""
    firm = Firm(work, [f"I shall use {KEY}."], records=True, session_id="mine")
    asyncio.run(firm.run(PROMPT))
    firm.kit.close()
    return Path(session_store().path_of("mine"))


def is_clean(text: str) -> bool:
    """Neither whole nor in part."""
    return KEY[:12] not in text and KEY[-8:] not in text and KNOWN not in text


# ── what must stay whole ──────────────────────────────────────────────────────────────────────
def test_the_log_keeps_it_for_its_owner_alone(said: Path) -> None:
    assert KEY in said.read_text(encoding="utf-8")
    assert stat.S_IMODE(said.stat().st_mode) == 0o600
    assert stat.S_IMODE(said.parent.stat().st_mode) == 0o700


def test_gone_on_with_the_model_sees_every_word_again(said: Path, work: Path) -> None:
    firm = Firm(work, ["done"], records=True, session_id="mine")
    asyncio.run(firm.run("go on"))
    told = "\n".join(text_of(one) for one in firm.model.requests[0].messages)
    assert PROMPT in told
    assert f"I shall use {KEY}." in told


# ── every door ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["list", "--json"],
        ["show", "mine"],
        ["show", "mine", "--json"],
        ["show", "mine", "--last", "1"],
        ["show", "mine", "--redact"],
        ["search", "deploy"],
        ["search", "deploy", "--json"],
        ["search", "shall"],
        ["export", "mine"],
        ["export", "mine", "--redact"],
        ["export", "mine", "--format", "claude"],
        ["export", "mine", "--format", "claude", "--redact"],
        ["replay", "mine", "--recorded", "--json"],
    ],
)
def test_nothing_that_is_printed_shows_it(command: list[str], said: Path, work: Path) -> None:
    done = sessions(work, *command)
    assert done.returncode == 0
    assert is_clean(done.stdout + done.stderr)


@pytest.mark.parametrize("command", [["list"], ["show", "mine"], ["search", "deploy"]])
def test_what_stands_around_it_is_shown(command: list[str], said: Path, work: Path) -> None:
    done = sessions(work, *command)
    assert "deploy with" in done.stdout
    assert "[redacted:github-token" in done.stdout


@pytest.mark.parametrize("before", range(0, 70, 7))
def test_a_title_is_cut_after_the_secret_is_out(before: int, work: Path) -> None:
    opened = session_store().create("mine", 1.0, cwd=str(work), roots=(str(work),))
    text = f"{'word ' * (before // 5)}{'x' * (before % 5)} {KEY} and so on"
    message = Message(role="user", parts=(TextPart(text=text),))
    opened.log.append([MessageAdded(message=message)])
    opened.log.close()
    assert is_clean(sessions(work, "list").stdout)
    assert is_clean(sessions(work, "search", "word").stdout)


def test_a_long_first_line_is_cut_for_the_list(work: Path) -> None:
    store = session_store()
    opened = store.create("mine", 1.0, cwd=str(work))
    message = Message(role="user", parts=(TextPart(text="x " * 50),))
    opened.log.append([MessageAdded(message=message)])
    opened.log.close()
    (one,) = SessionIndex(store).sessions()
    assert one.title == "x " * 29 + "x…"
    store.rename("mine", "y" * 99, 2.0)
    (one,) = SessionIndex(store).sessions()
    assert one.title == "y" * 99


def test_a_name_that_holds_one_is_listed_without_it(said: Path, work: Path) -> None:
    sessions(work, "rename", "mine", f"with {KEY}")
    assert is_clean(sessions(work, "list").stdout)
    assert "with [redacted:" in sessions(work, "list").stdout


def test_the_index_itself_does_not_hold_it(said: Path, work: Path) -> None:
    former = said.parent / "index-2.sqlite3"
    former.write_bytes(KEY.encode())
    sessions(work, "search", "deploy")
    for file in said.parent.glob("index-*"):
        assert KEY.encode() not in file.read_bytes(), file.name
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
    assert not former.exists()


def test_a_place_in_a_long_text_is_found_without_it(work: Path) -> None:
    opened = session_store().create("mine", 1.0, cwd=str(work))
    text = f"{'lorem ' * 3_330} needle {KEY} more"  # about where the index ends to look
    message = Message(role="user", parts=(TextPart(text=text),))
    opened.log.append([MessageAdded(message=message)])
    opened.log.close()
    found = sessions(work, "search", "needle")
    assert "needle" in found.stdout
    assert is_clean(found.stdout)


# ── exports ───────────────────────────────────────────────────────────────────────────────────
def test_an_export_without_secrets_is_the_log_to_the_byte(work: Path) -> None:
    firm = Firm(work, ["done"], records=True, session_id="plain")
    asyncio.run(firm.run("nothing to hide"))
    firm.kit.close()
    log = Path(session_store().path_of("plain")).read_text(encoding="utf-8")
    assert sessions(work, "export", "plain").stdout == log


def test_whole_it_is_the_log_to_the_byte_secrets_too(said: Path, work: Path) -> None:
    assert sessions(work, "export", "mine", "--whole").stdout == said.read_text(encoding="utf-8")
    lines = sessions(work, "export", "mine", "--whole", "--format", "claude").stdout
    assert KEY in lines


def test_an_export_can_be_taken_in_and_gone_on_with(said: Path, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "shared.jsonl"
    file.write_text(sessions(work, "export", "mine").stdout, encoding="utf-8")
    taken = sessions(work, "import", file).stdout.strip()
    assert read_log(session_store().path_of(taken)).damage == []
    firm = Firm(work, ["done"], records=True, session_id=taken)
    asyncio.run(firm.run("go on"))
    told = "\n".join(text_of(one) for one in firm.model.requests[0].messages)
    assert "Please deploy with the token [redacted:github-token" in told


def test_copies_are_their_owners_alone_as_well(said: Path, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "whole.jsonl"
    file.write_text(sessions(work, "export", "mine", "--whole").stdout, encoding="utf-8")
    for command in (["fork", "mine"], ["import", str(file)]):
        made = sessions(work, *command).stdout.strip()
        log = Path(session_store().path_of(made))
        assert KEY in log.read_text(encoding="utf-8")
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        assert is_clean(sessions(work, "show", made).stdout)


def test_to_hide_and_to_keep_at_once_is_a_mistake(said: Path, work: Path) -> None:
    done = sessions(work, "export", "mine", "--whole", "--redact")
    assert done.returncode == 2
    assert "exclude each other" in done.stderr


def test_what_a_vendor_signed_is_no_secret(work: Path) -> None:
    signature = "EqQBCgIYAhIkMDAxZGFiYzQ1" + "Zm9vYmFyQUJD" * 12
    opened = session_store().create("mine", 1.0, cwd=str(work))
    thought = ThinkingPart(text="hm", signature=signature)
    message = Message(role="assistant", parts=(thought, TextPart(text=f"it is {KEY}")))
    opened.log.append([MessageAdded(message=message)])
    opened.log.close()
    exported = sessions(work, "export", "mine").stdout
    assert signature in exported
    assert is_clean(exported)


# ── other places where words of a prompt end up ───────────────────────────────────────────────
async def test_what_a_further_agent_was_told_is_saved_without_it(work: Path) -> None:
    turns: list[Any] = [calls(order(f"deploy with {KEY}")), f"done with {KEY}", "done"]
    firm = Firm(work, turns)
    await firm.run()
    (task,) = firm.of_task
    saved = Path(task.metadata["output_path"])
    assert KEY in text_of(firm.model.requests[1].messages[-1])  # the agent itself is told all
    assert is_clean(saved.read_text(encoding="utf-8"))
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


async def test_the_list_of_changes_shows_a_command_without_it(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = Toolkit(cwd=work, mode="bypass")
    command = f"echo token={KEY} > a.txt"
    await kit.call("Bash", command=command, description="x")
    kit.close()
    for more in ([], ["--json"]):
        assert await asyncio.to_thread(main.run, ["--cwd", str(work), "changes", *more]) == 0
        printed = capsys.readouterr().out
        assert "echo token=" in printed
        assert is_clean(printed)


def test_past_calls_are_judged_again_without_it(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ankrcode.protocol.call import ToolCall
    from ankrcode.sessions.records import CallBegun

    opened = session_store().create("mine", 1.0, cwd=str(work), roots=(str(work),))
    line = {"command": f"deploy --token {KEY}", "description": "x"}
    call = ToolCall(name="Bash", arguments=line, id="1")
    opened.log.append([CallBegun(call=call)])  # as a log of others may have it
    opened.log.close()
    assert main.run(["--cwd", str(work), "permissions", "replay", "mine", "--json"]) == 0
    printed = capsys.readouterr().out
    assert "deploy --token" in printed
    assert is_clean(printed)


def test_folders_of_the_state_are_their_owners_alone(said: Path) -> None:
    folder = said.parent
    while folder.name != ".local":
        if folder.name in ("ankrcode", "sessions"):
            assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0, folder
        folder = folder.parent
    assert os.environ["DEPLOY_PASSWORD"] == KNOWN
