"""A tool from a plain function: name, docstring and type hints are the definition."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints, overload

import msgspec

from ankrcode.errors import UsageError
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.definition import first_sentence
from ankrcode.tooling.schema import ToolInput, flat_schema
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool

ActsOf = Callable[[Any, ToolContext], Acts]


class FunctionTool(Tool[Any]):
    """Wraps a function, or whatever can be called like one. A blocking one runs in a thread; a
    `ToolContext` parameter is filled."""

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
        function = function.function if isinstance(function, FunctionTool) else function
        behind = _behind(function)
        self.function: Callable[..., Any] = function
        self.name = name or _name_of(function, behind)  # type: ignore[misc]  # this instance's own
        hints = _hints(self.name, behind)
        text = inspect.cleandoc(behind.__doc__ or "")
        self.summary = first_sentence(text)  # type: ignore[misc]
        self.description = text  # type: ignore[misc]
        self.permission = permission  # type: ignore[misc]
        self.category = category  # type: ignore[misc]
        self.timeout_s = timeout_s  # type: ignore[misc]
        self.input = _input_of(self.name, function, hints)  # type: ignore[misc]
        self.output = hints.get("return")  # type: ignore[misc]
        self._acts = acts
        self._context_name = _context_parameter(hints)
        self._is_async = inspect.iscoroutinefunction(behind)
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
        said = await in_thread(ctx, self.function, *by_position, **values)
        return await said if inspect.isawaitable(said) else said

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


def _behind(function: Callable[..., Any]) -> Any:
    """What tells name, docstring and types: the function of a partial, the call of an object."""
    while isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function) or hasattr(function, "__wrapped__"):
        return function
    return type(function).__call__


def _name_of(function: Callable[..., Any], behind: Any) -> str:
    name = str(behind.__name__)
    if name == "__call__":
        name = type(function).__name__
    if not name.isidentifier():
        raise UsageError.of("tool_nameless", function=name)
    return name


def _hints(name: str, behind: Any) -> dict[str, Any]:
    if inspect.isgeneratorfunction(behind) or inspect.isasyncgenfunction(behind):
        raise UsageError.of("tool_yields", name=name)
    try:
        return get_type_hints(behind, include_extras=True)
    except (NameError, TypeError) as problem:
        raise UsageError.of("tool_hints", name=name, why=problem) from None


def _input_of(
    name: str, function: Callable[..., Any], hints: dict[str, Any]
) -> type[msgspec.Struct]:
    fields: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            star = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise UsageError.of("tool_star", name=name, parameter=f"{star}{parameter.name}")
        if parameter.name not in hints:
            raise UsageError.of("tool_untyped", name=name, parameter=parameter.name)
        if _is_context(hints[parameter.name]):
            continue
        kind = _described(hints[parameter.name])
        _check_can_be_told(name, parameter, kind)
        if parameter.default is inspect.Parameter.empty:
            fields.append((parameter.name, kind))
        else:
            fields.append((parameter.name, kind, _default(parameter.default)))
    return msgspec.defstruct(f"{name}_input", fields, bases=(ToolInput,), kw_only=True)


def _check_can_be_told(name: str, parameter: inspect.Parameter, kind: Any) -> None:
    """At once and by its name: a model must know what to give."""
    what = getattr(kind, "__name__", "") or str(kind)
    if any(type(note).__module__.startswith("pydantic") for note in get_args(kind)[1:]):
        raise UsageError.of("tool_note", name=name, parameter=parameter.name)
    try:
        flat_schema(kind)
        if parameter.default is not inspect.Parameter.empty:
            what = f"{parameter.default!r} by default"
            msgspec.to_builtins(parameter.default)
    except (TypeError, ValueError):
        told = {"name": name, "parameter": parameter.name, "type": what}
        raise UsageError.of("tool_parameter", **told) from None


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


def _is_context(hint: Any) -> bool:
    return hint is ToolContext or ToolContext in get_args(hint)


def _context_parameter(hints: dict[str, Any]) -> str | None:
    given = (name for name, hint in hints.items() if name != "return" and _is_context(hint))
    return next(given, None)
