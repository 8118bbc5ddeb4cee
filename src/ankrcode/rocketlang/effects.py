"""Which calls would leave something different behind."""

from ankrcode.rocketlang.reading import Planned

HARMLESS = frozenset(
    (
        *("Read", "Grep", "Glob", "List", "WebSearch", "WebFetch", "TodoRead", "Recall", "Task"),
        *("Help", "Say", "EnterPlanMode", "gst_validate", "pan_validate", "ifsc_validate"),
    )
)
_LOOKS = ("git status", "git diff", "git log", "git branch", "tail -n", "wc -l")


def changes(call: Planned) -> bool:
    """Would anything be different after this call?"""
    if call.tool == "Bash":
        command = str(call.args.get("command", ""))
        return not any(command == look or command.startswith(f"{look} ") for look in _LOOKS)
    return call.tool not in HARMLESS
