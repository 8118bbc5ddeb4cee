"""A model that keeps the books: counts what every answer used, and stops at a budget's end."""

from collections.abc import AsyncIterator, Callable

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    CallGrew,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    Switched,
    TextGrew,
    ThinkingGrew,
    Used,
    Waited,
)
from ankrcode.providers.budget import Budget, Overrun
from ankrcode.providers.catalogue import ModelFacts, find_model
from ankrcode.providers.cost import Spent, spent_on
from ankrcode.providers.estimate import Estimator
from ankrcode.providers.ledger import Ledger
from ankrcode.providers.wire import Model, ModelRequest
from ankrcode.words import say
from ankrcode.workspace.documents.tokens import estimate_tokens

_OVER = {
    "usd": "budget_over.usd",
    "tokens": "budget_over.tokens",
    "turns": "budget_over.turns",
    "seconds": "budget_over.seconds",
}

FactsOf = Callable[[str], ModelFacts]


class MeteredModel:
    """Wraps a model or a router. `ledger` holds the sums."""

    def __init__(
        self,
        model: Model,
        *,
        ledger: Ledger | None = None,
        budget: Budget | None = None,
        facts_of: FactsOf = find_model,
    ) -> None:
        self._model = model
        self.ledger = ledger or Ledger()
        self._budget = budget
        self._facts_of = facts_of
        self._estimator = Estimator()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    async def close(self) -> None:
        await self._model.close()

    def estimate(self, request: ModelRequest) -> Spent:
        """What sending it would cost at least: the prompt, without the answer."""
        usage = Usage(input_tokens=self._estimator.request(request))
        return spent_on(usage, self._facts_of(self.name).prices, is_estimate=True)

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        if self._budget is not None:
            expected = self.estimate(request)
            overrun = await self._budget.admits(self.ledger.session, expected)
            if overrun is not None:
                yield Failed(failure=_over(overrun, self.name))
                return
        count = _Count(self.name)
        events = self._model.stream(request)
        try:
            async for event in events:
                if isinstance(event, Waited | Switched):
                    self._book(count, request)
                    count = _Count(_name_of(event) or count.name)
                count.note(event)
                if isinstance(event, Stopped | Failed):
                    self._book(count, request)
                    count = _Count(count.name)
                yield event
        finally:
            self._book(count, request)  # somebody stopped listening
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()

    def _book(self, count: "_Count", request: ModelRequest) -> None:
        """An answer that said nothing and counted nothing cost nothing."""
        if count.usage is None and not count.said:
            return
        usage = count.usage or Usage(
            input_tokens=self._estimator.request(request),
            output_tokens=estimate_tokens("".join(count.said)),
        )
        prices = self._facts_of(count.name).prices
        spent = spent_on(usage, prices, is_estimate=count.usage is None)
        self.ledger.add(count.name, spent)
        count.usage, count.said = None, []


class _Count:
    """One try of one answer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.usage: Usage | None = None
        self.said: list[str] = []

    def note(self, event: AnyStreamEvent) -> None:
        match event:
            case Used(usage=usage):
                self.usage = usage
            case TextGrew(text=text) | ThinkingGrew(text=text) | CallGrew(text=text):
                self.said.append(text)
            case CallClosed(name=name):
                self.said.append(name)


def _name_of(event: Waited | Switched) -> str:
    return f"{event.provider}/{event.model}" if event.provider else ""


def _over(overrun: Overrun, name: str) -> Failure:
    provider, _, model = name.partition("/")
    message = say(
        _OVER[overrun.limit], allowed=overrun.allowed, spent=overrun.spent, more=overrun.expected
    )
    return Failure(kind=FailureKind.BUDGET, message=message, provider=provider, model=model)
