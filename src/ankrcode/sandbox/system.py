"""The few calls of the system that Python has no name for."""

import ctypes
import os
from contextlib import suppress
from functools import cache

_PR_SET_DUMPABLE, _PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS = 4, 28, 38
_ROOT_IS_NOBODY = 0xC3  # being root gives no capability at exec, none can be raised; both locked
_CAPABILITY_VERSION_3 = 0x20080522


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def call(answer: int, what: str) -> int:
    """The answer of a system call, or the `OSError` that it stands for."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer


def forbid_new_privileges() -> None:
    """No program that this thread starts gains rights, setuid or not."""
    call(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def hide_memory() -> None:
    """Nobody without privileges may look into this process any more, nor will it leave a dump."""
    call(libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")


def drop_capabilities() -> None:
    """Make this thread, and what it starts, an ordinary one, even if it is root's."""
    with suppress(PermissionError):  # without the right to do it there is nothing to give up
        call(libc().prctl(_PR_SET_SECUREBITS, _ROOT_IS_NOBODY, 0, 0, 0), "securebits")
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    call(libc().capset(header, nothing), "capset")
