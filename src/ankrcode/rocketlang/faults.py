"""Why a sentence does not run, said in the speaker's language and script."""

from typing import Literal

from msgspec import Struct

from ankrcode.rocketlang.lexicon import words_of

FaultCode = Literal[
    "unknown_command",
    "ambiguous_verb",
    "missing_argument",
    "unknown_object",
    "negated",
    "not_a_command",
    "missing_end",
    "bad_condition",
]


class Voice(Struct, frozen=True):
    """How somebody is answered: as they spoke."""

    lang: str
    script: str  # native or roman


class Fault(Struct, frozen=True, kw_only=True):
    """One reason, and at most three things that may have been meant."""

    code: FaultCode
    message: str
    suggestions: tuple[str, ...] = ()
    slot: str = ""  # what is missing or doubtful: file, text, old, new, message, branch …
    span: tuple[int, int] = (0, 0)  # where in the text, in characters


def fault(
    code: FaultCode,
    voice: Voice,
    *,
    x: str = "",
    near: tuple[str, ...] = (),
    slot: str = "",
    span: tuple[int, int] = (0, 0),
    line: int = 0,
) -> Fault:
    """The fault `code` about the words `x`, in the words of its hearer."""
    sentences = words_of(voice.lang).faults.get(voice.script) or words_of("en").faults["roman"]
    said = sentences.get(f"{code}.{slot}") or sentences[code]
    example = sentences.get(f"example.{slot}", "")
    message = said.format(x=x, near=" / ".join(near), slot=slot, line=line)
    if near and code == "unknown_command":
        message += " " + sentences["did_you_mean"].format(near=" / ".join(near))
    return Fault(
        code=code,
        message=message,
        suggestions=near or ((example,) if example else ()),
        slot=slot,
        span=span,
    )
