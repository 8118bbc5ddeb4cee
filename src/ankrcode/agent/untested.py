"""Test files that are there and were part of no run: only then is "all tests pass" too much after
a run of single files. Seen in what was done, or beside those that ran; in doubt there are none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from ankrcode.agent.runners import Run

_MOST_LOOKED_AT = 2_000
# How a file of tests is named, by the part that its siblings share.
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"test_\w+\.py",
        r"\w+_test\.(?:py|go|exs|rb|dart|cc|cpp|js|ts)",
        r"[\w.-]+\.test\.(?:[cm]?[jt]sx?)",
        r"[\w.-]+\.(?:spec|cy)\.(?:[cm]?[jt]sx?)",
        r"\w+_spec\.(?:rb|lua|cr)",
        r"\w+Test\.(?:php|java|kt)",
    )
)


class Event(Protocol):
    """A write, or a run, and how it went."""

    @property
    def write(self) -> str: ...
    @property
    def run(self) -> Run | None: ...
    @property
    def outcome(self) -> str: ...


def left_out(events: Sequence[Event], after: Sequence[Event], roots: Sequence[str]) -> bool:
    """Did single files run after the last change, and not one that is certainly there, too?"""
    ran: set[str] = set()
    for one in after:
        if one.run is None or one.run.filters or not _are_files(one.run.paths):
            return False  # more ran, or nobody knows what
        ran |= {_file(path) for path in one.run.paths}
    shapes = {_shape(path) for path in ran}
    seen = (name for name in _seen(events) if _shape(name) in shapes and _is_there(name, roots))
    others = {Path(name).name for name in (*seen, *_beside(ran, roots))}
    return bool(ran) and not others <= {Path(path).name for path in ran}


def _are_files(paths: Sequence[str]) -> bool:
    return bool(paths) and all(_shape(_file(path)) is not None for path in paths)


def _file(path: str) -> str:
    return path.partition("::")[0].removeprefix("./")


def _shape(path: str) -> re.Pattern[str] | None:
    return next((shape for shape in _SHAPES if shape.fullmatch(Path(path).name)), None)


def _seen(events: Iterable[Event]) -> Iterator[str]:
    """Test files that were written, or ran to their end, in this session."""
    for one in events:
        if one.write:
            yield one.write
        elif one.run is not None and one.outcome == "green":
            yield from map(_file, one.run.paths)


def _is_there(path: str, roots: Sequence[str]) -> bool:
    return not roots or any(Path(root, path).is_file() for root in roots)


def _beside(ran: Iterable[str], roots: Sequence[str]) -> Iterator[str]:
    """Test files of the same kind in the folders of those that ran."""
    for path in ran:
        for root in roots:
            if Path(root, path).is_file():
                yield from _alike(Path(root, path).parent, _shape(path))


def _alike(folder: Path, shape: re.Pattern[str] | None) -> list[str]:
    try:
        names = [one.name for one in islice(folder.iterdir(), _MOST_LOOKED_AT)]
    except OSError:
        return []
    return [name for name in names if shape is not None and shape.fullmatch(name)]
