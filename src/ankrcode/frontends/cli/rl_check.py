"""`rl --check`: what a sentence or a script would come to; nothing runs, nothing is looked up."""

import sys
from typing import Any

import msgspec

from ankrcode.config.limits import MAX_LINE_BYTES
from ankrcode.frontends.cli.lines import as_json, standard_input, write_line
from ankrcode.rocketlang.api import parse, play
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.script import ScriptFault
from ankrcode.rocketlang.speech import fault_text
from ankrcode.rocketlang.stubs import Stub

DONE, USAGE = 0, 2
_SHAPE = 'The line must be {"id": …, "text": "…"}, with "stubs": [{"call", "ok", "result"}] if any.'


class Request(msgspec.Struct):
    text: str
    id: Any = None
    stubs: tuple[Stub, ...] = ()


def check_lines() -> int:
    """One JSON object in, one out, in order, each at once."""
    stream = standard_input()
    while line := stream.readline(MAX_LINE_BYTES):
        if line.strip():
            write_line(answered(line))
    return DONE


def answered(line: bytes) -> dict[str, Any]:
    try:
        request = msgspec.json.decode(line, type=Request)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        return {"id": _id_of(line), "error": f"{_SHAPE} {problem}"}
    return {"id": request.id, **checked(request.text, request.stubs)}


def _id_of(line: bytes) -> Any:
    """Also of a line that is JSON, but not what was asked for."""
    try:
        decoded = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return decoded.get("id") if isinstance(decoded, dict) else None


def checked(text: str, stubs: tuple[Stub, ...] = ()) -> dict[str, Any]:
    """The calls in order, if the stubs were what they brought; or why there are none."""
    try:
        program = parse(text)
        calls = play(program, stubs)
    except ScriptFault as problem:
        return _faulty(problem, is_long=len(text.strip().splitlines()) > 1)
    return {
        "calls": [as_data(one) for one in calls],
        "confirm": program.confirm,
        "lang": program.lang,
        "explain": program.explain,
        "error": None,
    }


def as_data(call: Planned) -> dict[str, Any]:
    return {"tool": call.tool, "args": call.args}


def _faulty(problem: ScriptFault, *, is_long: bool) -> dict[str, Any]:
    fault = problem.fault
    error: dict[str, Any] = {
        "code": fault.code,
        "message": fault.message,
        "suggestions": list(fault.suggestions),
    }
    if fault.slot:
        error["slot"] = fault.slot
    if is_long:
        error["line"] = problem.line
    return {"calls": [], "confirm": False, "lang": problem.lang, "explain": "", "error": error}


def check_one(text: str, *, is_json: bool) -> int:
    """For a person: what would be done, in their words."""
    answer = checked(text)
    if is_json:
        print(as_json(answer).decode())
        return USAGE if answer["error"] else DONE
    try:
        program = parse(text)
    except ScriptFault as problem:
        said = fault_text(problem.fault, language=problem.language)
        print(f"ankrcode: {said}", file=sys.stderr)
        return USAGE
    print(program.explain)
    for call in answer["calls"]:
        print(as_json(call).decode())
    return DONE
