"""Who answers when a call needs a yes: a person through a front end, or nobody."""

from collections.abc import Awaitable, Callable

from ankrcode.protocol.approval import Approval, ApprovalAnswer

Approver = Callable[[Approval], Awaitable[ApprovalAnswer]]
