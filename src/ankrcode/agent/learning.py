"""What a task taught that later work may want to know: by rule, not by a model."""

from collections.abc import Sequence

from ankrcode.agent.ledger import Ran
from ankrcode.agent.pinned import binding

_MOST = 20


def learned(ran: Sequence[Ran], task: str) -> tuple[str, ...]:
    """What the person insists on, which files were changed, which commands worked."""
    asked = [f"The person said: {one}" for one in binding(task)]
    files = [
        f"Changed: {value}"
        for one in ran
        if one.ok
        for name, value in one.arguments.items()
        if name == "file_path" and one.tool not in ("Bash", "RunCode")
    ]
    worked = [
        f"Worked: {one.arguments.get('command')}"
        for one in ran
        if one.ok and one.tool == "Bash" and one.exit_code == 0
    ]
    return tuple(dict.fromkeys([*asked, *files, *worked]))[:_MOST]
