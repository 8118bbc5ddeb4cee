"""The decision: may this call run, must someone be asked, or is it refused?

One function for every door: agent, command line, sub-agents, hooks.
"""

from ankrcode.permissions.call_judge import CallJudge
from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.verdicts import ALLOWED, Decision, Verdict
from ankrcode.workspace.roots import Workspace

__all__ = ["ALLOWED", "CallFacts", "Decision", "Verdict", "decide"]


def decide(call: CallFacts, policy: Policy, workspace: Workspace) -> Verdict:
    """Pure: looks at its arguments and at where paths lead, and runs nothing."""
    if call.command is None:
        return CallJudge(call, policy, workspace).verdict()
    from ankrcode.permissions.command_judge import CommandJudge  # only a command pays for it

    return CommandJudge(call, call.command, policy, workspace).verdict()
