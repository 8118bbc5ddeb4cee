"""`--output-format stream-json` and `--input-format stream-json`: lines that clients read."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.frontends.cli.told import BadLine, Told, told
from frontends.headless import (
    NO_KEYS,
    ChatServer,
    ask,
    call,
    calls,
    ended,
    lines_of,
    said,
    scripted,
    started,
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


def streamed(work: Path, *arguments: str, **more: Any) -> list[dict[str, Any]]:
    return lines_of(ask(work, *arguments, "--output-format", "stream-json", **more))


def kinds(lines: list[dict[str, Any]]) -> list[str]:
    return [one["type"] for one in lines]


# ── out ───────────────────────────────────────────────────────────────────────────────────────
def test_a_task_is_told_message_by_message(work: Path) -> None:
    turns = [calls(call("Read", file_path="a.txt"), text="I look. "), "It says one."]
    lines = streamed(work, "what is in a.txt?", turns=turns)
    assert kinds(lines) == ["system", "assistant", "user", "assistant", "result"]
    init, asked, answered, final, result = lines
    assert init["subtype"] == "init"
    assert init["cwd"] == str(work)
    assert (init["permissionMode"], init["model"][:9]) == ("default", "scripted/")
    assert "Read" in init["tools"]
    text, use = asked["message"]["content"]
    assert text == {"type": "text", "text": "I look. "}
    assert (use["type"], use["name"], use["input"]) == ("tool_use", "Read", {"file_path": "a.txt"})
    (block,) = answered["message"]["content"]
    assert (block["type"], block["tool_use_id"]) == ("tool_result", use["id"])
    assert (block["content"], block["is_error"]) == ("     1\tone", False)
    assert final["message"]["content"] == [{"type": "text", "text": "It says one."}]
    assert (result["subtype"], result["result"]) == ("success", "It says one.")
    assert {one["session_id"] for one in lines} == {init["session_id"]}
    assert len({one["uuid"] for one in lines}) == len(lines)
    assert asked["message"]["id"] != final["message"]["id"]


def test_thoughts_are_blocks_and_a_failed_call_says_so(work: Path) -> None:
    turns = [
        calls(call("Read", file_path="gone.txt"), thinking="Hm.", signature="s1"),
        {"text": "It is not there."},
    ]
    _, asked, answered, *_ = streamed(work, "read it", turns=turns)
    thought = asked["message"]["content"][0]
    assert thought == {"type": "thinking", "thinking": "Hm.", "signature": "s1"}
    assert answered["message"]["content"][0]["is_error"] is True


def test_pieces_of_text_come_if_they_are_wanted(work: Path) -> None:
    turns = [{"text": "one two", "chunk": 4, "thinking": "Hm."}]
    lines = streamed(work, "hi", "--include-partial-messages", turns=turns)
    events = [one["event"] for one in lines if one["type"] == "stream_event"]
    deltas = [one["delta"] for one in events if one["type"] == "content_block_delta"]
    assert "".join(one.get("text", "") for one in deltas) == "one two"
    assert "".join(one.get("thinking", "") for one in deltas) == "Hm."
    assert len(deltas) > 2
    assert "stream_event" not in kinds(streamed(work, "hi", turns=turns))


def put_together(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages that a client of such a stream makes of it; each step must have its place."""
    messages: list[dict[str, Any]] = []
    is_open, inner = False, None
    for one in events:
        kind = one["type"]
        if kind == "message_start":
            assert not is_open
            messages.append({**one["message"], "content": []})
            is_open = True
            continue
        assert is_open, f"{kind} outside of a message"
        content = messages[-1]["content"]
        match kind:
            case "content_block_start":
                assert (inner, one["index"]) == (None, len(content))
                inner = one["index"]
                content.append({**one["content_block"], "partial_json": ""})
            case "content_block_delta":
                assert one["index"] == inner
                ((field, more),) = [(k, v) for k, v in one["delta"].items() if k != "type"]
                content[-1][field] += more
            case "content_block_stop":
                assert one["index"] == inner
                inner = None
            case "message_delta":
                messages[-1]["stop_reason"] = one["delta"]["stop_reason"]
            case "message_stop":
                assert inner is None
                is_open = False
    assert not is_open
    return messages


