"""Who works for an agent: typed, within its rights, its budget and its numbers.

A further agent has a conversation and a read-state of its own. What it may do is what both its
type and its parent allow; what it may spend is lent by its parent; it ends when its parent does.
"""

import os
from functools import cached_property

from msgspec.structs import replace

from ankrcode.agent.agent_files import AgentType, own_types
from ankrcode.agent.agent_run import AgentRun
from ankrcode.agent.bounds import names_of, parts_in, rule_under, spread
from ankrcode.agent.child import Assignment, Child, prompt_of
from ankrcode.agent.child_model import is_own_kind, model_of
from ankrcode.agent.hiring import Worker
from ankrcode.agent.presets import OTHER_VENDOR, THOROUGHNESS, TURNS, find_type, presets
from ankrcode.agent.roster import Roster
from ankrcode.agent.staff import Staff
from ankrcode.app import Toolkit
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.message import Message
from ankrcode.tooling.subagents import AgentOrder, AgentReport
from ankrcode.workspace.processes.output import Output


class Crew:
    """The further agents of one agent; those of theirs share its roster and its types."""

    def __init__(self, employer: Worker, above: "Crew | None" = None) -> None:
        self._employer = employer
        self._kit = kit = employer.kit
        self._bounds = kit.settings.subagents
        self._above = above
        fresh = Roster(self._bounds.running, self._bounds.total)
        self._roster: Roster = above._roster if above is not None else fresh
        self.staff = Staff(kit)

    @cached_property
    def _types(self) -> dict[str, AgentType]:
        """As they are when the first is asked for: most agents ask for none. A worktree below has
        those of the folder that the person trusts."""
        if self._above is not None:
            return self._above._types
        return presets() | own_types(self._kit.agent.workspace.root, os.environ)[0]

    def check(self, order: AgentOrder) -> None:
        """Could it begin? Raises `ToolError` if not."""
        self._check_depth()
        if order.tools:
            order = replace(order, tools=spread(order.tools))
        child = self._resumed(order) if order.resume else self._new(order)
        self._check_rules(child.type, order.agent_type)
        if not is_own_kind(order.model or child.wish):
            model_of(order.model or child.wish, self._employer.model, self._kit.settings)

    def start(self, order: AgentOrder) -> AgentRun:
        """Let it begin. Raises `ToolError` if that cannot be."""
        self._check_depth()
        if order.tools:
            order = replace(order, tools=spread(order.tools))
        child = self._resumed(order) if order.resume else self._new(order)
        self._check_rules(child.type, order.agent_type)
        if self._employer.purse.is_empty:
            raise ToolError.of("subagent_no_budget").coded(ErrorCode.EXECUTION_ERROR)
        model = model_of(order.model or child.wish, self._employer.model, self._kit.settings)
        self._enter(child, is_new=not order.resume)
        task = Assignment(
            prompt=prompt_for(order),
            max_turns=turns_for(order, child.type),
            model=model,
            output=Output(self._kit.agent.processes.saved),
            lease=self._employer.purse.lend(),
        )
        run = AgentRun(child.agent_id, task.output, lambda: self._worked(child, task))
        run.on_end(lambda: self._left(child, task))
        return run

    def _enter(self, child: Child, *, is_new: bool) -> None:
        self._roster.enter(is_new=is_new)
        child.is_working = True
        try:
            self.staff.remember(child)
        except ToolError:  # it cannot be noted, so it does not begin
            child.is_working = False
            self._roster.leave()
            raise

    async def _worked(self, child: Child, task: Assignment) -> AgentReport:
        try:
            return await child.work(task, self._hired, self._employer.charge)
        finally:
            if task.model is not self._employer.model:
                await task.model.close()

    def _left(self, child: Child, task: Assignment) -> None:
        """However it ended, and if it never began."""
        child.is_working = False
        self._roster.leave()
        task.lease.settle(0.0)  # unless that is done

    # ── who ───────────────────────────────────────────────────────────────────────────────
    def _new(
        self, order: AgentOrder, agent_id: str = "", said: list[Message] | None = None
    ) -> Child:
        one = find_type(order.agent_type, self._types)
        if one is None:
            names = ", ".join(self._types)
            error = ToolError.of("subagent_unknown_type", type=order.agent_type, types=names)
            raise error.coded(ErrorCode.INVALID_INPUT, subagent_type=order.agent_type)
        wish = order.model or one.model
        if wish == OTHER_VENDOR or (one.model == OTHER_VENDOR and is_own_kind(wish)):
            error = ToolError.of("subagent_needs_model", type=one.name)
            raise error.coded(ErrorCode.INVALID_INPUT)
        return Child(
            one=one,
            agent_id=agent_id or self._kit.source.new_id("agent"),
            parent=self._kit,
            tools=self._tools(one, order),
            asked=_parts(order),
            wish=wish,
            is_isolated=order.is_isolated or one.is_isolated,
            said=said,
        )

    def _known(self, agent_id: str) -> Child:
        """One that worked here, or in an earlier process of this session."""
        child = self.staff.get(agent_id)
        if child is None:
            order, said = self.staff.recalled(agent_id)
            return self._new(order, agent_id, said)
        if child.is_working:
            raise ToolError.of("subagent_busy", id=agent_id).coded(ErrorCode.EXECUTION_ERROR)
        return child

    def _resumed(self, order: AgentOrder) -> Child:
        """It goes on as it was: who wants it to have less must not believe that it has."""
        child = self._known(order.resume)
        asked = _parts(order)
        has_less = order.tools is not None and not set(child.tools) <= set(names_of(order.tools))
        if has_less or asked not in ((), child.asked):
            tools = ", ".join(child.asked or child.tools)
            error = ToolError.of("subagent_keeps_tools", id=child.agent_id, tools=tools)
            raise error.coded(ErrorCode.INVALID_INPUT, allowed_tools=list(order.tools or ()))
        return child

    def _hired(self, kit: Toolkit, child: Child, task: Assignment) -> Worker:
        """For one task; the conversation is the kit's, and outlives it."""
        has_all = child.type.tools is None and child.tools == self._own_tools(child.type)
        worker = self._employer.hire(
            kit,
            task.model,
            system_prompt=prompt_of(child.type, child.asked),
            max_turns=task.max_turns,
            max_cost_usd=task.lease.usd,
            toolset=None if has_all else child.tools,
        )
        told = self._kit.agent.options.agent_definitions
        kit.agent.options = replace(kit.agent.options, agent_definitions=told)
        crew, before = Crew(worker, self), kit.agent.subagents
        if isinstance(before, Crew):
            crew.staff = before.staff
        kit.agent.subagents = crew
        return worker

    # ── within which bounds ───────────────────────────────────────────────────────────────
    def _check_depth(self) -> None:
        if self._kit.agent.depth >= self._bounds.depth:
            error = ToolError.of("subagent_too_deep", limit=self._bounds.depth)
            raise error.coded(ErrorCode.EXECUTION_ERROR, limit=self._bounds.depth)

    def _check_rules(self, one: AgentType, written: str) -> None:
        """A rule about a type counts by whichever of its names it was called."""
        names = (one.name, *one.aliases)
        rule, name = rule_under(names, written, self._kit.agent.policy.rules)
        if rule:
            error = ToolError.of("subagent_ruled", rule=rule, type=one.name, name=name)
            raise error.coded(ErrorCode.PERMISSION_DENIED, subagent_type=written)

    def _own_tools(self, one: AgentType) -> list[str]:
        """What its type has, of what there is here; at the last depth nobody hires."""
        is_last = self._kit.agent.depth + 1 >= self._bounds.depth
        without = (*one.without, "Task") if is_last else one.without
        names = (name for name in self._kit.registry.names if name not in without)
        return [name for name in names if one.tools is None or name in one.tools]

    def _tools(self, one: AgentType, order: AgentOrder) -> list[str]:
        own = self._own_tools(one)
        if order.tools is None:
            return own
        wanted = names_of(order.tools)
        for name in wanted:
            if name not in own:
                tools = ", ".join(own)
                error = ToolError.of("subagent_tool_unknown", type=one.name, tool=name, tools=tools)
                raise error.coded(ErrorCode.INVALID_INPUT, tool=name)
        return [name for name in own if name in wanted]


def _parts(order: AgentOrder) -> tuple[str, ...]:
    """The tools as ordered, where one of them is ordered in part."""
    try:
        return order.tools if order.tools and parts_in(order.tools, "allow") else ()
    except ValueError as problem:
        error = ToolError.of("subagent_tools_broken", why=problem)
        raise error.coded(ErrorCode.INVALID_INPUT, allowed_tools=list(order.tools or ())) from None


def prompt_for(order: AgentOrder) -> str:
    wish = THOROUGHNESS.get(order.thoroughness, "")
    return f"{order.prompt}\n\n{wish}" if wish else order.prompt


def turns_for(order: AgentOrder, one: AgentType) -> int:
    return order.max_turns or TURNS.get(order.thoroughness, one.max_turns)
