"""The loop, on one screen: ask, run what is asked for while it still speaks, tell the results."""

from ankrcode.agent.answer import Ending
from ankrcode.agent.finishing import finished
from ankrcode.agent.guard import REMINDER
from ankrcode.agent.listening import Heard, Listener
from ankrcode.agent.notes import broken_call, mode_note, note, texts
from ankrcode.agent.progress import ending
from ankrcode.agent.recovery import recovered
from ankrcode.agent.talk import Talk
from ankrcode.errors import SessionError
from ankrcode.protocol.message import Part


async def converse(talk: Talk) -> Ending:
    """Until nothing more is asked for, or a limit says stop."""
    while True:
        if (stopped := await talk.stopped()) is not None:
            return stopped
        heard = await _ask(talk)
        if heard.calls:
            stopped = _tell_results(talk, heard)
            if talk.steering and (words := await talk.steering.admitted()):  # by way of a hook
                talk.conversation.tell(words)
        if heard.failure is not None:
            stopped = stopped or recovered(talk, heard)
        elif not heard.calls:
            stopped = await finished(talk, heard)
        if stopped is not None:
            return stopped


async def _ask(talk: Talk) -> Heard:
    """One request. What was noted before goes to the disk while it is on its way."""
    talk.progress.turns += 1
    sent = talk.conversation.estimate.before_answer()
    talk.sync_meanwhile()
    talk.warming.soon()
    listener = Listener(talk.kit, talk.conversation, talk.tell, talk.stop_warming)
    talk.conversation.await_answer(listener.gathered)
    try:
        return await listener.hear(talk.model, talk.request())
    finally:
        talk.account(listener.gathered, sent, listener.spoke_as)
        talk.api_time.waited(talk.conversation.waited_s)


def _tell_results(talk: Talk, heard: Heard) -> Ending | None:
    """The results in call order, then what else there is to know, as one message."""
    talk.go_on_after_calls(heard.text)
    talk.progress.note(heard.calls, heard.results)
    talk.ledger.note(heard.calls, heard.results)
    found, rounds = talk.guard.note(heard.calls, heard.results)
    more: list[Part] = []
    if found == "remind":
        more.append(note(REMINDER.format(rounds=rounds)))
    talk.conversation.tell_results(heard.results, [*more, *beside(talk, heard)])
    if found == "stop":
        return ending("error_loop", "agent_loop", rounds=rounds)
    return _ended_by_call(heard)


def beside(talk: Talk, heard: Heard) -> list[Part]:
    """What comes with the results: tasks that ended, queued calls, the mode, the person's words."""
    told = [(text, one) for one in heard.results for text in one.metadata.get("notes", ())]
    said = [text for text, one in told if text not in one.text]
    said += [f"Queued call: {one.title}\n{one.text}" for one in heard.queued]
    said += [broken_call(one) for one in heard.broken]
    if nearer := talk.instructions_near(heard.results):
        said.append(f"# Project Context\n{nearer}")
    parts: list[Part] = [note(text) for text in said]
    if (mode := talk.kit.mode) is not talk.told_mode:
        talk.told_mode = mode
        parts.append(mode_note(mode, talk.kit.agent.policy.plan_file))
    return [*parts, *texts(talk.steering.take())]


def _ended_by_call(heard: Heard) -> Ending | None:
    """A hook, or the person's no, may end the turn."""
    for result in heard.results:
        if why := result.metadata.get("session_error"):
            raise SessionError(why)  # what cannot be noted must not go on as if it were
        if why := result.metadata.get("hook_stop"):
            return ending("error_blocked", "agent_hook_stop", why=why)
        if result.metadata.get("ends_turn"):
            return ending("error_denied", "agent_denied", tool=result.title)
    return None
