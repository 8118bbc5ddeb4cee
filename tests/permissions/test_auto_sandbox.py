"""Auto mode through the real toolkit and behind the real wall: what is unasked stays inside."""

import asyncio
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from ankrcode import ToolResult
from ankrcode.app import Toolkit
from ankrcode.config.settings import SandboxSettings, Settings, UndoSettings
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.permission import Mode
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tooling.leader import ApprovalDesk, LeaderApprover
from frontends.command import ankrcode, answers

NO_UNDO = Settings(undo=UndoSettings(enabled=False))


class Auto:
    """A workspace in auto mode, and a person who is hopefully left alone."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.person = FakePerson()
        self.folder = folder
        self.kit = Toolkit(cwd=folder, mode="auto", approve=self.person, settings=settings)
        self.kit.agent.policy.can_undo = True

    async def run(self, command: str, **more: object) -> ToolResult:
        return await self.kit.call("Bash", {"command": command, **more})

    @property
    def questions(self) -> list[str]:
        return [one.reason for one in self.person.asked]


@pytest.fixture
async def auto(tmp_path: Path) -> AsyncIterator[Auto]:
    folder = tmp_path / "work"
    folder.mkdir()
    found = Auto(folder)
    yield found
    found.kit.close()


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    path = tmp_path / "canary"
    path.write_text("alive", encoding="utf-8")
    return path


# ── quiet ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("echo x > a.txt", {"a.txt"}),
        ("mkdir -p d/e && touch d/e/f", {"d"}),
        ("touch a b; rm a", {"b"}),
        ("python3 -c \"open('made', 'w').write('x')\"", {"made"}),
        ("printf 'all:\\n\\ttouch built\\n' > Makefile && make -s", {"Makefile", "built"}),
        ("export NAME=n && touch $NAME", {"n"}),
        ("for i in 1 2 3; do echo $i > f$i; done", {"f1", "f2", "f3"}),
        ("bash -c 'touch inner'", {"inner"}),
        ("cat > script.sh <<'EOF'\ntouch scripted\nEOF\nbash script.sh", {"script.sh", "scripted"}),
    ],
)
async def test_work_in_the_workspace_is_done_unasked(
    command: str, left: set[str], auto: Auto
) -> None:
    result = await auto.run(command)
    assert result.ok, result.text
    assert result.metadata["profile"] == "workspace-write"
    assert result.metadata["sandbox"] != "none"
    assert {path.name for path in auto.folder.iterdir()} == left
    assert auto.questions == []


def make_repository(folder: Path) -> None:
    for line in ("init -q .", "config user.name a", "config user.email a@b"):
        subprocess.run(["git", *line.split()], cwd=folder, check=True)


async def test_a_commit_works_inside_and_its_hooks_are_confined(auto: Auto, canary: Path) -> None:
    make_repository(auto.folder)
    hook = auto.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch ran\necho gone > {canary}\ntrue\n", encoding="utf-8")
    hook.chmod(0o755)
    (auto.folder / "f").touch()
    done = await auto.run("git add f && git commit -qm 'the first one'")
    assert done.ok, done.text
    assert (await auto.run("git log --format=%s")).text == "the first one"
    assert (auto.folder / "ran").exists()
    assert canary.read_text(encoding="utf-8") == "alive"
    assert auto.questions == []


async def test_edits_run_unasked_and_so_does_overwriting(auto: Auto) -> None:
    assert (await auto.kit.call("Write", file_path="a.txt", content="1")).ok
    assert (await auto.kit.call("Write", file_path="b.txt", content="2")).ok
    edit = {"file_path": "a.txt", "old_string": "1", "new_string": "3"}
    assert (await auto.kit.call("Edit", edit)).ok
    move = {"source": "a.txt", "destination": "b.txt", "overwrite": True}
    assert (await auto.kit.call("Move", move)).ok
    assert (auto.folder / "b.txt").read_text(encoding="utf-8") == "3"
    assert auto.questions == []


async def test_what_only_reads_runs_without_a_wall(auto: Auto) -> None:
    (auto.folder / "a.txt").write_text("x\n", encoding="utf-8")
    result = await auto.run("wc -l a.txt")
    assert (result.text.split()[0], result.metadata["profile"]) == ("1", "limits")


async def test_a_task_in_the_background_is_confined_too(auto: Auto, canary: Path) -> None:
    script = auto.folder / "s.sh"
    script.write_text(f"echo gone > {canary}; touch done-inside", encoding="utf-8")
    begun = await auto.run("bash s.sh", run_in_background=True)
    assert begun.metadata["profile"] == "workspace-write"
    end = await auto.kit.call("TaskOutput", task_id=begun.metadata["task_id"])
    assert end.value.task.is_completed
    assert canary.read_text(encoding="utf-8") == "alive"
    assert (auto.folder / "done-inside").exists()
    assert auto.questions == []


# ── safe ──────────────────────────────────────────────────────────────────────────────────────
HIDDEN_WRITES = [
    "python3 -c \"open('{canary}', 'w').write('gone')\"",
    "x={canary}; python3 -c \"import sys; open(sys.argv[1], 'w')\" $x",
    "echo 'rm -f {canary}' > s.sh; bash s.sh",
    "printf 'all:\\n\\trm -f {canary}\\n' > Makefile; make",
    "ln -s {canary} link; python3 -c \"open('link', 'w').write('gone')\"",
    "python3 -c \"import os; os.rename('{canary}', '{canary}.moved')\"",
    "perl -e 'unlink \"{canary}\"'",
    "python3 -c \"import shutil; shutil.rmtree('{folder}')\"",
]


@pytest.mark.parametrize("line", HIDDEN_WRITES)
async def test_what_the_analysis_cannot_see_the_wall_holds(
    line: str, auto: Auto, canary: Path
) -> None:
    await auto.run(line.format(canary=canary, folder=canary.parent))
    assert canary.read_text(encoding="utf-8") == "alive"
    assert auto.questions == []


PROTECTED = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".mcp.json",
    ".claude/settings.json",
    ".envrc2",
]


@pytest.mark.parametrize("name", PROTECTED[:-1])
async def test_protected_names_are_unwritable_even_by_a_program(name: str, auto: Auto) -> None:
    (auto.folder / ".git" / "hooks").mkdir(parents=True)
    code = f"import os; os.makedirs(os.path.dirname('{name}') or '.', exist_ok=True)"
    await auto.run(f"python3 -c \"{code}; open('{name}', 'w').write('x')\"")
    place = auto.folder / name
    assert not place.is_file() or place.read_text(encoding="utf-8") != "x"


async def test_an_ordinary_dotfile_is_writable(auto: Auto) -> None:
    assert (await auto.run(f"touch {PROTECTED[-1]}")).ok


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A server on loopback, and what it was sent."""
    heard: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(100))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server.getsockname()[1], heard
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


