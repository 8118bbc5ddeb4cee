"""What a hook says, and what several say together."""

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

Decision = Literal["", "allow", "ask", "deny"]
_STRICTNESS: tuple[Decision, ...] = ("", "allow", "ask", "deny")


class HookAnswer(Struct, frozen=True, kw_only=True):
    """Silence is `HookAnswer()`: go on as you would. For most events `deny` means: block."""

    decision: Decision = ""
    reason: str = ""
    arguments: dict[str, Any] | None = None  # other arguments, judged again from the start
    context: tuple[str, ...] = ()  # for the model
    messages: tuple[str, ...] = ()  # for the person
    faults: tuple[str, ...] = ()  # what went wrong without harm
    is_stopped: bool = False  # nothing more should happen in this turn
    stop_reason: str = ""

    @property
    def is_blocked(self) -> bool:
        return self.decision == "deny" or self.is_stopped


SILENCE = HookAnswer()


def together(answers: Iterable[HookAnswer]) -> HookAnswer:
    """The strictest decision with the reasons of all who gave it; the first new arguments."""
    said = [one for one in answers if one != SILENCE]
    if len(said) <= 1:
        return said[0] if said else SILENCE
    decision = max((one.decision for one in said), key=_STRICTNESS.index)
    reasons = [one.reason for one in said if one.decision == decision and one.reason]
    rewrites = (one.arguments for one in said if one.arguments is not None)
    return HookAnswer(
        decision=decision,
        reason="; ".join(dict.fromkeys(reasons)),
        arguments=next(rewrites, None),
        context=tuple(text for one in said for text in one.context),
        messages=tuple(text for one in said for text in one.messages),
        faults=tuple(text for one in said for text in one.faults),
        is_stopped=any(one.is_stopped for one in said),
        stop_reason=next((one.stop_reason for one in said if one.stop_reason), ""),
    )
