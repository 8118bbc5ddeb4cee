"""Our search against ripgrep itself, on made-up trees and queries: both engines, every mode."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from ankrcode.errors import ToolError
from ankrcode.workspace.search.output import Bounds
from ankrcode.workspace.search.search import Found, GrepQuery, Search, collected, worker_request
from ankrcode.workspace.search.walk import Filters, files_below
from ankrcode.workspace.search.worker import answer
from torture import IS_TORTURE
from workspace.grammar import make_glob, make_ignore_line
from workspace.trees import (
    FOLDERS,
    NAMES,
    RG,
    make_query,
    make_repository,
    make_tree,
    rg,
    rg_counts,
    rg_files,
    rg_lines,
)

WITH_RG, IN_PYTHON = Search(RG, time_limit_s=30), Search(None, time_limit_s=30)
ALL = Bounds(entries=100_000, content_bytes=10**8, timed_files=100_000)
TREES = 30 if IS_TORTURE else 4


def check(found: Found, query: GrepQuery) -> None:
    match query.mode:
        case "files_with_matches":
            expected: list[Any] = rg_files(query)
            assert sorted(found.files) == expected
            assert (found.total_files, found.total_matches) == (len(expected), None)
        case "count":
            counted = rg_counts(query)
            assert found.counts == counted
            assert found.total_matches == sum(count for _, count in counted)
            assert found.total_files == len(counted)
        case "content":
            expected = rg_lines(query)
            lines = [(path, one.number, one.is_match, one.text) for path, one in found.lines]
            assert lines == expected
            assert found.total_entries == len(expected)
            assert found.total_matches == sum(is_match for _, _, is_match, _ in expected)
            assert found.total_files == len({path for path, *_ in expected})


def searched_here(query: GrepQuery) -> Found:
    """The Python engine in this process: many times faster to ask than one started for each."""
    findings, notes = BytesIO(), BytesIO()
    answer(worker_request(query), query.folder, query.file, findings, notes)
    assert b": slow" not in notes.getvalue()
    return collected(query, ALL, [findings.getvalue()])


def folders_of(tree: Path) -> list[Path]:
    """Where a search may begin: the top most of the time."""
    below = sorted(path for path in tree.iterdir() if path.is_dir() and not path.is_symlink())
    return [tree] * 12 + [path for path in below if path.name != ".git"]


def queries(seed: int, tree: Path, count: int) -> list[GrepQuery]:
    random = Random(seed)
    made = [make_query(random, random.choice(folders_of(tree))) for _ in range(count)]
    # Where one number stands for matches, ripgrep counts empty ones by bytes.
    return [replace(one, multiline=False) if one.mode == "count" else one for one in made]


def answered(search: Callable[[GrepQuery], Found], asked: list[GrepQuery]) -> int:
    """How many of the queries found something; all of them exactly what ripgrep finds."""
    answers = 0
    for query in asked:
        if is_wrong(query):
            with pytest.raises(ToolError) as refused:
                search(query)
            assert refused.value.code == "INVALID_INPUT"
            continue
        found = search(query)
        check(found, query)
        answers += bool(found.total_files)
    return answers


def is_wrong(query: GrepQuery) -> bool:
    """Whether ripgrep refuses the pattern: a class made up at random may mean nothing."""
    try:
        rg(query.folder, "-e", query.pattern, "/dev/null")
    except AssertionError:
        return True
    return False


@pytest.mark.torture
@pytest.mark.requirement("S0-032", "S4-189")
@pytest.mark.parametrize("seed", range(TREES))
def test_grep_finds_exactly_what_ripgrep_finds(seed: int, tmp_path: Path) -> None:
    make_tree(tmp_path, Random(seed))
    answers = answered(lambda query: WITH_RG.grep(query, ALL), queries(seed, tmp_path, 70))
    assert answers >= 20, "most queries should find something"


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 100 + TREES))
def test_without_ripgrep_the_answers_are_the_same(seed: int, tmp_path: Path) -> None:
    make_tree(tmp_path, Random(seed))
    assert answered(searched_here, queries(seed, tmp_path, 70)) >= 20


@pytest.mark.parametrize("seed", range(200, 202))
def test_the_python_engine_says_the_same_as_a_process_of_its_own(seed: int, tmp_path: Path) -> None:
    make_tree(tmp_path, Random(seed))
    assert answered(lambda query: IN_PYTHON.grep(query, ALL), queries(seed, tmp_path, 20)) >= 5


@pytest.mark.parametrize("search", [WITH_RG, IN_PYTHON], ids=["rg", "python"])
@pytest.mark.parametrize("seed", range(8))
def test_a_single_file_is_searched_whatever_the_filters_say(
    seed: int, search: Search, tmp_path: Path
) -> None:
    random = Random(seed)
    (tmp_path / "one file.log").write_text("alpha\nbeta\naaa x1\n" * 3, encoding="utf-8")
    (tmp_path / ".ignore").write_text("*.log\n", encoding="utf-8")
    query = make_query(random, tmp_path, file="one file.log", mode="content", multiline=False)
    found = search.grep(query, ALL)
    said = rg(
        tmp_path, "-c", *(["-i"] if query.ignore_case else []), "--", query.pattern, "one file.log"
    )
    assert found.total_matches == int(said or b"0")


# ── names ─────────────────────────────────────────────────────────────────────────────────────
def listed_by_ripgrep(folder: Path, filters: Filters, *more: str) -> list[bytes]:
    flags = ["-g", filters.glob] if filters.glob else []
    flags += ["-.", "-g", "!.git"] if filters.include_hidden else []
    flags += ["--no-ignore"] if filters.include_ignored else []
    return sorted(rg(folder, "--files", "-0", *more, *flags, ".").split(b"\0")[:-1])


@pytest.mark.torture
@pytest.mark.parametrize("is_repository", [True, False], ids=["repository", "plain folder"])
@pytest.mark.parametrize("seed", range(2_000, 2_000 + TREES))
def test_both_engines_list_what_ripgrep_lists(
    seed: int, is_repository: bool, tmp_path: Path
) -> None:
    random = Random(seed)
    make_tree(tmp_path, random, is_repository=is_repository)
    # Outside a repository ignore files count as well, but only those in the folder itself.
    extra = [] if is_repository else ["--no-require-git", "--no-ignore-parent"]
    for folder in folders_of(tmp_path)[11:]:
        if not is_repository and list(folder.glob("**/.git")):
            continue
        filters = make_query(random, folder).filters
        expected = listed_by_ripgrep(folder, filters, *extra)
        for search in (WITH_RG, IN_PYTHON):
            found: list[bytes] = []
            assert not search.list_files(str(folder), filters, found.extend).timed_out
            assert sorted(found) == expected


@pytest.fixture(scope="module")
def many_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every name that the rules speak about, in every folder."""
    tree = tmp_path_factory.mktemp("names")
    odd = ("odd", "!odd", "#odd", "abd", "deep", ".x", "{src,lib}", "aa.py", "c.c", "end ", "x\r")
    folders = [tree, *(tree / name for name in (*FOLDERS, "src/inner", "b.d", "src/a b/deep"))]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for name in (*NAMES, *odd):
            if not (folder / name).exists():
                (folder / name).touch()
    make_repository(tree, "")
    return tree


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(60 if IS_TORTURE else 4))
def test_lines_of_ignore_files_and_globs_mean_what_they_mean_to_ripgrep(
    seed: int, many_names: Path
) -> None:
    random = Random(seed)
    folders = [many_names, *(many_names / name for name in FOLDERS)]
    for _ in range(50):
        made = []
        for kind in random.sample((".gitignore", ".ignore", ".rgignore"), random.choice((0, 1, 2))):
            lines = [make_ignore_line(random) for _ in range(random.randrange(1, 4))]
            made.append(random.choice([many_names, *folders]) / kind)
            made[-1].write_text("\n".join(lines), encoding="utf-8", newline="")
        filters = Filters(glob=make_glob(random), include_hidden=random.random() < 0.2)
        folder = random.choice([many_names, *folders])
        found = sorted(f"./{path}".encode() for path in files_below(str(folder), filters))
        rules = [(str(file), file.read_bytes()) for file in made]
        assert found == listed_by_ripgrep(folder, filters), (filters, rules)
        for file in made:
            file.unlink()
