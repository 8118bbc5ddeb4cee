"""What can happen, and what a hook may do about it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from ankrcode.protocol.permission import Mode


class HookEvent(StrEnum):
    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    PERMISSION_REQUEST = "PermissionRequest"
    NOTIFICATION = "Notification"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    STOP = "Stop"
    SUBAGENT_START = "SubagentStart"
    SUBAGENT_STOP = "SubagentStop"
    PRE_COMPACT = "PreCompact"
    POST_COMPACT = "PostCompact"

    @property
    def is_blockable(self) -> bool:
        """Can a hook keep it from happening? What is done already cannot be undone by a no."""
        return self in _BLOCKABLE

    @property
    def is_refusable(self) -> bool:
        """May a hook refuse it by saying so? Of a further agent's start exit code 2 is only shown,
        as published scripts expect; `decision: block` leaves no doubt."""
        return self in _BLOCKABLE or self is HookEvent.SUBAGENT_START

    @property
    def is_over(self) -> bool:
        """Is there nothing left that `continue: false` could stop?"""
        return self in (HookEvent.NOTIFICATION, HookEvent.SESSION_END, HookEvent.POST_COMPACT)

    @property
    def is_guarded(self) -> bool:
        """Must a hook that is not understood be taken as a no?"""
        return self is HookEvent.PRE_TOOL_USE

    @property
    def follows_a_call(self) -> bool:
        """Is a complaint told to the model, together with the result?"""
        return self in (HookEvent.POST_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE)

    @property
    def hears_plain_text(self) -> bool:
        """Is whatever a hook prints told to the model?"""
        return self in (HookEvent.USER_PROMPT_SUBMIT, HookEvent.SESSION_START)

    def subject(self, payload: Mapping[str, Any]) -> str | None:
        """What a matcher is compared with; none where every hook is meant."""
        name = _SUBJECTS.get(self)
        return None if name is None else str(payload.get(name, ""))


_BLOCKABLE = frozenset(
    (
        HookEvent.PRE_TOOL_USE,
        HookEvent.PERMISSION_REQUEST,
        HookEvent.USER_PROMPT_SUBMIT,
        HookEvent.STOP,
        HookEvent.SUBAGENT_STOP,
        HookEvent.PRE_COMPACT,
    )
)
_SUBJECTS = {
    HookEvent.PRE_TOOL_USE: "tool_name",
    HookEvent.POST_TOOL_USE: "tool_name",
    HookEvent.POST_TOOL_USE_FAILURE: "tool_name",
    HookEvent.PERMISSION_REQUEST: "tool_name",
    HookEvent.NOTIFICATION: "notification_type",
    HookEvent.SESSION_START: "source",
    HookEvent.SESSION_END: "reason",
    HookEvent.SUBAGENT_START: "agent_type",
    HookEvent.SUBAGENT_STOP: "agent_type",
    HookEvent.PRE_COMPACT: "trigger",
    HookEvent.POST_COMPACT: "trigger",
}


def mode_for_scripts(mode: Mode) -> str:
    """The name that published scripts know it by."""
    return "bypassPermissions" if mode is Mode.BYPASS else str(mode)
