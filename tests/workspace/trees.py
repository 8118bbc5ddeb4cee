"""Made-up trees and queries for the search tests, and ripgrep itself as their judge."""

import base64
import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from random import Random
from typing import Any

from ankrcode.workspace.search.search import GrepQuery
from ankrcode.workspace.search.walk import Filters
from workspace.grammar import Patterns, make_glob, make_ignore_line

RG = shutil.which("rg", path=sysconfig.get_path("scripts")) or "rg is not installed"

TEXTS = (
    *(
        "alpha",
        "beta beta",
        "def run(self):",
        "    return x1 + x2",
        "TODO: mend",
        "a.b.c",
        "x=[1,2]",
    ),
    *(
        "café crème",
        "नमस्ते दुनिया",
        "क्षमा करें",
        "naïve Straße",
        "日本語 テキスト",
        "-- dash",
        "{json: 1}",
    ),
    *(
        "",
        "",
        "\ttab\tbed",
        "end of line;",
        "0x1F 42 7",
        "snake_case camelCase",
        "ALPHA Beta",
        "aaa",
    ),
    *(
        "a\rb",
        "ends here \r",
        "\u200cjoin\u200d",
        "e\u0301",
        "İı K ſ",
        "12:34:text",
        "7-8-9",
        "/* c */",
    ),
)
LONG = (
    "x" * 700 + " alpha",
    "é" * 600 + "TODO" + "न" * 600,
    "words and more " * 200,
    "beta " * 300,
)
NAMES = (
    *("a.py", "b.py", "c.js", "d.ts", "e.tsx", "README.md", "notes.txt", "Makefile", "x.log"),
    *("with space.py", "-dash.py", ".hidden.py", "[odd].js", "two\nlines.txt", "empty\n\nline.py"),
    *("नाम.py", "star*.js", "back\\slash.txt", "data.json", "main.rs", "keep.log", "1:2:3.py"),
)
FOLDERS = (
    *("src", "src/deep", "lib", "build", ".config", "docs", "src/build", "a b", "node_modules"),
    *("src/deep/deep", "lib/inner", "-rf", "src/named.py"),
)
# Lines that git and ripgrep understand alike.
IGNORES = (
    *("*.log", "build/", "/docs", "!keep.log", "src/*.js", "**/deep", "node_modules", "[a-c].py"),
    *("# a comment", "", "*.t?t", "lib/**", "!src/build/", "/src/**/b.py", r"\!odd", "deep/", "*~"),
    *("!.hidden.py", "a b/", "**/x.log", "README.md  ", "*.js"),
)
TYPE_NAMES = (*[""] * 12, "py", "js", "md", "txt", "rust", "ts", "json")


def make_tree(folder: Path, random: Random, *, is_repository: bool = True) -> None:
    """A few dozen files of all sorts, with ignore files at several levels, links, a repository."""
    folders = [folder, *(folder / name for name in random.sample(FOLDERS, 7))]
    for one in folders:
        one.mkdir(parents=True, exist_ok=True)
        for name in random.sample(NAMES, 6):
            if not (one / name).is_dir():
                (one / name).write_bytes(content(random))
    (folder / os.fsdecode(b"bad-\xff\xfe.py")).write_bytes(content(random))
    for kind in (".gitignore", ".gitignore", ".gitignore", ".ignore", ".rgignore"):
        lines = [make_ignore_line(random) for _ in range(random.randrange(1, 5))]
        (random.choice(folders) / kind).write_text("\n".join(lines), encoding="utf-8", newline="")
    if is_repository:
        make_repository(folder, "*.rs\n")
        if random.random() < 0.3:  # another repository inside: what is ignored outside stays so
            make_repository(random.choice(folders[1:]), f"{make_ignore_line(random)}\n")
    if not (folder / "a.py").is_dir():
        (folder / "link.py").symlink_to("a.py")
    (folder / "linked").symlink_to(folders[1])
    (folder / "broken.py").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")


def make_repository(folder: Path, exclude: str) -> None:
    (folder / ".git" / "info").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / ".git" / "info" / "exclude").write_text(exclude, encoding="utf-8")


