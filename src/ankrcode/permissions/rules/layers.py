"""The rules of all layers as one set: each counts from the place where it was written.

    project, local   /x is from the root of the project
    user, managed …  /x is from the folder of the settings file

Allow rules of a project do not count before the person trusts it; `config` leaves them out.
"""

import os
from collections.abc import Iterable, Sequence

from ankrcode.config.loaded import RuleList
from ankrcode.config.settings import PermissionSettings
from ankrcode.errors import SettingsError
from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import BrokenRule, Kind, Rule, Ruleset, parse_rule
from ankrcode.workspace.roots import Workspace

_KINDS: dict[str, Kind] = {"deny": "deny", "ask": "ask", "allow": "allow"}


def rules_of_layers(
    lists: Iterable[RuleList], workspace: Workspace
) -> tuple[Ruleset, list[SettingsError]]:
    """All rules, and a warning for each of the workspace's own that is broken.

    A broken rule of the person or the machine is an error: they rely on it.
    """
    rules: list[Rule] = []
    warnings: list[SettingsError] = []
    for one in lists:
        of_workspace = one.origin.layer.is_of_workspace
        folder = os.path.dirname(one.origin.place)  # noqa: PTH120
        root = workspace.root if of_workspace or not folder.startswith("/") else folder
        for text in one.texts:
            try:
                rules.append(_parsed(text, one.kind, root, workspace, one.origin.place))
            except SettingsError as problem:
                if not of_workspace:
                    raise
                warnings.append(problem)
    return Ruleset(tuple(rules)), warnings


def rules_of_settings(
    settings: PermissionSettings, workspace: Workspace, place: str = "settings"
) -> Ruleset:
    """The same for settings that were made in a program: there `/x` is from the root."""
    lists: dict[str, Sequence[str]] = {
        "deny": settings.deny,
        "ask": settings.ask,
        "allow": settings.allow,
    }
    return Ruleset(
        tuple(
            _parsed(text, kind, workspace.root, workspace, place)
            for kind, texts in lists.items()
            for text in texts
        )
    )


def _parsed(text: str, kind: str, root: str, workspace: Workspace, place: str) -> Rule:
    anchors = Anchors(root, workspace.cwd, os.path.realpath(workspace.home))
    try:
        return parse_rule(text, _KINDS[kind], anchors, place)
    except BrokenRule as problem:
        raise SettingsError.of("rule_broken", where=place, why=problem) from None
