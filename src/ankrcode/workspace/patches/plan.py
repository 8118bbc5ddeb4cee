"""A whole patch over many files, worked out in memory: nothing is touched yet."""

import errno
import os
import stat
from typing import NamedTuple

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.editing.matching import with_ending
from ankrcode.workspace.editing.original import Original, load, read_bounded
from ankrcode.workspace.files import check_is_ordinary, file_error
from ankrcode.workspace.patches.apply import apply_hunks
from ankrcode.workspace.patches.hunks import FilePatch
from ankrcode.workspace.places import entry_path
from ankrcode.workspace.reads import ReadState, version_of_bytes
from ankrcode.workspace.roots import Workspace
from ankrcode.workspace.text import NEW_FILE


class PatchedFile:
    """One file on its way through the patch."""

    def __init__(self, path: str, original: Original, content: bytes | None, mode: int = 0) -> None:
        self.path = path
        self.origin = path if content is not None else None  # where it lies on disk
        self.original = original
        self.before = content
        self.draft = Draft(original.text.content)
        self.exists = True
        self.is_bare = False  # nobody has looked into it yet
        self.is_rewritten = content is None
        self.mode = mode

    @property
    def is_changed(self) -> bool:
        return self.is_rewritten or self.draft.is_changed

    @property
    def after(self) -> bytes:
        return self.original.encoded(self.draft)


class Move(NamedTuple):
    source: str
    destination: str
    over: PatchedFile | None  # a file that the patch deleted before


