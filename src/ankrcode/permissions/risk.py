"""How much a person should hesitate before saying yes, told by what a call would do."""

from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.effects import Effect
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.command_rules import CommandView
from ankrcode.permissions.verdicts import Verdict
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.protocol.approval import Risk
from ankrcode.workspace.roots import Workspace

_OTHER_RIGHTS = frozenset(("sudo", "su", "doas", "pkexec", "runuser"))


def risk_of(
    call: CallFacts, verdict: Verdict, policy: Policy, workspace: Workspace, *, is_unwalled: bool
) -> Risk:
    """low: it looks, or edits the workspace · medium: it runs or connects · high: beyond that."""
    if verdict.is_firm or is_unwalled:
        return "high"
    if call.command is None:
        return _of_call(call, workspace)
    from ankrcode.permissions.command_judge import CommandJudge

    return _of_command(CommandJudge(call, call.command, policy, workspace).line, workspace)


def _of_call(call: CallFacts, workspace: Workspace) -> Risk:
    acts = call.acts
    if any(not workspace.contains(path) for path in acts.writes_files):
        return "high"
    if EVERYTHING in acts.writes or acts.runs or acts.connects:
        return "medium"
    return "low"


def _of_command(line: CommandView, workspace: Workspace) -> Risk:
    kinds = {effect.kind for effect in line.effects}
    names = {part.argv[0].rpartition("/")[2] for part in line.parts if part.argv}
    outside = [place for place in line.written_places() if place and not workspace.contains(place)]
    if not line.is_certain or outside or names & _OTHER_RIGHTS:
        return "high"
    if any(map(_is_danger, line.effects)) or kinds >= {"connect", "secret"}:
        return "high"
    if kinds >= {"connect", "execute"}:
        return "high"  # what comes from outside might be what runs
    return "medium" if kinds - {"read", "list"} else "low"


def _is_danger(effect: Effect) -> bool:
    return effect.policy.startswith("git.")