async def test_no_network_is_reached_by_a_program_nobody_knows(
    auto: Auto, listener: tuple[int, list[bytes]]
) -> None:
    port, heard = listener
    code = f"import socket; socket.create_connection(('127.0.0.1', {port})).sendall(b'out')"
    result = await auto.run(f'python3 -c "{code}"')
    assert not result.ok
    assert heard == []
    assert auto.questions == []


async def test_a_question_comes_when_the_network_is_needed_and_a_yes_opens_it(
    auto: Auto, listener: tuple[int, list[bytes]]
) -> None:
    port, heard = listener
    auto.person.answers = [NO, YES]
    command = f"bash -c 'echo out > /dev/tcp/127.0.0.1/{port}'"
    assert not (await auto.run(command)).ok
    assert heard == []
    result = await auto.run(command)
    assert result.metadata["profile"] == "open"
    until = time.monotonic() + 10  # the server's thread may not have had its turn
    while not heard and time.monotonic() < until:
        await asyncio.sleep(0.005)
    assert heard == [b"out\n"]
    assert all("network" in reason for reason in auto.questions)


async def test_a_question_comes_when_something_is_written_elsewhere(
    auto: Auto, canary: Path
) -> None:
    auto.person.answers = [NO, YES]
    assert not (await auto.run(f"echo gone > {canary}")).ok
    assert canary.read_text(encoding="utf-8") == "alive"
    assert (await auto.run(f"echo gone > {canary}")).ok
    assert canary.read_text(encoding="utf-8") == "gone\n"


