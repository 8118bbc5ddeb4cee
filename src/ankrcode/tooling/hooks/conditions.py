"""The `if` of a hook: a permission rule that says which calls it is about."""

from typing import Any

from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.decide import decide
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import BrokenRule, Ruleset, parse_rule
from ankrcode.workspace.roots import Workspace


def fits(condition: str, tool: str, arguments: Any, workspace: Workspace) -> bool:
    """As a deny rule would: any part of a command, link or target. Broken means yes."""
    anchors = Anchors(workspace.root, workspace.cwd, workspace.home)
    try:
        rule = parse_rule(condition, "deny", anchors)
    except BrokenRule:
        return True
    given = arguments if isinstance(arguments, dict) else {}
    policy = Policy(rules=Ruleset((rule,)))
    return decide(facts_of(tool, given, workspace), policy, workspace).rule == rule.text
