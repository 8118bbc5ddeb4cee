"""The journal's own record: which call changed what, and what was taken back."""

from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct

from ankrcode.workspace.journal.states import State


class Change(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One path before and after."""

    path: str
    before: State
    after: State

    @property
    def word(self) -> Literal["created", "deleted", "changed"]:
        if self.before.kind == "missing":
            return "created"
        return "deleted" if self.after.kind == "missing" else "changed"

    def reversed(self) -> "Change":
        return Change(path=self.path, before=self.after, after=self.before)


class Entry(Struct, frozen=True, kw_only=True, tag="entry", tag_field="type", omit_defaults=True):
    """What one call changed. `partial`: something it may have changed is not known or not kept."""

    id: str
    tool: str
    changes: tuple[Change, ...]
    at: float = 0.0
    title: str = ""
    call_id: str = ""
    turn_id: str = ""
    agent_id: str = ""
    session_id: str = ""
    partial: str = ""


class Begun(Struct, frozen=True, kw_only=True, tag="begun", tag_field="type", omit_defaults=True):
    """Written before the call runs: if the process dies, what it was about to change is known."""

    id: str
    tool: str
    before: dict[str, State]
    process: int = 0
    is_shell: bool = False
    snapshot: str = ""  # the file that tells what stood there before a command,
    snapshot_end: int = 0  # if it is read up to here
    at: float = 0.0
    title: str = ""
    call_id: str = ""
    turn_id: str = ""
    agent_id: str = ""
    session_id: str = ""

    def entry(self, changes: Iterable[Change], partial: str) -> Entry:
        """What came of it."""
        facts = {name: getattr(self, name) for name in _SHARED}
        return Entry(changes=tuple(changes), partial=partial, **facts)


_SHARED = ("id", "tool", "at", "title", "call_id", "turn_id", "agent_id", "session_id")


class Closed(Struct, frozen=True, kw_only=True, tag="closed", tag_field="type"):
    """It changed nothing."""

    id: str


class Undone(Struct, frozen=True, kw_only=True, tag="undone", tag_field="type", omit_defaults=True):
    """These entries were taken back, or (`redone`) made again; `is_begun`: or are about to be."""

    ids: tuple[str, ...]
    at: float = 0.0
    redone: bool = False
    is_begun: bool = False


class Listed(Struct, frozen=True, kw_only=True):
    """An entry as it stands now. `undone`: higher if later; equal for those undone at once."""

    entry: Entry
    undone: int = 0
    is_found: bool = False  # left unfinished by a process that died

    @property
    def is_undone(self) -> bool:
        return self.undone > 0

    @property
    def is_empty(self) -> bool:
        """Nothing happened, and nothing may have happened."""
        return not self.entry.changes and not self.entry.partial


JournalRecord = Entry | Begun | Closed | Undone
_decoder = msgspec.json.Decoder(JournalRecord)


def encoded(record: JournalRecord) -> bytes:
    return msgspec.json.encode(record)


def decoded(content: bytes) -> JournalRecord | None:
    try:
        record: JournalRecord = _decoder.decode(content)
        return record
    except msgspec.DecodeError:
        return None
