"""Whole answers on every wire, written by hand after the vendors' documentation.

Each is a list of events as bytes, so that tests can split it anywhere and cut it at each of them.
"""

from binascii import b2a_base64
from typing import Any

import msgspec

from ankrcode.protocol.message import Usage
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.opaque import reasoning_item, redacted_block, thought_signature
from providers.wire_streams import Outcome, event_frame, json, named_sse, ndjson, sse


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    wire: str
    events: list[bytes]
    expected: Outcome
    quirks: tuple[str, ...] = ()
    has_end: bool = True  # its vendor marks the end of the stream

    @property
    def data(self) -> bytes:
        return b"".join(self.events)


# ── Anthropic ───────────────────────────────────────────────────────────────────────────────────
def _named(*events: dict[str, Any]) -> list[bytes]:
    return [named_sse(one) for one in events]


def message_start(**usage: int) -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    return {"type": "message_start", "message": {**message, "usage": usage}}


def block_start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def block_delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def block_stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def message_delta(reason: str | None, **usage: int) -> dict[str, Any]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": usage}


MESSAGE_STOP = {"type": "message_stop"}
PING = {"type": "ping"}

ANTHROPIC = Sample(
    name="anthropic: thought, text, two calls",
    wire="anthropic",
    events=_named(
        message_start(input_tokens=100, cache_read_input_tokens=40, output_tokens=1),
        block_start(0, type="thinking", thinking="", signature=""),
        PING,
        block_delta(0, type="thinking_delta", thinking="I must "),
        block_delta(0, type="thinking_delta", thinking="look. 🙂"),
        block_delta(0, type="signature_delta", signature="c2lnbmVk"),
        block_stop(0),
        block_start(1, type="redacted_thinking", data="aGlkZGVu"),
        block_stop(1),
        block_start(2, type="text", text=""),
        block_delta(2, type="text_delta", text="Reading नमस्ते "),
        block_delta(2, type="text_delta", text="files."),
        block_stop(2),
        block_start(3, type="tool_use", id="toolu_1", name="Read", input={}),
        block_delta(3, type="input_json_delta", partial_json=""),
        block_delta(3, type="input_json_delta", partial_json='{"file_path": "a'),
        block_delta(3, type="input_json_delta", partial_json='.py", "limit": 5}'),
        block_stop(3),
        block_start(4, type="tool_use", id="toolu_2", name="Now", input={}),
        block_delta(4, type="input_json_delta", partial_json=""),
        block_stop(4),
        message_delta("tool_use", output_tokens=77),
        MESSAGE_STOP,
    ),
    expected=Outcome(
        text="Reading नमस्ते files.",
        thinking="I must look. 🙂",
        calls=(("toolu_1", "Read", {"file_path": "a.py", "limit": 5}), ("toolu_2", "Now", {})),
        thoughts=(("c2lnbmVk", ""), ("", redacted_block("aGlkZGVu"))),
        stop="tool_use",
        raw="tool_use",
        usage=Usage(input_tokens=140, output_tokens=77, cached_tokens=40),
    ),
)

ANTHROPIC_CUT_CALL = Sample(
    name="anthropic: stopped for length in a call",
    wire="anthropic",
    events=_named(
        message_start(input_tokens=10, output_tokens=1),
        block_start(0, type="tool_use", id="toolu_1", name="Write", input={}),
        block_delta(0, type="input_json_delta", partial_json='{"content": "half'),
        block_stop(0),
        message_delta("max_tokens", output_tokens=5),
        MESSAGE_STOP,
    ),
    expected=Outcome(
        broken=("Write",),
        stop="length",
        raw="max_tokens",
        usage=Usage(input_tokens=10, output_tokens=5),
    ),
)

