"""What must outlive a summary: put together by code from what is known, never by a model.

The person's words, the open tasks, the plan, what was read and the mode. Instructions of the
project stand in the system messages, which no compaction touches.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from ankrcode.agent.estimate import of_text
from ankrcode.agent.notes import is_note
from ankrcode.app import Toolkit
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.todos import Todo, known, lines

_FILES = 20
_PLAN_CHARS = 4_000
_LONG_CHARS = 400
_CUT = "\n[…]\n"
# Sentences that bind whoever works on: kept even where the rest of a message is not.
_BINDING = re.compile(
    r"\b(?:never|always|must|only|don'?t|do not|not|without|avoid|keep|instead|unless|important"
    r"|mat|kabhi|hamesha|sirf|zaroor|zaruri|nahin?|bina|bajaye)\b"
    r"|कभी|हमेशा|सिर्फ|केवल|मत|ज़रूर|जरूर|नहीं|बिना|बजाय|सिवा|अवश्य|अनिवार्य|(?<!\S)(?:न|ना)(?!\S)"
    r"|कधी|नेहमी|फक्त|केवळ|नका|नको|नये|नाही|शिवाय|ऐवजी|पाहिजे"
    r"|ஒருபோதும்|எப்போதும்|மட்டு|வேண்டா|கூடாது|தவிர|அவசியம்|கட்டாய|இல்லாமல்|ாமல்|ாதீர்|பதிலாக"
    r"|ఎప్పుడూ|ఎప్పటికీ|ఎల్లప్పుడూ|మాత్ర|వద్దు|కూడదు|రాదు|తప్ప|కుండా|కండి|బదులు"
    r"|ಎಂದಿಗೂ|ಯಾವಾಗಲೂ|ಮಾತ್ರ|ಬೇಡ|ಬಾರದು|ಕೂಡದು|ಕಡ್ಡಾಯ|ಇಲ್ಲದೆ|ಹೊರತು|ಬದಲ|ಲೇಬೇಕು|ದಂತೆ",
    re.IGNORECASE,
)
_CONSTRAINTS = 1 / 3  # of the room for the person's words
_WORTH_SHOWING = 20  # tokens
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
    """All of them where they fit. Else what binds, of all; the first, then the newest, as they
    were said; of the others nothing more."""
    if sum(map(of_text, said)) <= tokens:
        return list(said)
    chosen = _constraints(said, tokens * _CONSTRAINTS)
    left = tokens - sum(map(of_text, chosen.values()))
    for index in (0, *range(len(said) - 1, 0, -1)):
        binds = chosen.get(index, "")
        room = left + of_text(binds)
        share = room / 2 if index == 0 and len(said) > 1 else room
        may_be_cut = index in (0, len(said) - 1)
        text = _within(said[index], binds, share, may_be_cut=may_be_cut)
        if text and of_text(text) <= room:
            chosen[index] = text
            left = room - of_text(text)
    return [chosen[index] for index in sorted(chosen)]


def _constraints(said: Sequence[str], tokens: float) -> dict[int, str]:
    """What binds in each, the earliest first: later words have other chances to be kept."""
    found: dict[int, str] = {}
    for index, text in enumerate(said):
        binds = " ".join(binding(text))
        if binds and of_text(binds) <= tokens:
            found[index] = binds
            tokens -= of_text(binds)
    return found


def _within(text: str, binds: str, tokens: float, *, may_be_cut: bool) -> str:
    if of_text(text) <= tokens:
        return text
    if not may_be_cut:
        return binds
    if not binds:
        return shortened(text, tokens)
    return f"{shortened(text, tokens - of_text(binds) - 1)}\n{binds}"


def binding(text: str) -> list[str]:
    """The sentences of a text that state a constraint; of very long ones what is around it."""
    found = ((one[0].strip(), _BINDING.search(one[0].strip())) for one in _SENTENCE.finditer(text))
    return [_around(sentence, word) for sentence, word in found if word]


def _around(sentence: str, word: re.Match[str]) -> str:
    if len(sentence) <= _LONG_CHARS:
        return sentence
    start = max(0, word.start() - _LONG_CHARS // 4)
    part = sentence[start : start + _LONG_CHARS]
    return part if not start else part.partition(" ")[2] or part


def shortened(text: str, tokens: float) -> str:
    """Its beginning and its end, if it is too long."""
    size = of_text(text)
    if size <= tokens:
        return text
    half = max(0, int(len(text) * tokens / size) // 2 - len(_CUT))
    return text[:half] + _CUT + text[len(text) - half :] if half else _CUT.strip()


def state(kit: Toolkit, tokens: float = inf) -> str:
    """What only the runtime knows for certain; what is open first, if it cannot be all."""
    parts: list[str] = []
    for section in _sections(kit, tokens):
        left = tokens - of_text("\n\n".join([*parts, ""]))
        if of_text(section) <= left or left >= _WORTH_SHOWING:
            parts.append(shortened(section, left))
    return "\n\n".join(parts)


def _sections(kit: Toolkit, tokens: float) -> Iterator[str]:
    agent = kit.agent
    if todos := _todos(known(agent.todos), tokens / 2):
        yield todos
    if kit.mode is not Mode.DEFAULT:
        yield f"## Current Mode: {kit.mode}"
    if agent.workspace.cwd != agent.workspace.root:
        yield f"## Working directory\n{agent.workspace.cwd}"
    if agent.policy.plan_file:
        plan = f"## Plan ({agent.policy.plan_file})\n{_plan(agent.policy.plan_file)}"
        yield shortened(plan, tokens / 2)
    if files := agent.reads.newest(_FILES):
        yield "## Files read (the latest first; read again what you need)\n" + "\n".join(files)


def _todos(todos: Sequence[Todo], tokens: float) -> str:
    """The whole list; without what is done, where that is long."""
    waiting = [one for one in todos if one.status != "completed"]
    if not waiting:
        return ""
    whole = "## Todos\n" + "\n".join(lines(todos))
    return whole if of_text(whole) <= tokens else "## Todos\n" + "\n".join(lines(waiting))


def _plan(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            return opened.read(_PLAN_CHARS)
    except OSError:
        return "(not written yet)"
