"""The model calls nothing more: is it done? The person, the schema and a hook may say no."""

from ankrcode.agent.answer import Ending
from ankrcode.agent.listening import Heard
from ankrcode.agent.notes import broken_call, note
from ankrcode.agent.progress import ending
from ankrcode.agent.talk import Talk
from ankrcode.protocol.stream import StopReason

MAX_PUSHES = 5  # how often an answer may be sent back, or asked on where it is not whole
MAX_REPAIRS = 3  # of an answer that says nothing, or does not fit its schema
_GO_ON = "Your answer was cut off at its limit. Go on exactly where it ended."
_SAY_SOMETHING = (
    "Your answer was empty. Go on if something is left to do; else say what you did or found."
)


async def finished(talk: Talk, heard: Heard) -> Ending | None:
    """None: the conversation goes on."""
    talk.text += heard.text
    unfinished = _unfinished(heard)
    if unfinished and talk.pushes < MAX_PUSHES:
        talk.pushes += 1
        _ask_on(talk, heard)
        return None
    if talk.steering and (words := await talk.steering.admitted()):
        talk.text = ""
        talk.conversation.tell(words)
        return None
    if unfinished and talk.schema is None:  # what is no whole answer must not pass for one
        return ending("error_provider", unfinished, model=talk.model.name, count=MAX_PUSHES + 1)
    if lack := _lack(talk, heard):
        why, stopped = lack
        if talk.repairs >= MAX_REPAIRS:
            return stopped
        talk.repairs += 1
        talk.text = ""
        talk.conversation.tell([note(why)])
        return None
    if await _held_by_hook(talk):
        return None
    if heard.stop is StopReason.REFUSAL:
        return ending("error_provider", "agent_refused", model=talk.model.name)
    return talk.progress.done()


def _lack(talk: Talk, heard: Heard) -> tuple[str, Ending] | None:
    """What the answer lacks, for the model to mend; and the end, if it never does."""
    if talk.schema is not None:
        faults = _misfit(talk)
        told = f"Your answer does not fit the schema: {faults}"
        return (told, ending("error_schema", "agent_schema", why=faults)) if faults else None
    if talk.text.strip() or heard.stop is StopReason.REFUSAL:
        return None
    if talk.said_last and talk.repairs:
        return None  # it said something beside its last calls, and has no more to say
    return _SAY_SOMETHING, ending("error_provider", "agent_empty", model=talk.model.name)


def _unfinished(heard: Heard) -> str:
    """Paused by its vendor, a call that nobody can read, or cut at a limit: in which words."""
    if heard.stop is StopReason.PAUSE:
        return "agent_paused"
    if heard.broken:
        return "agent_broken_calls"
    return "agent_cut_short" if heard.stop is StopReason.LENGTH else ""


def _ask_on(talk: Talk, heard: Heard) -> None:
    if heard.stop is StopReason.PAUSE:
        return  # its vendor takes it up where it was
    told = [note(broken_call(one)) for one in heard.broken] or [note(_GO_ON)]
    talk.conversation.tell(told)


def _misfit(talk: Talk) -> str:
    from ankrcode.agent.structured import Misfit, fitting  # only who asks for a schema pays for it

    assert talk.schema is not None
    try:
        talk.structured = fitting(talk.text, talk.schema)
    except Misfit as problem:
        return str(problem)
    return ""


async def _held_by_hook(talk: Talk) -> bool:
    """A Stop hook may want more, a few times. Further agents have hooks of their own."""
    hooks = talk.kit.hooks
    if hooks is None or talk.kit.agent.depth or not hooks.listens("Stop"):
        return False
    said = talk.text or talk.said_last
    facts = {"stop_hook_active": talk.held > 0, "last_assistant_message": said}
    answer = await hooks.run("Stop", facts)
    if answer.decision != "deny" or answer.is_stopped or talk.held >= MAX_PUSHES:
        return False
    talk.held += 1
    talk.text = ""
    talk.conversation.tell([note(answer.reason or "A hook asks you to go on.")])
    return True
