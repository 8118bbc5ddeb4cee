"""Agents that people define in files: a few lines of front matter, then the prompt.

    ---
    name: tester
    description: Runs the tests and says what fails
    tools: Read, Grep, Bash
    model: small
    ---
    You run the tests …

A project's own count once the person trusts the folder; the person's always.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from ankrcode.agent.bounds import names_of, parts_in, spread
from ankrcode.agent.front_matter import FrontMatter, split
from ankrcode.config.paths import config_file, home_folder
from ankrcode.config.trust import TrustStore
from ankrcode.protocol.permission import Mode
from ankrcode.words import say

MAX_FILE_BYTES = 256 * 1024
MAX_FILES = 200
MAX_TURNS, MOST_TURNS = 20, 1_000
_EVERYTHING = ("*", "all")
_MODES = {"bypassPermissions": Mode.BYPASS}


class AgentType(Struct, frozen=True, kw_only=True):
    """What kind of agent: who it is, what it may use, which model answers."""

    name: str
    description: str
    prompt: str
    tools: tuple[str, ...] | None = None  # None: all
    bounds: tuple[str, ...] = ()  # the same as written, where a tool is given in part
    without: tuple[str, ...] = ()  # but these
    denials: tuple[str, ...] = ()  # nor these parts of the others
    model: str = ""  # small, medium, large, provider/name; empty: as whoever started it
    max_turns: int = MAX_TURNS
    mode: Mode | None = None  # never wider than that of whoever started it
    is_isolated: bool = False
    aliases: tuple[str, ...] = ()
    path: str = ""


def agent_type(text: str, path: str = "") -> AgentType:
    """Raises `ValueError` with what is wrong."""
    facts, prompt = split(text)
    name = facts.text("name") or Path(path).stem
    if not name or not prompt:
        raise ValueError("it has no prompt" if name else "it has no name")
    tools, denied = _tools(facts), spread(facts.items("disallowedTools"))
    denials = parts_in(denied, "deny")
    return AgentType(
        name=name,
        description=facts.text("description"),
        prompt=prompt,
        tools=None if tools is None else names_of(tools),
        bounds=tools if tools and parts_in(tools, "allow") else (),
        without=names_of(one for one in denied if one not in denials),
        denials=denials,
        model=_model(facts.text("model")),
        max_turns=_number(facts.text("maxTurns") or facts.text("max_turns")),
        mode=_mode(facts.text("permissionMode")),
        is_isolated=_isolated(facts.text("isolation")),
        aliases=facts.items("aliases"),
        path=path,
    )


def own_types(root: str, environ: Mapping[str, str]) -> tuple[dict[str, AgentType], list[str]]:
    """By name: the person's, then a trusted project's; and what could not be read, in words."""
    folders = [config_file(environ).parent / "agents", home_folder(environ) / ".claude" / "agents"]
    if TrustStore.of(environ).judge(root).is_trusted:
        folders += [Path(root) / ".claude" / "agents", Path(root) / ".ankrcode" / "agents"]
    found: dict[str, AgentType] = {}
    faults: list[str] = []
    for file in (file for folder in folders for file in _files(folder)):
        try:
            one = agent_type(_content(file), str(file))
            found[one.name] = one
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            faults.append(say("subagent_file_unreadable", path=file, why=why))
    return found, faults


def _files(folder: Path) -> Iterator[Path]:
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix == ".md")
    except OSError:
        return
    yield from found[:MAX_FILES]


def _content(file: Path) -> str:
    """Of an ordinary file, and not too much."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as opened:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is no ordinary file")
        content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"it has more than {MAX_FILE_BYTES:,} bytes")
    return content.decode()


# ── what the fields mean ──────────────────────────────────────────────────────────────────────
def _tools(facts: FrontMatter) -> tuple[str, ...] | None:
    """As written; None: all."""
    names = facts.items("tools")
    if "tools" not in facts.values or any(name in _EVERYTHING for name in names):
        return None
    return spread(names)


def _model(name: str) -> str:
    return "" if name == "inherit" else name


def _number(text: str) -> int:
    if not text:
        return MAX_TURNS
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_TURNS:
        raise ValueError(f"maxTurns is '{text}', not a number from 1 to {MOST_TURNS}")
    return int(text)


def _isolated(text: str) -> bool:
    """Whoever asks for a place apart must not get the common one by a slip."""
    if text not in ("", "none", "worktree"):
        raise ValueError(f"isolation is '{text}', not worktree")
    return text == "worktree"


def _mode(text: str) -> Mode | None:
    if not text:
        return None
    try:
        return _MODES.get(text) or Mode(text)
    except ValueError:
        raise ValueError(f"there is no mode '{text}'") from None
