"""What was said so far: appended to, never copied, and noted in the session before it counts.

The list that goes into every request begins with the system messages and only grows, so request n
is a prefix of request n + 1. Roles take turns: what one side says in a row is one message.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ankrcode.agent.estimate import Estimate
from ankrcode.app import Toolkit
from ankrcode.protocol.event import Event, MessageAdded
from ankrcode.protocol.message import Message, Part, ToolResultPart, ToolUsePart, Usage
from ankrcode.protocol.result import ToolResult
from ankrcode.providers.gathered import Gathered
from ankrcode.sessions.records import Compacted

Tell = Callable[..., None]


class Conversation:
    """One agent's talk with its model."""

    def __init__(self, kit: Toolkit, system: Iterable[Message], tell: Tell) -> None:
        self._kit = kit
        self._tell = tell
        self._ids: set[str] = set()
        self.system = tuple(system)
        self.estimate = Estimate()
        self.all: list[Message] = []  # as a request carries it
        self._answering = Gathered()  # what the model says just now
        self._asked_at = 0.0
        self._answered_at: float | None = None
        self._begin_with(kit.agent.messages)

    @property
    def said(self) -> Sequence[Message]:
        """Without the system messages."""
        return self._kit.agent.messages

    @property
    def fixed_tokens(self) -> int:
        """What every request has: the system messages, and the tools."""
        estimate = self.estimate
        return estimate.of(self.system) + round(estimate.fixed * estimate.factor)

    def _begin_with(self, said: Iterable[Message]) -> None:
        """The lists stay the same objects: tools look at the one, requests carry the other."""
        kept = list(said)
        self.all[:] = [*self.system, *kept]
        self._kit.agent.messages[:] = kept
        self.estimate.begin(self.all)
        calls = (part for one in kept for part in one.parts if isinstance(part, ToolUsePart))
        self._ids.update(part.id for part in calls)

    def catch_up(self) -> None:
        """Another agent with the same toolkit may have gone on with it meanwhile."""
        said, known = self._kit.agent.messages, len(self.all) - len(self.system)
        if known != len(said) or (known and said[-1] is not self.all[-1]):
            self._begin_with(said)

    # ── an answer ─────────────────────────────────────────────────────────────────────────
    def await_answer(self, answer: Gathered) -> None:
        """A request is on its way; this is what comes of it."""
        self._answering, self._answered_at = answer, None
        self._asked_at = self._kit.source.monotonic()

    @property
    def waited_s(self) -> float:
        """From the request to the end of its answer; calls may run on after that."""
        ended = self._answered_at
        return (self._kit.source.monotonic() if ended is None else ended) - self._asked_at

    def _usage_of(self, message: Message) -> Usage:
        """What an answer took, as far as its provider has said by now."""
        if message.role != "assistant":
            return Usage()
        self._answered_at = self._kit.source.monotonic()
        return self._answering.usage or Usage()

    # ── growing ───────────────────────────────────────────────────────────────────────────
    def add(self, message: Message) -> None:
        """To the end; to the last message, where that is of the same side."""
        if not message.parts:
            return
        said = self._kit.agent.messages
        self.estimate.add(message)
        if said and said[-1].role == message.role:
            joined = replace(message, parts=said[-1].parts + message.parts)
            said[-1] = self.all[-1] = joined
        else:
            said.append(message)
            self.all.append(message)
        self._tell(MessageAdded, message=message, usage=self._usage_of(message))

    def tell(self, parts: Iterable[Part]) -> None:
        """The person's words, or a note of ours."""
        message = Message(role="user", parts=tuple(parts))
        if message.parts:
            self.note(message)
            self.add(message)

    def tell_results(self, results: Iterable[ToolResult], more: Iterable[Part] = ()) -> None:
        """The results are in the log by themselves; only what comes with them is noted here."""
        beside = tuple(more)
        if beside:
            self.note(Message(role="user", parts=beside))
        parts = tuple(as_part(result) for result in results)
        self.add(Message(role="user", parts=(*parts, *beside)))

    def note(self, message: Message) -> None:
        """Into the session's log, if there is one; `SessionError` if it cannot be."""
        if message.parts and (session := self._kit.session) is not None:
            agent = self._kit.agent
            session.recorder.said(message, side=agent.agent_id if agent.depth else "")

    def unused_id(self, call_id: str) -> str:
        """Some vendors number their calls anew in each answer; a log needs one name for each."""
        if not call_id or call_id in self._ids:
            call_id = self._kit.source.new_id("call")
        self._ids.add(call_id)
        return call_id

    # ── shrinking ─────────────────────────────────────────────────────────────────────────
    def replace_all(self, said: Sequence[Message]) -> None:
        """The conversation goes on from these messages instead."""
        session, agent = self._kit.session, self._kit.agent
        if session is not None and not agent.depth:
            at = self._kit.source.now()
            session.recorder.note(Compacted(messages=tuple(said), at=at))
        self._begin_with(said)


def as_part(result: ToolResult) -> ToolResultPart:
    return ToolResultPart(
        tool_use_id=result.call_id,
        text=result.text,
        attachments=result.attachments,
        is_error=result.error is not None,
    )


def teller(kit: Toolkit) -> Tell:
    """Publishes what happens in the conversation, and costs nothing while nobody watches."""

    def tell(kind: type[Event], **fields: object) -> None:
        if kit.activity.wants(kind):
            event = kind(agent_id=kit.agent.agent_id, at=kit.source.now(), **fields)  # type: ignore[arg-type]
            kit.activity.publish(event)

    return tell
