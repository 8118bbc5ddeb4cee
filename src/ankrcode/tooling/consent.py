"""What whoever is asked says: functions of others, so whatever they do becomes an answer."""

from collections.abc import Callable
from typing import Any

from ankrcode.errors import AnkrCodeError, Refused, ToolError
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.tooling.person import Approver, Asker


async def consent(approver: Approver, approval: Approval) -> ApprovalAnswer:
    """Their yes or no. Whoever cannot answer has not said yes."""
    said, why = await _heard(approver, approval, ApprovalAnswer)
    if why:
        raise Refused.of("denied.approver", tool=approval.tool, why=why)
    assert isinstance(said, ApprovalAnswer)
    return said


async def reply(asker: Asker, question: Question) -> QuestionAnswer:
    """Their answer to a question of the model."""
    said, why = await _heard(asker, question, QuestionAnswer)
    if why:
        raise ToolError.of("question_failed", why=why)
    assert isinstance(said, QuestionAnswer)
    return said


async def _heard(function: Callable[[Any], object], given: object, wanted: type) -> tuple[Any, str]:
    """What they said; or why that is no answer."""
    from ankrcode.tooling.foreign import called

    try:
        said = await called(function, given)
    except AnkrCodeError:
        raise
    except Exception as problem:  # noqa: BLE001 - code of others
        return None, repr(problem)
    if isinstance(said, wanted):
        return said, ""
    return None, f"it gave {said!r:.80} and not a value of {wanted.__name__}"
