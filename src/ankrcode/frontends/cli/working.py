"""An agent at its tasks, as a command line runs it: heard, stopped by signals, never asking."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.frontends.cli.lines import read_lines, standard_input, write_line
from ankrcode.frontends.cli.print_mode import DONE, Printer, exit_code
from ankrcode.frontends.cli.told import BadLine, Told, told
from ankrcode.protocol.definition import JsonSchema

_MAX_WAITING = 1_000  # lines
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Working:
    def __init__(self, agent: Agent, printer: Printer, schema: JsonSchema | None = None) -> None:
        self._agent = agent
        self._printer = printer
        self._schema = schema
        self._is_stopped = False

    async def one(self, task: Told) -> int:
        """Work on it, print what comes of it, and say how a program should end after that."""
        with self._stoppable():
            answer = await self._answered(task)
        self._printer.end(answer)
        return exit_code(answer)

    async def _answered(self, task: Told) -> Answer:
        agent, more = self._agent, {"attachments": task.attachments, "schema": self._schema}
        if not self._printer.wants_events:
            return await agent.run(task.text, **more)  # type: ignore[arg-type]
        async with aclosing(agent.stream(task.text, **more)) as events:  # type: ignore[arg-type,type-var]
            async for event in events:
                self._printer.show(event)
        assert agent.answer is not None
        return agent.answer

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """The first signal ends the task in order; a second one does what it always does."""
        loop = asyncio.get_running_loop()

        def listen_no_more() -> None:
            for one in _SIGNALS:
                loop.remove_signal_handler(one)

        def stop() -> None:
            listen_no_more()
            self._is_stopped = True
            self._agent.cancel()

        for one in _SIGNALS:
            loop.add_signal_handler(one, stop)
        try:
            yield
        finally:
            listen_no_more()

    # ── task after task ───────────────────────────────────────────────────────────────────────
    async def fed(self, first: Told | None) -> int:
        """Each line of standard input is a task; the last one decides how the program ends."""
        code = await self.one(first) if first is not None else DONE
        waiting: asyncio.Queue[Told | None] = asyncio.Queue(_MAX_WAITING)
        reading = asyncio.create_task(self._read(waiting))
        try:
            while not self._is_stopped and (task := await waiting.get()) is not None:
                code = await self.one(task)
        finally:
            reading.cancel()
        return code

    async def _read(self, waiting: "asyncio.Queue[Told | None]") -> None:
        async for line in self._lines():
            try:
                heard = told(line)
            except BadLine as problem:
                write_line({"id": None, "error": str(problem)})
                continue
            if heard.is_interrupt:
                self._agent.cancel()
            else:
                await waiting.put(heard)
        await waiting.put(None)

    async def _lines(self) -> AsyncIterator[bytes]:
        async for line in read_lines(standard_input()):
            if line is None:
                write_line({"id": None, "error": "The line is too long."})
            elif line.strip():
                yield line
