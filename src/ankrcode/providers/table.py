"""The provider table: data, one row a name. A row says how to reach a vendor, not what it sells."""

from collections.abc import Mapping
from functools import cache
from os.path import dirname, join
from typing import Literal

import msgspec
from msgspec import Struct

from ankrcode.providers.wire import Target

Auth = Literal[
    "bearer", "x-api-key", "api-key", "x-goog-api-key", "subscription", "query", "sigv4", "none"
]
Tier = Literal["small", "medium", "large"]

TIERS: dict[str, Tier] = {
    "small": "small",
    "medium": "medium",
    "large": "large",
    "haiku": "small",
    "sonnet": "medium",
    "opus": "large",
}


# What people call a provider otherwise.
ALIASES = {
    "aws": "bedrock",
    "amazon": "bedrock",
    "alibaba": "dashscope",
    "azure-openai": "azure",
    "claude": "anthropic",
    "fireworks-ai": "fireworks",
    "fireworks_ai": "fireworks",
    "gemini": "google",
    "google-genai": "google",
    "grok": "xai",
    "hf": "huggingface",
    "kimi": "moonshot",
    "llama-cpp": "llamacpp",
    "llama.cpp": "llamacpp",
    "lm-studio": "lmstudio",
    "nim": "nvidia",
    "pplx": "perplexity",
    "qwen": "dashscope",
    "together_ai": "together",
    "togetherai": "together",
    "vertex-ai": "vertex",
    "vertex_ai": "vertex",
    "vertexai": "vertex",
    "z-ai": "zai",
    "zhipu": "zai",
    "zhipuai": "zai",
}


class Variant(Struct, frozen=True, kw_only=True):
    """What is different for models whose name begins so."""

    wire: str = ""
    quirks: tuple[str, ...] = ()
    context_tokens: int = 0


class Provider(Struct, frozen=True, kw_only=True):
    """One row. Words in braces in the base URL are filled from variables or settings."""

    title: str
    wire: str = "openai-chat"
    base_url: str = ""
    keys: tuple[str, ...] = ()  # variables; the first that is set counts
    bearer_keys: tuple[str, ...] = ()  # those of them that hold a bearer's token, not a key
    base_url_variables: tuple[str, ...] = ()
    auth: Auth = "bearer"
    needs_key: bool = True
    headers: dict[str, str] = {}
    header_variables: dict[str, tuple[str, ...]] = {}  # header → variables that set it
    quirks: tuple[str, ...] = ()
    tiers: dict[Tier, str] = {}
    variants: dict[str, Variant] = {}  # by the beginning of a model's name
    compatible_wire: str = ""  # for a base URL that is not the vendor's own
    further_wire: str = ""  # a second path that its servers may have instead
    fill: dict[str, tuple[str, ...]] = {}  # word → variables, then a default
    context_tokens: int = 128_000
    is_free: bool = False  # there is a free tier
    free_model: str = ""  # where it has only some models of its own
    is_local: bool = False
    may_lack_tools: bool = False  # serves whatever it is given: calls may come as text
    key_page: str = ""

    def target(self, name: str, model: str, base_url: str) -> Target:
        """Whom a request for one of its models is for, with the quirks of that model."""
        variant = self.variant(model)
        return Target(
            provider=name,
            model=model,
            base_url=base_url,
            quirks=frozenset((*self.quirks, *variant.quirks)),
            context_tokens=variant.context_tokens or self.context_tokens,
        )

    def variant(self, model: str) -> Variant:
        """The longest beginning that fits; `vendor/` in front of a name does not count."""
        bare = model.rpartition("/")[2].lower()
        fitting = (begin for begin in self.variants if bare.startswith(begin))
        longest = max(fitting, key=len, default="")
        return self.variants[longest] if longest else _NOTHING_SPECIAL


_NOTHING_SPECIAL = Variant()
_FILE = join(dirname(__file__), "providers.json")  # noqa: PTH118, PTH120 - pathlib costs 3 ms


@cache
def _rows() -> dict[str, msgspec.Raw]:
    """Every row as it stands in the file: only those that are asked for are taken apart."""
    with open(_FILE, "rb") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read(), type=dict[str, msgspec.Raw])


def provider_names() -> tuple[str, ...]:
    """In the order in which they are tried where nobody chose."""
    return tuple(_rows())


@cache
def find_provider(name: str) -> Provider | None:
    row = _rows().get(name)
    return None if row is None else msgspec.json.decode(row, type=Provider)


def all_providers() -> Mapping[str, Provider]:
    found = ((name, find_provider(name)) for name in _rows())
    return {name: row for name, row in found if row is not None}
