"""`ankrcode -p TASK`: what is printed, what is not, and how the program ends."""

import json
import os
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest

from ankrcode.frontends.cli.ask_options import rules_joined
from frontends.command import COMMAND, PATIENCE_S, ankrcode, environment
from frontends.headless import (
    NO_KEYS,
    ChatServer,
    ask,
    call,
    calls,
    lines_of,
    said,
    scripted,
    session_file,
)

LOOKED = {"input_tokens": 10, "output_tokens": 3}
READS = [
    calls(call("Read", file_path="a.txt"), text="I look. ", usage=LOOKED),
    {"text": "It says one.", "usage": {"input_tokens": 20, "output_tokens": 4}},
]
# One pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC"
RESULT_KEYS = {
    *("type", "subtype", "is_error", "result", "session_id", "num_turns", "usage"),
    *("total_cost_usd", "duration_ms", "duration_api_ms", "permission_denials"),
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


# ── forms ─────────────────────────────────────────────────────────────────────────────────────
def test_text_is_the_answer_and_nothing_else(work: Path) -> None:
    done = ask(work, "what is in a.txt?", turns=READS)
    assert (done.stdout, done.stderr, done.returncode) == ("It says one.\n", "", 0)


def test_json_is_one_object_with_all_that_scripts_rely_on(work: Path) -> None:
    done = ask(work, "what is in a.txt?", "--output-format", "json", turns=READS)
    (result,) = lines_of(done)
    assert result.keys() == RESULT_KEYS
    assert (result["type"], result["subtype"], result["is_error"]) == ("result", "success", False)
    assert (result["result"], result["num_turns"]) == ("It says one.", 2)
    assert (result["usage"]["input_tokens"], result["usage"]["output_tokens"]) == (30, 7)
    assert done.stderr == ""
    assert session_file(result["session_id"]).is_file()


def test_the_task_may_stand_anywhere_among_the_options(work: Path) -> None:
    model = scripted(work, "Hello.")
    for arguments in (
        ["-p", "hi", "--model", model],
        ["--model", model, "-p", "hi"],
        ["--cwd", str(work), "-p", "--model", model, "hi", "there"],
        ["--print", "--model", model, "hi"],
    ):
        done = ankrcode(*arguments, cwd=work)
        assert (done.stdout, done.returncode) == ("Hello.\n", 0), done.stderr


def test_a_command_with_a_p_of_its_own_is_no_task(work: Path) -> None:
    done = ankrcode("sandbox", "run", "--", "mkdir", "-p", "x/y", cwd=work)
    assert done.returncode == 0, done.stderr
    assert (work / "x" / "y").is_dir()


def test_the_help_names_every_option_without_loading_an_agent(work: Path) -> None:
    done = ankrcode("-p", "--help", cwd=work)
    assert done.returncode == 0
    for option in ("--output-format", "--model", "--allowed-tools", "--max-cost", "--json-schema"):
        assert option in done.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "Say what to do"),
        (["x", "--output-format", "xml"], "invalid choice"),
        (["x", "--max-turns", "0"], "must be 1 or more"),
        (["x", "--max-turns", "many"], "must be 1 or more, not 'many'"),
        (["x", "--max-cost", "-1"], "must be more than 0"),
        (["x", "--max-cost", "much"], "must be more than 0, not 'much'"),
        (["x", "--permission-mode", "yolo"], "choose from 'default', 'plan'"),
        (["x", "--json-schema", "{"], "--json-schema"),
        (["x", "--json-schema", "missing.json"], "missing.json: No such file or directory"),
        (["x", "--json-schema", "[]"], "[]: No such file"),
        (["x", "--json-schema", '{"minimum": 1e999}'], "it is no JSON: a number is out of range"),
        (["x", "--json-schema", '{"a": ' * 5_000], "it is no JSON: it is nested too deeply"),
        (["x", "--answers", "missing.json"], "missing.json cannot be used: No such file"),
        (["x", "--base-url", ""], "needs the address of a server"),
        (["x", "--base-url", " "], "needs the address of a server"),
        (["x", "--output", "json"], "did you mean --output-format?"),
        (["x", "--in", "text"], "did you mean --input-format / --include-partial-messages?"),
        (["x", "--image", "a.txt"], "a.txt is no picture"),
        (["x", "--image", "missing.png"], "No such file"),
        (["--image", "p.png", "--input-format", "stream-json"], "--image goes with a task"),
        (["x", "--answers", "a.txt"], "answers in a.txt"),
        (["x", "--json-schema", '{"type": "strange"}'], "no JSON Schema"),
        (["x", "--json-schema", '{"$ref": "#/nowhere"}'], "no JSON Schema"),
        (["x", "--add-dir", "missing"], "there is no folder missing"),
        (["x", "--add-dir", "a.txt"], "there is no folder a.txt"),
        (["x", "--resume", "nobody"], "nobody"),
        (["x", "--resume", ""], "needs the id of a session"),
        (["x", "--session", " "], "needs the id of a session"),
        (["x", "--continue", "--no-session"], "--no-session records nothing"),
        (["x", "--resume", "nobody", "--no-session"], "--no-session records nothing"),
        (["x", "--fork"], "--fork needs"),
        (["x", "--allowed-tools", "Bash("], "is not a rule"),
    ],
)
def test_wrong_use_is_told_and_ends_with_2(work: Path, arguments: list[str], why: str) -> None:
    (work / "p.png").write_bytes(b64decode(PNG))
    done = ask(work, *arguments, turns=["Hello."])
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stdout == ""


