"""How full the model's window is, and what happens when it is: see `compaction.py`."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from ankrcode.agent.answer import Ending
from ankrcode.agent.conversation import Conversation
from ankrcode.agent.progress import ending

MAX_RESERVE = 20_000  # for the answer
_RESERVED = 0.2
_UNKNOWN = 128_000  # where a model does not say
_BETTER = 0.9
MAX_VAIN_ROUNDS = 2
MAX_REFUSALS = 2  # how often a provider may say "too long" after room was made


class ContextReport(Struct, frozen=True, kw_only=True):
    """What `/context` shows."""

    tokens: int  # of the next request, estimated
    limit: int  # from here on room is made
    window: int  # of the model
    messages: int
    system_tokens: int
    tool_tokens: int
    result_tokens: int
    rounds: int  # how often room was made

    @property
    def share(self) -> float:
        return self.tokens / self.window if self.window else 0.0


class ContextWindow:
    """Looks before each request; while there is room this costs one comparison."""

    def __init__(self, window: int) -> None:
        window = window if window > 0 else _UNKNOWN
        self.window = window
        self.limit = window - min(MAX_RESERVE, round(window * _RESERVED))
        self.rounds = 0
        self._vain = 0
        self._refusals = 0
        self._must = False

    @property
    def enough(self) -> float:
        """Below this an answer still has room."""
        return (self.limit + self.window) / 2

    def is_full(self, conversation: Conversation) -> bool:
        return self._must or conversation.estimate.tokens > self.limit

    async def make_room(
        self, conversation: Conversation, compact: Callable[[], Awaitable[bool]]
    ) -> Ending | None:
        """One round. Rounds that bring nothing end the task instead of going on for ever."""
        if self._vain >= MAX_VAIN_ROUNDS:
            return self._too_small(conversation)
        was_refused, self._must = self._must, False
        self.rounds += 1
        before = conversation.estimate.tokens
        await compact()
        after = conversation.estimate.tokens
        fixed = conversation.fixed_tokens  # nobody can leave that out
        if after - fixed < (before - fixed) * _BETTER and after <= self.enough:
            self._vain = 0
            return None
        self._vain += 1
        is_hopeless = after > self.window or (was_refused and after >= before)
        return self._too_small(conversation) if is_hopeless else None

    def is_too_long_after_all(self, tokens: int) -> bool:
        """The provider said so, whatever we thought: may it be tried again with less?"""
        self._must = True
        self.window = min(self.window, tokens)
        self.limit = min(self.limit, round(tokens * (1 - _RESERVED)))
        self._refusals += 1
        return self._refusals <= MAX_REFUSALS

    def was_accepted(self) -> None:
        self._refusals = 0

    def _too_small(self, conversation: Conversation) -> Ending:
        tokens = conversation.estimate.tokens
        self._vain = 0  # the next task may try again: perhaps with another model
        return ending("error_context", "agent_context", tokens=tokens, window=self.window)
