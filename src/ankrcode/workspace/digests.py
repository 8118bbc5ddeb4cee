"""Digests that need not be computed twice: a file whose status is the same has the same content.

The time of the last change of status cannot be set by a program, only by the system's clock. Once
that clock has moved on since the last change, any further change shows.
"""

import os
import time
from collections import OrderedDict

_MAX_KNOWN = 1_000
_TICK_NS = 50_000_000  # generous: clocks of file systems move every 1 to 10 ms
_COARSE_TICK_NS = 3_000_000_000  # some count whole seconds, or two

Identity = tuple[int, int, int, int, int]
_known: OrderedDict[Identity, str] = OrderedDict()


def known_digest(status: os.stat_result) -> str | None:
    """The digest of the file with this status, if it was computed before."""
    return _known.get(_identity(status))


def remember_digest(status: os.stat_result, digest: str) -> None:
    """`status` was taken before the content was read. What has just changed may change again."""
    is_coarse = status.st_ctime_ns % 1_000_000_000 == 0
    age = time.time_ns() - status.st_ctime_ns
    if age > (_COARSE_TICK_NS if is_coarse else _TICK_NS):
        _known[_identity(status)] = digest
        while len(_known) > _MAX_KNOWN:
            _known.popitem(last=False)


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
