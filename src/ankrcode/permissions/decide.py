"""The decision: may this call run, must someone be asked, or is it refused?

A first policy by capability: reads inside the workspace run; `acceptEdits` adds file writes
inside it; `bypass` adds everything; what is not known asks.
"""

from enum import StrEnum

from msgspec import Struct

from ankrcode.permissions.policy import Policy
from ankrcode.protocol.acts import EVERYTHING, Acts
from ankrcode.protocol.permission import Mode
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace, is_inside


class Decision(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Verdict(Struct, frozen=True, kw_only=True):
    decision: Decision
    reason: str = ""
    is_firm: bool = False  # no hook may answer in the person's place


ALLOWED = Verdict(decision=Decision.ALLOW)


def decide(tool: str, subject: str, acts: Acts, policy: Policy, workspace: Workspace) -> Verdict:
    """Pure: looks at its arguments only. `subject` is what a grant's pattern is matched with."""
    if policy.mode is Mode.BYPASS:
        return ALLOWED
    reason = _reason_to_ask(acts, policy, workspace)
    if not reason or policy.is_granted(tool, subject):
        return ALLOWED
    if policy.mode in (Mode.DONT_ASK, Mode.PLAN):
        return Verdict(decision=Decision.DENY, reason=reason)
    return Verdict(decision=Decision.ASK, reason=reason)


def _reason_to_ask(acts: Acts, policy: Policy, workspace: Workspace) -> str:
    """Why this is more than the mode allows; empty where it is not."""
    if EVERYTHING in acts.writes:
        return say("why.unknown")
    if acts.runs:
        return say("why.runs")
    if acts.connects:
        return say("why.connects", hosts=", ".join(acts.connects))
    written = acts.writes_files
    if written and not (
        policy.mode is Mode.ACCEPT_EDITS and all(workspace.contains(path) for path in written)
    ):
        return say("why.writes", paths=", ".join(written))
    outside = [path for path in acts.reads_files if not _may_read(path, policy, workspace)]
    return say("why.read_outside", paths=", ".join(outside)) if outside else ""


def _may_read(path: str, policy: Policy, workspace: Workspace) -> bool:
    return workspace.contains(path) or any(is_inside(path, folder) for folder in policy.readable)
