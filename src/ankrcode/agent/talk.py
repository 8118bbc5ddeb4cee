"""All that the loop of one task works with."""

import asyncio
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ankrcode.agent.answer import Ending
from ankrcode.agent.context import ContextReport, ContextWindow
from ankrcode.agent.conversation import Conversation, Tell
from ankrcode.agent.estimate import of_part, of_tools
from ankrcode.agent.guard import LoopGuard
from ankrcode.agent.lease import Purse
from ankrcode.agent.ledger import Ledger
from ankrcode.agent.limits import Limits
from ankrcode.agent.notes import mode_in, words_of
from ankrcode.agent.pricing import price_of
from ankrcode.agent.progress import ApiTime, Progress
from ankrcode.agent.project_context import ProjectContext
from ankrcode.agent.steering import Steering
from ankrcode.agent.warming import Warming
from ankrcode.app import Toolkit
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.message import ToolResultPart, Usage
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.result import ToolResult
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec

_CALLS_FIRST_S = 0.05  # a quick model has calls to start, which want the processor
_THINKS_S = 0.025  # who answers sooner leaves no time to look ahead
_SYNC_EACH_S = 0.3  # quick turns share one: whoever is told that a turn is done waits for the disk
_CLAIMS = (
    *("test", "spec", "suite", "green", "pass", "grün", "prueba", "टेस्ट", "परीक्षण", "चाच"),
    *("சோதனை", "டெஸ்ட்", "పరీక్ష", "టెస్ట", "ಪರೀಕ್ಷೆ", "ಟೆಸ್ಟ್"),
)


