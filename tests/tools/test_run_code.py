"""RunCode: a program that the model wrote, inside the sandbox and nowhere else."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.settings import SandboxSettings, Settings
from ankrcode.errors import ErrorCode
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tools.run_code import RunCode
from on_disk import folders  # noqa: F401
from sandbox.walls import PRESENT


def bench(folder: Path, *, mode: str = "default", answers: Any = (), **sandbox: Any) -> Bench:
    settings = Settings(sandbox=SandboxSettings(**sandbox))
    return Bench(RunCode, folder, mode=mode, answers=answers, settings=settings)


@pytest.fixture(params=PRESENT)
def behind(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """In a workspace behind each wall that stands here, with nobody who would say yes."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "data.txt").write_text("नमस्ते\n", encoding="utf-8")
    return bench(work, wall=request.param)


def done(result: ToolResult) -> Any:
    assert result.error is None, result.text
    return result.value


# ── what it gives back ────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-020", "S2-023", "S2-061")
async def test_python_runs_and_its_streams_come_apart(behind: Bench) -> None:
    code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)"
    result = await behind.run(language="python", code=code)
    value = done(result)
    assert (value.stdout, value.stderr, value.exit_code) == ("out\n", "err\n", 3)
    assert value.duration_ms > 0
    assert result.text == "out\n\nstderr:\nerr\n\nExit code: 3"
    assert result.metadata["sandbox"] in PRESENT
    assert result.metadata["profile"] == "read-only"


@pytest.mark.requirement("S2-020", "S2-021")
async def test_bash_gets_its_arguments_and_its_environment(behind: Bench) -> None:
    result = await behind.run(
        language="bash",
        code='printf "%s|" "$#" "$@" "$GREETING"',
        args=["one two", "", "$(id)"],
        env={"GREETING": "नमस्ते"},
    )
    assert done(result).stdout == "3|one two||$(id)|नमस्ते|"


@pytest.mark.requirement("S2-021")
async def test_python_gets_its_arguments(behind: Bench) -> None:
    result = await behind.run(
        language="python", code="import sys; print(sys.argv[1:])", args=["-x", "y"]
    )
    assert done(result).stdout == "['-x', 'y']\n"


async def test_it_is_the_python_that_runs_us_and_takes_nothing_from_the_workspace(
    behind: Bench,
) -> None:
    work = Path(behind.kit.agent.workspace.root)
    (work / "json.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    result = await behind.run(
        language="python", code="import json, sys; print(sys.executable, sys.flags.isolated)"
    )
    assert done(result).stdout == f"{sys.executable} 1\n"


async def test_it_starts_in_the_current_directory_and_reads_the_workspace(behind: Bench) -> None:
    result = await behind.run(language="bash", code="pwd; cat data.txt")
    assert done(result).stdout == f"{behind.kit.agent.workspace.cwd}\nनमस्ते\n"


async def test_output_is_streamed_as_it_comes(behind: Bench) -> None:
    await behind.run(language="bash", code="echo one; echo two >&2")
    assert "one" in behind.output
    assert "two" in behind.output


async def test_a_program_that_prints_nothing_says_so(behind: Bench) -> None:
    assert (await behind.run(language="bash", code=":")).text == "(no output)"


async def test_long_output_is_shown_in_part_and_saved_whole(behind: Bench) -> None:
    code = "for i in range(20000): print(f'line {i}')"
    result = await behind.run(language="python", code=code)
    value = done(result)
    assert len(value.stdout) <= 31_000
    assert value.stdout.startswith("line 0\n")
    assert value.stdout.endswith("line 19999\n")
    saved = Path(result.metadata["saved_to"]["stdout"])
    assert saved.read_text(encoding="utf-8").count("\n") == 20_000
    assert str(saved) in result.text


async def test_output_that_is_not_text_is_made_harmless(behind: Bench) -> None:
    result = await behind.run(language="bash", code=r"printf '\x1b[31mred\x1b[0m \xff\x00end'")
    assert done(result).stdout == "red \ufffd\\x00end"


