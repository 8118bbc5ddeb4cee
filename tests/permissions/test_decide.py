"""The one decision: its order, its modes, and that the pipeline does what it says."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import Permission, Tool, ToolContext, Toolkit
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.errors import SettingsError, UsageError
from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.decide import Decision, decide
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.examples import try_examples
from ankrcode.permissions.rules.layers import rules_of_layers
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import NO_RULES, Kind, Ruleset, parse_rule
from ankrcode.protocol.acts import NOTHING, Acts
from ankrcode.protocol.permission import Mode
from ankrcode.testing import YES, FakePerson
from ankrcode.tooling.schema import NoInput
from ankrcode.workspace.roots import Workspace
from config.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


CHANGES: dict[str, dict[str, Any]] = {
    "Write": {"file_path": "a.txt", "content": "x"},
    "Bash": {"command": "touch a.txt"},
    "mcp__x__y": {},
    "Task": {"subagent_type": "code", "prompt": "x"},
}


def ruleset(workspace: Workspace, **lists: list[str]) -> Ruleset:
    anchors = Anchors(workspace.root, workspace.cwd, workspace.home)
    kinds: dict[str, Kind] = {"allow": "allow", "ask": "ask", "deny": "deny"}
    return Ruleset(
        tuple(parse_rule(one, kinds[k], anchors) for k, texts in lists.items() for one in texts)
    )


def decided(
    folder: Path, tool: str, arguments: dict[str, Any], mode: Mode, **lists: list[str]
) -> Decision:
    workspace = Workspace([folder], home=str(folder / "home"))
    policy = Policy(mode=mode, rules=ruleset(workspace, **lists))
    return decide(facts_of(tool, arguments, workspace), policy, workspace).decision


# ── the order ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("mode", list(Mode))
def test_what_is_catastrophic_is_denied_whatever_else_is_said(mode: Mode, tmp_path: Path) -> None:
    for command in ("rm -rf /", "rm -rf ~", ":(){ :|:& };:", "dd if=x of=/dev/sda"):
        found = decided(tmp_path, "Bash", {"command": command}, mode, allow=["Bash"])
        assert found is Decision.DENY, command


@pytest.mark.parametrize("mode", list(Mode))
def test_a_deny_rule_holds_in_every_mode_and_against_every_permission(
    mode: Mode, tmp_path: Path
) -> None:
    arguments = {"file_path": "docs/a.md", "content": "x"}
    lists = {"deny": ["Edit(/docs/**)"], "allow": ["Edit", "Write"], "ask": ["Edit"]}
    assert decided(tmp_path, "Write", arguments, mode, **lists) is Decision.DENY


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.BYPASS])
def test_an_ask_rule_comes_before_permissions_and_modes(mode: Mode, tmp_path: Path) -> None:
    arguments = {"file_path": "docs/a.md", "content": "x"}
    lists = {"ask": ["Edit(/docs/**)"], "allow": ["Edit"]}
    assert decided(tmp_path, "Write", arguments, mode, **lists) is Decision.ASK


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.BYPASS])
@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".mcp.json", ".claude/x", ".bashrc"])
def test_protected_names_are_asked_about_in_every_mode(
    mode: Mode, path: str, tmp_path: Path
) -> None:
    arguments = {"file_path": path, "content": "x"}
    assert decided(tmp_path, "Write", arguments, mode, allow=["Edit"]) is Decision.ASK
    command = {"command": f"echo x > {path}"}
    assert decided(tmp_path, "Bash", command, mode, allow=["Bash", "Edit"]) is Decision.ASK


@pytest.mark.parametrize("mode", list(Mode))
def test_what_only_reads_is_allowed_in_every_mode(mode: Mode, tmp_path: Path) -> None:
    readers: dict[str, dict[str, Any]] = {
        "Read": {"file_path": "a.txt"},
        "Grep": {"pattern": "x"},
        "Bash": {"command": "git log --oneline | head -3"},
        "TodoWrite": {"todos": []},
    }
    for tool, arguments in readers.items():
        assert decided(tmp_path, tool, arguments, mode) is Decision.ALLOW, tool


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (Mode.DEFAULT, Decision.ASK),
        (Mode.PLAN, Decision.DENY),
        (Mode.DONT_ASK, Decision.DENY),
        (Mode.BYPASS, Decision.ALLOW),
    ],
)
def test_what_changes_something_is_left_to_the_mode(
    mode: Mode, wanted: Decision, tmp_path: Path
) -> None:
    for tool, arguments in CHANGES.items():
        assert decided(tmp_path, tool, arguments, mode) is wanted, tool


def test_accepting_edits_means_edits_in_the_workspace_and_nothing_else(tmp_path: Path) -> None:
    mode = Mode.ACCEPT_EDITS
    assert decided(tmp_path, "Write", CHANGES["Write"], mode) is Decision.ALLOW
    outside = {"file_path": "/etc/x", "content": "x"}
    assert decided(tmp_path, "Write", outside, mode) is Decision.ASK
    for tool in ("Bash", "mcp__x__y", "Task"):
        assert decided(tmp_path, tool, CHANGES[tool], mode) is Decision.ASK, tool


def test_a_plan_changes_nothing_whatever_was_allowed(tmp_path: Path) -> None:
    lists = {"allow": ["Bash", "Edit", "Write", "Task", "mcp__x__*"]}
    for tool, arguments in CHANGES.items():
        assert decided(tmp_path, tool, arguments, Mode.PLAN, **lists) is Decision.DENY, tool


@pytest.mark.parametrize(
    "command",
    [
        *("git push --force", "git reset --hard", "git clean -fd", "git branch -D x"),
        *("git checkout .", "git restore .", "git commit --amend", "git commit --no-verify -m x"),
        *("git config user.name x", "git commit --no-gpg-sign -m x"),
    ],
)
def test_what_git_cannot_take_back_is_asked_in_every_mode_but_bypass(
    command: str, tmp_path: Path
) -> None:
    arguments = {"command": command}
    for mode in (Mode.DEFAULT, Mode.ACCEPT_EDITS):
        assert decided(tmp_path, "Bash", arguments, mode, allow=["Bash(git:*)"]) is Decision.ASK
    assert decided(tmp_path, "Bash", arguments, Mode.BYPASS) is Decision.ALLOW


# ── the pipeline does what the decision says ──────────────────────────────────────────────────
def kit(folder: Path, *, allow: list[str] | None = None, deny: list[str] | None = None) -> Toolkit:
    permissions = PermissionSettings(allow=allow or [], deny=deny or [])
    return Toolkit(cwd=folder, settings=Settings(permissions=permissions))


async def test_a_rule_of_the_settings_lets_a_call_run_or_stops_it(tmp_path: Path) -> None:
    ours = kit(tmp_path, allow=["Edit(/docs/**)"], deny=["Read(.env)"])
    (tmp_path / ".env").write_text("X=1\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    assert (await ours.call("Write", file_path="docs/a.md", content="x")).ok
    assert (await ours.call("Write", file_path="src.md", content="x")).error is not None
    denied = await ours.call("Read", file_path=".env")
    assert denied.error is not None
    assert "Read(.env)" in denied.error.message
    assert not (tmp_path / "src.md").exists()


async def test_commands_run_by_their_verdict(tmp_path: Path) -> None:
    ours = kit(tmp_path, allow=["Bash(touch:*)"], deny=["Bash(touch no*)"])
    assert (await ours.call("Bash", command="echo hi")).ok
    assert (await ours.call("Bash", command="touch yes")).ok
    for command in ("touch no", "mkdir sub", "touch yes2 && mkdir sub", "touch yes3 > out"):
        assert (await ours.call("Bash", command=command)).error is not None, command
    assert sorted(path.name for path in tmp_path.iterdir()) == ["yes"]
    ours.close()


async def test_a_protected_name_is_asked_about_and_then_written(tmp_path: Path) -> None:
    person = FakePerson([YES])
    ours = Toolkit(cwd=tmp_path, mode="acceptEdits", approve=person)
    assert (await ours.call("Write", file_path=".mcp.json", content="{}")).ok
    assert "protected" in person.asked[0].reason


class Wary(Tool[NoInput]):
    """Reads nothing, and has a doubt of its own."""

    name = "Wary"
    permission = Permission.READ

    def acts(self, args: NoInput, ctx: ToolContext) -> Acts:
        return NOTHING

    def approval(self, args: NoInput, ctx: ToolContext) -> str:
        return "it is wary"

    async def run(self, args: NoInput, ctx: ToolContext) -> str:
        return "done"


@pytest.mark.requirement("S4-148")
async def test_the_rules_speak_first_then_the_tool_then_the_person(tmp_path: Path) -> None:
    for permissions, wanted, questions in (
        (PermissionSettings(deny=["Wary"]), False, []),
        (PermissionSettings(ask=["Wary"]), True, ["the rule Wary wants to be asked; it is wary"]),
        (PermissionSettings(allow=["Wary"]), True, ["it is wary"]),
        (PermissionSettings(), True, ["it is wary"]),
    ):
        person = FakePerson([YES])
        settings = Settings(permissions=permissions)
        ours = Toolkit([Wary], cwd=tmp_path, settings=settings, approve=person)
        assert (await ours.call("Wary")).ok is wanted
        assert [one.reason for one in person.asked] == questions


async def test_a_further_agent_has_the_same_rules(tmp_path: Path) -> None:
    child = kit(tmp_path, deny=["Read(.env)"]).for_agent("helper")
    (tmp_path / ".env").touch()
    assert (await child.call("Read", file_path=".env")).error is not None


def test_a_broken_rule_of_the_settings_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'Bash\(rm' is not a rule"):
        kit(tmp_path, deny=["Bash(rm"])


# ── layers ────────────────────────────────────────────────────────────────────────────────────
def test_the_rules_of_all_layers_count_together(machine: Machine) -> None:
    machine.write(machine.user_file, {"permissions": {"allow": ["Bash(make:*)"], "deny": ["A"]}})
    machine.write(machine.project_file, {"permissions": {"deny": ["Read(/x)"], "ask": ["B"]}})
    machine.write(machine.managed_file, {"permissions": {"deny": ["C"]}})
    loaded = machine.load('permissions.deny=["D"]')
    rules, warnings = rules_of_layers(loaded.rules, Workspace([machine.root]))
    assert {rule.text for rule in rules.rules} == {
        *("Bash(make:*)", "A", "Read(/x)", "B", "C", "D"),
    }
    assert not warnings


def test_a_project_may_only_tighten(machine: Machine) -> None:
    rules = {"permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}
    machine.write(machine.project_file, rules)
    machine.write(machine.root / ".claude" / "settings.json", rules)
    loaded = machine.load()
    found, _ = rules_of_layers(loaded.rules, Workspace([machine.root]))
    assert [rule.text for rule in found.rules] == ["Read(.env)", "Read(.env)"]
    assert sum("permissions.allow" in str(warning) for warning in loaded.warnings) == 1


def test_the_rules_people_have_already_are_read_as_they_are(machine: Machine) -> None:
    theirs = {
        "permissions": {"allow": ["Bash(npm run:*)"], "deny": ["Read(./.env)"], "defaultMode": "x"},
        "hooks": {"PreToolUse": []},
        "env": {"X": "1"},
    }
    machine.write(machine.home / ".claude" / "settings.json", theirs)
    loaded = machine.load()
    found, _ = rules_of_layers(loaded.rules, Workspace([machine.root]))
    assert {rule.text for rule in found.rules} == {"Bash(npm run:*)", "Read(./.env)"}
    assert not loaded.warnings


def test_a_broken_file_of_theirs_is_a_warning(machine: Machine) -> None:
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    assert len(machine.load().warnings) == 1


def test_a_slash_counts_from_where_the_rule_was_written(machine: Machine) -> None:
    machine.write(machine.user_file, {"permissions": {"deny": ["Read(/x)"]}})
    machine.write(machine.project_file, {"permissions": {"deny": ["Read(/x)"]}})
    found, _ = rules_of_layers(machine.load().rules, Workspace([machine.root]))
    assert [rule.anchors.root for rule in found.rules] == [
        str(machine.user_file.parent),
        str(machine.root.resolve()),
    ]


def test_a_broken_rule_stops_the_person_and_warns_about_the_project(machine: Machine) -> None:
    machine.write(machine.project_file, {"permissions": {"deny": ["Bash("]}})
    _, warnings = rules_of_layers(machine.load().rules, Workspace([machine.root]))
    assert "'Bash(' is not a rule" in str(warnings[0])
    machine.write(machine.user_file, {"permissions": {"deny": ["Bash("]}})
    with pytest.raises(SettingsError, match="is not a rule"):
        rules_of_layers(machine.load().rules, Workspace([machine.root]))


# ── examples of rules ─────────────────────────────────────────────────────────────────────────
def test_examples_are_tried_and_the_wrong_ones_are_found(tmp_path: Path) -> None:
    document = {
        "rules": {"allow": ["Bash(npm run test:*)"], "deny": ["Read(.env)"]},
        "examples": [
            {"call": "Bash(npm run test --watch)", "want": "allow"},
            {"call": "Bash(npm run build)", "want": "allow"},
            {"tool": "Read", "args": {"file_path": ".env"}, "want": "deny"},
            {"call": "Read(.env)", "want": "deny", "mode": "bypass"},
            {"call": "WebSearch", "want": "ask"},
        ],
    }
    tried = try_examples(document, Workspace([tmp_path]), NO_RULES)
    assert [one.is_right for one in tried] == [True, False, True, True, True]
    assert tried[1].verdict.decision is Decision.ASK


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "examples"),
        ({"examples": [{"call": "Bash(ls)"}]}, "want"),
        ({"examples": [{"want": "ask"}]}, "an example needs"),
        ({"examples": [], "rules": {"allow": "Bash"}}, "must be a list"),
        ({"examples": [], "rules": {"forbid": []}}, "allow, ask and deny"),
        ({"examples": [], "rules": {"deny": ["Bash("]}}, "is not a rule"),
        ({"examples": [{"call": "Bash(ls)", "want": "ask", "mode": "x"}]}, "not a mode"),
    ],
)
def test_a_file_of_examples_that_cannot_be_used_says_why(
    document: object, why: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=why):
        try_examples(document, Workspace([tmp_path]), NO_RULES)
