"""A hostile checkout starts nothing, opens nothing and changes nothing before it is trusted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from frontends.command import ankrcode, answers
from frontends.hostile import CONSOLE, ENDPOINT, EVENTS, MODULE, MODULES, Checkout, Traced

CALLS = [
    {"id": 1, "tool": "Read", "params": {"file_path": "README.md"}},
    {"id": 2, "tool": "List", "params": {}},
    {"id": 3, "tool": "Write", "params": {"file_path": "b.txt", "content": "x"}},
    {"id": 4, "tool": "Bash", "params": {"command": "touch b.txt"}},
    {"id": 5, "tool": "Read", "params": {"file_path": "/etc/hostname"}},
]
CHECKS = [
    {"id": 1, "kind": "command", "input": "git status", "env": {}},
    {"id": 2, "kind": "path", "input": {"path": "a.txt", "op": "read"}, "env": {}},
    {"id": 3, "kind": "url", "input": {"url": ENDPOINT}, "env": {}},
]
COMMANDS: dict[str, tuple[list[str], str, int]] = {
    "version": (["--version"], "", 0),
    "help": (["--help"], "", 0),
    "doctor": (["doctor"], "", 0),
    "exec": (["exec", "Read", "file_path=README.md"], "", 0),
    "exec denied": (["exec", "Bash", "command=touch b.txt"], "", 4),
    "exec batch": (["exec", "--batch"], "\n".join(map(json.dumps, CALLS)), 0),
    "tools list": (["tools", "list"], "", 0),
    "permissions check": (
        ["permissions", "check", "--json"],
        "\n".join(map(json.dumps, CHECKS)),
        0,
    ),
    "permissions explain": (["permissions", "explain", "git status"], "", 0),
    "config list": (["config", "list"], "", 0),
    "trust": (["trust"], "", 0),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(autouse=True)
def nothing_springs(checkout: Checkout) -> None:
    for one in checkout.sprung_folder.iterdir():
        one.unlink()


@pytest.mark.parametrize("door", [CONSOLE, MODULE], ids=["console", "module"])
@pytest.mark.parametrize("name", COMMANDS)
def test_before_trust_a_command_starts_no_process_and_opens_no_socket(
    name: str, door: list[str], checkout: Checkout
) -> None:
    arguments, given, code = COMMANDS[name]
    traced = Traced(checkout, [*door, *arguments], given)
    assert traced.done.returncode == code, traced.done.stderr
    assert len(traced.programs) == 1, traced.programs  # itself
    assert traced.processes == []
    assert traced.sockets == []
    assert checkout.sprung == []
    assert not (checkout.root / "b.txt").exists()


def test_what_the_folder_wants_is_told_and_not_done(checkout: Checkout) -> None:
    done = ankrcode("exec", "--batch", cwd=checkout.root, given="\n".join(map(json.dumps, CALLS)))
    assert [one["ok"] for one in answers(done)] == [True, True, False, False, False]
    assert "is not trusted, so these of its settings do not count" in done.stderr
    assert all(one in done.stderr for one in ("hooks", "permissions.allow", "shell.profile"))
    refused = ("permissions.mode", "plugins", "sandbox.wall", "results.folder", "shell.env_pass")
    assert all(f"'{one}' cannot be set by a project" in done.stderr for one in refused)
    assert checkout.sprung == []


def test_no_file_of_the_folder_changes_an_endpoint(checkout: Checkout) -> None:
    done = ankrcode("exec", "Bash", "command=printenv", cwd=checkout.root)
    shown = done.stdout + done.stderr
    assert ENDPOINT not in shown
    assert "LD_PRELOAD" not in shown
    assert checkout.sprung == []
    for command in ("config list", "doctor", "doctor --json"):
        assert ENDPOINT not in ankrcode(*command.split(), cwd=checkout.root).stdout


READ_ONLY_GIT = [
    "git status",
    "git status --short --branch",
    "git diff",
    "git diff --stat",
    "git diff HEAD",
    "git diff --cached",
    "git log",
    "git log -p -1",
    "git log --stat",
    "git show",
    "git show HEAD:a.txt",
    "git blame a.txt",
    "git ls-files -m",
    "git branch -a",
    "git stash list",
    "git hash-object a.txt",
    "git diff-files -p",
    "git diff-index -p HEAD",
    "cd . && git status && git diff | head -3",
    "git -C . status",
    "bash -c 'git status; git diff'",
    "echo a.txt | xargs git diff --",
    "for f in a.txt; do git diff $f; done",
    "echo $(git status --short)",
    "env git diff",
    "timeout 10 git diff",
]


@pytest.mark.parametrize("command", READ_ONLY_GIT)
def test_git_that_only_reads_runs_nothing_of_the_folder(command: str, checkout: Checkout) -> None:
    done = ankrcode("exec", "Bash", f"command={command}", cwd=checkout.root)
    assert "is not trusted" in done.stderr
    assert done.returncode in (0, 4)  # it ran, or it was thought to do more than read
    assert checkout.sprung == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("exec", "Grep", "pattern=one"),
        ("exec", "Glob", "pattern=**/*.txt"),
        ("exec", "Bash", "command=ls; cat a.txt; grep -rn one . | head -2; find . -name a.txt"),
        ("exec", "Read", "file_path=.env"),
        ("sandbox", "status"),
        ("config", "get", "permissions.mode"),
        ("tools", "show", "Bash"),
    ],
    ids=" ".join,
)
def test_what_a_tool_starts_by_itself_is_nothing_of_the_folder(
    arguments: tuple[str, ...], checkout: Checkout
) -> None:
    ankrcode(*arguments, cwd=checkout.root)
    assert checkout.sprung == []


@pytest.mark.parametrize("path", [".:{}", ":{}", "{}:", "./:{}", "bin:{}", "../checkout:{}"])
def test_a_path_that_names_no_fixed_place_lets_no_folder_choose_programs(
    path: str, checkout: Checkout
) -> None:
    env = {"PATH": path.format(os.environ["PATH"])}
    done = ankrcode("exec", "Bash", "command=cat a.txt", cwd=checkout.root, env=env)
    assert done.stdout == "two\n"
    assert checkout.sprung == []


# ── the traps are real ────────────────────────────────────────────────────────────────────────
def test_a_plain_module_run_would_spring_a_trap(checkout: Checkout) -> None:
    """This is why nothing of ours ever says `python -m` without `-P`."""
    plain = [sys.executable, "-m", "ankrcode", "--version"]
    subprocess.run(plain, cwd=checkout.root, capture_output=True, timeout=60, check=False)
    assert set(checkout.sprung) & set(MODULES)


@pytest.mark.parametrize(
    ("command", "trap"),
    [
        ("git status", "fsmonitor"),
        ("git diff", "clean"),
        ("git diff --no-ext-diff", "diff-command"),
        ("git blame a.txt", "textconv"),
        ("git st", "alias"),
    ],
)
def test_a_plain_git_would_spring_a_trap(command: str, trap: str, checkout: Checkout) -> None:
    subprocess.run(command.split(), cwd=checkout.root, capture_output=True, check=False)
    assert {trap} & set(checkout.sprung) or trap == "diff-command"


def test_the_hooks_would_run_once_the_folder_is_trusted(checkout: Checkout) -> None:
    assert ankrcode("trust", "add", cwd=checkout.root).returncode == 0
    try:
        assert checkout.sprung == []  # trusting is not running
        assert ankrcode("exec", "List", cwd=checkout.root).returncode == 0
        ran = {"SessionStart", "PreToolUse", "PostToolUse", "SessionEnd"}
        assert set(checkout.sprung) & set(EVENTS) == ran
        assert set(checkout.sprung) <= set(EVENTS)
    finally:
        ankrcode("trust", "remove", cwd=checkout.root)


# ── our own commands ──────────────────────────────────────────────────────────────────────────
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "file",
    [ROOT / "Makefile", ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")],
    ids=lambda file: file.name,
)
def test_nothing_tells_people_to_run_us_as_a_plain_module(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    wrong = [
        line
        for line in text.splitlines()
        if "-m ankrcode" in line and "-P -m ankrcode" not in line and "never" not in line
    ]
    assert wrong == []


def test_the_makefile_runs_no_module_that_a_folder_could_replace() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    plain = [line for line in lines if " -m " in line and "-P -m" not in line]
    # What makes the environment itself: Python's own modules, before there is anything of ours.
    assert all(
        any(name in line for name in ("venv", "pip", "compileall", "pytest -n")) for line in plain
    )
