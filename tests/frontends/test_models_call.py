"""`ankrcode models call`: one raw request for scripts, told event by event."""

import json
from pathlib import Path

import pytest

from frontends.command import Done, ankrcode, answers
from frontends.offline import PROMPT, UNSET, script, setting
from frontends.vendor import JSON, STREAM, chat, refused, vendor

CANARY = "sk-canary-0123456789abcdef"


def models(*arguments: str | Path, cwd: Path, given: str = "", **env: str) -> Done:
    return ankrcode("models", *arguments, cwd=cwd, given=given, env={**UNSET, **env})


def called(name: str, cwd: Path, *more: str, given: str = PROMPT, **env: str) -> Done:
    return models("call", "--model", name, "--json", *more, cwd=cwd, given=given, **env)


USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}}


def test_events_come_as_lines_and_the_summary_last(tmp_path: Path) -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "Read", "arguments": '{"file_path": "a"}'}}
    reply = chat(
        {"content": "I "},
        {"content": "read."},
        {"tool_calls": [call]},
        finish="tool_calls",
        usage=USAGE,
    )
    with vendor(reply) as server:
        done = called("openai-chat/m", tmp_path, "--base-url", server.url)
    *events, summary = answers(done)
    assert done.returncode == 0
    assert [event["type"] for event in events][:2] == ["text", "text"]
    assert [event["type"] for event in events][-1] == "stop"
    assert summary == {
        "text": "I read.",
        "thinking_chars": 0,
        "tools": [{"id": "c1", "name": "Read", "args": {"file_path": "a"}}],
        "stop": "tool_calls",
        "stop_class": "tool_use",
        "usage": {"in": 9, "out": 4, "cached": 5},
        "broken": [],
        "error": None,
    }


def test_a_loopback_server_needs_no_key(tmp_path: Path) -> None:
    with vendor(chat({"content": "yes"})) as server:
        for provider in ("openai-chat", "groq", "mistral", "deepseek"):
            done = called(f"{provider}/m", tmp_path, "--base-url", server.url)
            assert answers(done)[-1]["text"] == "yes", done.stderr


def test_a_key_is_sent_and_never_shown(tmp_path: Path) -> None:
    with vendor(refused(401, f"bad key {CANARY}")) as server:
        done = called("groq/m", tmp_path, "--base-url", server.url, GROQ_API_KEY=CANARY)
        assert CANARY in server.asked[0][1]["authorization"]
    assert done.returncode == 3
    assert CANARY not in done.stdout + done.stderr
    assert answers(done)[-1]["error"]["kind"] == "auth"


def test_a_failure_is_told_as_it_is_and_nothing_is_tried_again(tmp_path: Path) -> None:
    with vendor(refused(429, "slow down", **{"Retry-After": "120"})) as server:
        done = called("groq/m", tmp_path, "--base-url", server.url)
        assert len(server.asked) == 1
    assert done.returncode == 3
    assert answers(done)[-1]["error"] == {
        "kind": "rate_limit",
        "status": 429,
        "message": answers(done)[-1]["error"]["message"],
        "retry_after_s": 120.0,
    }
    assert answers(done)[-1]["stop"] is None


def test_fallbacks_of_the_settings_do_not_count(tmp_path: Path) -> None:
    with vendor(refused(500, "oops")) as server:
        setting(models={"fallback": [script(tmp_path, "never")], "retries": 3})
        done = called("groq/m", tmp_path, "--base-url", server.url)
        assert len(server.asked) == 1
    assert answers(done)[-1]["error"]["status"] == 500


def test_a_server_with_only_one_of_two_ways_is_asked_in_that_way(tmp_path: Path) -> None:
    with vendor(refused(404, "no such path"), chat({"content": "ok"})) as server:
        done = called("openai/gpt-5", tmp_path, "--base-url", server.url)
        assert "/v1/chat/completions" in server.paths
    assert answers(done)[-1]["text"] == "ok"
    assert sum(event.get("type") == "failed" for event in answers(done)) == 0


def test_without_a_key_the_summary_says_so_too(tmp_path: Path) -> None:
    done = called("anthropic/claude", tmp_path)
    [summary] = answers(done)
    assert done.returncode == 3
    assert summary["error"]["kind"] == "no_key"
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_nobody_there_is_an_error_with_a_kind(tmp_path: Path) -> None:
    done = called("openai-chat/m", tmp_path, "--base-url", "http://127.0.0.1:9")
    assert done.returncode == 3
    assert answers(done)[-1]["error"]["kind"] == "network"


def test_for_people_the_text_alone_is_printed(tmp_path: Path) -> None:
    turn = {"text": "Hi there", "calls": [{"name": "Read", "arguments": {"a": 1}}]}
    done = models("call", "--model", script(tmp_path, turn), cwd=tmp_path, given=PROMPT)
    assert done.stdout == 'Hi there\nRead {"a":1}\n'
    failing = models(
        "call", "--model", script(tmp_path, {"fail": "overloaded"}), cwd=tmp_path, given=PROMPT
    )
    assert failing.returncode == 3
    assert "overloaded" in failing.stderr


