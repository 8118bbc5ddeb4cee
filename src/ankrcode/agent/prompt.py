"""What the model is told before the first word: who it is, where it is, what the project asks.

All of it is put together once, when the conversation begins: whatever changes later (the mode,
what a memory recalls, the person's words) is appended as a message, so that prefixes stay equal.
"""

from functools import cache
from pathlib import Path

from msgspec import Struct

from ankrcode.errors import UsageError
from ankrcode.protocol.message import Message, TextPart

# Besides who it is: how it speaks. The names are what a person chooses.
PERSONAS = {
    "default": "",
    "swayam": (
        "Your name is Swayam (स्वयं). आप मित्र की तरह साथ देते हैं और हिम्मत बढ़ाते हैं। "
        "Be warm and encouraging. When the person writes Hindi, answer in Hindi; when they mix "
        "Hindi and English, mix as they do. Explain hard things in simple Hindi, with the usual "
        "English words for technical terms. Code, names and commits stay English."
    ),
}


@cache
def base_prompt() -> str:
    return Path(__file__).with_name("prompt.md").read_text(encoding="utf-8").strip()


class Wishes(Struct, frozen=True):
    """What whoever makes an agent wants of its prompt."""

    base: str | None = None  # instead of ours
    append: str = ""
    persona: str = ""
    language: str = ""


def system_messages(
    wishes: Wishes, *, project: str = "", environment: str = ""
) -> tuple[Message, ...]:
    """First what is the same everywhere, then what belongs to this place."""
    base = wishes.base if wishes.base is not None else base_prompt()
    general = (base, _persona(wishes.persona), _language(wishes.language))
    here = (project and f"# Project Context\n{project}", environment, wishes.append)
    told = ("\n\n".join(filter(None, part)) for part in (general, here))
    return tuple(Message(role="system", parts=(TextPart(text=text),)) for text in told if text)


def _persona(name: str) -> str:
    """One of ours by name; anything else is a description in the person's own words."""
    if not name or name in PERSONAS:
        return PERSONAS[name or "default"]
    if " " not in name.strip():
        raise UsageError.of("persona_unknown", name=name, names=", ".join(PERSONAS))
    return name


def _language(code: str) -> str:
    return f"Answer in the language with the code '{code}'." if code and code != "en" else ""
