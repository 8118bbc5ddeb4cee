"""`ankrcode -p`: what the model is given with the task, and sessions that go on."""

import json
from pathlib import Path

import pytest

from frontends.headless import (
    ChatServer,
    Turn,
    ask,
    call,
    called,
    calls,
    lines_of,
    records_in,
    said,
    session_file,
)

READS = [calls(call("Read", file_path="a.txt"), text="I look. "), "It says one."]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


# ── what the model is given ───────────────────────────────────────────────────────────────────
def test_prompts_tools_and_results_reach_a_real_server(work: Path) -> None:
    answers = (called("Read", {"file_path": "a.txt"}), said("One."))
    with ChatServer(*answers) as chat:
        done = ask(
            work,
            "what is in a.txt?",
            *chat.options,
            *("--append-system-prompt", "Speak like a pirate."),
            *("--disallowed-tools", "Bash,Write"),
        )
    assert (done.stdout, done.returncode) == ("One.\n", 0), done.stderr
    first, second = chat.requests
    system = json.dumps([one for one in first["messages"] if one["role"] == "system"])
    assert "Speak like a pirate." in system
    names = {one["function"]["name"] for one in first["tools"]}
    assert "Read" in names
    assert not names & {"Bash", "Write"}
    assert second["messages"][: len(first["messages"])] == first["messages"], "a stable prefix"
    assert "1\\tone" in json.dumps(second["messages"][-1])


def test_a_system_prompt_of_ones_own_stands_instead_of_ours(work: Path) -> None:
    with ChatServer(said("Arr.")) as chat:
        ask(work, "hi", *chat.options, "--system-prompt", "You are a parrot.")
    (system, *_) = chat.requests[0]["messages"]
    assert "You are a parrot." in json.dumps(system)


def test_a_picture_goes_with_the_task(work: Path) -> None:
    from PIL import Image

    Image.new("RGB", (3, 2), "red").save(work / "dot.png")
    with ChatServer(said("Red.")) as chat:
        done = ask(work, "which colour?", "--image", "dot.png", *chat.options)
    assert done.returncode == 0, done.stderr
    assert "data:image/png;base64," in json.dumps(chat.requests[0]["messages"])


def test_an_answer_by_a_schema_is_printed_as_data(work: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    (work / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    turns: list[Turn] = ["four", '{"n": 4}']  # the first does not fit, and is sent back
    arguments = ("how many?", "--json-schema", "schema.json")
    done = ask(work, *arguments, turns=turns)
    assert json.loads(done.stdout) == {"n": 4}
    as_json = ask(work, *arguments, "--output-format", "json", turns=turns)
    assert lines_of(as_json)[0]["structured_output"] == {"n": 4}


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_null_is_an_answer_where_the_schema_allows_it(work: Path, form: str) -> None:
    schema = ["--json-schema", '{"type": ["object", "null"]}']
    said_null = ["It is this:\n```json\nnull\n```"]
    done = ask(work, "x", *schema, "--output-format", form, turns=list(said_null))
    result = lines_of(done)[-1]
    assert "structured_output" in result
    assert (result["subtype"], result["structured_output"]) == ("success", None)
    assert ask(work, "x", *schema, turns=list(said_null)).stdout == "null\n"


def test_an_answer_that_never_fits_has_no_data(work: Path) -> None:
    schema = ["--json-schema", '{"type": ["object", "null"]}']
    done = ask(work, "x", *schema, "--output-format", "json", turns=["5"] * 5)
    assert "structured_output" not in lines_of(done)[0]
    assert ask(work, "x", *schema, turns=["5"] * 5).stdout == "5\n"


def test_questions_are_answered_from_a_file(work: Path) -> None:
    (work / "answers.json").write_text('{"Colour": "green"}', encoding="utf-8")
    options = [{"label": "red", "description": "r"}, {"label": "green", "description": "g"}]
    question = {"question": "Which?", "header": "Colour", "options": options, "multiSelect": False}
    turns = [calls(call("AskUserQuestion", questions=[question])), {"text": "ok", "when": "green"}]
    done = ask(work, "ask me", "--answers", "answers.json", turns=turns)
    assert done.stdout == "ok\n", done.stderr
    refusal: Turn = {"text": "Nobody is there.", "when": "Nobody is there to answer"}
    refused = ask(work, "ask me", turns=[turns[0], refusal])
    assert refused.stdout == "Nobody is there.\n", "a clear refusal, and no waiting"


# ── sessions ──────────────────────────────────────────────────────────────────────────────────
def test_a_session_goes_on_with_all_that_was_said(work: Path) -> None:
    first = lines_of(ask(work, "I am Asha", "--output-format", "json", turns=["Hello Asha."]))[0]
    session = first["session_id"]
    for how in (["--continue"], ["-c"], ["--resume", session], ["-r", session[:14]]):
        with ChatServer(said("Asha.")) as chat:
            done = ask(work, "who am I?", *how, *chat.options, "--output-format", "json")
        assert lines_of(done)[0]["session_id"] == session, done.stderr
        told = json.dumps(chat.requests[0]["messages"])
        assert "I am Asha" in told
        assert "Hello Asha." in told


def test_a_fork_leaves_the_first_session_alone(work: Path) -> None:
    first = lines_of(ask(work, "one", "--output-format", "json", turns=["1"]))[0]["session_id"]
    before = session_file(first).read_bytes()
    forked = ask(work, "two", "-c", "--fork", "--output-format", "json", turns=["2"])
    assert lines_of(forked)[0]["session_id"] != first
    assert session_file(first).read_bytes() == before


def test_without_a_session_nothing_is_recorded(work: Path) -> None:
    done = ask(work, "hi", "--no-session", "--output-format", "json", turns=["Hello."])
    assert done.returncode == 0
    assert not session_file("x").parent.exists()


def test_the_log_holds_the_task_the_calls_and_the_end(work: Path) -> None:
    done = ask(work, "what is in a.txt?", "--session", "s", turns=READS)
    assert done.returncode == 0
    kinds = [one["type"] for one in records_in(session_file("s"))]
    assert kinds[0] == "session_started"
    assert kinds.index("turn_started") < kinds.index("call_begun") < kinds.index("call_ended")
    assert kinds[-1] == "turn_ended"
