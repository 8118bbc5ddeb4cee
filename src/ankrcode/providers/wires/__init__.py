"""The wire formats by name; each is loaded when it is asked for."""

from importlib import import_module

from ankrcode.providers.wire import Wire

WIRES = {
    "anthropic": ("anthropic", "AnthropicWire"),
    "openai-chat": ("openai_chat", "ChatWire"),
    "openai-responses": ("openai_responses", "ResponsesWire"),
    "gemini": ("gemini", "GeminiWire"),
    "bedrock": ("bedrock", "BedrockWire"),
    "ollama": ("ollama", "OllamaWire"),
    "cohere": ("cohere", "CohereWire"),
}


def wire_named(name: str) -> Wire:
    """A new wire for one conversation's model. Paths of requests have no slash in front."""
    module, kind = WIRES[name]
    wire: Wire = getattr(import_module(f"ankrcode.providers.wires.{module}"), kind)()
    return wire
