"""One further agent: where it works, how its hooks are told, and what it leaves behind."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.agent.agent_files import AgentType
from ankrcode.agent.answer import Answer
from ankrcode.agent.bounds import rules_in
from ankrcode.agent.guide import docs_folder, reads_docs, with_docs
from ankrcode.agent.hiring import Worker, end_agents
from ankrcode.agent.lease import Lease
from ankrcode.agent.leftovers import tidy_up
from ankrcode.agent.progress import together
from ankrcode.agent.shielded import shielded
from ankrcode.agent.transcript import Transcript
from ankrcode.agent.worktree import Worktree
from ankrcode.app import Toolkit
from ankrcode.errors import ToolError
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import Message, Usage
from ankrcode.protocol.permission import Mode
from ankrcode.providers.wire import Model
from ankrcode.tooling.hooks.events import HookEvent
from ankrcode.tooling.subagents import AgentReport
from ankrcode.words import say
from ankrcode.workspace.processes.output import Output

_NAMED = 20  # files that are left out, by name
MAX_PUSHES = 3  # how often a hook may send a finished agent back to work


class Assignment(Struct, frozen=True, kw_only=True):
    """One task of a further agent, and what it may use up for it."""

    prompt: str
    max_turns: int
    model: Model
    output: Output
    lease: Lease


Hire = Callable[[Toolkit, "Child", Assignment], Worker]
Charge = Callable[[Usage, float], None]


class Child:
    """Kept after its work is done: it can be asked to go on."""

    def __init__(
        self,
        *,
        one: AgentType,
        agent_id: str,
        parent: Toolkit,
        tools: list[str],
        asked: tuple[str, ...],
        wish: str,
        is_isolated: bool,
        said: list[Message] | None = None,
    ) -> None:
        self.type = one
        self.agent_id = agent_id
        self.tools = tools
        self.asked = asked  # as it was ordered, where that was a part of a tool
        self.wish = wish  # which model it is to have
        self.is_isolated = is_isolated
        self.is_working = False
        self._parent = parent
        self._said = said or []  # before this process
        self._kit: Toolkit | None = None
        self._worktree: Worktree | None = None
        self._took = Answer()  # all that the present task took so far

    async def work(self, task: Assignment, hire: Hire, charge: Charge) -> AgentReport:
        """From the order to the report. Cancelled, it tidies up as well."""
        self._took = answer = Answer()
        worker: Worker | None = None
        try:
            worker = hire(await self._ready(), self, task)
            answer = await self._watched(worker, task)
        except ToolError as problem:
            answer = Answer(subtype="error_blocked", error=str(problem))
        finally:
            await shielded(self._tidied())
            if worker is not None:  # those below it have ended: what they took is known now
                self._count(worker.unbilled.usage, worker.unbilled.usd)
            task.lease.settle(self._took.cost_usd)
            charge(self._took.usage, self._took.cost_usd)
            for line in filter(None, (answer.error, self._kept_at())):  # for whoever looks later
                task.output.write(memoryview(f"{line}\n".encode(errors="replace")))
        return self._report(answer, task)

    # ── its place ─────────────────────────────────────────────────────────────────────────
    async def _ready(self) -> Toolkit:
        parent = self._parent
        where, agent = parent.agent.workspace.root, parent.agent
        is_planning = parent.mode is Mode.PLAN  # then git writes nothing for us either
        if not is_planning:
            self._tell(await tidy_up(where, lambda: agent.processes, but=self.agent_id))
        if self.is_isolated and self._worktree is None:
            if is_planning:
                raise ToolError.of("worktree_in_plan", type=self.type.name)
            self._worktree = await Worktree.make(where, self.agent_id, agent.processes)
        if self._kit is None:
            self._kit = kit = parent.for_agent(
                self.type.name,
                tools=self.tools,
                mode=self.type.mode,
                agent_id=self.agent_id,
                root=self._worktree.path if self._worktree is not None else None,
            )
            self._bind(kit)
            if reads_docs(self.type) and (docs := docs_folder()) is not None:
                kit.agent.policy.readable += (str(docs.resolve()),)
            kit.agent.messages[:] = self._said
        return self._kit

    def _tell(self, notes: list[str]) -> None:
        kit = self._parent
        for one in notes:
            at, agent_id, values = kit.source.now(), kit.agent.agent_id, {"message": one}
            kit.activity.publish(
                Noticed(at=at, agent_id=agent_id, key="subagent_note", values=values)
            )

    def _about_place(self) -> str:
        """What the task says about places means those of the worktree."""
        if self._worktree is None:
            return ""
        root, left_out = self._parent.agent.workspace.root, self._worktree.left_out
        told = (
            f"You work in {self._worktree.path}, a copy of {root}: paths there mean the same here."
        )
        if left_out:
            told += f" Not copied, for it is too much: {_some(left_out)}."
        return f"\n\n<note>{told}</note>"

    def _kept_at(self) -> str:
        kept = self._worktree
        return say("subagent_worktree", path=kept.path, branch=kept.branch) if kept else ""

    def _bind(self, kit: Toolkit) -> None:
        """Tools given in part: by its type, and by whoever ordered it."""
        workspace, policy = kit.agent.workspace, kit.agent.policy
        policy.bind(rules_in(self.type.denials, "deny", workspace))
        for items in (self.type.bounds, self.asked):
            policy.bind(rules_in(items, "allow", workspace))

    async def _tidied(self) -> None:
        """What it left running ends with it; a worktree without changes goes."""
        if self._kit is not None:
            tasks = self._kit.agent.tasks.all()
            await end_agents(one for one in tasks if one.owner == self.agent_id)
            self._kit.close()
        if self._worktree is not None and await self._worktree.tidy():
            self._worktree = None

    # ── its work ──────────────────────────────────────────────────────────────────────────
    async def _watched(self, worker: Worker, task: Assignment) -> Answer:
        transcript = Transcript(worker.kit, task.output)
        keeping = asyncio.ensure_future(transcript.keep())
        try:
            answer = await self._run(worker, task)
        finally:
            transcript.end()
            await shielded(_over(keeping))
        return answer

    async def _run(self, worker: Worker, task: Assignment) -> Answer:
        """Until it is done, and no hook wants more of it."""
        prompt = await self._begun(worker, f"{task.prompt}{self._about_place()}")
        push = 0
        while True:
            answer = await self._answered(worker, prompt, task.max_turns)
            prompt = await self._wanted(worker, answer, push)
            if not prompt or answer.is_error or push == MAX_PUSHES:
                return answer
            push += 1

    async def _answered(self, worker: Worker, prompt: str, max_turns: int) -> Answer:
        try:
            return await worker.run(prompt, max_turns=max_turns)
        finally:  # also of what was cancelled
            answer = worker.answer or Answer()
            self._count(answer.usage, answer.cost_usd, answer.turns)

    def _count(self, usage: Usage, usd: float, turns: int = 0) -> None:
        took = self._took
        self._took = replace(
            took,
            usage=together(took.usage, usage),
            cost_usd=took.cost_usd + usd,
            turns=took.turns + turns,
        )

    async def _begun(self, worker: Worker, prompt: str) -> str:
        """SubagentStart: a hook may add to what it is told, or not let it begin."""
        hooks = self._parent.hooks
        if hooks is None or not hooks.listens(HookEvent.SUBAGENT_START):
            return prompt
        answer = await hooks.run(HookEvent.SUBAGENT_START, self._facts(worker, prompt=prompt))
        if answer.is_blocked:
            raise ToolError.of("subagent_blocked", reason=answer.reason or answer.stop_reason)
        return "\n\n".join((prompt, *answer.context))

    async def _wanted(self, worker: Worker, answer: Answer, push: int) -> str:
        """SubagentStop: what a hook still wants of it; empty where it may stop."""
        hooks = self._parent.hooks
        if hooks is None or not hooks.listens(HookEvent.SUBAGENT_STOP):
            return ""
        facts = self._facts(worker, stop_hook_active=push > 0, last_assistant_message=answer.text)
        said = await hooks.run(HookEvent.SUBAGENT_STOP, facts)
        is_held = said.decision == "deny" and not said.is_stopped
        return (said.reason or say("subagent_go_on")) if is_held else ""

    def _facts(self, worker: Worker, **more: object) -> dict[str, object]:
        cwd = worker.kit.agent.workspace.cwd
        return {"cwd": cwd, "agent_id": self.agent_id, "agent_type": self.type.name, **more}

    # ── its report ────────────────────────────────────────────────────────────────────────
    def _report(self, answer: Answer, task: Assignment) -> AgentReport:
        agent, worktree = self._parent.agent, self._worktree
        return AgentReport(
            agent_id=self.agent_id,
            agent_type=self.type.name,
            text=answer.text,
            subtype=answer.subtype,
            error=answer.error,
            turns=self._took.turns,
            cost_usd=self._took.cost_usd,
            model=task.model.name,
            depth=agent.depth + 1,
            chain_id=agent.chain_id,
            output_path=task.output.save(),
            worktree=worktree.path if worktree is not None else "",
            branch=worktree.branch if worktree is not None else "",
            left_out=worktree.left_out if worktree is not None else (),
        )


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


@cache
def common_prompt() -> str:
    return Path(__file__).with_name("subagent.md").read_text(encoding="utf-8").strip()


def prompt_of(one: AgentType, asked: tuple[str, ...] = ()) -> str:
    """What it is told first, and which part of a tool it has where it has not the whole."""
    told = [common_prompt(), with_docs(one.prompt)]
    bounds = [own for own in (one.bounds, asked) if own]
    told += [f"Of your tools only this may be used: {', '.join(own)}" for own in bounds]
    if one.denials:
        told.append(f"Never used: {', '.join(one.denials)}")
    return "\n\n".join(told)


async def _over(task: "asyncio.Future[None]") -> None:
    with suppress(asyncio.CancelledError):
        await task
