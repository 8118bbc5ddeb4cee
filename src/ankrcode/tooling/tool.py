"""What a tool is. The smallest one is an input class, two attributes and `run`.

Facts are class attributes; whatever depends on the input is a method with a sane default.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, get_args

from ankrcode.protocol import acts as resources
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.describe import filled
from ankrcode.tooling.results import Cut
from ankrcode.tooling.schema import InputModel, NoInput, flat_schema, input_model

InputT = TypeVar("InputT")


class Tool(Generic[InputT]):
    """One act an agent can perform."""

    name: ClassVar[str]
    summary: ClassVar[str] = ""  # one line for people and short lists
    description: ClassVar[str] = ""  # for the model; default: the .md file beside the class
    permission: ClassVar[Permission] = Permission.EXECUTE
    more_permissions: ClassVar[frozenset[Permission]] = frozenset()  # required as well
    optional_permissions: ClassVar[frozenset[Permission]] = frozenset()
    category: ClassVar[str] = "other"
    quiet: ClassVar[bool] = False  # no spinner
    waits: ClassVar[bool] = False  # spends its time waiting for a person, an agent or a task
    always_asks: ClassVar[bool] = (
        False  # `approval` yields to bypass mode only, to no grant or hook
    )
    shares_repeats: ClassVar[bool] = True  # identical calls of one turn may share one run
    is_journalled: ClassVar[bool] = True  # what it changes can be undone; undoing itself is not
    timeout_s: ClassVar[float | None] = None  # None: the setting limits.call_timeout_s
    max_result_chars: ClassVar[int | None] = None  # None: the setting limits.result_chars
    cut: ClassVar[Cut | None] = None  # what of an oversized result is shown; None: the setting
    input: ClassVar[Any] = NoInput  # a msgspec Struct, a pydantic model or a JSON Schema
    output: ClassVar[Any] = None  # the type of the result's value
    asked: ClassVar[tuple[str, ...]] = ()  # what models are told to give, though others may do

    _model: InputModel | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "input" in cls.__dict__:
            return  # said outright, as for a JSON Schema: class Foreign(Tool[dict[str, Any]])
        for base in cls.__dict__.get("__orig_bases__", ()):
            arguments = get_args(base)
            if arguments and not isinstance(arguments[0], TypeVar):
                cls.input = arguments[0]

    # ── what it is ────────────────────────────────────────────────────────────────────────
    @property
    def model(self) -> InputModel:
        if self._model is None:
            self._model = input_model(self.input)
        return self._model

    @property
    def input_schema(self) -> JsonSchema:
        return self.model.schema

    @property
    def output_schema(self) -> JsonSchema | None:
        if self.output is None or isinstance(self.output, dict):
            return self.output
        return flat_schema(self.output)

    @property
    def permissions(self) -> frozenset[Permission]:
        """All that must be held."""
        return self.more_permissions | {self.permission}

    @property
    def is_read_only(self) -> bool:
        return self.permission is Permission.READ

    def describe(self, variables: Mapping[str, str]) -> str:
        """What the model is told, in these surroundings."""
        return filled(self.description or self.summary, variables)

    # ── what a call would do ──────────────────────────────────────────────────────────────
    def enabled(self, ctx: ToolContext) -> bool:
        """Stage 1: is it usable here at all?"""
        return True

    def acts(self, args: InputT, ctx: ToolContext) -> Acts:
        """What this call touches. By default a reader reads anything, the rest is unknown."""
        if self.permission is Permission.READ:
            return _READS_ANYTHING
        if self.permission is Permission.NETWORK:
            return _CONNECTS_ANYWHERE
        return resources.UNKNOWN

    def is_concurrency_safe(self, args: InputT) -> bool:
        """Spec 4's own predicate; only the partition policy asks."""
        return self.is_read_only

    def subject(self, args: InputT) -> str:
        """What a remembered permission is matched with: a command, a path, a host."""
        return "*"

    def approval(self, args: InputT, ctx: ToolContext) -> str:
        """A reason to ask even where the policy would allow. It can only tighten."""
        return ""

    def preview(self, args: InputT, ctx: ToolContext) -> Preview | None:
        """What a person is shown before they allow it."""
        return None

    async def validate(self, args: InputT, ctx: ToolContext) -> None:
        """Stage 3: does it make sense here and now? Raise `ToolError` if not."""

    # ── doing it ──────────────────────────────────────────────────────────────────────────
    async def run(self, args: InputT, ctx: ToolContext) -> Any:
        """Stage 4. Return a `ToolResult`, text, or anything JSON can say."""
        raise NotImplementedError

    def render(self, result: ToolResult) -> str:
        """Stage 5: the text the model sees."""
        return result.text

    def render_call(self, arguments: Mapping[str, Any]) -> str:
        """One line for people: what is being done."""
        shown = ", ".join(f"{name}={value!r:.60}" for name, value in arguments.items())
        return f"{self.name}({shown})"

    def result_preview(self, result: ToolResult, max_lines: int = 3) -> list[str]:
        """A few lines for people: what came of it."""
        text = result.error.message if result.error else result.text
        lines = text.splitlines()
        rest = len(lines) - max_lines
        return lines if rest <= 0 else [*lines[:max_lines], f"… {rest} more lines"]


_READS_ANYTHING = Acts(reads=(resources.EVERYTHING,))
_CONNECTS_ANYWHERE = Acts(reads=(resources.EVERYTHING,), connects=("*",))


def description_file(cls: type[Tool[Any]]) -> Path | None:
    """The .md or .txt beside the module that defines this tool."""
    import sys

    module = sys.modules.get(cls.__module__)
    place = getattr(module, "__file__", None)
    if not place:
        return None
    for ending in (".md", ".txt"):
        candidate = Path(place).with_suffix(ending)
        if candidate.is_file():
            return candidate
    return None