class Talk:
    """One conversation while it works on one task after the other."""

    def __init__(
        self,
        *,
        kit: Toolkit,
        model: Model,
        conversation: Conversation,
        tools: tuple[ToolSpec, ...],
        options: Options,
        purse: Purse,
        limits: Limits | None,
        api_time: ApiTime,
        tell: Tell,
    ) -> None:
        self.kit = kit
        self.model = model
        self.conversation = conversation
        self.tools = tools
        self.options = options
        self._purse = purse
        self._limits = limits
        self.api_time = api_time
        self.tell = tell
        kit.agent.options = replace(
            kit.agent.options, model=model.name, max_thinking_tokens=options.max_thinking_tokens
        )
        self.context = ContextWindow(model.context_tokens)
        conversation.estimate.fixed = of_tools(tools)
        self.steering = Steering()
        self.guard = LoopGuard()
        self.warming = Warming(kit, (one.name for one in tools))
        self.ledger = Ledger()
        self.ledger.take_up(conversation.said)
        self._synced = 0.0
        self._syncing: asyncio.TimerHandle | None = None
        self._ahead: asyncio.TimerHandle | None = None
        self.project: ProjectContext | None = None
        self.told_mode = mode_in(conversation.said)  # what the model knows of it
        self.begin(Progress())

    def begin(self, progress: Progress, schema: JsonSchema | None = None) -> None:
        """A new task: its counts begin anew."""
        self.progress = progress
        self.schema = schema
        self.structured: Any = None
        self.repairs = 0
        self.cuts = 0  # answers in a row that broke off
        self.pushes = 0  # answers in a row that were not whole and had to be asked on
        self.held = 0  # how often a hook sent it back to work
        self.text = ""  # of the answer so far, where it came in several pieces
        self.said_last = ""  # beside its last calls
        self.guard.clear()

    def go_on_after_calls(self, text: str) -> None:
        """It works: what was counted against it in a row begins anew."""
        self.pushes = 0
        self.text = ""
        self.said_last = text or self.said_last

    def request(self) -> ModelRequest:
        options = self.options
        if self.schema is not None:
            options = replace(options, schema=self.schema)
        return ModelRequest(messages=self.conversation.all, tools=self.tools, options=options)

    async def stopped(self) -> Ending | None:
        """What stands in the way of one more request."""
        return self.progress.limit() or await self._spent_up() or await self.make_room()

    async def _spent_up(self) -> Ending | None:
        if self._limits is None:
            return None
        tokens = self.conversation.estimate.tokens
        usd = price_of(self.model.name, Usage(input_tokens=tokens))
        return await self._limits.reached(tokens, usd)

    async def make_room(self) -> Ending | None:
        """Before a request; while the window has room this costs one comparison."""
        if not self.context.is_full(self.conversation):
            return None
        from ankrcode.agent.compaction import compact  # slow to load, and seldom needed

        return await self.context.make_room(self.conversation, lambda: compact(self))

    def sync_meanwhile(self) -> None:
        """What was noted goes to the disk a moment later, when the request is on its way."""
        loop = asyncio.get_running_loop()
        self._ahead = loop.call_later(_THINKS_S, self.kit.look_ahead)
        session, now = self.kit.session, self.kit.source.monotonic()
        if session is None or self.kit.agent.depth or now - self._synced < _SYNC_EACH_S:
            return
        self._synced = now
        self._syncing = loop.call_later(_CALLS_FIRST_S, session.recorder.sync_soon)

    def end_syncing(self) -> None:
        """Whoever ends a turn waits for the disk himself."""
        if self._syncing is not None:
            self._syncing.cancel()
            self._syncing = None

    def stop_warming(self) -> None:
        """The answer begins: from now on its calls need the machine."""
        self.warming.stop()
        if self._ahead is not None:
            self._ahead.cancel()

    def account(self, gathered: Gathered, sent: float, spoke_as: str = "") -> None:
        """What an answer cost, also one that broke off."""
        self.stop_warming()
        if gathered.failure is None:
            self.cuts = 0
            self.context.was_accepted()
        usage = gathered.usage or self._counted(gathered, sent)
        model = spoke_as or self.model.name
        usd = price_of(model, usage)
        self.progress.spend(usage, usd)
        self._purse.spend(usd)
        if self._limits is not None:
            self._limits.spend(usage)
        if gathered.usage is not None:
            self.conversation.estimate.calibrate(sent, usage.input_tokens)
        if self.kit.session is not None and usage != Usage():
            self.kit.session.recorder.spent(model, usage, usd)

    def _counted(self, gathered: Gathered, sent: float) -> Usage:
        """By ourselves, where a provider does not say; who said nothing used nothing."""
        if not gathered.parts:
            return Usage()
        said = self.conversation.estimate.of((gathered.message,))
        return Usage(input_tokens=round(sent), output_tokens=said)

    def instructions_near(self, results: Iterable[ToolResult]) -> str:
        """What the folders ask that work has just come to; each is told once."""
        if self.project is None:
            return ""
        read = (one.path for result in results for one in result.modifiers if type(one) is FileRead)
        return self.project.nearer(read)

    # ── looking back ──────────────────────────────────────────────────────────────────────
    def borne_out(self) -> tuple[str, ...]:
        """What of the answer is not borne out by what ran, as notes for the person."""
        if self.schema is not None or not may_claim(self.text):
            return ()
        from ankrcode.agent.evidence import unsupported  # only a claim pays for it

        roots = self.kit.agent.workspace.roots
        asked = "\n".join(map(words_of, self.conversation.said))
        found = unsupported(self.ledger.ran, self.text, roots, asked)
        return (found,) if found else ()

    def learnings(self, task: str) -> tuple[str, ...]:
        """What later work may want to know: what the person asked for, what was changed and run."""
        from ankrcode.agent.learning import learned

        return learned(self.ledger.ran, task)

    def report(self) -> ContextReport:
        estimate, said = self.conversation.estimate, self.conversation.said
        results = (part for one in said for part in one.parts if isinstance(part, ToolResultPart))
        return ContextReport(
            tokens=estimate.tokens,
            limit=self.context.limit,
            window=self.context.window,
            messages=len(said),
            system_tokens=estimate.of(self.conversation.system),
            tool_tokens=round(estimate.fixed * estimate.factor),
            result_tokens=round(sum(map(of_part, results)) * estimate.factor),
            rounds=self.context.rounds,
        )


def may_claim(text: str) -> bool:
    """A quick look: most answers say nothing of tests."""
    folded = text.casefold()
    return any(one in folded for one in _CLAIMS)
