"""Where tests run in several processes, the rows of a table are run some dozens at a time.

A test for each row costs more than most rows do: it is collected by every process, gets a home,
and tells three times how it went. Only what needs nothing but its row, or a folder of its own, is
folded: no other fixture, no mark of its own. What is awaited, or has a folder, gets a home and an
event loop for each row still. Every row is run whatever became of the others, and each that
fails is named. Without `-n` every row is a test of its own, as it stands in the file.
"""

import asyncio
import functools
import inspect
import shutil
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

ROWS_AT_ONCE = 40
PLACED_AT_ONCE = 10
WORTH_IT, PLACED_WORTH_IT = 2, 12
PLACE = "tmp_path"
FOR_EVERY_TEST = {
    PLACE,
    *("own_home", "folders", "memory", "monkeypatch", "request", "tmp_path_factory"),
    *("closed_kits", "event_loop_policy"),
}


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, object, object]:
    """Put fewer items where a table made many."""
    made = yield
    if not hasattr(collector.config, "workerinput") or not isinstance(made, list):
        return made
    rows = [row for row in made if isinstance(row, pytest.Function) and is_plain_row(row)]
    if not rows or len(rows) < max(len(made), worth_it(rows[0])):
        return made
    return list(folded(rows))


def worth_it(row: pytest.Function) -> int:
    """From how many rows on; few that do much are better shared out."""
    return PLACED_WORTH_IT if is_placed(row) else WORTH_IT


def is_plain_row(item: pytest.Function) -> bool:
    if not hasattr(item, "callspec") or hasattr(item.obj, "hypothesis"):
        return False
    needed, given = set(item.fixturenames) - FOR_EVERY_TEST, set(item.callspec.params)
    marks = [mark.name for mark in item.own_markers]
    return (
        needed == given == names_in_marks(item) == wanted(item.obj) - {PLACE}
        and marks == [mark.name for mark in getattr(item.obj, "pytestmark", ())]
        and not (is_placed(item) and "closed_kits" in item.fixturenames)
    )


@functools.cache
def wanted(test: Callable[..., Any]) -> frozenset[str]:
    """The names between the test's own brackets."""
    return frozenset(inspect.signature(test).parameters)


def is_placed(item: pytest.Function) -> bool:
    """Whether it does something that should not meet what other rows did."""
    return PLACE in wanted(item.obj) or inspect.iscoroutinefunction(item.obj)


def names_in_marks(item: pytest.Function) -> set[str]:
    """The parameters that get their value from a row, and not from a fixture."""
    names: set[str] = set()
    for mark in item.iter_markers("parametrize"):
        if len(mark.args) > 2 or "indirect" in mark.kwargs:
            return set()
        said = mark.args[0]
        names.update(name.strip() for name in (said.split(",") if isinstance(said, str) else said))
    return names


def folded(rows: list[pytest.Function]) -> Iterator[pytest.Function]:
    """One item for each few dozen rows."""
    left, first = iter(rows), rows[0]
    at_once = PLACED_AT_ONCE if is_placed(first) else ROWS_AT_ONCE
    while some := list(islice(left, at_once)):
        name = f"{first.originalname}[{some[0].callspec.id}+{len(some) - 1}]"
        yield pytest.Function.from_parent(
            first.parent, name=name, callobj=one_by_one(some), originalname=first.originalname
        )


def one_by_one(rows: list[pytest.Function]) -> Callable[..., None]:
    """A test that runs all of them."""
    test, way = rows[0].obj, in_its_place if is_placed(rows[0]) else as_it_stands

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        failed: list[BaseException] = []
        skipped: list[BaseException] = []
        for row in rows:
            try:
                way(row, **fixtures)
            except pytest.skip.Exception as reason:
                skipped.append(reason)
            except (Exception, pytest.fail.Exception) as problem:  # noqa: BLE001 - told below
                problem.add_note(f"in {row.nodeid}")
                failed.append(problem)
        if failed:
            raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} rows fail", failed)
        if skipped:
            raise skipped[0]

    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one for name, one in inspect.signature(way).parameters.items() if name != "row"]
    )
    run.pytestmark = [  # type: ignore[attr-defined]
        mark for mark in getattr(test, "pytestmark", ()) if mark.name != "parametrize"
    ]
    return run


def as_it_stands(row: pytest.Function) -> None:
    row.obj(**row.callspec.params)


def in_its_place(
    row: pytest.Function, folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a home, a folder and an event loop of its own, all gone afterwards."""
    home, folder = next(folders), next(folders)
    for one in (home, folder):
        one.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    place = {PLACE: folder} if PLACE in wanted(row.obj) else {}
    try:
        result = row.obj(**row.callspec.params, **place)
        if inspect.iscoroutine(result):
            asyncio.run(result)
    finally:
        for one in (home, folder):
            shutil.rmtree(one, ignore_errors=True)
