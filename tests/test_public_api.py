"""The public names: a promise that is written down three times, and each time the same."""

import ast
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import ankrcode

PACKAGE = Path(str(files("ankrcode")))
PUBLIC: list[str] = vars(ankrcode)["__all__"]


def names_in_stub() -> set[str]:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            assert all(alias.asname == alias.name for alias in node.names), "write X as X"
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def test_every_public_name_can_be_had() -> None:
    for name in PUBLIC:
        value = getattr(ankrcode, name)
        assert getattr(value, "__name__", name) == name


def test_what_is_visible_is_what_is_promised() -> None:
    assert dir(ankrcode) == sorted(PUBLIC)
    assert len(set(PUBLIC)) == len(PUBLIC)


def test_a_star_import_brings_exactly_the_public_names() -> None:
    code = "from ankrcode import *\nprint(*(n for n in dir() if n == '__version__' or n[0] != '_'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert set(done.stdout.split()) == set(PUBLIC)


def test_there_are_at_most_forty_names() -> None:
    assert len(PUBLIC) <= 40


def test_the_stub_names_exactly_the_same() -> None:
    assert names_in_stub() == set(PUBLIC)


def test_the_stub_and_the_lazy_loader_agree_on_where_each_name_lives() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                value = getattr(ankrcode, alias.name)
                assert getattr(sys.modules[str(node.module)], alias.name) is value


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Tolkit'"):
        _ = ankrcode.Tolkit  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from ankrcode import Tolkit  # type: ignore[attr-defined]  # noqa: F401
