"""A whole patch carried out over many files; if one step fails, all before it are taken back."""

import os
from collections.abc import Callable
from contextlib import suppress

from ankrcode.errors import ToolError
from ankrcode.words import say
from ankrcode.workspace.patches.plan import Move, PatchedFile, Plan
from ankrcode.workspace.reads import FileVersion
from ankrcode.workspace.writing.folders import missing_folders, remove_empty
from ankrcode.workspace.writing.writes import FileWriter


def carried_out(
    plan: Plan, files: FileWriter, check_cancelled: Callable[[], None]
) -> dict[str, FileVersion]:
    """Write everything; if one step fails, take back those before it. The versions by path."""
    contents = {file.path: file.after for file in plan.files if file.exists and file.is_changed}
    done: list[tuple[str, Callable[[], object]]] = []  # what was changed, and how to undo it
    versions: dict[str, FileVersion] = {}
    try:
        for move in plan.moves:
            check_cancelled()
            files.move(move.source, move.destination, overwrites=move.over is not None)
            done.append((move.source, _mover_back(files, move)))
        for file in plan.files:
            check_cancelled()
            if file.path in contents and file.exists:
                versions[file.path] = _written(file, contents[file.path], files, done)
        for file in plan.files:
            if not file.exists and file.origin is not None and file.path not in versions:
                files.remove(file.path, lambda _path: None)
                done.append((file.path, _restorer(files, file)))
    except BaseException as problem:
        _take_back(done, problem)
        raise
    return versions


def _written(
    file: PatchedFile,
    content: bytes,
    files: FileWriter,
    done: list[tuple[str, Callable[[], object]]],
) -> FileVersion:
    path, before = file.path, file.before
    made = missing_folders(os.path.dirname(path))  # noqa: PTH120
    version = files.write(path, content, expected=file.original.version, makes_folders=True)
    if before is None:
        done.append((path, _remover(files, path, made)))
    else:
        done.append((path, lambda: files.write(path, before, expected=version)))
    return version


def _remover(files: FileWriter, path: str, made: list[str]) -> Callable[[], object]:
    def remove() -> None:
        files.remove(path, lambda _path: None)
        remove_empty(made)

    return remove


def _mover_back(files: FileWriter, move: Move) -> Callable[[], object]:
    def move_back() -> None:
        files.move(move.destination, move.source, overwrites=False)
        if move.over is not None:
            _restorer(files, move.over)()

    return move_back


def _restorer(files: FileWriter, file: PatchedFile) -> Callable[[], object]:
    def restore() -> None:
        assert file.before is not None
        files.write(file.path, file.before, expected=None)
        with suppress(OSError):
            os.chmod(file.path, file.mode)  # noqa: PTH101

    return restore


def _take_back(done: list[tuple[str, Callable[[], object]]], problem: BaseException) -> None:
    """Undo in reverse; what cannot be undone is named."""
    stuck: list[str] = []
    for path, undo in reversed(done):
        try:
            undo()
        except ToolError:
            stuck.append(path)
    if not isinstance(problem, ToolError) or not done:
        return
    key = "patch_not_rolled_back" if stuck else "patch_rolled_back"
    problem.message = f"{problem.message} {say(key, paths=', '.join(stuck))}"
    problem.details["not_rolled_back"] = stuck
