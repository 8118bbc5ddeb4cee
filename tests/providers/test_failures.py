"""What errors mean: each vendor's shapes, by status, type, code and words; and no key in any."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.stream import FailureKind as Kind
from ankrcode.providers.wires import WIRES, wire_named
from ankrcode.providers.wires.failures import MAX_MESSAGE_CHARS, failure_of, failure_said
from ankrcode.providers.wires.said_error import said_error
from providers.wire_streams import json, target
from torture import examples


def error(message: str, kind: str | None = None, code: Any = None, **more: Any) -> dict[str, Any]:
    """OpenAI's shape, which most imitate."""
    return {"error": {"message": message, "type": kind, "code": code, "param": None, **more}}


def google(code: int, message: str, status: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": details}}


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


CASES: list[tuple[str, int, Any, Kind]] = [
    # ── the key ─────────────────────────────────────────────────────────────────────────────────
    (
        "openai, wrong key",
        401,
        error(
            "Incorrect API key provided: sk-abc***xyz.", "invalid_request_error", "invalid_api_key"
        ),
        Kind.AUTH,
    ),
    (
        "openai, no key",
        401,
        error("You didn't provide an API key.", "invalid_request_error"),
        Kind.AUTH,
    ),
    (
        "anthropic, wrong key",
        401,
        anthropic("authentication_error", "invalid x-api-key"),
        Kind.AUTH,
    ),
    (
        "gemini, wrong key",
        400,
        google(
            400,
            "API key not valid. Please pass a valid API key.",
            "INVALID_ARGUMENT",
            {"reason": "API_KEY_INVALID", "domain": "googleapis.com"},
        ),
        Kind.AUTH,
    ),
    (
        "gemini, no key",
        403,
        google(403, "Method doesn't allow unregistered callers", "PERMISSION_DENIED"),
        Kind.AUTH,
    ),
    (
        "vertex, old token",
        401,
        google(401, "Request had invalid credentials", "UNAUTHENTICATED"),
        Kind.AUTH,
    ),
    ("groq", 401, error("Invalid API Key", "invalid_request_error", "invalid_api_key"), Kind.AUTH),
    ("mistral", 401, {"message": "Unauthorized", "request_id": "x"}, Kind.AUTH),
    ("mistral, newer", 401, {"detail": "Unauthorized"}, Kind.AUTH),
    (
        "xai",
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "Incorrect API key provided: xa***A1.",
        },
        Kind.AUTH,
    ),
    (
        "deepseek",
        401,
        error("Authentication Fails, Your api key: ****1234 is invalid", "authentication_error"),
        Kind.AUTH,
    ),
    ("openrouter", 401, {"error": {"message": "User not found.", "code": 401}}, Kind.AUTH),
    (
        "openrouter, none",
        401,
        {"error": {"message": "No auth credentials found", "code": 401}},
        Kind.AUTH,
    ),
    ("cohere", 401, {"message": "invalid api token"}, Kind.AUTH),
    ("huggingface", 401, {"error": "Invalid credentials in Authorization header"}, Kind.AUTH),
    (
        "bedrock, clock",
        403,
        {"message": "Signature expired: 2026 is now earlier than 2027"},
        Kind.AUTH,
    ),
    (
        "bedrock, token",
        403,
        {"message": "The security token included in the request is invalid."},
        Kind.AUTH,
    ),
    (
        "dashscope",
        401,
        error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
        Kind.AUTH,
    ),
    ("zai", 401, error("token expired or incorrect", None, "1000"), Kind.AUTH),
    ("moonshot", 401, error("Invalid Authentication", "invalid_authentication_error"), Kind.AUTH),
    (
        "nvidia",
        401,
        {"status": 401, "title": "Unauthorized", "detail": "Authentication failed"},
        Kind.AUTH,
    ),
    ("a bare 401", 401, b"", Kind.AUTH),
    ("a bare 403", 403, b"Forbidden", Kind.AUTH),
    (
        "openai, region",
        403,
        error(
            "Country, region, or territory not supported",
            "request_forbidden",
            "unsupported_country_region_territory",
        ),
        Kind.AUTH,
    ),
    # ── the account ─────────────────────────────────────────────────────────────────────────────
    (
        "openai, no money",
        429,
        error(
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
            "insufficient_quota",
        ),
        Kind.QUOTA,
    ),
    (
        "openai, billing",
        429,
        error(
            "Billing hard limit has been reached",
            "billing_limit_user_error",
            "billing_hard_limit_reached",
        ),
        Kind.QUOTA,
    ),
    (
        "anthropic, no money",
        400,
        anthropic(
            "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
        ),
        Kind.QUOTA,
    ),
    (
        "anthropic, billing",
        402,
        anthropic("billing_error", "There is an issue with billing"),
        Kind.QUOTA,
    ),
    (
        "deepseek, no money",
        402,
        error("Insufficient Balance", "unknown_error", "invalid_request_error"),
        Kind.QUOTA,
    ),
    (
        "openrouter, no money",
        402,
        {"error": {"message": "This request requires more credits", "code": 402}},
        Kind.QUOTA,
    ),
    (
        "moonshot, no money",
        429,
        error(
            "Your account is suspended, please check your plan and billing details",
            "exceeded_current_quota_error",
        ),
        Kind.QUOTA,
    ),
    (
        "dashscope, no money",
        400,
        error(
            "Access denied, please make sure your account is in good standing.",
            "Arrearage",
            "Arrearage",
        ),
        Kind.QUOTA,
    ),
    (
        "gemini, daily",
        429,
        google(
            429,
            "You exceeded your current quota",
            "RESOURCE_EXHAUSTED",
            {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
            {"retryDelay": "41s"},
        ),
        Kind.QUOTA,
    ),
    (
        "xai, no money",
        429,
        {
            "code": "Some resource has been exhausted",
            "error": "Your team has run out of credits or reached its monthly spending limit.",
        },
        Kind.QUOTA,
    ),
    ("together, no money", 402, error("Credit limit exceeded", "credit_limit"), Kind.QUOTA),
    (
        "zai, no money",
        429,
        error("Insufficient balance or no resource package. Please recharge.", None, "1113"),
        Kind.QUOTA,
    ),
    # ── too many ────────────────────────────────────────────────────────────────────────────────
    (
        "openai, limited",
        429,
        error(
            "Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 1.2s.",
            "tokens",
            "rate_limit_exceeded",
        ),
        Kind.RATE_LIMIT,
    ),
    (
        "anthropic, limited",
        429,
        anthropic("rate_limit_error", "This request would exceed your organization's rate limit"),
        Kind.RATE_LIMIT,
    ),
    (
        "gemini, limited",
        429,
        google(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "RESOURCE_EXHAUSTED",
            {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"},
        ),
        Kind.RATE_LIMIT,
    ),
    (
        "vertex, limited",
        429,
        google(429, "Resource exhausted. Please try again later.", "RESOURCE_EXHAUSTED"),
        Kind.RATE_LIMIT,
    ),
    (
        "groq, limited",
        429,
        error(
            "Rate limit reached for model `x`: Please try again in 7m12s. Upgrade at https://x/settings/billing",
            "tokens",
            "rate_limit_exceeded",
        ),
        Kind.RATE_LIMIT,
    ),
    (
        "mistral, limited",
        429,
        {
            "object": "error",
            "message": "Service tier capacity exceeded for this model.",
            "type": "invalid_request_error",
            "code": "3505",
        },
        Kind.RATE_LIMIT,
    ),
    ("mistral, requests", 429, {"message": "Requests rate limit exceeded"}, Kind.RATE_LIMIT),
    (
        "bedrock, limited",
        429,
        {"message": "Too many requests, please wait before trying again."},
        Kind.RATE_LIMIT,
    ),
    (
        "azure, limited",
        429,
        {
            "error": {
                "code": "429",
                "message": "Requests have exceeded call rate limit. Please retry after 6 seconds.",
            }
        },
        Kind.RATE_LIMIT,
    ),
    (
        "cerebras",
        429,
        {
            "message": "Requests per minute limit exceeded",
            "type": "too_many_requests_error",
            "code": "request_quota_exceeded",
        },
        Kind.RATE_LIMIT,
    ),
    (
        "openrouter, free",
        429,
        {"error": {"message": "Rate limit exceeded: free-models-per-min.", "code": 429}},
        Kind.RATE_LIMIT,
    ),
    (
        "openrouter, upstream",
        429,
        {
            "error": {
                "message": "Provider returned error",
                "code": 429,
                "metadata": {"raw": "x is temporarily rate-limited upstream"},
            }
        },
        Kind.RATE_LIMIT,
    ),
    ("a bare 429", 429, b"", Kind.RATE_LIMIT),
    # ── everyone waits ──────────────────────────────────────────────────────────────────────────
    ("anthropic, busy", 529, anthropic("overloaded_error", "Overloaded"), Kind.OVERLOADED),
    (
        "openai, busy",
        503,
        error("The engine is currently overloaded, please try again later", "server_error"),
        Kind.OVERLOADED,
    ),
    ("openai, slow down", 503, error("Slow down", "slow_down"), Kind.OVERLOADED),
    (
        "gemini, busy",
        503,
        google(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
        Kind.OVERLOADED,
    ),
    (
        "moonshot, busy",
        429,
        error(
            "The engine is currently overloaded, please try again later", "engine_overloaded_error"
        ),
        Kind.OVERLOADED,
    ),
    (
        "groq, capacity",
        498,
        error("Flex tier capacity exceeded", "capacity_exceeded"),
        Kind.OVERLOADED,
    ),
    (
        "bedrock, busy",
        503,
        {"message": "Bedrock is unable to process your request."},
        Kind.OVERLOADED,
    ),
    (
        "huggingface, loading",
        503,
        {"error": "Model x is currently loading", "estimated_time": 20.0},
        Kind.OVERLOADED,
    ),
    ("llama.cpp, loading", 503, error("Loading model", "unavailable_error", 503), Kind.OVERLOADED),
    ("a bare 529", 529, b"", Kind.OVERLOADED),
    # ── too long ────────────────────────────────────────────────────────────────────────────────
    (
        "openai, long",
        400,
        error(
            "This model's maximum context length is 128000 tokens.",
            "invalid_request_error",
            "context_length_exceeded",
        ),
        Kind.CONTEXT,
    ),
    (
        "responses, long",
        400,
        error(
            "Your input exceeds the context window of this model.",
            "invalid_request_error",
            "context_length_exceeded",
        ),
        Kind.CONTEXT,
    ),
    (
        "anthropic, long",
        400,
        anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        Kind.CONTEXT,
    ),
    (
        "anthropic, long with output",
        400,
        anthropic(
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        ),
        Kind.CONTEXT,
    ),
    (
        "anthropic, large",
        413,
        anthropic("request_too_large", "Request exceeds the maximum size"),
        Kind.CONTEXT,
    ),
    (
        "gemini, long",
        400,
        google(
            400,
            "The input token count exceeds the maximum number of tokens allowed (1048576).",
            "INVALID_ARGUMENT",
        ),
        Kind.CONTEXT,
    ),
    (
        "groq, long",
        400,
        error(
            "Please reduce the length of the messages or completion.",
            "invalid_request_error",
            "context_length_exceeded",
        ),
        Kind.CONTEXT,
    ),
    (
        "groq, large",
        413,
        error(
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000",
            "tokens",
            "rate_limit_exceeded",
        ),
        Kind.CONTEXT,
    ),
    ("bedrock, long", 400, {"message": "Input is too long for requested model."}, Kind.CONTEXT),
    (
        "mistral, long",
        400,
        {"message": "Prompt too large for model with 32768 maximum context length"},
        Kind.CONTEXT,
    ),
    (
        "xai, long",
        400,
        {
            "code": "invalid",
            "error": "This model's maximum prompt length is 131072 tokens.",
        },
        Kind.CONTEXT,
    ),
    (
        "llama.cpp, long",
        400,
        error(
            "the request exceeds the available context size. try increasing the context size",
            "exceed_context_size_error",
            400,
        ),
        Kind.CONTEXT,
    ),
    (
        "vllm, long",
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens.",
            "type": "BadRequestError",
            "code": 400,
        },
        Kind.CONTEXT,
    ),
    (
        "lmstudio, long",
        400,
        {"error": "The initial prompt is greater than the context length"},
        Kind.CONTEXT,
    ),
    (
        "dashscope, long",
        400,
        error(
            "Range of input length should be [1, 129024]",
            "invalid_request_error",
            "invalid_parameter_error",
        ),
        Kind.CONTEXT,
    ),
    (
        "github, long",
        413,
        error(
            "Request body too large for gpt-x model. Max size: 8000 tokens.",
            None,
            "tokens_limit_reached",
        ),
        Kind.CONTEXT,
    ),
    (
        "a server that says it with 500",
        500,
        {"error": "input exceeds the context window"},
        Kind.CONTEXT,
    ),
    # ── the model ───────────────────────────────────────────────────────────────────────────────
    (
        "openai, model",
        404,
        error(
            "The model `gpt-99` does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
        Kind.MODEL,
    ),
    ("anthropic, model", 404, anthropic("not_found_error", "model: claude-99"), Kind.MODEL),
    (
        "gemini, model",
        404,
        google(
            404,
            "models/gemini-99 is not found for API version v1beta.",
            "NOT_FOUND",
        ),
        Kind.MODEL,
    ),
    ("ollama, model", 404, {"error": "model 'x' not found"}, Kind.MODEL),
    (
        "groq, model",
        404,
        error(
            "The model `x` does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
        Kind.MODEL,
    ),
    (
        "groq, old model",
        400,
        error(
            "The model `x` has been decommissioned and is no longer supported.",
            "invalid_request_error",
            "model_decommissioned",
        ),
        Kind.MODEL,
    ),
    (
        "mistral, model",
        400,
        {"object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500"},
        Kind.MODEL,
    ),
    (
        "xai, model",
        404,
        {
            "code": "Some requested entity was not found",
            "error": "The model x does not exist or your team does not have access to it.",
        },
        Kind.MODEL,
    ),
    (
        "openrouter, model",
        400,
        {"error": {"message": "x is not a valid model ID", "code": 400}},
        Kind.MODEL,
    ),
    (
        "openrouter, nobody",
        404,
        {"error": {"message": "No endpoints found for model x.", "code": 404}},
        Kind.MODEL,
    ),
    (
        "together, model",
        404,
        error(
            "Unable to access model x: it could not find it",
            "invalid_request_error",
            "model_not_available",
        ),
        Kind.MODEL,
    ),
    (
        "azure, deployment",
        404,
        {
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist.",
            }
        },
        Kind.MODEL,
    ),
    ("bedrock, model", 400, {"message": "The provided model identifier is invalid."}, Kind.MODEL),
    (
        "bedrock, access",
        403,
        {"message": "You don't have access to the model with the specified model ID."},
        Kind.MODEL,
    ),
    (
        "deepseek, model",
        400,
        error("Model Not Exist", "invalid_request_error", "invalid_request_error"),
        Kind.MODEL,
    ),
    (
        "fireworks, model",
        404,
        error("Model not found, inaccessible, and/or not deployed", "NOT_FOUND"),
        Kind.MODEL,
    ),
    (
        "huggingface, model",
        400,
        error(
            "The requested model 'x' is not supported by any provider",
            "invalid_request_error",
            "model_not_supported",
        ),
        Kind.MODEL,
    ),
    (
        "zai, model",
        400,
        error("Unknown Model, please check the model code.", None, "1211"),
        Kind.MODEL,
    ),
    # ── the request ─────────────────────────────────────────────────────────────────────────────
    (
        "openai, parameter",
        400,
        error(
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "invalid_request_error",
            "unsupported_parameter",
        ),
        Kind.BAD_REQUEST,
    ),
    (
        "openai, value",
        400,
        error(
            "Invalid value: 'x'. Supported values are: 'low'.",
            "invalid_request_error",
            "invalid_value",
        ),
        Kind.BAD_REQUEST,
    ),
    (
        "anthropic, results",
        400,
        anthropic(
            "invalid_request_error",
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after",
        ),
        Kind.BAD_REQUEST,
    ),
    (
        "gemini, schema",
        400,
        google(400, 'Invalid JSON payload received. Unknown name "$schema"', "INVALID_ARGUMENT"),
        Kind.BAD_REQUEST,
    ),
    (
        "mistral, roles",
        400,
        {
            "object": "error",
            "message": "Unexpected role 'user' after role 'tool'",
            "type": "invalid_request_message_order",
            "code": "3230",
        },
        Kind.BAD_REQUEST,
    ),
    (
        "fastapi",
        422,
        {
            "detail": [
                {
                    "loc": ["body", "messages"],
                    "msg": "field required",
                    "type": "value_error.missing",
                }
            ]
        },
        Kind.BAD_REQUEST,
    ),
    (
        "bedrock, request",
        400,
        {"message": "The model returned the following errors: messages: roles must alternate"},
        Kind.BAD_REQUEST,
    ),
    (
        "ollama, tools",
        400,
        {"error": "registry.ollama.ai/library/x does not support tools"},
        Kind.BAD_REQUEST,
    ),
    ("a wrong place", 404, b"404 page not found", Kind.BAD_REQUEST),
    ("a wrong method", 405, b"Method Not Allowed", Kind.BAD_REQUEST),
    # ── the filter ──────────────────────────────────────────────────────────────────────────────
    (
        "azure, filter",
        400,
        {
            "error": {
                "code": "content_filter",
                "message": "The prompt triggered our content management policy.",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        Kind.FILTERED,
    ),
    (
        "openai, policy",
        400,
        error(
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            "invalid_request_error",
            "invalid_prompt",
        ),
        Kind.FILTERED,
    ),
    (
        "dashscope, filter",
        400,
        error(
            "Input data may contain inappropriate content.",
            "data_inspection_failed",
            "data_inspection_failed",
        ),
        Kind.FILTERED,
    ),
    (
        "openrouter, moderation",
        403,
        {
            "error": {
                "code": 403,
                "message": "Your input was flagged",
                "metadata": {"reasons": ["violence"]},
            }
        },
        Kind.FILTERED,
    ),
    # ── the server ──────────────────────────────────────────────────────────────────────────────
    (
        "openai, broken",
        500,
        error(
            "The server had an error while processing your request. Sorry about that!",
            "server_error",
        ),
        Kind.SERVER,
    ),
    ("anthropic, broken", 500, anthropic("api_error", "Internal server error"), Kind.SERVER),
    (
        "gemini, broken",
        500,
        google(500, "An internal error has occurred.", "INTERNAL"),
        Kind.SERVER,
    ),
    (
        "a gateway",
        502,
        b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
        Kind.SERVER,
    ),
    (
        "cloudflare",
        520,
        b"<!DOCTYPE html><title>Web server is returning an unknown error</title>",
        Kind.SERVER,
    ),
    (
        "openrouter, upstream broken",
        502,
        {"error": {"code": 502, "message": "Provider returned error"}},
        Kind.SERVER,
    ),
    ("anthropic, slow", 504, anthropic("timeout_error", "Request timed out"), Kind.TIMEOUT),
    ("a slow gateway", 504, b"<html><title>504 Gateway Time-out</title></html>", Kind.TIMEOUT),
    ("cloudflare, slow", 524, b"error code: 524", Kind.TIMEOUT),
    ("a slow request", 408, {"error": "Request timeout"}, Kind.TIMEOUT),
    ("another request in the way", 409, {"error": {"message": "Conflict"}}, Kind.SERVER),
    ("too early", 425, {"error": {"message": "Too early"}}, Kind.SERVER),
]


@pytest.mark.parametrize(
    ("status", "body", "kind"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_errors_of_every_vendor_are_told_apart(status: int, body: Any, kind: Kind) -> None:
    data = body if isinstance(body, bytes) else json(body)
    failure = failure_of(status, {}, data, target())
    assert failure.kind is kind
    assert failure.message
    assert failure.status == status
    assert (failure.provider, failure.model) == ("vendor", "model-1")


@pytest.mark.parametrize("wire", WIRES)
def test_every_wire_understands_them(wire: str) -> None:
    body = json(error("Slow down", "rate_limit_error"))
    failure = wire_named(wire).failure(429, {"retry-after": "7"}, body, target())
    assert (failure.kind, failure.retry_after_s) == (Kind.RATE_LIMIT, 7.0)


# ── sentences ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "a b"}}, "a b"),
        ({"error": "a b"}, "a b"),
        ({"message": "a b"}, "a b"),
        ({"Message": "a b"}, "a b"),
        ({"detail": "a b"}, "a b"),
        ({"detail": [{"msg": "a b", "loc": []}]}, "a b"),
        ({"errors": [{"message": "a b"}]}, "a b"),
        ({"errors": ["a b"]}, "a b"),
        ([{"error": {"message": "a b"}}], "a b"),
        ({"fault": {"faultstring": "a b"}}, "a b"),
        ({"error": {"msg": "a\n  b"}}, "a b"),
        ({"error_msg": "a b", "error_code": 17}, "a b"),
        ({"error": {"error": {"message": "a b"}}}, "a b"),
        ({"title": "a b", "status": 404}, "a b"),
        (b"a b", "a b"),
        (b"  a\n b ", "a b"),
        (b"<html><title>a b</title><p>more</p></html>", "a b"),
        (b"<p>a</p> <b>b</b>", "a b"),
        (b'data: {"error":{"message":"a b"}}\n\n', "a b"),
        (b'event: error\ndata: {"message":"a b"}\n\n', "a b"),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "metadata": {"raw": '{"message":"a b"}'},
                }
            },
            "Provider returned error: a b",
        ),
    ],
)
def test_the_sentence_is_found_in_every_shape(body: Any, message: str) -> None:
    data = body if isinstance(body, bytes) else json(body)
    assert failure_of(400, {}, data, target()).message == message


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'{"error":null}', b'{"error":{}}'])
def test_where_nothing_is_said_we_say_the_status(body: bytes) -> None:
    assert "418" in failure_of(418, {}, body, target()).message


