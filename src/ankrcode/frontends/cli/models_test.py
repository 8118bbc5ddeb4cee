"""Is a model there, does it answer, does it call? Two small requests say so."""

import argparse
import asyncio
import time
from contextlib import aclosing
from typing import Any

from ankrcode.config.settings import Settings
from ankrcode.frontends.cli.lines import as_json
from ankrcode.frontends.cli.main import FAILED, NO_MODEL
from ankrcode.frontends.cli.models_call import raw_model
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.stream import TextGrew, ThinkingGrew
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec
from ankrcode.words import say

_LIMIT = 1_000  # models that think need room for it
_WEATHER = ToolSpec(
    name="Weather",
    description="Says what the weather is like in a city.",
    input_schema={
        "type": "object",
        "properties": {"city": {"type": "string", "description": "The city's name"}},
        "required": ["city"],
    },
)


def test(options: argparse.Namespace, settings: Settings) -> int:
    options.model = options.name
    found = asyncio.run(_tested(raw_model(options, settings)))
    if options.json:
        print(as_json(found).decode())
    elif found["error"]:
        print(say("model_fails", name=found["name"], why=found["error"]))
    else:
        print(say("model_answers", **found))
        print(say("model_calls" if found["calls"] else "model_calls_not", name=found["name"]))
    if found["error"]:
        return NO_MODEL
    return 0 if found["calls"] else FAILED


async def _tested(model: Model) -> dict[str, Any]:
    try:
        word, first_s, whole_s = await _asked(model, "Answer with one word: ready.")
        failure, calls = word.failure, False
        if failure is None:
            call, _, _ = await _asked(model, "What is the weather in Pune? Use the tool.", _WEATHER)
            failure = call.failure
            calls = any(one.name == _WEATHER.name and one.arguments for one in call.calls)
    finally:
        await model.close()
    return {
        "name": model.name,
        "text": word.text.strip(),
        "first_s": first_s,
        "seconds": whole_s,
        "calls": calls,
        "error": failure.message if failure else None,
        "kind": failure.kind if failure else None,
    }


async def _asked(model: Model, text: str, *tools: ToolSpec) -> tuple[Gathered, float, float]:
    request = ModelRequest(
        messages=(Message(role="user", parts=(TextPart(text=text),)),),
        tools=tools,
        options=Options(max_output_tokens=_LIMIT, cache=False),
    )
    began, first, answer = time.monotonic(), 0.0, Gathered()
    async with aclosing(model.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if not first and isinstance(event, TextGrew | ThinkingGrew):
                first = time.monotonic() - began
            answer.feed(event)
    return answer, round(first, 3), round(time.monotonic() - began, 3)
