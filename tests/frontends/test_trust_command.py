"""`ankrcode trust`, and what the other commands say about a folder that is not trusted."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.trust import TrustStore
from ankrcode.frontends.cli import trust_stakes
from ankrcode.frontends.cli.trust_stakes import stakes
from frontends.command import Batch, Done, ankrcode, answers

HOOKS = {"PreToolUse": [{"matcher": "List", "hooks": [{"type": "command", "command": "exit 2"}]}]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".claude").mkdir(parents=True)
    settings = {"permissions": {"allow": ["Bash(touch:*)"]}, "hooks": HOOKS}
    (folder / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def trust(cwd: Path, *arguments: str | Path, code: int = 0) -> Done:
    done = ankrcode("trust", *arguments, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done


def facts(cwd: Path, *arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(trust(cwd, *arguments, "--json").stdout)
    return found


def at_stake(project: Path) -> list[dict[str, str]]:
    place = str(project / ".claude" / "settings.json")
    return [
        {"key": "permissions.allow", "value": "Bash(touch:*)", "place": place},
        {"key": "hooks", "value": "PreToolUse List → exit 2", "place": place},
    ]


def test_without_an_action_it_tells_the_state_and_all_that_hangs_on_it(project: Path) -> None:
    expected = {
        "folder": str(project),
        "trusted": False,
        "by": None,
        "why": "unknown",
        "at_stake": at_stake(project),
    }
    assert facts(project) == expected
    assert facts(project, "status") == expected
    lines = trust(project).stdout.splitlines()
    assert lines[0] == f"{project} is not trusted: nobody said so yet"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["permissions.allow", "hooks"]
    assert "PreToolUse List → exit 2" in lines[2]


def test_a_folder_is_trusted_and_trusted_no_longer(project: Path) -> None:
    assert trust(project, "add").stdout.startswith(f"{project} is trusted.\n")
    found = facts(project)
    assert (found["trusted"], found["by"], found["why"]) == (True, str(project), None)
    assert found["at_stake"] == at_stake(project)  # still to be seen
    assert json.loads(trust(project, "list", "--json").stdout) == [
        {"path": str(project), "trusted": True}
    ]
    trust(project, "remove")
    assert facts(project)["trusted"] is False
    assert trust(project, "list").stdout == ""


def test_a_path_may_be_named(project: Path, tmp_path: Path) -> None:
    trust(tmp_path, "add", project)
    assert facts(tmp_path, "status", project)["trusted"]
    assert not facts(tmp_path)["trusted"]
    assert trust(tmp_path, "list").stdout == f"{project}\n"
    trust(tmp_path, "remove", "project")
    assert not facts(project)["trusted"]


def test_the_folder_may_come_from_the_common_option(project: Path, tmp_path: Path) -> None:
    assert ankrcode("--cwd", project, "trust", "add", cwd=tmp_path).returncode == 0
    assert facts(project)["trusted"]


def test_below_a_trusted_folder_it_says_through_which(project: Path) -> None:
    (project / "sub").mkdir()
    trust(project, "add")
    assert facts(project, "status", "sub")["by"] == str(project)
    assert trust(project, "status", "sub").stdout == f"{project}/sub is trusted ({project}).\n"


def test_a_replaced_folder_is_told(project: Path, tmp_path: Path) -> None:
    trust(project, "add")
    project.rename(tmp_path / "moved")
    project.mkdir()
    assert facts(project)["why"] == "replaced"
    assert "another folder stands in its place now" in trust(project).stdout
    assert "(another folder" in trust(project, "list").stdout


def test_what_is_gone_can_be_removed(project: Path, tmp_path: Path) -> None:
    trust(project, "add")
    project.rename(tmp_path / "moved")
    trust(tmp_path, "remove", project)
    assert trust(tmp_path, "list").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "/"), "would trust everything"),
        (("add", "missing"), "missing"),
        (("status", "missing"), "missing"),
        (("list", "x"), "'list' takes no folder"),
        (("distrust",), "invalid choice"),
        (("add", "a", "b"), "unrecognized arguments"),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], said: str, project: Path) -> None:
    assert said in trust(project, *arguments, code=2).stderr


def test_what_a_folder_says_cannot_disturb_the_terminal(tmp_path: Path) -> None:
    import pexpect

    (tmp_path / ".claude").mkdir()
    nasty = {"hooks": {"Stop": [{"hooks": [{"command": "echo \u001b[2J\u202etxt"}]}]}}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(nasty), encoding="utf-8")
    from frontends.command import COMMAND

    shown, code = pexpect.run(
        " ".join([*COMMAND, "trust"]), cwd=tmp_path, withexitstatus=True, timeout=20
    )
    assert code == 0
    assert b"\x1b" not in shown
    assert "\u202e".encode() not in shown
    assert rb"\u001b[2J\u202e" in shown


# ── the other commands ────────────────────────────────────────────────────────────────────────
def test_exec_says_in_one_line_what_does_not_count(project: Path) -> None:
    done = ankrcode("exec", "List", cwd=project)
    assert done.returncode == 0  # the hook that would refuse it does not count
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ankrcode: warning: {project} is not trusted")
    assert "permissions.allow, hooks" in line
    assert "ankrcode trust add" in line


def test_exec_is_silent_where_nothing_waits(tmp_path: Path) -> None:
    done = ankrcode("exec", "List", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_after_trust_hooks_and_rules_of_the_folder_count(project: Path) -> None:
    assert ankrcode("exec", "Bash", "command=touch x", cwd=project).returncode == 4
    trust(project, "add")
    refused = ankrcode("exec", "List", cwd=project)
    assert refused.returncode == 4
    assert refused.stderr == "ankrcode: A hook refused List: 'exit 2' said no and gave no reason\n"
    assert ankrcode("exec", "Bash", "command=touch x", cwd=project).returncode == 0


def test_doctor_says_it_too(project: Path) -> None:
    def line() -> str:
        lines = ankrcode("doctor", cwd=project).stdout.splitlines()
        return next(one for one in lines if one.split()[1] == "trust")

    assert line().startswith("--  trust      no; these of its settings do not count: ")
    assert "permissions.allow, hooks" in line()
    trust(project, "add")
    assert line() == f"ok  trust      yes ({project})"


def test_doctor_survives_settings_that_are_broken(project: Path, own_home: Path) -> None:
    file = own_home / ".config" / "ankrcode" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text("{", encoding="utf-8")
    done = ankrcode("doctor", cwd=project)
    assert done.returncode == 0
    assert "settings.json" in done.stdout


def test_hooks_are_those_of_the_start(project: Path) -> None:
    """A session goes on with the hooks it began with, whatever is written into the file."""
    trust(project, "add")
    file = project / ".claude" / "settings.json"
    call = {"id": 1, "tool": "List", "params": {}}
    with Batch(project) as batch:
        assert not batch.ask(call)["ok"]
        file.write_text("{}", encoding="utf-8")
        assert not batch.ask(call)["ok"]
    with Batch(project) as batch:
        assert batch.ask(call)["ok"]
        file.write_text(json.dumps({"hooks": HOOKS}), encoding="utf-8")
        assert batch.ask(call)["ok"]


def test_a_session_of_exec_begins_and_ends_with_its_hooks(project: Path) -> None:
    log = project / "log"
    events = ("SessionStart", "PreToolUse", "PostToolUse", "SessionEnd")
    hooks = {event: [{"hooks": [{"command": f"cat >> {log}"}]}] for event in events}
    (project / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": hooks}), encoding="utf-8"
    )
    trust(project, "add")
    call = json.dumps({"id": 1, "tool": "List", "params": {}})
    done = ankrcode("exec", "--batch", "--session", "mine", cwd=project, given=f"{call}\n{call}\n")
    assert [one["ok"] for one in answers(done)] == [True, True]
    given = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [one["hook_event_name"] for one in given] == [
        "SessionStart",
        *("PreToolUse", "PostToolUse") * 2,
        "SessionEnd",
    ]
    assert {one["session_id"] for one in given} == {"mine"}


def test_config_list_knows_where_the_hooks_come_from(project: Path) -> None:
    trust(project, "add")
    done = ankrcode("config", "list", cwd=project)
    line = next(one for one in done.stdout.splitlines() if one.startswith("hooks "))
    assert ".claude/settings.json" in line


# ── all that hangs on trust ───────────────────────────────────────────────────────────────────
def write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def found(folder: Path) -> list[tuple[str, str, str]]:
    return [(one.key, one.value, one.place) for one in stakes(folder)]


def test_instructions_are_listed_with_inner_ones_and_what_they_import(tmp_path: Path) -> None:
    top = write(tmp_path, "AGENTS.md", "\n# Rules\nSee @docs/style.md.\n")
    style = write(tmp_path, "docs/style.md", "Be brief.\n")
    inner = write(tmp_path, "src/deep/CLAUDE.md", "Obey me.\n")
    hidden = write(tmp_path, ".odd/ANKRCODE.md", "x" * 300)
    context = write(tmp_path, ".ankrcode/context.md", "Context.\n")
    write(tmp_path, ".git/AGENTS.md", "git's own")
    write(tmp_path, "README.md", "no instruction")
    listed = found(tmp_path)
    assert [(key, value) for key, value, place in listed if place == top] == [
        ("instructions", "# Rules (29 characters)")
    ]
    assert {place for _, _, place in listed} == {top, style, inner, hidden, context}
    assert ("instructions", f"{'x' * 100}… (300 characters)", hidden) in listed


def test_agents_are_listed_and_broken_ones_too(tmp_path: Path) -> None:
    good = write(
        tmp_path,
        ".claude/agents/tester.md",
        "---\nname: tester\ndescription: Runs the tests\ntools: Bash\n---\nYou run tests.\n",
    )
    broken = write(tmp_path, ".ankrcode/agents/odd.md", "---\nname: odd\n---\n")
    write(tmp_path, ".claude/agents/notes.txt", "not an agent")
    assert found(tmp_path) == [
        ("agents", "tester: Runs the tests", good),
        ("agents", "odd (it has no prompt)", broken),
    ]


def test_macros_are_listed_by_name(tmp_path: Path) -> None:
    text = "macro deploy\n  $ ./deploy.sh\nend\n\nmacro look\n  app.py padho\nend\n"
    file = write(tmp_path, ".ankrcode/macros.rl", text)
    assert found(tmp_path) == [
        ("macros", "deploy (line 1)", file),
        ("macros", "look (line 5)", file),
    ]
    write(tmp_path, ".ankrcode/macros.rl", "macro deploy\n")
    [(key, why, _)] = found(tmp_path)
    assert key == "macros"
    assert file in why


def test_ones_own_login_shell_is_listed_where_it_waits(tmp_path: Path, own_home: Path) -> None:
    own = write(own_home, ".config/ankrcode/settings.json", '{"shell": {"profile": true}}')
    folder = tmp_path / "folder"
    folder.mkdir()
    assert found(folder) == [("shell.profile", "true", own)]
    theirs = write(folder, ".ankrcode/settings.json", '{"shell": {"profile": true}}')
    assert ("shell.profile", "true", theirs) in found(folder)


def test_the_list_is_the_same_before_and_after_trust(tmp_path: Path, own_home: Path) -> None:
    write(own_home, ".config/ankrcode/settings.json", '{"shell": {"profile": true}}')
    folder = tmp_path / "folder"
    write(folder, "AGENTS.md", "Do.")
    write(folder, ".ankrcode/agents/a.md", "---\nname: a\n---\nYou.")
    write(folder, ".ankrcode/macros.rl", "macro m\n  app.py padho\nend")
    before = found(folder)
    assert [key for key, _, _ in before] == ["shell.profile", "instructions", "agents", "macros"]
    TrustStore.of(os.environ).add(folder)
    assert found(folder) == before


def test_a_huge_tree_is_looked_at_in_part_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_stakes, "MAX_FOLDERS", 3)
    for number in range(5):
        (tmp_path / f"folder{number}").mkdir()
    top = write(tmp_path, "AGENTS.md", "Do.")
    assert [(value, place) for _, value, place in found(tmp_path)] == [
        ("Do. (3 characters)", top),
        ("there may be more: only the first 3 folders were looked at", str(tmp_path)),
    ]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".ankrcode" / "agents").mkdir(parents=True)
    for name in ("AGENTS.md", ".ankrcode/macros.rl", ".ankrcode/agents/pipe.md"):
        os.mkfifo(tmp_path / name)
    [(key, value, _)] = found(tmp_path)
    assert key == "agents"
    assert value.startswith("pipe (")


def test_the_command_shows_all_of_it_in_words_and_as_json(project: Path) -> None:
    write(project, "AGENTS.md", "Obey.")
    write(project, ".claude/agents/a.md", "---\nname: a\n---\nYou.")
    write(project, ".ankrcode/macros.rl", "macro m\n  app.py padho\nend")
    keys = ["permissions.allow", "hooks", "instructions", "agents", "macros"]
    assert [one["key"] for one in facts(project)["at_stake"]] == keys
    lines = trust(project).stdout.splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == keys
