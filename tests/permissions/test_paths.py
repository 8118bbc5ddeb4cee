"""Which paths are inside the workspace, which are not, and which are never allowed unasked."""

import os
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.checks import check
from ankrcode.permissions.paths import PathAnswer, check_path, walk_to
from ankrcode.permissions.protected import NAMES, folded_name, protected_name
from ankrcode.workspace.roots import is_inside
from people import ordinary_person
from permissions.corpora import Case, cases, wrong
from torture import IS_TORTURE, examples

OPS = ("read", "write", "list", "persist_oversized")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace (`proj`), what lies around it, and links of every kind."""
    tmp = Path(os.path.realpath(tmp_path_factory.mktemp("paths")))
    root, home = tmp / "proj", tmp / "home"
    for folder in (root / "src", root / "docs", root / ".git" / "hooks", root / ".ssh"):
        folder.mkdir(parents=True)
    for folder in (home / ".ssh", tmp / "other", tmp / "extra", tmp / "proj-2", tmp / "proj2"):
        folder.mkdir(parents=True)
    for file in (root / "src" / "app.py", root / "README.md", tmp / "other" / "x"):
        file.touch()
    links = {
        "link_in": "src/app.py",
        "link_dir": "src",
        "link_out": "../other/x",
        "link_out_dir": "/etc",
        "link_up": "..",
        "chain_a": "link_in",
        "chain_out": "link_out",
        "dangling_out": "../other/not-there",
        "link_git": ".git",
        "link_hooks": ".git/hooks",
        "link_to_bashrc": str(home / ".bashrc"),
        "innocent": "link_git",
        "link_zero": "/dev/zero",
        "link_fd": "/dev/fd/0",
        "link_creds": ".ssh/id_ed25519",
        "loop": "loop",
        "loop_a": "loop_b",
        "loop_b": "loop_a",
        "../alias": "proj",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    # The name of a socket must be short, so it is bound from where it lies.
    before = Path.cwd()
    os.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        os.chdir(before)
        yield tmp


def answer(case: Case, place: Path) -> str:
    filled = case["path"]
    for name in ("root", "home", "tmp", "extra"):
        filled = filled.replace(f"{{{name}}}", str(_named(place, name)))
    env = {
        "root": str(place / "proj"),
        "roots": [str(place / "proj"), str(place / "extra")],
        "cwd": str(place / "proj"),
        "home": str(place / "home"),
        "mode": "default",
    }
    found = check("path", {"path": filled, "op": case["op"]}, env)
    assert found["verdict"] == "inside" or found["reason"]
    return str(found["verdict"])


def _named(place: Path, name: str) -> Path:
    return {"root": place / "proj", "tmp": place}.get(name, place / name)


def test_the_corpus_of_paths_is_answered_as_labelled(place: Path) -> None:
    assert len(cases("paths")) >= 120
    assert wrong("paths", lambda case: answer(case, place)) == []


# ── single properties ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("spelling", [str, str.upper, str.title, "{}.".format, "{}. .".format])
def test_a_protected_name_is_protected_however_it_is_spelled(name: str, spelling: object) -> None:
    assert callable(spelling)
    assert protected_name(["a", spelling(name), "b"])


@pytest.mark.parametrize(
    "name", ["git", ".gitignore", ".github", "claude", ".environment", "x.git"]
)
def test_other_names_are_not(name: str) -> None:
    assert not protected_name([name, "file"])


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        (".GIT", ".git"),
        (".git. . ", ".git"),
        (".git:stream", ".git"),
        (".g\u200dit", ".git"),
        ("GIT~1", ".git"),
        (".ſſh", ".ssh"),
        ("\u212a", "k"),
        ("Straße", "strasse"),
    ],
)
def test_names_are_compared_as_the_most_forgiving_file_system_would(
    written: str, folded: str
) -> None:
    assert folded_name(written) == folded


def test_a_workspace_below_a_protected_name_can_still_be_written(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / ".claude" / "worktrees" / "x"
    root.mkdir(parents=True)
    for path, want in {
        "a.py": PathAnswer.INSIDE,
        ".claude/settings.json": PathAnswer.REFUSE,
        "../../settings.json": PathAnswer.REFUSE,
        "../other/a.py": PathAnswer.REFUSE,
    }.items():
        found = check_path(path, "write", roots=(str(root),), cwd=str(root), home="/nowhere")
        assert found.verdict is want, path


def test_a_relative_path_counts_from_the_current_directory(place: Path) -> None:
    root = str(place / "proj")
    inside = check_path("../src/app.py", "read", roots=(root,), cwd=f"{root}/docs", home="/h")
    outside = check_path("../../other/x", "read", roots=(root,), cwd=f"{root}/docs", home="/h")
    assert inside.real_path == f"{root}/src/app.py"
    assert (inside.verdict, outside.verdict) == (PathAnswer.INSIDE, PathAnswer.OUTSIDE)


def test_a_closed_folder_is_outside_out_there_and_refused_in_here(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "root"
    for folder in (root / "shut", root.parent / "shut"):
        folder.mkdir(parents=True)
    with ordinary_person(tmp_path):
        for folder in (root / "shut", root.parent / "shut"):
            folder.chmod(0)
        here = check_path("shut/x", "read", roots=(str(root),), cwd=str(root), home="/h")
        there = check_path("../shut/x", "read", roots=(str(root),), cwd=str(root), home="/h")
    assert (here.verdict, there.verdict) == (PathAnswer.REFUSE, PathAnswer.OUTSIDE)


@pytest.mark.parametrize(
    "given",
    [None, 5, [], {}, "x", {"path": 5, "op": "read"}, {"path": "x", "op": "erase"}, {"op": "read"}],
)
def test_a_question_that_is_not_one_is_refused(given: object) -> None:
    assert check("path", given, {"root": "/"})["verdict"] == "refuse"


# ── whatever the path ─────────────────────────────────────────────────────────────────────────
PIECES = st.sampled_from(
    [
        *("..", ".", "", "/", "//", "src", "link_out", "link_up", "link_dir", "link_git", ".git"),
        *("~", "~/", "~root", "\\", "\0", "\n", " ", "%2e", "．", "\u200d", "\u202e", "loop", "x"),
        *("/proc/self/root", "/dev/fd", "app.py", "missing", ".claude", "chain_out", "क", "é"),
    ]
)
PATHS = st.one_of(
    st.lists(PIECES, max_size=12).map("/".join),
    st.lists(PIECES, max_size=12).map("".join),
    st.text(max_size=60),
)


@pytest.mark.torture
@examples(in_ci=1_500, in_torture=100_000)
@given(PATHS, st.sampled_from(OPS[:3]))
def test_what_is_called_inside_really_is(place: Path, path: str, op: str) -> None:
    root = str(place / "proj")
    env = {"root": root, "cwd": root, "home": str(place / "home")}
    found = check("path", {"path": path, "op": op}, env)
    if found["verdict"] == "inside":
        is_home = path == "~" or path.startswith("~/")
        real = os.path.realpath(
            env["home"] + path[1:] if is_home else path if path[0] == "/" else f"{root}/{path}"
        )
        assert is_inside(real, root)
        assert op != "write" or not protected_name(os.path.relpath(real, root).split("/"))


@pytest.mark.torture
@examples(in_ci=500, in_torture=20_000)
@given(PATHS.filter(lambda path: "\0" not in path and path.isprintable()))
def test_the_walk_ends_where_the_system_would_end(place: Path, path: str) -> None:
    absolute = path if path.startswith("/") else f"{place}/proj/{path}"
    walk = walk_to(absolute)
    try:
        real = os.path.realpath(absolute, strict=True)
    except (OSError, ValueError):
        return
    if not real.startswith(("/proc/", "/dev/")):  # another process than the one that asked
        assert walk.real_path == real


@pytest.mark.torture
def test_mutated_paths_raise_nothing_and_take_no_time(place: Path) -> None:
    chooser = random.Random(5)
    lines = [case["path"] for case in cases("paths")]
    root = str(place / "proj")
    env = {"root": root, "cwd": root, "home": str(place / "home")}
    for _ in range(200_000 if IS_TORTURE else 4_000):
        given = mutated(chooser.choice(lines), chooser)
        started = time.thread_time()
        found = check("path", {"path": given, "op": chooser.choice(OPS)}, env)
        assert found["verdict"] in set(PathAnswer)
        assert time.thread_time() - started < 1


def mutated(text: str, chooser: random.Random) -> str:
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(chooser.randint(1, 4)):
        where = chooser.randint(0, len(raw))
        match chooser.randint(0, 3):
            case 0:
                raw[where:where] = bytes([chooser.randint(0, 255)])
            case 1:
                del raw[where : where + chooser.randint(1, 5)]
            case 2:
                raw[where:where] = raw[:where][-8:] * chooser.randint(1, 50)
            case _:
                raw[where : where + 1] = chooser.choice([b"/", b"..", b"\\", b"%2f", b"~"])
    return raw.decode("utf-8", "surrogateescape")
