"""What hangs on trusting a folder: everything in it that counts only then. Looked at, never run."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.agent.agent_files import agent_type
from ankrcode.agent.project_context import NAMES, ProjectContext
from ankrcode.config.document import read_file
from ankrcode.config.hooks import HookTable
from ankrcode.config.keys import find_key
from ankrcode.config.loaded import LoadedSettings, load_settings
from ankrcode.config.reading import Reading
from ankrcode.errors import SettingsError
from ankrcode.rocketlang.macros import load_macros
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

MAX_FOLDERS = 5_000
_MAX_FILES = 200
_LINE_CHARS = 100
_AGENT_FOLDERS = (".claude/agents", ".ankrcode/agents")
_MACROS = ".ankrcode/macros.rl"
_PROFILE = "shell.profile"


class Stake(Struct, frozen=True):
    key: str
    value: str
    place: str


def stakes(folder: Path) -> Iterator[Stake]:
    """Settings, hooks and rules; then whom it instructs, whom it brings, what it teaches."""
    if not folder.is_dir():
        return
    loaded = load_settings(folder, environ=os.environ)
    for reading in loaded.of_workspace:
        for key, (value, origin) in (*reading.held.items(), *_trusted(reading)):
            for line in _lines(key, value):
                yield Stake(key, line, origin.place)
    yield from _own_profile(loaded)
    yield from _instructions(folder)
    yield from _agents(folder)
    yield from _macros(folder / _MACROS)


# ── settings ──────────────────────────────────────────────────────────────────────────────────
def _trusted(reading: Reading) -> Iterator[tuple[str, Any]]:
    for key, found in reading.values.items():
        if find_key(key, "").needs_trust:
            yield key, found


def _lines(key: str, value: Any) -> Iterator[str]:
    if key == "hooks":
        table: HookTable = value
        for event, groups in table.items():
            for group in groups:
                for hook in group.hooks:
                    yield f"{event} {group.matcher or '*'} → {hook.command or hook.type}"
    elif isinstance(value, list):
        yield from map(str, value)
    else:
        yield msgspec.json.encode(value).decode()


def _own_profile(loaded: LoadedSettings) -> Iterator[Stake]:
    """The person's own wish for a login shell waits for trust as well."""
    of_folder = {one.values.get(_PROFILE) or one.held.get(_PROFILE) for one in loaded.of_workspace}
    theirs = {origin.place for _, origin in filter(None, of_folder)}
    counts = (loaded.origin(_PROFILE).place,) if loaded.settings.shell.profile else ()
    for place in (*loaded.held.get(_PROFILE, ()), *counts):
        if place not in theirs:
            yield Stake(_PROFILE, "true", place)


# ── what models are told ──────────────────────────────────────────────────────────────────────
def _instructions(root: Path) -> Iterator[Stake]:
    """Of the folder itself and of those below, with what they import."""
    listed: set[str] = set()
    for folder in _with_instructions(root):
        if folder is None:
            yield Stake("instructions", say("trust_cut", count=MAX_FOLDERS), str(root))
            return
        told = ProjectContext(Workspace((root,), folder)).text()
        headings = (line[3:] for line in told.splitlines() if line.startswith("## "))
        for name in headings:
            place = os.path.normpath(root / name)
            if place not in listed and os.path.isfile(place) and len(listed) < _MAX_FILES:  # noqa: PTH113
                listed.add(place)
                yield Stake("instructions", _summed_up(Path(place)), place)


def _with_instructions(root: Path) -> Iterator[Path | None]:
    """Folders that have any; None in the end where there are too many to look at them all."""
    for number, (place, names, _) in enumerate(os.walk(root)):
        if number >= MAX_FOLDERS:
            yield None
            return
        names[:] = sorted(name for name in names if name != ".git")
        folder = Path(place)
        if any((folder / name).is_file() for name in NAMES):
            yield folder


def _summed_up(file: Path) -> str:
    try:
        text = read_file(file).decode("utf-8", "replace")
    except SettingsError as problem:
        return str(problem)
    first = next((line for line in text.splitlines() if line.strip()), "")
    return f"{_short(first)} ({say('trust_characters', count=len(text))})"


# ── agents and macros ─────────────────────────────────────────────────────────────────────────
def _agents(root: Path) -> Iterator[Stake]:
    for folder in _AGENT_FOLDERS:
        try:
            files = sorted(file for file in (root / folder).iterdir() if file.suffix == ".md")
        except OSError:
            continue
        for file in files[:_MAX_FILES]:
            yield Stake("agents", _agent(file), str(file))


def _agent(file: Path) -> str:
    try:
        one = agent_type(read_file(file).decode(), str(file))
    except (SettingsError, ValueError) as problem:
        return f"{file.stem} ({problem})"
    return f"{one.name}: {_short(one.description)}" if one.description else one.name


def _macros(file: Path) -> Iterator[Stake]:
    if not file.is_file():
        return
    try:
        found = [f"{one.name} (line {one.line})" for one in load_macros(file).values()]
    except SettingsError as problem:
        found = [str(problem)]
    for one in found[:_MAX_FILES]:
        yield Stake("macros", one, str(file))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…"
