"""From what a program said when it failed to what the wall had to do with it."""

import re
import signal

from ankrcode.words import say

_PATTERNS = {
    "sandbox.why.write": r"read-only file system|\bEROFS\b|permission denied|\bEACCES\b",
    "sandbox.why.network": r"""(?x)
        network\ is\ unreachable | could\ not\ resolve | name\ resolution | name\ or\ service
        | nodename\ nor\ servname | address\ family\ not\ supported | \bE(AI_AGAIN|NETUNREACH)\b
        | getaddrinfo | no\ such\ host | couldn't\ connect | unable\ to\ resolve
    """,
    "sandbox.why.file_size": r"file too large|\bEFBIG\b",
    "sandbox.why.memory": r"cannot allocate memory|memoryerror|out of memory|\bENOMEM\b|bad_alloc",
    "sandbox.why.processes": r"fork: retry|can(no|')t (fork|start new thread)|unable to fork"
    r"|resource temporarily unavailable|\bEAGAIN\b",
    "sandbox.why.call": r"operation not permitted|\bEPERM\b|function not implemented",
}
_SIGNALS = {
    signal.SIGXFSZ: "sandbox.why.file_size",
    signal.SIGXCPU: "sandbox.why.cpu",
    signal.SIGKILL: "sandbox.why.killed",
}
_BY_SHELL = 128  # a shell, and bubblewrap, report signal N as 128 + N


def explained(exit_code: int, output_tail: str, wall: str) -> str:
    """What the wall may have stopped, a line each; empty where nothing points to it."""
    if exit_code == 0:
        return ""
    keys = [key for key, pattern in _PATTERNS.items() if re.search(pattern, output_tail, re.I)]
    ended_by = -exit_code if exit_code < 0 else exit_code - _BY_SHELL
    by_signal = _SIGNALS.get(ended_by)  # type: ignore[call-overload]
    if by_signal and by_signal not in keys:
        keys.append(by_signal)
    if not keys:
        return ""
    reasons = " ".join(say(key) for key in keys)
    return say("sandbox.why", wall=wall, reasons=reasons)
