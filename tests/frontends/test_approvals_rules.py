"""`ankrcode permissions rules`: what was remembered can be seen, and taken back."""

import json
from pathlib import Path
from typing import Any

import pytest

from ankrcode import ApprovalAnswer, Toolkit
from ankrcode.testing import FakePerson
from frontends.command import ankrcode, answers


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def user_file(own_home: Path) -> Path:
    return own_home / ".config" / "ankrcode" / "settings.json"


async def remembered(work: Path, scope: Any, *commands: str) -> None:
    person = FakePerson([ApprovalAnswer(approved=True, remember=scope) for _ in commands])
    kit = Toolkit(cwd=work, approve=person)
    for command in commands:
        await kit.call("Bash", command=command)
    kit.close()


def rules(work: Path) -> list[tuple[str, str, str]]:
    rows = json.loads(ankrcode("permissions", "rules", "list", "--json", cwd=work).stdout)
    return [(row["kind"], row["rule"], row["layer"]) for row in rows]


def batch(work: Path, command: str) -> bool:
    line = json.dumps({"id": 1, "tool": "Bash", "params": {"command": command}})
    (answer,) = answers(ankrcode("exec", "--batch", "--cwd", str(work), cwd=work, given=line))
    return bool(answer["ok"])


async def test_what_was_remembered_is_listed_with_its_place(work: Path, user_file: Path) -> None:
    await remembered(work, "user", "git add a", "touch b")
    assert rules(work) == [
        ("allow", "Bash(git add:*)", "user"),
        ("allow", "Bash(touch b)", "user"),
    ]
    shown = ankrcode("permissions", "rules", "list", cwd=work).stdout.splitlines()
    assert shown[0] == f"allow Bash(git add:*)  (user: {user_file})"


def test_without_rules_it_says_so(work: Path) -> None:
    assert ankrcode("permissions", "rules", "list", cwd=work).stdout == "No rules.\n"


async def test_a_rule_for_the_user_counts_in_the_next_process_until_it_is_revoked(
    work: Path, user_file: Path
) -> None:
    await remembered(work, "user", "touch made")
    assert batch(work, "touch made")
    assert not batch(work, "touch other")
    done = ankrcode("permissions", "rules", "revoke", "Bash(touch made)", cwd=work)
    assert (done.returncode, done.stdout) == (0, f"revoked Bash(touch made) in {user_file}\n")
    assert not batch(work, "touch made")
    assert rules(work) == []


async def test_a_rule_for_the_project_counts_once_the_folder_is_trusted(work: Path) -> None:
    await remembered(work, "project", "touch made")
    assert not batch(work, "touch made")
    assert ankrcode("trust", "add", str(work), cwd=work).returncode == 0
    assert batch(work, "touch made")
    assert rules(work) == [("allow", "Bash(touch made)", "local")]
    done = ankrcode("permissions", "rules", "revoke", "Bash(touch made)", cwd=work)
    assert done.returncode == 0, done.stderr
    assert not batch(work, "touch made")


async def test_only_that_rule_is_taken_out_and_all_else_stays(work: Path, user_file: Path) -> None:
    await remembered(work, "user", "git add a", "touch b", "make c")
    document = json.loads(user_file.read_bytes())
    document |= {"language": "en"}
    document["permissions"]["deny"] = ["Bash(touch b)"]
    user_file.write_text(json.dumps(document), encoding="utf-8")
    ankrcode("permissions", "rules", "revoke", "Bash(touch b)", cwd=work)
    after = json.loads(user_file.read_bytes())
    assert after["permissions"] == {
        "allow": ["Bash(git add:*)", "Bash(make c)"],
        "deny": ["Bash(touch b)"],
    }
    assert after["language"] == "en"
    ankrcode("permissions", "rules", "revoke", "Bash(touch b)", "--kind", "deny", cwd=work)
    assert "deny" not in json.loads(user_file.read_bytes())["permissions"]


async def test_the_same_rule_in_two_places_can_be_taken_out_of_one(
    work: Path, user_file: Path
) -> None:
    await remembered(work, "project", "touch a")
    await remembered(work, "user", "touch a")
    local = work / ".ankrcode" / "settings.local.json"
    revoke = ("permissions", "rules", "revoke", "Bash(touch a)")
    assert ankrcode(*revoke, "--scope", "user", cwd=work).returncode == 0
    assert "permissions" not in json.loads(user_file.read_bytes())
    assert json.loads(local.read_bytes())["permissions"]["allow"] == ["Bash(touch a)"]
    assert ankrcode(*revoke, "--scope", "user", cwd=work).returncode == 2
    assert ankrcode(*revoke, cwd=work).returncode == 0
    assert json.loads(local.read_bytes()) == {}


@pytest.mark.parametrize(
    "given",
    [
        ["revoke"],
        ["revoke", "Bash(never)"],
        ["revoke", "Bash(x)", "--scope", "managed"],
        ["revoke", "Bash(x)", "--kind", "forbid"],
        ["forget"],
        [],
    ],
)
def test_what_cannot_be_revoked_is_a_usage_error(given: list[str], work: Path) -> None:
    done = ankrcode("permissions", "rules", *given, cwd=work)
    assert done.returncode == 2
    assert done.stderr


def test_a_rule_of_a_broken_file_is_not_taken_out(work: Path, user_file: Path) -> None:
    user_file.parent.mkdir(parents=True)
    user_file.write_text('{"permissions": {"allow": ["Bash(x)"]', encoding="utf-8")
    done = ankrcode("permissions", "rules", "revoke", "Bash(x)", cwd=work)
    assert done.returncode == 2
    assert user_file.read_text(encoding="utf-8") == '{"permissions": {"allow": ["Bash(x)"]'


def test_a_strange_rule_does_not_act_on_the_terminal(work: Path) -> None:
    done = ankrcode("permissions", "rules", "revoke", "Bash(\x1b[2K)", cwd=work)
    assert done.returncode == 2
