"""Bash: what it runs, where, with what around it, and what comes back."""

import asyncio
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from ankrcode import ErrorCode, ToolCall, Toolkit, ToolResult
from ankrcode.config.settings import SandboxSettings, Settings, ShellSettings
from ankrcode.protocol.event import ToolOutputChunk
from ankrcode.testing import NO, YES, Bench
from ankrcode.tools import definitions
from ankrcode.tools.bash import Bash, BashInput
from tools.suite import DEFINITIONS
from workspace.running import alive, long_sleep

SCHEMA = DEFINITIONS["Bash"].input_schema


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Bash, tmp_path, mode="bypass")


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return result.error.code


# ── what it is ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-036", "S0-037", "S1-026", "S4-198", "S4-199")
def test_its_parameters_are_those_models_know() -> None:
    properties = SCHEMA["properties"]
    assert SCHEMA["required"] == ["command"]
    assert {"command", "description", "timeout", "run_in_background"} <= set(properties)
    timeout = properties["timeout"]
    assert (timeout["default"], timeout["maximum"]) == (120_000, 600_000)
    assert "ms" in timeout["description"].lower() or "Milliseconds" in timeout["description"]
    assert "5 to 10 words" in properties["description"]["description"]


ADVICE = {
    "S0-048": ["terminal work", "not for file work", "Read, Write, Edit"],
    "S4-205": ["For terminal work", "not for file work"],
    "S4-079": ["check the parent directory", "Quote paths with spaces"],
    "S4-206": ["`description`", "clearly and concisely"],
    "S4-080": ["instead of cat, head, tail, sed, awk, echo, find, grep"],
    "S4-207": ["Independent commands: several calls in one message"],
    "S4-208": ["Prefer absolute paths to `cd`"],
    "S4-081": ["commit or push only when asked; when unclear, ask"],
    "S4-082": ["Never change the configuration"],
    "S4-083": [
        "Unless asked",
        "push --force, reset --hard, checkout ., restore ., clean -f, branch -D",
    ],
    "S4-084": ["Unless asked: no skipping hooks or signing"],
    "S4-085": ["never force-push to main or master (warn)"],
    "S4-086": ["New commits, no amending"],
    "S4-087": ["add files by name"],
    "S4-088": ["First status, diff, and log for the style; draft the message, add files", "commit"],
    "S4-209": ["if a hook fails, fix it and commit anew"],
    "S4-210": ["GitHub: use gh"],
    "S4-089": [
        "status, diff, log of all its commits, then gh pr create with Summary and Test plan"
    ],
}


@pytest.mark.requirement(
    "S0-048",
    "S4-079",
    "S4-080",
    "S4-081",
    "S4-082",
    "S4-083",
    "S4-084",
    "S4-085",
    "S4-086",
    "S4-087",
    "S4-088",
    "S4-089",
    "S4-205",
    "S4-206",
    "S4-207",
    "S4-208",
    "S4-209",
    "S4-210",
)
@pytest.mark.parametrize("words", ADVICE.values(), ids=ADVICE)
def test_its_description_gives_the_advice_that_models_need(words: list[str]) -> None:
    description = definitions()["bash"].description
    assert all(one in description for one in words)
    assert len(description.split()) <= 250


# ── running ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-045", "S4-201")
async def test_a_command_runs_in_bash_in_the_working_directory(
    bench: Bench, tmp_path: Path
) -> None:
    result = await bench.run(command="pwd; echo ${BASH_VERSION:+bash} <(:)", description="Look")
    assert result.ok
    first, second = result.text.splitlines()
    assert first == str(tmp_path)
    assert second.startswith("bash /dev/fd/")
    assert result.title == "$ pwd; echo ${BASH_VERSION:+bash} <(:)"
    assert result.value.output == result.text + "\n"
    assert result.value.exit_code == result.metadata["exit_code"] == 0
    assert 0 < result.value.duration_ms == result.metadata["duration_ms"] <= result.duration_ms


@pytest.mark.requirement("S0-047")
async def test_output_and_errors_stand_in_the_order_of_their_arrival(bench: Bench) -> None:
    result = await bench.run(command="echo out; echo err >&2")
    assert result.text == "out\nerr"
    result = await bench.run(command="echo err >&2; echo out")
    assert result.text == "err\nout"