# ── its limits ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-022", "S2-026")
async def test_it_is_stopped_when_its_time_is_up_and_keeps_what_it_said(behind: Bench) -> None:
    code = "echo before; trap '' TERM; sleep 600"
    result = await behind.run(language="bash", code=code, timeout=0.5)
    assert result.error is not None
    assert result.error.code is ErrorCode.TIMEOUT
    assert result.error.details["stdout"] == "before\n"
    assert "before" in result.text
    assert result.value.duration_ms < 5_000


@pytest.mark.requirement("S2-022")
def test_it_has_sixty_seconds_unless_told_otherwise() -> None:
    timeout = RunCode().input_schema["properties"]["timeout"]
    assert timeout["default"] == 60
    assert "econds" in timeout["description"]


@pytest.mark.requirement("S2-026")
async def test_memory_is_limited(tmp_path: Path) -> None:
    for wall in PRESENT:
        on = bench(tmp_path, wall=wall, code_memory_mb=128)
        result = await on.run(language="python", code="x = bytearray(1 << 30)")
        assert done(result).exit_code != 0
        assert "sandbox.memory_mb" in result.text


@pytest.mark.requirement("S2-025")
async def test_there_is_no_network(behind: Bench) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 2)"
    result = await behind.run(language="python", code=code)
    assert done(result).exit_code == 1
    code = "import socket; socket.getaddrinfo('example.com', 80)"
    result = await behind.run(language="python", code=code)
    assert "There is no network in here" in result.text


@pytest.mark.requirement("S2-027", "S2-061")
async def test_nothing_in_or_out_of_the_workspace_can_be_changed(
    behind: Bench, tmp_path: Path
) -> None:
    work = Path(behind.kit.agent.workspace.root)
    for place in (work / "new", work / "data.txt", tmp_path / "outside", Path.home() / "x"):
        result = await behind.run(language="bash", code=f"echo evil >> '{place}'")
        assert "evil" not in (place.read_text(encoding="utf-8") if place.exists() else "")
        if place.is_relative_to(work):
            assert done(result).exit_code != 0
            assert "[sandbox: " in result.text, "the model is told why"


@pytest.mark.requirement("S2-027")
async def test_keys_cannot_be_read(behind: Bench, own_home: Path) -> None:
    (own_home / ".ssh").mkdir()
    (own_home / ".ssh" / "id_rsa").write_text("canary", encoding="utf-8")
    result = await behind.run(language="bash", code=f"cat {own_home}/.ssh/id_rsa")
    assert done(result).exit_code != 0
    assert "canary" not in result.text


