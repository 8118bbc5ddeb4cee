"""How a conversation and each of its tasks begin: hooks, instructions, memory, the task."""

from collections.abc import Iterable

from ankrcode.agent.answer import Answer, Ending
from ankrcode.agent.environment import environment
from ankrcode.agent.memory import Experience, Memory
from ankrcode.agent.notes import memory_note, mode_note, note, texts
from ankrcode.agent.progress import ending
from ankrcode.agent.project_context import ProjectContext, is_trusted
from ankrcode.agent.prompt import Wishes, system_messages
from ankrcode.agent.talk import Talk
from ankrcode.app import Toolkit
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import AttachmentPart, Message, Part, TextPart
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import Model


class Opening:
    """What comes before the model's first word."""

    def __init__(
        self, kit: Toolkit, wishes: Wishes, *, memory: Memory | None, trusted: bool | None
    ) -> None:
        self._kit = kit
        self._wishes = wishes
        self._memory = memory
        self.trusted = trusted
        self._held_back = False  # instructions that wait for trust
        self._project: ProjectContext | None = None
        self.pending: list[str] = []  # for the first message

    # ── the conversation ──────────────────────────────────────────────────────────────────
    async def begin(self) -> None:
        """The session starts or goes on; what its hooks say waits for the first message."""
        source = "resume" if self._kit.agent.messages else "startup"
        self.pending += (await self._kit.begin(source)).context

    def system(self, model: Model) -> tuple[Message, ...]:
        kit = self._kit
        where = environment(kit.agent.workspace, kit.source.now(), model.name)
        project = self._instructions(model.context_tokens)
        return system_messages(self._wishes, project=project, environment=where)

    def _instructions(self, window: int) -> str:
        """Looked for anew with each conversation."""
        workspace = self._kit.agent.workspace
        self._project = project = ProjectContext(workspace, self._is_trusted, window)
        if not project.found():
            return ""
        self._held_back = not self._is_trusted()
        return "" if self._held_back else project.text()

    def _is_trusted(self) -> bool:
        if self.trusted is None:
            self.trusted = is_trusted(self._kit.agent.workspace.root)
        return self.trusted

    # ── a task ────────────────────────────────────────────────────────────────────────────
    async def of_task(
        self, talk: Talk, task: str, attachments: Iterable[Attachment]
    ) -> list[Part] | Ending:
        """The message that begins it; an ending if a hook does not let it in."""
        talk.project = self._project
        self._warn(talk)
        added, self.pending = self.pending, []
        hooks = None if self._kit.agent.depth else self._kit.hooks  # only a person submits
        if hooks is not None and hooks.listens("UserPromptSubmit"):
            answer = await hooks.run("UserPromptSubmit", {"prompt": task})
            if answer.is_blocked:
                self.pending = added
                why = answer.reason or answer.stop_reason or "-"
                return ending("error_blocked", "agent_prompt_blocked", why=why)
            added += answer.context
        shown = [AttachmentPart(attachment=one) for one in attachments]
        words = [TextPart(text=task)] if task.strip() or not shown else []  # a picture may be all
        parts: list[Part] = [*texts(talk.steering.take()), *words, *shown]
        parts += [note(text) for text in added]
        if recalled := await self._recalled(talk, task):
            parts.append(memory_note(recalled))
        if (mode := self._kit.mode) is not talk.told_mode:
            talk.told_mode = mode
            parts.append(mode_note(mode, self._kit.agent.policy.plan_file))
        if talk.schema is not None:
            from ankrcode.agent.structured import told

            parts.append(note(told(talk.schema)))
        return parts

    def _warn(self, talk: Talk) -> None:
        if self._held_back:
            self._held_back = False
            root = self._kit.agent.workspace.root
            talk.tell(Noticed, key="context_untrusted", values={"path": root})
        if (session := self._kit.session) is not None:
            for warning in session.warnings:
                talk.tell(Noticed, key="session_warning", values={"message": warning})
            session.warnings = ()

    async def _recalled(self, talk: Talk, task: str) -> str:
        if self._memory is None:
            return ""
        try:
            return await self._memory.recall(task)
        except Exception as problem:  # noqa: BLE001 - a memory that fails costs no task
            talk.tell(Noticed, key="memory_failed", values={"why": repr(problem)})
            return ""

    async def remember(self, talk: Talk | None, task: str, answer: Answer) -> None:
        if self._memory is None or talk is None or answer.is_error:
            return
        agent = self._kit.agent
        experience = Experience(
            input=task,
            output=answer.text,
            learnings=talk.learnings(task),
            session_id=agent.session_id,
            cwd=agent.workspace.cwd,
        )
        try:
            await self._memory.remember(experience)
        except Exception as problem:  # noqa: BLE001 - the task is done all the same
            talk.tell(Noticed, key="memory_failed", values={"why": repr(problem)})