# ── standard input ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_full_disk_behind_standard_output_is_said(work: Path, form: str) -> None:
    model = scripted(work, "Hello.")
    command = [*COMMAND, "-p", "hi", "--model", model, "--output-format", form]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command,
            cwd=work,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"ankrcode: The answer could not be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("given", "joined"),
    [
        (["--allowed-tools", "Edit", "Bash(make:*)", "fix it"], ["Edit,Bash(make:*)", "fix it"]),
        (["--allowedTools", "Edit", "Read", "Write"], ["Edit,Read,Write"]),
        (["--disallowed-tools", "Bash(git push:*)", "mcp__x__y"], ["Bash(git push:*),mcp__x__y"]),
        (["--allowed-tools", "Edit", "Fix"], ["Edit", "Fix"]),  # no tool has that name
        (["--allowed-tools", "Edit", "Fix it (soon)"], ["Edit", "Fix it (soon)"]),
        (["--allowed-tools", "Edit", "-p", "Read"], ["Edit", "-p", "Read"]),
        (["--allowed-tools=Edit", "Read"], ["--allowed-tools=Edit", "Read"]),
        (["Read", "--allowed-tools", "Edit"], ["Read", "--allowed-tools", "Edit"]),
        (["--allowed-tools"], ["--allowed-tools"]),
    ],
)
def test_further_rules_may_be_words_of_their_own(given: list[str], joined: list[str]) -> None:
    assert rules_joined(given) in (joined, [given[0], *joined])


def test_what_is_piped_in_goes_with_the_task(work: Path) -> None:
    with ChatServer(said("Seen.")) as chat:
        done = ask(work, "explain this", *chat.options, given="line one\nline two\n")
    assert done.stdout == "Seen.\n", done.stderr
    (message,) = [one for one in chat.requests[0]["messages"] if one["role"] == "user"]
    assert "explain this\n\n<stdin>\nline one\nline two\n</stdin>" in json.dumps(
        message, ensure_ascii=False
    ).replace("\\n", "\n")


def test_what_is_piped_in_may_be_the_task(work: Path) -> None:
    done = ask(work, turns=[{"text": "Two.", "when": "what is 1 + 1"}], given="what is 1 + 1\n")
    assert (done.stdout, done.returncode) == ("Two.\n", 0)


def test_an_open_pipe_that_nobody_writes_to_holds_nothing_up(work: Path) -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*COMMAND, "-p", "hi", "--model", scripted(work, "Hello.")],
            cwd=work,
            env=environment(),
            stdin=reading,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.stdout, done.returncode) == ("Hello.\n", 0)
    assert "Nothing was piped in for 3 s" in done.stderr


