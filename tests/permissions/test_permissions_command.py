"""`ankrcode permissions`: JSON lines in and out, and a verdict laid open."""

import json
from pathlib import Path
from typing import Any

import pytest

from frontends.command import Done, ankrcode, answers


def ask(cwd: Path, *questions: Any) -> list[dict[str, Any]]:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in questions]
    done = ankrcode("permissions", "check", "--json", cwd=cwd, given="\n".join(lines) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    return answers(done)


def command(text: Any, number: int = 1, **env: Any) -> dict[str, Any]:
    return {"id": number, "kind": "command", "input": text, "env": env}


def explain(cwd: Path, text: str) -> Done:
    return ankrcode("permissions", "explain", text, cwd=cwd)


def test_each_line_gets_an_answer_in_its_order(tmp_path: Path) -> None:
    found = ask(tmp_path, command("ls", 1), command("rm x", 2), command("rm -rf /", 3))
    assert [(one["id"], one["verdict"]) for one in found] == [
        (1, "read_only"),
        (2, "needs_approval"),
        (3, "blocked"),
    ]


def test_an_answer_has_reason_parts_and_effects(tmp_path: Path) -> None:
    answer = ask(tmp_path, command("ls; rm x", root="/work/p", cwd="/work/p", home="/home/a"))[0]
    assert answer["reason"] == "it deletes /work/p/x"
    assert [one["argv"] for one in answer["parts"]] == [["ls"], ["rm", "x"]]
    assert [one["verdict"] for one in answer["parts"]] == ["read_only", "needs_approval"]
    assert {"kind": "delete", "target": "/work/p/x"} in answer["effects"]


def test_the_surroundings_decide(tmp_path: Path) -> None:
    found = ask(
        tmp_path,
        command("cat /srv/a/x", root="/srv/a"),
        command("cat /srv/a/x", root="/srv/b"),
        command("cat /srv/a/x", root="/srv/b", roots=["/srv/a"]),
        command("cat x", root="/srv/a", cwd="/srv/a/b"),
        command("rm -rf ~", root="/srv/a", home="/people/me"),
        command("rm -rf /people/me", root="/srv/a", home="/people/me"),
    )
    assert [one["verdict"] for one in found] == [
        *("read_only", "needs_approval", "read_only", "read_only", "blocked", "blocked"),
    ]


@pytest.mark.parametrize("mode", ["default", "plan", "acceptEdits", "bypass", "dontAsk"])
def test_a_verdict_is_the_same_in_every_mode(mode: str, tmp_path: Path) -> None:
    found = ask(tmp_path, command("ls", mode=mode), command("rm -rf /", mode=mode))
    assert [one["verdict"] for one in found] == ["read_only", "blocked"]


MALFORMED = {
    "no JSON": ("ls -la", None),
    "half a line": ('{"id": 1', None),
    "a list": ("[1]", None),
    "no kind": ('{"id": 5, "input": "ls"}', 5),
    "a kind that is no text": ('{"id": 6, "kind": 3}', 6),
    "an unknown kind": ('{"id": 7, "kind": "fruit"}', 7),
}


@pytest.mark.parametrize(("line", "number"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_line_is_answered_and_the_next_one_too(
    line: str, number: int | None, tmp_path: Path
) -> None:
    wrong, right = ask(tmp_path, line, command("ls", 9))
    assert wrong["id"] == number
    assert wrong["error"]
    assert (right["id"], right["verdict"]) == (9, "read_only")


@pytest.mark.parametrize("given", [None, 5, ["ls"], {"command": "ls"}])
def test_a_command_that_is_no_text_is_never_let_through(given: Any, tmp_path: Path) -> None:
    answer = ask(tmp_path, command(given))[0]
    assert answer["verdict"] == "needs_approval"


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    assert len(ask(tmp_path, "", command("ls"), "  ", command("pwd"))) == 2


def test_any_text_is_answered(tmp_path: Path) -> None:
    texts = ["", "\0", "é" * 100, "\ud800", "ls\r\n", "(" * 1000, "नमस्ते"]
    assert len(ask(tmp_path, *[command(text) for text in texts])) == len(texts)


def test_nothing_is_run_or_written(tmp_path: Path) -> None:
    ask(tmp_path, command("touch canary", root=str(tmp_path)), command("echo x > canary"))
    explain(tmp_path, "touch canary")
    assert list(tmp_path.iterdir()) == []


def test_json_must_be_asked_for(tmp_path: Path) -> None:
    done = ankrcode("permissions", "check", cwd=tmp_path)
    assert done.returncode == 2


# ── calls ─────────────────────────────────────────────────────────────────────────────────────
def call(tool: str, mode: str = "", **arguments: Any) -> dict[str, Any]:
    return {"kind": "call", "input": {"tool": tool, "args": arguments, "mode": mode}}


def test_a_call_is_judged_by_its_own_tool(tmp_path: Path) -> None:
    found = ask(
        tmp_path,
        call("Delete", "acceptEdits", path="x"),
        call("Write", "acceptEdits", file_path="x", content=""),
        call("Undo", "plan", preview=True),
        call("Task", description="d", prompt="p", subagent_type="explore"),
        call("Task", "plan", description="d", prompt="p", subagent_type="explore"),
        call("Bash", "dontAsk", command="touch x"),
        call("Bash", "plan", command="ls"),
    )
    assert [(one["verdict"], one["headless"]) for one in found] == [
        *(("ask", "deny"), ("allow", "allow"), ("allow", "allow"), ("allow", "allow")),
        *(("allow", "allow"), ("deny", "deny"), ("allow", "allow")),
    ]
    assert found[0]["reason"] == f"it deletes {tmp_path}/x"
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_call_is_denied_and_says_why(tmp_path: Path) -> None:
    found = ask(tmp_path, call("Frobnicate"), call("Write", file_path="x"), call("Tasks", "wild"))
    assert [one["verdict"] for one in found] == ["deny"] * 3
    for one, word in zip(found, ("Frobnicate", "content", "wild"), strict=True):
        assert word in one["reason"]


def test_rules_of_the_settings_count_for_a_call(tmp_path: Path) -> None:
    rules = ["--set", 'permissions.allow=["Bash(touch:*)"]', "--set", 'permissions.deny=["Tasks"]']
    lines = "\n".join(map(json.dumps, [call("Bash", command="touch x"), call("Tasks")]))
    done = ankrcode(*rules, "permissions", "check", "--json", cwd=tmp_path, given=lines)
    found = [(one["verdict"], one["matched"]) for one in answers(done)]
    assert found == [("allow", "Bash(touch:*)"), ("deny", "Tasks")]


MODES = {"acceptEdits": "ask", "default": "ask", "dontAsk": "deny", "plan": "deny"}


@pytest.mark.parametrize("named", ["path", "file_path"])
def test_to_delete_is_asked_about_whatever_the_rules_allow(named: str, tmp_path: Path) -> None:
    """Also where the call is not complete, and by the examples of a file of rules."""
    made = {"tool": "Delete", "args": {named: "x"}}
    rules = {"allow": ["Delete", "Edit"]}
    asked = [
        {"kind": "rule", "input": {"rules": rules, "mode": mode, "call": made}} for mode in MODES
    ]
    free = {"kind": "rule", "input": {"rules": {}, "mode": "bypass", "call": made}}
    found = [one["verdict"] for one in ask(tmp_path, *asked, free)]
    assert found == [*MODES.values(), "allow"]
    examples = [{**made, "mode": mode, "want": want} for mode, want in MODES.items()]
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": rules, "examples": examples}), encoding="utf-8")
    done = ankrcode("permissions", "test", str(file), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "4 of 4 examples as wanted\n")


# ── explain ───────────────────────────────────────────────────────────────────────────────────
def test_an_explanation_has_four_chapters(tmp_path: Path) -> None:
    shown = explain(tmp_path, "for f in *.py; do wc -l $f | sort; done; rm x").stdout
    lines = shown.splitlines()
    assert lines[0] == f"needs_approval: it deletes {tmp_path}/x"
    chapters = ["how it is read:", "its commands:", "what it does:"]
    assert [line for line in lines if line in chapters] == chapters
    assert "  for f\n    pipeline\n      wc -l $f\n      sort\n  rm x\n" in shown
    assert "  needs_approval rm x – it deletes" in shown
    assert f"  delete         {tmp_path}/x" in shown


def test_an_explanation_shows_what_stands_in_substitutions(tmp_path: Path) -> None:
    shown = explain(tmp_path, 'x=$(git diff | head); echo "$(id)" <(ls)').stdout
    outline = ["  assignment", "    substitution", "      pipeline", "        git diff"]
    assert "\n".join([*outline, "        head"]) in shown
    assert "    substitution\n      id\n    substitution\n      ls\n" in shown


EXPLAINED = {
    "if ls; then id; else pwd; fi": ["if", "ls", "id", "pwd"],
    "while ls; do id; done": ["loop", "ls", "id"],
    "case x in a) ls;; esac": ["case", "ls"],
    "f() { ls; }; f": ["function f", "group", "ls", "f"],
    "(ls)": ["subshell", "ls"],
    "ls &": ["in the background", "ls"],
    "[[ a == b ]]": ["[[ … ]]"],
    "((1))": ["(( … ))"],
    "for ((;;)); do ls; done": ["for ((…))", "ls"],
    "ls && id || pwd": ["ls", "&& id", "|| pwd"],
    "`ls`": ["…", "substitution", "ls"],
}


@pytest.mark.parametrize(("text", "expected"), EXPLAINED.items(), ids=EXPLAINED)
def test_the_tree_names_every_construct(text: str, expected: list[str], tmp_path: Path) -> None:
    shown = explain(tmp_path, text).stdout
    tree = shown.partition("how it is read:\n")[2].partition("\n\n")[0]
    found = [line.strip() for line in tree.splitlines()]
    assert found == expected or (text == "`ls`" and found[1:] == expected[1:])


def test_what_could_not_be_read_is_said(tmp_path: Path) -> None:
    shown = explain(tmp_path, "ls; echo '").stdout
    assert "not to its end: a quote is not closed" in shown
    assert "  ls\n" in shown


def test_a_harmless_line_is_explained_in_few_words(tmp_path: Path) -> None:
    shown = explain(tmp_path, "echo hi").stdout
    assert shown.startswith("read_only\n")
    assert shown.endswith("what it does:\n  nothing but print\n")


def test_the_folder_of_the_question_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    done = ankrcode("--cwd", tmp_path / "sub", "permissions", "explain", "rm x", cwd=tmp_path)
    assert f"it deletes {tmp_path}/sub/x" in done.stdout


def test_explaining_needs_a_command(tmp_path: Path) -> None:
    assert ankrcode("permissions", "explain", cwd=tmp_path).returncode == 2