def test_pieces_make_up_whole_messages_with_their_calls(work: Path) -> None:
    read = {**call("Read", file_path="a.txt"), "id": "c1"}
    turns = [
        calls(read, text="I look.", thinking="Hm.", chunk=3),
        calls({**call("Glob", pattern="*"), "id": "c2"}),
        "Done.",
    ]
    lines = streamed(work, "hi", "--include-partial-messages", turns=turns)
    events = [one["event"] for one in lines if one["type"] == "stream_event"]
    first, second, last = put_together(events)
    thought, text, use = first["content"]
    assert (thought["thinking"], text["text"]) == ("Hm.", "I look.")
    assert (use["id"], use["name"]) == ("c1", "Read")
    assert json.loads(use["partial_json"]) == read["arguments"]
    assert [one["id"] for one in second["content"]] == ["c2"]
    assert [one["text"] for one in last["content"]] == ["Done."]
    reasons = [one["stop_reason"] for one in (first, second, last)]
    assert reasons == ["tool_use", "tool_use", "end_turn"]


def test_pieces_of_an_answer_that_is_asked_for_again_are_a_message_of_their_own(
    work: Path,
) -> None:
    turns: list[Any] = [{"text": "Half of it", "chunk": 5, "cut_after": 1}, "All of it."]
    lines = streamed(work, "hi", "--include-partial-messages", turns=turns)
    events = [one["event"] for one in lines if one["type"] == "stream_event"]
    void, whole = put_together(events)
    assert (void["content"][0]["text"], void["stop_reason"]) == ("Half ", None)
    assert (whole["content"][0]["text"], whole["stop_reason"]) == ("All of it.", "end_turn")
    assert lines[-1]["result"] == "All of it."


def test_a_line_comes_when_it_is_known_and_not_at_the_end(work: Path) -> None:
    turns = [calls(call("Read", file_path="a.txt")), {"text": "Slow.", "delay_s": 30}]
    model = scripted(work, *turns)
    process = started(work, "go", "--model", model, "--output-format", "stream-json")
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline())["type"] for _ in range(3)]
    assert first == ["system", "assistant", "user"]
    process.terminate()
    code, rest, _ = ended(process)
    assert (code, json.loads(rest.splitlines()[-1])["subtype"]) == (130, "error_cancelled")


def test_what_a_further_agent_says_names_the_call_that_began_it(work: Path) -> None:
    task = {"description": "look", "prompt": "read a.txt now", "subagent_type": "explore"}
    turns = [
        calls({**call("Task", **task), "id": "t1"}),
        {**calls(call("Read", file_path="a.txt")), "when": "read a.txt now"},  # type: ignore[dict-item]
        {"text": "The child says one.", "when": "1\tone"},
        {"text": "Done.", "when": "The child says one."},
    ]
    lines = streamed(work, "delegate", turns=turns)
    inner = [one for one in lines if one.get("parent_tool_use_id")]
    assert {one["parent_tool_use_id"] for one in inner} == {"t1"}
    assert "The child says one." in json.dumps(inner)
    assert lines[-1]["result"] == "Done."


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_line_has_no_other_end_than_its_own(work: Path, form: str) -> None:
    """Readers of other languages end a line at more than a line feed."""
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh"
    (work / "a.txt").write_text(text, encoding="utf-8", newline="")
    turns = [calls(call("Read", file_path="a.txt")), text]
    done = ask(work, "read", "--output-format", form, turns=turns)
    assert lines_of(done)[-1]["result"] == text
    assert len(lines_of(done)) == done.stdout.count("\n")


def test_warnings_are_lines_and_standard_output_holds_nothing_else(work: Path) -> None:
    (work / "ANKRCODE.md").write_text("Obey.\n", encoding="utf-8")
    done = ask(work, "hi", "--output-format", "stream-json", turns=["Hello."])
    notices = [one for one in lines_of(done) if one.get("subtype") == "notice"]
    assert any(str(work) in one["message"] for one in notices), "untrusted instructions are named"
    assert any("ankrcode trust add" in one["message"] for one in notices), "and what to do"


