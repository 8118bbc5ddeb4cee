"""Rules in the syntax people already have: `Tool` or `Tool(what)`.

    Bash(npm run test:*)      Bash(git * main)        Read(./src/**)      Edit(/docs/**)
    Read(~/.zshrc)            Read(//etc/hosts)       Task(Explore)       mcp__server__*
    WebFetch(domain:example.com)

A rule that cannot be read is an error that names it, never one that is quietly left out.
"""

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ankrcode.permissions.rules.path_patterns import Anchors, BadPattern, path_pattern
from ankrcode.permissions.rules.wildcards import glob_fits

Kind = Literal["allow", "ask", "deny"]

READERS = frozenset(("Read", "Grep", "Glob", "List", "LS", "NotebookRead"))
WRITERS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "ApplyPatch", "Delete", "Move"))
_ALIASES = ({"Task", "Agent"}, {"List", "LS"}, {"Edit", "MultiEdit"})
# Patterns are text here: each is compiled by its first use, not by every start.
_SHAPE = r"(?s)(?P<tool>[A-Za-z*][\w.*-]*)(?:\((?P<what>.*)\))?\Z"
_NOT_SHOWN = r"[\x00-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]"
_ANYTHING = ("", "*", "**")


class BrokenRule(ValueError):
    """Names the rule and says what is wrong with it."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind = kind


class Rule(Struct, frozen=True):
    """One rule as written, and where its paths count from."""

    text: str
    kind: Kind
    tool: str
    what: str  # empty: every call of the tool
    anchors: Anchors
    source: str = ""

    def names(self, tool: str) -> bool:
        """Does it speak about this tool? `Edit` means all that writes, `Read` all that reads."""
        if self.tool == tool or any(self.tool in pair and tool in pair for pair in _ALIASES):
            return True
        if "*" in self.tool or self.tool.startswith("mcp__"):
            return _names_by_pattern(self.tool, tool)
        if tool in WRITERS:
            means_all = ("Edit",) if self.kind == "allow" else ("Edit", "Write", "Read")
            return self.tool in means_all
        return tool in READERS and self.tool == "Read"

    @property
    def is_for_all(self) -> bool:
        """Every call of the tool? `Read(*)` as a permission means only what lies below."""
        return not self.what or (
            self.what in _ANYTHING and (self.kind != "allow" or not self.is_about_paths)
        )

    @property
    def is_about_paths(self) -> bool:
        return self.tool in READERS or self.tool in WRITERS

    def fits_path(self, path: str) -> bool:
        """By link and by target, one at a time; denials do not mind the case of letters."""
        if self.is_for_all:
            return True
        pattern = path_pattern(self.what, self.anchors, ignore_case=self.kind != "allow")
        return pattern.fits(path)


class Ruleset(Struct, frozen=True):
    """All rules that count, of all layers."""

    rules: tuple[Rule, ...] = ()

    def about(self, kind: Kind, tool: str) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.kind == kind and rule.names(tool))

    def __add__(self, other: "Ruleset") -> "Ruleset":
        return Ruleset((*self.rules, *other.rules))


NO_RULES = Ruleset()


def parse_rule(text: object, kind: Kind, anchors: Anchors, source: str = "") -> Rule:
    """Raises `BrokenRule`."""
    if not isinstance(text, str):
        raise BrokenRule(f"{text!r} is not a rule: a rule is a text", kind)
    shape = re.match(_SHAPE, text.strip())
    if shape is None or re.search(_NOT_SHOWN, text):
        raise BrokenRule(f"'{text}' is not a rule: write Tool or Tool(what)", kind)
    tool, what = shape["tool"], shape["what"]
    rule = Rule(text.strip(), kind, tool, (what or "").strip(), anchors, source)
    why = _fault_of(rule, has_what=what is not None)
    if why:
        raise BrokenRule(f"'{text}' is not a rule: {why}", kind)
    return rule


def parse_rules(
    lists: Iterable[tuple[Kind, Iterable[object]]], anchors: Anchors, source: str = ""
) -> tuple[Ruleset, list[BrokenRule]]:
    """The rules that can be read, and an error for each that cannot."""
    rules: list[Rule] = []
    faults: list[BrokenRule] = []
    for kind, texts in lists:
        for text in texts:
            try:
                rules.append(parse_rule(text, kind, anchors, source))
            except BrokenRule as problem:
                faults.append(problem)
    return Ruleset(tuple(rules)), faults


def _names_by_pattern(pattern: str, tool: str) -> bool:
    if "*" in pattern:
        return glob_fits(pattern, tool)
    is_server = pattern.count("__") == 1  # mcp__server: all of its tools
    return is_server and tool.startswith(pattern + "__")


def _fault_of(rule: Rule, *, has_what: bool) -> str:
    if has_what and not rule.what:
        return "nothing stands between the brackets"
    if "*" in rule.tool and rule.kind == "allow" and not re.match(r"mcp__[^*]+__", rule.tool):
        return "a permission must name its tool, or mcp__SERVER__*"
    if rule.tool.startswith("mcp__") and rule.what:
        return "the tools of a server take no brackets"
    if rule.is_about_paths and rule.what:
        try:
            path_pattern(rule.what, rule.anchors, ignore_case=False)
        except BadPattern as problem:
            return str(problem)
    if rule.tool == "WebFetch" and has_what and not _is_domain(rule.what):
        return "write WebFetch(domain:HOST)"
    if ":*" in rule.what[:-2] and rule.tool == "Bash":
        return ":* stands only at the end"
    return ""


def _is_domain(what: str) -> bool:
    from ankrcode.permissions.urls import parse_entry  # only a rule about the web pays for it

    if what in _ANYTHING:
        return True
    return what.startswith("domain:") and parse_entry(what.removeprefix("domain:")) is not None
