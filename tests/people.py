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
    home = Path.home()  # of this test: what is kept for them must be theirs too
    for path in (owns, *owns.rglob("*"), home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    for parent in owns.parents:
        # pytest's own folder: let them pass, also as one of root's group
        if parent.stat().st_uid == 0 and parent.stat().st_mode & 0o011 != 0o011:
            parent.chmod(parent.stat().st_mode | 0o011)
    group = os.getegid()
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
