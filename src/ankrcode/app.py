"""The only place where the parts are wired together: a `Toolkit` is a ready set of tools."""

import os
from _thread import start_new_thread
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ankrcode import tools as builtin
from ankrcode.config.paths import state_folder
from ankrcode.config.redactor import Redactor
from ankrcode.config.secrets import secret_values
from ankrcode.config.settings import Settings
from ankrcode.errors import SessionError, ToolError, UsageError
from ankrcode.permissions.policy import Policy
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.permissions.rules.rules import Ruleset
from ankrcode.permissions.verdicts import Verdict
from ankrcode.plugins import load_plugins
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Event, TaskEnded
from ankrcode.protocol.permission import Mode, Permission, mode_named
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.activity import ActivityStream, Callback
from ankrcode.tooling.background import run_in_background_loop
from ankrcode.tooling.describe import variables_of
from ankrcode.tooling.dialect import Dialect, Reply
from ankrcode.tooling.durable import can_be_undone, open_journal, open_session
from ankrcode.tooling.hazards import HazardTable
from ankrcode.tooling.hooks import Hook, HookAnswer
from ankrcode.tooling.hooks.engine import HookEngine
from ankrcode.tooling.hooks.functions import FunctionHook
from ankrcode.tooling.identity import Source, SystemSource
from ankrcode.tooling.person import Approver, Asker, Person
from ankrcode.tooling.pipeline import Pipeline
from ankrcode.tooling.plan import AllowedPrompt, PlanAnswer, leave_plan, name_plan, plan_approval
from ankrcode.tooling.recorders import JournalRecorder, Recorder
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.results import Cut, ResultStore
from ankrcode.tooling.scheduler import Scheduler, SchedulingPolicy, Turn
from ankrcode.tooling.state import AgentState, ToolOptions
from ankrcode.tooling.tool import Tool
from ankrcode.tooling.vendors import VendorForm, vendor_forms
from ankrcode.workspace import journal as undo  # loaded by the first change
from ankrcode.workspace import processes as programs  # and by the first command
from ankrcode.workspace.processes.saved import Sieve
from ankrcode.workspace.processes.tasks import Task, Tasks
from ankrcode.workspace.roots import Workspace, find_cwd, find_root
from ankrcode.workspace.writing.writes import FileWriter

AnyTool = Tool[Any] | type[Tool[Any]]


def builtin_tools() -> Registry:
    """Every built-in tool, none of them loaded yet."""
    registry = Registry()
    for module, definition in builtin.definitions().items():
        registry.register_prebuilt(definition, lambda module=module: builtin.load(module))  # type: ignore[misc]
    return registry


