"""Tells whoever watches how a call goes: start, end, error, approvals."""

from typing import Any

from ankrcode.config.redactor import Redactor
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Event, ToolCallEnded, ToolCallStarted, ToolFailed
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.activity import ActivityStream
from ankrcode.tooling.identity import Source
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.state import AgentState

_OF_CALLS: tuple[type[Event], ...] = (ToolCallStarted, ToolCallEnded, ToolFailed)


class Narrator:
    """Makes events, and only while somebody watches."""

    def __init__(self, activity: ActivityStream, source: Source, redactor: Redactor) -> None:
        self._activity = activity
        self._source = source
        self._redactor = redactor

    def tell(self, running: RunningCall, kind: type[Event], **fields: Any) -> None:
        if self._activity.wants(kind):
            where = self._where(running.ctx.call_id, running.agent)
            self._activity.publish(kind(**where, **self._redactor.redact_data(fields)))

    def started(self, running: RunningCall) -> None:
        running.is_announced = True
        arguments, quiet = running.arguments.values, running.tool.quiet
        self.tell(running, ToolCallStarted, tool=running.name, arguments=arguments, quiet=quiet)

    def ended(self, running: RunningCall, result: ToolResult) -> None:
        """Every call has a start and an end, also one that was refused before it began."""
        if not any(map(self._activity.wants, _OF_CALLS)):
            return
        if not running.is_announced:
            self.started(running)
        self._end(running.name, self._where(running.ctx.call_id, running.agent), result)

    def refused(self, call: ToolCall, agent: AgentState, result: ToolResult) -> None:
        """A call that never got as far as a tool has the same events."""
        if not any(map(self._activity.wants, _OF_CALLS)):
            return
        where = self._where(call.id, agent)
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        self._activity.publish(ToolCallStarted(**where, tool=call.name, arguments=arguments))
        self._end(call.name, where, result)

    def _end(self, tool: str, where: dict[str, Any], result: ToolResult) -> None:
        if (error := result.error) is not None:
            failed = ToolFailed(**where, tool=tool, message=error.message, error=error)
            self._activity.publish(failed)
        self._activity.publish(ToolCallEnded(**where, tool=tool, success=result.ok, result=result))

    def _where(self, call_id: str, agent: AgentState) -> dict[str, Any]:
        return {"call_id": call_id, "agent_id": agent.agent_id, "at": self._source.now()}
