"""`ankrcode approvals` as a process: list, approve, deny, and what is wrong with an answer."""

import json
import os
from pathlib import Path

import pytest

from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, Preview
from ankrcode.tooling.leader import ApprovalDesk, LeaderApprover, LeaderRequest
from frontends.command import ankrcode


def submitted(text: str = "make deploy", preview: Preview | None = None) -> LeaderRequest:
    approval = Approval(
        id="approval_1",
        call_id="call_1",
        tool="Bash",
        arguments={"command": text},
        reason="it runs a command",
        acts=NOTHING,
        text=text,
        digest=text,
        risk="high",
        preview=preview,
    )
    return LeaderApprover(workspace="/srv/project", session="s1").submit(approval)


def desk() -> ApprovalDesk:
    return ApprovalDesk.of(os.environ)


# ── listing ───────────────────────────────────────────────────────────────────────────────────
def test_with_nothing_to_answer_it_says_so(tmp_path: Path) -> None:
    done = ankrcode("approvals", "list", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Nothing waits for an answer.\n")
    assert ankrcode("approvals", "list", "--json", cwd=tmp_path).stdout == "[]\n"


def test_each_request_shows_what_would_run_and_why(tmp_path: Path) -> None:
    first, second = submitted("make deploy"), submitted("line one\nline two")
    lines = ankrcode("approvals", "list", cwd=tmp_path).stdout.splitlines()
    assert lines[0] == f"{first.id}  Bash  risk: high  waiting 0 min"
    assert lines[1:4] == ["    in /srv/project", "    why: it runs a command", "    make deploy"]
    assert lines[4] == ""
    assert lines[5].startswith(second.id)
    assert lines[-2:] == ["    line one", "    line two"]


def test_a_diff_is_shown_with_it(tmp_path: Path) -> None:
    submitted(preview=Preview(title="Edit a", body="-old\n+new", format="diff"))
    lines = ankrcode("approvals", "list", cwd=tmp_path).stdout.splitlines()
    assert lines[-2:] == ["    -old", "    +new"]


def test_nothing_in_a_request_acts_on_the_terminal(tmp_path: Path) -> None:
    submitted("ls\x1b[2K\rrm \u202ex" + " " * 5_000 + "; rm y")
    shown = ankrcode("approvals", "list", cwd=tmp_path).stdout
    assert "ls\\e[2K\\rrm \\u{202e}x⟨5,000 blanks⟩; rm y" in shown
    assert not set("\x1b\r\u202e") & set(shown)


def test_as_json_a_script_gets_every_field(tmp_path: Path) -> None:
    request = submitted()
    (listed,) = json.loads(ankrcode("approvals", "list", "--json", cwd=tmp_path).stdout)
    assert listed["id"] == request.id
    assert listed["workspace"] == "/srv/project"
    assert {"tool", "text", "reason", "risk", "digest", "session", "at"} <= set(listed)


# ── answering ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("action", "approved"), [("approve", True), ("deny", False)])
@pytest.mark.parametrize("feedback", ["", "मत करो"])
def test_an_answer_is_written_down(
    action: str, approved: bool, feedback: str, tmp_path: Path
) -> None:
    request = submitted()
    more = ["--feedback", feedback] if feedback else []
    done = ankrcode("approvals", action, request.id, *more, cwd=tmp_path)
    said = "approved" if approved else "denied"
    assert (done.returncode, done.stdout) == (0, f"{said} {request.id}  Bash  risk: high\n")
    answer = desk().answer_to(request)
    assert answer is not None
    assert (answer.approved, answer.feedback, answer.digest) == (approved, feedback, request.digest)
    assert answer.by
    assert ankrcode("approvals", "list", cwd=tmp_path).stdout.startswith("Nothing waits")


def test_an_answer_as_json(tmp_path: Path) -> None:
    request = submitted()
    done = ankrcode("approvals", "deny", request.id, "--json", "--feedback", "no", cwd=tmp_path)
    assert json.loads(done.stdout) == {"id": request.id, "approved": False, "feedback": "no"}


@pytest.mark.parametrize(
    "given",
    [
        ["approve"],
        ["approve", "0123456789"],
        ["approve", "../../x"],
        ["deny", ""],
        [],
        ["list", "more"],
        ["approve", "0123456789", "--all"],
    ],
)
def test_what_cannot_be_answered_is_a_usage_error(given: list[str], tmp_path: Path) -> None:
    submitted()
    done = ankrcode("approvals", *given, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr
    assert len(desk().pending()) == 1


def test_a_second_answer_is_refused(tmp_path: Path) -> None:
    request = submitted()
    assert ankrcode("approvals", "deny", request.id, cwd=tmp_path).returncode == 0
    again = ankrcode("approvals", "approve", request.id, cwd=tmp_path)
    assert again.returncode == 2
    assert "has been answered already" in again.stderr
    answer = desk().answer_to(request)
    assert answer is not None
    assert not answer.approved


def test_each_person_has_a_desk_of_their_own(tmp_path: Path) -> None:
    request = submitted()
    other = {"XDG_STATE_HOME": str(tmp_path / "other")}
    assert ankrcode("approvals", "approve", request.id, cwd=tmp_path, env=other).returncode == 2
    assert len(desk().pending()) == 1
