"""A conversation that no longer fits goes on shorter: first without old results, then from a
summary. Whatever must not be lost is put back by code (`pinned.py`); calls keep their results."""

from collections.abc import Sequence
from contextlib import aclosing
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from ankrcode.agent.clearing import cleared, subject
from ankrcode.agent.context import ContextWindow
from ankrcode.agent.notes import SUMMARISED, is_note, note
from ankrcode.agent.pinned import kept_words, shortened, state, words
from ankrcode.agent.tail import fitted, tail_start, with_fewer_pictures
from ankrcode.agent.talk import Talk
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import (
    Message,
    Part,
    TextPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import ModelRequest
from ankrcode.tooling.hooks.engine import HookEngine
from ankrcode.tooling.hooks.events import mode_for_scripts

_PROTECTED = 0.4  # of the limit: results in the newest messages are not cleared
_WORTH_CLEARING = 0.2
_ENOUGH = 0.7  # below this no summary is needed
_TAIL, _WORDS, _STATE, _ASKED, _SUMMARY = 0.25, 0.15, 0.1, 0.1, 0.15
_LEAST_TAIL = 1_000  # tokens
_DIGEST_CALLS = 60
_BARELY = 0.9  # what is shortened to fit is not exact to the token


async def compact(talk: Talk, *, instructions: str = "", trigger: str = "auto") -> bool:
    """Make room; False if a hook kept it from happening, or nothing can be left out."""
    conversation, window = talk.conversation, talk.context
    if not conversation.said:
        return False
    before = conversation.estimate.tokens
    if trigger == "auto" and _clear(talk, window):
        talk.tell(Noticed, key="context_cleared", values=_sizes(talk, before))
        return True
    if not await _is_allowed(talk, trigger, instructions):
        return False
    is_needed = trigger != "auto" or _says_more_than_words(talk, window)
    summary = await _summary(talk, window, instructions) if is_needed else ""
    shorter = rebuilt(talk, window, summary)
    estimate = conversation.estimate
    if trigger == "auto" and estimate.of(shorter) >= estimate.of(conversation.said):
        return False
    conversation.replace_all(shorter)
    talk.tell(Noticed, key="context_compacted", values=_sizes(talk, before))
    if talk.kit.hooks is not None:
        more = {"trigger": trigger, "custom_instructions": instructions}
        await talk.kit.hooks.run("PostCompact", {**_who(talk), **more, "compact_summary": summary})
        await _told_again(talk, talk.kit.hooks)
    return True


async def _told_again(talk: Talk, hooks: HookEngine) -> None:
    """What the hooks of the session's start said was summed up with the rest: they say it anew."""
    if talk.kit.agent.depth or not hooks.listens("SessionStart"):
        return
    answer = await hooks.run("SessionStart", {"source": "compact"})
    if answer.is_stopped:  # the work goes on: it has long begun
        _show(talk, "SessionStart", answer.stop_reason)
    room = talk.context.limit * _ASKED / talk.conversation.estimate.factor
    if told := shortened("\n\n".join(answer.context), room):
        talk.conversation.tell([note(told)])


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
    facts = {**_who(talk), "trigger": trigger, "custom_instructions": instructions}
    answer = await hooks.run("PreCompact", facts)
    if answer.is_blocked:
        _show(talk, "PreCompact", answer.reason or answer.stop_reason)
    return not answer.is_blocked


def _show(talk: Talk, event: str, why: str) -> None:
    if why:
        talk.tell(Noticed, key="hook_message", values={"tool": event, "message": why})


def _who(talk: Talk) -> dict[str, str]:
    """Whose conversation it is; the hooks are those of the first agent."""
    agent = talk.kit.agent
    who = {"cwd": agent.workspace.cwd, "permission_mode": mode_for_scripts(talk.kit.mode)}
    return who | {"agent_id": agent.agent_id, "agent_type": agent.agent} if agent.depth else who


def _says_more_than_words(talk: Talk, window: ContextWindow) -> bool:
    """Is there more before the newest messages than what the person said, which is kept anyway?"""
    said, estimate = talk.conversation.said, talk.conversation.estimate
    start = tail_start(said, estimate, _room(talk, window))
    before = [part for one in said[:start] for part in one.parts]
    are_words = all(isinstance(part, TextPart) and not is_note(part) for part in before)
    return not are_words or any(one.role == "assistant" for one in said[:start])


def _room(talk: Talk, window: ContextWindow) -> float:
    """For the newest messages."""
    said = talk.conversation.estimate.of(talk.conversation.said)
    return min(window.limit * _TAIL, max(said * _TAIL, _LEAST_TAIL))


# ── the summary ───────────────────────────────────────────────────────────────────────────
@cache
def _order() -> str:
    return Path(__file__).with_name("summary.md").read_text(encoding="utf-8").strip()


async def _summary(talk: Talk, window: ContextWindow, instructions: str) -> str:
    """By the model, from the very conversation it knows, or without the results in it where that
    is too long; by code, if it cannot."""
    conversation, estimate = talk.conversation, talk.conversation.estimate
    asked = Message(role="user", parts=(note(f"{_order()}\n\n{instructions}".strip()),))
    budget = window.limit * _SUMMARY
    left = window.window - budget - estimate.of([asked]) - conversation.fixed_tokens
    text = ""
    lighter = fitted(cleared(conversation.said, estimate, 0), estimate, left * _BARELY)
    for said in (conversation.said, lighter):
        if estimate.of(said) <= left:
            text = await _told(talk, [*conversation.system, *_joined(said, asked)], round(budget))
            break
    return shortened(text or digest(conversation.said), budget / estimate.factor)


def _joined(said: Sequence[Message], asked: Message) -> list[Message]:
    """Roles take turns."""
    if said and said[-1].role == asked.role:
        return [*said[:-1], replace(said[-1], parts=(*said[-1].parts, *asked.parts))]
    return [*said, asked]


async def _told(talk: Talk, said: Sequence[Message], max_tokens: int) -> str:
    options = replace(talk.options, tool_choice="none", schema=None, max_output_tokens=max_tokens)
    request = ModelRequest(messages=said, tools=talk.tools, options=options)
    gathered, source = Gathered(), talk.kit.source
    asked_at = source.monotonic()
    async with aclosing(talk.model.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            gathered.feed(event)
    talk.api_time.waited(source.monotonic() - asked_at)
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
    room = _room(talk, window)
    start = tail_start(said, estimate, room)
    tail = fitted(said[start:], estimate, room)
    mine = kept_words(words(said[:start]), window.limit * _WORDS / estimate.factor)
    kept = state(talk.kit, window.limit * _STATE / estimate.factor)
    asked = shortened(_instructions(talk), window.limit * _ASKED / estimate.factor)
    summed_up = f"{SUMMARISED}\n\n{summary}" if summary else ""
    told = "\n\n".join(filter(None, (summed_up, kept, asked)))
    first: tuple[Part, ...] = tuple(TextPart(text=one) for one in mine)
    first = (*first, note(told)) if told else first
    if first and tail and tail[0].role == "user":
        newest = [one for one in tail[0].parts if not (summary and _is_summary(one))]
        tail = [Message(role="user", parts=(*first, *newest)), *tail[1:]]
    elif first:
        tail = [Message(role="user", parts=first), *tail]
    return with_fewer_pictures(tail, estimate, window.enough - talk.conversation.fixed_tokens)


def _is_summary(part: Part) -> bool:
    """Of an earlier time: what it says is in the newer one."""
    return isinstance(part, TextPart) and is_note(part) and SUMMARISED in part.text


def _instructions(talk: Talk) -> str:
    """Of inner folders: those of the beginning stand in the system messages."""
    later = talk.project.later if talk.project is not None else ()
    return "# Project Context\n" + "\n\n".join(later) if later else ""
