"""Changes of many texts, written as patches by git, by diff and as GPT models do, made again."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.patches.apply import apply_hunks
from ankrcode.workspace.patches.hunks import FilePatch
from ankrcode.workspace.patches.parse import parse
from workspace.histories import Envelope, NotTellable, Pair, git, lines_of, made_up, real

MADE_UP = list(made_up(4))
GIT_FORMS = {
    "U0": ["-U0"],
    "U1": ["-U1"],
    "U2": ["-U2"],
    "U3": [],
    "U5": ["-U5"],
    "U10": ["-U10"],
    "patience": ["--patience", "-U2"],
    "histogram": ["--histogram"],
    "minimal": ["--minimal", "-U1"],
    "function-context": ["-W"],
    "joined": ["--inter-hunk-context=20"],
    "full-index": ["--full-index"],
    "other-prefixes": ["--src-prefix=x/old/", "--dst-prefix=y/new/"],
}


def applied(pair: Pair, patch: str) -> str:
    (file,) = parse(patch)
    draft = Draft(pair.before)
    found = apply_hunks(pair.before, file.hunks, pair.name, is_unified=file.is_unified)
    draft.apply(found.changes)
    return draft.text


def applied_or_code(pair: Pair, patch: str) -> str | ErrorCode:
    try:
        return applied(pair, patch)
    except ToolError as problem:
        return problem.code


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    return MADE_UP + real(60, tmp_path_factory.mktemp("spare"))


@pytest.fixture(scope="module")
def trees(pairs: list[Pair], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    for number, pair in enumerate(pairs):
        for side, text in (("one", pair.before), ("two", pair.after)):
            (folder / side).mkdir(exist_ok=True)
            (folder / side / f"{number:04}").write_bytes(text.encode())
    return folder


def test_there_is_much_to_replay(pairs: list[Pair]) -> None:
    assert len(pairs) > 130
    assert sum(pair.before.count("\r\n") > 0 for pair in pairs) > 40
    assert sum(not pair.after.endswith("\n") for pair in pairs) > 10


def says_nothing_of_endings(pair: Pair, file: FilePatch) -> bool:
    """Lines added to a CRLF file without any context: were they stripped of their CR, or not?"""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    is_bare = all(line.mark == "+" for hunk in file.hunks[:1] for line in hunk.lines)
    return is_bare and "\r" in pair.before and not any(line.text.endswith("\r") for line in lines)


def overlaps(file: FilePatch) -> bool:
    """With whole functions git itself writes hunks that overlap now and then, which it refuses."""
    ends = [(hunk.at or 0) + len(hunk.old) for hunk in file.hunks]
    return any((hunk.at or 0) < end for hunk, end in zip(file.hunks[1:], ends, strict=False))


def check_replayed(pairs: list[Pair], diff: str) -> None:
    """Each file of the diff, applied to its first text, gives its second text exactly."""
    files = parse(diff)
    assert len(files) == len(pairs)
    for file in files:
        pair = pairs[int(file.path[-4:])]
        if says_nothing_of_endings(pair, file):
            continue
        draft = Draft(pair.before)
        found = apply_hunks(pair.before, file.hunks, pair.name, is_unified=True)
        draft.apply(found.changes)
        assert draft.text == pair.after, pair.name
        is_exact = not overlaps(file)
        assert not (found.notes and is_exact), "an exact diff is neither moved nor loosened"


@pytest.mark.parametrize("form", GIT_FORMS.values(), ids=GIT_FORMS)
def test_what_git_writes_gives_the_second_text(
    form: list[str], pairs: list[Pair], trees: Path
) -> None:
    command = ["git", "diff", "--no-index", "--no-color", "--text", *form, "one", "two"]
    done = subprocess.run(command, cwd=trees, capture_output=True, check=False, timeout=60)
    check_replayed(pairs, done.stdout.decode())


@pytest.mark.parametrize("form", [["-u"], ["-U0"], ["-U1"], ["-U7"], ["-up"], ["-ud"]], ids=str)
def test_what_diff_writes_gives_the_second_text(
    form: list[str], pairs: list[Pair], trees: Path
) -> None:
    command = ["diff", "--text", "-r", *form, "one", "two"]
    done = subprocess.run(command, cwd=trees, capture_output=True, check=False, timeout=60)
    check_replayed(pairs, done.stdout.decode())


@pytest.mark.parametrize("lines_above", [1, 4, 30])
def test_where_lines_were_added_above_we_find_what_patch_finds(
    lines_above: int, pairs: list[Pair], trees: Path, tmp_path: Path
) -> None:
    """`patch` as the judge: the place nearest to the line numbers, then the same shift for all."""
    command = ["diff", "--text", "-ru", "one", "two"]
    done = subprocess.run(command, cwd=trees, capture_output=True, check=False, timeout=60)
    more = "".join(f"more {number}\n" for number in range(lines_above))
    (tmp_path / "one").mkdir()
    for number, pair in enumerate(pairs):
        (tmp_path / "one" / f"{number:04}").write_bytes((more + pair.before).encode())
    judge = ["patch", "-p0", "--binary", "--fuzz=0", "--no-backup-if-mismatch", "-s", "-f"]
    subprocess.run(
        judge, cwd=tmp_path, input=done.stdout, capture_output=True, check=False, timeout=60
    )
    judged = {path.name: path.read_bytes().decode() for path in (tmp_path / "one").iterdir()}
    compared = 0
    for file in parse(done.stdout.decode()):
        pair, name = pairs[int(file.path[-4:])], file.path[-4:]
        if f"{name}.rej" in judged:
            continue  # it ties a hunk that begins with the file to its beginning
        draft = Draft(more + pair.before)
        found = apply_hunks(draft.text, file.hunks, pair.name, is_unified=True)
        draft.apply(found.changes)
        assert draft.text == judged[name], pair.name
        compared += 1
    assert compared > 90


# ── envelopes ─────────────────────────────────────────────────────────────────────────────────
def can_be_told(pair: Pair) -> bool:
    """An envelope says nothing about the ends of lines: the file's own must tell them all."""
    ends = {line[len(line.rstrip("\r\n")) :] for line in lines_of(pair.before + pair.after)}
    same_end = lines_of(pair.before)[-1:] == lines_of(pair.after)[-1:]
    return len(ends - {""}) == 1 and (pair.after.endswith("\n") or same_end)


