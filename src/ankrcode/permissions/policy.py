"""What a decision rests on: the mode, the rules, the grants given so far, the capabilities."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from msgspec import Struct

from ankrcode.permissions.rules.rules import NO_RULES, Rule, Ruleset
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.words import say

# From the narrowest to the widest: a further agent gets the narrower of its parent's and its own.
_BY_WIDTH = (Mode.PLAN, Mode.DONT_ASK, Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, Mode.BYPASS)


class Grant(Struct, frozen=True, kw_only=True):
    """Calls of `tool` whose subject fits `pattern` need no further question."""

    tool: str
    pattern: str = "*"

    def covers(self, tool: str, subject: str) -> bool:
        return tool == self.tool and fnmatchcase(subject, self.pattern)


class Policy:
    """One agent's permissions. Only the person widens it; a sub-agent gets a narrowed copy."""

    def __init__(
        self,
        *,
        mode: Mode = Mode.DEFAULT,
        granted: frozenset[Permission] = frozenset(Permission),
        readable: tuple[str, ...] = (),
        rules: Ruleset = NO_RULES,
        plan_file: str = "",
        can_undo: bool = False,
        can_confine: Callable[[], bool] = lambda: False,
    ) -> None:
        self._mode: Mode | None = mode  # None: as the parent's
        self._parent: Policy | None = None
        self.granted = granted
        self.readable = readable  # folders outside the roots that may be read: saved results
        self.rules = rules
        self.plan_file = plan_file  # the one file that may be written in plan mode
        self.can_undo = can_undo  # is a journal attached?
        self.can_confine = can_confine  # does a wall work here? only auto mode asks
        self.grants: list[Grant] = []
        self.approved: set[str] = set()  # calls that may be made again, just as they were
        self.phrases: list[str] = []  # what an approved plan may do: see phrases.py
        self.bounds: tuple[Ruleset, ...] = ()  # of a tool that one names, nothing beyond it runs
        self._lasting = rules

    def narrowed(
        self,
        *,
        mode: Mode | None = None,
        granted: frozenset[Permission] = frozenset(Permission),
        rules: Ruleset = NO_RULES,
    ) -> "Policy":
        """For a further agent: what both allow, never bypass; the plan is the parent's alone."""
        stricter = tuple(rule for rule in rules.rules if rule.kind != "allow")
        child = Policy(
            granted=self.granted & granted,
            readable=self.readable,
            rules=self._lasting + Ruleset(stricter),
            can_undo=self.can_undo,
            can_confine=self.can_confine,
        )
        child._parent, child._mode = self, mode
        child.rules = self.rules + Ruleset(stricter)
        child.grants, child.phrases = list(self.grants), list(self.phrases)
        child.approved = set(self.approved)
        child.bounds = self.bounds
        return child

    def bind(self, rules: Ruleset) -> None:
        """For good: what these deny never runs, and of the tools they permit nothing else does."""
        denials = Ruleset(tuple(rule for rule in rules.rules if rule.kind == "deny"))
        self.rules, self._lasting = self.rules + denials, self._lasting + denials
        permits = Ruleset(tuple(rule for rule in rules.rules if rule.kind == "allow"))
        if permits.rules:
            self.bounds = (*self.bounds, permits)

    @property
    def mode(self) -> Mode:
        """A further agent's is never wider than its parent's at this moment, and never bypass."""
        own, parent = self._mode, self._parent
        if parent is None:
            return own or Mode.DEFAULT
        if own is None:
            return Mode.ACCEPT_EDITS if parent.mode is Mode.BYPASS else parent.mode
        return min(own, parent.mode, Mode.AUTO, key=_BY_WIDTH.index)

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode

    @property
    def is_bound_to_plan(self) -> bool:
        """Is the agent that started this one planning? Then only that one can leave."""
        return self._parent is not None and self._parent.mode is Mode.PLAN

    @property
    def lacks(self) -> str:
        """What auto mode needs and is not there; empty where nothing is missing."""
        if not self.can_undo:
            return say("why.auto_no_journal")
        return "" if self.can_confine() else say("why.auto_no_wall")

    @property
    def accepts_edits(self) -> bool:
        """May files of the workspace be written unasked?"""
        mode = self.mode
        return mode is Mode.ACCEPT_EDITS or (mode is Mode.AUTO and not self.lacks)

    # ── what was allowed on the way ───────────────────────────────────────────────────────────
    def grant(self, tool: str, pattern: str = "*") -> None:
        grant = Grant(tool=tool, pattern=pattern)
        if grant not in self.grants:
            self.grants.append(grant)

    def is_granted(self, tool: str, subject: str, exact: str = "") -> bool:
        return exact in self.approved or any(grant.covers(tool, subject) for grant in self.grants)

    def remember(self, rules: Iterable[Rule]) -> None:
        """These rules count from now on."""
        self.rules += Ruleset(tuple(rule for rule in rules if rule not in self.rules.rules))

    def forget(self) -> None:
        """What was allowed on the way counts no more."""
        self.grants.clear()
        self.approved.clear()
        self.phrases.clear()
        self.rules = self._lasting