@pytest.mark.requirement("S0-046", "S4-078")
async def test_another_exit_code_than_zero_is_an_error_that_keeps_the_output(bench: Bench) -> None:
    result = await bench.run(command="echo before; exit 3")
    assert result.error is not None
    assert result.error.code is ErrorCode.EXECUTION_ERROR
    assert result.error.message == "Exit code: 3"
    assert result.error.details == {"exit_code": 3, "signal": 0}
    assert result.text == "before\n\nExit code: 3"
    assert result.value.output == "before\n"
    assert result.value.exit_code == 3


async def test_a_signal_is_named(bench: Bench) -> None:
    result = await bench.run(command="kill -SEGV $$")
    assert result.text.endswith("Exit code: 139 It was ended by SIGSEGV.")


@pytest.mark.parametrize("command", ["grep nothing /etc/passwd", "echo a | grep b", "test 1 = 2"])
async def test_no_match_is_no_failure(bench: Bench, command: str) -> None:
    result = await bench.run(command=command)
    assert result.ok
    assert result.value.no_match
    assert result.value.exit_code == 1
    assert result.text == "(exit code 1: no match or a difference, not a failure)"


async def test_a_difference_is_shown_and_is_no_failure(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n", encoding="utf-8")
    (tmp_path / "b").write_text("2\n", encoding="utf-8")
    result = await bench.run(command="diff a b")
    assert result.ok
    assert result.text.startswith("1c1\n< 1\n")
    failed = await bench.run(command="diff a missing")
    assert failed.value.exit_code == 2
    assert not failed.ok


@pytest.mark.requirement("S1-023")
async def test_output_is_streamed_in_chunks(bench: Bench, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    chunks: asyncio.Queue[str] = asyncio.Queue()

    async def listen() -> None:
        async for event in bench.kit.events("tool_output_chunk"):
            assert isinstance(event, ToolOutputChunk)
            chunks.put_nowait(event.text)

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)  # let it begin to listen
    call = asyncio.create_task(bench.run(command="echo one; read x <fifo; echo \x1b[31mtwo"))
    assert await chunks.get() == "one\n"
    assert not call.done()
    (tmp_path / "fifo").write_text("go\n", encoding="utf-8")
    assert await chunks.get() == "two\n"
    result = await call
    listening.cancel()
    assert bench.output == "one\ntwo\n"
    assert result.text == "one\ntwo"


async def test_nothing_printed_is_said(bench: Bench) -> None:
    assert (await bench.run(command=":")).text == "(no output)"


@pytest.mark.parametrize(
    "command", ["printf 'a\\xff\\xfeb'", "head -c 3000 /dev/urandom", "printf '\\0'"]
)
async def test_bytes_that_are_no_text_do_no_harm(bench: Bench, command: str) -> None:
    result = await bench.run(command=command)
    assert result.ok
    result.text.encode()
    assert "\0" not in result.text


# ── where it runs ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-070")
async def test_the_working_directory_persists_and_nothing_else_does(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    await bench.run(command="cd below; export KEPT=1; kept() { :; }; alias kept=ls; umask 0")
    result = await bench.run(command="pwd; echo [$KEPT]; type kept; umask")
    assert result.text.startswith(f"{tmp_path}/below\n[]\n")
    assert "not found" in result.text
    assert bench.kit.agent.workspace.cwd == str(tmp_path / "below")


async def test_a_failing_command_moves_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    await bench.run(command="cd below; false")
    assert (await bench.run(command="pwd")).text == str(tmp_path / "below")


async def test_a_directory_for_one_call_moves_nothing(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "below" / "deep").mkdir(parents=True)
    result = await bench.run(command="pwd; cd deep", cwd="below")
    assert result.text == str(tmp_path / "below")
    assert (await bench.run(command="pwd")).text == str(tmp_path)


async def test_outside_the_workspace_it_does_not_stay_and_says_so(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    await bench.run(command="cd below")
    result = await bench.run(command="cd /; pwd")
    assert result.text == (
        f"/\n\n[/ is outside the workspace: the working directory is {tmp_path}/below again]"
    )
    assert (await bench.run(command="pwd")).text == f"{tmp_path}/below"


async def test_a_directory_that_is_gone_is_an_error_and_the_next_command_works(
    bench: Bench, tmp_path: Path
) -> None:
    await bench.run(command="mkdir gone; cd gone")
    (tmp_path / "gone").rmdir()
    result = await bench.run(command="touch made")
    assert code_of(result) == "NOT_A_DIRECTORY"
    assert result.text == (
        f"The working directory {tmp_path}/gone no longer exists. "
        f"It is {tmp_path} from now on; run the command again."
    )
    assert not (tmp_path / "made").exists()
    assert (await bench.run(command="pwd")).text == str(tmp_path)


async def test_a_command_may_remove_the_directory_it_stands_in(
    bench: Bench, tmp_path: Path
) -> None:
    result = await bench.run(command="mkdir gone; cd gone; rmdir ../gone; echo done")
    assert result.text == "done"
    assert (await bench.run(command="pwd")).text == str(tmp_path)


@pytest.mark.parametrize(
    ("cwd", "message"),
    [("missing", "There is no directory"), ("file", "is not a directory"), ("a\0b", "NUL")],
)
async def test_a_directory_that_is_none_is_an_error(
    bench: Bench, tmp_path: Path, cwd: str, message: str
) -> None:
    (tmp_path / "file").touch()
    result = await bench.run(command="touch made", cwd=cwd)
    assert not result.ok
    assert message in result.text
    assert not (tmp_path / "made").exists()


# ── what it sees ──────────────────────────────────────────────────────────────────────────────
async def test_secrets_of_the_environment_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "abcdefgh12345")
    monkeypatch.setenv("OTHER_TOKEN", "abcdefgh12345")
    monkeypatch.setenv("ORDINARY", "yes")
    settings = Settings(shell=ShellSettings(env_pass=["OTHER_*"]))
    bench = Bench(Bash, tmp_path, mode="bypass", settings=settings)
    result = await bench.run(command="echo ${#MY_API_KEY} ${#OTHER_TOKEN} $ORDINARY")
    assert result.text == "0 13 yes"


async def test_programs_neither_page_nor_colour_nor_ask(bench: Bench) -> None:
    result = await bench.run(command="echo $PAGER $GIT_PAGER $CI $TERM $NO_COLOR; [ -t 1 ]")
    assert result.text.startswith("cat cat true dumb 1")
    assert result.value.no_match


@pytest.mark.requirement("S4-071")
async def test_the_environment_of_the_login_shell_is_read_once_if_asked(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    profile = own_home / ".bash_profile"
    profile.write_text("echo hi; echo x >> ~/times; export FROM_PROFILE=yes\n", encoding="utf-8")
    settings = Settings(shell=ShellSettings(profile=True))
    bench = Bench(Bash, tmp_path, mode="bypass", settings=settings)
    for _ in range(2):
        assert (await bench.run(command="echo $FROM_PROFILE")).text == "yes"
    assert (own_home / "times").read_text(encoding="utf-8") == "x\n"
    without = Bench(Bash, tmp_path, mode="bypass")
    assert (await without.run(command="echo $FROM_PROFILE")).text == "(no output)"


# ── much output ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-072")
async def test_above_the_limit_beginning_and_end_are_shown_and_the_whole_is_saved(
    bench: Bench,
) -> None:
    result = await bench.run(command="seq 1 20000")
    whole = "".join(f"{number}\n" for number in range(1, 20_001))
    assert result.ok
    assert 20_000 < len(result.text) <= 30_000
    assert result.text.startswith("1\n2\n3\n")
    assert "\n19999\n20000\n" in result.text
    path = Path(result.metadata["saved_to"])
    assert path.read_text(encoding="utf-8") == whole
    assert path.stat().st_mode & 0o777 == 0o600
    assert result.text.endswith(f"[Output truncated. Full content saved to: {path}]")
    shown = len(result.value.output)
    assert f"{len(whole) - 27_996:,}"[:3] in result.text
    assert shown <= 30_000


async def test_up_to_the_limit_all_is_shown_and_nothing_is_saved(
    bench: Bench, own_home: Path
) -> None:
    result = await bench.run(command="yes 1234567 | head -n 3400")
    assert result.text == "\n".join(["1234567"] * 3400)
    assert "saved_to" not in result.metadata
    assert not list(own_home.rglob("*.txt"))


async def test_what_is_saved_can_be_read_without_a_question(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    result = await kit.call("Bash", command="seq 1 20000")
    careful = Toolkit(cwd=tmp_path, session_id=kit.agent.session_id)  # asks, and nobody is there
    read = await careful.call("Read", file_path=result.metadata["saved_to"], offset=12345, limit=1)
    assert "12345" in read.text


async def test_text_of_many_bytes_is_cut_between_characters(bench: Bench) -> None:
    result = await bench.run(command="for i in $(seq 5000); do printf 'नमस्ते '; done")
    assert "\ufffd" not in result.text
    assert len(result.text) <= 30_000


async def test_a_disk_that_is_full_is_said_and_loses_neither_beginning_nor_end(
    tmp_path: Path, own_home: Path
) -> None:
    results = own_home / ".local" / "state" / "ankrcode"
    results.mkdir(parents=True)
    (results / "results").write_text("in the way", encoding="utf-8")
    bench = Bench(Bash, tmp_path, mode="bypass")
    result = await bench.run(command="seq 1 100000")
    assert result.ok
    assert result.text.startswith("1\n2\n")
    assert "\n100000\n" in result.text
    assert "it could not be saved: Not a directory]" in result.text
    assert result.metadata["save_error"]


# ── bad input ─────────────────────────────────────────────────────────────────────────────────
BAD = {
    "blank": ("  \n ", "INVALID_INPUT", "The command is empty."),
    "NUL": ("echo a\0b", "INVALID_INPUT", "The command holds a NUL byte."),
    "1 MB": ("x" * 1_000_000, "TOO_LARGE", "The command has 1,000,000 bytes"),
}


@pytest.mark.parametrize(("command", "code", "message"), BAD.values(), ids=BAD)
async def test_what_no_shell_could_run_is_refused_before_anyone_is_asked(
    tmp_path: Path, command: str, code: str, message: str
) -> None:
    bench = Bench(Bash, tmp_path, answers=[YES])
    result = await bench.run(command=command)
    assert code_of(result) == code
    assert result.text.startswith(message)
    assert result.error is not None
    assert result.error.suggestion
    assert bench.asked == []


async def test_the_longest_command_that_fits_is_run(bench: Bench) -> None:
    result = await bench.run(command="echo " + "x" * 131_000 + " | wc -c")
    assert result.text == "131001"
    too_long = await bench.run(command="ü" * 70_000)
    assert code_of(too_long) == "TOO_LARGE"


async def test_without_bash_there_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = await Bench(Bash, tmp_path, mode="bypass").run(command="true")
    assert code_of(result) == "EXECUTION_ERROR"
    assert result.text == "bash was not found on the PATH. Install it, or mend the PATH."


@pytest.mark.parametrize("limit", [0, -1, 600_001, 1e9])
async def test_a_time_limit_that_makes_no_sense_is_refused(bench: Bench, limit: float) -> None:
    assert code_of(await bench.run(command="true", timeout=limit)) == "INVALID_INPUT"


@pytest.mark.requirement("S4-202")
async def test_the_inner_parameter_of_the_preview_is_refused_from_a_model(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("a\n", encoding="utf-8")
    inner = {"file_path": str(tmp_path / "f"), "new_content": "evil"}
    result = await bench.run(command="sed -i 's/a/b/' f", _simulated_sed_edit=inner)
    assert code_of(result) == "INVALID_INPUT"
    assert (tmp_path / "f").read_text(encoding="utf-8") == "a\n"
    assert "_simulated_sed_edit" not in SCHEMA["properties"]


# ── permission ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-204")
async def test_the_person_sees_the_tool_the_command_and_the_description(tmp_path: Path) -> None:
    bench = Bench(Bash, tmp_path, answers=[YES, NO])
    command = "touch a; echo 'a\nb'"
    result = await bench.run(command=command, description="Say two lines")
    assert result.text == "a\nb"
    (approval,) = bench.asked
    assert approval.tool == "Bash"
    assert approval.arguments["command"] == command
    assert approval.preview is not None
    assert approval.preview.title == "Say two lines"
    assert (approval.preview.body, approval.preview.format) == (command, "command")
    refused = await bench.run(command="touch made", cwd="/tmp")
    assert code_of(refused) == "PERMISSION_DENIED"
    assert bench.asked[1].preview is not None
    assert bench.asked[1].preview.title == "touch made (in /tmp)"


@pytest.mark.requirement("S4-077")
async def test_a_command_that_was_granted_runs_unasked(tmp_path: Path) -> None:
    bench = Bench(Bash, tmp_path)
    bench.kit.agent.policy.grant("Bash", "touch made")
    assert (await bench.run(command="touch made")).ok
    assert bench.asked == []
    assert not (await bench.run(command="touch other")).ok
    assert len(bench.asked) == 1


@pytest.mark.requirement("S4-073")
async def test_leaving_the_sandbox_is_a_question_of_its_own(tmp_path: Path) -> None:
    settings = Settings(sandbox=SandboxSettings(always=True))
    bench = Bench(Bash, tmp_path, answers=[YES], settings=settings)
    bench.kit.agent.policy.grant("Bash", "touch made; echo hi")
    inside = await bench.run(command="touch made; echo hi")
    assert inside.metadata["profile"] == "workspace-write"
    outside = await bench.run(command="touch made; echo hi", dangerously_disable_sandbox=True)
    assert len(bench.asked) == 1  # the grant was for the command inside
    assert outside.text == "hi"
    assert outside.metadata["profile"] == "open"


@pytest.mark.requirement("S4-073")
@pytest.mark.parametrize("how", ["bypass", "everything granted"])
async def test_without_a_question_the_model_does_not_get_out(tmp_path: Path, how: str) -> None:
    settings = Settings(sandbox=SandboxSettings(always=True))
    mode = "bypass" if how == "bypass" else "default"
    bench = Bench(Bash, tmp_path, mode=mode, settings=settings)
    if how != "bypass":
        bench.kit.agent.policy.grant("Bash", "*")
    result = await bench.run(command="touch made; echo hi", dangerously_disable_sandbox=True)
    assert result.metadata["profile"] == "workspace-write"


async def test_every_result_says_which_wall_stands(bench: Bench) -> None:
    for command, profile in (("true", "limits"), ("false", "limits"), ("touch made", "open")):
        result = await bench.run(command=command)
        assert isinstance(result.metadata["sandbox"], str)
        assert result.metadata["profile"] == profile


# ── time ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-166", "S3-035", "S4-201")
async def test_after_its_time_it_is_stopped_and_what_it_printed_is_kept(bench: Bench) -> None:
    sleep = long_sleep()
    result = await bench.run(command=f"echo begun; {sleep}", timeout=300)
    assert code_of(result) == "TIMEOUT"
    assert result.text.startswith("begun\n\nThe command was stopped after 0.")
    assert result.value.timed_out
    assert result.value.output == "begun\n"
    assert result.duration_ms < 300 + 500 + 4_000, "the grace, and a bound for a busy machine"
    assert not alive(sleep)


@pytest.mark.requirement("S3-035", "S4-201")
async def test_cancelled_it_is_stopped_and_what_it_printed_is_kept(bench: Bench) -> None:
    sleep = long_sleep()
    heard = asyncio.Event()
    loop = asyncio.get_running_loop()
    bench.kit.on("tool_output_chunk", lambda event: loop.call_soon_threadsafe(heard.set))
    async with bench.kit.turn() as turn:
        turn.feed(ToolCall(name="Bash", arguments={"command": f"echo begun; {sleep}"}))
        await heard.wait()
        turn.cancel()
        (result,) = await turn.results()
    assert code_of(result) == "CANCELLED"
    assert result.text.startswith("begun\n\nThe command was cancelled after ")
    assert result.value.output == "begun\n"
    assert not alive(sleep)


async def test_one_that_takes_too_long_may_go_on_in_the_background(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    os.mkfifo(tmp_path / "fifo")
    result = await kit.call(
        "Bash", command="echo begun; read x <fifo; echo $x", timeout=300, on_timeout="background"
    )
    assert result.ok
    task = result.value.task_id
    assert result.value.exit_code is None
    assert result.text.startswith(f"begun\n\nThe time is up: it goes on as background task {task}")
    (tmp_path / "fifo").write_text("ended\n", encoding="utf-8")
    output = await kit.call("TaskOutput", task_id=task)
    assert output.value.task.output == "begun\nended\n"
    assert output.value.task.exit_code == 0
    kit.close()


async def test_if_all_places_are_taken_it_is_stopped_after_all(tmp_path: Path) -> None:
    kit, sleep = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep()
    calls = [kit.call("Bash", command=sleep, run_in_background=True) for _ in range(64)]
    assert all(result.ok for result in await asyncio.gather(*calls))
    full = await kit.call("Bash", command=sleep, run_in_background=True)
    assert full.text == "64 background tasks are running already. Stop one with KillShell first."
    result = await kit.call(
        "Bash", command=f"echo x; {sleep}", timeout=200, on_timeout="background"
    )
    assert code_of(result) == "TIMEOUT"
    assert result.value.output == "x\n"
    kit.close()
    assert not alive(sleep)


# ── the background ────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-044", "S4-200")
async def test_in_the_background_it_answers_at_once_with_an_id_and_a_file(bench: Bench) -> None:
    sleep = long_sleep()
    result = await bench.run(command=f"echo begun; {sleep}", run_in_background=True)
    assert result.ok
    first, second = result.text.splitlines()
    task = result.value.task_id
    assert first == f"Background task started: {task}"
    assert str(uuid.UUID(task)) == task
    path = Path(result.metadata["output_path"])
    assert second == f"Its output is saved to: {path}"
    assert path.stat().st_mode & 0o777 == 0o600
    bench.kit.close()
    assert not alive(sleep)
    assert not path.exists()


async def test_a_background_command_that_cannot_start_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fake = tmp_path_factory.mktemp("elsewhere") / "bash"
    fake.write_bytes(b"\x7fELF nonsense")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    result = await bench.run(command="true", run_in_background=True)
    assert code_of(result) == "EXECUTION_ERROR"
    assert result.text.startswith("The command could not be started: Exec format error.")
    assert bench.kit.agent.tasks.all() == []


async def test_its_end_is_an_event_and_a_note_with_the_next_result(tmp_path: Path) -> None:
    bench = Bench(Bash, tmp_path, mode="bypass")
    os.mkfifo(tmp_path / "fifo")
    result = await bench.run(
        command="read x <fifo; exit 3", description="Build", run_in_background=True
    )
    (tmp_path / "fifo").write_text("go\n", encoding="utf-8")
    task = bench.kit.agent.tasks.get(result.value.task_id)
    await task.ended_within(20)
    (ended,) = [event for event in bench.events if event.type == "task_end"]
    shown: dict[str, Any] = {"task_id": task.id, "status": "failed", "exit_code": 3}
    assert {name: getattr(ended, name) for name in shown} == shown
    following = await bench.run(command="true")
    assert following.metadata["notes"] == [f"Background task {task.id} (Build) has ended: failed."]
    assert "notes" not in (await bench.run(command="true")).metadata


async def test_the_tasks_of_a_further_agent_end_with_it(tmp_path: Path) -> None:
    kit, mine, theirs = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep(), long_sleep()
    child = kit.for_agent("helper")
    await kit.call("Bash", command=mine, run_in_background=True)
    await child.call("Bash", command=theirs, run_in_background=True)
    child.close()
    assert not alive(theirs)
    assert [task.status for task in kit.agent.tasks.all()] == ["running"]
    kit.close()
    assert not alive(mine)


# ── beside others ─────────────────────────────────────────────────────────────────────────────
SAFE = ["ls", "cat a | grep b", "git status", "echo a; pwd", "grep -r x src || true", "wc -l <a"]
UNSAFE = ["touch a", "make", "echo a >b", "ls; mkdir x", "git commit -m x", "python x.py", "if"]


@pytest.mark.requirement("S4-075")
@pytest.mark.parametrize("command", [*SAFE, *UNSAFE])
def test_it_is_safe_beside_others_if_it_only_reads(command: str) -> None:
    assert Bash().is_concurrency_safe(BashInput(command=command)) == (command in SAFE)


@pytest.mark.requirement("S4-075")
async def test_without_a_command_nothing_is_safe_and_nothing_runs(bench: Bench) -> None:
    result = await bench.run(description="What was it?")
    assert code_of(result) == "INVALID_INPUT"
    assert "command" in result.text


async def test_what_nobody_was_asked_about_runs_no_program_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual environment on the PATH is common; its `ls` is not what was proved to read."""
    own = tmp_path / "bin" / "ls"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\necho mine\n", encoding="utf-8")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    unasked = await kit.call("Bash", command="ls")
    allowed = await kit.call("Bash", command="ls; touch new")
    kit.close()
    assert unasked.text.split() == ["bin"]
    assert "mine" in allowed.text


# ── while it runs ─────────────────────────────────────────────────────────────────────────────
LOADED_MEANWHILE = """
import asyncio, os, sys
from ankrcode import Toolkit

def is_loaded():
    return "ankrcode.tooling.command_result" in sys.modules

async def main():
    kit = Toolkit(cwd=".", mode="bypass")
    os.mkfifo("gate")
    waiting = asyncio.ensure_future(kit.call("Bash", command="cat gate"))
    await asyncio.sleep(0)
    print(is_loaded())
    while not is_loaded():
        await asyncio.sleep(0.01)
    print(waiting.done())
    await asyncio.to_thread(lambda: open("gate", "w").close())
    print((await waiting).ok)
    kit.close()

asyncio.run(asyncio.wait_for(main(), 20))
"""


def test_what_its_result_needs_is_loaded_before_it_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED_MEANWHILE],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["False", "False", "True"], "")
