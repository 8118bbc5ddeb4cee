"""What a decision can be."""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

# Who said yes: "" where nothing needed a yes, for it only reads.
Authority = Literal["", "rule", "grant", "mode", "plan", "hook", "person"]

# How a command is to be run; "" where there is no command.
LIMITS, CONFINED, OPEN = "limits", "workspace-write", "open"


class Decision(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Verdict(Struct, frozen=True, kw_only=True):
    decision: Decision
    reason: str = ""
    rule: str = ""  # the rule that decided, as written
    is_firm: bool = False  # no hook may answer in the person's place
    profile: str = ""  # how it is run once it may: within limits, confined, or openly
    by: Authority = ""
    note: str = ""  # what whoever reads the result should know about this decision


ALLOWED = Verdict(decision=Decision.ALLOW)
_BY_STRICTNESS = (Decision.ALLOW, Decision.ASK, Decision.DENY)


def stricter(one: Verdict, other: Verdict) -> Verdict:
    """Of two verdicts on one call, the one that lets less through; the first if they agree."""
    return max(one, other, key=lambda verdict: _BY_STRICTNESS.index(verdict.decision))