async def test_no_confined_command_answers_for_the_leader(auto: Auto) -> None:
    """Neither by our own command, which asks, nor by writing where answers lie."""
    desk = ApprovalDesk.of(os.environ)
    question = Approval(
        id="a", call_id="c", tool="Bash", arguments={}, reason="r", acts=NOTHING, digest="d"
    )
    request = LeaderApprover(desk=desk).submit(question)
    target = desk.folder / f"{request.id}.answer.json"
    forged = json.dumps({"id": request.id, "digest": "d", "approved": True, "at": 9e9})
    (auto.folder / "forge.py").write_text(
        f"open({str(target)!r}, 'w').write({forged!r})", encoding="utf-8"
    )
    assert not (await auto.run("python3 forge.py")).ok
    assert auto.questions == []
    assert not (await auto.run(f"ankrcode approvals approve {request.id}")).ok
    assert len(auto.questions) == 1
    assert [one.id for one in desk.pending()] == [request.id]


# ── leaving by an argument ────────────────────────────────────────────────────────────────────
async def test_asking_to_leave_the_sandbox_is_a_question_and_nothing_else(auto: Auto) -> None:
    auto.person.answers = [NO, YES]
    refused = await auto.run("touch made", dangerously_disable_sandbox=True)
    assert not refused.ok
    assert auto.person.asked[0].risk == "high"
    allowed = await auto.run("touch made", dangerously_disable_sandbox=True)
    assert allowed.metadata["profile"] == "open"
    assert len(auto.questions) == 2


async def test_a_yes_to_leave_is_remembered_for_that_alone(auto: Auto) -> None:
    auto.person.answers = [ApprovalAnswer(approved=True, remember="session")]
    await auto.run("touch made", dangerously_disable_sandbox=True)
    inside = await auto.run("touch made")
    assert inside.metadata["profile"] == "workspace-write"
    assert len(auto.questions) == 1
    assert not (await auto.run("touch other", dangerously_disable_sandbox=True)).ok
    assert len(auto.questions) == 2


@pytest.mark.parametrize("mode", ["bypass", "default"])
async def test_where_all_is_confined_only_a_person_lets_one_out(mode: str, tmp_path: Path) -> None:
    settings = Settings(sandbox=SandboxSettings(always=True))
    person = FakePerson([YES])
    kit = Toolkit(cwd=tmp_path, mode=mode, approve=person, settings=settings)
    arguments = {"command": "touch made", "dangerously_disable_sandbox": True}
    result = await kit.call("Bash", arguments)
    assert result.metadata["profile"] == ("open" if mode == "default" else "workspace-write")
    assert len(person.asked) == (1 if mode == "default" else 0)
    kit.close()


@pytest.mark.parametrize(
    ("mode", "is_always", "profile"),
    [
        ("bypass", False, "open"),
        ("bypass", True, "workspace-write"),
        ("default", False, "open"),
        ("default", True, "workspace-write"),
    ],
)
async def test_what_was_approved_runs_openly_unless_all_is_confined(
    mode: str, is_always: bool, profile: str, tmp_path: Path
) -> None:
    settings = Settings(sandbox=SandboxSettings(always=is_always))
    kit = Toolkit(cwd=tmp_path, mode=mode, approve=FakePerson([YES]), settings=settings)
    assert (await kit.call("Bash", command="touch a")).metadata["profile"] == profile
    assert (await kit.call("Bash", command="ls")).metadata["profile"] == "limits"
    kit.close()


