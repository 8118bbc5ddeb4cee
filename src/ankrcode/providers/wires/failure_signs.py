"""Signs by which errors are told apart: pieces of types and codes, and of sentences."""

Words = tuple[str, ...]

CONTEXT_KINDS: Words = (
    *("context_length", "exceed_context", "request_too_large", "tokens_limit_reached"),
    *("context_window", "prompt_too_long", "max_tokens_exceeded", "string_above_max"),
    *("too_many_tokens", "too_many_prompt_tokens"),
)
CONTEXT_WORDS: Words = (
    *("maximum context length", "context length", "context window", "context size"),
    *("prompt is too long", "input is too long", "prompt too long", "input too long"),
    *("input length", "exceeds the maximum number of tokens"),
    *("maximum number of tokens allowed", "reduce the length", "too many input tokens"),
    *("max_prompt_tokens", "prompt length", "maximum prompt length", "input token count"),
    *("request too large", "range of input length", "exceeds the model", "exceed context"),
    *("tokens exceed", "too large for model with"),
)
QUOTA_KINDS: Words = (
    *("insufficient_quota", "billing", "exceeded_current_quota", "arrearage", "credit"),
    *("insufficient_balance", "payment_required", "insufficient_funds", "quota_exceeded"),
)
QUOTA_WORDS: Words = (
    *("credit balance", "insufficient balance", "insufficient credit", "insufficient fund"),
    *("exceeded your current quota", "billing", "more credits", "out of credit", "payment"),
    *("spending limit", "spend limit", "monthly limit", "usage limit", "monthly usage"),
    *("insufficient account balance", "account balance", "free quota", "not enough balance"),
    *("exceeded your monthly", "run out of", "prepaid", "allocated quota exceeded"),
)
AUTH_KINDS: Words = (
    *("invalid_api_key", "authentication", "unauthenticated", "unauthorized", "api_key_invalid"),
    *("unrecognizedclient", "invalidsignature", "expiredtoken", "missingauthentication"),
    *("incompletesignature", "invalidapikey", "invalid_authentication", "auth_error"),
)
AUTH_WORDS: Words = (
    *("api key not valid", "incorrect api key", "invalid api key", "invalid api-key"),
    *("no api key", "api key expired", "authentication token", "invalid token"),
    *("invalid api token",),
    *("invalid x-api-key", "missing api key", "invalid bearer token", "security token"),
    *("api key is invalid", "token expired", "invalid authentication"),
    *("authentication failed", "invalid credentials", "user not found"),
    *("no auth credentials", "token is incorrect"),
)
MODEL_KINDS: Words = (
    *("model_not_found", "modelnotfound", "deploymentnotfound", "unknown_model"),
    *("model_not_supported", "invalid_model", "model_not_available", "modelnotopen"),
    *("no_such_model", "model_decommissioned", "model_terms_required", "modelnotready404"),
)
MODEL_WORDS: Words = (
    *("not found", "not exist", "unknown model", "not a valid model", "invalid model"),
    *("no such model", "decommissioned", "no access", "have access to", "model identifier"),
    *("not support model", "no endpoints found", "no allowed providers", "could not find"),
)
MODEL_SENTENCE = (
    r"model\W{0,3}[\w./:@-]+\W{0,3}(?:is |has been )?(?:not (?:supported|available)|deprecated)"
)
PERMISSION_KINDS: Words = ("permission", "accessdenied", "access_denied", "forbidden")
FILTER_KINDS: Words = (
    *("content_filter", "content_policy", "data_inspection", "responsibleai", "safety"),
    *("prohibited_content", "invalid_prompt", "moderation", "content_safety"),
)
FILTER_WORDS: Words = (
    *("content management policy", "content policy", "inappropriate content", "flagged"),
    *("usage policy", "safety system", "sensitive content", "guardrail"),
)
BUSY_KINDS: Words = ("overloaded", "unavailable", "capacity", "modelnotready", "slow_down", "busy")
BUSY_WORDS: Words = (
    *("overloaded", "over capacity", "at capacity", "server is busy", "high demand"),
    *("too busy", "temporarily unavailable", "no capacity", "is loading", "loading model"),
)
RATE_KINDS: Words = (
    *("rate_limit", "ratelimit", "throttl", "too_many_requests", "toomanyrequests"),
    *("resource_exhausted", "rate limit", "request_limit", "quota"),
)
RATE_WORDS: Words = (
    *("rate limit", "too many requests", "too many tokens", "requests per minute"),
    *("tokens per minute", "ratelimit", "request limit", "concurrency"),
)
BRIEF_WORDS: Words = ("per minute", "per second", "per min)", "per-min")  # of limits that pass
TIME_KINDS: Words = ("timeout", "timed_out", "deadline_exceeded", "modeltimeout")
SERVER_KINDS: Words = (
    *("internal", "server_error", "api_error", "servererror", "modelstreamerror"),
    *("modelerror", "upstream", "provider_error", "engine", "bad_gateway"),
)
REQUEST_KINDS: Words = (
    *("invalid_request", "invalid_argument", "validation", "badrequest", "bad_request"),
    *("invalid_parameter", "invalidparameter", "unprocessable", "failed_precondition"),
)
