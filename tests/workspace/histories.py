"""Texts that change over time, for replay: made up from a seed, and this project's own history."""

import os
import subprocess
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import NamedTuple

from torture import IS_TORTURE

PROJECT = Path(__file__).parents[2]
_LEAST_COMMITS = 5
_MAX_LINES = 600
_SETTLED = 600  # the oldest changes: the choice among them is the same whatever is added later
_NAMES = ("load", "save", "parse", "render", "check", "close", "open_all", "merge")
_WORDS = ("path", "count", "name", "value", "items", "result", "नाम", "größe")


class Pair(NamedTuple):
    """One file before and after a change."""

    name: str
    before: str
    after: str


# ── texts of several kinds; blocks repeat, as real ones do ────────────────────────────────────
def python(random: Random) -> str:
    blocks = ["import os\nimport sys\n\n"]
    for number in range(random.randrange(3, 9)):
        name, word = random.choice(_NAMES), random.choice(_WORDS)
        blocks.append(
            f"\ndef {name}_{number}({word}: str) -> None:\n"
            f'    """Do it."""\n'
            f"    if not {word}:\n        return None\n"
            f"    for one in {word}.split(','):\n        print(one)\n\n    return None\n\n"
        )
    return "".join(blocks)


def json_text(random: Random) -> str:
    entries = [
        f'    {{\n      "id": {number},\n      "name": "{random.choice(_WORDS)}",\n'
        f'      "tags": []\n    }}'
        for number in range(random.randrange(3, 9))
    ]
    return '{\n  "entries": [\n' + ",\n".join(entries) + "\n  ]\n}\n"


def markdown(random: Random) -> str:
    parts = ["# Title\n\n"]
    for number in range(random.randrange(3, 8)):
        parts.append(f"## Part {number}\n\n- one\n- two “quoted” – dashed\n\n")
        parts.append(
            f"```diff\n--- a/{random.choice(_NAMES)}\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n```\n\n"
        )
    return "".join(parts)


def go(random: Random) -> str:
    parts = ['package main\n\nimport (\n\t"fmt"\n)\n']
    for number in range(random.randrange(3, 8)):
        name = random.choice(_NAMES)
        parts.append(
            f"\nfunc {name}{number}(x int) error {{\n\tif x > {random.randrange(9)} {{\n"
            "\t\treturn nil\n\t}\n\tfmt.Println(x)\n\treturn nil\n}\n"
        )
    return "".join(parts)


def table(random: Random) -> str:
    """Short lines, many of them the same: nothing is unique here."""
    return "".join(f"{random.choice('abc')};{random.choice('01')}\n" for _ in range(40))


def odd(random: Random) -> str:
    """Lines that look like the marks of a patch, blanks at ends, form feeds, blank lines."""
    lines = [
        *("+x", "-y", " z", "@@ w", "*** End Patch", "--- a", "+++ b", "", "  ", "\t", "v  "),
        *("\\ No newline at end of file", "diff --git a/x b/x", "a\fb", "c\x85d", "e\u2028f"),
    ]
    return "".join(f"{random.choice(lines)}\n" for _ in range(30))


KINDS: dict[str, Callable[[Random], str]] = {
    "m.py": python,
    "d.json": json_text,
    "r.md": markdown,
    "m.go": go,
    "t.csv": table,
    "odd.txt": odd,
}
ENDINGS: dict[str, Callable[[str], str]] = {
    "lf": str,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "mixed": lambda text: "".join(
        line.replace("\n", "\r\n") if number % 3 else line
        for number, line in enumerate(lines_of(text))
    ),
    "open": lambda text: text.removesuffix("\n"),
}


def lines_of(text: str) -> list[str]:
    """With their endings; only \\n ends a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def changed(text: str, random: Random) -> str:
    """The text after some of the changes that people make."""
    lines = lines_of(text)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(lines) + 1)
        size = random.randrange(1, 4)
        part = lines[at : at + size]
        match random.choice(("replace", "insert", "delete", "twice", "move", "indent", "blank")):
            case "replace" if part:
                lines[at : at + size] = [f"changed {random.randrange(99)}{_end(part[0])}"]
            case "insert":
                end = (_end(lines[at - 1]) if lines else "") or "\n"
                lines[at:at] = [f"new {random.randrange(99)}{end}"] * random.randrange(1, 3)
            case "delete":
                del lines[at : at + size]
            case "twice":
                lines[at:at] = part
            case "move":
                del lines[at : at + size]
                place = random.randrange(len(lines) + 1)
                lines[place:place] = part
            case "indent":
                lines[at : at + size] = [f"    {line}" for line in part]
            case _:
                lines[at:at] = [(_end(lines[at - 1]) if lines else "") or "\n"]
    return "".join(lines)


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def made_up(count: int) -> Iterator[Pair]:
    """So many changes of each kind of text, the same ones every time."""
    for name, make in KINDS.items():
        for ending, with_ending in ENDINGS.items():
            for number in range(count):
                random = Random(f"{name} {ending} {number}")
                before = with_ending(make(random))
                after = changed(before, random)
                if before != after and after:
                    yield Pair(f"{ending}-{number}-{name}", before, after)


# ── real changes ──────────────────────────────────────────────────────────────────────────────
def environment(folder: Path) -> dict[str, str]:
    """For a git that sees no repository but the one in this folder."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**ours, "GIT_CEILING_DIRECTORIES": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> bytes:
    """git in this very folder, whatever repository the environment may speak of."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false")
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def real(count: int, spare: Path) -> list[Pair]:
    """Changes of this project's own history; without one deep enough, of one made in `spare`."""
    repository = PROJECT if _depth_of(PROJECT) >= _LEAST_COMMITS else _made_history(spare)
    log = ("log", "--reverse", "--no-merges", "--diff-filter=M", "--format=%H", "--name-only")
    listed = git(repository, *log)
    changes: list[tuple[str, str]] = []
    commit = ""
    for line in listed.decode().split("\n"):
        is_commit = len(line) == 40 and not set(line) - set("0123456789abcdef")
        if is_commit:
            commit = line
        elif line:
            changes.append((commit, line))
    found: list[Pair] = []
    chosen = changes if IS_TORTURE else changes[:_SETTLED]
    for commit, path in Random(1).sample(chosen, len(chosen)):
        pair = _pair(repository, commit, path)
        if pair is not None:
            found.append(pair)
        if len(found) == count:
            break
    return found