@pytest.mark.parametrize(
    "given", ["", "{", "[]", "3", "{}", '{"messages": 3}', '{"messages": [{"role": "x"}]}']
)
def test_what_is_no_request_is_a_usage_error(tmp_path: Path, given: str) -> None:
    done = called(script(tmp_path, "never"), tmp_path, given=given)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "models call" in done.stderr


def test_messages_and_tools_reach_the_vendor_in_its_own_form(tmp_path: Path) -> None:
    request = {
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "read"}],
        "tools": [
            {"type": "function", "function": {"name": "Read", "parameters": {"type": "object"}}}
        ],
        "options": {"max_tokens": 7, "temperature": 0, "seed": 3},
    }
    with vendor(chat({"content": "ok"})) as server:
        done = called("groq/m", tmp_path, "--base-url", server.url, given=json.dumps(request))
        [(path, _, body)] = server.asked
    assert done.returncode == 0
    assert path.endswith("/chat/completions")
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["tools"][0]["function"]["name"] == "Read"
    assert (body["model"], body["seed"], body["temperature"]) == ("m", 3, 0)
    assert 7 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert body["stream"] is True


def test_an_answer_in_one_piece_is_told_in_the_same_way(tmp_path: Path) -> None:
    whole = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "all at once"}}],
        "usage": {"prompt_tokens": 2, "completion_tokens": 3},
    }
    with vendor((200, JSON, json.dumps(whole).encode())) as server:
        given = '{"prompt": "x", "stream": false}'
        done = called("groq/m", tmp_path, "--base-url", server.url, given=given)
        assert not server.asked[0][2].get("stream")
    summary = answers(done)[-1]
    assert (summary["text"], summary["stop"]) == ("all at once", "stop")
    assert summary["usage"] == {"in": 2, "out": 3, "cached": 0}


def test_an_error_inside_a_stream_is_never_swallowed(tmp_path: Path) -> None:
    lines = [
        {"choices": [{"index": 0, "delta": {"content": "half"}}]},
        {"error": {"message": "the engine broke", "code": 500}},
    ]
    body = "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode()
    with vendor((200, STREAM, body)) as server:
        done = called("groq/m", tmp_path, "--base-url", server.url)
    summary = answers(done)[-1]
    assert done.returncode == 3
    assert summary["text"] == "half"
    assert "the engine broke" in summary["error"]["message"]
    assert summary["stop"] is None


def test_what_was_broken_is_told_and_is_no_tool(tmp_path: Path) -> None:
    turn = {"calls": [{"name": "Write", "arguments": '{"file_path": "/a'}]}
    summary = answers(called(script(tmp_path, turn), tmp_path))[-1]
    assert summary["tools"] == []
    assert summary["broken"][0]["name"] == "Write"


def test_a_model_without_tool_calls_gets_them_by_text(tmp_path: Path) -> None:
    call = '```tool\n{"name": "Read", "arguments": {"file_path": "a"}}\n```'
    request = {"prompt": "read", "tools": [{"name": "Read", "input_schema": {"type": "object"}}]}
    with vendor(chat({"content": call})) as server:
        setting(providers={"mine": {"base_url": server.url, "text_tools": True}})
        done = called("mine/m", tmp_path, given=json.dumps(request))
        body = server.asked[0][2]
    assert answers(done)[-1]["tools"][0]["name"] == "Read", done.stderr
    assert "tools" not in body
    assert "```tool" in json.dumps(body)


def test_a_local_server_is_not_second_guessed_in_a_raw_call(tmp_path: Path) -> None:
    """The agent finds calls in the text of a server it does not know; a raw call shows the text."""
    printed = '{"name": "Read", "arguments": {}}'
    request = {"prompt": "read", "tools": [{"name": "Read", "input_schema": {"type": "object"}}]}
    with vendor(chat({"content": printed})) as server:
        done = called("vllm/m", tmp_path, "--base-url", server.url, given=json.dumps(request))
    assert answers(done)[-1]["text"] == printed
    assert answers(done)[-1]["tools"] == []


def test_a_call_can_be_recorded_and_replayed(tmp_path: Path) -> None:
    with vendor(chat({"content": "once"}, usage=USAGE)) as server:
        live = called("groq/m", tmp_path, "--base-url", server.url, "--record", "said.jsonl")
    again = called("recorded/said.jsonl", tmp_path)
    assert again.stdout == live.stdout
    assert answers(again)[-1]["text"] == "once"
    assert (tmp_path / "said.jsonl").stat().st_mode & 0o077 == 0


def test_a_recording_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    done = called(script(tmp_path, "x"), tmp_path, "--record", "no/such/folder/said.jsonl")
    assert done.returncode == 3
    assert "cannot be written" in done.stderr


def test_the_summary_counts_as_the_vendor_does(tmp_path: Path) -> None:
    """Anthropic's input is what was neither read from its cache nor written to it."""
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 20,
        "output_tokens": 3,
    }
    body = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "yes"}],
        "stop_reason": "end_turn",
        "usage": usage,
    }
    with vendor((200, JSON, json.dumps(body).encode())) as server:
        done = called("anthropic/m", tmp_path, "--base-url", server.url)
    *events, summary = answers(done)
    assert summary["usage"] == {"in": 10, "out": 3, "cached": 500}
    told = [event["usage"] for event in events if event["type"] == "usage"][-1]
    assert told["input_tokens"] == 530
