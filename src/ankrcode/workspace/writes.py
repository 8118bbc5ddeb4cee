"""Writing a file so that it is never half written, and never over a version nobody read."""

import os
import stat

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.files import file_error
from ankrcode.workspace.reads import FileVersion, version_of


class FileWriter:
    """Replaces files whole: temporary file in the same folder, fsync, rename."""

    def write(self, path: str, content: bytes, *, expected: FileVersion | None) -> FileVersion:
        """Put `content` at a real path; `expected` is the version it replaces (None: new)."""
        try:
            return self._replaced(path, content, expected)
        except OSError as problem:
            raise file_error(path, problem, done="written") from None

    def _replaced(self, path: str, content: bytes, expected: FileVersion | None) -> FileVersion:
        folder, name = os.path.split(path)
        temporary = os.path.join(folder, f".{name[:100]}.{os.urandom(6).hex()}.ankrcode")  # noqa: PTH118
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(temporary, flags, 0o666)
        try:
            with open(handle, "wb") as file:  # noqa: PTH123
                file.write(content)
                file.flush()
                _keep_facts(path, file.fileno())
                os.fsync(file.fileno())
            if version_of(path) != expected:
                raise ToolError.of("changed_since_read", path=path).coded(
                    ErrorCode.CHANGED_SINCE_READ, path=path
                )
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108
            raise
        written = version_of(path)
        assert written is not None
        return written


def _keep_facts(path: str, handle: int) -> None:
    """The new file has the mode and owner of the one it replaces."""
    try:
        before = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return
    os.fchmod(handle, stat.S_IMODE(before.st_mode))
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(handle, before.st_uid, before.st_gid)
