"""Thought that its vendor wants back word for word, each in a form that tells whose it is.

A conversation may go on with another vendor's model: what is not its own is left out there.
"""

from typing import Any

from ankrcode.providers.wires.loose import Malformed, decoded, encoded_text, mapping, text

_REDACTED = '{"type":"redacted_thinking",'
_ITEM = '{"type":"reasoning",'
_SIGNED = '{"thoughtSignature":'
_HIDDEN = '{"redactedContent":'
_DETAILS = '{"reasoning_details":'


def redacted_block(data: str) -> str:
    """Anthropic's block of thought that nobody may read."""
    return encoded_text({"type": "redacted_thinking", "data": data})


def is_redacted_block(opaque: str) -> bool:
    return opaque.startswith(_REDACTED)


def reasoning_item(item: dict[str, Any]) -> str:
    """OpenAI's item with encrypted reasoning; without it there is nothing to send back.

    Its id stays here: with it, the vendor would look for the ids of the items that followed.
    """
    hidden = text(item.get("encrypted_content"))
    if not hidden:
        return ""
    summary = item.get("summary") or []
    return encoded_text({"type": "reasoning", "summary": summary, "encrypted_content": hidden})


def is_reasoning_item(opaque: str) -> bool:
    return opaque.startswith(_ITEM)


def thought_signature(signature: str) -> str:
    """Gemini's signature on a part that is no call."""
    return encoded_text({"thoughtSignature": signature})


def signature_of(opaque: str) -> str:
    return _inside(opaque, _SIGNED, "thoughtSignature")


def hidden_content(data: str) -> str:
    """Bedrock's redacted thought."""
    return encoded_text({"redactedContent": data})


def content_of(opaque: str) -> str:
    return _inside(opaque, _HIDDEN, "redactedContent")


def reasoning_details(details: list[Any]) -> str:
    """OpenRouter's account of thought, which may hold signatures of whoever stands behind it."""
    return encoded_text({"reasoning_details": details})


def details_of(opaque: str) -> list[Any]:
    if not opaque.startswith(_DETAILS):
        return []
    try:
        details = mapping(decoded(opaque)).get("reasoning_details")
    except Malformed:
        return []
    return details if isinstance(details, list) else []


def _inside(opaque: str, mark: str, name: str) -> str:
    if not opaque.startswith(mark):
        return ""
    try:
        return text(mapping(decoded(opaque)).get(name))
    except Malformed:
        return ""