def test_a_closed_standard_input_is_no_input(work: Path) -> None:
    line = f"exec {' '.join(COMMAND)} -p hi --model {scripted(work, 'Hello.')} <&-"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=work,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("Hello.\n", 0), done.stderr


# ── how it ends ───────────────────────────────────────────────────────────────────────────────
def test_needed_work_that_is_denied_ends_with_4_and_is_listed(work: Path) -> None:
    turns = [calls(call("Write", file_path="new.txt", content="x")), "I could not."]
    done = ask(work, "write it", "--output-format", "json", turns=turns)
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"], result["is_error"]) == (4, "error_denied", True)
    (denial,) = result["permission_denials"]
    assert (denial["tool_name"], denial["tool_input"]["file_path"]) == ("Write", "new.txt")
    assert not (work / "new.txt").exists()


def test_the_limit_of_turns_ends_with_5(work: Path) -> None:
    turns = [calls(call("Read", file_path="a.txt", offset=n)) for n in range(1, 6)]
    done = ask(work, "go on", "--max-turns", "2", "--output-format", "json", turns=turns)
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"], result["num_turns"]) == (5, "error_max_turns", 2)
    assert "2" in result["error"]


def test_a_provider_that_fails_for_good_ends_with_3(work: Path) -> None:
    done = ask(work, "hi", "--output-format", "json", turns=[{"fail": "auth"}])
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"]) == (3, "error_provider")


def test_a_missing_script_is_a_provider_that_cannot_be_used(work: Path) -> None:
    done = ask(work, "hi", "--model", "scripted/missing.json", "--output-format", "json")
    (result,) = lines_of(done)
    assert (done.returncode, result["is_error"]) == (3, True)
    assert "missing.json" in result["error"]
    assert "missing.json" in done.stderr


# ── without a model ───────────────────────────────────────────────────────────────────────────
def test_without_a_model_one_sentence_says_what_to_set_and_what_works(work: Path) -> None:
    done = ask(work, "why is the sky blue?", env=NO_KEYS)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "ANTHROPIC_API_KEY" in done.stderr
    assert "work without" in done.stderr


@pytest.mark.parametrize("given", [["--json-schema", "{}"], ["--image", "p.png"]])
def test_what_rocketlang_cannot_heed_needs_a_model(work: Path, given: list[str]) -> None:
    (work / "p.png").write_bytes(b64decode(PNG))
    done = ask(work, "a.txt padho", *given, env=NO_KEYS)
    assert (done.returncode, done.stdout) == (3, "")
    assert "needs a model" in done.stderr


def test_at_a_base_url_without_a_model_its_name_is_asked_for(work: Path) -> None:
    done = ask(work, "is it good?", "--base-url", "http://127.0.0.1:9/v1", env=NO_KEYS)
    assert (done.returncode, done.stdout) == (3, "")
    assert "--model NAME" in done.stderr
    assert "API_KEY" not in done.stderr  # which would be another server's


@pytest.mark.parametrize("task", ["a.txt padho", "read a.txt", "a.txt को पढ़ो"])
def test_what_rocketlang_understands_in_full_needs_no_model(work: Path, task: str) -> None:
    done = ask(work, task, env=NO_KEYS)
    assert (done.stdout, done.returncode) == ("     1\tone\n", 0), done.stderr
    as_json = ask(work, task, "--output-format", "json", env=NO_KEYS)
    (result,) = lines_of(as_json)
    assert (result["subtype"], result["num_turns"]) == ("success", 0)
    assert result["result"] == "     1\tone"


def test_offline_a_model_elsewhere_is_refused_and_one_here_is_asked(work: Path) -> None:
    key = {"ANTHROPIC_API_KEY": "sk-" + "x" * 20}
    done = ask(work, "hi", "--offline", "--model", "anthropic/claude-sonnet-4-5", env=key)
    assert done.returncode == 3
    assert "offline" in done.stderr.lower()
    with ChatServer(said("Here.")) as chat:
        assert ask(work, "hi", "--offline", *chat.options).stdout == "Here.\n"
