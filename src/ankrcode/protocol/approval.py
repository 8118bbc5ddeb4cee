"""The question that stands between a call and its effects, and the answer to it."""

from typing import Any, Literal

from msgspec import Struct

from ankrcode.protocol.acts import Acts

RememberScope = Literal["once", "session", "project", "user"]
Risk = Literal["low", "medium", "high"]


class Preview(Struct, frozen=True, kw_only=True):
    """What a call would do, shown before it is done: a diff, a command, a listing."""

    title: str
    body: str = ""
    format: Literal["text", "diff", "command"] = "text"


class Approval(Struct, frozen=True, kw_only=True):
    """May this call run? Carries all a person needs to decide."""

    id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    reason: str
    acts: Acts
    preview: Preview | None = None
    agent_id: str = ""
    risk: Risk = "medium"
    text: str = ""  # exactly what will run, with nothing hidden in it
    rules: tuple[str, ...] = ()  # what is remembered with a yes for longer; none: only this call
    digest: str = ""  # of tool and arguments: the answer counts for exactly these


class ApprovalAnswer(Struct, frozen=True, kw_only=True):
    """Yes or no; perhaps with other arguments, which are judged again from the start."""

    approved: bool
    arguments: dict[str, Any] | None = None
    feedback: str = ""
    remember: RememberScope = "once"
