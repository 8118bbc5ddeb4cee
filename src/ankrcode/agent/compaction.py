"""A conversation that no longer fits goes on shorter: first without old results, then from a
summary. Whatever must not be lost is put back by code (`pinned.py`); calls keep their results."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ankrcode.agent.clearing import cleared, subject
from ankrcode.agent.context import ContextWindow
from ankrcode.agent.estimate import Estimate, of_text
from ankrcode.agent.notes import SUMMARISED, note
from ankrcode.agent.pinned import kept_words, shortened, state, words
from ankrcode.agent.talk import Talk
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import Message, Part, TextPart, ToolResultPart, ToolUsePart
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import ModelRequest

_PROTECTED = 0.4  # of the limit: results in the newest messages are not cleared
_WORTH_CLEARING = 0.2
_ENOUGH = 0.7  # below this no summary is needed
_TAIL, _WORDS, _STATE, _ASKED, _SUMMARY = 0.25, 0.15, 0.1, 0.1, 0.15
_LEAST_TAIL = 1_000  # tokens
_DIGEST_CALLS = 60
_LONG_CHARS = 300
_NO_PICTURES = 0.2  # where so little room is left, pictures go


async def compact(talk: Talk, *, instructions: str = "", trigger: str = "auto") -> bool:
    """Make room; False if a hook kept it from happening."""
    conversation, window = talk.conversation, talk.context
    before = conversation.estimate.tokens
    if trigger == "auto" and _clear(talk, window):
        talk.tell(Noticed, key="context_cleared", values=_sizes(talk, before))
        return True
    if not await _is_allowed(talk, trigger, instructions):
        return False
    summary = await _summary(talk, window, instructions)
    conversation.replace_all(rebuilt(talk, window, summary))
    talk.tell(Noticed, key="context_compacted", values=_sizes(talk, before))
    if talk.kit.hooks is not None:
        await talk.kit.hooks.run("PostCompact", {"trigger": trigger, "compact_summary": summary})
    return True


def _sizes(talk: Talk, before: int) -> dict[str, int]:
    return {"before": before, "after": talk.conversation.estimate.tokens}


def _clear(talk: Talk, window: ContextWindow) -> bool:
    """Is clearing old results enough?"""
    conversation = talk.conversation
    estimate, said = conversation.estimate, conversation.said
    lighter = cleared(said, estimate, window.limit * _PROTECTED)
    freed = estimate.of(said) - estimate.of(lighter)
    if freed < window.limit * _WORTH_CLEARING or estimate.tokens - freed > window.limit * _ENOUGH:
        return False
    conversation.replace_all(lighter)
    return True


async def _is_allowed(talk: Talk, trigger: str, instructions: str) -> bool:
    hooks = talk.kit.hooks
    if hooks is None or not hooks.listens("PreCompact"):
        return True
    facts = {"trigger": trigger, "custom_instructions": instructions}
    answer = await hooks.run("PreCompact", facts)
    return not answer.is_blocked


# ── the summary ───────────────────────────────────────────────────────────────────────────
@cache
def _order() -> str:
    return Path(__file__).with_name("summary.md").read_text(encoding="utf-8").strip()


async def _summary(talk: Talk, window: ContextWindow, instructions: str) -> str:
    """By the model, from the very conversation it knows; by code, if it cannot."""
    estimate = talk.conversation.estimate
    order = note(f"{_order()}\n\n{instructions}".strip())
    asked = Message(role="user", parts=(order,))
    budget = window.limit * _SUMMARY
    said = list(talk.conversation.all)
    if said[-1].role == "user":
        said[-1] = replace(said[-1], parts=(*said[-1].parts, order))
    else:
        said.append(asked)
    text = ""
    if estimate.tokens + estimate.of([asked]) + budget <= window.window:
        text = await _told(talk, said, round(budget))
    return shortened(text or digest(talk.conversation.said), budget)


async def _told(talk: Talk, said: Sequence[Message], max_tokens: int) -> str:
    options = replace(talk.options, tool_choice="none", schema=None, max_output_tokens=max_tokens)
    request = ModelRequest(messages=said, tools=talk.tools, options=options)
    gathered = Gathered()
    async with aclosing(talk.model.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            gathered.feed(event)
    talk.account(gathered, 0.0)
    return "" if gathered.failure is not None else gathered.text.strip()


def digest(said: Sequence[Message]) -> str:
    """Without a model: which calls were made, and what was said last."""
    calls = [part for one in said for part in one.parts if isinstance(part, ToolUsePart)]
    failed = {
        part.tool_use_id
        for one in said
        for part in one.parts
        if isinstance(part, ToolResultPart) and part.is_error
    }
    lines = [f"- {subject(one)}{' (failed)' if one.id in failed else ''}" for one in calls]
    texts = [
        part.text
        for one in said
        if one.role == "assistant"
        for part in one.parts
        if isinstance(part, TextPart)
    ]
    return "\n".join(["Calls made, the latest last:", *lines[-_DIGEST_CALLS:], *texts[-1:]])


# ── the new beginning ─────────────────────────────────────────────────────────────────────
def rebuilt(talk: Talk, window: ContextWindow, summary: str) -> list[Message]:
    """The person's words, summary and what is pinned, then the newest messages as they were."""
    said, estimate = talk.conversation.said, talk.conversation.estimate
    room = min(window.limit * _TAIL, max(estimate.of(said) * _TAIL, _LEAST_TAIL))
    start = _tail_start(said, estimate, room)
    tail = _fitted(said[start:], estimate, room)
    mine = kept_words(words(said[:start]), window.limit * _WORDS / estimate.factor)
    kept = shortened(state(talk.kit), window.limit * _STATE / estimate.factor)
    asked = shortened(_instructions(talk), window.limit * _ASKED / estimate.factor)
    told = "\n\n".join(filter(None, (SUMMARISED, summary, kept, asked)))
    first = (*(TextPart(text=one) for one in mine), note(told))
    if tail and tail[0].role == "user":
        return [Message(role="user", parts=(*first, *tail[0].parts)), *tail[1:]]
    return [Message(role="user", parts=first), *tail]


