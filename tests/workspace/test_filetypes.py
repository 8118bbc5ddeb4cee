"""What a file is, by its first bytes."""

import gzip
import io
import pickle
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ankrcode.workspace.documents.filetypes import PDF, binary_name, shown_type
from documents import pdf


def archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as made:
        made.addfile(tarfile.TarInfo("a"))
    return buffer.getvalue()


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("a", "b")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (zipped(), "ZIP archive"),
        (archive(), "tar archive"),
        (gzip.compress(b"x"), "gzip file"),
        (pickle.dumps({"a": 1}), "Python pickle"),
        (Path(sys.executable).read_bytes()[:9_000], "ELF"),
        (b"\0\0\0\x1cftypheic", "HEIC"),
        (b"RIFF\0\0\0\0WAVEfmt ", "WAV sound"),
        (b"\0\1\2\3", "binary file"),
        (b"", "binary file"),
    ],
    ids=["zip", "tar", "gzip", "pickle", "program", "heic", "wav", "unknown", "empty"],
)
def test_a_binary_file_has_the_name_a_person_would_use(content: bytes, name: str) -> None:
    assert binary_name(content).startswith(name)
    assert shown_type(content) is None


@pytest.mark.parametrize("before", [b"", b"\n", b"  \r\n\t"])
def test_a_pdf_is_known_by_its_first_bytes(before: bytes) -> None:
    assert shown_type(before + pdf("x")) is PDF


@pytest.mark.parametrize(
    "text", [b"", b"#!/bin/sh\n", b"see %PDF- here", b"<svg>", b"BM", b"GIF", b"MZ is a name\n"]
)
def test_text_is_nothing_else(text: bytes) -> None:
    assert shown_type(text) is None
