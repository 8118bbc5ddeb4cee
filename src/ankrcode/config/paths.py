"""Where AnkrCode keeps what is its own, by the XDG base directory rules."""

import os
from collections.abc import Mapping
from pathlib import Path

from ankrcode.errors import SettingsError

MANAGED_FILE = Path("/etc/ankrcode/settings.json")
_PRIVATE = 0o700


def config_file(environ: Mapping[str, str]) -> Path:
    """The person's own settings: `~/.config/ankrcode/settings.json`."""
    return _base(environ, "XDG_CONFIG_HOME", ".config") / "ankrcode" / "settings.json"


def state_folder(environ: Mapping[str, str]) -> Path:
    """What should outlive a run, such as logs: `~/.local/state/ankrcode`."""
    return _base(environ, "XDG_STATE_HOME", ".local/state") / "ankrcode"


def cache_folder(environ: Mapping[str, str]) -> Path:
    """What may be deleted at any time: `~/.cache/ankrcode`."""
    return _base(environ, "XDG_CACHE_HOME", ".cache") / "ankrcode"


def project_file(root: Path) -> Path:
    """The settings a project shares with everybody who works on it."""
    return root / ".ankrcode" / "settings.json"


def local_file(root: Path) -> Path:
    """The settings of one person for one project; not meant to be shared."""
    return root / ".ankrcode" / "settings.local.json"


def make_private(folder: Path) -> Path:
    """Create what is missing of `folder` so that only its owner can look inside."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
    return folder


def _base(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    chosen = environ.get(variable, "")
    # The specification asks to ignore relative values: they would move with the current folder.
    return Path(chosen) if chosen.startswith("/") else home_folder(environ) / usual


def home_folder(environ: Mapping[str, str]) -> Path:
    """The person's home."""
    chosen = environ.get("HOME", "")
    if chosen.startswith("/"):
        return Path(chosen)
    from pwd import getpwuid  # only a process without HOME pays for it

    try:
        return Path(getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise SettingsError.of("home_missing") from None
