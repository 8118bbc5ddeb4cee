"""Names that are about to be removed or moved: where they really lie, and which are off limits."""

import os
from collections.abc import Iterator

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.files import file_error
from ankrcode.workspace.roots import Workspace, check_path_text, is_inside


def entry_path(workspace: Workspace, path: str) -> str:
    """The real place of a name, without following it: a link means the link."""
    check_path_text(path)
    folder, name = os.path.split(path.rstrip("/"))
    if name in ("", ".", "..", "~"):
        return workspace.resolve(path)
    return os.path.join(workspace.resolve(folder or ("/" if path.startswith("/") else ".")), name)


def status_of(path: str, *, done: str) -> os.stat_result:
    """Of what stands there, be it a link; an error says what could not be done."""
    try:
        return os.lstat(path)
    except OSError as problem:
        raise file_error(path, problem, done=done) from None


def check_may_go(workspace: Workspace, path: str) -> None:
    """Refuse what everything else stands on."""
    kept = {"workspace_root": workspace.roots, "cwd": (workspace.cwd,)}
    kept["home"] = (os.path.realpath(os.path.expanduser("~")),)
    for what, places in kept.items():
        for place in places:
            if is_inside(place, path):
                error = ToolError.of(f"must_stay.{what}", path=path, place=place)
                raise error.coded(ErrorCode.BLOCKED, path=path)


def below(path: str) -> Iterator[str]:
    """All that is in a folder and its folders, links not followed; what is closed is skipped."""
    pending = [path]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    yield entry.path
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
