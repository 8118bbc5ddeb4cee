"""Tests that need a person without root's rights, also where the tests run as root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def ordinary_person(owns: Path) -> Iterator[None]:
    """While this lasts, the process has no more rights than the owner of `owns`."""
    if os.geteuid() != 0:
        yield
        return
    for path in (owns, *owns.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    for parent in owns.parents:
        if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o001)  # pytest's own folder: let them pass
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
