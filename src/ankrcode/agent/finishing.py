"""The model calls nothing more: is it done? The person, the schema and a hook may say no."""

from ankrcode.agent.answer import Ending
from ankrcode.agent.listening import Heard
from ankrcode.agent.notes import note, texts
from ankrcode.agent.progress import ending
from ankrcode.agent.talk import Talk
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.stream import StopReason

MAX_PUSHES = 5  # how often a finished answer may be sent back
_GO_ON = "Your answer was cut off at its limit. Go on exactly where it ended."


async def finished(talk: Talk, heard: Heard) -> Ending | None:
    """None: the conversation goes on."""
    talk.text += heard.text
    if talk.pushes < MAX_PUSHES and _is_unfinished(talk, heard):
        talk.pushes += 1
        return None
    if talk.steering:
        talk.text = ""
        talk.conversation.tell(texts(talk.steering.take()))
        return None
    if talk.schema is not None and (faults := _misfit(talk)):
        if talk.repairs:
            return ending("error_schema", "agent_schema", why=faults)
        talk.repairs += 1
        talk.text = ""
        talk.conversation.tell([note(f"Your answer does not fit the schema: {faults}")])
        return None
    if await _held_by_hook(talk):
        return None
    if heard.stop is StopReason.REFUSAL:
        return ending("error_provider", "agent_refused", model=talk.model.name)
    return talk.progress.done()


def _is_unfinished(talk: Talk, heard: Heard) -> bool:
    """Cut at a limit, or paused by its vendor: ask on."""
    if heard.stop is StopReason.PAUSE:
        return True
    if heard.broken:
        names = ", ".join(one.name for one in heard.broken)
        talk.conversation.tell([note(f"Your call of {names} was not whole and did not run.")])
        return True
    if heard.stop is StopReason.LENGTH:
        talk.conversation.tell([note(_GO_ON)])
        return True
    return False


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
    answer = await hooks.run("Stop", {"stop_hook_active": talk.held > 0})
    for message in answer.messages:
        talk.tell(Noticed, key="hook_message", values={"tool": "Stop", "message": message})
    if answer.decision != "deny" or answer.is_stopped or talk.held >= MAX_PUSHES:
        return False
    talk.held += 1
    talk.text = ""
    talk.conversation.tell([note(answer.reason or "A hook asks you to go on.")])
    return True
