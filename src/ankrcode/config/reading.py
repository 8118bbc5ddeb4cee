"""What one layer says.

Reading never stops at a fault: it keeps what fits and lists what does not. Whether a fault is
fatal is decided where the layers are put together.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from ankrcode.config.document import read_document
from ankrcode.config.faults import short
from ankrcode.config.hooks import fitting_hooks
from ankrcode.config.keys import Key, all_keys, find_key, near_key, sections
from ankrcode.config.limits import MAX_FAULTS
from ankrcode.config.origin import Layer, Origin
from ankrcode.errors import SettingsError

RULE_KINDS = ("deny", "ask", "allow")
_PREFIX = "ANKRCODE_"


class Reading(Struct, frozen=True):
    """The values of one layer that fit, each with its origin, and what is wrong with the rest."""

    layer: Layer
    is_trusted: bool = False  # of a workspace: does the person trust it?
    values: dict[str, tuple[Any, Origin]] = field(default_factory=dict)
    faults: list[SettingsError] = field(default_factory=list)
    warnings: list[SettingsError] = field(default_factory=list)
    held: dict[str, tuple[Any, Origin]] = field(default_factory=dict)  # waits for trust

    def take(self, name: str, value: Any, place: str, *, is_text: bool = False) -> None:
        try:
            key = find_key(name, place)
            is_theirs = self.layer.is_of_workspace and not key.is_for_projects
            if is_theirs and not key.needs_trust:
                raise SettingsError.of("setting_not_here", where=place, key=name)
            kept = self.held if is_theirs and not self.is_trusted else self.values
            kept[name] = (
                self._fitting(key, value, place, is_text=is_text),
                Origin(self.layer, place),
            )
        except SettingsError as problem:
            self.faults.append(problem)

    def _fitting(self, key: Key, value: Any, place: str, *, is_text: bool) -> Any:
        if key.name == "hooks":  # one broken hook does not take the others along
            given = msgspec.to_builtins(key.parse(value, place)) if is_text else value
            table, faults = fitting_hooks(given, place)
            self.faults.extend(faults)
            return table
        return key.parse(value, place) if is_text else key.fit(value, place)


def read_settings_file(path: Path, layer: Layer, *, is_trusted: bool = False) -> Reading:
    reading = Reading(layer, is_trusted)
    try:
        document = read_document(path)
    except SettingsError as problem:
        reading.faults.append(problem)
        return reading
    document.pop("$schema", None)  # it is there for editors
    for parts, value in _leaves(document):
        name = ".".join(parts)
        if any("." in part for part in parts) and len(reading.faults) < MAX_FAULTS:
            reading.faults.append(
                SettingsError.of("setting_not_nested", where=path, key=short(name))
            )
        elif name in all_keys() or len(reading.faults) < MAX_FAULTS:
            reading.take(name, value, str(path))
    return reading


def read_theirs(path: Path, layer: Layer, *, is_trusted: bool = False) -> Reading:
    """The rules and hooks of somebody else's settings file; all else in it is not ours."""
    reading = Reading(layer, is_trusted)
    try:
        document = read_document(path)
    except SettingsError as problem:
        reading.faults.append(problem)
        return reading
    permissions = document.get("permissions")
    if isinstance(permissions, dict):
        for kind in RULE_KINDS:
            if permissions.get(kind):
                reading.take(f"permissions.{kind}", permissions[kind], str(path))
    if document.get("hooks") and document.get("disableAllHooks") is not True:
        reading.take("hooks", document["hooks"], str(path))
    return reading


def read_environment(environ: Mapping[str, str]) -> Reading:
    """The variables that name a setting; an empty one is as good as none.

    A name with two underscores in it can only be meant as a setting. Others may be somebody
    else's (a session id, a build argument) and are worth a warning only if they look like ours.
    """
    reading = Reading(Layer.ENVIRONMENT)
    for variable, text in environ.items():
        if not variable.startswith(_PREFIX) or not text:
            continue
        name = variable.removeprefix(_PREFIX).lower().replace("__", ".")
        if name in all_keys() or name in sections() or "." in name:
            reading.take(name, text, variable, is_text=True)
        elif near := near_key(name):
            meant = all_keys()[near].variable
            reading.warnings.append(SettingsError.of("variable_unknown", key=variable, near=meant))
    return reading


def read_command_line(assignments: Sequence[str]) -> Reading:
    """The values of `--set key=value`; the last one of a key counts."""
    reading = Reading(Layer.COMMAND_LINE)
    for assignment in assignments:
        name, has_value, text = assignment.partition("=")
        if has_value:
            reading.take(name.strip(), text, "--set", is_text=True)
        else:
            reading.faults.append(SettingsError.of("setting_no_value", text=short(assignment)))
    return reading


def _leaves(
    document: dict[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Names and values; only what is a section by our own list is entered, so depth is bounded."""
    for name, value in document.items():
        parts = (*above, name)
        if isinstance(value, dict) and ".".join(parts) in sections():
            yield from _leaves(value, parts)
        else:
            yield parts, value
