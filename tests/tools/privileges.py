"""File modes do not bind root: a test about them first has to give up what root may do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65_534


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be nobody for a while, if this process is root's; an ordinary person stays as they are."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)