async def test_secrets_of_the_environment_are_not_passed_on(
    behind: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-0123456789")
    assert "canary" not in (await behind.run(language="bash", code="env")).text


async def test_the_temporary_folder_can_be_used_and_the_code_is_gone_afterwards(
    behind: Bench,
) -> None:
    await behind.run(language="bash", code="echo kept > $TMPDIR/note")
    result = await behind.run(language="bash", code="cat $TMPDIR/note; ls $TMPDIR | grep -c ^code-")
    assert done(result).stdout == "kept\n1\n", "only the one that is running"
    scratch = Path(behind.kit.agent.processes.confinement.scratch())
    assert [path.name for path in scratch.iterdir() if path.name.startswith("code-")] == []


async def test_the_environment_it_brings_cannot_reach_the_launcher(
    behind: Bench, tmp_path: Path
) -> None:
    evil = tmp_path / "evil.sh"
    evil.write_text(f"touch {tmp_path}/was-run\n", encoding="utf-8")
    env = {"BASH_ENV": str(evil), "ENV": str(evil), "LD_PRELOAD": "/nowhere/evil.so"}
    await behind.run(language="bash", code="true", env=env)
    assert not (tmp_path / "was-run").exists()


# ── permission ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-024")
@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk", "acceptEdits", "bypass"])
async def test_behind_a_wall_nobody_is_asked_in_any_mode(mode: str, tmp_path: Path) -> None:
    for wall in PRESENT:
        on = bench(tmp_path, mode=mode, wall=wall)
        assert done(await on.run(language="bash", code="echo hi")).stdout == "hi\n"
        assert on.asked == []


@pytest.mark.requirement("S2-024", "S2-025")
async def test_with_the_network_enabled_it_asks_first(tmp_path: Path) -> None:
    for wall in PRESENT:
        on = bench(tmp_path, wall=wall, network=True, answers=[YES])
        result = await on.run(language="bash", code="echo hi")
        assert done(result).stdout == "hi\n"
        assert "connects" in on.asked[0].reason
        assert result.metadata["profile"] == "read-only-network"


@pytest.mark.requirement("S2-024")
async def test_without_a_wall_it_asks_and_says_so(tmp_path: Path) -> None:
    on = bench(tmp_path, wall="none", answers=[YES])
    result = await on.run(language="bash", code="echo free")
    assert done(result).stdout == "free\n"
    (asked,) = on.asked
    assert "no sandbox works here" in asked.reason
    assert asked.preview is not None
    assert "WITHOUT a sandbox" in asked.preview.title
    assert asked.preview.body == "echo free"
    assert result.metadata["sandbox"] == "none"


@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk", "acceptEdits"])
async def test_without_a_wall_and_without_anybody_to_ask_it_is_refused(
    mode: str, tmp_path: Path
) -> None:
    on = bench(tmp_path, mode=mode, wall="none")
    on.kit._pipeline._gate.approver = None  # headless
    result = await on.run(language="bash", code=f"touch {tmp_path}/was-run")
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED
    assert "no sandbox works here" in result.text
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(("mode", "required"), [("bypass", False), ("default", True)])
async def test_a_mode_that_asks_nobody_is_no_leave_to_run_freely(
    mode: str, required: bool, tmp_path: Path
) -> None:
    on = bench(tmp_path, mode=mode, wall="none", required=required, answers=[YES])
    result = await on.run(language="bash", code=f"touch {tmp_path}/was-run")
    assert result.error is not None
    assert result.error.code is ErrorCode.SANDBOX_MISSING
    assert not (tmp_path / "was-run").exists()


def test_a_remembered_yes_is_for_exactly_one_program() -> None:
    tool = RunCode()
    subjects = {
        tool.subject(tool.model.parse({"language": "bash", **more}))
        for more in (
            {"code": "echo *"},
            {"code": "echo a"},
            {"code": "echo a", "args": ["x"]},
            {"code": "echo a", "env": {"A": "b"}},
        )
    }
    assert len(subjects) == 4
    assert not any(char in subject for subject in subjects for char in "*?[")


# ── wrong input ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "wrong",
    [
        {"language": "ruby"},
        {"code": ""},
        {"timeout": 0},
        {"timeout": 601},
        {"args": ["a\0b"]},
        {"env": {"A=B": "c"}},
        {"env": {"": "c"}},
        {"env": {"A": "b\0"}},
        {"env": {"A": 1}},
        {"dangerously_disable_sandbox": True},
    ],
    ids=str,
)
async def test_wrong_input_is_refused_before_anything_runs(
    wrong: dict[str, Any], tmp_path: Path
) -> None:
    call = {"language": "bash", "code": f"touch {tmp_path}/was-run", **wrong}
    result = await bench(tmp_path).run(**call)
    assert result.error is not None
    assert result.error.code is ErrorCode.INVALID_INPUT
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize("code", ["echo \ud800", "printf '\\0' | wc -c", "\0", "(", "#" * 900_000])
async def test_odd_code_is_a_result_like_any_other(behind: Bench, code: str) -> None:
    result = await behind.run(language="bash", code=code)
    assert result.error is None or result.error.code is ErrorCode.INVALID_INPUT


async def test_a_command_line_too_long_for_the_system_is_a_clear_error(behind: Bench) -> None:
    result = await behind.run(language="bash", code="true", args=["x" * 99_999] * 60)
    assert result.error is not None
    assert "could not be started" in result.text
    assert [one.name for one in Path(behind.kit.agent.workspace.root).iterdir()] == ["data.txt"]
