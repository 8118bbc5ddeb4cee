"""Where tests run in several processes, the rows of a table are run some dozens at a time.

A test for each row costs more than most rows do: it is collected by every process, gets a home,
and tells three times how it went. Only what needs nothing but its row is folded: no fixture, no
mark of its own, nothing awaited. Every row is run whatever became of the others, and each that
fails is named. Without `-n` every row is a test of its own, as it stands in the file.
"""

import functools
import inspect
from collections.abc import Callable, Generator, Iterator
from itertools import islice

import pytest

ROWS_AT_ONCE = 40
WORTH_IT = 8
FOR_EVERY_TEST = {
    *("own_home", "homes", "monkeypatch", "request", "tmp_path_factory"),
    *("closed_kits", "event_loop_policy"),
}


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, object, object]:
    """Put fewer items where a table made many."""
    made = yield
    if not hasattr(collector.config, "workerinput") or not isinstance(made, list):
        return made
    rows = [row for row in made if isinstance(row, pytest.Function) and is_plain_row(row)]
    if len(rows) < max(len(made), WORTH_IT):
        return made
    return list(folded(rows))


def is_plain_row(item: pytest.Function) -> bool:
    if not hasattr(item, "callspec") or hasattr(item.obj, "hypothesis"):
        return False
    needed, given = set(item.fixturenames) - FOR_EVERY_TEST, set(item.callspec.params)
    marks = [mark.name for mark in item.own_markers]
    return (
        needed == given == names_in_marks(item)
        and not inspect.iscoroutinefunction(item.obj)
        and marks == [mark.name for mark in getattr(item.obj, "pytestmark", ())]
    )


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
    while some := list(islice(left, ROWS_AT_ONCE)):
        name = f"{first.originalname}[{some[0].callspec.id}+{len(some) - 1}]"
        yield pytest.Function.from_parent(
            first.parent, name=name, callobj=one_by_one(some), originalname=first.originalname
        )


def one_by_one(rows: list[pytest.Function]) -> Callable[[], None]:
    """A test that runs all of them."""
    test = rows[0].obj

    @functools.wraps(test)
    def run() -> None:
        failed: list[BaseException] = []
        skipped: list[BaseException] = []
        for row in rows:
            try:
                test(**row.callspec.params)
            except pytest.skip.Exception as reason:
                skipped.append(reason)
            except (Exception, pytest.fail.Exception) as problem:  # noqa: BLE001 - told below
                problem.add_note(f"in {row.nodeid}")
                failed.append(problem)
        if failed:
            raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} rows fail", failed)
        if skipped:
            raise skipped[0]

    run.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
    run.pytestmark = [  # type: ignore[attr-defined]
        mark for mark in getattr(test, "pytestmark", ()) if mark.name != "parametrize"
    ]
    return run
