"""Hooks as settings: event → groups of commands, each group for the tools its matcher names.

The shape is the one that people have in their files already. What does not fit is left out and
named; the rest counts.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from ankrcode.config.faults import short, shown
from ankrcode.config.limits import MAX_FAULTS
from ankrcode.errors import SettingsError

_PLAIN = r"(?a)[\w\-|, ]*"  # names, perhaps several; all else is a pattern


class HookCommand(Struct, frozen=True, kw_only=True):
    """One command. Another `type` is kept too, so that it can be said that it does not run."""

    type: str = "command"
    command: str = ""
    timeout: Annotated[float, Meta(gt=0, le=86_400)] | None = None  # seconds
    condition: str | None = field(default=None, name="if")  # a rule: `Bash(rm *)`
    is_async: bool = field(default=False, name="async")  # nobody waits for its answer
    once: bool = False  # in each session


class HookGroup(Struct, frozen=True, kw_only=True):
    """Commands for whatever the matcher names: tools, or the cause of an event."""

    matcher: Annotated[str, Meta(max_length=1_000)] | None = None  # a long one is slow to read
    hooks: list[HookCommand] = []

    def matches(self, subject: str) -> bool:
        """Names by `|` or a comma are exact; anything else is a pattern, found anywhere."""
        matcher = (self.matcher or "").strip()
        if matcher in ("", "*"):
            return True
        if re.fullmatch(_PLAIN, matcher):
            return subject in (name.strip() for name in re.split(r"[|,]", matcher))
        return re.search(matcher, subject) is not None


HookTable = dict[str, list[HookGroup]]


def fitting_hooks(value: Any, place: str) -> tuple[HookTable, list[SettingsError]]:
    """What of a `hooks` block can be used, and what is wrong with the rest."""
    faults: list[SettingsError] = []
    table: HookTable = {}
    if not isinstance(value, dict):
        return {}, [_fault(place, "hooks", value)]
    for event, groups in value.items():
        key = f"hooks.{short(str(event))}"
        if not isinstance(groups, list):
            faults.append(_fault(place, key, groups))
            continue
        fitting = [_group(one, f"{key}[{at}]", place, faults) for at, one in enumerate(groups)]
        if kept := [group for group in fitting if group is not None]:
            table[str(event)] = kept
    return table, faults[:MAX_FAULTS]


def _group(value: Any, key: str, place: str, faults: list[SettingsError]) -> HookGroup | None:
    try:
        group = msgspec.convert(value, HookGroup)
        re.compile(group.matcher or "", re.ASCII) if group.matcher != "*" else None
    except msgspec.ValidationError as problem:
        faults.append(SettingsError.of("hook_wrong", where=place, key=key, why=problem))
    except (re.error, RecursionError, OverflowError) as problem:
        why = f"matcher '{short(str(value['matcher']))}': {problem}"
        faults.append(SettingsError.of("hook_wrong", where=place, key=key, why=why))
    else:
        return group
    return None


def _fault(place: str, key: str, value: Any) -> SettingsError:
    return SettingsError.of("hook_wrong", where=place, key=key, why=shown(value))


def joined(tables: Iterable[HookTable]) -> HookTable:
    """The hooks of all layers: none replaces another."""
    table: HookTable = {}
    for one in tables:
        for event, groups in one.items():
            table[event] = [*table.get(event, []), *groups]
    return table
