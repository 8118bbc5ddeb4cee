"""What a call touches, in short words."""

import pytest

from ankrcode.protocol.acts import EVERYTHING, NOTHING, UNKNOWN, Acts, file, state, tree


def test_the_short_words_for_resources() -> None:
    assert [file("/a b"), tree("/src"), state("cwd")] == ["file:/a b", "tree:/src", "state:cwd"]


def test_files_and_folders_are_found_among_other_resources() -> None:
    acts = Acts(
        reads=(file("/a"), state("cwd"), EVERYTHING),
        writes=(tree("/b"), state("todos"), file("c:d")),
    )
    assert acts.reads_files == ("/a",)
    assert acts.writes_files == ("/b", "c:d")


@pytest.mark.parametrize(
    ("acts", "harmless"),
    [
        (NOTHING, True),
        (Acts(reads=(EVERYTHING,)), True),
        (Acts(connects=("example.com",)), True),
        (Acts(writes=(state("todos"),)), False),
        (Acts(runs=("ls",)), False),
        (Acts(runs=("ls",), confined=True), True),
        (Acts(runs=("ls",), writes=(file("/a"),), confined=True), False),
        (UNKNOWN, False),
    ],
)
def test_only_writes_and_commands_change_things(acts: Acts, harmless: bool) -> None:
    assert acts.changes_nothing is harmless


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("/a/b", True),
        ("/a/b/c", False),
        ("/a", False),
        ("/t", True),
        ("/t/x/y", True),
        ("/tt", False),
    ],
)
def test_only_what_was_declared_may_be_written(path: str, may: bool) -> None:
    acts = Acts(reads=(file("/a"), tree("/tt")), writes=(file("/a/b"), tree("/t")))
    assert acts.may_write(path) is may


def test_who_declares_everything_may_write_anything() -> None:
    assert UNKNOWN.may_write("/a")
    assert Acts(writes=(tree("/"),)).may_write("/a/b")
    assert not NOTHING.may_write("/a")
