"""What is loaded first comes without what it does not need; everybody else still finds that."""

import subprocess
import sys

import pytest

CODE = """
import sys
from ankrcode.frontends.cli.lean import load_lean
{before}
load_lean()
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
        "names = ('msgspec', 'typing_extensions', 'urllib.parse'); "
        "print(code, *(name in sys.modules for name in names))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split()[1:] == ["True", "False", "False"]


PATHS = """
import sys
{before}
from ankrcode.frontends.cli.lean import load_lean
load_lean()
print("pathlib" in sys.modules, "urllib.parse" in sys.modules, "ipaddress" in sys.modules)
from pathlib import Path
print(Path("/a b/\u0928\u093e\u092e#?.txt").as_uri())
import urllib.parse
print(urllib.parse.urlsplit("http://[::1]:80/x").hostname, urllib.parse.quote("a b"))
import urllib
print(urllib.parse is sys.modules["urllib.parse"])
"""
URI = "file:///a%20b/%E0%A4%A8%E0%A4%BE%E0%A4%AE%23%3F.txt"


def lines_about_paths(before: str = "") -> list[str]:
    code = PATHS.format(before=before)
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.splitlines()


def test_pathlib_comes_without_urllib_and_still_makes_uris() -> None:
    assert lines_about_paths() == ["True False False", URI, "::1 a%20b", "True"]


@pytest.mark.parametrize("before", ["import pathlib", "import urllib.parse"])
def test_paths_that_were_loaded_before_stay_as_they_are(before: str) -> None:
    assert lines_about_paths(before)[1:] == [URI, "::1 a%20b", "True"]
