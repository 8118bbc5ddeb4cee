"""What a hook made of a file that a tool had just written: told as a diff, and known from then on.

A formatter that runs as a hook changes lines nobody asked for. Whoever edits next must know them,
or the next edit misses its place.
"""

from msgspec.structs import replace

from ankrcode.errors import ToolError
from ankrcode.protocol.modifier import ContextModifier, FileForgotten, FileRead
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.running import RunningCall
from ankrcode.words import say
from ankrcode.workspace.diffs import change_between, is_cut, unified
from ankrcode.workspace.editing.original import Original, read_bounded
from ankrcode.workspace.reads import ReadState, version_of_bytes
from ankrcode.workspace.text import decode


def with_rewrites(running: RunningCall, result: ToolResult) -> ToolResult:
    """The result with what hooks changed in the files that this call wrote."""
    written = running.acts.writes_files
    modifiers: list[ContextModifier] = []
    told = [result.text]
    for modifier in result.modifiers:
        known: ContextModifier = modifier
        if isinstance(modifier, FileRead) and modifier.path in written:
            known, said = _looked_at(modifier, running.ctx.reads)
            told += said
        modifiers.append(known)
    return replace(result, text="\n".join(told), modifiers=tuple(modifiers))


def _looked_at(read: FileRead, reads: ReadState) -> tuple[ContextModifier, list[str]]:
    """What is known of the file now, and what to say about it."""
    path = read.path
    try:
        content, status = read_bounded(path)
    except ToolError:
        return FileForgotten(path=path), [say("hook_removed", path=path)]
    version = version_of_bytes(status, content)
    windows = () if read.offset is None else ((read.offset, read.limit or 0), *read.further)
    if version.digest == read.digest:
        return replace(read, size=version.size, mtime_ns=version.mtime_ns), []
    if windows and path.lower().endswith(".ipynb"):  # there, they count cells and not lines
        return read, [say("hook_rewrote.unseen", path=path)]
    try:
        before = reads.content_of(read.digest)
        original = Original(path, decode(before, path), None, before, windows)
        changes = change_between(original.text.content, decode(content, path).content)
        original.check_shown(changes)
    except (KeyError, ToolError):  # too large to keep, no text, or beyond the lines that were shown
        return read, [say("hook_rewrote.unseen", path=path)]
    diff = unified(original.text.content, changes, path)
    if is_cut(diff):
        return read, [say("hook_rewrote.unseen", path=path), diff]
    reads.keep(version, content)
    known = original.read_after(changes, version)
    return known, [say("hook_rewrote", path=path), *filter(None, [diff])]
