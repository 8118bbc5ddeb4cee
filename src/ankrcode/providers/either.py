"""One server, two wires: whoever takes OpenAI's place may know only one of its two paths."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing

from ankrcode.protocol.stream import AnyStreamEvent, Failed, Failure, FailureKind
from ankrcode.providers.wire import Model, ModelRequest

# No such path, no such method, not made yet; 599 is what some gateways say for all three.
_NO_SUCH_PATH = (404, 405, 501, 599)


class EitherModel:
    """The first wire until the server says that it has no such path; then the other, for good.

    The other is made when it is needed: most servers know the first.
    """

    def __init__(self, first: Model, other: Callable[[], Model]) -> None:
        self._wires = [first]
        self._other = other

    @property
    def name(self) -> str:
        return self._wires[0].name

    @property
    def wire_name(self) -> str:
        return str(getattr(self._wires[0], "wire_name", ""))

    @property
    def context_tokens(self) -> int:
        return self._wires[0].context_tokens

    async def close(self) -> None:
        for wire in self._wires:
            await wire.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        refused: Failed | None = None
        for wire in self._in_turn():
            async with aclosing(wire.stream(request)) as events:  # type: ignore[type-var]
                async for event in events:
                    if isinstance(event, Failed) and _lacks_path(event.failure):
                        refused = refused or event
                        break
                    self._keep(wire, event)
                    yield event
                else:
                    return
        if refused is not None:
            yield refused

    def _in_turn(self) -> Iterator[Model]:
        yield self._wires[0]
        if len(self._wires) == 1:
            self._wires.append(self._other())
        yield self._wires[1]

    def _keep(self, wire: Model, event: AnyStreamEvent) -> None:
        """Whoever answered is asked first from now on."""
        if wire is not self._wires[0] and not isinstance(event, Failed):
            self._wires.reverse()


def _lacks_path(failure: Failure) -> bool:
    """Not where it is the model that is missing: another path has it no more than this one."""
    return failure.status in _NO_SUCH_PATH and failure.kind is not FailureKind.MODEL