def _depth_of(folder: Path) -> int:
    try:
        return int(git(folder, "rev-list", "--count", "--no-merges", "HEAD"))
    except (subprocess.CalledProcessError, OSError):
        return 0


def _pair(repository: Path, commit: str, path: str) -> Pair | None:
    try:
        one = git(repository, "show", f"{commit}~:{path}").decode()
        other = git(repository, "show", f"{commit}:{path}").decode()
    except (subprocess.CalledProcessError, UnicodeDecodeError):
        return None
    if not one or not other or one == other or "\0" in one or one.count("\n") > _MAX_LINES:
        return None
    return Pair(f"{commit[:8]}-{path}", one, other)


def _made_history(folder: Path) -> Path:
    git(folder, "init", "-q")
    texts = {name: make(Random(name)) for name, make in KINDS.items()}
    for number in range(12):
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode())
            texts[name] = changed(text, Random(f"{name} {number}")) or "x\n"
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", f"{number}", "--allow-empty")
    return folder


# ── changes as a model would write them ───────────────────────────────────────────────────────
class Replacement(NamedTuple):
    """One edit: whole lines, and the number of the first of them at that moment."""

    first: int
    old: str
    new: str


def replacements(pair: Pair, context: int) -> list[Replacement]:
    """Edits that lead from the first text to the second, each unique when its turn comes.

    They go from the end to the beginning, so that numbers and places above stay what they were.
    """
    old, new = lines_of(pair.before), lines_of(pair.after)
    running = list(old)
    found: list[Replacement] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in reversed(list(matcher.get_grouped_opcodes(context))):
        first, last = group[0][1], group[-1][2]
        lines = new[group[0][3] : group[-1][4]]
        while not _is_unique("".join(running), "".join(running[first:last])):
            if not first and last == len(running):
                break
            if first:
                first -= 1
                lines = [running[first], *lines]
            if last < len(running):
                lines = [*lines, running[last]]
                last += 1
        found.append(Replacement(first + 1, "".join(running[first:last]), "".join(lines)))
        running[first:last] = lines
        running = lines_of("".join(running))
    return found


def _is_unique(text: str, part: str) -> bool:
    first = text.find(part)
    return bool(part) and first >= 0 and text.find(part, first + 1) < 0


class Envelope:
    """One update section, as GPT models write it; `find` is this file's own idea of seeking."""

    def __init__(self, pair: Pair, *, context: int = 3, headers: bool = False) -> None:
        self._old = [line.rstrip("\r\n") for line in lines_of(pair.before)]
        self._new = [line.rstrip("\r\n") for line in lines_of(pair.after)]
        self._headers = headers
        self.hunks: list[list[str]] = []
        cursor = 0
        matcher = SequenceMatcher(None, self._old, self._new, autojunk=False)
        for group in matcher.get_grouped_opcodes(context):
            cursor = self._add(group, cursor)

    def _add(self, group: list[tuple[str, int, int, int, int]], cursor: int) -> int:
        first, last = group[0][1], group[-1][2]
        body = [
            f"{mark}{line}"
            for tag, i1, i2, j1, j2 in group
            for mark, lines in _marked(tag, self._old[i1:i2], self._new[j1:j2])
            for line in lines
        ]
        head = "@@"
        if self._headers and (header := self._header(first, cursor)) is not None:
            head = f"@@ {self._old[header]}"
            cursor = header + 1
        wanted = self._old[first:last]
        while find(self._old, wanted, cursor) != first or not wanted:
            if first <= cursor or not first:
                break
            first -= 1  # one more line above, until the first place that fits is the right one
            body.insert(0, f" {self._old[first]}")
            wanted = self._old[first:last]
        if wanted and find(self._old, wanted, cursor) != first:
            raise NotTellable
        if not wanted and last < len(self._old):
            raise NotTellable
        self.hunks.append([head, *body])
        return last

    def _header(self, first: int, cursor: int) -> int | None:
        """The nearest line above that names a block and is the first such line from here on."""
        for index in range(first - 1, cursor - 1, -1):
            line = self._old[index]
            if line.startswith(("def ", "func ", "## ", "class ")):
                return index if find(self._old, [line], cursor) == index else None
        return None


class NotTellable(Exception):
    """The format has no way to name this place."""


def _marked(tag: str, old: list[str], new: list[str]) -> list[tuple[str, list[str]]]:
    return [(" ", old)] if tag == "equal" else [("-", old), ("+", new)]


def find(lines: list[str], wanted: list[str], start: int) -> int:
    """The first place of these lines from `start` on; -1 where there is none."""
    for place in range(start, len(lines) - len(wanted) + 1):
        if lines[place : place + len(wanted)] == wanted:
            return place
    return -1
