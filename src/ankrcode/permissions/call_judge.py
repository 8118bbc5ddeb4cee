"""One call before the policy, step by step.

In this order: what is blocked for good, what lies beyond an agent's own bounds, deny rules, ask
rules, the plan itself in plan mode, protected names, allow rules and grants, what only reads, and
at last the mode. Whatever cannot be understood ends in a question, never in a yes.
"""

from functools import cached_property

from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.paths import guarded_by, walk_to
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.rules import Kind, Rule
from ankrcode.permissions.verdicts import ALLOWED, Authority, Decision, Verdict
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.protocol.permission import Mode
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace, is_inside

_PLAN_WRITERS = frozenset(("Write", "Edit", "MultiEdit", "ApplyPatch"))


class CallJudge:
    """For every tool but those that run a command line."""

    def __init__(self, call: CallFacts, policy: Policy, workspace: Workspace) -> None:
        self.call = call
        self.policy = policy
        self.workspace = workspace

    def verdict(self) -> Verdict:
        found = self.blocked() or self._beyond()
        if found is None and self.policy.rules.rules:
            found = self._denied() or self._asked()
        if found is None:
            found = self._planned() or self._protected() or self._allowed()
        return found if found is not None else self._by_mode()

    # ── the steps ─────────────────────────────────────────────────────────────────────────────
    def blocked(self) -> Verdict | None:
        return None

    def _beyond(self) -> Verdict | None:
        """A further agent may have been given a part of a tool only: `Bash(git:*)`."""
        for bound in self.policy.bounds:
            rules = bound.about("allow", self.call.tool)
            if rules and not self.is_within(rules):
                texts = ", ".join(rule.text for rule in rules)
                reason = say("why.beyond", tool=self.call.tool, rules=texts)
                return Verdict(decision=Decision.DENY, reason=reason, rule=texts, is_firm=True)
        return None

    def is_within(self, rules: tuple[Rule, ...]) -> bool:
        return any(rule.is_for_all for rule in rules) or self.permission(rules) is not None

    def _denied(self) -> Verdict | None:
        rule = self.hit("deny")
        if rule is None:
            return None
        reason = say("why.rule_denies", rule=rule.text)
        return Verdict(decision=Decision.DENY, reason=reason, rule=rule.text, is_firm=True)

    def _asked(self) -> Verdict | None:
        rule = self.hit("ask")
        return None if rule is None else self.question(say("why.rule_asks", rule=rule.text), rule)

    def _planned(self) -> Verdict | None:
        """In plan mode the plan may be written: that file, and by the tools that write files."""
        acts, plan = self.call.acts, self.policy.plan_file
        if self.policy.mode is not Mode.PLAN or not plan or self.call.tool not in _PLAN_WRITERS:
            return None
        if acts.runs or acts.connects or EVERYTHING in acts.writes or not acts.writes_files:
            return None
        folder, _, name = plan.rpartition("/")
        place = f"{walk_to(folder).real_path.rstrip('/')}/{name}"  # a link there is not the plan
        if any(walk_to(one).real_path != place for one in self._places):
            return None
        return Verdict(decision=Decision.ALLOW, by="plan")

    def _protected(self) -> Verdict | None:
        """Names that other programs obey are asked about in every mode."""
        roots = self.workspace.roots
        for place in self.written:
            name = guarded_by(place, roots, is_written=True)
            if name:
                return self.question(say("path.protected", name=name), is_firm=True)
        return self.guarded()

    def guarded(self) -> Verdict | None:
        return None

    def _allowed(self) -> Verdict | None:
        if self.policy.mode is Mode.PLAN and not self.only_reads:
            return None  # a plan changes nothing, whatever was allowed before
        policy = self.policy
        if (policy.grants or policy.phrases or policy.approved) and self.granted():
            return self.yes("grant")
        rules = self.policy.rules.about("allow", self.call.tool) if self.policy.rules.rules else ()
        rule = self.permission(rules) if rules else None
        return None if rule is None else self.yes("rule", rule)

    def _by_mode(self) -> Verdict:
        mode = self.policy.mode
        if mode is Mode.BYPASS:
            return self.yes("mode")
        reason = self.reason
        if not reason:
            return self.yes("")
        if mode is not Mode.AUTO:
            return self.question(reason)
        if lack := self.policy.lacks:
            return self.question(f"{reason}; {lack}", note=lack)
        return self.confined(reason)

    def confined(self, reason: str) -> Verdict:
        """What auto mode makes of it: a tool that runs no command cannot be confined."""
        return self.question(reason)

    # ── rules ─────────────────────────────────────────────────────────────────────────────────
    def hit(self, kind: Kind) -> Rule | None:
        """The first rule of this kind that any place of the call fits."""
        rules = self.policy.rules.about(kind, self.call.tool)
        return next((rule for rule in rules if self._fits(rule)), None)

    def granted(self) -> bool:
        return self.policy.is_granted(self.call.tool, self.call.subject, self.call.exact)

    def permission(self, rules: tuple[Rule, ...]) -> Rule | None:
        """A rule that allows the call: for files, every place must be allowed, link and target."""
        if not (self.call.is_reader or self.call.is_writer):
            return next((rule for rule in rules if self._fits(rule)), None)
        found = [permission_for(place, rules) for place in self._places]
        return found[0] if found and all(found) else None

    def _fits(self, rule: Rule) -> bool:
        if rule.is_for_all:
            return True
        if rule.is_about_paths:
            return any(rule.fits_path(place) for place in self._places)
        from ankrcode.permissions.rules.argument_rules import fits  # only such a rule pays for it

        return fits(rule, self.call)

    # ── what is known about the call ──────────────────────────────────────────────────────────
    @cached_property
    def _places(self) -> list[str]:
        return self.call.places(self.workspace)

    @property
    def written(self) -> list[str]:
        if not self.call.acts.writes:
            return []
        return [*self.call.acts.writes_files, *(self._places if self.call.is_writer else ())]

    @property
    def only_reads(self) -> bool:
        return self.call.acts.changes_nothing

    @property
    def only_looks(self) -> bool:
        """It changes nothing and runs nothing, though perhaps it looks where it should ask."""
        return not self.call.acts.writes and not self.call.acts.runs

    @property
    def reason(self) -> str:
        """Why this is more than the mode allows; empty where it is not."""
        acts = self.call.acts
        if EVERYTHING in acts.writes:
            return say("why.unknown")
        if acts.runs and not acts.confined:
            return say("why.runs")
        if acts.connects:
            return say("why.connects", hosts=", ".join(acts.connects))
        written = acts.writes_files
        if written and not (self.policy.accepts_edits and all(map(self._is_inside, written))):
            return say("why.writes", paths=", ".join(written))
        outside = [path for path in acts.reads_files if not self._may_read(path)]
        return say("why.read_outside", paths=", ".join(outside)) if outside else ""

    def _is_inside(self, path: str) -> bool:
        return self.workspace.contains(path)

    def _may_read(self, path: str) -> bool:
        is_readable = any(is_inside(path, folder) for folder in self.policy.readable)
        return is_readable or self._is_inside(path)

    # ── answers ───────────────────────────────────────────────────────────────────────────────
    profile = ""  # how a call that may run is run

    def yes(self, by: Authority, rule: Rule | None = None) -> Verdict:
        if not by and not self.profile:
            return ALLOWED
        text = rule.text if rule else ""
        return Verdict(decision=Decision.ALLOW, rule=text, by=by, profile=self.profile)

    def question(
        self, reason: str, rule: Rule | None = None, *, is_firm: bool = False, note: str = ""
    ) -> Verdict:
        """Ask, or where nobody may be asked, refuse. A plan may be asked where to look."""
        mode = self.policy.mode
        is_silent = mode is Mode.DONT_ASK or (mode is Mode.PLAN and not self.only_looks)
        return Verdict(
            decision=Decision.DENY if is_silent else Decision.ASK,
            reason=reason,
            rule=rule.text if rule else "",
            is_firm=is_firm,
            profile=self.profile,
            note=note,
        )


def permission_for(place: str, rules: tuple[Rule, ...]) -> Rule | None:
    return next((rule for rule in rules if rule.fits_path(place)), None)