class Plan:
    """What a patch will do."""

    def __init__(self, workspace: Workspace, reads: ReadState) -> None:
        self._workspace = workspace
        self._reads = reads
        self._at: dict[str, PatchedFile] = {}  # by the path a file has at this point of the patch
        self._left: set[str] = set()  # paths that a move made free
        self.files: list[PatchedFile] = []
        self.moves: list[Move] = []
        self.notes: list[str] = []

    def add(self, patch: FilePatch) -> None:
        """The next file of the patch; raises `ToolError` where it cannot be."""
        self.notes += [f"{patch.path}: {note}" for note in patch.notes]
        match patch.kind:
            case "add":
                self._added(patch)
            case "delete":
                self._deleted(patch)
            case _:
                self._updated(patch)

    def check(self) -> None:
        """Every file as a whole: only lines that were read, and something is to do at all."""
        for file in self.files:
            if file.exists and file.before is not None:
                file.original.check_shown(file.draft.changes)
        if not self.moves and not any(file.is_changed or not file.exists for file in self.files):
            raise ToolError.of("edit_nothing", path=self.files[0].path)

    # ── one section ───────────────────────────────────────────────────────────────────────
    def _added(self, patch: FilePatch) -> None:
        path = place_of(patch.path, self._workspace)
        file = self._at.get(path)
        if file is None and self._is_taken(path):
            self._check_replaceable(path)
            file = self._loaded(path)
        elif file is None:
            file = self._keep(PatchedFile(path, Original(path, NEW_FILE, None), None))
        elif file.exists:
            raise _exists(path)
        file.exists = file.is_rewritten = True
        before = file.draft.text
        content = with_ending(patch.content, before, 0, len(before))
        file.draft.apply([Change(0, len(before), content)])

    def _deleted(self, patch: FilePatch) -> None:
        path = entry_place(patch.path, self._workspace)
        file = self._at.get(path) or self._bare(path)
        self._check_exists(file)
        if patch.hunks:
            text = load(path, self._reads).text.content if file.origin else file.draft.text
            rest = Draft(text)
            rest.apply(apply_hunks(text, patch.hunks, path, is_unified=True).changes)
            if rest.text:
                raise ToolError.of("patch_leftover", path=path).coded(
                    ErrorCode.TEXT_NOT_FOUND, path=path
                )
        file.exists = False

    def _updated(self, patch: FilePatch) -> None:
        find = entry_place if patch.move_to is not None else place_of
        path = find(patch.path, self._workspace)
        file = self._at.get(path)
        if file is None and patch.hunks:
            file = self._loaded(path)
        elif file is None:
            file = self._bare(path)
        self._check_exists(file)
        if patch.hunks:
            self._look_into(file)
            found = apply_hunks(file.draft.text, patch.hunks, path, is_unified=patch.is_unified)
            file.draft.apply(found.changes)
            self.notes += found.notes
        if patch.move_to is not None:
            self._moved(file, place_of(patch.move_to, self._workspace))

    def _moved(self, file: PatchedFile, path: str) -> None:
        if path == file.path:
            return
        there = self._at.get(path)
        if there is None and self._is_taken(path):
            self._check_replaceable(path)
            there = self._bare(path)
        elif there is not None and there.exists:
            raise _exists(path)
        over = there if there is not None and there.origin is not None else None
        if over is not None:
            self.files.remove(over)  # it is replaced, not deleted
        if file.origin is not None:
            self.moves.append(Move(file.path, path, over))
        elif over is not None:
            raise _exists(path)
        del self._at[file.path]
        self._left.add(file.path)
        self._at[path] = file
        file.path = path

    # ── files ─────────────────────────────────────────────────────────────────────────────
    def _keep(self, file: PatchedFile) -> PatchedFile:
        self._at[file.path] = file
        self.files.append(file)
        return file

    def _loaded(self, path: str) -> PatchedFile:
        mode = self._checked_mode(path)
        original = load(path, self._reads, may_be_new=True)  # it is there: at most, it is empty
        return self._keep(PatchedFile(path, original, original.content, mode))

    def _look_into(self, file: PatchedFile) -> None:
        """A file that was only moved until now is to be changed: then it matters what is in it."""
        if file.is_bare and file.origin is not None:
            file.original = load(file.origin, self._reads, may_be_new=True)
            file.draft, file.is_bare = Draft(file.original.text.content), False

    def _bare(self, path: str) -> PatchedFile:
        """A file that is moved or deleted as it is; what is in it does not matter."""
        mode = self._checked_mode(path)
        content, status = read_bounded(path)
        original = Original(path, NEW_FILE, version_of_bytes(status, content))
        file = self._keep(PatchedFile(path, original, content, mode))
        file.is_bare = True
        return file

    def _is_taken(self, path: str) -> bool:
        return os.path.lexists(path) and path not in self._left

    def _check_replaceable(self, path: str) -> None:
        """Only who has seen all of a file may put another in its place."""
        if self._reads.get(path) is None:
            raise _exists(path)
        self._reads.check_whole(path)

    def _checked_mode(self, path: str) -> int:
        """The mode of an ordinary file that is still where it was."""
        if path in self._left:
            raise file_error(path, FileNotFoundError(errno.ENOENT, "it was moved away"))
        return _mode_unless_link(path)

    def _check_exists(self, file: PatchedFile) -> None:
        if not file.exists:
            raise file_error(file.path, FileNotFoundError(errno.ENOENT, "it was deleted"))


def place_of(path: str, workspace: Workspace) -> str:
    """The real place of a path in a patch, which must lie in the workspace."""
    return _inside(workspace.resolve(path), path, workspace)


def entry_place(path: str, workspace: Workspace) -> str:
    """The same for a name that is moved or deleted: a link means the link."""
    return _inside(entry_path(workspace, path), path, workspace)


def _inside(real: str, path: str, workspace: Workspace) -> str:
    if not workspace.contains(real):
        error = ToolError.of("path_outside", path=path, root=workspace.root)
        raise error.coded(ErrorCode.INVALID_PATH, path=path)
    return real


def _exists(path: str) -> ToolError:
    return ToolError.of("patch_exists", path=path).coded(ErrorCode.INVALID_PATH, path=path)


def _mode_unless_link(path: str) -> int:
    try:
        status = os.lstat(path)
    except OSError as problem:
        raise file_error(path, problem) from None
    if stat.S_ISLNK(status.st_mode):
        raise ToolError.of("patch_link", path=path).coded(ErrorCode.INVALID_PATH, path=path)
    check_is_ordinary(path, status)
    return stat.S_IMODE(status.st_mode)
