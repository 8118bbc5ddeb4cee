"""msgspec is loaded without what it does not need; everybody else still finds that."""

import subprocess
import sys

CODE = """
import sys
from ankrcode.frontends.cli.lean import load_msgspec
{before}
load_msgspec()
print("msgspec" in sys.modules, sys.modules.get("typing_extensions", "absent") is not None)
import typing_extensions
print(typing_extensions.__name__, "typing_extensions" in sys.modules)
import msgspec
from typing import Annotated, NotRequired, Required, TypedDict
class Row(TypedDict, total=False):
    name: Required[Annotated[str, msgspec.Meta(min_length=1)]]
    size: NotRequired[int]
class Line(typing_extensions.TypedDict):
    text: typing_extensions.NotRequired[str]
print(msgspec.json.decode(b'{{"name": "x"}}', type=Row), msgspec.json.decode(b"{{}}", type=Line))
"""


def printed(before: str = "") -> list[str]:
    code = CODE.format(before=before)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.splitlines()


def test_msgspec_comes_without_typing_extensions_and_works_with_it() -> None:
    assert printed() == ["True True", "typing_extensions True", "{'name': 'x'} {}"]


def test_what_is_there_already_stays_there() -> None:
    lines = printed("import typing_extensions as before")
    assert lines[1:] == ["typing_extensions True", "{'name': 'x'} {}"]


def test_a_task_is_begun_without_it() -> None:
    code = (
        "import sys; from ankrcode.frontends.cli.main import run; "
        "code = run(['-p', 'x', '--model', 'none/none']); "
        "print(code, 'msgspec' in sys.modules, 'typing_extensions' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split()[1:] == ["True", "False"]
