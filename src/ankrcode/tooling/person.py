"""Whoever answers here, if anybody: one question at a time, whichever agent asks."""

from collections.abc import Awaitable, Callable
from typing import Any

from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.tooling.turnstile import Turnstile

Approver = Callable[[Approval], Awaitable[ApprovalAnswer] | ApprovalAnswer]
Asker = Callable[[Question], Awaitable[QuestionAnswer] | QuestionAnswer]

# What hooks are told when somebody should look, by the names that published scripts know.
APPROVAL, QUESTION = "permission_prompt", "elicitation_dialog"
Notify = Callable[[Any, str], None]


class Person:
    """May say yes or no (`approver`) and answer questions (`asker`); either may be nobody."""

    def __init__(
        self,
        approver: Approver | None = None,
        asker: Asker | None = None,
        turn: Turnstile | None = None,
        notify: Notify = lambda ctx, kind: None,
    ) -> None:
        self.approver = approver
        self.asker = asker
        self.turn = turn or Turnstile()
        self.notify = notify  # tells hooks that somebody waits for an answer
