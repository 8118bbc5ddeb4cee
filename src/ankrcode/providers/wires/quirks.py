"""What a provider does differently on its wire: the words of the table's column `quirks`.

Reading is generous for everyone, so most of these speak of what a request must look like.
"""

# ── Chat Completions: words of the request ──────────────────────────────────────────────────────
MAX_COMPLETION_TOKENS = "max_completion_tokens"  # the limit's name, instead of `max_tokens`
NO_STREAM_OPTIONS = (
    "no_stream_options"  # `stream_options` is an error; usage comes unasked or never
)
NO_SYSTEM = "no_system"  # no system role: it goes in front of the first user message
DEVELOPER = "developer"  # the system role is called `developer`
NO_TEMPERATURE = "no_temperature"  # neither temperature nor top_p may be set
NO_STOP = "no_stop"  # no stop sequences
NO_TOOL_CHOICE = "no_tool_choice"  # `tool_choice` is an error, whatever it says
REQUIRED_IS_ANY = "required_is_any"  # `tool_choice: "any"` instead of `"required"`
NO_REQUIRED = "no_required"  # a forced call is an error: `auto` is asked for instead
NINE_LETTER_IDS = "nine_letter_ids"  # ids of calls are nine letters or digits (Mistral)
PLAIN_CONTENT = "plain_content"  # content is one string, never a list of parts
NEEDS_CONTENT = "needs_content"  # content may be neither empty nor null
RESULT_IMAGES = (
    "result_images"  # a tool's result may hold images; else they follow it as the user's
)
NO_IMAGES = "no_images"  # images are told of in words
NO_FILES = "no_files"  # PDFs are told of in words
DOCUMENT_URL = "document_url"  # PDFs are `document_url` parts (Mistral)
NAMED_RESULTS = "named_results"  # a tool's result names its tool
NO_USER_AFTER_TOOL = "no_user_after_tool"  # "ok." of the assistant stands between result and user
STRICT_TOOLS = "strict_tools"  # tools are sent in the strict dialect of JSON Schema
JSON_OBJECT = "json_object"  # answers can be asked for as JSON, but not by schema
NO_JSON = "no_json"  # answers cannot be asked for as JSON at all
CACHE_CONTROL = "cache_control"  # parts take Anthropic's `cache_control` (OpenRouter, DashScope)
AZURE_DEPLOYMENTS = "azure_deployments"  # `deployments/{model}/…?api-version=` below the base URL

# ── Chat Completions: thinking ──────────────────────────────────────────────────────────────────
NO_EFFORT = "no_effort"  # nothing about thinking may be asked for
EFFORT_OBJECT = "effort_object"  # `reasoning: {effort | max_tokens}` (OpenRouter)
THINKING_SWITCH = (
    "thinking_switch"  # `thinking: {type: enabled | disabled}` (Z.ai, DeepSeek, Moonshot)
)
ENABLE_THINKING = "enable_thinking"  # `enable_thinking`, `thinking_budget` (DashScope, SiliconFlow)
THINK_TAGS = "think_tags"  # thought stands in the text, between <think> and </think>
OPEN_THINK_TAG = "open_think_tag"  # as THINK_TAGS, and the answer begins within the thought
REASONING_BACK = "reasoning_back"  # thought goes back as `reasoning_content`
REASONING_FIELD_BACK = "reasoning_field_back"  # thought goes back as `reasoning`
CALL_SIGNATURES = "call_signatures"  # signed calls go back with `extra_content.google` (Gemini)
REASONING_DETAILS = "reasoning_details"  # signed thought comes and goes back so (OpenRouter)

# ── Responses ───────────────────────────────────────────────────────────────────────────────────
NO_ENCRYPTED_THOUGHT = (
    "no_encrypted_thought"  # models or vendors without reasoning items to send back
)
NO_STORE = "no_store"  # the word `store` is an error

# ── Anthropic Messages ──────────────────────────────────────────────────────────────────────────
NO_CACHE_CONTROL = "no_cache_control"  # compatible vendors that have no cache breakpoints
ADAPTIVE_THINKING = "adaptive_thinking"  # `thinking: {type: adaptive}` and an effort, not a budget
OUTPUT_EFFORT = "output_effort"  # `output_config.effort` is known beside a thinking budget
OUTPUT_FORMAT = "output_format"  # answers by schema; else the schema is told in words
BEDROCK_INVOKE = "bedrock_invoke"  # on Bedrock's invoke paths, in its binary frames

# ── Gemini ──────────────────────────────────────────────────────────────────────────────────────
VERTEX = (
    "vertex"  # `publishers/{google,anthropic}/models/…` below the base URL; on Anthropic's wire too
)
FULL_SCHEMA = "full_schema"  # JSON Schema is taken whole (`parametersJsonSchema`)
THINKING_LEVEL = "thinking_level"  # `thinkingLevel` instead of `thinkingBudget` (Gemini 3)

# ── Ollama ──────────────────────────────────────────────────────────────────────────────────────
THINK_LEVELS = "think_levels"  # `think` takes low, medium, high instead of true

ALL: frozenset[str] = frozenset(
    value for name, value in list(globals().items()) if name.isupper() and isinstance(value, str)
)
