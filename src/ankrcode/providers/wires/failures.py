"""What an error of any vendor means: by its status, its type or code, and its words."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ankrcode.protocol.stream import Failure, FailureKind
from ankrcode.providers.wire import Target
from ankrcode.providers.wires import failure_signs as signs
from ankrcode.providers.wires.said_error import SaidError, said_error
from ankrcode.providers.wires.waits import asked_wait, span
from ankrcode.words import say

MAX_MESSAGE_CHARS = 600

_BY_STATUS = {
    401: FailureKind.AUTH,
    402: FailureKind.QUOTA,
    403: FailureKind.AUTH,
    408: FailureKind.TIMEOUT,
    409: FailureKind.SERVER,  # in the way of another request, for a moment
    413: FailureKind.CONTEXT,
    425: FailureKind.SERVER,  # too early
    429: FailureKind.RATE_LIMIT,
    498: FailureKind.OVERLOADED,
    503: FailureKind.OVERLOADED,
    504: FailureKind.TIMEOUT,
    522: FailureKind.TIMEOUT,
    524: FailureKind.TIMEOUT,
    529: FailureKind.OVERLOADED,
}
_KEYS = r"(?i)\b(?:sk|pk|rk|gsk|xai|nvapi|hf|AIza)[-_][\w*.-]{6,}|\S*\*{3,}\S*"
_WAITABLE = (
    FailureKind.RATE_LIMIT,
    FailureKind.OVERLOADED,
    FailureKind.SERVER,
    FailureKind.TIMEOUT,
    FailureKind.QUOTA,
)


def failure_of(
    status: int, headers: Mapping[str, str], body: bytes, target: Target, kind_word: str = ""
) -> Failure:
    """An answer with an error status; `kind_word` is a name that headers gave it."""
    return _failure(status, headers, _named(said_error(body), kind_word), target)


def failure_said(error: Any, target: Target, kind_word: str = "") -> Failure:
    """An error inside an answer that began well; `kind_word` is a name the wire gave it."""
    return _failure(None, {}, _named(said_error(error), kind_word), target)


def _named(said: SaidError, kind_word: str) -> SaidError:
    return replace(said, kinds=f"{kind_word.lower()} {said.kinds}") if kind_word else said


def _failure(
    status: int | None, headers: Mapping[str, str], said: SaidError, target: Target
) -> Failure:
    kind = kind_of(status or said.code, said)
    wait = None
    if kind in _WAITABLE:
        wait = span(said.retry) if said.retry else asked_wait(headers, said.message)
    return Failure(
        kind=kind,
        message=_shown(said.message) or _unsaid(status or said.code),
        status=status if status is not None else said.code,
        retry_after_s=wait,
        provider=target.provider,
        model=target.model,
    )


def kind_of(status: int | None, said: SaidError) -> FailureKind:
    """The most telling sign first; a bare status last."""
    message = said.message.lower()
    if status == 429:  # noqa: PLR2004
        return _limited(said, message)
    if status is None or status < 500:  # noqa: PLR2004
        kind = _of_request(status, said, message)
        if kind is not None:
            return kind
    return _of_server(status, said, message)


def _limited(said: SaidError, message: str) -> FailureKind:
    """Too much for now, too much for the account, or too much for everyone."""
    if _any(said.kinds, ("overloaded",)):
        return FailureKind.OVERLOADED
    if said.retry:
        return FailureKind.QUOTA if "perday" in said.details else FailureKind.RATE_LIMIT
    is_brief = "rate_limit" in said.kinds or _any(message, signs.BRIEF_WORDS)
    if is_brief and "insufficient" not in said.kinds + message:
        return FailureKind.RATE_LIMIT
    if _any(said.kinds, signs.QUOTA_KINDS) or _any(message, signs.QUOTA_WORDS):
        return FailureKind.QUOTA
    return FailureKind.RATE_LIMIT


def _of_request(status: int | None, said: SaidError, message: str) -> FailureKind | None:
    kinds = f"{said.kinds} {said.details}"
    for kind, its_kinds, its_words in _REQUEST_SIGNS:
        if _any(kinds, its_kinds) or _any(message, its_words):
            return kind
    if _is_about_model(status, kinds, message):
        return FailureKind.MODEL
    return FailureKind.AUTH if _any(kinds, signs.PERMISSION_KINDS) else None


def _is_about_model(status: int | None, kinds: str, message: str) -> bool:
    if _any(kinds, signs.MODEL_KINDS) or re.search(signs.MODEL_SENTENCE, message):
        return True
    if "not_found_error" in kinds or "resourcenotfound" in kinds:
        return True
    is_named = "model" in message or "deployment" in message
    return is_named and status in (None, 400, 403, 404, 422) and _any(message, signs.MODEL_WORDS)


_REQUEST_SIGNS = (
    (FailureKind.CONTEXT, signs.CONTEXT_KINDS, signs.CONTEXT_WORDS),
    (FailureKind.QUOTA, signs.QUOTA_KINDS, signs.QUOTA_WORDS),
    (FailureKind.AUTH, signs.AUTH_KINDS, signs.AUTH_WORDS),
    (FailureKind.FILTERED, signs.FILTER_KINDS, signs.FILTER_WORDS),
)
_SERVER_SIGNS: tuple[tuple[FailureKind, tuple[str, ...], tuple[str, ...]], ...] = (
    (FailureKind.OVERLOADED, signs.BUSY_KINDS, signs.BUSY_WORDS),
    (FailureKind.RATE_LIMIT, signs.RATE_KINDS, signs.RATE_WORDS),
    (FailureKind.TIMEOUT, signs.TIME_KINDS, ("timed out", "timeout", "deadline exceeded")),
)


def _of_server(status: int | None, said: SaidError, message: str) -> FailureKind:
    if status == 500 and _any(message, signs.CONTEXT_WORDS):  # noqa: PLR2004
        return FailureKind.CONTEXT
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    for kind, its_kinds, its_words in _SERVER_SIGNS:
        if _any(said.kinds, its_kinds) or (status != 500 and _any(message, its_words)):  # noqa: PLR2004
            return kind
    if status is not None:
        return FailureKind.SERVER if status >= 500 else FailureKind.BAD_REQUEST  # noqa: PLR2004
    if _any(said.kinds, signs.REQUEST_KINDS) and not _any(said.kinds, signs.SERVER_KINDS):
        return FailureKind.BAD_REQUEST
    return FailureKind.SERVER


def _any(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _shown(message: str) -> str:
    """Without what looks like a key: vendors repeat the one that was wrong."""
    if not message:
        return ""
    from ankrcode.config.secrets import redact

    message = redact(message)
    message = re.sub(_KEYS, "[redacted]", message)  # also keys shown in part (`sk-abc***xyz`)
    return message if len(message) <= MAX_MESSAGE_CHARS else message[: MAX_MESSAGE_CHARS - 1] + "…"


def _unsaid(status: int | None) -> str:
    return say("wire_status", status=status) if status else say("wire_unsaid")
