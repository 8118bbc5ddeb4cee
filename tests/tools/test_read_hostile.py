"""Read: files that are huge, endless or made to do harm. Time and memory are measured.

Each case runs in a process of its own, which tells how long the call took and how much memory it
(and its children) needed at most.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import Toolkit
from ankrcode.testing import Bench
from ankrcode.tools.read import Read
from ankrcode.workspace.documents.opened import opened
from documents import (
    pdf,
    pdf_bomb,
    pdf_with_recursive_drawing,
    pdf_with_recursive_pages,
    png_claiming,
)

MEGABYTE = 1024 * 1024

MEASURED = """
import json, resource, sys, time
from ankrcode import Toolkit
kit = Toolkit(cwd=sys.argv[1], mode="bypass")
(kit.call_sync("Read", {"file_path": "warm"}), kit.call_sync("Read", {"file_path": "warm.png"}))

def peak():
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(one).ru_maxrss for one in who) * 1024

before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, time.monotonic()
worked = time.process_time()
result = kit.call_sync("Read", json.loads(sys.argv[2]))
took = time.monotonic() - started
value = {"ok": result.ok, "text": result.text[:3000], "seconds": took, "growth": peak() - before}
value["cpu_seconds"] = time.process_time() - worked
value["code"] = result.error.code if result.error else ""
value["total_lines"] = getattr(result.value, "total_lines", None)
print(json.dumps(value))
"""


def measured(folder: Path, **arguments: Any) -> dict[str, Any]:
    """Run one call in a fresh process and take its measure."""
    (folder / "warm").write_text("x\n", encoding="utf-8")
    (folder / "warm.png").write_bytes(png_claiming(50_000, 50_000))  # loads what pictures need
    done = subprocess.run(
        [sys.executable, "-P", "-c", MEASURED, str(folder), json.dumps(arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["seconds"] < 5
    assert found["growth"] < 256 * MEGABYTE
    return found


# ── huge ──────────────────────────────────────────────────────────────────────────────────────
def test_five_gigabytes_of_nothing_are_named_as_binary_at_once(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(5 * 1024 * MEGABYTE)
    found = measured(tmp_path, file_path="sparse")
    assert found["code"] == "NOT_TEXT"
    assert found["cpu_seconds"] < 1
    assert found["growth"] < 64 * MEGABYTE


def test_a_line_of_five_gigabytes_is_shown_in_part(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.write(b"first\n" + b"x" * 10 * MEGABYTE)
        file.truncate(5 * 1024 * MEGABYTE)
    found = measured(tmp_path, file_path="sparse", limit=2)
    assert found["ok"], found["text"]
    assert found["text"].startswith("     1\tfirst")
    found = measured(tmp_path, file_path="sparse", offset=2, limit=1)
    assert found["text"].startswith("     2\txxx")
    assert "… [more characters]" in found["text"]
    assert found["total_lines"] is None
    assert found["growth"] < 64 * MEGABYTE


def test_a_file_with_text_behind_five_gigabytes_of_hole_is_walked_in_bounds(
    tmp_path: Path,
) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.write(b"first\n" * 200_000)
        file.seek(3 * 1024 * MEGABYTE)
        file.write(b"\nlast\n")
    found = measured(tmp_path, file_path="sparse", offset=200_002, limit=1)
    assert found["ok"], found["text"]
    assert "\tlast" in found["text"]
    assert found["growth"] < 64 * MEGABYTE


def test_the_last_of_a_million_lines_is_found(tmp_path: Path) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 1_000_001))
    (tmp_path / "million").write_text(lines, encoding="utf-8")
    found = measured(tmp_path, file_path="million", offset=999_999, limit=5)
    assert found["text"] == "999999\tline 999999\n1000000\tline 1000000"
    assert found["total_lines"] == 1_000_000
    assert found["growth"] < 64 * MEGABYTE


def test_all_of_a_huge_file_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"some words in a line of text\n" * 5_000_000)
    found = measured(tmp_path, file_path="huge", limit=0)
    assert found["code"] == "TOO_LARGE"
    assert "Grep" in found["text"]


def test_of_a_huge_file_it_is_said_that_there_is_more(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"word\n" * 20_000_000)
    found = measured(tmp_path, file_path="huge")
    assert found["total_lines"] is None
    done = Toolkit(cwd=tmp_path).call_sync("Read", {"file_path": "huge"})
    assert done.text.endswith("[Lines 1 to 2000; there are more. Read on with offset=2001.]")


async def test_a_part_of_a_huge_file_is_remembered_by_that_part(tmp_path: Path) -> None:
    file = tmp_path / "huge"
    file.write_bytes(b"word\n" * 15_000_000)
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="huge", offset=14_000_000, limit=3)
    reads = bench.kit.agent.reads
    record = reads.check_current(str(file))
    assert (record.offset, record.limit) == (14_000_000, 3)
    status = file.stat()
    with file.open("r+b") as stream:  # the part that was shown, with the time put back
        stream.seek(13_999_999 * 5)
        stream.write(b"WORD")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(Exception, match="has changed since"):
        reads.check_current(str(file))


# ── endless ───────────────────────────────────────────────────────────────────────────────────
def fifo(path: Path) -> None:
    os.mkfifo(path)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


@pytest.mark.parametrize(
    "make",
    [fifo, link_to("/dev/zero"), link_to("/dev/urandom"), link_to("/dev/tty"), link_to("/dev/fd")],
    ids=["fifo", "zero", "urandom", "tty", "fd"],
)
def test_what_never_ends_is_refused(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "trap")
    found = measured(tmp_path, file_path="trap")
    assert found["code"] in ("INVALID_PATH", "IS_A_DIRECTORY", "IO_ERROR")
    assert found["cpu_seconds"] < 1


@pytest.mark.parametrize(
    "path",
    [
        *("/proc/self/mem", "/proc/self/pagemap", "/proc/kcore", "/proc/kmsg", "/proc/self/fd/0"),
        *("/sys/kernel/debug/tracing/trace_pipe", "/proc/self", "/proc/self/root", "/dev/stdin"),
        *("/proc/sysrq-trigger", "/proc/kpagecount", "/sys/kernel/uevent_seqnum/x"),
    ],
)
def test_the_traps_of_the_system_end_soon_in_a_typed_error(path: str, tmp_path: Path) -> None:
    found = measured(tmp_path, file_path=path)
    assert not found["ok"], found["text"]
    assert found["code"]
    assert found["cpu_seconds"] < 2


@pytest.mark.parametrize("path", ["/proc/self/status", "/proc/meminfo", "/proc/mounts"])
def test_what_the_system_makes_up_as_text_is_read(path: str, tmp_path: Path) -> None:
    assert measured(tmp_path, file_path=path)["ok"]


def test_a_file_that_grows_while_it_is_read_is_read_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"line\n" * 500_000)

    def grow() -> None:
        with file.open("ab") as stream:
            stream.write(b"more\n" * 300_000)

    with opened(str(file), grow) as source:
        assert b"".join(source.blocks(hashed=True)) == b"line\n" * 500_000
        version = source.version()
    assert version.size == 2_500_000


def test_a_file_that_shrinks_while_it_is_read_just_ends(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"line\n" * 500_000)
    with opened(str(file), lambda: None) as source:
        os.truncate(file, 0)
        assert b"".join(source.blocks(hashed=True)) == source.head


# ── pictures and PDFs ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "make", "code"),
    [
        ("bomb.png", lambda: png_claiming(50_000, 50_000, b"x\xda" * 1_000), "TOO_LARGE"),
        ("wide.png", lambda: png_claiming(2**31 - 1, 1), "TOO_LARGE"),
        ("short.png", lambda: png_claiming(6_000, 6_000), "NOT_TEXT"),
        ("tree.pdf", pdf_with_recursive_pages, "NOT_TEXT"),
        ("drawing.pdf", pdf_with_recursive_drawing, "NOT_TEXT"),
        ("bomb.pdf", lambda: pdf_bomb(260), "NOT_TEXT"),
        ("half.pdf", lambda: pdf("text")[:300], "NOT_TEXT"),
    ],
)
def test_a_hostile_document_is_a_typed_error_in_bounds(
    name: str, make: Callable[[], bytes], code: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(make())
    found = measured(tmp_path, file_path=name)
    assert found["code"] == code
    assert ". " in found["text"]  # what happened, then what to do


def test_the_largest_picture_that_is_opened_stays_in_bounds(tmp_path: Path) -> None:
    import zlib

    packer = zlib.compressobj(1)
    row = b"\0" + b"\x10\x20\x30" * 6_300
    data = b"".join(packer.compress(row) for _ in range(6_300)) + packer.flush()
    (tmp_path / "large.png").write_bytes(png_claiming(6_300, 6_300, data))
    found = measured(tmp_path, file_path="large.png")
    assert found["ok"], found["text"]


def test_ten_thousand_pages_are_read_ten_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(pdf(*["a page of text"] * 10_000))
    found = measured(tmp_path, file_path="long.pdf")
    assert "10000 pages" in found["text"]
    assert 'Read on with pages="11-30"' in found["text"]


def test_a_notebook_of_a_million_nothings_stays_in_bounds(tmp_path: Path) -> None:
    cell = '{"cell_type":"raw","metadata":{},"source":""}'
    cells = ",".join([cell] * 400_000)
    head = '{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":['
    (tmp_path / "cells.ipynb").write_text(f"{head}{cells}]}}", encoding="utf-8")
    assert measured(tmp_path, file_path="cells.ipynb", limit=5)["ok"]
    nothings = ",".join(["{}"] * 5_000_000)
    (tmp_path / "deep.ipynb").write_text(
        f'{{"x":[{nothings}],{head[1:]}{cell}]}}', encoding="utf-8"
    )
    assert measured(tmp_path, file_path="deep.ipynb")["ok"]


# ── cancelling ────────────────────────────────────────────────────────────────────────────────
async def test_a_cancelled_read_never_counts(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.write(b"first\n" * 200_000)
        file.truncate(20 * 1024 * MEGABYTE)  # long enough to be caught at it
    kit = Toolkit(cwd=tmp_path)
    call = asyncio.ensure_future(kit.call("Read", file_path="big", offset=300_000))
    started = asyncio.Event()
    kit.on("tool_call_start", lambda _event: started.set())
    await asyncio.wait_for(asyncio.shield(_until_started(kit, call)), 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert kit.agent.reads.get(str(tmp_path / "big")) is None


async def _until_started(kit: Toolkit, call: "asyncio.Future[Any]") -> None:
    """The reading thread runs."""
    import threading

    while not any(one.name == "ankrcode-Read" for one in threading.enumerate()):
        assert not call.done()
        await asyncio.sleep(0)


def test_results_of_every_kind_can_be_sent_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("", "text"))
    result = Toolkit(cwd=tmp_path).call_sync("Read", {"file_paths": ["a.pdf", "missing"]})
    assert json.loads(msgspec.json.encode(result))["value"]["files_read"] == 1
