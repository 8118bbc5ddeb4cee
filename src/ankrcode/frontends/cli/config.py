"""`ankrcode config`: what is set, by whom, and how to change it."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.keys import find_key
from ankrcode.config.loaded import LoadedSettings, load_settings
from ankrcode.config.origin import Layer, Origin
from ankrcode.config.paths import MANAGED_FILE, config_file, local_file, project_file
from ankrcode.config.settings import settings_schema
from ankrcode.errors import SettingsError
from ankrcode.words import say
from ankrcode.workspace.roots import find_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    get = actions.add_parser("get", help="show one value")
    get.add_argument("key")
    get.add_argument("--json", action="store_true", help="with its origin, as JSON")
    change = actions.add_parser("set", help="set one value")
    change.add_argument("key")
    change.add_argument("value")
    _add_layers(change, Layer.USER, Layer.PROJECT, Layer.LOCAL).set_defaults(layer=Layer.USER)
    unset = actions.add_parser("unset", help="remove one value from a file")
    unset.add_argument("key")
    _add_layers(unset, Layer.USER, Layer.PROJECT, Layer.LOCAL).set_defaults(layer=Layer.USER)
    listing = actions.add_parser("list", help="show every value and where it comes from")
    listing.add_argument("--json", action="store_true", help="as JSON")
    path = actions.add_parser("path", help="show where the settings files are")
    _add_layers(path, Layer.USER, Layer.PROJECT, Layer.LOCAL, Layer.MANAGED)
    actions.add_parser("schema", help="print the JSON Schema of a settings file")


def run(
    options: argparse.Namespace,
    *,
    environ: Mapping[str, str] = os.environ,
    managed: Path = MANAGED_FILE,
) -> int:
    """Do what `options` say; what is wrong is raised as a SettingsError."""
    ConfigCommand(options, environ, managed).actions[options.action]()
    return 0


class ConfigCommand:
    """One run of `ankrcode config`."""

    def __init__(
        self, options: argparse.Namespace, environ: Mapping[str, str], managed: Path
    ) -> None:
        self.options = options
        self.environ = environ
        self.root = find_root(options.cwd, environ)
        self.files = {
            Layer.USER: config_file(environ),
            Layer.PROJECT: project_file(self.root),
            Layer.LOCAL: local_file(self.root),
            Layer.MANAGED: managed,
        }
        self.actions = {
            "get": self.show_one,
            "set": self.set_one,
            "unset": self.unset_one,
            "list": self.show_all,
            "path": self.show_paths,
            "schema": self.show_schema,
        }

    def show_one(self) -> None:
        key = find_key(self.options.key, "ankrcode config")
        loaded = self._load()
        value, origin = loaded.value(key.name), loaded.origin(key.name)
        if self.options.json:
            _print_json(_as_data(key.name, value, origin, key.description))
        else:
            print(_plain(value))

    def show_all(self) -> None:
        entries = list(self._load().entries())
        if self.options.json:
            _print_json([_as_data(k.name, v, origin, k.description) for k, v, origin in entries])
            return
        rows = [(key.name, _plain(value), _said(origin)) for key, value, origin in entries]
        width_of_key = max(len(row[0]) for row in rows)
        width_of_value = max(len(row[1]) for row in rows)
        for key, value, said in rows:
            cells = {"key": key.ljust(width_of_key), "value": value.ljust(width_of_value)}
            print(say("setting_row", origin=said, **cells))

    def set_one(self) -> None:
        from ankrcode.config.edit import set_value

        key, layer = self.options.key, self.options.layer
        file = self.files[layer]
        value = set_value(file, key, self.options.value, root=self._root_of(layer))
        print(say("setting_was_set", key=key, value=_plain(value), path=file))
        self._tell_if_overridden(key, Origin(layer, str(file)))

    def unset_one(self) -> None:
        from ankrcode.config.edit import unset_value

        key, layer = self.options.key, self.options.layer
        is_removed = unset_value(self.files[layer], key, root=self._root_of(layer))
        words = "setting_was_unset" if is_removed else "setting_was_not_set"
        print(say(words, key=key, path=self.files[layer]))

    def show_paths(self) -> None:
        if self.options.layer:
            print(self.files[self.options.layer])
            return
        for layer, path in self.files.items():
            state = say(f"setting_place.{'exists' if path.exists() else 'missing'}")
            print(
                say("setting_place", layer=layer.ljust(len(Layer.PROJECT)), path=path, state=state)
            )

    def show_schema(self) -> None:
        _print_json(settings_schema())

    def _load(self) -> LoadedSettings:
        loaded = load_settings(
            self.root,
            environ=self.environ,
            command_line=self.options.set or (),
            managed=self.files[Layer.MANAGED],
        )
        for warning in loaded.warnings:
            print(say("setting_warning", warning=warning), file=sys.stderr)
        return loaded

    def _tell_if_overridden(self, key: str, written: Origin) -> None:
        try:
            loaded = self._load()
        except SettingsError as problem:  # some other value is wrong; this one is set all the same
            print(say("setting_warning", warning=problem), file=sys.stderr)
            return
        origin = loaded.origin(key)
        if origin != written:
            value = _plain(loaded.value(key))
            told = say("setting_overridden", key=key, value=value, origin=_said(origin))
            print(told, file=sys.stderr)

    def _root_of(self, layer: Layer) -> Path | None:
        return self.root if layer.is_of_workspace else None


def _add_layers(parser: argparse.ArgumentParser, *layers: Layer) -> argparse.ArgumentParser:
    group = parser.add_mutually_exclusive_group()
    for layer in layers:
        group.add_argument(
            f"--{layer}",
            dest="layer",
            action="store_const",
            const=layer,
            help=f"the {layer} settings",
        )
    return parser


def _as_data(key: str, value: Any, origin: Origin, description: str) -> dict[str, Any]:
    return {"key": key, "value": value, "origin": origin, "description": description}


def _print_json(data: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _said(origin: Origin) -> str:
    return f"{origin.layer} {origin.place}".rstrip()
