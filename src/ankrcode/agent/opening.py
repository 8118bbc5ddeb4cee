"""How a conversation and each of its tasks begin: hooks, instructions, memory, the task."""

from collections.abc import Iterable
from functools import partial

from ankrcode.agent.answer import Answer, Ending
from ankrcode.agent.conversation import Tell, teller
from ankrcode.agent.environment import environment
from ankrcode.agent.memory import Experience, Memory
from ankrcode.agent.notes import memory_note, mode_note, note
from ankrcode.agent.progress import ending
from ankrcode.agent.project_context import ProjectContext, is_trusted
from ankrcode.agent.prompt import Wishes, system_messages
from ankrcode.agent.talk import Talk
from ankrcode.agent.toolset import listed
from ankrcode.app import Toolkit
from ankrcode.errors import UsageError
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import AttachmentPart, Message, Part, TextPart
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import Model
from ankrcode.tooling.hooks import HookAnswer
from ankrcode.tooling.hooks.engine import HookEngine


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
        self._unshown: list[tuple[str, str]] = []  # said to the person before anybody listened
        self._is_anew = False
        self._stopped = ""  # why the session's start keeps the first task out

    # ── the conversation ──────────────────────────────────────────────────────────────────
    async def begin(self) -> None:
        """The session starts or goes on; what its hooks say waits for the first message."""
        answer = await self._kit.begin("resume" if self._kit.agent.messages else "startup")
        self._unshown += [("SessionStart", one) for one in (*answer.messages, *answer.faults)]
        if self._is_anew and self._kit.hooks is not None and not self._kit.agent.depth:
            answer = await self._kit.hooks.run("SessionStart", {"source": "clear"})
        self._is_anew = True  # whoever begins again has cleared what was said
        self.pending += answer.context
        self._stopped = answer.stop_reason or "-" if answer.is_stopped else ""
        if (hooks := self._kit.hooks) is not None and not self._kit.agent.depth:
            hooks.teller = partial(_show, teller(self._kit))

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
        if why := self._stopped:
            self._stopped = ""
            return ending("error_blocked", "agent_hook_stop", why=why)
        added, self.pending = self.pending, []
        hooks = None if self._kit.agent.depth else self._kit.hooks  # only a person submits
        if hooks is not None and hooks.listens("UserPromptSubmit"):
            answer = await hooks.run("UserPromptSubmit", {"prompt": task})
            if answer.is_blocked:
                self.pending = added
                return ending("error_blocked", "agent_prompt_blocked", why=_why(answer))
            added += answer.context
            talk.steering.door = partial(_submitted, talk, hooks)
        shown = [AttachmentPart(attachment=one) for one in attachments]
        words = [TextPart(text=task)] if task.strip() or not shown else []  # a picture may be all
        parts: list[Part] = [*await talk.steering.admitted(), *words, *shown]
        ended = self._kit.agent.tasks.take_notes(self._kit.agent.agent_id)  # since the last task
        talk.ledger.hear_ends(ended)
        parts += [note(text) for text in (*added, *ended)]
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
        for event, text in self._unshown:
            _show(talk.tell, event, text)
        self._unshown.clear()
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


def _show(tell: Tell, event: str, text: str) -> None:
    """What a hook says to the person, where no call carries it."""
    tell(Noticed, key="hook_message", values={"tool": event, "message": text})


async def _submitted(talk: Talk, hooks: HookEngine, word: str) -> list[Part]:
    """What is said while it works goes by the hook that a task goes by."""
    answer = await hooks.run("UserPromptSubmit", {"prompt": word})
    if answer.is_blocked:
        talk.tell(Noticed, key="agent_words_blocked", values={"why": _why(answer)})
        return []
    return [TextPart(text=word), *map(note, answer.context)]


def _why(answer: HookAnswer) -> str:
    return answer.reason or answer.stop_reason or "-"


def check_task(task: str, attachments: Iterable[Attachment]) -> tuple[Attachment, ...]:
    """Said to the caller at once, and not by whatever would stumble over it later."""
    if not isinstance(task, str):
        raise UsageError.of("agent_task", got=type(task).__name__)
    given = listed("attachments", attachments)
    for one in given:
        if not isinstance(one, Attachment):
            raise UsageError.of("agent_attachment", got=one)
    return given