def blank_context_bare(line: str) -> str:
    return "" if line == " " else line


STYLES: dict[str, Callable[[list[list[str]]], list[str]]] = {
    "plain": lambda hunks: [line for hunk in hunks for line in hunk],
    "first-header-left-out": lambda hunks: [line for hunk in hunks for line in hunk][1:],
    "closed-headers": lambda hunks: [
        line for hunk in hunks for line in [f"{hunk[0]} @@", *hunk[1:]]
    ],
    "dotted-headers": lambda hunks: [
        line
        for hunk in hunks
        for line in ["@@ ... @@" if hunk[0] == "@@" else hunk[0], *hunk[1:]]
    ],
    "blank-lines-between": lambda hunks: [line for hunk in hunks for line in [*hunk, ""]],
    "bare-blank-context": lambda hunks: [
        blank_context_bare(line) for hunk in hunks for line in hunk
    ],
}  # fmt: skip
WRAPS: dict[str, Callable[[str], str]] = {
    "bare": str,
    "heredoc": lambda patch: f"apply_patch <<'EOF'\n{patch}\nEOF\n",
    "fence": lambda patch: f"Here it is:\n```patch\n{patch}\n```\nDone.",
    "crlf": lambda patch: patch.replace("\n", "\r\n"),
}


def written(pair: Pair, lines: list[str]) -> str:
    return "\n".join(["*** Begin Patch", "*** Update File: f", *lines, "*** End Patch"])


@pytest.mark.parametrize("headers", [False, True], ids=["", "headers"])
@pytest.mark.parametrize("context", [0, 1, 3])
@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_what_a_model_writes_gives_the_second_text(
    style: Callable[[list[list[str]]], list[str]],
    context: int,
    headers: bool,
    pairs: list[Pair],
) -> None:
    replayed = refused = 0
    for pair in filter(can_be_told, pairs):
        try:
            hunks = Envelope(pair, context=context, headers=headers).hunks
        except NotTellable:
            continue
        if style is STYLES["first-header-left-out"] and hunks[0][0] != "@@":
            continue
        patch = written(pair, style(hunks))
        outcome = applied_or_code(pair, patch)
        if "" in patch.split("\n") and outcome is ErrorCode.TEXT_NOT_UNIQUE:
            refused += 1  # an empty line may mean two things
        else:
            assert outcome == pair.after, (pair.name, patch)
        replayed += 1
    assert replayed > 60
    assert refused < replayed / 5


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_what_surrounds_it_changes_nothing(wrap: Callable[[str], str], pairs: list[Pair]) -> None:
    for pair in filter(can_be_told, pairs):
        try:
            hunks = Envelope(pair).hunks
        except NotTellable:
            continue
        patch = wrap(written(pair, STYLES["plain"](hunks)))
        assert applied(pair, patch) == pair.after, (pair.name, patch)


def test_a_synthetic_history_serves_where_there_is_no_real_one(tmp_path: Path) -> None:
    from workspace import histories

    made = histories._made_history(tmp_path)
    assert int(git(made, "rev-list", "--count", "HEAD")) >= 10
