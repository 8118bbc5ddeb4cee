"""Run one tool, or many from JSON lines, through the whole pipeline. Nothing ever asks."""

import argparse
import asyncio
import sys
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import msgspec

from ankrcode import dialects
from ankrcode.app import Toolkit
from ankrcode.errors import ErrorCode, UsageError
from ankrcode.frontends.cli.lines import (
    as_json,
    harmless,
    read_lines,
    standard_input,
    write_line,
)
from ankrcode.frontends.cli.settings import load_and_warn, load_rules, log_events
from ankrcode.frontends.cli.which_session import add_session_options, chosen_session
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.arguments import json_fault
from ankrcode.tooling.dialect import Dialect

DONE, FAILED, DENIED = 0, 1, 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="the tool to run")
    parser.add_argument("pairs", nargs="*", metavar="KEY=VALUE", help="its parameters")
    parser.add_argument("--params", metavar="JSON", help="its parameters as JSON; - reads stdin")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.add_argument("--batch", action="store_true", help="read calls from stdin as JSON lines")
    parser.add_argument(
        "--permission-mode", metavar="MODE", choices=list(Mode), help=" | ".join(Mode)
    )
    parser.add_argument(
        "--dialect", default=dialects.DEFAULT, metavar="NAME", help="names and shapes"
    )
    add_session_options(parser)


def run(options: argparse.Namespace) -> int:
    if options.batch == bool(options.tool):
        raise UsageError.of("usage", why="Give either a TOOL or --batch", command="exec")
    dialect = dialects.load(options.dialect)
    kit = _toolkit(options)
    work = _batch(kit, dialect) if options.batch else _one(kit, dialect, options)
    try:
        return asyncio.run(work)
    finally:
        kit.close()
        kit.activity.flush()  # the log is written by an observer


def _toolkit(options: argparse.Namespace) -> Toolkit:
    settings = load_and_warn(options)
    session = chosen_session(options, "exec")
    kit = Toolkit(
        cwd=options.cwd,
        mode=options.permission_mode or settings.permissions.mode,
        settings=settings,
        rules=load_rules(options),
        session_id=session,
        plugins=settings.plugins,
        records=bool(session),
    )
    log_events(kit.activity, settings, debug=options.debug)
    for warning in kit.session.warnings if kit.session is not None else ():
        print(f"ankrcode: {warning}", file=sys.stderr)
    return kit


def _turn(kit: Toolkit) -> AbstractAsyncContextManager[object]:
    """What is answered is on disk before, if the session is recorded."""
    return kit.session.turn() if kit.session is not None else nullcontext()


# ── one call ──────────────────────────────────────────────────────────────────────────────────
async def _one(kit: Toolkit, dialect: Dialect, options: argparse.Namespace) -> int:
    call = ToolCall(name=options.tool, arguments=_arguments(kit, dialect, options))
    if dialect.name != dialects.DEFAULT:
        ended: list[Any] = []  # not every shape of a reply tells why it failed
        kit.on("tool_call_end", ended.append)
        async with _turn(kit):
            reply = await kit.call_in(dialect, call)
        _print(as_json(reply).decode())
        kit.activity.flush()
        return _code_of(ended[0].result)
    async with _turn(kit):
        result = await kit.call(call.name, call.arguments)
    if options.json:
        _print(as_json(answer_for(result.call_id, result)).decode())
    elif result.error is None:
        _print(result.text)
    else:
        print(f"ankrcode: {harmless(result.text, sys.stderr)}", file=sys.stderr)
    return _code_of(result)


def _code_of(result: ToolResult) -> int:
    if result.error is None:
        return DONE
    return DENIED if result.error.code is ErrorCode.PERMISSION_DENIED else FAILED


def _print(text: str) -> None:
    print(harmless(text, sys.stdout))


def _arguments(kit: Toolkit, dialect: Dialect, options: argparse.Namespace) -> Any:
    if options.params is not None and options.pairs:
        raise UsageError.of("usage", why="Give --params or KEY=VALUE, not both", command="exec")
    if options.params is not None:
        if options.params != "-":
            return options.params
        return standard_input().read().decode("utf-8", "surrogateescape")
    schema = _schema_of(kit, dialect, options.tool)
    return dict(_pair(text, schema) for text in options.pairs)


def _schema_of(kit: Toolkit, dialect: Dialect, name: str) -> JsonSchema:
    for definition in kit.registry.definitions():
        shown = dialect.outward(definition)
        if shown is not None and shown.name == name:
            return shown.input_schema
    return {}


def _pair(text: str, schema: JsonSchema) -> tuple[str, Any]:
    """`limit=5` is a number where the schema wants one, `content=5` a text where it wants that."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError.of("usage", why=f"'{text}' is not KEY=VALUE", command="exec")
    if schema.get("properties", {}).get(name, {}).get("type") == "string":
        return name, value
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


# ── many calls ────────────────────────────────────────────────────────────────────────────────
async def _batch(kit: Toolkit, dialect: Dialect) -> int:
    async for line in read_lines(standard_input()):
        if line is None:
            write_line({"id": None, "error": "The line is too long."})
        elif line.strip():
            async with _turn(kit):
                answer = await _answered(kit, dialect, line)
            write_line(answer)
    return DONE


async def _answered(kit: Toolkit, dialect: Dialect, line: bytes) -> dict[str, Any]:
    """Every line gets one answer, whatever is in it."""
    try:
        request = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        return {"id": None, "error": f"The line is not JSON: {json_fault(problem)}"}
    if not isinstance(request, dict) or not isinstance(request.get("tool"), str):
        given = request.get("id") if isinstance(request, dict) else None
        return {"id": given, "error": 'The line must be {"id": …, "tool": "NAME", "params": {…}}.'}
    name, params = request["tool"], request.get("params", {})
    if dialect.name != dialects.DEFAULT:
        reply = await kit.call_in(dialect, ToolCall(name=name, arguments=params))
        return {"id": request.get("id"), "result": reply}
    return answer_for(request.get("id"), await kit.call_raw(ToolCall(name=name, arguments=params)))


def answer_for(request_id: Any, result: ToolResult) -> dict[str, Any]:
    error = result.error
    return {
        "id": request_id,
        "ok": result.ok,
        "title": result.title,
        "value": result.value,
        "text": result.text,
        "metadata": {**result.metadata, "duration_ms": result.duration_ms},
        "attachments": [
            {"type": one.type, "mime": one.mime}
            | ({"path": one.path} if one.path is not None else {"data": one.data})
            for one in result.attachments
        ],
        "error": None
        if error is None
        else {
            "code": error.code,
            "kind": error.kind,
            "message": error.message,
            "suggestion": error.suggestion,
            "details": error.details,
        },
    }
