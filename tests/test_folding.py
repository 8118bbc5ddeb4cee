"""Rows that are run together are all run, and each that fails is named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = ["-p", "no:cacheprovider", "-p", "no:langsmith_plugin", "-p", "no:anyio"]
TABLE = """
import asyncio
import os
from pathlib import Path

import pytest

@pytest.mark.parametrize("letter", "ab")
@pytest.mark.parametrize("number", range(50))
def test_plain(number, letter):
    with open("ran.txt", "a") as file:
        file.write(f"{letter}{number} ")
    assert (number, letter) not in ((3, "a"), (47, "b"))

@pytest.mark.parametrize("number", range(25))
def test_with_a_folder(number, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").touch()
    home = Path(os.environ["HOME"])
    assert not list(home.iterdir())
    (home / "mine").touch()
    assert number != 12

@pytest.mark.parametrize("number", range(25))
def test_with_more_than_a_folder(number, tmp_path, capsys):
    pass

@pytest.mark.parametrize("number", range(25))
def test_that_patches(number, monkeypatch):
    monkeypatch.setenv("NUMBER", str(number))

@pytest.fixture(params=range(50))
def made(request):
    return request.param * 2

def test_of_a_fixture(made):
    assert made % 2 == 0

@pytest.mark.parametrize("number", [*range(50), pytest.param(50, marks=pytest.mark.xfail)])
def test_with_a_mark_of_its_own(number):
    assert number < 50

@pytest.mark.parametrize("number", range(25))
async def test_awaited(number, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").touch()
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1
    assert number != 21
"""

CONFTEST = """
import pytest
from on_disk import folders

pytest_plugins = ["fold_plugin"]

@pytest.fixture(autouse=True)
def own_home(folders, monkeypatch):
    home = next(folders)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folding")
    (folder / "test_table.py").write_text(TABLE, encoding="utf-8")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    settings = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
    (folder / "pytest.ini").write_text(settings, encoding="utf-8")
    return folder


def run(project: Path, *options: str) -> tuple[str, list[str]]:
    """What is printed, and which rows of the plain table were run."""
    ran = project / "ran.txt"
    ran.write_text("", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "pytest", "-q", *WITHOUT, *options]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        command, cwd=project, env=env, capture_output=True, text=True, check=False
    )
    return done.stdout, ran.read_text(encoding="utf-8").split()


def test_side_by_side_every_row_is_run_once_and_what_fails_is_named(project: Path) -> None:
    printed, ran = run(project, "-n", "1")
    assert sorted(ran) == sorted(f"{letter}{number}" for letter in "ab" for number in range(50))
    assert "in test_table.py::test_plain[3-a]" in printed
    assert "in test_table.py::test_plain[47-b]" in printed
    assert "test_plain[4-a]" not in printed
    assert "in test_table.py::test_with_a_folder[12]" in printed
    assert "in test_table.py::test_awaited[21]" in printed
    # Three pieces of each table, two of which fail, or one; what needs more is alone.
    assert "4 failed, 155 passed, 1 xfailed" in printed


def test_alone_every_row_is_a_test_of_its_own(project: Path) -> None:
    printed, ran = run(project)
    assert len(ran) == len(set(ran)) == 100
    assert "FAILED test_table.py::test_plain[3-a]" in printed
    assert "4 failed, 296 passed, 1 xfailed" in printed
