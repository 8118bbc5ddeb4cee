"""Small answers in two vendors' forms, as lists of events: to be cut, doubled and damaged."""

import msgspec


def _chat(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + msgspec.json.encode({"id": "c", "model": "m", "choices": [choice]}) + b"\n\n"


def _chat_call(**function: str) -> bytes:
    call: dict[str, object] = {"index": 0, "function": function}
    if "name" in function:
        call |= {"id": "call_1", "type": "function"}
    return _chat({"tool_calls": [call]})


CHAT_TEXT = [_chat({"role": "assistant", "content": "Hello"}), _chat({"content": ", world"})]
CHAT_CALL = [
    _chat_call(name="Write", arguments=""),
    _chat_call(arguments='{"path": "a", '),
    _chat_call(arguments='"text": "b"}'),
]
CHAT_SECOND_CALL = [
    _chat(
        {
            "tool_calls": [
                {
                    "index": 1,
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "Read", "arguments": '{"path": "a"}'},
                }
            ]
        }
    )
]
CHAT_STOP = [_chat({}, "stop")]
CHAT_CALLS_STOP = [_chat({}, "tool_calls")]
CHAT_LENGTH = [_chat({}, "length")]
CHAT_USAGE = [
    b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n'
]
CHAT_DONE = [b"data: [DONE]\n\n"]
CHAT_ERROR = [b'data: {"error":{"message":"The engine is overloaded","code":503}}\n\n']
CHAT_ANSWER = [*CHAT_TEXT, *CHAT_STOP, *CHAT_USAGE, *CHAT_DONE]
CHAT_WITH_CALL = [*CHAT_TEXT, *CHAT_CALL, *CHAT_CALLS_STOP, *CHAT_USAGE, *CHAT_DONE]
CHAT_WHOLE = msgspec.json.encode(
    {
        "choices": [
            {
                "message": {"role": "assistant", "content": "Hello, world"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
)


def _event(kind: str, **fields: object) -> bytes:
    data = msgspec.json.encode({"type": kind, **fields})
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


ANTHROPIC_BEGIN = [
    _event(
        "message_start",
        message={
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "usage": {"input_tokens": 7, "output_tokens": 1},
        },
    )
]
ANTHROPIC_TEXT = [
    _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Hello"}),
    _event("content_block_delta", index=0, delta={"type": "text_delta", "text": ", world"}),
    _event("content_block_stop", index=0),
]
ANTHROPIC_CALL = [
    _event(
        "content_block_start",
        index=1,
        content_block={"type": "tool_use", "id": "call_1", "name": "Write", "input": {}},
    ),
    _event(
        "content_block_delta",
        index=1,
        delta={"type": "input_json_delta", "partial_json": '{"path": "a", '},
    ),
    _event(
        "content_block_delta",
        index=1,
        delta={"type": "input_json_delta", "partial_json": '"text": "b"}'},
    ),
    _event("content_block_stop", index=1),
]


def _anthropic_stop(reason: str) -> bytes:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return _event("message_delta", delta=delta, usage={"output_tokens": 3})


ANTHROPIC_END = [_anthropic_stop("end_turn"), _event("message_stop")]
ANTHROPIC_CALLS_END = [_anthropic_stop("tool_use"), _event("message_stop")]
ANTHROPIC_ERROR = [_event("error", error={"type": "overloaded_error", "message": "Overloaded"})]
ANTHROPIC_ANSWER = [*ANTHROPIC_BEGIN, *ANTHROPIC_TEXT, *ANTHROPIC_END]
ANTHROPIC_WITH_CALL = [
    *ANTHROPIC_BEGIN,
    *ANTHROPIC_TEXT,
    *ANTHROPIC_CALL,
    *ANTHROPIC_CALLS_END,
]

ARGUMENTS = {"path": "a", "text": "b"}