class Toolkit:
    """Tools in a workspace, ready to be called: async, sync, or one by one while a model streams.

    >>> kit = Toolkit(cwd=".")
    >>> kit.call_sync("List", path=".").ok
    True
    """

    _has_looked_ahead = False
    is_closed = False

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        cwd: str | Path | None = None,
        extra_directories: Iterable[str | Path] = (),
        mode: Mode | str = Mode.DEFAULT,
        permissions: Iterable[Permission | str] = tuple(Permission),
        approve: Approver | None = None,
        ask: Asker | None = None,
        hooks: Iterable[Hook | FunctionHook] = (),
        registry: Registry | None = None,
        settings: Settings | None = None,
        source: Source | None = None,
        scheduling: SchedulingPolicy = "hazards",
        options: ToolOptions | None = None,
        session_id: str = "",
        rules: Ruleset | None = None,
        plugins: Iterable[str] = (),
        records: bool = False,
    ) -> None:
        self.settings = settings = settings or Settings()
        source = source or SystemSource()
        registry = _with_tools(registry, (*tools, *load_plugins(plugins)))
        session_id = session_id or source.new_id("session")
        store = ResultStore(_results_folder(settings, session_id))
        workspace = _workspace(cwd, extra_directories)
        policy = _policy(settings, workspace, rules, mode_named(mode), granted=permissions)
        policy.readable = (os.path.realpath(store.folder),)
        redactor = Redactor(secret_values(os.environ))
        self.activity = ActivityStream()
        self.agent = AgentState(
            workspace=workspace,
            policy=policy,
            session_id=session_id,
            agent_id=source.new_id("agent"),
            chain_id=source.new_id("chain"),
            options=options or ToolOptions(tools=tuple(registry.names)),
            settings=settings,
            files=_file_writer(),
            processes=lambda: _processes(settings, store.folder, redactor),
            tasks=Tasks(self._task_ended),
        )
        self.hooks, chained = _hooks(settings, tuple(hooks), self.agent)
        self.session = open_session(self.agent, settings, source, redactor) if records else None
        self._pipeline = Pipeline(
            registry=registry,
            activity=self.activity,
            source=source,
            store=store,
            limits=settings.limits,
            cut=Cut(settings.results.cut),
            approver=approve,
            hooks=chained,
            redactor=redactor,
            recorders=self._recorders(),
        )
        table = self._table = HazardTable(settings.limits.concurrent_calls)
        self._scheduler = Scheduler(self._pipeline, table, self.agent, policy=scheduling)
        self._meet(approve, ask or _asker(settings))

    def _meet(self, approve: Approver | None, ask: Asker | None) -> None:
        """Whoever answers here, and what a decision may look at."""
        pipeline, policy = self._pipeline, self.agent.policy
        policy.can_confine = lambda: self.agent.processes.confinement.name != "none"
        self.agent.person = Person(approve, ask, pipeline.questions, pipeline.notify)
        if self.hooks is not None and self.session is not None:
            self.hooks.transcript_path = self.session.path
        if self.mode is Mode.PLAN:
            name_plan(self.agent, pipeline.source)

    def _recorders(self) -> tuple[Recorder, ...]:
        """The log first: a call that changes something is noted before anything is kept of it."""
        log = (self.session.log,) if self.session else ()
        if not self.settings.undo.enabled:
            return log
        return (*log, JournalRecorder(lambda: self.journal))

    def _task_ended(self, task: Task) -> None:
        if self.session is not None:
            with suppress(SessionError):  # the session may have ended before its task
                self.session.log.task_ended(task)
        self.activity.publish(_task_ended(task, self._pipeline.source))

    @cached_property
    def journal(self) -> "undo.Journal":
        """What was changed here, by whom, and how to take it back."""
        return open_journal(self.agent.workspace, self.settings.undo, self._pipeline.source)

    def look_ahead(self) -> None:
        """While a model thinks: know the workspace, so that its first command need not wait."""
        if not self._has_looked_ahead and not self.agent.depth:
            self._has_looked_ahead = True
            start_new_thread(self._look_ahead, ())

    def _look_ahead(self) -> None:
        """Which wall stands is tried once in a process; then the workspace is looked at."""
        from ankrcode.sandbox.choose import WALLS

        next((name for name, (why_not, _) in WALLS.items() if not why_not()), None)
        if self.settings.undo.enabled:
            self.journal.look_ahead()
            if self.is_closed:  # meanwhile: whoever closed it may not have known of this journal
                self.journal.close()

    @property
    def registry(self) -> Registry:
        return self._pipeline.registry

    @property
    def source(self) -> Source:
        """Where time and names come from."""
        return self._pipeline.source

    @property
    def approver(self) -> Approver | None:
        """Who is asked; nobody in scripts."""
        return self._pipeline.approver

    # ── calling ───────────────────────────────────────────────────────────────────────────
    async def call(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, /, **more: Any
    ) -> ToolResult:
        """Run one tool: `await kit.call("Read", file_path="a.py")`. A failure is a result."""
        given = arguments if isinstance(arguments, str) else {**(arguments or {}), **more}
        return await self.call_raw(ToolCall(name=name, arguments=given))

    async def call_raw(self, call: ToolCall) -> ToolResult:
        """Run a call as it came over a wire, however broken its arguments may be."""
        await self._ready()
        return await self._scheduler.turn().run_one(call)

    async def call_all(self, calls: Iterable[ToolCall]) -> list[ToolResult]:
        """Run the calls of one answer, at once where nothing conflicts; results in call order."""
        await self._ready()
        return await self._scheduler.run(calls)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Feed calls while they still arrive: `turn.feed(call)`, then `await turn.results()`."""
        await self._ready()
        turn = self._scheduler.turn()
        try:
            yield turn
        except BaseException:
            turn.cancel()
            raise

    def call_sync(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, /, **more: Any
    ) -> ToolResult:
        """The same from ordinary code: also inside a running loop, and from several threads."""
        return run_in_background_loop(self.call(name, arguments, **more))

    async def call_in(self, dialect: Dialect, call: ToolCall) -> Reply:
        """Run a call as another vocabulary says it; the reply has that vocabulary's shape."""
        await self._ready()
        started = self._pipeline.source.monotonic()
        schemas = {one.name: one.input_schema for one in self.registry.definitions()}
        try:
            native = dialect.to_native(call, schemas, self.agent.workspace.root)
        except ToolError as problem:
            refused = self._pipeline.refuse(call, self.agent, problem, started)
            return dialect.from_result(call.name, refused, call.arguments)
        turn = self._scheduler.turn(_settings_in(dialect, self.agent.settings))
        return dialect.from_result(call.name, await turn.run_one(native), call.arguments)

    async def begin(self, source: str = "startup") -> HookAnswer:
        """The session starts: its hooks run, once. The first call does it if nobody did."""
        if self.hooks is None or self.hooks.has_begun:
            return HookAnswer()
        self.hooks.has_begun = True
        return await self.hooks.run("SessionStart", {"source": source})

    async def ready(self) -> None:
        """What a first call would do beforehand: hooks of the start, tools that look around."""
        await self._ready()

    async def _ready(self) -> None:
        if self.hooks is not None and not self.hooks.has_begun:
            self.hooks.begun = await self.begin()  # told with the first result
        if self.registry.is_uninitialised:
            with suppress(UsageError):  # a call of that very tool says what is wrong with it
                await self.registry.initialise(self.agent.workspace.cwd)

    def judge(self, call: ToolCall) -> tuple[str, Verdict]:
        """What it is about, and what would be decided, without running it. Raises `ToolError`."""
        return self._pipeline.judge(call, self.agent)

    # ── modes: only the person changes them ───────────────────────────────────────────────
    @property
    def mode(self) -> Mode:
        """How much may happen without a question; from now on, for this agent."""
        return self.agent.policy.mode

    @mode.setter
    def mode(self, mode: Mode | str) -> None:
        policy, is_new = self.agent.policy, self.agent.policy.mode is not Mode.PLAN
        policy.mode = mode_named(mode)
        if policy.mode is Mode.PLAN:
            policy.plan_file = "" if is_new else policy.plan_file  # an old plan stays as it is
            name_plan(self.agent, self._pipeline.source)
        if self.session is not None and not self.agent.depth:
            with suppress(SessionError):  # the next call notes it again, or is refused
                self.session.log.note_state(self.agent)

    async def leave_plan(
        self,
        plan: str,
        prompts: Iterable[AllowedPrompt] = (),
        *,
        then: Mode | str = Mode.DEFAULT,
    ) -> PlanAnswer:
        """Show the plan to whoever approves here; plan mode holds until they say yes."""
        approval = plan_approval(plan, prompts, self._pipeline.source)
        approver = self._pipeline.approver
        return await leave_plan(self.agent.policy, approver, approval, then=mode_named(then))

    def clear_state(self) -> None:
        """Begin anew: what was read, granted, remembered, queued and noted of repeats is gone."""
        self.agent.clear()
        self._scheduler.repeats.clear()

    # ── watching ──────────────────────────────────────────────────────────────────────────
    def on(self, event_type: str, callback: Callback) -> Callable[[], None]:
        """Call back for each event of this type, or of every type (`*`). Returns unsubscribe."""
        return self.activity.subscribe(event_type, callback)

    def events(self, *event_types: str) -> AsyncIterator[Event]:
        """The events from now on: `async for event in kit.events(): …`."""
        return self.activity.events(*event_types)

    # ── the end ───────────────────────────────────────────────────────────────────────────
    def close(self) -> None:
        """Stop what this agent still has running in the background; the first agent's ends all."""
        self.is_closed = self.is_closed or not self.agent.depth
        if not self.agent.depth and self.hooks is not None and self.hooks.has_begun:
            self.hooks.has_begun = False
            if self.hooks.listens("SessionEnd"):
                run_in_background_loop(self.hooks.run("SessionEnd", {"reason": "other"}))
        self.agent.tasks.close(self.agent.agent_id if self.agent.depth else None)
        if not self.agent.depth and "processes" in self.agent.__dict__:
            self.agent.processes.close()
        if not self.agent.depth and "journal" in self.__dict__:
            self.journal.close()
        if not self.agent.depth and self.session is not None:
            self.session.recorder.close()

    # ── telling a model ───────────────────────────────────────────────────────────────────
    def definitions(
        self, form: str = "anthropic", dialect: Dialect | None = None
    ) -> list[VendorForm]:
        """What a model is told, in the form of one vendor (see `tooling/vendors.py`)."""
        variables = variables_of(self.agent.workspace)
        usable = self.registry.enabled(self.agent.policy.granted)
        return vendor_forms(usable.described(variables), form, variables, dialect)

    # ── further agents ────────────────────────────────────────────────────────────────────
    def for_agent(
        self,
        name: str,
        *,
        tools: Iterable[str] | None = None,
        cwd: str | Path | None = None,
        mode: Mode | str | None = None,
        permissions: Iterable[Permission | str] = tuple(Permission),
        agent_id: str = "",
        root: str | Path | None = None,
    ) -> "Toolkit":
        """The same workspace for another agent: its own read-state, never more rights.

        `root`: a folder of its own instead, where rules about paths count as they do here.
        """
        child = object.__new__(Toolkit)
        child.__dict__.update(self.__dict__)
        registry = self.registry.lent(tools) if tools is not None else self.registry
        own, source = self.agent, self._pipeline.source
        if root is None:
            workspace, there = Workspace(own.workspace.roots, cwd or own.workspace.cwd), None
        else:
            from ankrcode.permissions.rules.moved import moved  # only a copy pays for it

            workspace = Workspace((root,), cwd or root)
            there = partial(moved, old=own.workspace.root, new=workspace.root)
        child.agent = AgentState(
            workspace=workspace,
            policy=own.policy.narrowed(
                mode=None if mode is None else mode_named(mode),
                granted=frozenset(Permission(one) for one in permissions),
                moved=there,
            ),
            session_id=own.session_id,
            agent=name,
            agent_id=agent_id or source.new_id("agent"),
            chain_id=own.chain_id,
            depth=own.depth + 1,
            options=ToolOptions(tools=tuple(registry.names), model=own.options.model),
            files=own.files,
            settings=own.settings,
            processes=lambda: own.processes,
            tasks=own.tasks,
            person=own.person,
        )
        child._pipeline = self._pipeline.with_registry(registry)
        child._scheduler = Scheduler(child._pipeline, self._table, child.agent)
        return child


