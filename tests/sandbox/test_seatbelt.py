"""The profile for macOS, as text: it is written here and read there."""

import re
from pathlib import Path

import pytest

from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox.profiles import Sight, View
from ankrcode.sandbox.protected import NAMES
from ankrcode.sandbox.seatbelt import PROGRAM, Seatbelt, profile_text, protected_patterns, why_not
from ankrcode.sandbox.wall import Site
from ankrcode.workspace.processes.confinement import Launch
from sandbox.site import make_repository


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / 'wo"rk (1)'
    work.mkdir()
    make_repository(work)
    (tmp_path / ".ssh").mkdir()
    return work


def view(work: Path, profile: str) -> View:
    return Sight(SandboxSettings(), {"HOME": str(work.parent)}).view(profile, [str(work)])


def rules(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("(")]


def test_the_text_is_well_formed(work: Path) -> None:
    for profile in ("read-only", "workspace-write", "workspace-write-network"):
        text = profile_text(view(work, profile), "/private/tmp/x")
        without_strings = re.sub(r'#?"(?:\\.|[^"\\])*"', "", text)
        assert without_strings.count("(") == without_strings.count(")")
        assert '"' not in without_strings
        assert rules(text)[:2] == ["(version 1)", "(deny default)"]


def test_nothing_is_writable_but_the_temporary_folder_in_the_narrow_profile(work: Path) -> None:
    text = profile_text(view(work, "read-only"), "/private/tmp/x")
    allowed = [rule for rule in rules(text) if rule.startswith("(allow file-write* ")]
    assert allowed == ['(allow file-write* (subpath "/private/tmp/x"))']


def test_there_is_no_network_unless_the_profile_says_so(work: Path) -> None:
    assert "(allow network" not in profile_text(view(work, "workspace-write"), "/x")
    assert "(allow network*)" in profile_text(view(work, "workspace-write-network"), "/x")


def test_keys_can_be_neither_read_nor_written(work: Path) -> None:
    text = profile_text(view(work, "workspace-write"), "/x")
    assert f'(deny file-read* file-write* (subpath "{work.parent}/.ssh"))' in text


@pytest.mark.parametrize("name", [*NAMES, ".git/hooks", ".git/config", ".GIT/Hooks", ".Claude"])
def test_every_protected_name_is_refused_in_any_case_whether_it_exists(
    name: str, work: Path
) -> None:
    patterns = [re.compile(one) for one in protected_patterns(view(work, "workspace-write"))]
    for path in (f"{work}/{name}", f"{work}/{name}/below"):
        assert any(pattern.search(path) for pattern in patterns), path


@pytest.mark.parametrize(
    "name", ["src/a.py", ".git/index", ".git/objects/ab", ".gitignore", ".mcp"]
)
def test_other_names_are_not_refused(name: str, work: Path) -> None:
    patterns = [re.compile(one) for one in protected_patterns(view(work, "workspace-write"))]
    assert not any(pattern.search(f"{work}/{name}") for pattern in patterns)


def test_the_repository_cannot_be_renamed_away(work: Path) -> None:
    text = profile_text(view(work, "workspace-write"), "/x")
    quoted = str(work).replace('"', '\\"')
    assert f'(deny file-write-unlink (literal "{quoted}/.git"))' in text


def test_the_launch_hands_the_text_to_the_system(work: Path) -> None:
    wall = Seatbelt(Site(SandboxSettings(), {"HOME": str(work.parent)}))
    launch = wall.confined(
        Launch(argv=("ls",), env={"A": "b"}, cwd=str(work)), view(work, "read-only")
    )
    assert launch.argv[:2] == (PROGRAM, "-p")
    assert launch.argv[-1] == "ls"
    assert launch.env["A"] == "b"
    assert launch.env["TMPDIR"].startswith("/")
    assert launch.release is not None
    assert launch.release() == []
    assert set(wall.covers()) >= {"writes outside", "udp", "keys"}


def test_elsewhere_it_says_why_it_cannot_be_used() -> None:
    assert why_not() in ("", "this is not macOS", "sandbox-exec is missing")
