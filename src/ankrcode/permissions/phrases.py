"""What an approved plan may do, said in words: `run tests`, `install dependencies`.

A phrase is understood by a table, never guessed: every word of it must be known for one entry,
or the phrase stands for nothing and each command is asked about. An entry names programs and the
effects they may have; a command is covered only if every part of it is one of those programs,
and nothing else happens on the line.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.permissions.rules.command_rules import (
    CommandView,
    is_wrapped,
    redirected,
    sets_danger,
)
from ankrcode.workspace.path_text import fault_of
from ankrcode.workspace.roots import Workspace

_FILLERS = frozenset(
    [
        *("the", "a", "an", "all", "any", "my", "our", "your", "its", "this", "that", "these"),
        *("of", "for", "in", "on", "at", "to", "with", "via", "using", "please"),
        *("project", "project's", "repo's", "repository's", "codebase's"),
    ]
)
_JOINED = (
    ("end to end", "end-to-end"),
    ("pull request", "pull-request"),
    ("merge request", "merge-request"),
    ("virtual environment", "virtual-environment"),
    ("spin up", "spin-up"),
    ("bring up", "bring-up"),
    ("bring down", "bring-down"),
    ("shut down", "shut-down"),
    ("set up", "setup"),
    ("put aside", "put-aside"),
    ("re run", "re-run"),
    ("type check", "type-check"),
    ("pre commit", "pre-commit"),
)
_MAX_PHRASE = 200
_AND = re.compile(r"\s*(?:,|;|&|\+|\band then\b|\bthen\b|\band\b)\s*")
_LEADS_AWAY = re.compile(r"\A[/~]|(?:\A|/)\.\.(?:/|\Z)")
_HARMLESS_FLAGS = re.compile(r"-j\d*|--jobs(=\d+)?|-[skqv]|--silent|--quiet|--verbose|--no-print.*")


class Entry(Struct, frozen=True):
    """One thing that a plan may ask for."""

    means: str
    verbs: str
    objects: str
    qualifiers: str
    effects: tuple[str, ...]
    programs: tuple[str, ...]  # beginnings; one that ends in $ takes no further words
    refused: str = ""  # words that must not be on the line

    def is_meant_by(self, words: list[str]) -> bool:
        """It begins with a verb and has an object (or is one alone), and no word is unknown."""
        verbs, objects = set(self.verbs.split()), set(self.objects.split())
        if not words or not set(words) <= verbs | objects | set(self.qualifiers.split()):
            return False
        has_object = any(word in objects for word in words)
        return has_object and (words[0] in verbs or set(words) <= objects)

    def weight(self, words: list[str]) -> int:
        """How much of the phrase is its very own; an English phrase is about its last word."""
        objects = set(self.objects.split())
        own = sum(word in objects for word in words)
        return 2 * own + (words[0] in self.verbs.split()) + (words[-1] in objects)

    def covers(self, argv: tuple[str, ...]) -> bool:
        refused = frozenset(self.refused.split())
        if any(_is_among(word, refused, is_git=argv[0] == "git") for word in argv[1:]):
            return False
        return any(_begins(argv, program) for program in self.programs)


@cache
def table() -> dict[str, Entry]:
    text = Path(__file__).with_name("phrases.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Entry])


def understood(phrase: str) -> tuple[str, ...]:
    """The entries that a phrase stands for; none where any of it is not known."""
    text = " ".join(phrase.casefold().replace("’", "'").strip(" .!").split())
    if not text or len(text) > _MAX_PHRASE:
        return ()
    for spoken, joined in _JOINED:
        text = text.replace(spoken, joined)
    found: list[str] = []
    verb = ""
    for clause in _AND.split(text):
        words = [word.strip("'\"`()") for word in clause.split()]
        words = [word for word in words if word and word not in _FILLERS]
        name = _entry_for(words) or (_entry_for([verb, *words]) if verb else "")
        if not name or not words:  # nothing is meant by a last "and"
            return ()
        verb = words[0]
        found.append(name)
    return tuple(dict.fromkeys(found))


def _entry_for(words: list[str]) -> str:
    """The entry that means it; none where several do and none of them more than the others."""
    weights = {
        name: entry.weight(words) for name, entry in table().items() if entry.is_meant_by(words)
    }
    winners = [name for name in weights if weights[name] == max(weights.values())]
    return winners[0] if len(winners) == 1 else ""


def is_covered(line: CommandView, names: Iterable[str], workspace: Workspace) -> bool:
    """Is every part of the line something that one of these entries means, and nothing else?"""
    if not line.is_certain or sets_danger(line.command) or redirected(line):
        return False
    used = _entries_used(line, [table()[name] for name in names if name in table()])
    return bool(used) and _stays_within(line, used, workspace)


def _entries_used(line: CommandView, entries: list[Entry]) -> list[Entry]:
    """Those that the parts of the line belong to; none where a part belongs to none."""
    covered = [part.argv for part in line.parts if part.verdict == "read_only"]
    used: list[Entry] = []
    for part in line.parts:
        if part.verdict != "read_only" and not is_wrapped(part.argv, covered):
            found = [entry for entry in entries if part.argv and entry.covers(part.argv)]
            if not found:
                return []
            used += found
        covered.append(part.argv)
    return used


def _stays_within(line: CommandView, entries: list[Entry], workspace: Workspace) -> bool:
    """No effect but theirs, nothing git cannot take back, no place outside the workspace."""
    allowed = {"read", "list", *(effect for entry in entries for effect in entry.effects)}
    for effect in line.effects:
        is_cwd = effect.kind == "change" and effect.target == "cwd"
        is_theirs = is_cwd or effect.kind in allowed
        is_outside = effect.target.startswith("/") and not workspace.contains(effect.target)
        if effect.policy or not is_theirs or (effect.kind in ("write", "delete") and is_outside):
            return False
    words = (word for part in line.parts for word in part.argv[1:])
    return not any(_leads_out(word, workspace, line.env.cwd) for word in words)


def _is_among(word: str, refused: frozenset[str], *, is_git: bool) -> bool:
    """Also with its value attached: `--out=x`, `-ox`; git takes short options in bundles."""
    if word.partition("=")[0] in refused:
        return True
    if not word.startswith("-") or word.startswith("--"):
        return False
    letters = word[1:] if is_git else word[1:2]
    return any(f"-{letter}" in refused for letter in letters)


def _begins(argv: tuple[str, ...], program: str) -> bool:
    words = tuple(program.rstrip("$").split())
    if not program.endswith("$"):
        return argv[: len(words)] == words
    given = (word for word in argv[1:] if not _HARMLESS_FLAGS.fullmatch(word))
    return (argv[0], *given) == words


def _leads_out(word: str, workspace: Workspace, cwd: str) -> bool:
    """Does it name a place outside the workspace, as a path or as the value of an option?"""
    name, equals, value = word.partition("=")
    text = value if equals and name.startswith("-") else word
    if re.match(r"-[A-Za-z][/~.]", text):
        text = text[2:]
    if not _LEADS_AWAY.search(text):
        return False
    if fault_of(text):
        return True
    here = Workspace(workspace.roots, cwd, home=workspace.home)
    return not workspace.contains(here.resolve(text))
