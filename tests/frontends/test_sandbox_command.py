"""`ankrcode sandbox`: a command behind the wall, and which wall that is."""

import json
from pathlib import Path

import pytest

from ankrcode.sandbox.profile_names import PROFILES
from frontends.command import ankrcode
from on_disk import folders  # noqa: F401
from sandbox.walls import PRESENT


def use(wall: str) -> tuple[str, str]:
    return ("--set", f"sandbox.wall={wall}")


@pytest.mark.parametrize("wall", PRESENT)
def test_it_runs_the_command_and_hands_on_its_streams_and_exit_code(
    wall: str, tmp_path: Path
) -> None:
    script = 'cat; echo "$@"; echo err >&2; exit 7'
    done = ankrcode(
        *("sandbox", "run", *use(wall), "--", "bash", "-c", script, "-x", "--", "--json"),
        cwd=tmp_path,
        given="input\n",
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "input\n-- --json\n", "err\n")


@pytest.mark.parametrize("wall", PRESENT)
def test_it_writes_the_workspace_and_nothing_else(wall: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    script = "echo 1 > inside; echo 1 > ../outside; echo 1 > ~/home"
    ankrcode(*use(wall), "sandbox", "run", "--", "sh", "-c", script, cwd=tmp_path / "work")
    assert (tmp_path / "work" / "inside").exists()
    assert not (tmp_path / "outside").exists()
    assert not (Path.home() / "home").exists()


@pytest.mark.parametrize("wall", PRESENT)
def test_a_profile_can_be_chosen(wall: str, tmp_path: Path) -> None:
    command = (*use(wall), "sandbox", "run", "--profile", "read-only", "--", "touch", "x")
    assert ankrcode(*command, cwd=tmp_path).returncode != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wall", PRESENT)
def test_what_had_to_be_undone_is_told(wall: str, tmp_path: Path) -> None:
    done = ankrcode(*use(wall), "sandbox", "run", "--", "sh", "-c", "echo e > .zshrc", cwd=tmp_path)
    assert "is protected" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wall", PRESENT)
def test_secrets_of_the_environment_stay_outside(wall: str, tmp_path: Path) -> None:
    env = {"MY_API_KEY": "canary-0123456789", "LANG": "C.UTF-8"}
    done = ankrcode(*use(wall), "sandbox", "run", "env", cwd=tmp_path, env=env)
    assert "canary" not in done.stdout
    assert "LANG=C.UTF-8\n" in done.stdout


@pytest.mark.parametrize("wall", PRESENT)
def test_a_program_that_is_not_there_is_told_as_a_shell_does(wall: str, tmp_path: Path) -> None:
    done = ankrcode(*use(wall), "sandbox", "run", "no-such-program", cwd=tmp_path)
    assert done.returncode == 127
    assert "not found" in done.stderr


def test_without_a_wall_nothing_runs(tmp_path: Path) -> None:
    done = ankrcode(*use("none"), "sandbox", "run", "--", "touch", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "none works here" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_open_runs_without_a_wall_for_it_was_asked_for(tmp_path: Path) -> None:
    command = (*use("none"), "sandbox", "run", "--profile", "open", "--", "touch", "x")
    assert ankrcode(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "--profile", "nope", "true"),
        ("run", "--network", "--profile", "open", "true"),
        ("nope",),
        (),
    ],
    ids=str,
)
def test_wrong_use_is_told(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = ankrcode("sandbox", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_a_project_cannot_switch_the_wall_off(tmp_path: Path) -> None:
    (tmp_path / ".ankrcode").mkdir()
    settings = {"sandbox": {"wall": "none", "network": True, "required": False}}
    (tmp_path / ".ankrcode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    done = ankrcode("sandbox", "status", "--json", cwd=tmp_path)
    state = json.loads(done.stdout)
    assert state["wall"] == (PRESENT[0] if PRESENT else "none")
    assert state["settings"]["network"] is False
    assert "cannot be set by a project" in done.stderr


# ── status ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("wall", PRESENT)
def test_the_status_says_which_wall_stands_and_what_it_covers(wall: str, tmp_path: Path) -> None:
    done = ankrcode(*use(wall), "sandbox", "status", "--json", cwd=tmp_path)
    state = json.loads(done.stdout)
    assert (done.returncode, state["wall"], state["why"]) == (0, wall, "")
    assert {"writes outside", "protected names", "keys", "tcp", "udp", "unix sockets"} <= set(
        state["covers"]
    )
    assert state["profiles"] == list(PROFILES)
    assert [name for name, why in state["walls"].items() if not why] == PRESENT
    text = ankrcode(*use(wall), "sandbox", "status", cwd=tmp_path).stdout
    assert text.startswith(f"wall      {wall}\n")
    assert all(f"{topic} " in text for topic in state["covers"])


def test_landlock_names_its_gaps(tmp_path: Path) -> None:
    done = ankrcode(*use("landlock"), "sandbox", "status", "--json", cwd=tmp_path)
    state = json.loads(done.stdout)
    if "landlock" not in PRESENT:
        assert (done.returncode, state["wall"], state["covers"]) == (1, "none", {})
        return
    assert state["covers"]["attributes outside"].startswith("no")
    assert state["covers"]["protected names"] == "undone after the run"
    assert "mark" in state["covers"]["left-over processes"]


def test_where_none_stands_the_status_says_why_and_a_script_can_tell(tmp_path: Path) -> None:
    done = ankrcode(*use("none"), "sandbox", "status", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("wall      none: the setting sandbox.wall is none\n")
