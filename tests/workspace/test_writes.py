"""Changing files: whole or not at all, with everything kept that belongs to them."""

import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, file, tree
from ankrcode.workspace.reads import FileVersion, version_of
from ankrcode.workspace.writing import renames
from ankrcode.workspace.writing.writes import FileWriter
from people import ordinary_person
from swapper import Swapper
from workspace.crashes import EVERY_ERROR, system
from workspace.running import descriptors, settle


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def writer(tmp_path: Path) -> FileWriter:
    return FileWriter(tmp_path / "notes")


def version(path: Path) -> FileVersion:
    found = version_of(str(path))
    assert found is not None
    return found


def overwrite(writer: FileWriter, path: Path, content: bytes) -> FileVersion:
    return writer.write(str(path), content, expected=version(path))


def code_of(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(ToolError) as caught:
        act()
    assert caught.value.suggestion
    return caught.value.code


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


# ── new files ─────────────────────────────────────────────────────────────────────────────────
def test_a_new_file_holds_exactly_what_was_given(work: Path, writer: FileWriter) -> None:
    written = writer.write(str(work / "a"), b"\0\xff\r\n", expected=None)
    assert (work / "a").read_bytes() == b"\0\xff\r\n"
    assert written == version(work / "a")
    assert names(work) == ["a"]


def test_a_new_file_has_the_mode_that_the_person_wants(work: Path, writer: FileWriter) -> None:
    before = os.umask(0o027)
    try:
        writer.write(str(work / "a"), b"", expected=None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o640


def test_a_new_file_never_replaces_one_that_appeared_meanwhile(
    work: Path, writer: FileWriter
) -> None:
    (work / "a").write_bytes(b"theirs")
    target = str(work / "a")
    assert code_of(lambda: writer.write(target, b"ours", expected=None)) == "CHANGED_SINCE_READ"
    assert (work / "a").read_bytes() == b"theirs"
    assert names(work) == ["a"]


def test_not_even_a_broken_link_is_replaced_by_a_new_file(work: Path, writer: FileWriter) -> None:
    (work / "a").symlink_to("nowhere")
    target = str(work / "a")
    assert code_of(lambda: writer.write(target, b"ours", expected=None)) == "CHANGED_SINCE_READ"
    assert names(work) == ["a"]


def test_where_the_system_cannot_refuse_we_look_first(
    work: Path, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renames, "_renameat2", lambda: lambda *_: errno.EINVAL)
    writer.write(str(work / "a"), b"one", expected=None)
    target = str(work / "a")
    assert code_of(lambda: writer.write(target, b"two", expected=None)) == "CHANGED_SINCE_READ"
    assert (work / "a").read_bytes() == b"one"


def test_missing_folders_are_made_only_if_asked(work: Path, writer: FileWriter) -> None:
    target = str(work / "x" / "y" / "a")
    assert code_of(lambda: writer.write(target, b"", expected=None)) == "FILE_NOT_FOUND"
    assert names(work) == []
    writer.write(target, b"deep", expected=None, makes_folders=True)
    assert (work / "x" / "y" / "a").read_bytes() == b"deep"


def test_folders_made_for_a_write_that_fails_are_taken_back(work: Path, writer: FileWriter) -> None:
    name = "n" * 300  # longer than any file system allows
    target = str(work / "x" / "y" / name)
    wrong = code_of(lambda: writer.write(target, b"", expected=None, makes_folders=True))
    assert wrong == "INVALID_PATH"
    assert names(work) == []


def test_the_longest_name_can_be_written_in_any_script(work: Path, writer: FileWriter) -> None:
    for name in ("n" * 255, "क" * 85):
        writer.write(str(work / name), b"1", expected=None)
        overwrite(writer, work / name, b"2")
        assert (work / name).read_bytes() == b"2"


def test_a_name_that_is_not_unicode_can_be_written(work: Path, writer: FileWriter) -> None:
    path = os.fsdecode(os.fsencode(str(work)) + b"/caf\xe9")
    writer.write(path, b"1", expected=None)
    assert [os.fsencode(one.name) for one in work.iterdir()] == [b"caf\xe9"]


# ── replacing ─────────────────────────────────────────────────────────────────────────────────
def test_replacing_says_the_new_version(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    assert overwrite(writer, work / "a", b"new!") == version(work / "a")
    assert (work / "a").read_bytes() == b"new!"
    assert names(work) == ["a"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4755, 0o2640])
def test_the_mode_is_kept(mode: int, work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    (work / "a").chmod(mode)
    overwrite(writer, work / "a", b"new")
    assert stat.S_IMODE((work / "a").stat().st_mode) == mode


def test_a_secret_is_never_readable_by_others_on_the_way(
    work: Path, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old")
    (work / "a").chmod(0o600)
    modes = []
    real = os.write

    def spying(handle: int, content: bytes) -> int:
        modes.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return real(handle, content)

    monkeypatch.setattr(os, "write", spying)
    overwrite(writer, work / "a", b"secret")
    assert set(modes) == {0o600}


def test_the_owner_is_kept_where_we_may_give_files_away(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    if os.geteuid() == 0:
        os.chown(work / "a", 1234, 4321)
    before = (work / "a").stat()
    overwrite(writer, work / "a", b"new")
    after = (work / "a").stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def acl(*entries: tuple[int, int, int]) -> bytes:
    """An access list as the kernel wants it: (tag, permissions, id) each."""
    packed = (struct.pack("<HHI", tag, bits, who & 0xFFFFFFFF) for tag, bits, who in entries)
    return struct.pack("<I", 2) + b"".join(packed)


LIST = acl((0x01, 6, -1), (0x02, 4, 1234), (0x04, 4, -1), (0x10, 4, -1), (0x20, 0, -1))


def test_attributes_and_access_lists_are_kept(work: Path, writer: FileWriter) -> None:
    target = work / "a"
    target.write_bytes(b"old")
    os.setxattr(target, "user.origin", b"somewhere")
    os.setxattr(target, "system.posix_acl_access", LIST)
    overwrite(writer, target, b"new")
    assert os.getxattr(target, "user.origin") == b"somewhere"
    assert os.getxattr(target, "system.posix_acl_access") == LIST


def test_a_file_without_an_access_list_does_not_get_its_folders(
    work: Path, writer: FileWriter
) -> None:
    (work / "a").write_bytes(b"old")
    os.setxattr(work, "system.posix_acl_default", LIST)
    overwrite(writer, work / "a", b"new")
    assert os.listxattr(work / "a") == []
    writer.write(str(work / "b"), b"new", expected=None)
    assert os.listxattr(work / "b") == ["system.posix_acl_access"], "as for any new file there"


def test_a_version_nobody_read_is_not_replaced(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    read = version(work / "a")
    (work / "a").write_bytes(b"someone else's")
    target = str(work / "a")
    assert code_of(lambda: writer.write(target, b"new", expected=read)) == "CHANGED_SINCE_READ"
    assert (work / "a").read_bytes() == b"someone else's"
    assert names(work) == ["a"]


def test_a_change_in_the_last_moment_is_seen(
    work: Path, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old")
    read, target = version(work / "a"), str(work / "a")
    real = os.fsync

    def slow_disk(handle: int) -> None:
        real(handle)
        (work / "a").write_bytes(b"else")

    monkeypatch.setattr(os, "fsync", slow_disk)
    assert code_of(lambda: writer.write(target, b"new", expected=read)) == "CHANGED_SINCE_READ"
    assert (work / "a").read_bytes() == b"else"


def test_a_file_that_vanished_counts_as_changed(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    read, target = version(work / "a"), str(work / "a")
    (work / "a").unlink()
    assert code_of(lambda: writer.write(target, b"new", expected=read)) == "CHANGED_SINCE_READ"
    assert names(work) == []


def test_a_read_only_file_is_not_replaced(work: Path, writer: FileWriter, tmp_path: Path) -> None:
    (work / "a").write_bytes(b"old")
    (work / "a").chmod(0o444)
    with ordinary_person(tmp_path):
        wrong = code_of(lambda: overwrite(writer, work / "a", b"new"))
    assert wrong == "PERMISSION_DENIED"
    assert (work / "a").read_bytes() == b"old"


# ── in place ──────────────────────────────────────────────────────────────────────────────────
def test_a_hard_linked_file_keeps_all_its_names(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old and longer")
    os.link(work / "a", work / "b")
    written = overwrite(writer, work / "a", b"new")
    assert (work / "b").read_bytes() == b"new"
    assert (work / "a").samefile(work / "b")
    assert written == version(work / "b")


def test_a_writable_file_in_a_closed_folder_is_written(
    work: Path, writer: FileWriter, tmp_path: Path
) -> None:
    (work / "a").write_bytes(b"old")
    work.chmod(0o555)
    with ordinary_person(tmp_path):
        overwrite(writer, work / "a", b"new")
        closed = code_of(lambda: writer.write(str(work / "b"), b"", expected=None))
    work.chmod(0o755)
    assert closed == "PERMISSION_DENIED"
    assert (work / "a").read_bytes() == b"new"
    assert names(work) == ["a"]


def test_a_folder_that_may_be_passed_but_not_read_is_no_obstacle(
    work: Path, writer: FileWriter, tmp_path: Path
) -> None:
    (work / "a").write_bytes(b"old")
    work.chmod(0o311)
    with ordinary_person(tmp_path):
        overwrite(writer, work / "a", b"new")
        writer.write(str(work / "b"), b"new", expected=None)
    work.chmod(0o755)
    assert names(work) == ["a", "b"]


def test_someone_elses_file_keeps_its_owner_if_we_may_write_it(
    work: Path, writer: FileWriter, tmp_path: Path
) -> None:
    (work / "a").write_bytes(b"old")
    (work / "a").chmod(0o666)
    with ordinary_person(tmp_path):
        if os.getuid() == 0:
            os.seteuid(0)
            os.chown(work / "a", 1234, 1234)
            os.seteuid(65534)
        owner = (work / "a").stat().st_uid
        overwrite(writer, work / "a", b"new")
    assert (work / "a").stat().st_uid == owner
    assert (work / "a").read_bytes() == b"new"


def test_without_a_place_for_a_copy_nothing_is_written_in_place(work: Path) -> None:
    (work / "a").write_bytes(b"old")
    os.link(work / "a", work / "b")
    assert code_of(lambda: overwrite(FileWriter(), work / "a", b"new")) == "IO_ERROR"
    assert (work / "a").read_bytes() == b"old"


def test_where_no_notes_can_be_kept_ordinary_writes_still_work(work: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0o555)
    (work / "a").write_bytes(b"old")
    with ordinary_person(tmp_path):
        overwrite(FileWriter(tmp_path / "closed" / "notes"), work / "a", b"new")
    assert (work / "a").read_bytes() == b"new"


def test_notes_are_private(work: Path, tmp_path: Path) -> None:
    (work / "a").write_bytes(b"old")
    os.link(work / "a", work / "b")
    modes: dict[str, int] = {}
    notes = tmp_path / "state" / "notes"

    real = os.ftruncate

    def looking(handle: int, size: int) -> None:
        for one in (notes, *notes.iterdir()):
            modes[one.suffix] = stat.S_IMODE(one.stat().st_mode)
        real(handle, size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "ftruncate", looking)
        overwrite(FileWriter(notes), work / "a", b"new")
    assert modes == {"": 0o700, ".json": 0o600, ".copy": 0o600}
    assert stat.S_IMODE(notes.parent.stat().st_mode) == 0o700
    assert names(notes) == []


# ── what the system refuses ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("error", EVERY_ERROR, ids=errno.errorcode.get)
@pytest.mark.parametrize("kind", ["new", "replaced", "hard link"])
def test_an_error_at_any_call_changes_nothing_and_has_a_code(
    kind: str, error: int, work: Path, tmp_path: Path
) -> None:
    codes = []
    for fail_at in count(1):
        shutil.rmtree(work)
        work.mkdir()
        target = work / "x" / "a" if kind == "new" else work / "a"
        if kind != "new":
            target.write_bytes(b"old " * 100)
        if kind == "hard link":
            os.link(target, work / "b")
        expected, before = version_of(str(target)), names(work)
        with system(fail_at=fail_at, error=error, most_bytes=150) as fake:
            try:
                writer = FileWriter(tmp_path / "notes")
                writer.write(str(target), b"new" * 100, expected=expected, makes_folders=True)
            except ToolError as problem:
                codes.append(problem.code)
                assert names(work) == before
                assert version_of(str(target)) == expected
            else:
                assert target.read_bytes() == b"new" * 100, "it could do without that call"
        if fake.count < fail_at:
            break
    assert len(codes) >= 8
    assert set(codes) <= {"IO_ERROR", "PERMISSION_DENIED"}
    FileWriter(tmp_path / "notes").recover()
    assert not list((tmp_path / "notes").glob("*"))


def test_a_file_that_may_grow_no_more_is_an_error_and_stays_as_it_was(
    work: Path, tmp_path: Path
) -> None:
    (work / "a").write_bytes(b"old")
    script = f"""
import resource, sys
from pathlib import Path
from ankrcode.errors import ToolError
from ankrcode.workspace.reads import version_of
from ankrcode.workspace.writing.writes import FileWriter
path = {str(work / "a")!r}
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    writer = FileWriter(Path({str(tmp_path / "notes")!r}))
    writer.write(path, b"x" * 2_000_000, expected=version_of(path))
except ToolError as problem:
    sys.exit(f"{{problem.code}} {{problem}}")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr.startswith("IO_ERROR There is no room for")
    assert (work / "a").read_bytes() == b"old"
    assert names(work) == ["a"]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_only_ordinary_files_are_replaced(
    make: Callable[[Path], None], work: Path, writer: FileWriter
) -> None:
    make(work / "a")
    nothing = FileVersion(size=0, mtime_ns=0, digest="")
    wrong = code_of(lambda: writer.write(str(work / "a"), b"new", expected=nothing))
    assert wrong in ("IS_A_DIRECTORY", "INVALID_PATH")


# ── only what was allowed ─────────────────────────────────────────────────────────────────────
def test_a_call_changes_only_what_it_declared(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"old")
    bound = writer.only(Acts(writes=(file(str(work / "b")), tree(str(work / "c")))))
    for name in ("a", "bb", "cc", "b/x"):
        path = str(work / name)
        assert code_of(partial(bound.write, path, b"", expected=None)) == "BLOCKED"
        assert code_of(partial(bound.remove, path, print)) == "BLOCKED"
        assert code_of(partial(bound.move, path, str(work / "b"), overwrites=False)) == "BLOCKED"
    bound.write(str(work / "b"), b"", expected=None)
    bound.write(str(work / "c" / "d"), b"", expected=None, makes_folders=True)
    wrong = code_of(lambda: bound.move(str(work / "b"), str(work / "a"), overwrites=True))
    assert wrong == "BLOCKED"
    assert (work / "a").read_bytes() == b"old"


@pytest.mark.parametrize("at", ["folder", "file"])
def test_a_link_put_in_the_way_is_refused(at: str, work: Path, writer: FileWriter) -> None:
    (work / "real").mkdir()
    (work / "real" / "a").write_bytes(b"outside")
    read = version(work / "real" / "a")
    link = work / "in" if at == "folder" else work / "a"
    link.symlink_to("real" if at == "folder" else "real/a")
    target = str(link / "a") if at == "folder" else str(link)
    assert code_of(lambda: writer.write(target, b"new", expected=read)) == "BLOCKED"
    assert (work / "real" / "a").read_bytes() == b"outside"
    if at == "folder":
        new = str(link / "b")
        assert code_of(lambda: writer.write(new, b"new", expected=None)) == "BLOCKED"
        assert code_of(lambda: writer.remove(target, print)) == "BLOCKED"
    assert names(work / "real") == ["a"]


def test_two_thousand_writes_against_a_swapper_put_no_byte_outside(
    work: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"precious")
    (work / "in").mkdir()
    (work / "in" / "a").write_bytes(b"0")
    writer, done = FileWriter(), 0
    codes = set()
    with Swapper(work / "in", outside) as swapper:
        for number in range(2_000):
            name = "a" if number % 2 else f"new{number}"
            target = str(work / "in" / name)
            try:
                writer.write(target, b"%d" % number, expected=version_of(target))
                done += 1
            except ToolError as problem:
                codes.add(problem.code)
    assert codes <= {"BLOCKED", "FILE_NOT_FOUND", "CHANGED_SINCE_READ", "NOT_A_DIRECTORY"}
    assert codes & {"BLOCKED", "NOT_A_DIRECTORY"}, "the link was never met"
    assert swapper.swaps
    assert done
    assert names(outside) == ["a"]
    assert (outside / "a").read_bytes() == b"precious"


# ── many at once ──────────────────────────────────────────────────────────────────────────────
def test_many_threads_share_one_writer(work: Path, writer: FileWriter) -> None:
    def write(number: int) -> None:
        for turn in range(20):
            path = work / f"{number}-{turn}"
            writer.write(str(path), b"1", expected=None)
            overwrite(writer, path, b"22")
            writer.recover()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(work)) == 160
    assert all(one.read_bytes() == b"22" for one in work.iterdir())


def test_nothing_is_kept_open_and_nothing_grows(work: Path, writer: FileWriter) -> None:
    (work / "a").write_bytes(b"0")
    before = descriptors()
    for number in range(200):
        overwrite(writer, work / "a", b"%d" % number)
    settle(descriptors, before)
