"""An index beside the logs, for listing and search. It can be deleted: the logs are the truth."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from ankrcode.config.secrets import redact, secret_values
from ankrcode.errors import SessionError
from ankrcode.protocol.message import Message, TextPart
from ankrcode.sessions.log import LogContent, parsed, read_bytes
from ankrcode.sessions.records import AnyRecord, CallBegun, CallEnded, Compacted, MessageAdded
from ankrcode.sessions.restore import Restored
from ankrcode.sessions.store import SessionStore

FILE = "index-3.sqlite3"  # another shape, another name
_FORMER = "index-2.sqlite3"
_BUSY_S = 10.0
_IN_MEMORY = ":memory:"
_MAX_TEXT = 20_000  # of one record: enough to find it by
_TITLE_CHARS = 60
_SPEAKERS = ("user", "assistant", "system")
# Marks belong to the words of Indic scripts; without them a word would fall into pieces.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS logs (
  id TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  read_to INTEGER NOT NULL, state BLOB NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5 (
  id UNINDEXED, who UNINDEXED, text,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Mn Mc Co'"
);
"""


class Summary(Struct, frozen=True, kw_only=True):
    """One line of `sessions list`."""

    id: str
    title: str = ""
    tags: tuple[str, ...] = ()
    cwd: str = ""
    root: str = ""
    created: float = 0.0
    updated: float = 0.0
    turns: int = 0
    calls: int = 0
    usd: float = 0.0
    bytes: int = 0


class Hit(Struct, frozen=True, kw_only=True):
    id: str
    who: str
    excerpt: str


