"""All layers put together: one value for each setting, and where it came from.

Weakest first: defaults, user, project, local, environment, command line, managed. A mistake of
the person or the machine stops the start with an error; a mistake in the files of a workspace,
which may be a hostile or broken checkout, is only a warning, and the value is ignored.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.config.keys import Key, all_keys, find_key
from ankrcode.config.origin import Layer, Origin
from ankrcode.config.paths import MANAGED_FILE, config_file, local_file, project_file
from ankrcode.config.reading import (
    Reading,
    read_command_line,
    read_environment,
    read_settings_file,
)
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError


class LoadedSettings(Struct, frozen=True):
    """The settings of this run, each value with its origin."""

    settings: Settings
    origins: Mapping[str, Origin]
    warnings: tuple[SettingsError, ...] = ()

    def origin(self, key: str) -> Origin:
        """Where the value of `key` came from."""
        name = find_key(key, "ankrcode").name
        return self.origins.get(name, Origin(Layer.DEFAULT))

    def value(self, key: str) -> Any:
        value: Any = self.settings
        for part in find_key(key, "ankrcode").name.split("."):
            value = getattr(value, part)
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
    readings = [
        read_settings_file(config_file(environ), Layer.USER),
        read_settings_file(project_file(root), Layer.PROJECT),
        read_settings_file(local_file(root), Layer.LOCAL),
        read_environment(environ),
        read_command_line(command_line),
        read_settings_file(managed, Layer.MANAGED),
    ]
    warnings = [warning for reading in readings for warning in _judge(reading)]
    warnings += _overruled(asked=readings[-2], managed=readings[-1])
    merged = {name: found for reading in readings for name, found in reading.values.items()}
    return LoadedSettings(
        settings=_build({name: value for name, (value, _) in merged.items()}),
        origins={name: origin for name, (_, origin) in merged.items()},
        warnings=tuple(warnings),
    )


def _judge(reading: Reading) -> list[SettingsError]:
    if reading.faults and not reading.layer.is_of_workspace:
        raise reading.faults[0]
    return reading.faults + reading.warnings


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
        section = nested
        for part in above:
            section = section.setdefault(part, {})
        section[last] = value
    return msgspec.convert(nested, Settings)
