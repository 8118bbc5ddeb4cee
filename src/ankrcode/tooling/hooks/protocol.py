"""What a script's exit code and output mean: the protocol that published hooks speak.

    exit 0      what it printed counts: JSON, or plain text
    exit 2      no; the reason stands on stderr, and a silent no is a no
    otherwise   it failed; that is noted and changes nothing

Before a tool runs, whatever is not understood is a no.
"""

from typing import Any

import msgspec
from msgspec import Struct, field

from ankrcode.config.limits import HOOK_CONTEXT_CHARS
from ankrcode.tooling.hooks.answer import SILENCE, Decision, HookAnswer
from ankrcode.tooling.hooks.events import HookEvent
from ankrcode.words import say

BLOCKED = 2
_DECISIONS: dict[str, Decision] = {
    "": "",
    "allow": "allow",
    "approve": "allow",
    "ask": "ask",
    "defer": "ask",
    "block": "deny",
    "deny": "deny",
}
_SIGNS_OF_A_DECISION = ('"permissionDecision"', '"decision"', '"continue"')


class Ran(Struct, frozen=True, kw_only=True):
    """How one command went."""

    exit_code: int = 0
    output: str = ""
    errors: str = ""
    is_whole: bool = True  # was all of its output kept?
    timeout_s: float | None = None  # it was stopped after so long


class _Choice(Struct, frozen=True, rename="camel"):
    behavior: str | None = None
    message: str | None = None
    updated_input: dict[str, Any] | None = None
    interrupt: bool | None = None


_NOT_STARTED = (126, 127)  # what a shell says of a program that it cannot run or find


class _Specific(Struct, frozen=True, rename="camel"):
    hook_event_name: str | None = None
    permission_decision: str | None = None
    permission_decision_reason: str | None = None
    updated_input: dict[str, Any] | None = None
    additional_context: str | None = None
    decision: _Choice | None = None


class _Said(Struct, frozen=True, rename="camel"):
    goes_on: bool | None = field(default=None, name="continue")
    stop_reason: str | None = None
    system_message: str | None = None
    decision: str | None = None
    reason: str | None = None
    additional_context: str | None = None
    permission_decision: str | None = None  # its place is below, but a no is a no
    permission_decision_reason: str | None = None
    hook_specific_output: _Specific | None = None


class NotUnderstood(ValueError):
    """What a hook said has no meaning here."""


def answer_of(event: HookEvent, ran: Ran, name: str) -> HookAnswer:
    """What the command said, in one form for all."""
    if ran.timeout_s is not None:
        return unusable(event, say("hook_late", hook=name, seconds=f"{ran.timeout_s:g}"))
    if ran.exit_code == BLOCKED:
        return _complaint(event, ran.errors.strip(), name)
    if ran.exit_code != 0:
        why = ran.errors.strip() or ran.output.strip()
        fault = say("hook_failed", hook=name, code=ran.exit_code, why=why[-500:] or "-")
        if ran.exit_code in _NOT_STARTED:
            return unusable(event, fault)
        return HookAnswer(faults=(fault,))
    text = ran.output.strip()
    if not text.startswith("{"):
        return _plain(event, text, name)
    try:
        if not ran.is_whole:
            raise NotUnderstood("it is too long")
        return answer_of_data(event, msgspec.json.decode(text))
    except (NotUnderstood, msgspec.DecodeError, RecursionError) as problem:
        if event.hears_plain_text:
            return HookAnswer(context=(text,))
        return unusable(event, say("hook_garbled", hook=name, why=str(problem)[:500]))


def answer_of_data(event: HookEvent, data: Any) -> HookAnswer:
    """The JSON form, also as a function may return it. Raises `NotUnderstood`."""
    try:
        said = msgspec.convert(data, _Said)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise NotUnderstood(str(problem)) from None
    specific = said.hook_specific_output or _Specific()
    if specific.hook_event_name not in (None, "", event):
        raise NotUnderstood(f"it speaks of {specific.hook_event_name}, not of {event}")
    choice = specific.decision or _Choice()
    decision = _decision(
        specific.permission_decision,
        choice.behavior,
        said.permission_decision,
        said.decision,
    )
    reason = (
        specific.permission_decision_reason
        or choice.message
        or said.permission_decision_reason
        or said.reason
        or ""
    )[:HOOK_CONTEXT_CHARS]
    is_stopped = said.goes_on is False or choice.interrupt is True
    answer = HookAnswer(
        decision=decision,
        reason=reason,
        arguments=specific.updated_input or choice.updated_input,
        context=tuple(filter(None, (specific.additional_context, said.additional_context))),
        messages=tuple(filter(None, (said.system_message,))),
        is_stopped=is_stopped,
        stop_reason=(said.stop_reason or "")[:HOOK_CONTEXT_CHARS] if is_stopped else "",
    )
    return settled(event, answer)


def settled(event: HookEvent, answer: HookAnswer) -> HookAnswer:
    """What can no longer be stopped is not: whoever can still act on a no is told of it."""
    if event.follows_a_call:
        return _told(answer)
    shown = list(answer.messages)
    if answer.decision == "deny" and not event.is_refusable:
        shown.append(f"{say('hook_objects')} {answer.reason or '-'}")
        answer = msgspec.structs.replace(answer, decision="", reason="")
    if answer.is_stopped and event.is_over:
        shown.append(f"{say('hook_objects')} {answer.stop_reason or '-'}")
    return msgspec.structs.replace(answer, messages=tuple(shown))


def unusable(event: HookEvent, why: str) -> HookAnswer:
    """A guard that does not work is a no; elsewhere it is noted."""
    if event.is_guarded:
        return HookAnswer(decision="deny", reason=why)
    return HookAnswer(faults=(why,))


def _decision(*given: str | None) -> Decision:
    """The strictest of what was said in the several places where it may be said."""
    said: list[Decision] = []
    for one in given:
        if one is None:
            continue
        if one not in _DECISIONS:
            raise NotUnderstood(f"'{one[:100]}' is no decision")
        said.append(_DECISIONS[one])
    return next((one for one in ("deny", "ask", "allow") if one in said), "")


def _complaint(event: HookEvent, errors: str, name: str) -> HookAnswer:
    reason = errors[:HOOK_CONTEXT_CHARS]
    if event.is_blockable:
        return HookAnswer(decision="deny", reason=reason or say("hook_blocked", hook=name))
    if event.follows_a_call:
        return HookAnswer(context=(f"{say('hook_objects')} {reason or name}",))
    return HookAnswer(messages=(reason or say("hook_blocked", hook=name),))


def _plain(event: HookEvent, text: str, name: str) -> HookAnswer:
    """A script may chat; but one that prints a decision among other things means it."""
    if event.hears_plain_text:
        return HookAnswer(context=(text,)) if text else SILENCE
    if event.is_guarded and any(sign in text for sign in _SIGNS_OF_A_DECISION):
        return unusable(event, say("hook_garbled", hook=name, why=say("hook_mixed")))
    return SILENCE


def _told(answer: HookAnswer) -> HookAnswer:
    """After a call a no changes nothing any more: the model is told instead."""
    if answer.decision != "deny":
        return msgspec.structs.replace(answer, decision="", arguments=None)
    told = f"{say('hook_objects')} {answer.reason or '-'}"
    return msgspec.structs.replace(
        answer, decision="", reason="", arguments=None, context=(told, *answer.context)
    )
