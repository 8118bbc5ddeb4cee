"""`permissions check` for paths, hosts, rules and secrets, and `permissions test`, as processes."""

import json
from pathlib import Path
from typing import Any

import pytest

from frontends.command import ankrcode, answers

QUESTIONS: list[dict[str, Any]] = [
    {"kind": "path", "input": {"path": ".git/config", "op": "write"}},
    {"kind": "path", "input": {"path": "a.txt", "op": "read"}},
    {"kind": "url", "input": {"url": "https://example.com"}, "env": {"allow": ["example.com"]}},
    {"kind": "url", "input": {"url": "https://example.com"}, "env": {"allow": []}},
    {"kind": "secret", "input": "DB_PASSWORD=hunter22"},
    {"kind": "secret", "input": 5},
    {
        "kind": "rule",
        "input": {
            "rules": {"deny": ["Bash(rm:*)"]},
            "call": {"tool": "Bash", "args": {"command": "rm x"}},
        },
    },
    {"kind": "nonsense", "input": 5},
]


def asked(folder: Path, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "\n".join(
        json.dumps({"id": number, "env": {"root": str(folder)}, **one})
        for number, one in enumerate(questions)
    )
    done = ankrcode("permissions", "check", "--json", cwd=folder, given=lines)
    assert done.returncode == 0
    return answers(done)


def test_every_kind_is_answered_in_order(tmp_path: Path) -> None:
    found = asked(tmp_path, QUESTIONS)
    assert [one["id"] for one in found] == list(range(len(QUESTIONS)))
    assert [one.get("verdict") for one in found] == [
        *("refuse", "inside", "allow", "deny", None, None, "deny", None),
    ]
    assert found[4]["output"] == "DB_PASSWORD=[redacted:password:1]"
    assert "error" in found[5]
    assert found[6]["matched"] == "Bash(rm:*)"
    assert "nonsense" in found[7]["error"]


RIGHT = {"call": "Bash(make all)", "want": "allow"}
WRONG = {"call": "Bash(rm x)", "want": "deny"}


def examples(*given: dict[str, str]) -> str:
    return json.dumps({"rules": {"allow": ["Bash(make:*)"]}, "examples": given})


def test_examples_of_rules_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(examples(RIGHT, WRONG), encoding="utf-8")
    done = ankrcode("permissions", "test", str(file), cwd=tmp_path)
    assert done.returncode == 1
    wrong, total = done.stdout.splitlines()
    assert wrong.startswith("Bash(rm x): ask, not deny")
    assert total == "1 of 2 examples as wanted"
    file.write_text(examples(RIGHT), encoding="utf-8")
    assert ankrcode("permissions", "test", str(file), cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("content", [None, "", "{", '{"examples": 5}'])
def test_a_file_that_cannot_be_used_is_a_usage_error(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "rules.json").write_text(content, encoding="utf-8")
    done = ankrcode("permissions", "test", "rules.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("ankrcode: ")