ANTHROPIC_EMPTY_CUT_CALL = Sample(
    name="anthropic: stopped for length before a call's first argument",
    wire="anthropic",
    events=_named(
        message_start(input_tokens=10, output_tokens=1),
        block_start(0, type="tool_use", id="toolu_1", name="Purge", input={}),
        block_delta(0, type="input_json_delta", partial_json=""),
        block_stop(0),
        message_delta("max_tokens", output_tokens=2),
        MESSAGE_STOP,
    ),
    expected=Outcome(
        broken=("Purge",),
        stop="length",
        raw="max_tokens",
        usage=Usage(input_tokens=10, output_tokens=2),
    ),
)

ANTHROPIC_ERROR = Sample(
    name="anthropic: overloaded in the middle",
    wire="anthropic",
    events=_named(
        message_start(input_tokens=10, output_tokens=1),
        block_start(0, type="text", text=""),
        block_delta(0, type="text_delta", text="So "),
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ),
    expected=Outcome(
        text="So ", failure="overloaded", usage=Usage(input_tokens=10, output_tokens=1)
    ),
)


# ── Chat Completions ────────────────────────────────────────────────────────────────────────────
def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> Any:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": choices, **more}


def call_delta(index: int, **fields: Any) -> dict[str, Any]:
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return {"tool_calls": [{"index": index, **fields, "function": function}]}


CHAT_USAGE = {
    "prompt_tokens": 50,
    "completion_tokens": 20,
    "total_tokens": 70,
    "prompt_tokens_details": {"cached_tokens": 30},
    "completion_tokens_details": {"reasoning_tokens": 8},
}
DONE = b"data: [DONE]\n\n"

CHAT = Sample(
    name="chat: text and two calls by index",
    wire="openai-chat",
    events=[
        sse(chunk({"role": "assistant", "content": ""})),
        sse(chunk({"content": "Let me "})),
        sse(chunk({"content": "look: ✓"})),
        sse(chunk(call_delta(0, id="call_a", type="function", name="Read", arguments=""))),
        sse(chunk(call_delta(0, arguments='{"file_pa'))),
        sse(chunk(call_delta(0, arguments='th":"x"}'))),
        sse(chunk(call_delta(1, id="call_b", type="function", name="Grep", arguments=""))),
        sse(chunk(call_delta(1, arguments='{"pattern":"}{"}'))),
        sse(chunk({}, "tool_calls")),
        sse(chunk(usage=CHAT_USAGE)),
        DONE,
    ],
    expected=Outcome(
        text="Let me look: ✓",
        calls=(("call_a", "Read", {"file_path": "x"}), ("call_b", "Grep", {"pattern": "}{"})),
        stop="tool_use",
        raw="tool_calls",
        usage=Usage(input_tokens=50, output_tokens=20, cached_tokens=30, thinking_tokens=8),
    ),
)

CHAT_THOUGHT = Sample(
    name="chat: reasoning_content, then text",
    wire="openai-chat",
    events=[
        sse(chunk({"role": "assistant", "reasoning_content": "Hmm, "})),
        sse(chunk({"reasoning_content": "yes."})),
        sse(chunk({"content": "Yes."})),
        sse(chunk({"content": ""}, "stop", usage=CHAT_USAGE)),
        DONE,
    ],
    expected=Outcome(
        text="Yes.",
        thinking="Hmm, yes.",
        thoughts=(("", ""),),
        stop="end",
        raw="stop",
        usage=Usage(input_tokens=50, output_tokens=20, cached_tokens=30, thinking_tokens=8),
    ),
)

CHAT_TAGS = Sample(
    name="chat: thought between tags",
    wire="openai-chat",
    quirks=(quirks.THINK_TAGS,),
    events=[
        sse(chunk({"role": "assistant", "content": "<th"})),
        sse(chunk({"content": "ink>\nA < B, so"})),
        sse(chunk({"content": " yes</thi"})),
        sse(chunk({"content": "nk>\n\nYes: "})),
        sse(chunk({"content": "<think> is a tag"})),
        sse(chunk({}, "stop")),
        DONE,
    ],
    expected=Outcome(
        text="Yes: <think> is a tag",
        thinking="A < B, so yes",
        thoughts=(("", ""),),
        stop="end",
        raw="stop",
    ),
)

