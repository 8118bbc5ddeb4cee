"""After a request that failed: again from where it was, with less, or not at all."""

from ankrcode.agent.answer import Ending
from ankrcode.agent.listening import Heard
from ankrcode.agent.progress import ending
from ankrcode.agent.talk import Talk
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.stream import FailureKind

MAX_CUTS = 3  # answers in a row that break off
_PASSING = frozenset(
    (FailureKind.NETWORK, FailureKind.TIMEOUT, FailureKind.SERVER, FailureKind.OVERLOADED)
)


def recovered(talk: Talk, heard: Heard) -> Ending | None:
    """None: ask again. The calls that ran have told their results, and do not run twice."""
    failure = heard.failure
    assert failure is not None
    kind = failure.kind
    is_cut = kind is FailureKind.CUT and not heard.was_retried
    if is_cut or (heard.calls and (kind is FailureKind.CUT or kind in _PASSING)):
        talk.cuts += 1
        if talk.cuts <= MAX_CUTS:
            talk.tell(Noticed, key="answer_cut", values={"attempt": talk.cuts})
            return None
    if kind is FailureKind.CONTEXT:
        tokens = talk.conversation.estimate.tokens
        if talk.context.is_too_long_after_all(tokens):
            return None
    if kind is FailureKind.BUDGET:
        return Ending(subtype="error_budget", error=failure.message, failure=failure)
    stopped = ending("error_provider", "agent_provider", why=failure.message or kind)
    return Ending(subtype=stopped.subtype, error=stopped.error, failure=failure)
