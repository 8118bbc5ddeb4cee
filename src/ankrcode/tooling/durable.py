"""What outlives a process: where the journal of a workspace and the log of a session lie."""

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.paths import state_folder
from ankrcode.config.redactor import Redactor
from ankrcode.config.settings import PermissionSettings, SessionSettings, Settings, UndoSettings
from ankrcode.errors import SessionError, SettingsError
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.protocol.message import Message
from ankrcode.protocol.modifier import ContextModifier
from ankrcode.protocol.permission import Mode
from ankrcode.sessions.conversation import messages
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import Approved, StateKept
from ankrcode.sessions.restore import Restored
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.identity import Source
from ankrcode.tooling.plan import MODE_BEFORE
from ankrcode.tooling.recorders import LogRecorder
from ankrcode.tooling.state import AgentState
from ankrcode.words import say
from ankrcode.workspace import journal  # loaded by the first change
from ankrcode.workspace.roots import Workspace, is_trackable
from ankrcode.workspace.writing.writes import FileWriter

_DAY_S = 86_400


def session_store() -> SessionStore:
    state = state_folder(os.environ)
    return SessionStore(state / "sessions", beside=(state / "results",))


def journal_folder(root: str) -> Path:
    """One per workspace, known by its real path."""
    from hashlib import sha256  # slow to load

    name = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
    return state_folder(os.environ) / "journal" / name


def can_be_undone(workspace: Workspace) -> bool:
    """Also what commands change?"""
    return all(is_trackable(root, workspace.home) for root in workspace.roots)


def open_journal(workspace: Workspace, settings: UndoSettings, source: Source) -> "journal.Journal":
    from ankrcode.workspace.journal.blobs import Blobs
    from ankrcode.workspace.journal.states import Caps
    from ankrcode.workspace.journal.tree import Tree

    state, folder = state_folder(os.environ), journal_folder(workspace.root)
    caps = Caps(
        file_bytes=settings.file_bytes,
        total_bytes=settings.total_bytes,
        total_calls=settings.total_calls,
        wait_s=settings.wait_ms / 1000,
    )
    own = os.path.realpath(state)
    tree = Tree(workspace.roots, workspace.home, Blobs(folder / "blobs"), caps, own)
    files = FileWriter(state / "writes")
    return journal.Journal(
        folder, tree, caps=caps, now=source.now, new_id=source.new_id, files=files
    )


class Session:
    """A conversation that is being recorded."""

    def __init__(
        self, recorder: SessionRecorder, log: LogRecorder, agent: AgentState, source: Source
    ) -> None:
        self.recorder = recorder
        self.log = log  # what the pipeline tells
        self.path = ""  # of the file it stands in
        self.warnings: tuple[str, ...] = ()
        self._agent = agent
        self._source = source

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[str]:
        """What happens inside belongs together; when this ends without an error, it is on disk."""
        turn_id = self._source.new_id("turn")
        before, self._agent.turn_id = self._agent.turn_id, turn_id
        self.recorder.turn_started(turn_id)
        try:
            yield turn_id
            await self.recorder.turn_ended(turn_id)
        finally:
            self._agent.turn_id = before


def open_session(
    agent: AgentState, settings: Settings, source: Source, redactor: Redactor
) -> Session:
    """Go on with the agent's session, or begin it."""
    store, at = session_store(), source.now()
    if Path(store.path_of(agent.session_id)).exists():
        opened = store.resume(agent.session_id, at)
        take_up(agent, opened.state, messages(opened.log.path, opened.state))
        for task in opened.lost:
            note = say("task_lost", task=task.task_id, title=task.title)
            agent.tasks.tell(agent.agent_id, task.task_id, note)
    else:
        facts = {
            "cwd": agent.workspace.cwd,
            "roots": agent.workspace.roots,
            "settings": _without_secrets(settings, redactor),
            "mode": agent.policy.mode,
        }
        opened = store.create(agent.session_id, at, **facts)
        _make_room(store, settings.sessions, at)
    recorder = SessionRecorder(opened.log, opened.state, now=source.now)
    if opened.state.values.get("mode") != agent.policy.mode:
        try:
            recorder.note(StateKept(values={"mode": agent.policy.mode}, at=at))
        except SessionError:
            recorder.close()
            raise
    session = Session(recorder, LogRecorder(recorder, redactor, source.now), agent, source)
    session.path, session.warnings = opened.log.path, opened.warnings
    if (root := opened.state.roots[:1]) and root != agent.workspace.roots[:1]:
        session.warnings += (say("session_elsewhere", path=root[0]),)
    return session


def _without_secrets(settings: Settings, redactor: Redactor) -> dict[str, Any]:
    """As data. What was never changed holds none, and looking for them is slow the first time.

    How a provider is reached is left out: headers and addresses may hold what looks like nothing.
    """
    given, usual = msgspec.to_builtins(settings), msgspec.to_builtins(Settings())
    given["providers"] = {}
    return {
        name: value if value == usual.get(name) else redactor.redact_data(value)
        for name, value in given.items()
    }


def _make_room(store: SessionStore, settings: SessionSettings, at: float) -> None:
    """What is too old or too much goes, when something new comes; a failure here can wait."""
    oldest = at - settings.max_age_days * _DAY_S if settings.max_age_days else None
    with suppress(SessionError):
        store.prune(older_than=oldest, max_bytes=settings.max_bytes)


def take_up(agent: AgentState, state: Restored, said: Iterable[Message] = ()) -> None:
    """The agent knows again what it knew: what was said and read, where it was, what may pass."""
    agent.messages[:] = said
    modifiers: list[ContextModifier] = [*state.reads.values(), *state.grants]
    for modifier in modifiers:
        agent.apply(modifier, state.updated)
    for one in state.allowed:
        _allow(agent, one)
    todos, phrases = (state.values.get(key) for key in ("todos", "phrases"))
    agent.todos[:] = todos if isinstance(todos, list) else []
    agent.policy.phrases[:] = phrases if isinstance(phrases, list) else []
    agent.policy.plan_file = str(state.values.get("plan_file") or agent.policy.plan_file)
    _go_on_planning(agent, state)
    if agent.workspace.contains(state.cwd) and Path(state.cwd).is_dir():
        agent.workspace.cwd = state.cwd


def _go_on_planning(agent: AgentState, state: Restored) -> None:
    """A plan that the agent began holds until it is approved, or the person chooses a mode."""
    before = state.values.get(MODE_BEFORE)
    is_planning = before and state.values.get("mode") == Mode.PLAN
    if is_planning and agent.policy.mode is Mode.DEFAULT:
        agent.values[MODE_BEFORE] = before
        agent.policy.mode = Mode.PLAN
        agent.policy.readable += (os.path.realpath(agent.policy.plan_file),)


def _allow(agent: AgentState, answer: Approved) -> None:
    """A yes for the session holds as long as the session does."""
    if answer.exact:
        agent.policy.approved.add(answer.exact)
    rules = PermissionSettings(allow=list(answer.rules))
    with suppress(SettingsError):
        agent.policy.remember(rules_of_settings(rules, agent.workspace).rules)