def test_without_a_model_a_stream_has_its_first_and_its_last_line(work: Path) -> None:
    lines = streamed(work, "a.txt padho", env=NO_KEYS)
    assert kinds(lines) == ["system", "result"]
    assert lines[-1]["result"] == "     1\tone"
    first, only = streamed(work, "why?", env=NO_KEYS)
    assert first["uuid"] != only["uuid"]
    assert (first["type"], first["subtype"], first["tools"]) == ("system", "init", [])
    assert (only["type"], only["subtype"]) == ("result", "error_provider")


# ── in ────────────────────────────────────────────────────────────────────────────────────────
def user(content: object) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}})


def fed(work: Path, given: str, *turns: Any, **more: Any) -> list[dict[str, Any]]:
    return streamed(work, "--input-format", "stream-json", turns=list(turns), given=given, **more)


def test_each_line_is_a_task_of_one_conversation(work: Path) -> None:
    given = f"{user('first')}\n{user([{'type': 'text', 'text': 'second'}])}\n"
    lines = fed(work, given, {"text": "1", "when": "first"}, {"text": "2", "when": "second"})
    results = [one for one in lines if one["type"] == "result"]
    assert [one["result"] for one in results] == ["1", "2"]
    assert len({one["session_id"] for one in results}) == 1
    assert kinds(lines).count("system") == 1


def test_a_line_that_is_no_task_is_told_and_the_work_goes_on(work: Path) -> None:
    given = f'not json\n{{"type": "user"}}\n\n{user("hi")}\n'
    lines = fed(work, given, "Hello.")
    errors = [one for one in lines if "error" in one and "type" not in one]
    assert [one["id"] for one in errors] == [None, None]
    assert "not JSON" in errors[0]["error"]
    assert lines[-1]["result"] == "Hello."


def test_a_mark_before_the_first_line_and_ends_of_other_systems_are_no_part_of_it(
    work: Path,
) -> None:
    given = f"\ufeff{user('first')}\r\n{user('second')}\r\n"
    lines = fed(work, given, {"text": "1", "when": "first"}, {"text": "2", "when": "second"})
    assert [one["result"] for one in lines[1:] if one["type"] == "result"] == ["1", "2"]


def test_a_line_that_is_far_too_long_does_not_end_the_conversation(work: Path) -> None:
    """Both its ends are kept, as of what is piped in."""
    given = f"{user('begin ' + 'x' * 3_000_000 + ' end')}\n{user('second')}\n"
    turns = [{"text": "1", "when": " end"}, {"text": "2", "when": "second"}]
    lines = fed(work, given, *turns)
    results = [one for one in lines if one["type"] == "result"]
    assert [one["result"] for one in results] == ["1", "2"], results


def test_no_line_at_all_is_no_failure(work: Path) -> None:
    done = ask(work, "--input-format", "stream-json", turns=[], given="")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_task_on_the_command_line_comes_first(work: Path) -> None:
    turns = [{"text": "1", "when": "first"}, {"text": "2", "when": "second"}]
    model = scripted(work, *turns)
    arguments = ("first", "--model", model, "--input-format", "stream-json")
    lines = lines_of(
        ask(work, *arguments, "--output-format", "stream-json", given=user("second") + "\n")
    )
    assert [one["result"] for one in lines if one["type"] == "result"] == ["1", "2"]


# One pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC"


def picture(data: object) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "see"}, picture("!!not base64!!")],
        [{"type": "text", "text": "see"}, picture("aGVsbG8=")],
        [{"type": "text", "text": "see"}, picture("iVBORw0KGgo=")],
        [{"type": "text", "text": "see"}, picture(7)],
        [picture("")],
        [{"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/x.png"}}],
        [{"type": "image"}],
    ],
)
def test_a_picture_that_is_none_is_refused_before_it_spoils_the_talk(content: object) -> None:
    with pytest.raises(BadLine, match="The line has a picture"):
        told(user(content).encode())


