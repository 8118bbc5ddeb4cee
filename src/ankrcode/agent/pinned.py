"""What must outlive a summary: put together by code from what is known, never by a model.

The person's words, the open tasks, the plan, what was read and the mode. Instructions of the
project stand in the system messages, which no compaction touches.
"""

import re
from collections.abc import Iterable, Sequence

from ankrcode.agent.estimate import of_text
from ankrcode.agent.notes import is_note
from ankrcode.app import Toolkit
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.todos import known, lines

_FILES = 20
_PLAN_CHARS = 4_000
_CUT = "\n[…]\n"
# Sentences that bind whoever works on: kept even where the rest of a message is not.
_BINDING = re.compile(
    r"\b(?:never|always|must|only|don'?t|do not|not|without|avoid|keep|instead|unless|important"
    r"|mat|kabhi|hamesha|sirf|zaroor)\b|कभी|हमेशा|सिर्फ|केवल|मत|ज़रूर|जरूर",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:[^.!?\n।]|[.!?](?=\S))+[.!?।]?")


def words(said: Iterable[Message]) -> list[str]:
    """Everything the person said, one text for each time."""
    found: list[str] = []
    for message in said:
        if message.role == "user":
            texts = (one for one in message.parts if isinstance(one, TextPart))
            found += [one.text for one in texts if not is_note(one)]
    return found


def kept_words(said: Sequence[str], tokens: float) -> list[str]:
    """As many as fit: the first, then the newest; of the others what binds, as long as it fits."""
    if not said:
        return []
    left = tokens
    chosen: dict[int, str] = {}
    for index in (0, *range(len(said) - 1, 0, -1)):
        share = left / 2 if index == 0 and len(said) > 1 else left
        text = shortened(said[index], share) if index in (0, len(said) - 1) else said[index]
        if of_text(text) > left:
            text = " ".join(binding(text))
        if text and of_text(text) <= left:
            chosen[index] = text
            left -= of_text(text)
    return [chosen[index] for index in sorted(chosen)]


def binding(text: str) -> list[str]:
    """The sentences of a text that state a constraint."""
    return [one[0].strip() for one in _SENTENCE.finditer(text) if _BINDING.search(one[0])]


def shortened(text: str, tokens: float) -> str:
    """Its beginning and its end, if it is too long."""
    size = of_text(text)
    if size <= tokens:
        return text
    half = max(0, int(len(text) * tokens / size) // 2 - len(_CUT))
    return text[:half] + _CUT + text[len(text) - half :] if half else _CUT.strip()


def state(kit: Toolkit) -> str:
    """What only the runtime knows for certain."""
    agent = kit.agent
    parts = []
    todos = known(agent.todos)
    if any(one.status != "completed" for one in todos):
        parts.append("## Todos\n" + "\n".join(lines(todos)))
    if agent.policy.plan_file:
        parts.append(f"## Plan ({agent.policy.plan_file})\n{_plan(agent.policy.plan_file)}")
    if files := agent.reads.newest(_FILES):
        parts.append(
            "## Files read (the latest first; read again what you need)\n" + "\n".join(files)
        )
    if kit.mode is not Mode.DEFAULT:
        parts.append(f"## Current Mode: {kit.mode}")
    if agent.workspace.cwd != agent.workspace.root:
        parts.append(f"## Working directory\n{agent.workspace.cwd}")
    return "\n\n".join(parts)


def _plan(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            return opened.read(_PLAN_CHARS)
    except OSError:
        return "(not written yet)"
