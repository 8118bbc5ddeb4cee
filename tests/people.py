"""Tests that need a person without root's rights, also where the tests run as root."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ankrcode.tooling import workers

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


# ── root without its powers ───────────────────────────────────────────────────────────────────
_PR_SET_SECUREBITS, _NO_ROOT = 28, 1
_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Half(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


@contextmanager
def powerless_root() -> Iterator[None]:
    """While this lasts, modes of files count for root too, here and in programs started from here.

    For tests that start our own interpreter: it may lie in root's home, closed to anybody else.
    """
    if os.geteuid() != 0:
        yield
        return
    workers.forget_idle()  # they began with root's powers
    libc = ctypes.CDLL(None, use_errno=True)
    header, halves = _Header(_VERSION_3, 0), (_Half * 2)()
    _done(libc.capget(ctypes.byref(header), halves))
    before = halves[0].effective
    _done(libc.prctl(_PR_SET_SECUREBITS, _NO_ROOT, 0, 0, 0))
    halves[0].effective = before & ~(_DAC_OVERRIDE | _DAC_READ_SEARCH)
    _done(libc.capset(ctypes.byref(header), halves))
    try:
        yield
    finally:
        halves[0].effective = before
        _done(libc.capset(ctypes.byref(header), halves))
        _done(libc.prctl(_PR_SET_SECUREBITS, 0, 0, 0, 0))
        workers.forget_idle()


def _done(answer: int) -> None:
    if answer:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
