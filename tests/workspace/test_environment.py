"""The variables a command sees."""

import os
from pathlib import Path

import pytest

from ankrcode.config.secrets import is_secret_variable
from ankrcode.workspace.processes.environment import Environment
from ankrcode.workspace.processes.processes import Processes
from ankrcode.workspace.processes.saved import Saved

SECRET = {
    "GITHUB_TOKEN": "x" * 20,
    "AWS_SECRET_ACCESS_KEY": "short",
    "PGPASSWORD": "abc",
    "ANTHROPIC_API_KEY": "sk-ant-something",
    "HARMLESS_NAME": "ghp_" + "a1B2" * 9,
    "DATABASE_URL": "postgres://me:hunter2secret@db/x",
}
ORDINARY = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/me",
    "LANG": "hi_IN.UTF-8",
    "SSH_AUTH_SOCK": "/run/agent.sock",
    "SSL_CERT_KEY": "/etc/ssl/key.pem",
    "TOKENIZERS_PARALLELISM": "false",
    "KEYBOARD": "de",
    "EMPTY_TOKEN": "",
}


def test_secrets_are_withheld_by_name_and_by_what_they_look_like() -> None:
    environment = Environment({**ORDINARY, **SECRET}, is_secret=is_secret_variable)
    seen = environment()
    assert not set(seen) & set(SECRET)
    assert environment.withheld == tuple(sorted(SECRET))
    assert seen.items() >= ORDINARY.items()


@pytest.mark.parametrize(
    ("passed", "names"),
    [
        (["GITHUB_TOKEN"], {"GITHUB_TOKEN"}),
        (["*_TOKEN", "PG*"], {"GITHUB_TOKEN", "PGPASSWORD"}),
        (["github_token"], set()),
        (["*"], set(SECRET)),
    ],
)
def test_the_person_may_let_some_through(passed: list[str], names: set[str]) -> None:
    environment = Environment(SECRET, is_secret=is_secret_variable, passed=passed)
    assert set(environment()) & set(SECRET) == names


def test_nothing_pages_colours_or_asks() -> None:
    seen = Environment({"PAGER": "less", "TERM": "xterm", "FORCE_COLOR": "1", "BASH_ENV": "/x"})()
    assert seen["PAGER"] == seen["GIT_PAGER"] == "cat"
    assert (seen["TERM"], seen["NO_COLOR"], seen["CI"]) == ("dumb", "1", "true")
    assert seen["GIT_TERMINAL_PROMPT"] == "0"
    assert not set(seen) & {"FORCE_COLOR", "BASH_ENV"}


def test_it_is_captured_once() -> None:
    base = {"A": "1"}
    environment = Environment(base)
    assert environment()["A"] == "1"
    base["A"] = "2"
    assert environment()["A"] == "1"


# ── the login shell ───────────────────────────────────────────────────────────────────────────
@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def read_profile(home: Path, **variables: str) -> tuple[bool, dict[str, str]]:
    base = {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/bash", **variables}
    environment = Environment(base, is_secret=is_secret_variable, reads_profile=True)
    owner = Processes(Saved(""), environment=environment)
    wants = [owner.wants_profile]
    is_read = owner.read_profile()
    assert [*wants, owner.wants_profile] == [True, False]
    return is_read, owner.environment()


@pytest.mark.requirement("S4-071")
def test_the_login_shell_gives_what_its_profile_sets_up(home: Path) -> None:
    shims = "echo 'Welcome!'\nexport PATH=$HOME/.pyenv/shims:$PATH\nexport LINES_OF='a\nb'\n"
    (home / ".bash_profile").write_text(shims + "export MY_TOKEN=abc\n", encoding="utf-8")
    is_read, seen = read_profile(home)
    assert is_read
    assert seen["PATH"].startswith(f"{home}/.pyenv/shims:")
    assert seen["LINES_OF"] == "a\nb"
    assert "MY_TOKEN" not in seen
    assert seen["PAGER"] == "cat"


@pytest.mark.parametrize("profile", ["exec false", "exit 3", "exec >/dev/null"])
def test_a_profile_that_fails_leaves_our_own_environment(home: Path, profile: str) -> None:
    (home / ".bash_profile").write_text(profile + "\n", encoding="utf-8")
    is_read, seen = read_profile(home, OWN="yes")
    assert not is_read
    assert seen["OWN"] == "yes"


def test_a_shell_that_is_neither_bash_nor_zsh_is_not_started(home: Path) -> None:
    strange = home / "fish"
    strange.write_text("#!/bin/sh\ntouch $HOME/started\n", encoding="utf-8")
    strange.chmod(0o755)
    is_read, _ = read_profile(home, SHELL=str(strange))
    assert is_read
    assert not (home / "started").exists()