def _instructions(talk: Talk) -> str:
    """Of inner folders: those of the beginning stand in the system messages."""
    later = talk.project.later if talk.project is not None else ()
    return "# Project Context\n" + "\n\n".join(later) if later else ""


def _tail_start(said: Sequence[Message], estimate: Estimate, room: float) -> int:
    """The first message of the newest that fit; no call is parted from its result."""
    start, size = len(said), 0.0
    for at in range(len(said) - 1, -1, -1):
        size += estimate.of([said[at]])
        if size > room and start < len(said):
            break
        if not any(isinstance(part, ToolResultPart) for part in said[at].parts):
            start = at
    return start


def _fitted(tail: Sequence[Message], estimate: Estimate, room: float) -> list[Message]:
    """The last exchange stays in any case; what is too long in it is shortened: first results, then
    the model's own words and what it wrote into calls. The person's words are never cut here."""
    kept = list(tail)
    for thinner in (_shorter_result, _shorter_call):
        size = estimate.of(kept)
        if size <= room:
            break
        kept = [_thinner(message, room / size, thinner) for message in kept]
    return kept


def _thinner(message: Message, share: float, thinner: Callable[[Part, float], Part]) -> Message:
    if message.role == "user" and thinner is _shorter_call:
        return message
    return replace(message, parts=tuple(thinner(part, share) for part in message.parts))


def _shorter_result(part: Part, share: float) -> Part:
    if isinstance(part, ToolResultPart):
        text = shortened(part.text, of_text(part.text) * share)
        return replace(
            part, text=text, attachments=() if share < _NO_PICTURES else part.attachments
        )
    return part


def _shorter_call(part: Part, share: float) -> Part:
    if isinstance(part, TextPart):
        return replace(part, text=shortened(part.text, of_text(part.text) * share))
    if isinstance(part, ToolUsePart):
        cut = {name: _shorter_value(value, share) for name, value in part.arguments.items()}
        return replace(part, arguments=cut)
    return part


def _shorter_value(value: Any, share: float) -> Any:
    """Long texts, such as the content of a file; what a call is about stays."""
    if isinstance(value, str) and len(value) > _LONG_CHARS:
        return shortened(value, max(of_text(value) * share, of_text(value[:_LONG_CHARS])))
    return value
