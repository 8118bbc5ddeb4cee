"""What the agent itself tells the model, marked so that nobody takes it for the person's words."""

from collections.abc import Iterable, Sequence

from ankrcode.protocol.message import Message, Part, TextPart
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.stream import CallBroken

SUMMARISED = "The conversation before this was summarised."
_OPEN, _CLOSE = "<note>\n", "\n</note>"
_MODE = "## Current Mode: "

# What each mode means for the model. The runtime enforces it; this only saves vain attempts.
_MODES = {
    Mode.DEFAULT: "Changes and commands that are not read-only are shown to the person first.",
    Mode.PLAN: (
        "Look, do not change: only reading and read-only commands run. Make a detailed plan "
        "before any implementation, then call ExitPlanMode; work begins when it is approved."
    ),
    Mode.ACCEPT_EDITS: "Edits of files in the workspace run unasked; other changes are asked.",
    Mode.AUTO: "Work on your own; commands run behind a wall without network.",
    Mode.DONT_ASK: "Nobody is asked: what is not allowed already is denied. Work with the rest.",
    Mode.BYPASS: "Everything runs unasked. Be careful with what cannot be undone.",
}


def note(text: str) -> TextPart:
    return TextPart(text=f"{_OPEN}{text}{_CLOSE}")


def is_note(part: Part) -> bool:
    return isinstance(part, TextPart) and part.text.startswith(_OPEN)


def words_of(message: Message) -> str:
    """What the person said in it, without what was added."""
    if message.role != "user":
        return ""
    said = [one for one in message.parts if isinstance(one, TextPart) and not is_note(one)]
    return "\n".join(one.text for one in said)


def mode_note(mode: Mode, plan_file: str = "") -> TextPart:
    where = f"\nWrite the plan to {plan_file}" if mode is Mode.PLAN and plan_file else ""
    return note(f"{_MODE}{mode}\n{_MODES[mode]}{where}")


def mode_in(said: Sequence[Message]) -> Mode:
    """The one a conversation was told last; where it was told none, the usual one."""
    for message in reversed(said):
        for part in reversed(message.parts):
            if isinstance(part, TextPart) and is_note(part) and _MODE in part.text:
                named = part.text.rpartition(_MODE)[2].split(None, 1)[0]
                return next((mode for mode in Mode if mode == named), Mode.DEFAULT)
    return Mode.DEFAULT


def broken_call(call: CallBroken) -> str:
    why = call.why[:1].upper() + call.why[1:].rstrip(".") + "." if call.why else ""
    again = "Call it again, with its arguments as one JSON object."
    return " ".join(
        filter(
            None,
            (f"Your call of {call.name or 'a tool'} was not whole and did not run.", why, again),
        )
    )


def memory_note(recalled: str) -> TextPart:
    return note(f"## Relevant Context from Memory\n{recalled}")


def texts(said: Iterable[str]) -> Sequence[TextPart]:
    return [TextPart(text=one) for one in said]
