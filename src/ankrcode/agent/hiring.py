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
        await end_agents(self._employer.kit.agent.tasks.all())

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
            at, agent_id = kit.source.now(), kit.agent.agent_id
            values = {"message": fault}
            kit.activity.publish(
                Noticed(at=at, agent_id=agent_id, key="subagent_note", values=values)
            )
        if types:
            kit.agent.options = replace(kit.agent.options, agent_definitions=tuple(types))
            told = "\n".join(f"- {one.name}: {one.description}" for one in types.values())
            known = kit.registry.definition("Task").description.partition(_HEADING)[0].rstrip()
            task, text = type(kit.registry.find("Task")), f"{known}{_HEADING}{told[:_TOLD_CHARS]}"
            kit.registry.register(task, description=text, replace_existing=True)


async def end_agents(tasks: Iterable[Task]) -> None:
    """Stop those of them that are agents, and wait until they have tidied up."""
    agents = [one for one in tasks if one.kind == "agent"]
    for task in agents:
        task.is_killed = task.is_killed or not task.work.is_done
        task.work.stop()
    await asyncio.gather(*(task.ended_within(_TIDIES_S) for task in agents))


def _may_be_defined(root: str) -> bool:
    """A look at names only: most people define none."""
    own = (config_file(os.environ).parent, home_folder(os.environ) / ".claude")
    places = (*map(str, own), f"{root}/.ankrcode", f"{root}/.claude")
    return any(os.path.isdir(f"{place}/agents") for place in places)  # noqa: PTH112
