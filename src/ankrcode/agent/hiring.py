"""How an agent comes to further ones. Nothing of it is loaded before the first is asked for."""

import asyncio
import os
from collections.abc import Iterable
from typing import Protocol

from msgspec.structs import replace

from ankrcode.agent.answer import Answer
from ankrcode.agent.lease import Purse
from ankrcode.agent.progress import Progress
from ankrcode.app import Toolkit
from ankrcode.config.paths import config_file, home_folder
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import Usage
from ankrcode.providers.wire import Model
from ankrcode.tooling.subagents import AgentOrder, AgentWork, Subagents
from ankrcode.workspace.processes.tasks import Task

_HEADING = "\n\nDefined here as well:\n"
_TIDIES_S = 30.0  # a bound: git may be slow to remove a worktree
_TOLD_CHARS = 2_000  # what people wrote about their agents, in the description of Task
_NAMED = 5  # of those that are stopped
_LEAST_TOLD = 40  # of each of them: many are told by their names


class Worker(Protocol):
    """An agent, as those see it who work with it: it can be hired, and hire others."""

    kit: Toolkit
    purse: Purse
    answer: Answer | None

    @property
    def model(self) -> Model: ...

    def hire(
        self,
        kit: Toolkit,
        model: Model,
        *,
        system_prompt: str,
        max_turns: int,
        max_cost_usd: float | None,
        toolset: Iterable[str] | None,
    ) -> "Worker":
        """A further agent of the same kind, in these surroundings."""
        ...

    async def run(self, task: str, *, max_turns: int | None = None) -> Answer: ...

    def charge(self, usage: Usage, usd: float) -> None:
        """What it took counts as ours."""
        ...

    @property
    def unbilled(self) -> Progress:
        """What further agents took since its last answer."""
        ...


class Hiring:
    """Stands where `Task` looks for further agents."""

    def __init__(self, employer: Worker) -> None:
        self._employer = employer
        self._crew: Subagents | None = None

    def check(self, order: AgentOrder) -> None:
        self._own_crew().check(order)

    def start(self, order: AgentOrder) -> AgentWork:
        return self._own_crew().start(order)

    def _own_crew(self) -> Subagents:
        if self._crew is None:
            from ankrcode.agent.subagents import Crew

            self._crew = Crew(self._employer)
        return self._crew

    async def close(self) -> None:
        """Who works in the background ends, and has tidied up, before what it needs is gone."""
        tasks = self._employer.kit.agent.tasks.all()
        if running := [one.title for one in tasks if not one.work.is_done]:
            more = f" (+{len(running) - _NAMED})" if len(running) > _NAMED else ""
            self._notice("tasks_stopped", tasks=", ".join(running[:_NAMED]) + more)
        await end_agents(tasks)

    def announce(self) -> None:
        """The model is told of the agents that people defined here, and those below with it."""
        kit = self._employer.kit
        if kit.agent.depth or "Task" not in kit.registry:
            return
        if not _may_be_defined(kit.agent.workspace.root):
            return
        from ankrcode.agent.agent_files import own_types

        types, faults = own_types(kit.agent.workspace.root, os.environ)
        for fault in faults:
            self._notice("subagent_note", message=fault)
        if types:
            kit.agent.options = replace(kit.agent.options, agent_definitions=tuple(types))
            told = _told({one.name: one.description for one in types.values()})
            known = kit.registry.definition("Task").description.partition(_HEADING)[0].rstrip()
            task, text = type(kit.registry.find("Task")), f"{known}{_HEADING}{told}"
            kit.registry.register(task, description=text, replace_existing=True)

    def _notice(self, key: str, **values: str) -> None:
        kit = self._employer.kit
        at, agent_id = kit.source.now(), kit.agent.agent_id
        kit.activity.publish(Noticed(at=at, agent_id=agent_id, key=key, values=values))


async def end_agents(tasks: Iterable[Task]) -> None:
    """Stop those of them that are agents, and wait until they have tidied up."""
    agents = [one for one in tasks if one.kind == "agent"]
    for task in agents:
        task.is_killed = task.is_killed or not task.work.is_done
        task.work.stop()
    await asyncio.gather(*(task.ended_within(_TIDIES_S) for task in agents))


def _told(described: dict[str, str]) -> str:
    """All of them, one to a line. Where that is too much, long ones are cut and none is left out,
    down to so many that their names alone would fill it."""
    lines = [f"- {name}: {' '.join(text.split())}".rstrip(": ") for name, text in described.items()]
    room, lengths = _TOLD_CHARS, sorted(map(len, lines))
    for left, length in zip(range(len(lines), 0, -1), lengths, strict=True):
        share = max(_LEAST_TOLD, room // left)
        if length > share:
            break
        room -= length
    lines = [one if len(one) <= share else f"{one[: share - 1].rstrip()}…" for one in lines]
    most = 2 * _TOLD_CHARS // _LEAST_TOLD
    more = [f"- and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])


def _may_be_defined(root: str) -> bool:
    """A look at names only: most people define none."""
    own = (config_file(os.environ).parent, home_folder(os.environ) / ".claude")
    places = (*map(str, own), f"{root}/.ankrcode", f"{root}/.claude")
    return any(os.path.isdir(f"{place}/agents") for place in places)  # noqa: PTH112
