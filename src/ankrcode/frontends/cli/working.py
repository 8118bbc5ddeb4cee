"""An agent at its tasks, as a command line runs it: heard, stopped by signals, never asking."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Any

from msgspec.structs import replace

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.frontends.cli.lines import read_lines, standard_input, write_line
from ankrcode.frontends.cli.print_mode import (
    DONE,
    INTERRUPTED,
    Printer,
    TextPrinter,
    exit_code,
    tell,
)
from ankrcode.frontends.cli.told import BadLine, Control, Told, told
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.permission import Mode
from ankrcode.words import advice, say

Waiting = asyncio.Queue[Told | OSError | None]  # the tasks to come, and why no more come

_MAX_WAITING = 1_000  # lines
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Working:
    """`writes_lines`: whoever reads standard output reads JSON lines."""

    def __init__(
        self,
        agent: Agent,
        printer: Printer | None = None,
        schema: JsonSchema | None = None,
        *,
        writes_lines: bool = True,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_stop = on_stop
        self._agent = agent
        self.printer: Printer = printer or TextPrinter()
        self._schema = schema
        self._writes_lines = writes_lines
        self._stopped = asyncio.Event()

    async def one(self, task: Told) -> int:
        """One of several: a signal ends this one, not the next."""
        self._stopped.clear()
        with self.stoppable():
            return await self.only(task)

    async def only(self, task: Told) -> int:
        """Work on it, print what comes of it, and say how a program should end after that."""
        session_id = self._agent.kit.agent.session_id
        answer = cancelled() if self._stopped.is_set() else await self._answered(task)
        if not answer.session_id:  # it ended before its first step
            answer = replace(answer, session_id=session_id)
        self.printer.end(answer)
        return exit_code(answer)

    async def _answered(self, task: Told) -> Answer:
        agent, more = self._agent, {"attachments": task.attachments, "schema": self._schema}
        if not self.printer.wants_events:
            return await agent.run(task.text, **more)  # type: ignore[arg-type]
        async with aclosing(agent.stream(task.text, **more)) as events:  # type: ignore[arg-type]
            async for event in events:
                self.printer.show(event)
        assert agent.answer is not None
        return agent.answer

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """The first signal ends the task in order; a second one does what it always does."""
        loop = asyncio.get_running_loop()
        before = {one: signal.getsignal(one) for one in heeded()}

        def stop() -> None:
            self._stopped.set()
            self._on_stop()
            self._agent.cancel()

        def heard(*_: object) -> None:
            # At once, not when the loop comes to it: it may wait for a reader who does not read.
            for one in before:
                is_key = one is signal.SIGINT
                signal.signal(one, signal.default_int_handler if is_key else signal.SIG_DFL)
            loop.call_soon_threadsafe(stop)

        for one in before:
            signal.signal(one, heard)
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    async def ready(self) -> bool:
        """The conversation is begun, unless a signal comes meanwhile: hooks may take their time."""
        beginning = asyncio.ensure_future(self._agent.talk())
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((beginning, stopped), return_when=asyncio.FIRST_COMPLETED)
            if beginning.done():
                await beginning  # whatever went wrong is told
            return beginning.done()
        finally:
            stopped.cancel()
            beginning.cancel()
            with suppress(asyncio.CancelledError):
                await beginning

    # ── task after task ───────────────────────────────────────────────────────────────────────
    async def fed(self, first: Told | None) -> int:
        """Each line of standard input is a task; the last one decides how the program ends."""
        code = DONE
        waiting: Waiting = asyncio.Queue(_MAX_WAITING)
        if first is not None:
            waiting.put_nowait(first)  # wishes are heard while it is worked on
        reading = asyncio.create_task(self._read(waiting))
        try:
            while not self._stopped.is_set() and (task := await self._next(waiting)):
                if isinstance(task, OSError):
                    raise task  # nobody hears our answers any more
                code = await self.only(task)
        finally:
            reading.cancel()
        return INTERRUPTED if self._stopped.is_set() else code

    async def _next(self, waiting: Waiting) -> Told | OSError | None:
        """The next task; None when no more comes, or a signal came while there was none."""
        coming = asyncio.ensure_future(waiting.get())
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((coming, stopped), return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else None
        finally:
            coming.cancel()
            stopped.cancel()

    async def _read(self, waiting: Waiting) -> None:
        end: OSError | None = None
        try:
            async for line in self._lines():
                if (task := self._heard(line)) is not None:
                    await waiting.put(task)
        except OSError as problem:
            end = problem
        await waiting.put(end)

    def _heard(self, line: bytes) -> Told | None:
        """A task; everything else is answered at once."""
        try:
            heard = told(line)
        except BadLine as problem:
            self._complain(str(problem))
            return None
        if isinstance(heard, Told):
            return heard
        self._obey(heard)
        return None

    async def _lines(self) -> AsyncIterator[bytes]:
        async for line in read_lines(standard_input()):
            if line is None:
                self._complain("The line is too long.")
            elif line.strip():
                yield line

    def _complain(self, why: str) -> None:
        if self._writes_lines:
            write_line({"id": None, "error": why})
        else:
            tell(why)

    # ── wishes about the work ─────────────────────────────────────────────────────────────────
    def _obey(self, control: Control) -> None:
        """At once, whatever waits; whoever gave an id hears what came of it."""
        try:
            response: dict[str, Any] = {"subtype": "success", "response": self._done(control)}
        except ValueError as problem:
            if control.request_id == "":
                self._complain(str(problem))
            response = {"subtype": "error", "error": str(problem)}
        if control.request_id != "" and self._writes_lines:
            response["request_id"] = control.request_id
            write_line({"type": "control_response", "response": response})

    def _done(self, control: Control) -> dict[str, Any]:
        match control.kind:
            case "initialize":  # what clients of Claude-Code-style agents begin with
                return {"commands": [], "permissionMode": str(self._agent.kit.mode)}
            case "interrupt":
                self._agent.cancel()
                return {}
            case "set_permission_mode":
                return {"mode": self._set_mode(control.request.get("mode"))}
        raise ValueError(f"The line asks for {control.kind!r}, which is not known here.")

    def _set_mode(self, named: Any) -> str:
        from ankrcode.frontends.cli.ask_options import ALIASES

        mode = ALIASES.get(named, named) if isinstance(named, str) else None
        if mode not in list(Mode):
            raise ValueError(f"The line names no mode: {', '.join(Mode)}.")
        self._agent.kit.mode = mode
        return str(self._agent.kit.mode)


def heeded() -> tuple[signal.Signals, ...]:
    """The signals that end a task. What nohup started outlives its terminal."""
    is_kept = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return _SIGNALS[:-1] if is_kept else _SIGNALS


def cancelled() -> Answer:
    """The signal came before the work began."""
    said = f"{say('agent_cancelled')} {advice('agent_cancelled')}".rstrip()
    return Answer(subtype="error_cancelled", error=said)
