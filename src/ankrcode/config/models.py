"""Settings about models: which to ask, how to reach them, what they may cost. The person's alone:
a project that could set a base URL could read everything that is sent."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

_PLACE = r"^($|/|~/)"


class ProviderSettings(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What differs from the table's row, or a row of one's own. Keys never stand here, only the
    names of variables that hold them, or of a program that prints them."""

    wire: Literal[
        "", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"
    ] = ""
    base_url: Annotated[str, Meta(max_length=2_000)] = ""
    key_env: Annotated[str, Meta(max_length=200)] = ""
    key_command: Annotated[list[str], Meta(max_length=100)] = []  # a program that prints the key
    auth: Literal[
        "", "bearer", "x-api-key", "api-key", "x-goog-api-key", "subscription", "query", "none"
    ] = ""
    headers: dict[str, str] = {}
    api_version: Annotated[str, Meta(max_length=100)] = ""  # Azure
    region: Annotated[str, Meta(max_length=100)] = ""  # AWS, Google
    project: Annotated[str, Meta(max_length=200)] = ""  # Google
    quirks: list[str] = []
    model: Annotated[str, Meta(max_length=500)] = ""  # where only the provider is named
    context_tokens: Annotated[int, Meta(ge=0, le=100_000_000)] = 0
    text_tools: bool = False  # its models know no tool calls: a text protocol is used
    ca_file: Annotated[str, Meta(pattern=_PLACE, max_length=4_000)] = ""
    client_cert: Annotated[str, Meta(pattern=_PLACE, max_length=4_000)] = ""
    client_key: Annotated[str, Meta(pattern=_PLACE, max_length=4_000)] = ""


class ModelSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    fallback: Annotated[
        list[str],
        Meta(description="Models to try in turn when the chosen one fails", max_length=20),
    ] = field(default_factory=list)
    prefer_free: Annotated[
        bool, Meta(description="Prefer providers with a free tier where nobody chose")
    ] = False
    offline: Annotated[
        bool, Meta(description="Only models on this machine; no connection leaves it")
    ] = False
    small: Annotated[str, Meta(description="The model meant by small or haiku", max_length=500)] = (
        ""
    )
    medium: Annotated[
        str, Meta(description="The model meant by medium or sonnet", max_length=500)
    ] = ""
    large: Annotated[str, Meta(description="The model meant by large or opus", max_length=500)] = ""
    retries: Annotated[
        int, Meta(description="How often a failed request is tried again", ge=0, le=20)
    ] = 4
    max_wait_s: Annotated[
        float,
        Meta(description="The longest single wait before trying again, in seconds", ge=0, le=3_600),
    ] = 30.0
    max_total_wait_s: Annotated[
        float,
        Meta(description="The longest wait for one answer in all, in seconds", ge=0, le=86_400),
    ] = 60.0
    connect_timeout_s: Annotated[
        float, Meta(description="How long reaching a server may take, in seconds", gt=0, le=3_600)
    ] = 15.0
    first_byte_timeout_s: Annotated[
        float,
        Meta(description="How long a model may be silent at first, in seconds", gt=0, le=86_400),
    ] = 300.0
    idle_timeout_s: Annotated[
        float,
        Meta(description="How long a model may pause in its answer, in seconds", gt=0, le=86_400),
    ] = 180.0
    ca_file: Annotated[
        str,
        Meta(
            description="Certificates to trust beside the system's",
            pattern=_PLACE,
            max_length=4_000,
            examples=["/etc/ssl/company.pem"],
        ),
    ] = ""
    keyring: Annotated[bool, Meta(description="Look for keys in the system's keyring too")] = True


class BudgetSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    usd: Annotated[
        float, Meta(description="What a session may cost, in US dollars; 0 means no limit", ge=0)
    ] = 0.0
    tokens: Annotated[
        int, Meta(description="How many tokens a session may use; 0 means no limit", ge=0)
    ] = 0
    turns: Annotated[
        int, Meta(description="How many requests a session may make; 0 means no limit", ge=0)
    ] = 0
    seconds: Annotated[
        float, Meta(description="How long a session may work, in seconds; 0 means no limit", ge=0)
    ] = 0.0
