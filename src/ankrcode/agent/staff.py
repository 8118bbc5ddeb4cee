"""Further agents that can be asked to go on: those of this process, and those of the session."""

from collections import OrderedDict

import msgspec

from ankrcode.agent.bounds import names_of
from ankrcode.agent.child import Child
from ankrcode.app import Toolkit
from ankrcode.errors import ErrorCode, SessionError, ToolError
from ankrcode.protocol.message import Message
from ankrcode.sessions.conversation import side_messages
from ankrcode.sessions.records import StateKept
from ankrcode.tooling.subagents import AgentOrder

MAX_REMEMBERED = 32
_KEPT_AS = "agents"  # among the values of a session
Orders = dict[str, AgentOrder]


class Staff:
    def __init__(self, kit: Toolkit) -> None:
        self._kit = kit
        self._children: OrderedDict[str, Child] = OrderedDict()

    def get(self, agent_id: str) -> Child | None:
        return self._children.get(agent_id)

    def remember(self, child: Child) -> None:
        """The newest; one that works is never forgotten."""
        self._children[child.agent_id] = child
        self._children.move_to_end(child.agent_id)
        idle = [key for key, one in self._children.items() if not one.is_working]
        for key in idle[: max(0, len(self._children) - MAX_REMEMBERED)]:
            del self._children[key]
        self._note()

    # ── beyond this process ───────────────────────────────────────────────────────────────
    def recalled(self, agent_id: str) -> tuple[AgentOrder, list[Message]]:
        """How it was ordered, and what was said. Raises `ToolError` where nobody knows it."""
        known, session = self._known(), self._kit.session
        order = known.get(agent_id)
        if session is None or order is None:
            names = ", ".join(dict.fromkeys((*self._children, *known))) or "none"
            error = ToolError.of("subagent_unknown", id=agent_id, known=names)
            raise error.coded(ErrorCode.INVALID_INPUT, resume=agent_id)
        kept, registry = order.tools or (), self._kit.registry
        there = tuple(one for one in kept if names_of((one,))[0] in registry)
        said = side_messages(session.recorder.log.path, agent_id)
        return msgspec.structs.replace(order, tools=there), said

    def _known(self) -> dict[str, AgentOrder]:
        """Only the first agent's are kept: those below it belong to conversations on the side."""
        session = self._kit.session
        if session is None or self._kit.agent.depth:
            return {}
        try:
            return msgspec.convert(session.recorder.state.values.get(_KEPT_AS, {}), Orders)
        except msgspec.ValidationError:  # a session may come from elsewhere
            return {}

    def _note(self) -> None:
        session = self._kit.session
        if session is None or self._kit.agent.depth:
            return
        own = {key: _order(one) for key, one in self._children.items()}
        kept = dict(list({**self._known(), **own}.items())[-MAX_REMEMBERED:])
        if kept == self._known():
            return
        values = {_KEPT_AS: msgspec.to_builtins(kept)}
        try:
            session.recorder.note(StateKept(values=values, at=self._kit.source.now()))
        except SessionError as problem:
            raise ToolError(str(problem), code=ErrorCode.IO_ERROR) from None


def _order(child: Child) -> AgentOrder:
    """What it takes to have the like of it again."""
    return AgentOrder(
        agent_type=child.type.name,
        prompt="",
        model=child.wish,
        tools=child.asked or tuple(child.tools),
        is_isolated=child.is_isolated,
    )
