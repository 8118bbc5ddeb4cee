"""One question to a model on loopback, and everything that came of it."""

import time
from collections.abc import Mapping

from msgspec.structs import replace

from ankrcode.config.models import ModelSettings
from ankrcode.config.settings import Settings
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    Failed,
    Failure,
    Stopped,
    Switched,
    TextGrew,
    Waited,
)
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from ankrcode.providers.wire import Model, ModelRequest, ToolSpec

KEY = "sk-loopback-0123456789abcdef"
KEYS = {
    "OPENAI_API_KEY": KEY,
    "ANTHROPIC_API_KEY": KEY,
    "GROQ_API_KEY": KEY,
    "HOME": "/nonexistent",
}
TOOL = ToolSpec(
    name="Write",
    description="Write a file.",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
)
QUICK = ModelSettings(
    retries=2,
    max_wait_s=0.05,
    max_total_wait_s=0.2,
    connect_timeout_s=1.0,
    first_byte_timeout_s=0.3,
    idle_timeout_s=0.3,
    keyring=False,
)


def question(text: str = "Hi") -> ModelRequest:
    return ModelRequest(
        messages=(Message(role="user", parts=(TextPart(text=text),)),), tools=(TOOL,)
    )


def quick(**changes: object) -> Settings:
    return Settings(models=replace(QUICK, **changes))


class Outcome:
    """The events of one answer, sorted."""

    def __init__(self, events: list[AnyStreamEvent], seconds: float) -> None:
        self.events = events
        self.seconds = seconds

    @property
    def end(self) -> AnyStreamEvent:
        return self.events[-1]

    @property
    def failure(self) -> Failure:
        assert isinstance(self.end, Failed), self.end
        return self.end.failure

    @property
    def text(self) -> str:
        """What stands in the end: a wait or a switch voids what came before it."""
        text = ""
        for event in self.events:
            if isinstance(event, Waited | Switched):
                text = ""
            elif isinstance(event, TextGrew):
                text += event.text
        return text

    @property
    def calls(self) -> list[CallClosed]:
        return [event for event in self.events if isinstance(event, CallClosed)]

    @property
    def waits(self) -> list[Waited]:
        return [event for event in self.events if isinstance(event, Waited)]

    @property
    def switches(self) -> list[Switched]:
        return [event for event in self.events if isinstance(event, Switched)]

    def check(self) -> "Outcome":
        """What holds of every answer, whatever happened to it."""
        ends = [event for event in self.events if isinstance(event, Stopped | Failed)]
        assert len(ends) == 1, self.events
        assert self.end is ends[0]
        assert KEY not in repr(self.events)
        called = False
        for event in self.events:
            called = called or isinstance(event, CallClosed)
            assert not (called and isinstance(event, Waited | Switched)), "a call was replayed"
        failures = [event.failure for event in self.events if isinstance(event, Failed | Waited)]
        for failure in failures:
            assert failure.message.strip()
            assert "\n" not in failure.message
            assert "Traceback" not in failure.message
        return self


async def ask(model: Model, request: ModelRequest | None = None) -> Outcome:
    start = time.monotonic()
    events = [event async for event in model.stream(request or question())]
    await model.close()
    return Outcome(events, time.monotonic() - start).check()


async def asked(
    name: str,
    url: str | None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Outcome:
    """Ask the model of that name at that address."""
    model = model_for(
        name, settings or quick(), KEYS | dict(environ or {}), base_url=url, health=Health()
    )
    return await ask(model)
