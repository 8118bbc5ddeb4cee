"""Which wall is taken, what happens where none works, and what the result is told."""

from pathlib import Path

import pytest

from ankrcode.config.settings import SandboxSettings
from ankrcode.errors import ErrorCode, ToolError, UsageError
from ankrcode.sandbox.choose import WALLS, Sandbox
from ankrcode.sandbox.explain import explained
from ankrcode.workspace.processes.confinement import Launch
from sandbox.walls import PRESENT, Runner
from workspace.running import descriptors, settle

NO_WALL = SandboxSettings(wall="none")


def launch(folder: Path) -> Launch:
    return Launch(argv=("true",), env={}, cwd=str(folder))


def test_the_strongest_wall_that_works_is_taken() -> None:
    assert Sandbox().name == (PRESENT[0] if PRESENT else "none")
    assert list(WALLS) == ["bubblewrap", "seatbelt", "landlock"]


@pytest.mark.parametrize("wall", list(WALLS))
def test_a_wall_that_was_asked_for_is_taken_or_none(wall: str) -> None:
    sandbox = Sandbox(SandboxSettings(wall=wall))  # type: ignore[arg-type]
    if wall in PRESENT:
        assert sandbox.name == wall
        assert sandbox.describe() == {"sandbox": wall}
    else:
        assert sandbox.name == "none"
        assert sandbox.describe()["sandbox"] == "none"
        assert wall in str(sandbox.describe()["sandbox_why"])


def test_an_open_command_is_not_touched(tmp_path: Path) -> None:
    for settings in (SandboxSettings(), NO_WALL):
        assert Sandbox(settings).confine(launch(tmp_path), "open", ()) == launch(tmp_path)


def test_a_harmless_command_gets_bounds_and_no_wall(tmp_path: Path) -> None:
    confined = Sandbox().confine(launch(tmp_path), "limits", (str(tmp_path),))
    assert "ulimit" in " ".join(confined.argv)
    assert (confined.restrict, confined.release, confined.pass_fds) == (None, None, ())


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no profile 'wide-open'"):
        Sandbox().confine(launch(tmp_path), "wide-open", ())


def test_required_but_missing_is_a_refusal(tmp_path: Path) -> None:
    sandbox = Sandbox(SandboxSettings(wall="none", required=True))
    with pytest.raises(ToolError) as caught:
        sandbox.confine(launch(tmp_path), "workspace-write", (str(tmp_path),))
    assert caught.value.code is ErrorCode.SANDBOX_MISSING
    assert "sandbox.wall is none" in caught.value.message
    assert sandbox.confine(launch(tmp_path), "open", ()).argv == ("true",)


def test_not_required_and_missing_means_bounds_alone_and_is_told(tmp_path: Path) -> None:
    sandbox = Sandbox(NO_WALL)
    confined = sandbox.confine(launch(tmp_path), "workspace-write", (str(tmp_path),))
    assert "ulimit" in " ".join(confined.argv)
    assert sandbox.describe() == {
        "sandbox": "none",
        "sandbox_why": "the setting sandbox.wall is none",
    }
    assert sandbox.explain(1, "Permission denied") == ""


def test_the_private_folder_is_ours_alone_and_goes_with_its_owner() -> None:
    sandbox = Sandbox()
    folder = Path(sandbox.scratch())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert sandbox.scratch() == str(folder)
    (folder / "x").touch()
    del sandbox
    assert not folder.exists()


@pytest.mark.parametrize("wall", PRESENT)
def test_many_runs_leave_no_descriptor_and_no_file_behind(wall: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    runner = Runner(tmp_path / "state", wall=wall)
    runner.bash("true", roots=[work])
    before = descriptors()
    for _ in range(10):
        runner.bash("exit 1", roots=[work])
    settle(descriptors, before)
    assert list(work.iterdir()) == []


# ── what a failure had to do with the wall ────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        (1, "bash: x: Read-only file system", "Nothing outside the workspace"),
        (1, "OSError: [Errno 13] Permission denied: '/etc/x'", "Nothing outside the workspace"),
        (6, "curl: (6) Could not resolve host: example.com", "no network"),
        (1, "fatal: unable to access: Temporary failure in name resolution", "no network"),
        (1, "Error: connect ENETUNREACH 1.1.1.1:443", "no network"),
        (1, "bash: socket: Address family not supported by protocol", "no network"),
        (1, "dd: error writing 'x': File too large", "sandbox.file_mb"),
        (153, "", "sandbox.file_mb"),
        (-25, "", "sandbox.file_mb"),
        (152, "", "sandbox.cpu_s"),
        (137, "", "memory limit may"),
        (1, "MemoryError", "sandbox.memory_mb"),
        (1, "bash: fork: retry: Resource temporarily unavailable", "sandbox.processes"),
        (1, "unshare: unshare failed: Operation not permitted", "system calls"),
    ],
)
def test_a_violation_is_explained(code: int, text: str, said: str) -> None:
    answer = explained(code, text, "bubblewrap")
    assert answer.startswith("[sandbox: bubblewrap] ")
    assert said in answer


@pytest.mark.parametrize(
    ("code", "text"), [(0, "Permission denied"), (1, "AssertionError: 1 != 2"), (2, ""), (127, "x")]
)
def test_an_ordinary_failure_is_not_explained(code: int, text: str) -> None:
    assert explained(code, text, "bubblewrap") == ""


def test_the_tests_see_a_wall_where_this_machine_can_have_one() -> None:
    """Nothing here passes by having nothing to test: a Linux with Landlock has a wall."""
    if Path("/sys/kernel/security/landlock").exists():
        assert PRESENT
