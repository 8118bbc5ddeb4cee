"""A tool from a plain function: name, docstring and type hints are the definition."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from typing import Annotated, Any, get_args, get_origin, get_type_hints, overload

import msgspec

from ankrcode.errors import UsageError
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.definition import first_sentence
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool

ActsOf = Callable[[Any, ToolContext], Acts]


class FunctionTool(Tool[Any]):
    """Wraps a function. A blocking one runs in a thread; a `ToolContext` parameter is filled."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        permission: Permission = Permission.EXECUTE,
        category: str = "other",
        acts: ActsOf | None = None,
        timeout_s: float | None = None,
    ) -> None:
        hints = get_type_hints(function, include_extras=True)
        text = inspect.cleandoc(function.__doc__ or "")
        self.function = function
        self.name = name or function.__name__  # type: ignore[misc]  # this instance's own
        self.summary = first_sentence(text)  # type: ignore[misc]
        self.description = text  # type: ignore[misc]
        self.permission = permission  # type: ignore[misc]
        self.category = category  # type: ignore[misc]
        self.timeout_s = timeout_s  # type: ignore[misc]
        self.input = _input_of(self.name, function, hints)  # type: ignore[misc]
        self.output = hints.get("return")  # type: ignore[misc]
        self._acts = acts
        self._context_name = _context_parameter(hints)
        self._is_async = inspect.iscoroutinefunction(function)
        self._by_position = _by_position(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Still the function it was."""
        return self.function(*args, **kwargs)

    def acts(self, args: Any, ctx: ToolContext) -> Acts:
        return self._acts(args, ctx) if self._acts else super().acts(args, ctx)

    async def run(self, args: Any, ctx: ToolContext) -> Any:
        values = {name: getattr(args, name) for name in args.__struct_fields__}
        if self._context_name:
            values[self._context_name] = ctx
        by_position = [values.pop(name) for name in self._by_position]
        if self._is_async:
            return await self.function(*by_position, **values)
        return await in_thread(ctx, self.function, *by_position, **values)

    @property
    def output_schema(self) -> dict[str, Any] | None:
        if self.output in (None, Any, ToolResult) or self.output is type(None):
            return None  # nothing is promised about the value
        try:
            return super().output_schema
        except TypeError:  # a return type JSON Schema cannot say
            return None


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...
@overload
def tool(
    *,
    name: str | None = None,
    permission: Permission = ...,
    category: str = ...,
    acts: ActsOf | None = ...,
    timeout_s: float | None = ...,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(function: Callable[..., Any] | None = None, /, **facts: Any) -> Any:
    """Make a tool of a function: `@tool` or `@tool(permission=Permission.READ)`."""
    if function is not None:
        return FunctionTool(function)
    return lambda real: FunctionTool(real, **facts)


def _input_of(
    name: str, function: Callable[..., Any], hints: dict[str, Any]
) -> type[msgspec.Struct]:
    fields: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UsageError.of("tool_star", name=name, parameter=parameter.name)
        if parameter.name not in hints:
            raise UsageError.of("tool_untyped", name=name, parameter=parameter.name)
        kind = _described(hints[parameter.name])
        if kind is ToolContext:
            continue
        if parameter.default is inspect.Parameter.empty:
            fields.append((parameter.name, kind))
        else:
            fields.append((parameter.name, kind, _default(parameter.default)))
    return msgspec.defstruct(f"{name}_input", fields, bases=(ToolInput,), kw_only=True)


def _by_position(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind is one.POSITIONAL_ONLY]


def _default(value: Any) -> Any:
    """A list or dict as default is copied for each call, as its author surely meant."""
    if isinstance(value, list | dict | set):
        return msgspec.field(default_factory=lambda: deepcopy(value))
    return msgspec.field(default=value)


def _described(hint: Any) -> Any:
    """`Annotated[str, "what it is"]` describes a parameter, as does msgspec's own Meta."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *notes = get_args(hint)
    metas = [msgspec.Meta(description=note) if isinstance(note, str) else note for note in notes]
    return Annotated[(kind, *metas)]


def _context_parameter(hints: dict[str, Any]) -> str | None:
    return next((name for name, hint in hints.items() if hint is ToolContext), None)