def test_an_error_inside_a_stream_without_a_word_has_one_of_ours() -> None:
    assert failure_said({}, target()).message


def test_long_messages_are_cut() -> None:
    message = failure_of(400, {}, json({"message": "word " * 5_000}), target()).message
    assert len(message) == MAX_MESSAGE_CHARS
    assert message.endswith("…")


KEYS = [
    "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF",
    "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-AA",
    "gsk_abcdefghijklmnopqrstuvwxyz0123456789ABCD",
    "xai-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "AKIAIOSFODNN7EXAMPLQ",
    "sk-abcd********wxyz",
    "****1234",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("words", ["Incorrect API key provided: {}.", "{} is wrong", "key={}"])
def test_messages_never_hold_a_key(key: str, words: str) -> None:
    body = json(error(words.format(key), "invalid_request_error", "invalid_api_key"))
    message = failure_of(401, {}, body, target()).message
    assert key not in message
    assert key[4:12] not in message
    assert failure_said(error(words.format(key)), target()).message.count(key) == 0


# ── inside a stream there is no status ──────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"type": "overloaded_error", "message": "x"}, Kind.OVERLOADED),
        ({"code": 429, "message": "x"}, Kind.RATE_LIMIT),
        ({"code": "429", "message": "x"}, Kind.RATE_LIMIT),
        ({"code": 402, "message": "x"}, Kind.QUOTA),
        ({"code": 502, "message": "x"}, Kind.SERVER),
        ({"code": "context_length_exceeded", "message": "x"}, Kind.CONTEXT),
        ({"type": "invalid_request_error", "message": "x"}, Kind.BAD_REQUEST),
        ({"type": "server_error", "message": "x"}, Kind.SERVER),
        ({"message": "x"}, Kind.SERVER),
        ("x", Kind.SERVER),
        ("rate limit exceeded", Kind.RATE_LIMIT),
        ("request timed out", Kind.TIMEOUT),
        (None, Kind.SERVER),
        (5, Kind.SERVER),
    ],
)
def test_errors_inside_a_stream(said: Any, kind: Kind) -> None:
    assert failure_said(said, target()).kind is kind


def test_a_name_the_wire_gave_counts() -> None:
    assert failure_said("x", target(), "ThrottlingException").kind is Kind.RATE_LIMIT


VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "message",
                    "code",
                    "type",
                    "status",
                    "details",
                    "metadata",
                    "detail",
                    "raw",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(value=VALUES, status=st.integers(300, 700))
@examples(300, 20_000)
def test_no_shape_of_an_error_raises(value: object, status: int) -> None:
    assert failure_of(status, {}, json(value), target()).message
    assert failure_said(value, target()).message


@given(data=st.binary(max_size=200))
@examples(200, 20_000)
def test_no_bytes_of_an_error_raise(data: bytes) -> None:
    assert failure_of(500, {}, data, target()).kind
    said_error(data)


def test_a_deep_error_is_given_up_in_time() -> None:
    deep: Any = {"message": "too deep to matter"}
    for _ in range(50):
        deep = {"error": deep}
    assert failure_said(deep, target()).message
