"""The settings and the log of this run, for every command that needs them."""

import argparse
import os
import sys

from ankrcode.config.loaded import LoadedSettings, load_settings
from ankrcode.config.paths import state_folder
from ankrcode.config.settings import Settings
from ankrcode.permissions.rules.rules import Ruleset
from ankrcode.tooling.activity import ActivityStream
from ankrcode.workspace.roots import Workspace, find_cwd, find_root


def load(options: argparse.Namespace) -> LoadedSettings:
    """Read once in a run, however many ask."""
    loaded: LoadedSettings | None = getattr(options, "loaded", None)
    if loaded is None:
        root = find_root(options.cwd, os.environ)
        loaded = load_settings(root, environ=os.environ, command_line=options.set or ())
        options.loaded = loaded
    return loaded


def load_and_warn(options: argparse.Namespace) -> Settings:
    """The settings; what was wrong in a project's files is said once, on stderr."""
    loaded = load(options)
    for warning in loaded.warnings:
        print(f"ankrcode: warning: {warning}", file=sys.stderr)
    return loaded.settings


def load_rules(options: argparse.Namespace) -> Ruleset:
    """The rules of all layers; what is wrong with those of a project is said, on stderr."""
    from ankrcode.permissions.rules.layers import rules_of_layers

    rules, warnings = rules_of_layers(load(options).rules, workspace_of(options))
    for warning in warnings:
        print(f"ankrcode: warning: {warning}", file=sys.stderr)
    return rules


def workspace_of(options: argparse.Namespace) -> Workspace:
    root = find_root(options.cwd, os.environ)
    return Workspace((root,), root if options.cwd is not None else find_cwd(root))


def current_folder() -> str:
    """For those who are told where it was: empty if it is gone."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def log_events(activity: ActivityStream, settings: Settings, *, debug: bool) -> None:
    """Write every event to the log file, if the person asked for a log."""
    if settings.log.level == "off" and not debug:
        return
    from ankrcode.config.log import open_log
    from ankrcode.config.secrets import secret_values
    from ankrcode.protocol.event import ToolFailed

    logger = open_log(
        settings.log,
        debug=debug,
        folder=state_folder(os.environ),
        known=secret_values(os.environ),
    )

    def write(event: object) -> None:
        level = "warning" if isinstance(event, ToolFailed) else "info"
        getattr(logger, level)("%s", event)

    activity.subscribe("*", write)
