"""Scripts played against prepared answers, for the tests of whatever runs them."""

from typing import Any

from ankrcode.rocketlang.api import parse, play
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.stubs import Stub, StubCall

Call = tuple[str, dict[str, Any]]

TESTS = "python -m pytest -q"


def stub(tool: str, /, ok: bool = True, result: Any = None, **args: Any) -> Stub:
    return Stub(call=StubCall(tool=tool, args=args), ok=ok, result=result)


def finds(*paths: str) -> Stub:
    """`src mein python files dhoondo` finds these."""
    return stub("Glob", result=list(paths), pattern="**/*.py", path="src")


def suite(*, ok: bool, result: str = "") -> Stub:
    """`tests chalao` ends like this."""
    return stub("Bash", ok=ok, result=result, command=TESTS)


def played(text: str, *stubs: Stub, **variables: str) -> list[Call]:
    """Every call in order, as (tool, args)."""
    return [as_pair(one) for one in play(parse(text, variables=variables), stubs)]


def as_pair(call: Planned) -> Call:
    return call.tool, call.args


def bash(command: str) -> Call:
    return "Bash", {"command": command}


def read(path: str) -> Call:
    return "Read", {"file_path": path}


def said(text: str) -> Call:
    return "Say", {"text": text}