class SessionIndex:
    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self.path = store.folder / FILE

    def sessions(self) -> list[Summary]:
        """Newest first."""
        rows = dict(self._rows("SELECT id, state FROM logs"))
        return [self._summary(one, rows[one]) for one in self._store.ids() if one in rows]

    def search(self, words: str, limit: int = 20) -> list[Hit]:
        """The places where all these words are said, best first; the last may be a beginning."""
        query = _query(words)
        if not query:
            return []
        ask = (
            "SELECT id, who, snippet(said, 2, '', '', '…', 16) FROM said "
            "WHERE said MATCH ? ORDER BY rank LIMIT ?"
        )
        found = self._rows(ask, (query, limit))
        return [Hit(id=one, who=who, excerpt=excerpt) for one, who, excerpt in found]

    def _summary(self, session_id: str, state: bytes) -> Summary:
        known = Restored.loaded(state)
        size = 0
        with suppress(OSError):
            size = Path(self._store.path_of(session_id)).stat().st_size
        names = Summary.__struct_fields__
        facts = {name: getattr(known, name) for name in names if hasattr(known, name)}
        root = known.roots[0] if known.roots else known.cwd
        title = known.title if known.is_named else _short(known.title)
        return Summary(**facts | {"id": session_id, "bytes": size, "root": root, "title": title})

    @cached_property
    def _secrets(self) -> frozenset[str]:
        return secret_values(os.environ)

    # ── keeping up ────────────────────────────────────────────────────────────────────────────
    def _rows(self, ask: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The answer of an index that knows every log as it is now."""
        where = str(self.path) if self._store.folder.is_dir() else _IN_MEMORY
        try:
            return self._asked(where, ask, values)
        except sqlite3.OperationalError:  # locked for long, or nowhere to write
            where = _IN_MEMORY
        except sqlite3.DatabaseError:  # damaged: it is only an index
            self._forget()
        try:
            return self._asked(where, ask, values)
        except sqlite3.DatabaseError as problem:
            raise SessionError.of("session_index", why=problem) from None

    def _asked(self, where: str, ask: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(where, timeout=_BUSY_S, isolation_level=None)) as base:
            with suppress(OSError):
                self.path.chmod(0o600)
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = OFF")  # lost in a power cut, it is built again
            base.executescript(_SCHEMA)
            self._catch_up(base)
            return base.execute(ask, values).fetchall()

    def _forget(self, name: str = FILE) -> None:
        for suffix in ("", "-wal", "-shm"):
            (self._store.folder / f"{name}{suffix}").unlink(missing_ok=True)

    def _catch_up(self, base: sqlite3.Connection) -> None:
        known = {
            one: (size, time)
            for one, size, time in base.execute("SELECT id, size, mtime_ns FROM logs")
        }
        ids = self._store.ids()
        changed = [one for one in ids if self._facts(one) != known.get(one)]
        gone = known.keys() - set(ids)
        if not changed and not gone:
            return
        if not known:
            with suppress(OSError):
                self._forget(_FORMER)  # it held what was said as it was said
        base.execute("BEGIN IMMEDIATE")
        for session_id in gone:
            self._drop(base, session_id)
        for session_id in changed:
            with suppress(SessionError):  # it may be deleted meanwhile
                self._read_on(base, session_id)
        base.execute("COMMIT")

    def _facts(self, session_id: str) -> tuple[int, int] | None:
        try:
            facts = Path(self._store.path_of(session_id)).stat()
        except OSError:
            return None
        return facts.st_size, facts.st_mtime_ns

    def _read_on(self, base: sqlite3.Connection, session_id: str) -> None:
        """Logs only grow, so only what is new is read; one that shrank is read anew."""
        facts = self._facts(session_id)
        if facts is None:
            return
        ask = "SELECT read_to, state FROM logs WHERE id = ?"
        read_to, kept = base.execute(ask, (session_id,)).fetchone() or (0, b"{}")
        if facts[0] < read_to:
            self._drop(base, session_id)
            read_to, kept = 0, b"{}"
        state = Restored.loaded(kept)
        data = read_bytes(self._store.path_of(session_id), read_to)
        whole = data.rfind(b"\n") + 1  # of a line that is just being written, the rest will come
        content = parsed(data[:whole], read_to)
        said = ((session_id, who, self._clean(who, text)) for who, text in _sayings(content))
        base.executemany("INSERT INTO said VALUES (?, ?, ?)", said)
        for offset, record in content.records:
            state.take(record, offset)
        state.title = redact(state.title, self._secrets)
        row = (session_id, *facts, read_to + whole, _slim(state).dumped())
        base.execute("INSERT OR REPLACE INTO logs VALUES (?, ?, ?, ?, ?)", row)

    def _clean(self, who: str, text: str) -> str:
        """What was said may hold secrets, and is printed where it is found; calls hold none."""
        if who in _SPEAKERS:  # half a secret is not known for one: look at more than is kept
            text = redact(text[: 2 * _MAX_TEXT], self._secrets)
        return text[:_MAX_TEXT].encode("utf-8", "replace").decode()

    def _drop(self, base: sqlite3.Connection, session_id: str) -> None:
        base.execute("DELETE FROM logs WHERE id = ?", (session_id,))
        base.execute("DELETE FROM said WHERE id = ?", (session_id,))


def _slim(state: Restored) -> Restored:
    """Without what no list shows."""
    state.reads, state.values, state.open_calls, state.tasks = {}, {}, {}, {}
    state.grants, state.allowed = [], []
    return state


def _short(title: str) -> str:
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "…"


def _sayings(content: LogContent) -> Iterator[tuple[str, str]]:
    for _, record in content.records:
        yield from ((who, text) for who, text in _said(record) if text.strip())


def _said(record: AnyRecord) -> Iterator[tuple[str, str]]:
    match record:
        case MessageAdded():
            yield from _in_message(record.message)
        case Compacted():
            for message in record.messages:
                yield from _in_message(message)
        case CallBegun():
            arguments = record.call.arguments
            as_text = (
                arguments if isinstance(arguments, str) else " ".join(map(str, arguments.values()))
            )
            yield record.call.name, as_text
        case CallEnded():
            yield "result", record.text


def _in_message(message: Message) -> Iterator[tuple[str, str]]:
    for part in message.parts:
        if isinstance(part, TextPart):
            yield message.role, part.text


def _query(words: str) -> str:
    """Each word as it is, whatever the query language would make of it."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in words.replace("\0", " ").split()]
    return " ".join([*quoted[:-1], f"{quoted[-1]} *"]) if quoted else ""
