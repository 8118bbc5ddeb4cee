"""All layers put together: one value for each setting, and where it came from.

Weakest first: defaults, user, project, local, environment, command line, managed. A mistake of
the person or the machine stops the start with an error; a mistake in the files of a workspace,
which may be a hostile or broken checkout, is only a warning, and the value is ignored.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.config.hooks import joined
from ankrcode.config.keys import Key, all_keys, find_key
from ankrcode.config.models import ProviderSettings
from ankrcode.config.origin import Layer, Origin
from ankrcode.config.paths import (
    MANAGED_FILE,
    config_file,
    home_folder,
    local_file,
    project_file,
)
from ankrcode.config.reading import (
    RULE_KINDS,
    Reading,
    read_command_line,
    read_environment,
    read_settings_file,
    read_theirs,
)
from ankrcode.config.settings import Settings
from ankrcode.config.trust import Trust, TrustStore
from ankrcode.errors import SettingsError

_PROVIDERS = "providers"


class RuleList(Struct, frozen=True):
    """The rules of one kind in one place."""

    kind: str  # allow, ask or deny
    texts: tuple[str, ...]
    origin: Origin


class LoadedSettings(Struct, frozen=True):
    """The settings of this run, each value with its origin."""

    settings: Settings
    origins: Mapping[str, Origin]
    warnings: tuple[SettingsError, ...] = ()
    rules: tuple[RuleList, ...] = ()  # of all layers: no list of rules replaces another
    trust: Trust = Trust(folder="")
    held: Mapping[str, tuple[str, ...]] = {}  # what waits for trust, and where it stands
    of_workspace: tuple[Reading, ...] = ()  # what the folder's own files say

    def origin(self, key: str) -> Origin:
        """Where the value of `key` came from."""
        name = find_key(key, "ankrcode").name
        whole = self.origins.get(name.partition(".")[0])  # of a provider: where all of them stand
        return self.origins.get(name) or whole or Origin(Layer.DEFAULT)

    def value(self, key: str) -> Any:
        value: Any = self.settings
        for part in find_key(key, "ankrcode").name.split("."):
            is_table = isinstance(value, dict)
            value = value.get(part, ProviderSettings()) if is_table else getattr(value, part)
        return value

    def entries(self) -> Iterator[tuple[Key, Any, Origin]]:
        """Every setting with its value and origin."""
        for name, key in all_keys().items():
            yield key, self.value(name), self.origin(name)


def load_settings(
    root: Path,
    *,
    environ: Mapping[str, str],
    command_line: Sequence[str] = (),
    managed: Path = MANAGED_FILE,
) -> LoadedSettings:
    """Read every layer for the workspace at `root`."""
    trust = TrustStore.of(environ).judge(root)
    readings = [
        read_settings_file(config_file(environ), Layer.USER),
        read_settings_file(project_file(root), Layer.PROJECT, is_trusted=trust.is_trusted),
        read_settings_file(local_file(root), Layer.LOCAL, is_trusted=trust.is_trusted),
        read_environment(environ),
        read_command_line(command_line),
        read_settings_file(managed, Layer.MANAGED),
    ]
    theirs = _borrowed(root, environ, is_trusted=trust.is_trusted)
    warnings = [warning for reading in readings for warning in _judge(reading)]
    warnings += _overruled(asked=readings[-2], managed=readings[-1])
    warnings += [one for reading in theirs for one in _judge_theirs(reading)]
    merged = _merged(readings)
    every = [*theirs, *readings]
    hooks = [reading.values["hooks"] for reading in every if "hooks" in reading.values]
    if hooks:
        merged["hooks"] = (joined(table for table, _ in hooks), hooks[-1][1])
    held = _held(every, merged, trust)
    return LoadedSettings(
        settings=_build({name: value for name, (value, _) in merged.items()}),
        origins={name: origin for name, (_, origin) in merged.items()},
        warnings=(*warnings, *_untrusted(held, trust)),
        rules=tuple(one for reading in every for one in _rules_of(reading)),
        trust=trust,
        held=held,
        of_workspace=tuple(one for one in every if one.layer.is_of_workspace),
    )


def _merged(readings: Iterable[Reading]) -> dict[str, tuple[Any, Origin]]:
    """The strongest value of each; a whole table of providers counts before weaker parts of it."""
    merged: dict[str, tuple[Any, Origin]] = {}
    for reading in readings:
        for name, found in reading.values.items():
            if name == _PROVIDERS:
                merged = {key: one for key, one in merged.items() if not _is_in_table(key)}
            merged[name] = found
    return merged


def _is_in_table(name: str) -> bool:
    return name.startswith(f"{_PROVIDERS}.")


def _held(
    readings: Iterable[Reading], merged: dict[str, tuple[Any, Origin]], trust: Trust
) -> dict[str, tuple[str, ...]]:
    """What a folder that is not trusted would have set. Also a login shell waits for trust."""
    held: dict[str, tuple[str, ...]] = {}
    for reading in readings:
        for name, (_, origin) in reading.held.items():
            held[name] = (*held.get(name, ()), origin.place)
    profile = merged.get("shell.profile")
    if not trust.is_trusted and profile is not None and profile[0]:
        del merged["shell.profile"]
        held["shell.profile"] = (*held.get("shell.profile", ()), profile[1].place)
    return held


def _untrusted(held: Mapping[str, tuple[str, ...]], trust: Trust) -> list[SettingsError]:
    faults = [SettingsError(trust.fault)] if trust.fault else []
    if held:
        names = ", ".join(held)
        faults.append(SettingsError.of("folder_untrusted", folder=trust.folder, names=names))
    return faults


def _judge(reading: Reading) -> list[SettingsError]:
    if reading.faults and not reading.layer.is_of_workspace:
        raise reading.faults[0]
    return reading.faults + reading.warnings


def _borrowed(root: Path, environ: Mapping[str, str], *, is_trusted: bool) -> list[Reading]:
    """What people have for another agent already: its rules and hooks, nothing else."""
    home, theirs = home_folder(environ), root / ".claude"
    own = read_theirs(home / ".claude" / "settings.json", Layer.USER)
    if os.path.realpath(root) == os.path.realpath(home):
        return [own]  # the same folder: what is there is the person's own
    return [
        own,
        read_theirs(theirs / "settings.json", Layer.PROJECT, is_trusted=is_trusted),
        read_theirs(theirs / "settings.local.json", Layer.LOCAL, is_trusted=is_trusted),
    ]


def _judge_theirs(reading: Reading) -> list[SettingsError]:
    """Not our file: what is wrong with it is said, and stops nothing."""
    return reading.faults + reading.warnings


def _rules_of(reading: Reading) -> Iterator[RuleList]:
    for kind in RULE_KINDS:
        found = reading.values.get(f"permissions.{kind}")
        if found is not None:
            yield RuleList(kind, tuple(found[0]), found[1])


def _overruled(*, asked: Reading, managed: Reading) -> list[SettingsError]:
    """Whoever asked for a value on the command line should know that it does not count."""
    return [
        SettingsError.of("setting_managed", key=name, where=managed.values[name][1].place)
        for name in asked.values
        if name in managed.values
    ]


def _build(values: Mapping[str, Any]) -> Settings:
    nested: dict[str, Any] = {}
    for name, value in values.items():
        *above, last = name.split(".")
        if name == _PROVIDERS:  # parts of it may follow
            value = msgspec.to_builtins(value)  # noqa: PLW2901
        section = nested
        for part in above:
            section = section.setdefault(part, {})
        section[last] = value
    return msgspec.convert(nested, Settings)
