"""What a tool is given besides its input: where it is, who asks, how to speak meanwhile."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ankrcode.config.redactor import RedactedStream, Redactor
from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.permissions.verdicts import ALLOWED
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.event import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    QuestionAnswered,
    QuestionAsked,
    ToolMetadataChanged,
    ToolOutputChunk,
    ToolProgressed,
)
from ankrcode.protocol.message import Message
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.tooling.activity import ActivityStream
from ankrcode.tooling.identity import Source
from ankrcode.tooling.person import APPROVAL, QUESTION
from ankrcode.tooling.plan import AllowedPrompt, PlanAnswer, enter_plan, propose_plan
from ankrcode.tooling.remarks import Remarks
from ankrcode.tooling.state import AgentState, ToolOptions
from ankrcode.tooling.subagents import Subagents
from ankrcode.workspace import processes as programs  # loaded by the first command
from ankrcode.workspace.processes.tasks import Tasks
from ankrcode.workspace.reads import ReadState
from ankrcode.workspace.roots import Workspace
from ankrcode.workspace.writing.writes import FileWriter


class Cancel:
    """Has someone asked this call to stop? Async tools are cancelled anyway; threads look here."""

    __slots__ = ("requested",)

    def __init__(self) -> None:
        self.requested = False

    def check(self) -> None:
        """Raise `CancelledError` if the call should stop."""
        if self.requested:
            raise asyncio.CancelledError


class Stopwatch:
    """Counts the time a call works; stands still while it waits for a person."""

    __slots__ = ("_paused_at", "_paused_for", "_pauses", "_source", "_started")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._started = source.monotonic()
        self._paused_for = 0.0
        self._paused_at = 0.0
        self._pauses = 0

    @property
    def is_paused(self) -> bool:
        return self._pauses > 0

    def worked_s(self) -> float:
        now = self._paused_at if self._pauses else self._source.monotonic()
        return now - self._started - self._paused_for

    def pause(self) -> None:
        if not self._pauses:
            self._paused_at = self._source.monotonic()
        self._pauses += 1

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._paused_for += self._source.monotonic() - self._paused_at


class ToolContext:
    """One call's view of its agent. Read-only but for what the methods say."""

    __slots__ = (
        *(
            "_activity",
            "_agent",
            "_redactor",
            "_settings",
            "_stream",
            "acts",
            "call_id",
            "cancel",
            "remarks",
        ),
        *("source", "stopwatch", "tool", "verdict"),
    )

    def __init__(
        self,
        *,
        agent: AgentState,
        call_id: str,
        tool: str,
        activity: ActivityStream,
        source: Source,
        redactor: Redactor | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._agent = agent
        self._settings = settings  # of this call alone
        self._activity = activity
        self._redactor = redactor or Redactor()
        self._stream: RedactedStream | None = None
        self.call_id = call_id
        self.tool = tool
        self.source = source
        self.cancel = Cancel()
        self.stopwatch: Stopwatch | None = None
        self.remarks: Remarks | None = None  # what hooks said, if they said anything
        self.acts = NOTHING  # what was judged and allowed, once it was
        self.verdict = ALLOWED  # how it was allowed: by whom, and how it is to be run

    # ── who asks ──────────────────────────────────────────────────────────────────────────
    @property
    def session_id(self) -> str:
        return self._agent.session_id

    @property
    def turn_id(self) -> str:
        return self._agent.turn_id

    @property
    def message_id(self) -> str:
        """Spec 3's name for the turn."""
        return self._agent.turn_id

    @property
    def agent(self) -> str:
        return self._agent.agent

    @property
    def agent_id(self) -> str:
        return self._agent.agent_id

    @property
    def chain_id(self) -> str:
        return self._agent.chain_id

    @property
    def depth(self) -> int:
        return self._agent.depth

    # ── where and with what ───────────────────────────────────────────────────────────────
    @property
    def workspace(self) -> Workspace:
        return self._agent.workspace

    @property
    def cwd(self) -> str:
        return self._agent.workspace.cwd

    @property
    def extra_directories(self) -> tuple[str, ...]:
        return self._agent.workspace.extra_directories

    @property
    def reads(self) -> ReadState:
        return self._agent.reads

    @property
    def settings(self) -> Settings:
        return self._settings or self._agent.settings

    @property
    def files(self) -> FileWriter:
        """The only way a tool changes a file; only those it declared in `acts`."""
        return self._agent.files.only(self.acts)

    @property
    def processes(self) -> "programs.Processes":
        """The only way a tool starts a program."""
        return self._agent.processes

    @property
    def tasks(self) -> Tasks:
        """What goes on in the background."""
        return self._agent.tasks

    @property
    def subagents(self) -> Subagents | None:
        """Whoever lets further agents work; None where no model is behind these tools."""
        return self._agent.subagents

    @property
    def mode(self) -> Mode:
        return self._agent.policy.mode

    @property
    def granted(self) -> frozenset[Permission]:
        """The capabilities held: a tool looks here for its optional ones."""
        return self._agent.policy.granted

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._agent.messages)

    @property
    def todos(self) -> list[Any]:
        return self._agent.todos

    @property
    def values(self) -> dict[str, Any]:
        """What this agent's tools remember between calls."""
        return self._agent.values

    @property
    def options(self) -> ToolOptions:
        return self._agent.options

    def is_allowed(self, tool: str, subject: str = "*") -> bool:
        """Has the person allowed this already, in this session?"""
        return self._agent.policy.is_granted(tool, subject)

    def now(self) -> float:
        """In seconds since the epoch."""
        return self.source.now()

    def new_id(self, prefix: str) -> str:
        """One that nobody else has, such as `prefix_10fb2532a041c600`."""
        return self.source.new_id(prefix)

    # ── the person ────────────────────────────────────────────────────────────────────────
    async def ask(self, question: Question) -> QuestionAnswer:
        """Put a question and wait, off the clock. Raises `ToolError` where nobody is there."""
        person = self._agent.person
        if person.asker is None:
            raise ToolError.of("question_nobody").coded(ErrorCode.EXECUTION_ERROR)
        from ankrcode.tooling.consent import reply  # only a question pays for it

        with self.off_the_clock():
            async with person.turn:
                self._tell(QuestionAsked, question=question)
                person.notify(self, QUESTION)
                answer = await reply(person.asker, question)
        self._tell(QuestionAnswered, answer=answer)
        return answer

    async def approved(self, approval: Approval) -> ApprovalAnswer:
        """Put a proposal, and wait for the yes or no, off the clock."""
        person = self._agent.person
        from ankrcode.tooling.consent import consent  # only a question pays for it

        assert person.approver is not None  # whoever proposes has looked
        with self.off_the_clock():
            async with person.turn:
                self._tell(ApprovalRequested, approval=approval)
                person.notify(self, APPROVAL)
                answer = await consent(person.approver, approval)
        self._tell(ApprovalAnswered, approval_id=approval.id, answer=answer)
        return answer

    @property
    def plan_file(self) -> str:
        """Where this agent's plan is, if it ever made one."""
        return self._agent.policy.plan_file

    @property
    def is_bound_to_plan(self) -> bool:
        """Is the agent that started this one planning? Then only that one can leave."""
        return self._agent.policy.is_bound_to_plan

    def enter_plan(self) -> str:
        """From now on nothing changes but the plan; where that is to be written."""
        return enter_plan(self._agent, self.source)

    async def leave_plan(self, prompts: Iterable[AllowedPrompt]) -> PlanAnswer:
        """Show the plan to whoever approves here; plan mode holds until they say yes."""
        return await propose_plan(self._agent, self.approved, prompts, self.source)

    def _tell(self, kind: type[Event], **fields: Any) -> None:
        if self._activity.wants(kind):
            known: dict[str, Any] = self._redactor.redact_data(fields)
            where = {"call_id": self.call_id, "agent_id": self.agent_id}
            self._activity.publish(kind(at=self.now(), **where, **known))

    # ── speaking while it works ───────────────────────────────────────────────────────────
    def output(self, text: str) -> None:
        """A piece of output, as it arrives; the beginning of what may be a secret waits."""
        if not self._activity.wants(ToolOutputChunk):
            return
        if self._stream is None:
            self._stream = RedactedStream(self._redactor)
        if shown := self._stream.feed(text):
            self._emit(ToolOutputChunk, text=shown)

    def finish_output(self) -> None:
        """No more will come: what was held back goes out."""
        if self._stream is not None and (rest := self._stream.end()):
            self._emit(ToolOutputChunk, text=rest)

    def progress(self, text: str, fraction: float | None = None) -> None:
        """How far it has got."""
        self._emit(ToolProgressed, text=self._redactor.redact(text), fraction=fraction)

    def metadata(self, **values: Any) -> None:
        """What is known already: a title, a count. Spec 3's streaming metadata."""
        self._emit(ToolMetadataChanged, metadata=self._redactor.redact_data(values))

    def _emit(self, kind: type[Event], **fields: Any) -> None:
        if self._activity.wants(kind):
            event = kind(
                call_id=self.call_id,
                agent_id=self._agent.agent_id,
                at=self.source.now(),
                tool=self.tool,  # type: ignore[call-arg]  # all tool events have it
                **fields,
            )
            self._activity.publish(event)

    @contextmanager
    def off_the_clock(self) -> Iterator[None]:
        """While the call waits for a person or another agent, its time limit stands still."""
        if self.stopwatch is None:
            yield
            return
        self.stopwatch.pause()
        try:
            yield
        finally:
            self.stopwatch.resume()
