"""The same tools under other names and shapes: a dialect is a table plus a few named converters.

Outward name → tool, outward argument → native argument, reply shape from the result. Rules,
hooks and the log see native names; the history keeps what the model said.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.protocol.result import ToolResult
from ankrcode.workspace.roots import Workspace, is_inside

Reply = dict[str, Any]
_SHOWN_CHARS = 80


class Argument(Struct, frozen=True, kw_only=True):
    """One outward argument: which native one it is, how it is converted and described."""

    native: str
    converter: str = "same"
    description: str = ""
    is_required: bool = False  # also where the native one has a default
    bounds: dict[str, Any] = {}  # what its schema says otherwise: default, minimum, maximum


class ToolMap(Struct, frozen=True, kw_only=True):
    """One tool as this dialect shows it."""

    name: str
    tool: str
    description: str
    arguments: dict[str, Argument]
    fixed: dict[str, Any] = {}  # native arguments that this dialect always sends
    value: dict[str, str] = {}  # outward field → field of the native value


class Dialect(Struct, frozen=True, kw_only=True):
    name: str
    reply: str  # the name of a reply shape
    tools: tuple[ToolMap, ...] = ()  # none: every tool under its own name
    edits_exactly: bool = False  # an edit never looks for what is merely like its text
    shows_call: bool = False  # an error begins with the call that it is about

    def outward(self, definition: Definition) -> Definition | None:
        """The definition as this dialect shows it; None where it has no such tool."""
        if not self.tools:
            return definition
        table = next((table for table in self.tools if table.tool == definition.name), None)
        return _outward(definition, table) if table else None

    def to_native(self, call: ToolCall, schemas: Mapping[str, JsonSchema], root: str) -> ToolCall:
        """What the model said, as the native call it means. `schemas`: native name → schema."""
        if not self.tools:
            return call
        here = {table.name: table for table in self.tools if table.tool in schemas}
        if call.name not in here:
            from ankrcode.tooling.registry import unknown_tool  # only a failure pays for it

            raise unknown_tool(call.name, list(here))
        table = here[call.name]
        arguments = _checked(call, table, schemas[table.tool])
        native = dict(table.fixed)
        for name, value in arguments.items():
            argument = table.arguments[name]
            native[argument.native] = CONVERTERS[argument.converter].to_native(value, root)
        return ToolCall(name=table.tool, arguments=native, id=call.id)

    def from_result(self, outward_name: str, result: ToolResult, given: Any = None) -> Reply:
        """The result in this dialect's own shape; `given`: the arguments of the call."""
        table = next((table for table in self.tools if table.name == outward_name), None)
        value = msgspec.to_builtins(result.value)
        if table is not None and table.value and isinstance(value, dict):
            value = {outer: value.get(inner) for outer, inner in table.value.items()}
        reply = REPLIES[self.reply](result, value)
        if self.shows_call and result.error is not None:
            reply["error"] = f"{_shown_call(outward_name, given)}: {reply['error']}"
        return reply


def _shown_call(name: str, given: Any) -> str:
    """`bash(command="make")`: as it was written, each value in short."""
    values = given if isinstance(given, dict) else {}
    shown = (f"{key}={_shown_value(value)}" for key, value in values.items())
    return f"{name}({', '.join(shown)})"


def _shown_value(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, UnicodeError):
        text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _outward(definition: Definition, table: ToolMap) -> Definition:
    return msgspec.structs.replace(
        definition,
        name=table.name,
        description=table.description,
        input_schema=_outward_schema(definition.input_schema, table),
        output_schema=_outward_output(definition.output_schema, table),
    )


def _outward_schema(schema: JsonSchema, table: ToolMap) -> JsonSchema:
    properties: JsonSchema = {}
    for name, argument in table.arguments.items():
        converted = CONVERTERS[argument.converter].schema(schema["properties"][argument.native])
        if argument.native in table.fixed:  # this dialect has a default of its own
            converted = {**converted, "default": table.fixed[argument.native]}
        if argument.description:
            converted = {**converted, "description": argument.description}
        properties[name] = {**converted, **argument.bounds}
    native_required = schema.get("required", ())
    required = [
        name
        for name, argument in table.arguments.items()
        if argument.is_required or argument.native in native_required
    ]
    outward = {"type": "object", "properties": properties, "required": required}
    return {**outward, "additionalProperties": False}