def _asker(settings: Settings) -> Asker | None:
    """Answers that were given in advance, where nobody else is there to ask."""
    if not settings.questions.answers_file:
        return None
    from ankrcode.tooling.questions import asker_for

    return asker_for(settings.questions.answers_file)


def _settings_in(dialect: Dialect, settings: Settings) -> Settings:
    edit = replace(settings.edit, match="exact") if dialect.edits_exactly else settings.edit
    return replace(settings, edit=edit)


def _with_tools(registry: Registry | None, tools: Iterable[AnyTool]) -> Registry:
    registry = registry if registry is not None else builtin_tools()
    for tool in tools:
        registry.register(tool)
    return registry


def _policy(
    settings: Settings,
    workspace: Workspace,
    rules: Ruleset | None,
    mode: Mode,
    *,
    granted: Iterable[Permission | str],
) -> Policy:
    if rules is None:
        rules = rules_of_settings(settings.permissions, workspace)
    can_undo = settings.undo.enabled and can_be_undone(workspace)
    policy = Policy(mode=mode, rules=rules, can_undo=can_undo)
    policy.granted = frozenset(map(Permission, granted))
    return policy


def _workspace(cwd: str | Path | None, extra: Iterable[str | Path]) -> Workspace:
    root = Path(cwd) if cwd is not None else find_root(None, os.environ)
    return Workspace((root, *extra), root if cwd is not None else find_cwd(root))


