"""Does it still parse? Said only where it did before and where a parser knows."""

import importlib.util
import sys
import time
from typing import Any

import pytest

from ankrcode.workspace.syntax import broken_by


@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        ("a.py", "x = 1\n", "x = (1\n", "line 1: '(' was never closed"),
        ("a.pyi", "def f() -> int: ...\n", "def f( -> int: ...\n", "line 1"),
        ("a.py", "if x:\n    y\n", "if x:\ny\n", "line 2: expected an indented block"),
        ("A.PY", "x = 1\n", "x = \0\n", "null bytes"),
        ("a.json", '{"a": 1}', '{"a": 1,}', "line 1: "),
        ("a.ipynb", "{}", "{", "line 1: "),
        ("a.toml", "a = 1\n", "a = \n", "Invalid value"),
        ("pyproject.toml", "[a]\n", "[a]\n[a]\n", "Cannot declare"),
        ("a.yaml", "a: 1\n", "a: [1\n", "line 2: "),
        ("a.yml", "a:\n  b: 1\n", "a:\n\tb: 1\n", "line 2: "),
    ],
)
def test_what_no_longer_parses_is_told_with_its_place(
    path: str, before: str, after: str, said: str
) -> None:
    assert said in broken_by(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = 1\n", "x = 2\n"),
        ("a.py", "x = (\n", "x = ((\n"),
        ("a.json", "// comment\n{}", "// comment\n{,}"),
        ("a.txt", "x = 1\n", "x = (\n"),
        ("a", "x", "("),
        ("a.rs", "fn main() {}", "fn main() {"),
        ("a.yaml", "a: !custom 1\n", "a: !custom 2\n"),
        ("a.yaml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: 3\n"),
        ("a.py", "x = '\\d'\n", "y = '\\d'\n"),
        ("a.toml", "a = 1\r\n", "a = 2\r\n"),
        ("a.py", "", "\n"),
    ],
    ids=["fine", "was-broken", "comments", "text", "no-ending", "unknown", "tag", "documents",
         "warning", "crlf", "empty"],
)  # fmt: skip
def test_nothing_is_said_where_nothing_broke_or_nobody_knows(
    path: str, before: str, after: str
) -> None:
    assert broken_by(path, before, after) == ""


DEEP = {
    "a.py": ["(" * 50_000, "-" * 50_000 + "1", "a" + ".b" * 50_000, "lambda:" * 20_000 + "1"],
    "a.json": ["[" * 100_000, '{"a":' * 50_000],
    "a.toml": ["a=" + "[" * 50_000, "a." * 50_000 + "b=1\n"],
    "a.yaml": ["[" * 100_000, "- " * 20_000, "{a: " * 20_000],
}


@pytest.mark.parametrize(
    ("path", "text"), [(path, text) for path, texts in DEEP.items() for text in texts],
    ids=lambda one: one[:8],
)  # fmt: skip
def test_what_is_nested_without_end_neither_crashes_nor_hangs(path: str, text: str) -> None:
    started = time.process_time()
    assert isinstance(broken_by(path, "", text), str)
    assert time.process_time() - started < 5


def test_a_large_file_is_not_parsed_at_all() -> None:
    large = "x = 1\n" * 100_000
    assert broken_by("a.py", large, f"{large}(") == ""


def test_without_a_yaml_parser_nothing_is_said_about_yaml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert importlib.util.find_spec("yaml") is not None, "the test would show nothing"
    hidden: Any = None
    monkeypatch.setitem(sys.modules, "yaml", hidden)
    assert broken_by("a.yaml", "a: 1\n", "a: [1\n") == ""