def content(random: Random) -> bytes:
    """Text with either ending, and what else stands in files: marks, odd bytes, other encodings."""
    end = random.choice((b"\n", b"\n", b"\r\n"))
    lines = [random.choice(TEXTS).encode() for _ in range(random.randrange(12))]
    kind = random.random()
    if kind < 0.15:
        lines.append(b"caf\xe9 alpha \xff")
    elif kind < 0.2:
        lines.append(random.choice(LONG).encode())
    random.shuffle(lines)
    if 0.2 < kind < 0.25:  # binary; not behind an empty first line, which ripgrep would show
        lines.insert(0, b"GIF\0 alpha")
    data = end.join(lines) + random.choice((b"", end, end, end, end + end))
    if 0.25 < kind < 0.3:
        return b"\xef\xbb\xbf" + data
    if 0.3 < kind < 0.35:
        encoding = random.choice(("utf-16-le", "utf-16-be"))
        return ("\ufeff" + data.decode()).encode(encoding)
    return data


def make_pattern(random: Random) -> str:
    """A regular expression that both engines understand: often a plain word, as people write."""
    if random.random() < 0.3:
        return random.choice(WORDS)
    return Patterns(random, may_nest=False).pattern()


WORDS = (
    *(
        "alpha",
        "beta",
        "TODO",
        "a",
        "e",
        r"\bx\d",
        r"^\s*def",
        r"\w+$",
        "क्ष",
        "run|mend",
        r"^$",
        r"\d+",
    ),
    *(
        "(?i)alpha",
        r"\s$",
        r"[aeiou]{2}",
        "-",
        "--",
        r"\{",
        "text",
        r"x=\[",
        "^",
        "$",
        ".",
        r"\.",
        "é",
    ),
)


def make_query(random: Random, folder: Path, **fixed: Any) -> GrepQuery:
    context = random.random() < 0.4
    made: dict[str, Any] = {
        "pattern": make_pattern(random),
        "folder": str(folder),
        "mode": random.choice(("files_with_matches", "count", "content", "content")),
        "filters": Filters(
            glob=make_glob(random),
            include_hidden=random.random() < 0.2,
            include_ignored=random.random() < 0.2,
        ),
        "type": random.choice(TYPE_NAMES),
        "ignore_case": random.random() < 0.3,
        "multiline": random.random() < 0.2,
        "before": random.randrange(3) if context else 0,
        "after": random.randrange(3) if context else 0,
    }
    return GrepQuery(**(made | fixed))


# ── ripgrep itself, asked in its own way and read in another form than ours ───────────────────
def rg(folder: Path | str, *arguments: str) -> bytes:
    done = subprocess.run(
        [RG, "--no-config", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def rg_arguments(query: GrepQuery) -> list[str]:
    said = []
    if query.filters.glob:
        said += ["-g", query.filters.glob]
    if query.filters.include_hidden:
        said += ["-.", "-g", "!.git"]
    if query.filters.include_ignored:
        said += ["--no-ignore"]
    if query.type:
        said += ["-t", query.type]
    if query.ignore_case:
        said += ["-i"]
    if query.multiline:
        said += ["-U", "--multiline-dotall"]
    return [*said, "-e", query.pattern, "."]


def rg_files(query: GrepQuery) -> list[bytes]:
    return sorted(rg(query.folder, "-l", "-0", *rg_arguments(query)).split(b"\0")[:-1])


def rg_counts(query: GrepQuery) -> list[tuple[bytes, int]]:
    plain = rg(query.folder, "-c", "-0", *rg_arguments(query))
    found = []
    while plain:
        path, _, rest = plain.partition(b"\0")
        number, _, plain = rest.partition(b"\n")
        found.append((path, int(number)))
    return sorted(found)


def rg_lines(query: GrepQuery) -> list[tuple[bytes, int, bool, bytes]]:
    """Path, number, is it a match, text: from ripgrep's JSON, which our own reading never sees."""
    context = ["-B", str(query.before), "-A", str(query.after)]
    found = []
    for line in rg(query.folder, "--json", *context, *rg_arguments(query)).splitlines():
        said = json.loads(line)
        if said["type"] in ("match", "context"):
            data = said["data"]
            text = raw(data["lines"]).removesuffix(b"\n")
            for index, one in enumerate(text.split(b"\n")):
                number = data["line_number"] + index
                whole = (
                    raw(data["path"]),
                    number,
                    said["type"] == "match",
                    one.removesuffix(b"\r"),
                )
                found.append(whole)
    return sorted(found, key=lambda one: (one[0], one[1]))


def raw(said: dict[str, str]) -> bytes:
    return base64.b64decode(said["bytes"]) if "bytes" in said else said["text"].encode()
