"""An agent: a task in, real work done, a truthful answer out.

agent = Agent("anthropic/claude-sonnet-4-5")
answer = await agent.run("make the failing test pass")
print(answer.text)
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from pathlib import Path

from ankrcode.agent.answer import Answer, Ending
from ankrcode.agent.context import ContextReport
from ankrcode.agent.conversation import Conversation, teller
from ankrcode.agent.hiring import Hiring
from ankrcode.agent.lease import Purse
from ankrcode.agent.limits import Extend, check_turns, limits_of
from ankrcode.agent.loop import converse
from ankrcode.agent.memory import Memory
from ankrcode.agent.model import ChosenModel
from ankrcode.agent.opening import Opening, check_task
from ankrcode.agent.progress import ApiTime, Progress, ending
from ankrcode.agent.prompt import Wishes
from ankrcode.agent.shielded import ended, shielded
from ankrcode.agent.talk import Talk
from ankrcode.agent.toolset import Toolset, check_beside_kit, forbid, listed, narrowed
from ankrcode.app import AnyTool, Toolkit
from ankrcode.config.settings import Settings
from ankrcode.errors import UsageError
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.event import Event, TurnEnded, TurnStarted
from ankrcode.protocol.message import Usage
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import Model, Options
from ankrcode.tooling.background import run_in_background_loop
from ankrcode.tooling.hooks import Hook
from ankrcode.tooling.hooks.functions import FunctionHook
from ankrcode.tooling.identity import Source
from ankrcode.tooling.person import Approver, Asker

_STEPS_OF_LEAVING = 3  # of the loop, until it has closed a stream that was left by `break`
_LOOK_S = 0.01  # between two looks at work in another thread's loop


class Agent:
    """One conversation. Tasks come one after the other; it remembers the earlier ones.

    `allowed_tools` and `disallowed_tools` are rules, as in the settings: what may run unasked, and
    what never runs (a bare name also hides the tool). `toolset` chooses what the model is told of.
    """

    answer: Answer | None = None  # of the last task
    _talk: Talk | None = None
    _working: asyncio.Task[Answer] | None = None
    _stopping: asyncio.Task[Answer] | None = None  # the same, once it was told to stop
    _home: asyncio.AbstractEventLoop | None = None  # where it worked last
    is_closed = False

    def __init__(
        self,
        model: str | Model | None = None,
        *,
        tools: Iterable[AnyTool] = (),
        cwd: str | Path | None = None,
        extra_directories: Iterable[str | Path] = (),
        mode: Mode | str = Mode.DEFAULT,
        approve: Approver | None = None,
        ask: Asker | None = None,
        hooks: Iterable[Hook | FunctionHook] = (),
        settings: Settings | None = None,
        system_prompt: str | None = None,
        append_system_prompt: str = "",
        max_turns: int | None = None,
        max_cost_usd: float | None = None,
        session_id: str = "",
        records: bool = False,
        persona: str = "",
        language: str = "",
        memory: Memory | None = None,
        source: Source | None = None,
        allowed_tools: Iterable[str] = (),
        disallowed_tools: Iterable[str] = (),
        toolset: Iterable[str] | None = None,
        options: Options | None = None,
        trusted: bool | None = None,
        extend_budget: Extend | None = None,
        base_url: str | None = None,
        kit: Toolkit | None = None,
    ) -> None:
        given, denied = listed("tools", tools), listed("disallowed_tools", disallowed_tools)
        allowed = listed("allowed_tools", allowed_tools)
        extra = listed("extra_directories", extra_directories)
        where = {"cwd": cwd, "extra_directories": extra, "mode": mode}
        who = {"approve": approve, "ask": ask, "hooks": listed("hooks", hooks), "source": source}
        own = where | who | {"session_id": session_id, "records": records}
        if kit is None:
            rules = narrowed(settings or Settings(), allowed, denied)
            kit = Toolkit(given, settings=rules, **own)  # type: ignore[arg-type]
        else:
            check_beside_kit(own | {"tools": given, "settings": settings, "allowed_tools": allowed})
            forbid(kit, denied)
        self.kit = kit
        self._model = ChosenModel(kit.settings, model, base_url)
        self._options = options or Options()
        self._max_turns = check_turns(max_turns)
        usd = kit.settings.budget.usd or None if max_cost_usd is None else max_cost_usd
        self.purse = Purse(usd)  # further agents get a share of it
        self._api_time = ApiTime()
        self._limits = limits_of(kit.settings.budget, max_cost_usd, self.purse, extend_budget)
        wishes = Wishes(system_prompt, append_system_prompt, persona, language)
        self._opening = Opening(kit, wishes, memory=memory, trusted=trusted)
        self._hiring = Hiring(self)
        if not kit.agent.depth:
            kit.agent.subagents = self._hiring
        self._toolset = Toolset(kit, given, toolset, denied)
        self._early: list[str] = []  # said before the first task
        self._account = Progress()  # what further agents take: the task's, or the next one's

    # ── one task ──────────────────────────────────────────────────────────────────────────
    async def run(
        self,
        task: str,
        *,
        attachments: Iterable[Attachment] = (),
        schema: JsonSchema | None = None,
        max_turns: int | None = None,
    ) -> Answer:
        """Work until it is done. However it ends, the answer says so; nothing is raised for it."""
        await self._free()
        given = check_task(task, attachments)
        if schema is not None:
            from ankrcode.agent.structured import check_schema  # only who asks for one pays for it

            check_schema(schema)
        self._home = asyncio.get_running_loop()
        self._working = working = self._home.create_task(self._work(task, given, schema, max_turns))
        self.kit.agent.is_at_work = True
        try:
            cancelled = await ended(working)
        finally:
            self._working = self._stopping = None
            self.kit.agent.is_at_work = False
        if working.cancelled():  # before its first step
            how = ending("error_cancelled", "agent_cancelled")
            self.answer = Answer(subtype=how.subtype, error=how.error)
        else:
            self.answer = working.result()
        if cancelled is not None:
            raise cancelled  # the conversation is in order; the caller was cancelled
        return self.answer

    async def _free(self) -> None:
        """Wait for a task that was told to stop; one that was not, or another agent's, is in the
        way."""
        if self.is_closed or self.kit.is_closed:
            raise UsageError.of("agent_closed")
        if self._working is not None:
            for _ in range(_STEPS_OF_LEAVING):
                await asyncio.sleep(0)
        while (stopping := self._stopping) is not None and _is_ours(stopping):
            await asyncio.wait((stopping,))
            await asyncio.sleep(0)
        if self._working is not None:
            raise UsageError.of("agent_busy")
        if self.kit.agent.is_at_work:
            raise UsageError.of("agent_kit_busy")

    async def stream(
        self,
        task: str,
        *,
        attachments: Iterable[Attachment] = (),
        schema: JsonSchema | None = None,
        max_turns: int | None = None,
    ) -> AsyncGenerator[Event, None]:
        """The same, told while it happens. `agent.answer` holds the answer at the end.

        Leaving it early cancels the task.
        """
        await self._free()  # what an earlier task still tells is not this one's
        events = self.kit.activity.reader()
        work = self.run(task, attachments=attachments, schema=schema, max_turns=max_turns)
        working = asyncio.get_running_loop().create_task(work)
        working.add_done_callback(lambda _: events.close())
        try:
            async for event in events:
                yield event
            await working
        finally:
            events.close()
            if not working.done():
                self.cancel()
                if self._working is None:
                    working.cancel()  # it had not begun
                if (cancelled := await ended(working)) is not None:
                    raise cancelled

    async def chat(self, text: str) -> str:
        """One word of the person, and what came of it, as text alone: the answer, or why none."""
        answer = await self.run(text)
        return answer.text or answer.error

    def run_sync(
        self,
        task: str,
        *,
        attachments: Iterable[Attachment] = (),
        schema: JsonSchema | None = None,
        max_turns: int | None = None,
    ) -> Answer:
        """The same from ordinary code, also inside a running loop."""
        work = self.run(task, attachments=attachments, schema=schema, max_turns=max_turns)
        return run_in_background_loop(work)

    def say(self, text: str) -> None:
        """A word while it works: the model is told with its next results. From any thread."""
        if self._talk is not None:
            self._talk.steering.say(text)
        else:
            self._early.append(text)

    def cancel(self) -> None:
        """Stop. Every call gets its result, and the conversation can go on."""
        working = self._stopping = self._working
        if working is None:
            return
        if _is_ours(working):
            working.cancel()
        else:  # another thread
            working.get_loop().call_soon_threadsafe(working.cancel)

    # ── the inside of a task ──────────────────────────────────────────────────────────────
    async def _work(
        self,
        task: str,
        attachments: tuple[Attachment, ...],
        schema: JsonSchema | None,
        max_turns: int | None,
    ) -> Answer:
        source = self.kit.source
        started = source.monotonic()
        progress = Progress(max_turns=check_turns(max_turns) or self._max_turns)
        progress.spend(self._account.usage, self._account.usd)
        self._account = progress
        try:
            talk = await self.talk()
            talk.conversation.catch_up()
            talk.begin(progress, schema)
            ended = await self._converse(talk, task, attachments)
        except asyncio.CancelledError:
            ended = ending("error_cancelled", "agent_cancelled")
        duration_ms = round((source.monotonic() - started) * 1000, 3)
        answer, self._account = self._answer(progress, ended, duration_ms), Progress()
        await shielded(self._end_turn(answer))
        with suppress(asyncio.CancelledError):  # the task is done, whatever becomes of this
            await self._opening.remember(self._talk, task, answer)
        return answer

    async def _converse(self, talk: Talk, task: str, attachments: tuple[Attachment, ...]) -> Ending:
        opened = await self._opening.of_task(talk, task, attachments)
        if isinstance(opened, Ending):
            return opened
        kit = self.kit
        kit.agent.turn_id = turn_id = kit.source.new_id("turn")
        if kit.session is not None and not kit.agent.depth:
            kit.session.recorder.turn_started(turn_id)
        talk.tell(TurnStarted, turn_id=turn_id)
        talk.conversation.tell(opened)
        return await converse(talk)

    def _answer(self, progress: Progress, ended: Ending, duration_ms: float) -> Answer:
        talk = self._talk
        notes = talk.borne_out() if talk is not None else ()
        text = talk.text or talk.said_last if talk is not None else ""
        return Answer(
            text="\n\n".join(filter(None, (text, *notes))),
            structured=talk.structured if talk is not None else None,
            subtype=ended.subtype,
            error=ended.error,
            session_id=self.kit.agent.session_id,
            turns=progress.turns,
            usage=progress.usage,
            cost_usd=progress.usd,
            duration_ms=duration_ms,
            duration_api_ms=self._api_time.taken_ms(),
            denials=tuple(progress.denials),
            notes=notes,
            failure=ended.failure,
        )

    async def _end_turn(self, answer: Answer) -> None:
        """On disk before anybody is told. A task that a hook kept out was no turn."""
        kit, talk = self.kit, self._talk
        turn_id, kit.agent.turn_id = kit.agent.turn_id, ""
        if talk is None or not turn_id:
            return
        talk.end_syncing()
        if kit.session is not None and not kit.agent.depth:
            await kit.session.recorder.turn_ended(turn_id, stop=answer.subtype)
        talk.tell(TurnEnded, turn_id=turn_id, usage=answer.usage)

    async def talk(self) -> Talk:
        """The conversation, made when the first task comes."""
        if self._talk is None:
            await self._opening.begin()
            await self.kit.ready()
            tell, model = teller(self.kit), self.model
            self._hiring.announce()
            system = self._opening.system(model)
            self._talk = talk = Talk(
                kit=self.kit,
                model=model,
                conversation=Conversation(self.kit, system, tell),
                tools=self._toolset.told(model.name, model.context_tokens),
                options=self._options,
                purse=self.purse,
                limits=self._limits,
                api_time=self._api_time,
                tell=tell,
            )
            for text in self._early:
                talk.steering.say(text)
        return self._talk

    @property
    def model(self) -> Model:
        """Found when first needed, if it was given by name."""
        return self._model.found()

    # ── further agents ────────────────────────────────────────────────────────────────────
    def hire(
        self,
        kit: Toolkit,
        model: Model,
        *,
        system_prompt: str,
        max_turns: int,
        max_cost_usd: float | None,
        toolset: Iterable[str] | None,
    ) -> "Agent":
        """A further agent in these surroundings, with a conversation of its own."""
        agent = Agent(
            model,
            kit=kit,
            system_prompt=system_prompt,
            max_turns=max_turns,
            max_cost_usd=max_cost_usd,
            trusted=self._opening.trusted,
        )
        agent._toolset = self._toolset.below(kit, toolset)
        agent._api_time = ApiTime(self._api_time)
        budget = kit.settings.budget
        agent._limits = limits_of(budget, max_cost_usd, agent.purse, None, self._limits)
        return agent

    def charge(self, usage: Usage, usd: float) -> None:
        """What a further agent took counts as ours, between two tasks as the next one's."""
        self._account.spend(usage, usd)

    @property
    def unbilled(self) -> Progress:
        """What further agents took since the last answer."""
        return self._account

    # ── the conversation ──────────────────────────────────────────────────────────────────
    async def compact(self, instructions: str = "") -> bool:
        """Go on from a summary (`/compact`); False if a hook said no, or nothing was said yet."""
        from ankrcode.agent.compaction import compact

        return await compact(await self.talk(), instructions=instructions, trigger="manual")

    def clear(self) -> None:
        """Begin anew in the same place (`/clear`): nothing of what was said or read remains."""
        if self._working is not None:
            raise UsageError.of("agent_busy")
        if self._talk is not None:
            self._talk.conversation.replace_all(())
        self.kit.clear_state()
        self._talk = None

    async def context(self) -> ContextReport:
        """How full the window is (`/context`)."""
        return (await self.talk()).report()

    async def close(self) -> None:
        """End what still runs, the session and the connection."""
        self.is_closed = True
        self.cancel()
        while (working := self._working) is not None:
            await (asyncio.wait((working,)) if _is_ours(working) else asyncio.sleep(_LOOK_S))
            await asyncio.sleep(0)
        await self._model.close()
        if not self.kit.agent.depth:
            await self._hiring.close()
            hooks = self.kit.hooks
            if hooks is not None and hooks.listens("SessionEnd"):
                await asyncio.to_thread(self.kit.close)  # its hooks run in another loop
            else:
                self.kit.close()

    def close_sync(self) -> None:
        """The same from ordinary code; so does `with Agent(…) as agent`."""
        if self._home is not None and self._home is asyncio._get_running_loop():
            raise UsageError.of("agent_close_here")  # what it began here would be waited for
        run_in_background_loop(self.close())

    async def __aenter__(self) -> "Agent":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close_sync()


def _is_ours(task: asyncio.Task[Answer]) -> bool:
    """Does it work in the loop that asks, and not in another thread?"""
    return asyncio._get_running_loop() is task.get_loop()