CHAT_LENGTH = Sample(
    name="chat: stopped for length in the second call",
    wire="openai-chat",
    events=[
        sse(chunk(call_delta(0, id="call_a", name="Read", arguments='{"file_path":"x"}'))),
        sse(chunk(call_delta(1, id="call_b", name="Write", arguments='{"text":"y"}'))),
        sse(chunk({}, "length")),
        DONE,
    ],
    expected=Outcome(
        calls=(("call_a", "Read", {"file_path": "x"}),),
        broken=("Write",),
        stop="length",
        raw="length",
    ),
)

CHAT_ERROR = Sample(
    name="chat: an error inside the stream",
    wire="openai-chat",
    events=[
        sse(chunk({"content": "One "})),
        sse(chunk(call_delta(0, id="call_a", name="Bash", arguments='{"command":"ls"'))),
        sse({"error": {"message": "The server had an error", "type": "server_error"}}),
        DONE,
    ],
    expected=Outcome(text="One ", broken=("Bash",), failure="server"),
)


# ── Responses ───────────────────────────────────────────────────────────────────────────────────
def added(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def grew(kind: str, index: int, delta: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": index, "delta": delta, **more}


def finished(status: str = "completed", **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 60,
        "input_tokens_details": {"cached_tokens": 10},
        "output_tokens": 25,
        "output_tokens_details": {"reasoning_tokens": 12},
    }
    response = {"id": "resp_1", "status": status, "output": [], "usage": usage, **more}
    return {"type": f"response.{status}", "response": response}


RESPONSE_USAGE = Usage(input_tokens=60, output_tokens=25, cached_tokens=10, thinking_tokens=12)
CALL_ITEM = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Read"}

RESPONSES = Sample(
    name="responses: encrypted thought, text, a call",
    wire="openai-responses",
    events=_named(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.in_progress", "response": {"id": "resp_1"}},
        added(0, type="reasoning", id="rs_1", summary=[]),
        {
            "type": "response.reasoning_summary_part.added",
            "output_index": 0,
            "summary_index": 0,
            "part": {"type": "summary_text", "text": ""},
        },
        grew("reasoning_summary_text", 0, "**Looking**", summary_index=0),
        done(
            0,
            type="reasoning",
            id="rs_1",
            summary=[{"type": "summary_text", "text": "**Looking**"}],
            encrypted_content="ZW5j",
        ),
        added(1, type="message", id="msg_1", role="assistant", content=[], status="in_progress"),
        grew("output_text", 1, "I look — ", item_id="msg_1", content_index=0),
        grew("output_text", 1, "now.", item_id="msg_1", content_index=0),
        {"type": "response.output_text.done", "output_index": 1, "text": "I look — now."},
        done(
            1,
            type="message",
            id="msg_1",
            role="assistant",
            status="completed",
            content=[{"type": "output_text", "text": "I look — now."}],
        ),
        added(2, **CALL_ITEM, arguments="", status="in_progress"),
        grew("function_call_arguments", 2, '{"file_path"', item_id="fc_1"),
        grew("function_call_arguments", 2, ':"a"}', item_id="fc_1"),
        {
            "type": "response.function_call_arguments.done",
            "output_index": 2,
            "item_id": "fc_1",
            "arguments": '{"file_path":"a"}',
        },
        done(2, **CALL_ITEM, arguments='{"file_path":"a"}', status="completed"),
        finished(),
    ),
    expected=Outcome(
        text="I look — now.",
        thinking="**Looking**",
        calls=(("call_1", "Read", {"file_path": "a"}),),
        thoughts=(
            (
                "",
                reasoning_item(
                    {
                        "id": "rs_1",
                        "summary": [{"type": "summary_text", "text": "**Looking**"}],
                        "encrypted_content": "ZW5j",
                    }
                ),
            ),
        ),
        stop="tool_use",
        raw="completed",
        usage=RESPONSE_USAGE,
    ),
)

RESPONSES_INCOMPLETE = Sample(
    name="responses: incomplete within a call",
    wire="openai-responses",
    events=_named(
        {"type": "response.created", "response": {"id": "resp_1"}},
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, '{"file_path":"a'),
        done(0, **CALL_ITEM, arguments='{"file_path":"a', status="incomplete"),
        finished("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ),
    expected=Outcome(broken=("Read",), stop="length", raw="incomplete", usage=RESPONSE_USAGE),
)

RESPONSES_FAILED = Sample(
    name="responses: failed after some text",
    wire="openai-responses",
    events=_named(
        {"type": "response.created", "response": {"id": "resp_1"}},
        added(0, type="message", id="msg_1", role="assistant", content=[]),
        grew("output_text", 0, "Well"),
        finished("failed", error={"code": "rate_limit_exceeded", "message": "Slow down"}),
    ),
    expected=Outcome(text="Well", failure="rate_limit", usage=RESPONSE_USAGE),
)


# ── Gemini ──────────────────────────────────────────────────────────────────────────────────────
def candidate(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    one: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        one["finishReason"] = finish
    return {"candidates": [one], "responseId": "resp-9", **more}


GEMINI_USAGE = {
    "promptTokenCount": 90,
    "candidatesTokenCount": 11,
    "thoughtsTokenCount": 7,
    "cachedContentTokenCount": 64,
    "totalTokenCount": 108,
}
_GEMINI_EVENTS = [
    candidate({"text": "Thinking…", "thought": True}),
    candidate({"text": "Voilà: "}),
    candidate({"text": "files."}),
    candidate(
        {
            "functionCall": {"id": "fc-1", "name": "Read", "args": {"file_path": "ü"}},
            "thoughtSignature": "c2ln",
        },
        {"functionCall": {"id": "fc-2", "name": "Now"}},
    ),
    candidate({"text": ""}, finish="STOP", usageMetadata=GEMINI_USAGE),
]
_GEMINI_EXPECTED = Outcome(
    text="Voilà: files.",
    thinking="Thinking…",
    calls=(("fc-1", "Read", {"file_path": "ü"}), ("fc-2", "Now", {})),
    thoughts=(("", ""),),
    stop="tool_use",
    raw="STOP",
    usage=Usage(input_tokens=90, output_tokens=18, cached_tokens=64, thinking_tokens=7),
)
GEMINI = Sample(
    name="gemini: thought, text, signed calls",
    wire="gemini",
    events=[sse(one) for one in _GEMINI_EVENTS],
    expected=_GEMINI_EXPECTED,
    has_end=False,
)
GEMINI_ARRAY = Sample(
    name="gemini: the same as an array that grows",
    wire="gemini",
    events=[
        b"[" + json(_GEMINI_EVENTS[0]),
        *(b"\n,\r\n" + json(one) for one in _GEMINI_EVENTS[1:]),
        b"\n]\n",
    ],
    expected=_GEMINI_EXPECTED,
    has_end=False,
)
GEMINI_SIGNED_TEXT = Sample(
    name="gemini: a signature on the last, empty text",
    wire="gemini",
    events=[
        sse(candidate({"text": "Done."})),
        sse(candidate({"text": "", "thoughtSignature": "bGFzdA=="}, finish="STOP")),
    ],
    expected=Outcome(
        text="Done.",
        thoughts=(("", thought_signature("bGFzdA==")),),
        stop="end",
        raw="STOP",
    ),
    has_end=False,
)
GEMINI_SAFETY = Sample(
    name="gemini: stopped for safety",
    wire="gemini",
    events=[sse(candidate({"text": "First "})), sse(candidate(finish="SAFETY"))],
    expected=Outcome(text="First ", stop="refusal", raw="SAFETY"),
    has_end=False,
)


# ── Bedrock ─────────────────────────────────────────────────────────────────────────────────────
def _frames(*events: tuple[str, dict[str, Any]]) -> list[bytes]:
    return [event_frame(name, payload) for name, payload in events]


def converse_delta(index: int, **delta: Any) -> tuple[str, dict[str, Any]]:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": delta, "p": "abc"}


def converse_stop(index: int) -> tuple[str, dict[str, Any]]:
    return "contentBlockStop", {"contentBlockIndex": index, "p": "ab"}


def converse_tool(index: int, call_id: str, name: str) -> tuple[str, dict[str, Any]]:
    start = {"toolUse": {"toolUseId": call_id, "name": name}}
    return "contentBlockStart", {"contentBlockIndex": index, "start": start}


BEDROCK = Sample(
    name="bedrock: thought, text, two calls",
    wire="bedrock",
    events=_frames(
        ("messageStart", {"role": "assistant"}),
        converse_delta(0, reasoningContent={"text": "Let me"}),
        converse_delta(0, reasoningContent={"text": " see"}),
        converse_delta(0, reasoningContent={"signature": "c2ln"}),
        converse_stop(0),
        converse_delta(1, text="Ça va: "),
        converse_delta(1, text="😀"),
        converse_stop(1),
        converse_tool(2, "tooluse_1", "Read"),
        converse_delta(2, toolUse={"input": '{"file_path":'}),
        converse_delta(2, toolUse={"input": '"a"}'}),
        converse_stop(2),
        converse_tool(3, "tooluse_2", "Now"),
        converse_delta(3, toolUse={"input": ""}),
        converse_stop(3),
        ("messageStop", {"stopReason": "tool_use"}),
        (
            "metadata",
            {
                "usage": {
                    "inputTokens": 30,
                    "outputTokens": 9,
                    "totalTokens": 39,
                    "cacheReadInputTokens": 12,
                    "cacheWriteInputTokens": 5,
                },
                "metrics": {"latencyMs": 10},
            },
        ),
    ),
    expected=Outcome(
        text="Ça va: 😀",
        thinking="Let me see",
        calls=(("tooluse_1", "Read", {"file_path": "a"}), ("tooluse_2", "Now", {})),
        thoughts=(("c2ln", ""),),
        stop="tool_use",
        raw="tool_use",
        usage=Usage(input_tokens=47, output_tokens=9, cached_tokens=12, written_tokens=5),
    ),
)

BEDROCK_INVOKE = Sample(
    name="bedrock invoke: Anthropic's events in frames",
    wire="anthropic",
    quirks=(quirks.BEDROCK_INVOKE,),
    events=[
        event_frame("chunk", {"bytes": b2a_base64(json(one), newline=False).decode()})
        for one in (
            message_start(input_tokens=5, output_tokens=1),
            block_start(0, type="text", text=""),
            block_delta(0, type="text_delta", text="Hallo"),
            block_stop(0),
            message_delta("end_turn", output_tokens=3),
            {**MESSAGE_STOP, "amazon-bedrock-invocationMetrics": {"inputTokenCount": 5}},
        )
    ],
    expected=Outcome(
        text="Hallo",
        stop="end",
        raw="end_turn",
        usage=Usage(input_tokens=5, output_tokens=3),
    ),
)


# ── Ollama ──────────────────────────────────────────────────────────────────────────────────────
def line(done: bool = False, **message: Any) -> dict[str, Any]:
    more = message.pop("more", {})
    said = {"role": "assistant", "content": "", **message}
    when = "2026-01-01T00:00:00Z"
    return {"model": "m", "created_at": when, "message": said, "done": done, **more}


OLLAMA = Sample(
    name="ollama: thought, text, calls",
    wire="ollama",
    events=[
        ndjson(line(thinking="Well ")),
        ndjson(line(thinking="then")),
        ndjson(line(content="Hé ")),
        ndjson(line(content="là")),
        ndjson(
            line(
                tool_calls=[
                    {"id": "c1", "function": {"name": "Read", "arguments": {"file_path": "a"}}},
                    {"id": "c2", "function": {"name": "Now", "arguments": {}}},
                ]
            )
        ),
        ndjson(line(True, more={"done_reason": "stop", "prompt_eval_count": 21, "eval_count": 6})),
    ],
    expected=Outcome(
        text="Hé là",
        thinking="Well then",
        calls=(("c1", "Read", {"file_path": "a"}), ("c2", "Now", {})),
        thoughts=(("", ""),),
        stop="tool_use",
        raw="stop",
        usage=Usage(input_tokens=21, output_tokens=6),
    ),
)

OLLAMA_ERROR = Sample(
    name="ollama: an error among the lines",
    wire="ollama",
    events=[ndjson(line(content="Hm")), ndjson({"error": "an error was encountered"})],
    expected=Outcome(text="Hm", failure="server"),
)


# ── Cohere ──────────────────────────────────────────────────────────────────────────────────────
def cohere_event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    return {"type": kind, **place, "delta": {"message": message}}


def cohere_end(reason: str, **more: Any) -> dict[str, Any]:
    usage = {
        "billed_units": {"input_tokens": 3, "output_tokens": 4},
        "tokens": {"input_tokens": 500, "output_tokens": 9},
        "cached_tokens": 480,
    }
    return {"type": "message-end", "delta": {"finish_reason": reason, "usage": usage, **more}}


def cohere_call(index: int, call_id: str, name: str) -> dict[str, Any]:
    function = {"name": name, "arguments": ""}
    call = {"id": call_id, "type": "function", "function": function}
    return cohere_event("tool-call-start", index, tool_calls=call)


def cohere_piece(index: int, text: str) -> dict[str, Any]:
    call = {"function": {"arguments": text}}
    return cohere_event("tool-call-delta", index, tool_calls=call)


COHERE_USAGE = Usage(input_tokens=500, output_tokens=9, cached_tokens=480)
COHERE = Sample(
    name="cohere: a plan, text, two calls",
    wire="cohere",
    events=_named(
        {"type": "message-start", "id": "m1", "delta": {"message": {"role": "assistant"}}},
        cohere_event("tool-plan-delta", tool_plan="I will "),
        cohere_event("tool-plan-delta", tool_plan="read."),
        cohere_event("content-start", 0, content={"type": "text", "text": ""}),
        cohere_event("content-delta", 0, content={"text": "Olá "}),
        cohere_event("content-delta", 0, content={"text": "mundo"}),
        {"type": "content-end", "index": 0},
        cohere_call(0, "c1", "Read"),
        cohere_piece(0, '{"file_path"'),
        cohere_piece(0, ':"a"}'),
        {"type": "tool-call-end", "index": 0},
        cohere_call(1, "c2", "Now"),
        {"type": "tool-call-end", "index": 1},
        cohere_end("TOOL_CALL"),
    ),
    expected=Outcome(
        text="Olá mundo",
        thinking="I will read.",
        calls=(("c1", "Read", {"file_path": "a"}), ("c2", "Now", {})),
        thoughts=(("", ""),),
        stop="tool_use",
        raw="TOOL_CALL",
        usage=COHERE_USAGE,
    ),
)

SAMPLES = [
    COHERE,
    ANTHROPIC,
    ANTHROPIC_CUT_CALL,
    ANTHROPIC_EMPTY_CUT_CALL,
    ANTHROPIC_ERROR,
    CHAT,
    CHAT_THOUGHT,
    CHAT_TAGS,
    CHAT_LENGTH,
    CHAT_ERROR,
    RESPONSES,
    RESPONSES_INCOMPLETE,
    RESPONSES_FAILED,
    GEMINI,
    GEMINI_ARRAY,
    GEMINI_SIGNED_TEXT,
    GEMINI_SAFETY,
    BEDROCK,
    BEDROCK_INVOKE,
    OLLAMA,
    OLLAMA_ERROR,
]
