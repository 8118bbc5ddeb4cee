"""Files and folders as an agent needs them: bounded, typed errors, no special files."""

import errno
import os
import stat
from datetime import UTC, datetime

from ankrcode.errors import ErrorCode, ToolError

_SPECIAL = {
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


def read_whole(path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of an ordinary file and its status, both of the same open file."""
    try:
        # O_NONBLOCK: opening a pipe that nobody writes must not hang before we can look at it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as problem:
        raise file_error(path, problem) from None
    try:
        status = os.fstat(handle)
        check_is_ordinary(path, status)
        if status.st_size > max_bytes:
            raise ToolError.of(
                "file_too_large", path=path, size=status.st_size, limit=max_bytes
            ).coded(ErrorCode.TOO_LARGE, path=path, size=status.st_size)
        with open(handle, "rb", closefd=False) as stream:
            return stream.read(max_bytes + 1)[:max_bytes], status
    except OSError as problem:
        raise file_error(path, problem) from None
    finally:
        os.close(handle)


def check_is_ordinary(path: str, status: os.stat_result) -> None:
    """Refuse folders and everything that could block or never end."""
    if stat.S_ISDIR(status.st_mode):
        raise ToolError.of("is_a_directory", path=path).coded(ErrorCode.IS_A_DIRECTORY, path=path)
    what = _SPECIAL.get(stat.S_IFMT(status.st_mode))
    if what:
        raise not_regular(path, what)


def not_regular(path: str, what: str) -> ToolError:
    """The error for what could block or never end."""
    error = ToolError.of("not_regular", path=path, what=what)
    return error.coded(ErrorCode.INVALID_PATH, path=path)


def modified_time(status: os.stat_result) -> str:
    return iso_time(status.st_mtime)


def iso_time(seconds: float) -> str:
    """ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def file_error(path: str, problem: OSError, *, done: str = "read") -> ToolError:
    """What the system said, as one of our own errors."""
    why = problem.strerror or str(problem)
    match problem.errno:
        case errno.ENOENT:
            return _not_found(path)
        case errno.ENOTDIR:
            return ToolError.of("not_a_directory", path=os.path.dirname(path)).coded(  # noqa: PTH120
                ErrorCode.NOT_A_DIRECTORY, path=path
            )
        case errno.ENXIO:  # the system does not even open one
            return not_regular(path, "socket")
        case errno.EISDIR:
            return ToolError.of("is_a_directory", path=path).coded(
                ErrorCode.IS_A_DIRECTORY, path=path
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return ToolError.of("no_access", path=path, done=done, why=why).coded(
                ErrorCode.PERMISSION_DENIED, path=path
            )
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return ToolError.of("disk_full", path=path, why=why).coded(
                ErrorCode.IO_ERROR, path=path
            )
        case errno.ELOOP | errno.ENAMETOOLONG:
            return ToolError.of(
                "path_malformed", path=path[:200], why=why, what="loops or overlong names"
            ).coded(ErrorCode.INVALID_PATH, path=path[:200])
        case _:
            return ToolError.of("io_error", path=path, why=why).coded(ErrorCode.IO_ERROR, path=path)


def _not_found(path: str) -> ToolError:
    near = _near_name(path)
    if near:
        error = ToolError.of("file_not_found.near", path=path, near=near)
    else:
        error = ToolError.of("file_not_found", path=path)
    return error.coded(ErrorCode.FILE_NOT_FOUND, path=path)


def _near_name(path: str) -> str:
    """A name beside the missing one that looks like it; empty where none does."""
    from difflib import get_close_matches  # only a failure pays for it

    folder, name = os.path.split(path)
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry, _ in zip(entries, range(2_000), strict=False)]
    except OSError:
        return ""
    near = get_close_matches(name, names, n=1, cutoff=0.7)
    return os.path.join(folder, near[0]) if near else ""  # noqa: PTH118
