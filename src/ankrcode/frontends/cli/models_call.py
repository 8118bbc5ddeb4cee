"""One raw call to a model: its events as JSON lines, then what they come to. No tool is run."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec.structs import replace

from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError, UsageError
from ankrcode.frontends.cli.lines import as_json, harmless, standard_input, write_line
from ankrcode.frontends.cli.main import NO_MODEL
from ankrcode.frontends.cli.raw_request import request_of
from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    Failed,
    Failure,
    FailureKind,
    TextGrew,
)
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.resolve import model_for
from ankrcode.providers.router import Router
from ankrcode.providers.wire import Model, ModelRequest
from ankrcode.providers.wires.reported import reported

MAX_REQUEST_BYTES = 64 * 1024 * 1024
Says = Callable[[AnyStreamEvent], None]
PATIENCE_S = 60.0  # a script wants an answer or an error, not to wait for minutes


def call(options: argparse.Namespace, settings: Settings) -> int:
    request = request_of(_given())
    try:
        model = raw_model(options, settings)
    except ProviderError as problem:
        if options.json:  # whoever reads lines gets one, whatever happens
            answer = Gathered()
            answer.feed(Failed(failure=_as_failure(problem)))
            write_line(summary(answer))
        raise
    if options.record:
        model = _recorded(model, options.record)
    answer = asyncio.run(_called(model, request, _written if options.json else _shown))
    if options.json:
        write_line(summary(answer, getattr(model, "wire_name", "")))
    else:
        print(flush=True)
        if answer.failure is not None:
            print(f"ankrcode: {answer.failure.message}", file=sys.stderr)
    return NO_MODEL if answer.failure is not None else 0


def raw_model(options: argparse.Namespace, settings: Settings) -> Model:
    """The model itself: no other behind it, and nothing is tried again."""
    models = settings.models
    models = replace(
        models,
        fallback=[],
        retries=0,
        first_byte_timeout_s=min(PATIENCE_S, models.first_byte_timeout_s),
        idle_timeout_s=min(PATIENCE_S, models.idle_timeout_s),
    )
    model = model_for(
        options.model,
        replace(settings, models=models),
        os.environ,
        base_url=options.base_url,
        offline=options.offline,
    )
    if not isinstance(model, Router):
        return model
    first = model.candidates[0].model
    # Calls in its text are only looked for where it is known to have none of its own.
    return first if getattr(first, "is_on", True) else first.model  # type: ignore[attr-defined]


def _recorded(model: Model, path: str) -> Model:
    from ankrcode.providers.recorded import RecordingModel  # few want it

    return RecordingModel(model, path)


def _as_failure(problem: ProviderError) -> Failure:
    """What keeps a request from being sent at all."""
    kinds = {"key": FailureKind.NO_KEY, "offline": FailureKind.OFFLINE, "model": FailureKind.MODEL}
    kind = kinds.get(problem.key.partition("_")[0], FailureKind.BAD_REQUEST)
    return Failure(kind=kind, message=str(problem))


def _given() -> Any:
    content = standard_input().read(MAX_REQUEST_BYTES + 1)
    if len(content) > MAX_REQUEST_BYTES:
        raise UsageError.of("usage", why="the request is too long", command="models call")
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        from ankrcode.tooling.arguments import json_fault  # only who is wrong pays for it

        why = f"standard input is no JSON object ({json_fault(problem)})"
        raise UsageError.of("usage", why=why, command="models call") from None


async def _called(model: Model, request: ModelRequest, says: Says) -> Gathered:
    answer = Gathered()
    try:
        async with aclosing(model.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                answer.feed(event)
                says(event)
    finally:
        await model.close()
    return answer


def _written(event: AnyStreamEvent) -> None:
    write_line(msgspec.to_builtins(event))


def _shown(event: AnyStreamEvent) -> None:
    match event:
        case TextGrew():
            print(harmless(event.text, sys.stdout), end="", flush=True)
        case CallClosed():
            print(f"\n{event.name} {as_json(event.arguments).decode()}", end="", flush=True)


def summary(answer: Gathered, wire: str = "") -> dict[str, Any]:
    """`stop` is the vendor's own word, `stop_class` ours; usage is in the vendor's numbers."""
    told, said, cached = reported(answer.usage or Usage(), wire)
    return {
        "text": answer.text,
        "thinking_chars": answer.thinking_chars,
        "tools": [{"id": one.id, "name": one.name, "args": one.arguments} for one in answer.calls],
        "stop": (answer.raw_stop or answer.stop) if answer.stop else None,
        "stop_class": answer.stop,
        "usage": {"in": told, "out": said, "cached": cached},
        "broken": [
            {"id": one.id, "name": one.name, "text": one.text, "why": one.why}
            for one in answer.broken
        ],
        "error": _error(answer.failure),
    }


def _error(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "kind": failure.kind,
        "status": failure.status,
        "message": failure.message,
        "retry_after_s": failure.retry_after_s,
    }
