"""What a decision rests on: the mode, the rules, the grants given so far, the capabilities."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from weakref import WeakSet

from msgspec import Struct

from ankrcode.permissions.rules.rules import NO_RULES, Rule, Ruleset
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.words import say

Moved = Callable[[Ruleset], Ruleset]
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
        self._below: WeakSet[Policy] = WeakSet()
        self._granted = granted
        self.readable = readable  # folders outside the roots that may be read: saved results
        self._rules = self._lasting = rules  # its own; what was said on the way does not last
        self._taken = _Taken()
        self.plan_file = plan_file  # the one file that may be written in plan mode
        self.can_undo = can_undo  # is a journal attached?
        self.can_confine = can_confine  # does a wall work here? only auto mode asks
        self.grants: list[Grant] = []
        self.approved: set[str] = set()  # calls that may be made again, just as they were
        self.phrases: list[str] = []  # what an approved plan may do: see phrases.py
        self._bounds: tuple[Ruleset, ...] = ()

    def narrowed(
        self,
        *,
        mode: Mode | None = None,
        granted: frozenset[Permission] = frozenset(Permission),
        rules: Ruleset = NO_RULES,
        moved: Moved | None = None,
    ) -> "Policy":
        """For a further agent: what both allow, never bypass; the plan is the parent's alone.

        `moved`: how rules about paths read where that one works, if that is somewhere else.
        """
        child = Policy(
            granted=granted,
            readable=self.readable,
            rules=_stricter(rules),
            can_undo=self.can_undo,
            can_confine=self.can_confine,
        )
        child._parent, child._mode = self, mode
        child._taken = _Taken(self.rules, self._lasting_rules, moved)
        child.grants, child.phrases = list(self.grants), list(self.phrases)
        child.approved = set(self.approved)
        self._below.add(child)
        return child

    def bind(self, rules: Ruleset) -> None:
        """For good: what these deny never runs, and of the tools they permit nothing else does."""
        denials = Ruleset(tuple(rule for rule in rules.rules if rule.kind == "deny"))
        self._rules, self._lasting = self._rules + denials, self._lasting + denials
        permits = Ruleset(tuple(rule for rule in rules.rules if rule.kind == "allow"))
        if permits.rules:
            self._bounds = (*self._bounds, permits)

    # ── what holds now: never more than the parent's at this moment ───────────────────────
    @property
    def rules(self) -> Ruleset:
        if self._parent is None:
            return self._rules
        return self._taken.beside(self._rules, self._parent.rules)

    @rules.setter
    def rules(self, rules: Ruleset) -> None:
        self._rules, self._taken = rules, _Taken(moved=self._taken.moved)

    @property
    def _lasting_rules(self) -> Ruleset:
        return self._lasting if self._parent is None else self._taken.lasting + self._lasting

    @property
    def granted(self) -> frozenset[Permission]:
        return self._granted if self._parent is None else self._granted & self._parent.granted

    @granted.setter
    def granted(self, granted: frozenset[Permission]) -> None:
        self._granted = granted

    @property
    def bounds(self) -> tuple[Ruleset, ...]:
        """Of a tool that one of them names, nothing beyond it runs."""
        return self._bounds if self._parent is None else (*self._parent.bounds, *self._bounds)

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
        self._rules += Ruleset(tuple(rule for rule in rules if rule not in self.rules.rules))

    def forget(self) -> None:
        """What was allowed on the way counts no more, for those below neither."""
        self.grants.clear()
        self.approved.clear()
        self.phrases.clear()
        self._rules, self._taken = self._lasting, self._taken.forgotten()
        for child in self._below:
            child.forget()


class _Taken:
    """The rules that a further agent took over from its parent when it began.

    What the parent denies or asks about since then counts as well, what it no longer allows is
    allowed no more, and what it allows since then is its own.
    """

    def __init__(
        self, rules: Ruleset = NO_RULES, lasting: Ruleset = NO_RULES, moved: Moved | None = None
    ) -> None:
        self._rules = rules
        self.lasting = lasting
        self.moved = moved
        self._seen: tuple[Ruleset, Ruleset] | None = None
        self._found = NO_RULES

    def beside(self, own: Ruleset, parents: Ruleset) -> Ruleset:
        """All that counts; put together anew only where one of both has changed."""
        seen = self._seen
        if seen is None or seen[0] is not own or seen[1] is not parents:
            self._seen, self._found = (own, parents), self._together(own, parents)
        return self._found

    def _together(self, own: Ruleset, parents: Ruleset) -> Ruleset:
        taken = self._rules.rules
        if taken == parents.rules:
            later: Ruleset = NO_RULES
        else:
            taken = tuple(one for one in taken if one.kind != "allow" or one in parents.rules)
            later = _stricter(Ruleset(tuple(one for one in parents.rules if one not in taken)))
        known = Ruleset(taken) + later
        there = self.moved(known) if self.moved is not None else NO_RULES
        return known + _stricter(there) + own

    def forgotten(self) -> "_Taken":
        return _Taken(self.lasting, self.lasting, self.moved)


def _stricter(rules: Ruleset) -> Ruleset:
    """Without permissions."""
    return Ruleset(tuple(rule for rule in rules.rules if rule.kind != "allow"))
