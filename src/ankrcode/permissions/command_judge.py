"""The same for a command line: each of its parts, and each file that it touches."""

import os

from ankrcode.permissions.call_judge import CallJudge, permission_for
from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.places import CommandEnv
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.command_rules import (
    covers,
    first_hit,
    permitting,
    redirected,
    viewed,
)
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Rule
from ankrcode.permissions.verdicts import CONFINED, LIMITS, OPEN, Decision, Verdict
from ankrcode.protocol.permission import Mode
from ankrcode.words import say
from ankrcode.workspace.path_text import fault_of
from ankrcode.workspace.roots import Workspace

_LOOKING = frozenset(("read", "list", "secret"))
# Commands of our own that say yes in the person's place, or change what counts as one.
_ANSWERING = frozenset(("approvals", "config", "permissions", "trust"))


class CommandJudge(CallJudge):
    def __init__(self, call: CallFacts, command: str, policy: Policy, workspace: Workspace) -> None:
        super().__init__(call, policy, workspace)
        self.line = viewed(command, command_env(workspace, call.arguments.get("cwd")))

    def blocked(self) -> Verdict | None:
        if self.line.verdict.verdict != "blocked":
            return None
        reason = say("why.blocked", reason=self.line.verdict.reason)
        return Verdict(decision=Decision.DENY, reason=reason, is_firm=True)

    def guarded(self) -> Verdict | None:
        """What git cannot take back is asked about, by name, in every mode but bypass.

        A force push to main is asked about even there, and so is answering for the person.
        """
        if any(_answers(part.argv) for part in self.line.parts if part.verdict != "read_only"):
            return self.question(say("why.answers_itself"), is_firm=True)
        dangers = [one for one in self.line.effects if one.policy.startswith("git.")]
        if self.policy.mode is Mode.BYPASS:
            dangers = [one for one in dangers if one.policy == "git.force_push_main"]
        if not dangers or self._is_named_by_a_rule():
            return None
        what = ", ".join(dict.fromkeys(one.target or one.policy for one in dangers))
        return self.question(say("why.git_danger", what=what))

    def _is_named_by_a_rule(self) -> bool:
        """`Bash(git push --force:*)` says what it means; `Bash(git push:*)` does not."""
        rules = [rule for rule in self.policy.rules.about("allow", "Bash") if " -" in rule.what]
        return bool(permitting(tuple(rules), self.line))

    def hit(self, kind: Kind) -> Rule | None:
        rules = self.policy.rules.about(kind, self.call.tool)
        return (first_hit(rules, self.line) if rules else None) or self._hit_by_places(kind)

    def _hit_by_places(self, kind: Kind) -> Rule | None:
        """A command reads and writes files too."""
        touched = [("Edit", place) for place in self.line.written_places()]
        touched += [("Read", place) for place in self.line.read_places()]
        if any(rule.what for rule in self.policy.rules.about(kind, "Read")):
            touched += [("Read", place) for place in self.line.named_places()]
        for tool, place in touched:
            for rule in self.policy.rules.about(kind, tool):
                if rule.what and place and rule.fits_path(place):
                    return rule
        return None

    def granted(self) -> bool:
        """This very line, or patterns and phrases that together cover every part of it."""
        own = {grant.pattern for grant in self.policy.grants if grant.tool == self.call.tool}
        if self.call.exact in self.policy.approved or own & {self.call.subject, "*"}:
            return True
        if own and self.permission(tuple(map(_as_rule, own))) is not None:
            return True
        if not self.policy.phrases:
            return False
        from ankrcode.permissions.phrases import is_covered  # only a plan's grants pay for it

        return is_covered(self.line, self.policy.phrases, self.workspace)

    def is_within(self, rules: tuple[Rule, ...]) -> bool:
        """Part by part; here what only reads needs to be named like everything else."""
        return any(rule.is_for_all for rule in rules) or covers(rules, self.line)

    def permission(self, rules: tuple[Rule, ...]) -> Rule | None:
        """Every part by a rule; a redirection by one to edit, or by one for all commands."""
        used = permitting(rules, self.line)
        if used is None:
            return None
        every = next((rule for rule in rules if rule.is_for_all), None)
        editing = self.policy.rules.about("allow", "Edit")
        for place in redirected(self.line):
            rule = every or (permission_for(place, editing) if place else None)
            if rule is not None:
                used.append(rule)
            elif not (place and self.policy.accepts_edits and self.workspace.contains(place)):
                return None
        return used[0] if used else None

    def confined(self, reason: str) -> Verdict:
        """Inside the sandbox with no question, unless it must leave it."""
        from ankrcode.permissions.leaving import why_it_leaves  # only auto mode pays for it

        leaves = why_it_leaves(self.line, self.workspace)
        if leaves:
            return self.question(leaves)
        return Verdict(decision=Decision.ALLOW, by="mode", profile=CONFINED, reason=reason)

    @property
    def written(self) -> list[str]:
        return self.line.written_places()

    @property
    def only_reads(self) -> bool:
        return self.line.is_read_only

    @property
    def only_looks(self) -> bool:
        return self.line.is_certain and all(one.kind in _LOOKING for one in self.line.effects)

    @property
    def reason(self) -> str:
        if self.line.is_read_only:
            return ""
        return self.line.verdict.reason or say("why.runs")

    @property
    def profile(self) -> str:  # type: ignore[override]  # here it depends on the line
        return LIMITS if self.line.is_read_only else OPEN


def _answers(argv: tuple[str, ...]) -> bool:
    names = [os.path.basename(argv[0])] if argv else []  # noqa: PTH119
    words = [word for word in argv[1:] if not word.startswith("-")]
    is_module = "-m" in argv and "ankrcode" in words
    return (names == ["ankrcode"] or is_module) and any(word in _ANSWERING for word in words)


def _as_rule(pattern: str) -> Rule:
    """A grant's pattern as a rule: it is held against each part, not against the whole line."""
    return Rule(f"Bash({pattern})", "allow", "Bash", pattern, Anchors("/", "/", "/"))


def command_env(workspace: Workspace, cwd: object = None) -> CommandEnv:
    """Where a command of this agent would run."""
    is_path = isinstance(cwd, str) and cwd and fault_of(cwd) is None
    return CommandEnv(
        roots=workspace.roots,
        cwd=workspace.resolve(str(cwd)) if is_path else workspace.cwd,
        home=workspace.home,
    )
