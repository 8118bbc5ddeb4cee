"""What to do about a failure, around what a vendor said of it."""

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.catalogue import near_model
from ankrcode.providers.wire import Target
from ankrcode.words import say

_SILENT = {
    "ollama": "server_silent.ollama",
    "lmstudio": "server_silent.lmstudio",
    "llamacpp": "server_silent.llamacpp",
    "vllm": "server_silent.vllm",
}


def advised(kind: FailureKind, said: str, target: Target, variable: str) -> str:
    """A wrong key and a wrong model say what to set; everything else stays as it is."""
    provider, model = target.provider, target.model
    bare = said.rstrip(".")
    if kind is FailureKind.AUTH and variable:
        return say("key_refused", provider=provider, variable=variable, said=bare)
    if kind is not FailureKind.MODEL:
        return said
    near = near_model(provider, model)
    if not near:
        return say("model_refused", provider=provider, model=model, said=bare)
    return say("model_refused.near", provider=provider, model=model, said=bare, near=near)


def not_running(place: str, provider: str) -> str:
    """Of a server on this machine: how it is started, or where to say that it is elsewhere."""
    return say(_SILENT.get(provider, "server_silent"), place=place, provider=provider)
