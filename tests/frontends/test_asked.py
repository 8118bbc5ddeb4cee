"""What a task consists of, taken apart: rules, schemas, what is piped in, printed results."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.agent.answer import Answer, Denial
from ankrcode.errors import ProviderError, SessionError, UsageError
from ankrcode.frontends.cli import asked
from ankrcode.frontends.cli.asked import piped_in, rules_in, schema_of, task_of
from ankrcode.frontends.cli.main import exit_code as code_of
from ankrcode.frontends.cli.main import is_task
from ankrcode.frontends.cli.print_mode import exit_code, failed, result_of

Pipe = Callable[..., int]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipe]:
    """Standard input becomes a pipe with this in it; the answer is its other end."""
    with ExitStack() as opened:

        def made(data: bytes, *, is_open: bool = False) -> int:
            reading, writing = os.pipe()
            stdin = opened.enter_context(os.fdopen(reading, encoding="utf-8"))
            os.write(writing, data)
            opened.callback(os.close, writing) if is_open else os.close(writing)
            monkeypatch.setattr(sys, "stdin", stdin)
            return writing

        yield made


# ── rules ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("given_rules", "expected"),
    [
        (["Read"], ["Read"]),
        (["Read,Write", "Bash"], ["Read", "Write", "Bash"]),
        (["Read Write"], ["Read", "Write"]),
        (["Bash(git log:*),Edit"], ["Bash(git log:*)", "Edit"]),
        (["Bash(echo a, b)"], ["Bash(echo a, b)"]),
        (["Bash(f(x) y)", " , "], ["Bash(f(x) y)"]),
        (["Bash("], ["Bash("]),
        ([], []),
    ],
)
def test_rules_are_parted_outside_of_their_parentheses(
    given_rules: list[str], expected: list[str]
) -> None:
    assert rules_in(given_rules) == expected


@settings(max_examples=100)
@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,8}(\([a-z :*]{1,10}\))?", fullmatch=True)))
def test_rules_come_out_as_they_went_in(rules: list[str]) -> None:
    expected = [one.strip() for one in rules]
    assert rules_in([",".join(rules)]) == expected
    assert rules_in([" ".join(rules)]) == expected
    assert rules_in(rules) == expected


# ── is it a task? ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-p hi", True),
        ("--print hi", True),
        ("--cwd /tmp -p hi", True),
        ("--cwd exec -p hi", True),
        ("--model x -p hi", True),
        ("exec -p", False),
        ("sandbox run -- mkdir -p x", False),
        ("--cwd /tmp exec -p", False),
        ("-- -p", False),
        ("", False),
        ("--version", False),
    ],
)
def test_p_counts_before_a_command_only(line: str, *, expected: bool) -> None:
    assert is_task(line.split()) is expected


# ── standard input ────────────────────────────────────────────────────────────────────────────
def test_a_task_and_what_is_piped_in(pipe: Pipe) -> None:
    pipe(b"one\ntwo\n")
    assert task_of(["sum", "up"]) == "sum up\n\n<stdin>\none\ntwo\n</stdin>"


def test_what_is_piped_in_alone_is_the_task(pipe: Pipe) -> None:
    pipe("योग करो\n".encode())
    assert task_of([]) == "योग करो"


@pytest.mark.parametrize("words", [["-"], [" - "]])
def test_a_dash_is_all_that_is_piped_in(pipe: Pipe, words: list[str]) -> None:
    pipe(b"sum up\r\nthis\r\n")
    assert task_of(words) == "sum up\r\nthis"


def test_a_dash_among_words_is_a_word(pipe: Pipe) -> None:
    pipe(b"")
    assert task_of(["-", "sum", "up"]) == "- sum up"


def test_a_dash_with_nothing_behind_it_is_no_task(pipe: Pipe) -> None:
    pipe(b"")
    with pytest.raises(UsageError, match="Say what to do"):
        task_of(["-"])


@pytest.mark.parametrize("data", [b"", b"  \n\n"])
def test_nothing_piped_in_adds_nothing(pipe: Pipe, data: bytes) -> None:
    pipe(data)
    assert task_of(["hi"]) == "hi"


def test_no_task_at_all_is_wrong_use(pipe: Pipe) -> None:
    pipe(b" \n")
    with pytest.raises(UsageError, match="Say what to do"):
        task_of([])


@pytest.mark.parametrize("data", [b"", b"begun"])
def test_a_pipe_that_falls_silent_is_not_waited_for(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    monkeypatch.setattr(asked, "_FIRST_BYTE_S", 0.02)
    monkeypatch.setattr(asked, "_IDLE_S", 0.02)
    pipe(data, is_open=True)
    assert piped_in(is_all=False) == data.decode()
    assert "Nothing was piped in for 0.02 s" in capsys.readouterr().err


def test_of_a_flood_both_ends_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    flood = tmp_path / "flood"
    flood.write_bytes(b"begin" + b"x" * 1_000_000 + b"end")
    with flood.open(encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdin", file)
        task = task_of(["look"])
    assert len(task) < asked.MAX_PIPED_CHARS + 200
    assert "begin" in task
    assert task.endswith("xend\n</stdin>")
    assert "characters are left out here" in task


def test_bytes_that_are_no_text_do_not_stop_a_task(pipe: Pipe) -> None:
    pipe(b"\xff\xfe ok")
    assert "ok" in task_of(["hi"])


# ── schemas and answers ───────────────────────────────────────────────────────────────────────
def test_a_schema_is_text_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('{"type": "object"}', encoding="utf-8")
    assert schema_of(None) is None
    assert schema_of(' {"type": "object"}') == schema_of(str(file)) == {"type": "object"}
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(UsageError, match="no object"):
        schema_of(str(file))


# ── results ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("subtype", "code"),
    [
        ("success", 0),
        ("error_provider", 3),
        ("error_denied", 4),
        ("error_max_turns", 5),
        ("error_budget", 5),
        ("error_cancelled", 130),
        ("error_loop", 1),
        ("error_schema", 1),
        ("error_context", 1),
        ("error_blocked", 1),
    ],
)
def test_every_ending_has_its_exit_code(subtype: str, code: int) -> None:
    assert exit_code(Answer(subtype=subtype)) == code  # type: ignore[arg-type]


def test_a_result_lists_what_was_not_allowed() -> None:
    denial = Denial(tool="Bash", call_id="c", arguments={"command": "x"}, reason="no")
    result = result_of(Answer(subtype="error_denied", denials=(denial,), cost_usd=0.12345678))
    assert result["permission_denials"] == [
        {"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "x"}, "reason": "no"}
    ]
    assert result["total_cost_usd"] == 0.123457
    assert "structured_output" not in result


def test_what_could_not_begin_has_a_result_too() -> None:
    provider = failed(ProviderError.of("model_unset"))
    assert (provider["subtype"], provider["is_error"]) == ("error_provider", True)
    other = failed(SessionError.of("session_none_here", path="/x"))
    assert (other["subtype"], other["is_error"]) == ("error_during_execution", True)
    assert "/x" in other["error"]


def test_a_provider_that_cannot_be_used_ends_with_3() -> None:
    assert code_of(ProviderError.of("model_unset")) == 3
    assert code_of(UsageError.of("agent_busy")) == 2
