"""Where a program lies: in the folders of a PATH, in their order, and nowhere else."""

import os
import shutil
from pathlib import Path

import pytest

from ankrcode.workspace.programs import program_on


def made(folder: Path, name: str, mode: int = 0o755) -> str:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(mode)
    return str(program)


def test_the_first_folder_that_has_it_counts(tmp_path: Path) -> None:
    first, second = made(tmp_path / "a", "tool"), made(tmp_path / "b", "tool")
    path = f"{tmp_path}/none:{tmp_path}/a:{tmp_path}/b"
    assert program_on("tool", path) == first == shutil.which("tool", path=path)
    assert program_on("tool", f"{tmp_path}/b:{tmp_path}/a") == second


def test_what_cannot_be_run_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path / "a", "tool", 0o644)
    (tmp_path / "b" / "tool").mkdir(parents=True)
    found = made(tmp_path / "c", "tool")
    assert program_on("tool", ":".join(f"{tmp_path}/{name}" for name in "abc")) == found
    assert program_on("tool", f"{tmp_path}/a:{tmp_path}/b") is None


@pytest.mark.parametrize("path", ["", ":", "::", "/nowhere:"])
def test_an_empty_entry_is_not_where_we_are(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "tool")
    monkeypatch.chdir(tmp_path)
    assert program_on("tool", path) is None


def test_without_a_path_it_is_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(tmp_path / "a", "tool")
    monkeypatch.setenv("PATH", f"{tmp_path}/a{os.pathsep}/usr/bin")
    assert program_on("tool") == found
    monkeypatch.delenv("PATH")
    assert program_on("sh") == shutil.which("sh", path=os.defpath)
