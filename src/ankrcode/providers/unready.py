"""A model that cannot be asked yet, in its place of the chain: it says why, the next is asked."""

from collections.abc import AsyncIterator

from ankrcode.protocol.stream import AnyStreamEvent, Failed, Failure, FailureKind
from ankrcode.providers.wire import ModelRequest


class UnreadyModel:
    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    @property
    def name(self) -> str:
        return self._name

    @property
    def context_tokens(self) -> int:
        return 128_000

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        provider, _, model = self._name.partition("/")
        yield Failed(
            failure=Failure(
                kind=FailureKind.NO_KEY, message=self._why, provider=provider, model=model
            )
        )

    async def close(self) -> None:
        pass
