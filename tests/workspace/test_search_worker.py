"""The Python engine in this very process: what it passes over, and says so."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ankrcode.workspace.search import worker as search_worker
from ankrcode.workspace.search.types import TYPES
from people import ordinary_person
from workspace.trees import rg


def run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any, *file: str, **request: Any
) -> tuple[bytes, list[bytes]]:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["worker", json.dumps(request), *file])
    assert search_worker.main() == 0
    sys.stdout.flush()
    sys.stderr.flush()
    output, complaints = capfdbinary.readouterr()
    return output, sorted(complaints.splitlines())


def test_files_that_may_not_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    (tmp_path / "open.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "closed.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "closed.txt").chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    with ordinary_person(tmp_path):
        output, notes = run(tmp_path, monkeypatch, capfdbinary, mode="count", pattern="x")
    assert output == b"./open.txt\x001\n"
    assert notes == [b"rg: ./closed.txt: unreadable", b"rg: ./closed: unreadable"]


def test_binary_and_oversized_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    (tmp_path / "a.bin").write_bytes(b"x\0")
    (tmp_path / "large.txt").write_bytes(b"x" * 2_000)
    monkeypatch.setattr(search_worker, "MAX_FILE_BYTES", 1_000)
    output, notes = run(tmp_path, monkeypatch, capfdbinary, mode="files_with_matches", pattern="x")
    assert output == b""
    assert notes == [b"rg: ./a.bin: binary", b"rg: ./large.txt: large"]


def test_a_file_that_takes_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    (tmp_path / "evil.txt").write_text("a" * 5_000, encoding="utf-8")
    (tmp_path / "good.txt").write_text("aaab\n", encoding="utf-8")
    monkeypatch.setattr(search_worker, "FILE_TIME_LIMIT_S", 0.2)
    output, notes = run(tmp_path, monkeypatch, capfdbinary, mode="count", pattern="(a+)+b")
    assert output == b"./good.txt\x001\n"
    assert notes == [b"rg: ./evil.txt: slow"]


def test_columns_count_bytes_from_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    (tmp_path / "a").write_text("ééx\nnone\nx", encoding="utf-8")
    output, _ = run(tmp_path, monkeypatch, capfdbinary, "a", mode="columns", pattern="x")
    assert output == b"1\x005\x00\n3\x001\x00\n"


def test_every_type_means_what_it_means_to_ripgrep(tmp_path: Path) -> None:
    known = {
        name: set(globs.split(", "))
        for name, _, globs in (
            line.partition(": ") for line in rg(tmp_path, "--type-list").decode().splitlines()
        )
    }
    assert {name: set(globs) for name, globs in TYPES.items()} == {
        name: known.get(name) for name in TYPES
    }