def _file_writer() -> FileWriter:
    """One that first tidies up after processes that died while they wrote."""
    files = FileWriter(state_folder(os.environ) / "writes")
    files.recover()
    return files


def _processes(settings: Settings, folder: str, redactor: Redactor) -> "programs.Processes":
    """Commands get the person's environment without its secrets, behind the wall that stands."""
    from ankrcode.config.secrets import is_secret_variable
    from ankrcode.sandbox.choose import Sandbox
    from ankrcode.workspace.processes.environment import Environment
    from ankrcode.workspace.processes.saved import Saved

    shell = settings.shell
    environment = Environment(
        os.environ,
        is_secret=is_secret_variable,
        passed=shell.env_pass,
        reads_profile=shell.profile,
    )
    saved = Saved(
        folder,
        max_bytes=shell.saved_bytes,
        max_folder_bytes=shell.saved_folder_bytes,
        sieve=lambda: _sieve(redactor),
    )
    return programs.Processes(saved, confinement=Sandbox(settings.sandbox), environment=environment)


def _sieve(redactor: Redactor) -> Sieve:
    from ankrcode.config.redacted_output import RedactedOutput  # only what prints needs it

    return RedactedOutput(redactor)


def _hooks(
    settings: Settings, given: tuple[Hook | FunctionHook, ...], agent: AgentState
) -> tuple[HookEngine | None, tuple[Hook, ...]]:
    """The hooks of the settings and those in Python; without any, nothing is made."""
    table = settings.hooks if settings.hooks_enabled else {}
    if not table and not given:
        return None, ()
    from ankrcode.tooling.hooks.bridge import EngineHook  # only who has hooks pays for it

    functions = [one for one in given if isinstance(one, FunctionHook)]
    others = tuple(one for one in given if not isinstance(one, FunctionHook))
    if not table and not functions:
        return None, others
    engine = HookEngine(table, functions, agent)
    return engine, (*others, EngineHook(engine))


def _task_ended(task: Task, source: Source) -> TaskEnded:
    return TaskEnded(
        agent_id=task.owner,
        at=source.now(),
        task_id=task.id,
        kind=task.kind,
        title=task.title,
        status=task.status,
        exit_code=task.exit_code,
    )


def _results_folder(settings: Settings, session_id: str) -> str:
    chosen = settings.results.folder
    base = Path(chosen).expanduser() if chosen else state_folder(os.environ) / "results"
    return str(base / session_id)