# ── where a piece is missing ──────────────────────────────────────────────────────────────────
async def test_without_a_journal_auto_asks_and_the_result_says_why(tmp_path: Path) -> None:
    person = FakePerson([YES, NO])
    kit = Toolkit(cwd=tmp_path, mode="auto", approve=person, settings=NO_UNDO)
    made = await kit.call("Bash", command="touch made")
    assert made.metadata["profile"] == "open"  # a person said yes
    assert "undo" in made.metadata["permission_note"]
    assert made.metadata["permission_note"] in person.asked[0].reason
    refused = await kit.call("Write", file_path="a", content="")
    assert "undo" in refused.metadata["permission_note"]
    quiet = await kit.call("Bash", command="ls")
    assert "permission_note" not in quiet.metadata
    kit.close()


async def test_without_a_wall_auto_asks_and_the_result_says_why(tmp_path: Path) -> None:
    person = FakePerson()
    settings = Settings(sandbox=SandboxSettings(wall="none"))
    kit = Toolkit(cwd=tmp_path, mode="auto", approve=person, settings=settings)
    kit.agent.policy.can_undo = True
    refused = await kit.call("Bash", command="touch made")
    assert "no sandbox works here" in person.asked[0].reason
    assert "no sandbox works here" in refused.metadata["permission_note"]
    assert not (tmp_path / "made").exists()
    kit.close()


async def test_headless_auto_denies_what_it_would_ask(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="auto", settings=NO_UNDO)
    refused = await kit.call("Bash", command="touch made")
    assert refused.error is not None
    assert refused.error.code == "PERMISSION_DENIED"
    assert "mode auto" in refused.error.message
    assert "permission_note" in refused.metadata
    kit.agent.policy.can_undo = True
    assert (await kit.call("Bash", command="touch made")).ok
    assert not (await kit.call("Bash", command="curl http://127.0.0.1:9")).ok
    kit.close()


async def test_a_further_agent_of_auto_is_in_auto_and_confined(auto: Auto) -> None:
    child = auto.kit.for_agent("helper")
    assert child.mode is Mode.AUTO
    result = await child.call("Bash", command="touch made")
    assert result.metadata["profile"] == "workspace-write"


def test_on_the_command_line_auto_denies_says_why_and_ends_with_its_code(tmp_path: Path) -> None:
    wished = ("exec", "--permission-mode", "auto", "Bash", "command=touch made")
    arguments = ("--set", "undo.enabled=false", *wished)
    plain = ankrcode(*arguments, cwd=tmp_path)
    assert plain.returncode == 4
    assert "auto mode asks as default mode does" in plain.stderr
    told = answers(ankrcode(*arguments, "--json", cwd=tmp_path))[0]
    assert "undo" in told["metadata"]["permission_note"]
    assert not (tmp_path / "made").exists()
    reading = ankrcode("exec", "--permission-mode", "auto", "Bash", "command=ls", cwd=tmp_path)
    assert reading.returncode == 0
    changing = ankrcode(*wished, cwd=tmp_path)
    assert changing.returncode == 0, "with undo it runs unasked"
    assert (tmp_path / "made").exists()


def test_the_doctor_says_whether_auto_can_be_quiet(tmp_path: Path) -> None:
    def said(*options: str) -> str:
        done = ankrcode(*options, "doctor", cwd=tmp_path)
        (line,) = [one for one in done.stdout.splitlines() if " auto " in one]
        return line

    assert said().startswith("ok  auto ")
    loud = said("--set", "undo.enabled=false")
    assert loud.startswith("--  auto ")
    assert "nothing here can undo" in loud