def _outward_output(schema: JsonSchema | None, table: ToolMap) -> JsonSchema | None:
    if schema is None or not table.value:
        return schema
    inner = schema.get("properties", {})
    properties = {outer: inner[name] for outer, name in table.value.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _checked(call: ToolCall, table: ToolMap, schema: JsonSchema) -> dict[str, Any]:
    """The arguments fit the *outward* schema, or the faults are named in the model's own words."""
    from ankrcode.tooling.arguments import parse_arguments
    from ankrcode.tooling.faults import faults_of, invalid_input

    arguments = parse_arguments(call.name, call.arguments).values
    outward = _outward_schema(schema, table)
    if faults_of(call.name, outward, arguments):
        raise invalid_input(call.name, outward, arguments, "")
    return arguments


# ── converters: the few ways in which one argument is written differently ─────────────────────
class Converter(Struct, frozen=True):
    to_native: Callable[[Any, str], Any]  # (value, workspace root) → native value
    schema: Callable[[JsonSchema], JsonSchema]  # native schema → outward schema


def _under_root(value: Any, root: str) -> Any:
    """A path relative to the workspace root, wherever the current directory is; never outside."""
    path = Workspace([root]).resolve(value)
    if not is_inside(path, root):
        error = ToolError.of("path_outside", path=value, root=root)
        raise error.coded(ErrorCode.INVALID_PATH, path=value)
    return path


def _entry_under_root(value: Any, root: str) -> Any:
    """The same for what is to be removed or moved: a link means the link."""
    from ankrcode.workspace.places import entry_path  # who only lists tools does not pay for it

    path = entry_path(Workspace([root]), value)
    _under_root(os.path.dirname(path), root)  # noqa: PTH120
    return path


def _in_seconds(schema: JsonSchema) -> JsonSchema:
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default")
    return {key: value / 1000 if key in bounds else value for key, value in schema.items()}


CONVERTERS = {
    "same": Converter(lambda value, _root: value, lambda schema: schema),
    "under_root": Converter(_under_root, lambda schema: schema),
    "entry_under_root": Converter(_entry_under_root, lambda schema: schema),
    "seconds": Converter(lambda value, _root: value * 1000, _in_seconds),
    "one_of_many": Converter(
        lambda value, _root: [value], lambda schema: schema.get("items", {"type": "string"})
    ),
    "first_of_many": Converter(
        lambda value, _root: value[0],
        lambda schema: {"type": "array", "items": schema, "minItems": 1, "maxItems": 1},
    ),
}


# ── reply shapes ──────────────────────────────────────────────────────────────────────────────
def _ok_value(result: ToolResult, value: Any) -> Reply:
    """Spec 2: {ok, value} or {ok, error{code, message, details}}."""
    if result.error is None:
        return {"ok": True, "value": value}
    error = {"code": result.error.code, "message": result.text, "details": result.error.details}
    return {"ok": False, "error": error}


def _success_output(result: ToolResult, value: Any) -> Reply:
    """Specs 0 and 4: {success, output} or {success, error}; an agent's reply names the agent."""
    fields = value if isinstance(value, dict) else {}
    agent = {"agentId": fields["agentId"]} if "agentId" in fields else {}
    if (error := result.error) is None:
        return {"success": True, "output": result.text, **agent}
    if printed := fields.get("output"):  # what a command printed before it failed
        said = " ".join(filter(None, (error.message, error.suggestion)))
        return {"success": False, "output": printed, "error": said}
    return {"success": False, "error": result.text, **agent}


def _success_fields(result: ToolResult, value: Any) -> Reply:
    """Spec 1: success and error in every reply, and the tool's own fields beside them."""
    fields = value if isinstance(value, dict) else {}
    if (error := result.error) is None:
        return {**fields, "success": True, "error": ""}
    reply = {**fields, "success": False, "error": error.message, "error_type": error.kind}
    return {**reply, "suggestion": error.suggestion} if error.suggestion else reply


def _title_output(result: ToolResult, _value: Any) -> Reply:
    """Spec 3: {title, metadata, output}; what went wrong is the metadata's `error`."""
    failed = {"error": result.error.code} if result.error is not None else {}
    metadata = msgspec.to_builtins({**failed, **result.metadata})
    reply = {"title": result.title, "metadata": metadata, "output": result.text}
    attached = msgspec.to_builtins(result.attachments)
    return {**reply, "attachments": list(attached)} if attached else reply


REPLIES: dict[str, Callable[[ToolResult, Any], Reply]] = {
    "ok_value": _ok_value,
    "success_fields": _success_fields,
    "success_output": _success_output,
    "title_output": _title_output,
}
