"""What is known to go wrong before a task begins, said on standard error: nobody should pay to
find out."""

import sys
from collections.abc import Iterable

from ankrcode.permissions.rules.rules import Rule, Ruleset
from ankrcode.providers.capabilities import Needs, lacks
from ankrcode.providers.known_models import known_model
from ankrcode.providers.naming import MADE_HERE
from ankrcode.providers.table import find_provider
from ankrcode.providers.wire import Model
from ankrcode.words import say


def warn_if_unpriced(model: str) -> None:
    """A limit in money means nothing for a model whose price nobody knows."""
    provider = model.partition("/")[0]
    row, facts = find_provider(provider), known_model(model)
    costs_nothing = provider in MADE_HERE or facts.is_free or (row is not None and row.is_local)
    if facts.prices is None and not costs_nothing:
        _warn(say("budget_unpriced", model=model))


def warn_if_blind(model: Model) -> None:
    """Pictures for a model that cannot see them, with no other behind it that can."""
    candidates = getattr(model, "candidates", ())
    if candidates and all(lacks(one.facts, 0, Needs(vision=True)) for one in candidates):
        _warn(say("model_lacks.vision", model=model.name))


def warn_if_misnamed(rules: Ruleset, tools: Iterable[str]) -> None:
    """`bash` for `Bash`: what was meant to be forbidden would run. Tools of others stay unsaid."""
    names = list(tools)
    for rule in rules.rules:
        if not _is_known(rule, names) and (near := _nearest(rule.tool, names)):
            _warn(say("rule_misnamed", rule=rule.text, where=rule.source, near=near))


def _nearest(tool: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches  # slow to load: only who is wrong pays for it

    alike = {name.lower(): name for name in names if name[:1].lower() == tool[:1].lower()}
    return "".join(alike[one] for one in get_close_matches(tool.lower(), alike, n=1, cutoff=0.8))


def _is_known(rule: Rule, names: Iterable[str]) -> bool:
    return rule.is_about_paths or any(rule.names(name) for name in names)


def _warn(said: str) -> None:
    print(f"ankrcode: warning: {said}", file=sys.stderr)
