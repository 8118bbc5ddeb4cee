"""The login shell's own environment, taken once, and nothing of its noise."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.secrets import is_secret_variable
from ankrcode.workspace.processes.environment import Environment
from ankrcode.workspace.processes.processes import Processes
from ankrcode.workspace.processes.saved import Saved
from torture import examples
from workspace.running import alive, long_sleep


def home_with(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f".{name}").write_text(text, encoding="utf-8")
    return folder


def taken(home: Path, passed: tuple[str, ...] = (), **variables: str) -> tuple[bool, Environment]:
    base = {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/bash", **variables}
    environment = Environment(base, is_secret=is_secret_variable, passed=passed, reads_profile=True)
    owner = Processes(Saved(""), environment=environment)
    return owner.read_profile(), environment


def stand_in(folder: Path, name: str, script: str) -> str:
    """A shell by this name that does what the script says; `$4` is what it is asked to run."""
    program = folder / name
    program.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


# ── version managers ──────────────────────────────────────────────────────────────────────────
MANAGERS = {
    "pyenv": 'export PYENV_ROOT="$HOME/.pyenv"; export PATH="$PYENV_ROOT/shims:$PATH"',
    "rbenv": 'eval "export PATH=$HOME/.rbenv/shims:$PATH"',
    "nvm": (
        'export NVM_DIR="$HOME/.nvm"; nvm() { echo "a function"; }; '
        'export PATH="$NVM_DIR/versions/node/v22.1.0/bin:$PATH"'
    ),
    "cargo": 'case ":$PATH:" in *:x:*) ;; *) export PATH="$HOME/.cargo/bin:$PATH" ;; esac',
    "a function that sets it": 'p() { export PATH="$1:$PATH"; }; p "$HOME/go/bin"; unset -f p',
    "a file that is read": '. "$HOME/.more"',
}


@pytest.mark.requirement("S4-071")
@pytest.mark.parametrize("profile", MANAGERS.values(), ids=MANAGERS)
def test_the_path_of_a_version_manager_is_taken_over(tmp_path: Path, profile: str) -> None:
    home = home_with(tmp_path, bash_profile=profile + "\n", more='export PATH="$HOME/m:$PATH"\n')
    is_read, environment = taken(home)
    assert is_read
    assert environment()["PATH"].startswith(f"{home}/")


def test_a_program_behind_a_shim_is_the_one_that_runs(tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    stand_in(shims, "python3", "echo the shim")
    home = home_with(tmp_path, bash_profile='export PATH="$HOME/shims:$PATH"\n')
    environment = Environment(
        {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/bash"}, reads_profile=True
    )
    owner = Processes(Saved(""), environment=environment)
    owner.read_profile()
    process = owner.shell("python3; hash -t python3", cwd="/")
    assert process.wait(20)
    assert process.output.extract().head.decode() == f"the shim\n{shims}/python3\n"


@pytest.mark.parametrize("file", ["bash_profile", "bash_login", "profile"])
def test_the_first_of_the_files_that_bash_reads_is_read(tmp_path: Path, file: str) -> None:
    is_read, environment = taken(home_with(tmp_path, **{file: "export FOUND=yes\n"}))
    assert is_read
    assert environment()["FOUND"] == "yes"


def test_what_only_interactive_shells_set_is_taken_too(tmp_path: Path) -> None:
    profile = '. "$HOME/.bashrc"\n'
    rc = "case $- in *i*) ;; *) return ;; esac\nexport FOUND=interactive\n"
    _, environment = taken(home_with(tmp_path, bash_profile=profile, bashrc=rc))
    assert environment()["FOUND"] == "interactive"


# ── what profiles do besides ──────────────────────────────────────────────────────────────────
NOISE = {
    "greets": "echo 'Welcome back!'; date",
    "greets without a line break": "printf hello",
    "greets on the way out": "trap 'echo bye' EXIT",
    "complains": "echo oops >&2; ls /nowhere",
    "prints zeros": "printf 'A=1\\0B=2\\0'",
    "prints what looks like variables": "echo EVIL=yes",
    "prints much": "seq 1 50000",
    "asks a question": "read -p 'Name? ' name; export NAME=$name",
    "looks at the terminal": "stty -ixon; tput cols; clear",
    "fails half-way": "false; nosuchcommand",
    "sets options": "set -o vi; shopt -s extglob; set -u",
    "stops at errors": "set +e",
    "defines env": 'env() { echo nothing; }; printf() { builtin printf "$@"; }',
    "an alias for env": "shopt -s expand_aliases; alias env='echo nothing'",
    "starts something": "sleep 1000 & disown",
}


@pytest.mark.parametrize("profile", NOISE.values(), ids=NOISE)
def test_whatever_else_a_profile_does_its_variables_are_taken(tmp_path: Path, profile: str) -> None:
    is_read, environment = taken(home_with(tmp_path, bash_profile=f"{profile}\nexport FOUND=yes\n"))
    assert is_read
    assert environment()["FOUND"] == "yes"
    assert "EVIL" not in environment()


def test_nothing_that_a_profile_starts_stays(tmp_path: Path) -> None:
    sleep = long_sleep()
    is_read, _ = taken(home_with(tmp_path, bash_profile=f"setsid {sleep} & {sleep} &\n"))
    assert is_read
    assert not alive(sleep)


@pytest.mark.parametrize(
    "value",
    ["", " ", "a b", "a\nb", "a=b=c", "'\"`$x", "é नमस्ते 👩", "\t", "-n", "\\0", "x" * 100_000],
)
def test_any_value_comes_through_unchanged(tmp_path: Path, value: str) -> None:
    is_read, environment = taken(home_with(tmp_path, bash_profile="\n"), VALUE=value)
    assert is_read
    assert environment()["VALUE"] == value


@given(value=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@examples(in_ci=25, in_torture=1_000)
@pytest.mark.torture
def test_so_does_any_text(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    home = tmp_path_factory.mktemp("home")
    is_read, environment = taken(home, VALUE=value)
    assert is_read
    assert environment()["VALUE"] == value
    shutil.rmtree(home)


def test_bytes_that_are_no_text_come_through_too(tmp_path: Path) -> None:
    home = home_with(tmp_path, bash_profile="export ODD=$'a\\xffb'\n")
    environment = Environment(
        {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/bash"}, reads_profile=True
    )
    owner = Processes(Saved(""), environment=environment)
    assert owner.read_profile()
    process = owner.shell("printf %s $ODD | od -An -tx1", cwd="/")
    assert process.wait(20)
    assert process.output.extract().head.split() == [b"61", b"ff", b"62"]


def test_secrets_of_the_profile_are_withheld_like_any_others(tmp_path: Path) -> None:
    profile = "export GH_TOKEN=abcdefgh1234 NPM_TOKEN=abcdefgh5678 PLAIN=yes\n"
    _, environment = taken(home_with(tmp_path, bash_profile=profile), passed=("GH_*",))
    assert environment()["GH_TOKEN"] == "abcdefgh1234"
    assert environment()["PLAIN"] == "yes"
    assert "NPM_TOKEN" not in environment()
    assert environment.withheld == ("NPM_TOKEN",)


def test_nobody_is_asked_whatever_the_profile_says(tmp_path: Path) -> None:
    profile = (
        "export PAGER=less GIT_PAGER=delta TERM=xterm FORCE_COLOR=3 CI= EDITOR=vim GIT_EDITOR=vim\n"
    )
    _, environment = taken(home_with(tmp_path, bash_profile=profile))
    seen = environment()
    assert (seen["PAGER"], seen["GIT_PAGER"], seen["TERM"]) == ("cat", "cat", "dumb")
    assert (seen["CI"], seen["GIT_EDITOR"], seen["EDITOR"]) == ("true", "true", "vim")
    assert "FORCE_COLOR" not in seen


# ── zsh, and shells that are not what they should be ──────────────────────────────────────────
def test_zsh_is_asked_in_its_own_words(tmp_path: Path) -> None:
    shell = stand_in(
        tmp_path, "zsh", f'echo "$@" >{tmp_path}/asked; export FROM_ZSH=yes; eval "$4"'
    )
    is_read, environment = taken(tmp_path, SHELL=shell)
    assert is_read
    assert environment()["FROM_ZSH"] == "yes"
    assert (tmp_path / "asked").read_text(encoding="utf-8").startswith("-l -i -c printf")


def test_a_real_zsh_where_there_is_one_gives_what_its_files_set(tmp_path: Path) -> None:
    """Without one this shows the same for bash, which is everywhere."""
    zsh = shutil.which("zsh", path="/bin:/usr/bin")
    text = 'export PATH="$HOME/shims:$PATH" LINES_OF="a\nb"; echo hi\n'
    home = home_with(tmp_path, zshrc=text, bash_profile=text)
    is_read, environment = taken(home, SHELL=zsh or "/bin/bash")
    assert is_read
    assert environment()["PATH"].startswith(f"{home}/shims:")
    assert environment()["LINES_OF"] == "a\nb"


BROKEN = {
    "says nothing": "exit 0",
    "fails": "exit 3",
    "is killed": "kill -9 $$",
    "prints nonsense": "head -c 100000 /dev/urandom",
    "begins and does not end": 'eval "${4%%;*}"',
    "prints the marks and nothing between": 'm=${4%%;*}; eval "$m; $m" | head -c 0; exit 1',
    "closes its output": 'exec >&-; eval "$4"',
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
def test_a_shell_that_says_nothing_useful_leaves_our_own_environment(
    tmp_path: Path, script: str
) -> None:
    is_read, environment = taken(tmp_path, SHELL=stand_in(tmp_path, "zsh", script), OWN="kept")
    assert not is_read
    assert environment()["OWN"] == "kept"
    assert environment()["PAGER"] == "cat"


@pytest.mark.parametrize("shell", ["/nowhere/bash", "/etc/passwd", "", "bash", "/bin/bash "])
def test_a_shell_that_is_not_there_does_no_harm(tmp_path: Path, shell: str) -> None:
    _, environment = taken(tmp_path, SHELL=shell, OWN="kept")
    assert environment()["OWN"] == "kept"


def test_a_profile_that_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ankrcode.workspace.processes.processes._PROFILE_S", 0.3)
    sleep = long_sleep()
    started = time.monotonic()
    is_read, environment = taken(
        home_with(tmp_path, bash_profile=f"while :; do {sleep}; done\n"), OWN="kept"
    )
    assert not is_read
    assert environment()["OWN"] == "kept"
    assert time.monotonic() - started < 5
    assert not alive(sleep)


# ── what commands see ─────────────────────────────────────────────────────────────────────────
KEPT = {
    "HOME": "/home/me",
    "LANG": "hi_IN.UTF-8",
    "LC_ALL": "C.UTF-8",
    "LC_TIME": "de_DE",
    "TZ": "Asia/Kolkata",
    "PATH": "/usr/bin:/bin",
    "SHELL": "/bin/zsh",
    "USER": "me",
    "EDITOR": "vim",
    "HTTPS_PROXY": "http://proxy:3128",
    "VIRTUAL_ENV": "/home/me/venv",
    "SSH_AUTH_SOCK": "/run/user/1/agent",
    "DISPLAY": ":0",
    "XDG_CONFIG_HOME": "/home/me/.config",
}
REPLACED = {
    "PAGER": "less",
    "MANPAGER": "less",
    "GIT_PAGER": "delta",
    "GH_PAGER": "less",
    "AWS_PAGER": "less",
    "SYSTEMD_PAGER": "less",
    "TERM": "xterm-256color",
    "NO_COLOR": "",
    "CI": "",
    "GIT_TERMINAL_PROMPT": "1",
    "GIT_EDITOR": "code --wait",
    "DEBIAN_FRONTEND": "dialog",
    "SSH_ASKPASS_REQUIRE": "force",
}
DROPPED = {
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "COLORTERM": "truecolor",
    "BASH_ENV": "/x",
    "ENV": "/x",
    "SHELLOPTS": "xtrace",
    "BASHOPTS": "globstar",
    "OLDPWD": "/elsewhere",
}


def test_what_is_kept_replaced_and_dropped() -> None:
    environment = Environment({**KEPT, **REPLACED, **DROPPED}, is_secret=is_secret_variable)
    seen = environment()
    assert seen.items() >= KEPT.items()
    assert set(REPLACED) <= set(seen)
    assert not [name for name, value in REPLACED.items() if seen[name] == value]
    assert not set(DROPPED) & set(seen)
    assert environment.withheld == ()


@pytest.mark.parametrize(
    "name",
    [
        *("API_KEY", "OPENAI_API_KEY", "api_key", "Github_Token", "GH_TOKEN", "NPM_TOKEN"),
        *("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET", "DB_PASSWORD"),
        *("PGPASSWORD", "MYSQL_PWD", "REDIS_PASS", "GITHUB_PAT", "SSH_PASSPHRASE", "NPM_AUTH"),
        *("SECRET", "TOKEN", "PASSWORD", "MY_CREDENTIALS", "SIGNING_KEY", "TOKEN2"),
    ],
)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    environment = Environment({name: "abcdefgh-1234"}, is_secret=is_secret_variable)
    assert name not in environment()
    assert environment.withheld == (name,)


@pytest.mark.parametrize(
    ("pattern", "name", "passes"),
    [
        ("GH_TOKEN", "GH_TOKEN", True),
        ("GH_*", "GH_TOKEN", True),
        ("*_TOKEN", "GH_TOKEN", True),
        ("*", "GH_TOKEN", True),
        ("GH_?OKEN", "GH_TOKEN", True),
        ("[GX]H_TOKEN", "GH_TOKEN", True),
        ("gh_token", "GH_TOKEN", False),
        ("TOKEN", "GH_TOKEN", False),
        ("GH", "GH_TOKEN", False),
        ("", "GH_TOKEN", False),
        ("GH_TOKEN ", "GH_TOKEN", False),
        ("!GH_TOKEN", "GH_TOKEN", False),
    ],
)
def test_patterns_let_through_what_they_name(pattern: str, name: str, passes: bool) -> None:
    environment = Environment(
        {name: "abcdefgh-1234"}, is_secret=is_secret_variable, passed=[pattern]
    )
    assert (name in environment()) == passes


def test_the_variables_are_those_that_a_real_program_gets() -> None:
    base = {**KEPT, "PATH": os.environ["PATH"], "GH_TOKEN": "abcdefgh-1234", **DROPPED}
    environment = Environment(base, is_secret=is_secret_variable)
    owner = Processes(Saved(""), environment=environment)
    process = owner.start(["env", "-0"], cwd="/")
    assert process.wait(20)
    listed = process.output.extract().head.decode().rstrip("\0").split("\0")
    assert dict(entry.split("=", 1) for entry in listed) == environment()


def test_our_own_environment_is_never_changed() -> None:
    before = dict(os.environ)
    environment = Environment(os.environ)
    environment()["PAGER"] = "changed"
    subprocess.run(["true"], check=True)
    assert dict(os.environ) == before
