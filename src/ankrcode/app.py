"""The only place where the parts are wired together: a `Toolkit` is a ready set of tools."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from ankrcode import tools as builtin
from ankrcode.config.paths import state_folder
from ankrcode.config.settings import Settings
from ankrcode.errors import ToolError, UsageError
from ankrcode.permissions.policy import Policy
from ankrcode.plugins import load_plugins
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Event
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.activity import ActivityStream, Callback
from ankrcode.tooling.approvals import Approver
from ankrcode.tooling.background import run_in_background_loop
from ankrcode.tooling.describe import variables_of
from ankrcode.tooling.dialect import Dialect, Reply
from ankrcode.tooling.hazards import HazardTable
from ankrcode.tooling.hooks import Hook
from ankrcode.tooling.identity import Source, SystemSource
from ankrcode.tooling.pipeline import Pipeline
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.results import Cut, ResultStore
from ankrcode.tooling.scheduler import Scheduler, SchedulingPolicy, Turn
from ankrcode.tooling.state import AgentState, ToolOptions
from ankrcode.tooling.tool import Tool
from ankrcode.tooling.vendors import VendorForm, vendor_forms
from ankrcode.workspace.roots import Workspace, find_cwd, find_root
from ankrcode.workspace.writes import FileWriter

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

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        cwd: str | Path | None = None,
        extra_directories: Iterable[str | Path] = (),
        mode: Mode | str = Mode.DEFAULT,
        permissions: Iterable[Permission | str] = tuple(Permission),
        approve: Approver | None = None,
        hooks: Iterable[Hook] = (),
        registry: Registry | None = None,
        settings: Settings | None = None,
        source: Source | None = None,
        scheduling: SchedulingPolicy = "hazards",
        options: ToolOptions | None = None,
        session_id: str = "",
        plugins: Iterable[str] = (),
    ) -> None:
        settings = settings or Settings()
        source = source or SystemSource()
        registry = registry if registry is not None else builtin_tools()
        for tool in tools:
            registry.register(tool)
        for tool in load_plugins(plugins):
            registry.register(tool)
        session_id = session_id or source.new_id("session")
        store = ResultStore(_results_folder(settings, session_id))
        root = Path(cwd) if cwd is not None else find_root(None, os.environ)
        policy = Policy(
            mode=Mode(mode),
            granted=frozenset(Permission(one) for one in permissions),
            readable=(os.path.realpath(store.folder),),
        )
        self.agent = AgentState(
            workspace=Workspace(
                (root, *extra_directories), root if cwd is not None else find_cwd(root)
            ),
            policy=policy,
            session_id=session_id,
            agent_id=source.new_id("agent"),
            chain_id=source.new_id("chain"),
            options=options or ToolOptions(tools=tuple(registry.names)),
            settings=settings,
            files=_file_writer(),
        )
        self.settings = settings
        self.activity = ActivityStream()
        self._table = HazardTable(settings.limits.concurrent_calls)
        self._pipeline = Pipeline(
            registry=registry,
            activity=self.activity,
            source=source,
            store=store,
            limits=settings.limits,
            cut=Cut(settings.results.cut),
            approver=approve,
            hooks=tuple(hooks),
        )
        self._scheduler = Scheduler(self._pipeline, self._table, self.agent, policy=scheduling)

    @property
    def registry(self) -> Registry:
        return self._pipeline.registry

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
            return dialect.from_result(call.name, refused)
        result = await self._scheduler.turn().run_one(native)
        return dialect.from_result(call.name, result)

    async def _ready(self) -> None:
        if self.registry.is_uninitialised:
            with suppress(UsageError):  # a call of that very tool says what is wrong with it
                await self.registry.initialise(self.agent.workspace.cwd)

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
        self, name: str, *, tools: Iterable[str] | None = None, cwd: str | Path | None = None
    ) -> "Toolkit":
        """The same workspace for another agent: its own read-state, never more rights."""
        child = object.__new__(Toolkit)
        child.__dict__.update(self.__dict__)
        registry = self.registry.subset(tools) if tools is not None else self.registry
        own, source = self.agent, self._pipeline.source
        policy = Policy(
            mode=own.policy.mode, granted=own.policy.granted, readable=own.policy.readable
        )
        policy.grants = list(own.policy.grants)
        child.agent = AgentState(
            workspace=Workspace(own.workspace.roots, cwd or own.workspace.cwd),
            policy=policy,
            session_id=own.session_id,
            agent=name,
            agent_id=source.new_id("agent"),
            chain_id=own.chain_id,
            depth=own.depth + 1,
            options=ToolOptions(tools=tuple(registry.names), model=own.options.model),
            settings=own.settings,
            files=own.files,
        )
        child._pipeline = self._pipeline.with_registry(registry)
        child._scheduler = Scheduler(child._pipeline, self._table, child.agent)
        return child


def _file_writer() -> FileWriter:
    """One that first tidies up after processes that died while they wrote."""
    files = FileWriter(state_folder(os.environ) / "writes")
    files.recover()
    return files


def _results_folder(settings: Settings, session_id: str) -> str:
    chosen = settings.results.folder
    base = Path(chosen).expanduser() if chosen else state_folder(os.environ) / "results"
    return str(base / session_id)
