"""Changes of the agent's own state that a result may ask for; the pipeline applies them."""

from msgspec import Struct

from ankrcode.protocol.call import ToolCall


class FileRead(Struct, frozen=True, kw_only=True, tag="file_read"):
    """A file was read: a later edit of what was shown is allowed."""

    path: str
    size: int
    mtime_ns: int
    digest: str
    offset: int | None = None  # first line shown, 1-based; None = the whole file
    limit: int | None = None
    further: tuple[tuple[int, int], ...] = ()  # more such windows: first line and how many


class FileMoved(Struct, frozen=True, kw_only=True, tag="file_moved"):
    """A file or folder has another name: what was read of it still counts."""

    source: str
    destination: str


class FileForgotten(Struct, frozen=True, kw_only=True, tag="file_forgotten"):
    """A file or folder is gone: what was read of it counts no more."""

    path: str


class DirectoryChanged(Struct, frozen=True, kw_only=True, tag="directory_changed"):
    """A command went elsewhere: the next one starts there."""

    path: str


class PermissionGranted(Struct, frozen=True, kw_only=True, tag="permission_granted"):
    """Matching calls of `tool` need no further question in this session."""

    tool: str
    pattern: str = "*"


class QueueCommand(Struct, frozen=True, kw_only=True, tag="queue_command"):
    """Run this call after the turn, through the whole pipeline."""

    call: ToolCall


ContextModifier = (
    FileRead | FileMoved | FileForgotten | DirectoryChanged | PermissionGranted | QueueCommand
)
