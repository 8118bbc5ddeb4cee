"""What the person said, word for word, is itself a yes: for exactly that call, and not for all.

A sentence that was read in full and without guessing states its calls; so does a `$ command`. Such
a call runs without a further question if it changes files of the workspace, runs the project's
tests or build, or is the very command the person wrote. What rules ask about, what is protected,
lies outside the workspace or reaches the network unsaid is still asked, and what is denied or
blocked never gets as far as here.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from ankrcode.app import Toolkit
from ankrcode.errors import Refused, ToolError
from ankrcode.permissions.paths import guarded_by
from ankrcode.permissions.verdicts import Decision
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.question import Question, QuestionAnswer

Asker = Callable[[Approval], Awaitable[ApprovalAnswer]]


class Asks(Protocol):
    """Somebody in front of a terminal: see `asking.Terminal`."""

    language: str

    async def approve(self, approval: Approval) -> ApprovalAnswer: ...

    async def answer(self, question: Question) -> QuestionAnswer: ...

    def agrees(self, question: str) -> bool: ...


YES = ApprovalAnswer(approved=True)
_FILE_TOOLS = frozenset(("Edit", "Write", "Move", "Delete", "Undo", "Redo"))
_OTHER_RIGHTS = frozenset(("sudo", "su", "doas", "pkexec", "runuser"))


class Stated(Struct, frozen=True, kw_only=True):
    """A call that the person stated. `is_command`: they wrote the command line themselves."""

    call: ToolCall
    is_command: bool = False


class PersonSaid:
    """The approver of a front end in which people say what to do."""

    def __init__(self, asker: Asker | None = None, *, says_yes: bool = False) -> None:
        self.asker = asker  # None: nobody is there to ask
        self.says_yes = says_yes  # --yes: to everything that would be asked
        self.stated: Stated | None = None
        self.kit: Toolkit | None = None

    async def __call__(self, approval: Approval) -> ApprovalAnswer:
        if self.says_yes or self._was_stated(approval):
            return YES
        if self.asker is not None:
            return await self.asker(approval)
        raise Refused.of("denied.unsaid", tool=approval.tool, reason=approval.reason)

    def _was_stated(self, approval: Approval) -> bool:
        stated, kit = self.stated, self.kit
        if stated is None or kit is None or stated.call.name != approval.tool:
            return False
        if stated.call.arguments != approval.arguments:
            return False  # a hook has changed it since: that is not what was said
        try:
            _, verdict = kit.judge(stated.call)
        except ToolError:
            return False
        if verdict.decision is not Decision.ASK or verdict.rule:
            return False  # a hook asks, or a rule of the person's own
        if approval.tool in _FILE_TOOLS:
            return _changes_only_here(approval, kit)
        return approval.tool == "Bash" and not verdict.is_firm and _runs_only_here(stated, kit)


def _changes_only_here(approval: Approval, kit: Toolkit) -> bool:
    acts, workspace = approval.acts, kit.agent.workspace
    if EVERYTHING in acts.writes or acts.runs or acts.connects:
        return False
    places = (*acts.writes_files, *acts.reads_files)
    return all(map(workspace.contains, places)) and not any(
        guarded_by(place, workspace.roots, is_written=True) for place in acts.writes_files
    )


def _runs_only_here(stated: Stated, kit: Toolkit) -> bool:
    from ankrcode.permissions.command_judge import command_env  # only a command pays for it
    from ankrcode.permissions.rules.command_rules import viewed

    arguments = stated.call.arguments
    if not isinstance(arguments, dict) or arguments.get("dangerously_disable_sandbox"):
        return False
    workspace = kit.agent.workspace
    line = viewed(str(arguments["command"]), command_env(workspace, arguments.get("cwd")))
    names = {part.argv[0].rpartition("/")[2] for part in line.parts if part.argv}
    kinds = {effect.kind for effect in line.effects}
    places = [place for place in (*line.written_places(), *line.read_places()) if place]
    is_known = line.is_certain and not names & _OTHER_RIGHTS and "secret" not in kinds
    is_safe = not any(effect.policy for effect in line.effects)
    if not is_known or not is_safe or not all(map(workspace.contains, places)):
        return False
    return stated.is_command or "connect" not in kinds