def test_a_block_that_would_be_left_out_is_refused_by_its_name() -> None:
    content = [{"type": "text", "text": "what does it say?"}, {"type": "document", "source": {}}]
    with pytest.raises(BadLine, match=r"^The line has a block of type 'document'"):
        told(user(content).encode())


def test_a_picture_in_a_line_reaches_the_model(work: Path) -> None:
    """With words, or alone: then no empty words go with it."""
    content = [{"type": "text", "text": "look"}, picture(PNG)]
    given = f"{user(content)}\n{user([picture(PNG)])}\n"
    with ChatServer(said("Seen."), said("Again.")) as chat:
        arguments = ("--input-format", "stream-json", "--output-format", "stream-json")
        done = ask(work, *arguments, *chat.options, given=given)
    results = [one["result"] for one in lines_of(done) if one["type"] == "result"]
    assert results == ["Seen.", "Again."], done.stderr
    assert PNG in json.dumps(chat.requests[0]["messages"])
    [alone] = chat.requests[1]["messages"][-1]["content"]
    assert PNG in alone["image_url"]["url"]


@pytest.mark.parametrize("is_line", [True, False])
def test_an_interrupt_ends_the_task_and_the_next_one_is_heard(work: Path, *, is_line: bool) -> None:
    """Also where the first task stands on the command line."""
    with ChatServer(said("late"), said("Second.")) as chat:
        chat.may_answer.clear()
        arguments = ["--input-format", "stream-json", "--output-format", "stream-json"]
        arguments += [] if is_line else ["first"]
        process = started(work, *arguments, *chat.options, stdin=subprocess.PIPE)
        assert process.stdin is not None
        if is_line:
            process.stdin.write(f"{user('first')}\n".encode())
            process.stdin.flush()
        assert chat.has_asked.wait(20)
        stop = {"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}}
        process.stdin.write(f"{json.dumps(stop)}\n{user('second')}\n".encode())
        process.stdin.flush()
        process.stdin.close()
        assert process.stdout is not None
        assert any(b"control_response" in line for line in process.stdout), "it counts from here"
        chat.may_answer.set()
        results = [one for one in map(json.loads, process.stdout) if one["type"] == "result"]
        process.stdin = None
        code, _, _ = ended(process)
    assert [one["subtype"] for one in results] == ["error_cancelled", "success"]
    assert code == 0


def wish(subtype: str, request_id: str | int = "r1", **more: object) -> str:
    request = {"subtype": subtype, **more}
    return json.dumps({"type": "control_request", "request_id": request_id, "request": request})


def test_wishes_about_the_work_are_answered_by_their_ids(work: Path) -> None:
    wishes = (
        wish("initialize", "a", hooks={}),
        wish("set_permission_mode", "b", mode="bypassPermissions"),
        wish("set_permission_mode", "c", mode="anything goes"),
        wish("interrupt", "d"),  # nothing is at work
        wish("fly", "e"),
        wish("initialize", 0),
    )
    lines = fed(work, "\n".join((*wishes, user("hi"))) + "\n", "Hello.")
    replies = {
        one["response"]["request_id"]: one["response"]
        for one in lines
        if one["type"] == "control_response"
    }
    assert replies.pop(0)["response"]["permissionMode"] == "bypass", "a number is an id too"
    told = {key: one["subtype"] for key, one in replies.items()}
    assert told == {"a": "success", "b": "success", "c": "error", "d": "success", "e": "error"}
    assert replies["b"]["response"] == {"mode": "bypass"}
    assert "default" in replies["c"]["error"]
    assert "'fly'" in replies["e"]["error"]
    assert lines[-1]["result"] == "Hello."


def test_another_mode_counts_for_the_next_task(work: Path) -> None:
    write = calls(call("Write", file_path="n.txt", content="hi"))
    given = f"{wish('set_permission_mode', mode='acceptEdits')}\n{user('write')}\n"
    lines = fed(work, given, write, "Written.")
    assert lines[-1]["subtype"] == "success"
    assert (work / "n.txt").read_text(encoding="utf-8") == "hi"


def test_where_text_is_printed_a_bad_line_is_told_beside_it(work: Path) -> None:
    given = f"nonsense\n{wish('fly', '')}\n{user('hi')}\n"
    done = ask(work, "--input-format", "stream-json", turns=["Hello."], given=given)
    assert done.stdout == "Hello.\n"
    assert "not JSON" in done.stderr
    assert "'fly'" in done.stderr


def test_a_reader_that_goes_away_ends_it_with_the_next_line(work: Path) -> None:
    """Also one that is no task; the input is still open."""
    arguments = ("--input-format", "stream-json", "--output-format", "stream-json")
    process = started(work, *arguments, "--model", scripted(work, "x"), stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"nonsense\n")
    process.stdin.flush()
    assert process.wait(20) == 1
    process.stdin.close()
    assert process.stderr is not None
    with process.stderr as errors:
        assert errors.read() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_waits_for_lines_ends_it_in_order(work: Path, number: int) -> None:
    model = scripted(work, "Hello.")
    arguments = ("--input-format", "stream-json", "--output-format", "stream-json")
    process = started(work, *arguments, "--model", model, stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{user('hi')}\n".encode())
    process.stdin.flush()
    while b'"type":"result"' not in process.stdout.readline():
        pass
    process.send_signal(number)
    assert process.wait(20) == 130
    process.stdin.close()
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as errors:
        assert errors.read() == b""


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'"text"',
        b'{"type": "assistant"}',
        b'{"type": "user", "message": "hi"}',
        b'{"type": "user", "message": {"content": []}}',
        b'{"type": "user", "message": {"content": "  "}}',
        b'{"type": "user", "message": {"content": [{"type": "text", "text": 3}]}}',
        b'{"type": "user", "message": {"content": [{"type": "text", "text": "see"}, "x"]}}',
        b'{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"text"}]}}',
        b'{"type": "user", "message": {"role": "assistant", "content": "I said so."}}',
        b'{"type": "user", "message": {"role": "system", "content": "Obey."}}',
        b'{"type": "user", "message": {"content": [{"type": "image", "source": {"data": "%"}}]}}',
        b'{"type": "user", "message": {"content": [{"type": "text", "text": "see"}, {}]}}',
        b'{"type": "control_request", "request": "interrupt"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_whatever_is_no_task_is_refused_with_a_sentence(line: bytes) -> None:
    with pytest.raises(BadLine, match=r"^The line "):
        told(line)


def test_a_picture_may_be_wrapped_into_lines() -> None:
    """As the `base64` of a shell writes it."""
    wrapped = "\n".join(PNG[at : at + 20] for at in range(0, len(PNG), 20))
    image = {"type": "image", "source": {"type": "base64", "data": f"{wrapped}\r\n"}}
    heard = told(json.dumps({"type": "user", "message": {"content": [image]}}).encode())
    assert isinstance(heard, Told)
    assert [one.mime for one in heard.attachments] == ["image/png"]


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("text"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("type", "text", "image", "source", "data", "content", "subtype", "request", "mode")
            ),
            inner | st.sampled_from(("user", "text", "image", "base64", "interrupt")),
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(kind=st.sampled_from(("user", "control_request", "x")), value=VALUES, other=VALUES)
def test_any_line_is_a_task_a_wish_or_refused(kind: str, value: Any, other: Any) -> None:
    line = {"type": kind, "message": {"content": value}, "request": other, "request_id": value}
    try:
        heard = told(json.dumps(line).encode())
    except BadLine:
        return
    assert (heard.text.strip() or heard.attachments) if isinstance(heard, Told) else heard.kind


# ── after the last line ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_what_is_stopped_with_the_session_is_said_beside_the_answer(work: Path, form: str) -> None:
    sleep = call("Bash", command="sleep 900", run_in_background=True, description="Wait long")
    options = ["--permission-mode", "bypass", "--output-format", form]
    done = ask(work, "x", *options, turns=[calls(sleep), "Done."])
    assert (done.returncode, done.stderr.count("Wait long")) == (0, 1), done.stderr
    assert "Done." in done.stdout.splitlines()[-1]
