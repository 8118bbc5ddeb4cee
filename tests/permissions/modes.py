"""Calls before a policy, for tests about modes: the workspace, the policy and the question."""

from pathlib import Path
from typing import Any

from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.decide import Verdict, decide
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Kind, Ruleset, parse_rule
from ankrcode.protocol.permission import Mode
from ankrcode.workspace.roots import Workspace


class Desk:
    """One folder, one policy, and verdicts on what is laid before it."""

    def __init__(self, folder: Path, mode: Mode = Mode.DEFAULT, **lists: list[str]) -> None:
        self.workspace = Workspace([folder], home=str(folder.parent / "home"))
        self.anchors = Anchors(self.workspace.root, self.workspace.cwd, self.workspace.home)
        self.policy = Policy(
            mode=mode, rules=self.rules(**lists), can_undo=True, can_confine=lambda: True
        )

    def rules(self, **lists: list[str]) -> Ruleset:
        kinds: dict[str, Kind] = {"allow": "allow", "ask": "ask", "deny": "deny"}
        return Ruleset(
            tuple(
                parse_rule(text, kinds[kind], self.anchors)
                for kind, texts in lists.items()
                for text in texts
            )
        )

    def judge(self, tool: str, arguments: dict[str, Any] | None = None) -> Verdict:
        facts = facts_of(tool, arguments or {}, self.workspace)
        return decide(facts, self.policy, self.workspace)

    def command(self, text: str, **more: Any) -> Verdict:
        return self.judge("Bash", {"command": text, **more})
