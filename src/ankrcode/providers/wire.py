"""What every wire format offers, and what a request is: one method, `stream`."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.message import Message
from ankrcode.protocol.stream import AnyStreamEvent, Failure

Effort = Literal["minimal", "low", "medium", "high"]


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it; each wire puts it into its vendor's form."""

    name: str
    description: str
    input_schema: JsonSchema


class Options(Struct, frozen=True, kw_only=True):
    """How to answer. A wire that has no such thing leaves it out."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    effort: Effort | None = None
    max_thinking_tokens: int | None = None
    tool_choice: str = "auto"  # auto, none, required, or the name of a tool
    schema: JsonSchema | None = None  # the answer must fit it
    cache: bool = True  # ask the vendor to cache the prefix, where the wire has a word for it
    stream: bool = True
    extra: dict[str, Any] = {}  # put into the request body as it is


class ModelRequest(Struct, frozen=True, kw_only=True):
    """A whole conversation, the tools at hand and how to answer.

    System messages come first. The same `Message` objects come again with every request of a
    conversation, so that a wire may keep what it encoded.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    options: Options = Options()


class Model(Protocol):
    """Something that answers: a wire to a vendor, a router over several, a script."""

    @property
    def name(self) -> str:
        """`provider/model`."""

    @property
    def context_tokens(self) -> int:
        """How much fits in, question and answer together."""

    def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        """The events of one answer; the last is `Stopped` or `Failed`. Never raises for a
        failure of the provider; closing the iterator ends the connection."""

    async def close(self) -> None:
        """Let go of connections."""


# ── the inside of a wire: no I/O, so that every split of every byte can be tried ────────────────
class Target(Struct, frozen=True, kw_only=True):
    """Whom a request is for; `quirks` name what this provider does differently on its wire."""

    provider: str
    model: str
    base_url: str = ""
    quirks: frozenset[str] = frozenset()
    context_tokens: int = 128_000
    max_output_tokens: int | None = None


class Encoded(Struct, frozen=True, kw_only=True):
    """A request in its vendor's form; the path is relative to the base URL."""

    path: str
    body: bytes
    headers: dict[str, str] = {}


class Reader(Protocol):
    """Bytes of one streamed answer in, events out. Exactly one `Stopped` or `Failed` in all."""

    @property
    def is_done(self) -> bool:
        """The last event was given."""

    def feed(self, data: bytes) -> list[AnyStreamEvent]:
        """As many events as these bytes complete, however they were split."""

    def end(self, *, cut: bool = False) -> list[AnyStreamEvent]:
        """The connection is over: what was left, and how it ended. `cut` says that it broke (reset,
        body shorter than promised): then only an end the vendor marked counts as one."""


class Wire(Protocol):
    """One vendor's form of a conversation. One instance serves one conversation's model: it keeps
    the bytes of messages it has encoded."""

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        """The request as bytes; encoding request n costs what is new in it."""

    def reader(self, target: Target) -> Reader:
        """For an answer that streams."""

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        """The same events for an answer that came in one piece."""

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        """What an error status means (header names in lower case)."""
