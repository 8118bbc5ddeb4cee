"""The same rules for a copy of a folder: what must not be touched here must not be there."""

from collections.abc import Iterator

from msgspec.structs import replace

from ankrcode.permissions.rules.path_patterns import Anchors
from ankrcode.permissions.rules.rules import Rule, Ruleset


def moved(rules: Ruleset, old: str, new: str) -> Ruleset:
    """Those that deny or ask about paths below `old`, as they read below `new`."""
    return Ruleset(tuple(one for rule in rules.rules for one in _moved(rule, old, new)))


def _moved(rule: Rule, old: str, new: str) -> Iterator[Rule]:
    if rule.kind == "allow" or not rule.is_about_paths or not rule.what:
        return
    anchors, what = rule.anchors, rule.what
    if what.startswith(("//", "~/")):
        place = what[1:] if what[0] == "/" else f"{anchors.home}{what[1:]}"
        if place.startswith(f"{old}/"):
            yield replace(rule, what=f"/{new}{place[len(old) :]}")
        return
    there = Anchors(_below(anchors.root, old, new), _below(anchors.cwd, old, new), anchors.home)
    if there != anchors:
        yield replace(rule, anchors=there)


def _below(path: str, old: str, new: str) -> str:
    is_there = path == old or path.startswith(f"{old}/")
    return f"{new}{path[len(old) :]}" if is_there else path
