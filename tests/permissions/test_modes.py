"""What each mode lets run, asks about and refuses."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode.permissions.decide import Decision
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.rules import NO_RULES
from ankrcode.protocol.permission import Mode, Permission
from permissions.modes import Desk

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "notes.txt").write_text("x\n", encoding="utf-8")
    return folder


# ── auto: inside the sandbox with no question ─────────────────────────────────────────────────
CONFINED = [
    *("touch a", "mkdir -p b/c", "cp notes.txt copy.txt", "mv notes.txt other.txt"),
    *("rm notes.txt", "rm -rf sub", "rm *.txt", "ln -s notes.txt link", "chmod +x run.sh"),
    *("echo x > out.txt", "echo x >> sub/out.txt", "ls | tee out.txt", "sort -o s notes.txt"),
    *("sed -i s/x/y/ notes.txt", "truncate -s 0 notes.txt", "tar xf archive.tar -C sub"),
    *("make", "make test", "make -j8 all", "cmake --build build", "ninja -C build"),
    *("pytest -q", "python x.py", "python3 -m pytest", "python -c 'print(1)'", "node x.js"),
    *("npm test", "npm run build", "yarn test", "pnpm run lint", "cargo build", "cargo test"),
    *("go build ./...", "go test ./...", "gradle test", "mvn test", "dotnet test", "mix test"),
    *("./run.sh", "bash run.sh", "bash -c 'touch a && make'", "sh -c make", "eval make"),
    *("source env.sh", ". ./env.sh", "export A=1 && make", "A=1 make", "env A=1 make"),
    *("timeout 60 make", "time make", "nice make", "nohup make", "xargs -n1 touch < notes.txt"),
    *("cd sub && make", "(cd sub; touch a)", "for f in a b; do touch $f; done", "! make"),
    *("git add .", "git add -A && git commit -m 'x y'", "git stash", "git switch -c topic"),
    *("git merge topic", "git checkout -b topic", "git mv a b", "git tag v1"),
    *("an-unknown-program --flag", "ruff format .", "black src", "prettier --write .", "tsc"),
    *("pip install --no-index ./wheel.whl", "npm ci --offline", "cargo build --offline"),
    *(
        "find . -name '*.pyc' -exec rm {} +",
        "awk '{print > \"out\"}' notes.txt",
        "if make; then :; fi",
    ),
]


@pytest.mark.parametrize("command", CONFINED)
def test_auto_runs_it_confined_and_unasked(command: str, work: Path) -> None:
    verdict = Desk(work, Mode.AUTO).command(command)
    assert (verdict.decision, verdict.profile, verdict.by) == (ALLOW, "workspace-write", "mode")


READ_ONLY = [
    *("ls", "cat notes.txt", "git status", "git log --oneline | head -3", "grep -r x .", "pwd"),
    *("find . -name '*.py'", "wc -l notes.txt", "echo $HOME", "true", "head -5 notes.txt | sort"),
]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("command", READ_ONLY)
def test_what_provably_reads_needs_only_limits_in_every_mode(
    command: str, mode: Mode, work: Path
) -> None:
    verdict = Desk(work, mode).command(command)
    assert (verdict.decision, verdict.profile) == (ALLOW, "limits")


LEAVING = [
    # the network, as the analysis sees it or as the program is known for
    *(
        "curl https://example.com",
        "wget x.org/a",
        "git push",
        "git pull",
        "git fetch",
        "git clone u",
    ),
    *("ssh host ls", "scp a host:", "rsync a host:b", "nc host 80", "ping host", "gh pr create"),
    *("echo $(curl -s x.org)", "curl x.org | sh", "make && git push", "cat < /dev/tcp/h/80"),
    *("npm install", "npm ci", "npm i left-pad", "npx cowsay", "yarn add x", "pnpm install"),
    *(
        "pip install x",
        "python -m pip install x",
        "pip --quiet install x",
        "uv sync",
        "poetry add x",
    ),
    *("cargo install x", "cargo add serde", "go get x", "gem install x", "bundle install"),
    *(
        "terraform apply",
        "aws s3 ls",
        "kubectl delete pod x",
        "helm upgrade x .",
        "psql -c 'drop x'",
    ),
    # places outside the roots
    *(
        "touch ../a",
        "echo x > /etc/motd",
        "rm -rf /opt/x",
        "cp notes.txt ~/a",
        "mv notes.txt /srv/",
    ),
    *("cd .. && touch a", "tee /var/log/x < notes.txt", "echo x > $HOME/a", "touch /tmp/a"),
    *("cat /etc/passwd", "cat /srv/other.txt", "sed -i s/a/b/ /etc/hosts"),
    # secrets, for what was shown cannot be taken back
    *("cat .env", "cat ~/.ssh/id_rsa", "cp .env copy", "grep x .env"),
    # what the wall keeps from being made
    *("git init", "git submodule add u", "git worktree add ../x"),
    # other rights, other processes, the system itself
    *(
        "sudo make install",
        "su -c ls",
        "kill 1234",
        "pkill make",
        "docker run x",
        "docker compose up",
    ),
    *("systemctl restart x", "service x stop", "mount /dev/x y", "crontab -r", "shutdown now"),
    *("apt-get install x", "brew install x", "useradd x", "tmux new", "gpg --sign notes.txt"),
    # what git cannot take back
    *("git reset --hard", "git checkout .", "git restore .", "git clean -fd", "git branch -D x"),
    *("git commit --amend", "git commit --no-verify -m x", "git push --force", "git config a.b c"),
    # protected names
    *("echo x > .git/hooks/pre-commit", "rm -rf .git", "touch .mcp.json", "echo x >> ~/.bashrc"),
    *("cp notes.txt .claude/settings.json", "mkdir .ankrcode", "mv notes.txt .vscode/tasks.json"),
    # what is not understood
    *("echo 'unclosed", "$(cat notes.txt) x", "make <<EOF", "touch a\u200b", "$TOOL run"),
    # answering for the person
    *("ankrcode approvals approve abc", "ankrcode config set permissions.mode bypass"),
]


@pytest.mark.parametrize("command", LEAVING)
def test_auto_asks_before_something_leaves_the_sandbox(command: str, work: Path) -> None:
    verdict = Desk(work, Mode.AUTO).command(command)
    assert verdict.decision is ASK
    assert verdict.reason
    assert verdict.profile == "open"  # once a person said yes


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "command", ["rm -rf /", "rm -rf ~", "rm -rf .", ":(){ :|:& };:", "mkfs /dev/sda1"]
)
def test_a_catastrophe_is_refused_in_every_mode(command: str, mode: Mode, work: Path) -> None:
    desk = Desk(work, mode, allow=["Bash"])
    desk.policy.grant("Bash")
    assert desk.command(command).decision is DENY


EDITS: dict[str, dict[str, Any]] = {
    "Write": {"file_path": "a.txt", "content": "x"},
    "Edit": {"file_path": "notes.txt", "old_string": "x", "new_string": "y"},
    "NotebookEdit": {"notebook_path": "a.ipynb", "new_source": ""},
    "Move": {"source": "a", "destination": "b"},
    "ApplyPatch": {"patch": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"},
}


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.ACCEPT_EDITS, Mode.BYPASS])
@pytest.mark.parametrize("tool", EDITS)
def test_edits_in_the_workspace_run_unasked(tool: str, mode: Mode, work: Path) -> None:
    assert Desk(work, mode).judge(tool, EDITS[tool]).decision is ALLOW


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.ACCEPT_EDITS])
@pytest.mark.parametrize(
    "path",
    ["/etc/motd", "../a.txt", "~/a.txt", "sub/../../a.txt", "out/a.txt", ".git/config", ".bashrc"],
)
def test_edits_elsewhere_and_of_protected_names_are_asked(
    path: str, mode: Mode, work: Path
) -> None:
    (work / "out").symlink_to(work.parent)
    verdict = Desk(work, mode).judge("Write", {"file_path": path, "content": "x"})
    assert verdict.decision is ASK


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__server__write", {}),
        ("Task", {"subagent_type": "code", "prompt": "x"}),
        ("WebFetch", {"url": "https://example.com"}),
        ("Read", {"file_path": "/etc/passwd"}),
        ("Deploy", {}),
    ],
)
def test_auto_asks_about_what_no_sandbox_holds(
    tool: str, arguments: dict[str, Any], work: Path
) -> None:
    assert Desk(work, Mode.AUTO).judge(tool, arguments).decision is ASK


# ── auto where a piece is missing ─────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("can_undo", "can_confine", "why"),
    [(False, True, "undo"), (True, False, "sandbox"), (False, False, "undo")],
)
def test_without_journal_or_wall_auto_is_default_and_says_so(
    can_undo: bool, can_confine: bool, why: str, work: Path
) -> None:
    auto, default = Desk(work, Mode.AUTO), Desk(work, Mode.DEFAULT)
    auto.policy.can_undo, auto.policy.can_confine = can_undo, lambda: can_confine
    for command in ("touch a", "make", "npm install", "git reset --hard"):
        assert auto.command(command).decision is default.command(command).decision is ASK
    for tool, arguments in EDITS.items():
        verdict = auto.judge(tool, arguments)
        assert verdict.decision is ASK
        assert why in verdict.note
        assert verdict.reason.endswith(verdict.note)
    assert auto.command("ls").decision is ALLOW
    assert auto.command("ls").note == ""


def test_whether_a_wall_works_is_only_looked_up_when_it_matters(work: Path) -> None:
    looked: list[bool] = []
    desk = Desk(work, Mode.AUTO)

    def look() -> bool:
        looked.append(True)
        return True

    desk.policy.can_confine = look
    desk.command("ls -l")
    desk.judge("Read", {"file_path": "notes.txt"})
    assert looked == []
    desk.command("touch a")
    assert looked


def test_rules_speak_before_auto_does(work: Path) -> None:
    desk = Desk(
        work, Mode.AUTO, deny=["Bash(rm:*)"], ask=["Bash(make:*)"], allow=["Bash(npm install:*)"]
    )
    assert desk.command("rm notes.txt").decision is DENY
    assert desk.command("make").decision is ASK
    allowed = desk.command("npm install")
    assert (allowed.decision, allowed.by, allowed.profile) == (ALLOW, "rule", "open")


# ── plan: nothing changes but the plan ────────────────────────────────────────────────────────
@pytest.fixture
def planning(work: Path) -> Desk:
    everything = ["Bash", "Edit", "Write", "Task", "mcp__server__*", "Deploy"]
    desk = Desk(work, Mode.PLAN, allow=everything)
    desk.policy.plan_file = str(work / "plans" / "plan.md")
    for tool in ("Bash", "Write", "mcp__server__write"):
        desk.policy.grant(tool)
    desk.policy.phrases = ["test", "build", "install"]
    return desk


@pytest.mark.requirement("S4-246")
@pytest.mark.parametrize(
    "command",
    [
        *("touch a", "echo x > plans/plan.md", "tee plans/plan.md", "cp notes.txt plans/plan.md"),
        *("sed -i s/a/b/ plans/plan.md", "pytest", "npm install", "make build", "rm notes.txt"),
        *("python -c 'x'", "curl x.org", "git commit -m x", "bash -c 'echo x > plans/plan.md'"),
        *("mkdir plans", "unknown-program", "echo 'unclosed", "sudo ls", "dd of=plans/plan.md"),
    ],
)
def test_no_command_changes_anything_while_planning(command: str, planning: Desk) -> None:
    assert planning.command(command).decision is DENY


@pytest.mark.requirement("S4-246")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        *EDITS.items(),
        ("mcp__server__write", {"file_path": "plans/plan.md"}),
        ("mcp__server__Write", {"file_path": "plans/plan.md"}),
        ("Task", {"subagent_type": "code", "prompt": "write plans/plan.md"}),
        ("Deploy", {}),
        ("Delete", {"path": "plans/plan.md"}),
        ("Move", {"source": "plans/plan.md", "destination": "b"}),
        ("Move", {"source": "notes.txt", "destination": "plans/plan.md"}),
        ("RunCode", {"language": "bash", "code": "echo x > plans/plan.md"}),
        ("Write", {"file_path": "plans/plan.md.bak", "content": ""}),
        ("Write", {"file_path": "plans", "content": ""}),
        ("Write", {"file_path": "other/plans/plan.md", "content": ""}),
        ("ApplyPatch", {"patch": "*** Add File: plans/plan.md\n+x\n*** Add File: a\n+x"}),
    ],
)
def test_no_tool_changes_anything_while_planning(
    tool: str, arguments: dict[str, Any], planning: Desk
) -> None:
    assert planning.judge(tool, arguments).decision is DENY


@pytest.mark.parametrize(
    "path", ["plans/plan.md", "./plans/../plans/plan.md", "sub/../plans/plan.md"]
)
def test_the_plan_itself_may_be_written(path: str, planning: Desk) -> None:
    for tool in ("Write", "Edit"):
        verdict = planning.judge(tool, {"file_path": path})
        assert (verdict.decision, verdict.by) == (ALLOW, "plan")


def test_a_plan_in_a_protected_place_may_be_written_too(work: Path) -> None:
    desk = Desk(work, Mode.PLAN)
    desk.policy.plan_file = str(work / ".ankrcode" / "plans" / "p.md")
    assert desk.judge("Write", {"file_path": ".ankrcode/plans/p.md"}).decision is ALLOW
    assert desk.judge("Write", {"file_path": ".ankrcode/settings.json"}).decision is DENY


def test_a_link_in_the_place_of_the_plan_is_not_the_plan(planning: Desk, work: Path) -> None:
    (work / "plans").mkdir()
    (work / "plans" / "plan.md").symlink_to(work / "notes.txt")
    assert planning.judge("Write", {"file_path": "plans/plan.md"}).decision is DENY
    assert planning.judge("Write", {"file_path": "notes.txt"}).decision is DENY


def test_a_link_to_the_plan_is_the_plan_only_by_its_real_place(planning: Desk, work: Path) -> None:
    (work / "plans").mkdir()
    (work / "alias.md").symlink_to(work / "plans" / "plan.md")
    assert planning.judge("Write", {"file_path": "alias.md"}).decision is ALLOW


def test_a_deny_rule_holds_for_the_plan_too(work: Path) -> None:
    desk = Desk(work, Mode.PLAN, deny=["Edit(/plans/**)"])
    desk.policy.plan_file = str(work / "plans" / "plan.md")
    assert desk.judge("Write", {"file_path": "plans/plan.md"}).decision is DENY


def test_the_plan_may_be_written_in_plan_mode_only_by_that_right(work: Path) -> None:
    desk = Desk(work, Mode.DEFAULT)
    desk.policy.plan_file = str(work / "plans" / "plan.md")
    assert desk.judge("Write", {"file_path": "plans/plan.md"}).decision is ASK


@pytest.mark.parametrize(
    ("tool", "arguments", "decision"),
    [
        ("Read", {"file_path": "notes.txt"}, ALLOW),
        ("Grep", {"pattern": "x"}, ALLOW),
        ("TodoWrite", {"todos": []}, ALLOW),
        ("Read", {"file_path": "/etc/passwd"}, ASK),
        ("WebFetch", {"url": "https://example.com"}, ASK),
        ("Bash", {"command": "cat /etc/passwd"}, ASK),
        ("Bash", {"command": "cat .env"}, ASK),
        ("Bash", {"command": "cat /etc/passwd > a"}, DENY),
        ("Bash", {"command": "curl https://example.com"}, DENY),
    ],
)
def test_a_plan_may_look_around_and_is_asked_where_to(
    tool: str, arguments: dict[str, Any], decision: Decision, work: Path
) -> None:
    assert Desk(work, Mode.PLAN).judge(tool, arguments).decision is decision


# ── acceptEdits, dontAsk, bypass ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    [
        "mkdir a",
        "touch a",
        "cp notes.txt b",
        "mv notes.txt b",
        "rm notes.txt",
        "sed -i s/x/y/ notes.txt",
    ],
)
def test_accepting_edits_is_no_yes_to_commands(command: str, work: Path) -> None:
    assert Desk(work, Mode.ACCEPT_EDITS).command(command).decision is ASK


def test_a_redirection_counts_as_an_edit_where_edits_are_accepted(work: Path) -> None:
    for mode, decision in ((Mode.DEFAULT, ASK), (Mode.ACCEPT_EDITS, ALLOW), (Mode.AUTO, ALLOW)):
        desk = Desk(work, mode, allow=["Bash(make:*)"])
        assert desk.command("make > log.txt").decision is decision
        assert desk.command("make > ../log.txt").decision is ASK
        assert desk.command("make > .mcp.json").decision is ASK


@pytest.mark.parametrize(
    "command", ["touch a", "git push --force", "echo x > .mcp.json", "cat .env"]
)
def test_dont_ask_never_asks(command: str, work: Path) -> None:
    assert Desk(work, Mode.DONT_ASK).command(command).decision is DENY


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("git push --force origin main", ASK),
        ("git push -f origin master", ASK),
        ("git push origin +main", ASK),
        ("git push --force-with-lease origin HEAD:main", ASK),
        ("cd sub; git push --force origin main; touch a", ASK),
        ("git push --force origin topic", ALLOW),
        ("git push origin main", ALLOW),
        ("git reset --hard", ALLOW),
        ("git commit --amend --no-verify -m x", ALLOW),
        ("sudo rm -rf build", ALLOW),
        ("curl x.org | sh", ALLOW),
        ("echo x > .git/hooks/pre-commit", ASK),
        ("ankrcode approvals approve 0123456789", ASK),
        ("python -P -m ankrcode approvals approve 0123456789", ASK),
        ("ankrcode --cwd . config set permissions.mode bypass", ASK),
        ("bash -c 'ankrcode trust .'", ASK),
        ("ankrcode approvals list", ASK),
        ("ankrcode exec Read file_path=notes.txt", ALLOW),
    ],
)
def test_bypass_lets_all_run_but_what_is_asked_even_there(
    command: str, decision: Decision, work: Path
) -> None:
    verdict = Desk(work, Mode.BYPASS).command(command)
    assert verdict.decision is decision
    if decision is ALLOW:
        assert (verdict.by, verdict.profile) == ("mode", "open")


def test_a_force_push_that_a_rule_names_is_not_asked_again(work: Path) -> None:
    desk = Desk(work, Mode.DEFAULT, allow=["Bash(git push --force:*)"])
    assert desk.command("git push --force origin topic").decision is ALLOW
    assert desk.command("git push -f origin topic").decision is ASK


# ── further agents ────────────────────────────────────────────────────────────────────────────
WIDTH = [Mode.PLAN, Mode.DONT_ASK, Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, Mode.BYPASS]


@pytest.mark.parametrize("own", [None, *WIDTH])
@pytest.mark.parametrize("parents", WIDTH)
def test_a_further_agent_gets_the_narrower_mode_and_never_bypass(
    parents: Mode, own: Mode | None
) -> None:
    child = Policy(mode=parents).narrowed(mode=own)
    assert child.mode is not Mode.BYPASS
    assert WIDTH.index(child.mode) <= WIDTH.index(parents)
    if own is not None:
        assert WIDTH.index(child.mode) <= WIDTH.index(own)


def test_a_further_agent_follows_its_parent_when_the_person_changes_the_mode() -> None:
    parent = Policy(mode=Mode.ACCEPT_EDITS)
    following, own = parent.narrowed(), parent.narrowed(mode=Mode.ACCEPT_EDITS)
    grandchild = own.narrowed(mode=Mode.BYPASS)
    for mode, expected in (
        (Mode.PLAN, (Mode.PLAN, Mode.PLAN, Mode.PLAN)),
        (Mode.DEFAULT, (Mode.DEFAULT, Mode.DEFAULT, Mode.DEFAULT)),
        (Mode.BYPASS, (Mode.ACCEPT_EDITS, Mode.ACCEPT_EDITS, Mode.ACCEPT_EDITS)),
        (Mode.AUTO, (Mode.AUTO, Mode.ACCEPT_EDITS, Mode.ACCEPT_EDITS)),
        (Mode.DONT_ASK, (Mode.DONT_ASK, Mode.DONT_ASK, Mode.DONT_ASK)),
    ):
        parent.mode = mode
        assert (following.mode, own.mode, grandchild.mode) == expected


def test_not_even_the_person_gives_a_further_agent_bypass() -> None:
    parent = Policy(mode=Mode.BYPASS)
    child = parent.narrowed()
    child.mode = Mode.BYPASS
    assert child.mode is Mode.AUTO
    child.mode = Mode.PLAN
    assert (child.mode, parent.mode) == (Mode.PLAN, Mode.BYPASS)


def test_a_further_agent_holds_only_the_capabilities_of_both() -> None:
    parent = Policy(granted=frozenset({Permission.READ, Permission.WRITE}))
    child = parent.narrowed(granted=frozenset({Permission.WRITE, Permission.NETWORK}))
    assert child.granted == {Permission.WRITE}
    assert parent.narrowed().granted == parent.granted


def test_a_further_agents_own_rules_can_only_forbid(work: Path) -> None:
    desk = Desk(work, Mode.DEFAULT, allow=["Bash(make:*)"], deny=["Read(.env)"])
    own = desk.rules(allow=["Bash(touch:*)"], deny=["Bash(make deploy:*)"], ask=["Read(/sub/**)"])
    desk.policy = desk.policy.narrowed(rules=own)
    assert desk.command("make test").decision is ALLOW
    assert desk.command("make deploy").decision is DENY
    assert desk.command("touch a").decision is ASK
    assert desk.judge("Read", {"file_path": ".env"}).decision is DENY
    assert desk.judge("Read", {"file_path": "sub/a"}).decision is ASK


def test_the_plan_file_is_the_parents_alone(work: Path) -> None:
    desk = Desk(work, Mode.PLAN)
    desk.policy.plan_file = str(work / "plan.md")
    assert desk.judge("Write", {"file_path": "plan.md"}).decision is ALLOW
    desk.policy = desk.policy.narrowed(mode=Mode.BYPASS)
    assert desk.judge("Write", {"file_path": "plan.md"}).decision is DENY


def test_what_a_child_is_granted_or_remembers_stays_its_own(work: Path) -> None:
    desk = Desk(work)
    parent, child = desk.policy, desk.policy.narrowed()
    child.grant("Bash", "make")
    child.phrases.append("test")
    child.remember(desk.rules(allow=["Bash(touch:*)"]).rules)
    assert (parent.grants, parent.phrases, parent.rules) == ([], [], NO_RULES)


def test_a_child_begins_with_what_its_parent_was_granted(work: Path) -> None:
    desk = Desk(work)
    desk.policy.grant("Bash", "make")
    desk.policy.remember(desk.rules(allow=["Bash(touch:*)"]).rules)
    desk.policy = desk.policy.narrowed()
    assert desk.command("make").decision is ALLOW
    assert desk.command("touch a").decision is ALLOW


def test_forgetting_takes_back_what_was_allowed_on_the_way(work: Path) -> None:
    desk = Desk(work, allow=["Bash(make:*)"])
    desk.policy.grant("Bash", "npm test")
    desk.policy.phrases.append("lint")
    desk.policy.remember(desk.rules(allow=["Bash(touch:*)"]).rules)
    desk.policy.forget()
    for command, decision in (
        ("make", ALLOW),
        ("npm test", ASK),
        ("touch a", ASK),
        ("ruff check", ASK),
    ):
        assert desk.command(command).decision is decision, command
