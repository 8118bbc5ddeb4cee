"""Parts of tools: in a list of an agent's tools `Bash(git:*)` is git, and nothing else of Bash.

What stands in brackets is a rule as in the settings. It grants nothing: a call within it is judged
like any other, and one beyond it is refused, whoever might have said yes.
"""

from collections.abc import Iterable

from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.rules.argument_rules import fits
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Ruleset, parse_rule
from ankrcode.protocol.acts import NOTHING
from ankrcode.workspace.roots import Workspace

# What files for other agents call them.
_ELSEWHERE = {
    "Agent": "Task",
    "BashOutput": "TaskOutput",
    "KillBash": "KillShell",
    "LS": "List",
    "MultiEdit": "Edit",
}
_NOWHERE = Anchors("/", "/", "/")
_HOLDING: tuple[Kind, ...] = ("deny", "ask")


def spread(items: Iterable[str]) -> tuple[str, ...]:
    """One to each: `Read Grep` is two tools, and `Task(explore, plan)` names two types. Taken as
    one name it would mean nothing, and what it should forbid would be allowed."""
    found: list[str] = []
    for item in items:
        name, bracket, types = item.partition("(")
        if not bracket:
            found += item.split()
        elif _ELSEWHERE.get(name.strip(), name.strip()) == "Task" and types.endswith(")"):
            found += [f"{name}({one.strip()})" for one in types[:-1].split(",")]
        else:
            found.append(item)
    return tuple(found)


def names_of(items: Iterable[str]) -> tuple[str, ...]:
    """The tools that a list is about, each once and by the name it has here."""
    names = (item.partition("(")[0].strip() for item in items)
    return tuple(dict.fromkeys(_ELSEWHERE.get(name, name) for name in names))


def parts_in(items: Iterable[str], kind: Kind) -> tuple[str, ...]:
    """Those that name a part of a tool. Raises `ValueError` if the list cannot be read as rules."""
    listed = tuple(items)
    parts = tuple(item for item in listed if "(" in item)
    for item in listed if parts else ():
        parse_rule(item, kind, _NOWHERE)
    return parts


def rule_under(names: Iterable[str], written: str, rules: Ruleset) -> tuple[str, str]:
    """A rule that denies or asks about one of these types, and the name it has there; empty where
    none does. Under the name that was written the call has been judged already."""
    ruled = [one for kind in _HOLDING for one in rules.about(kind, "Task") if one.what]
    for rule, name in ((rule, name) for rule in ruled for name in names):
        facts = CallFacts(tool="Task", arguments={"subagent_type": name}, acts=NOTHING)
        if name != written and fits(rule, facts):
            return rule.text, name
    return "", ""


def rules_in(items: Iterable[str], kind: Kind, workspace: Workspace) -> Ruleset:
    """The list as rules of this place: `/x` is from its root."""
    anchors = Anchors(workspace.root, workspace.cwd, workspace.home)
    return Ruleset(tuple(parse_rule(item, kind, anchors, "agent") for item in items))
