"""Which system calls a confined process may make: a filter in the kernel's own byte code.

It closes what Landlock and a mount namespace leave open: sockets of families that no network
namespace holds, new namespaces, the kernel's key rings, input pushed into a terminal, and the
doors to the kernel itself. Without the table of a machine's call numbers there is no filter.
"""

import ctypes
import errno
import platform
import struct
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Literal

from ankrcode.sandbox.system import call, forbid_new_privileges, libc

Network = Literal["none", "internet"]  # the latter alone, or inside a namespace of its own

# Numbers by machine; from 424 on they are the same everywhere.
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SOCKET, _SOCKETPAIR, _IOCTL, _CLONE = (
    {"x86_64": 41, "aarch64": 198},
    {"x86_64": 53, "aarch64": 199},
    {"x86_64": 16, "aarch64": 29},
    {"x86_64": 56, "aarch64": 220},
)
_FORBIDDEN = {
    "x86_64": {
        "vhangup": 153, "pivot_root": 155, "adjtimex": 159, "chroot": 161, "acct": 163,
        "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
        "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
        "init_module": 175, "delete_module": 176, "quotactl": 179, "syslog": 103,
        "clock_settime": 227, "kexec_load": 246, "add_key": 248, "request_key": 249,
        "keyctl": 250, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300,
        "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "finit_module": 313,
        "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "vhangup": 58, "quotactl": 60,
        "acct": 89, "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106,
        "clock_settime": 112, "syslog": 116, "reboot": 142, "sethostname": 161,
        "setdomainname": 162, "settimeofday": 170, "adjtimex": 171, "add_key": 217,
        "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
        "fanotify_init": 262, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
        "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
    },
}  # fmt: skip
_FORBIDDEN_EVERYWHERE = {
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442, "quotactl_fd": 443, "open_tree_attr": 467,
}  # fmt: skip
# Programs try these and have another way: "not there" is understood better than "not allowed".
_ABSENT = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "clone3": 435}

# What one thread can do to another by its number: the argument that tells which.
_REACHING = {
    "x86_64": {
        "kill": (62, 0), "rt_sigqueueinfo": (129, 0), "tkill": (200, 0), "tgkill": (234, 1),
        "rt_tgsigqueueinfo": (297, 1), "pidfd_open": (434, 0),
    },
    "aarch64": {
        "kill": (129, 0), "tkill": (130, 0), "tgkill": (131, 1), "rt_sigqueueinfo": (138, 0),
        "rt_tgsigqueueinfo": (240, 1), "pidfd_open": (434, 0),
    },
}  # fmt: skip
_PRLIMIT = {"x86_64": 302, "aarch64": 261}
_SOMEBODY = 0x7FFFFFFE  # stands for a thread that is not known yet; no real one has this number

_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW… flag that clone takes
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
# Never unix sockets: whoever listens to one (docker, an ssh agent, a desktop) does as it is told.
_AF_INET, _AF_INET6, _AF_NETLINK = 2, 10, 16
_FAMILIES: dict[Network, tuple[int, ...]] = {
    "none": (),
    "internet": (_AF_INET, _AF_INET6, _AF_NETLINK),
}
_DATAGRAMS = 0x2  # in SOCK_DGRAM and in SOCK_RAW, not in SOCK_STREAM and SOCK_SEQPACKET

# The byte code: (operation, jump if true, jump if false, constant).
Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24)
_X32 = 0x40000000
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_FEW = 3

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def is_known(machine: str = "") -> bool:
    """Is there a table of call numbers for this machine?"""
    return (machine or platform.machine()) in _ARCHITECTURES


@cache
def program(network: Network, machine: str = "", *, out_of_range: int | None = None) -> bytes:
    """The filter as the kernel (and `bwrap --seccomp`) reads it.

    `out_of_range`: who cannot be sent a signal, by number; 0 is the sender's own process group.
    Unless it is that, other processes are to be seen inside: their limits cannot be set.
    """
    machine = machine or platform.machine()
    forbidden = (*_FORBIDDEN[machine].values(), *_FORBIDDEN_EVERYWHERE.values())
    judges = {number: [_fail(errno.EPERM)] for number in forbidden}
    judges |= {number: [_fail(errno.ENOSYS)] for number in _ABSENT.values()}
    judges[_CLONE[machine]] = [(_LOAD, 0, 0, _ARGUMENTS[0]), *_clone()]
    judges[_IOCTL[machine]] = [(_LOAD, 0, 0, _ARGUMENTS[1]), *_ioctl()]
    judges[_SOCKETPAIR[machine]] = [(_LOAD, 0, 0, _ARGUMENTS[1]), *_socketpair()]
    judges[_SOCKET[machine]] = [(_LOAD, 0, 0, _ARGUMENTS[0]), *_socket(_FAMILIES[network])]
    if out_of_range is not None:
        for number, argument in _REACHING[machine].values():
            judges[number] = _refusing(argument, out_of_range)
    if out_of_range:
        judges[_PRLIMIT[machine]] = _only_itself()
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        _fail(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _fail(errno.ENOSYS),
        *_search(sorted(judges.items())),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def install(network: Network, *, out_of_range: int) -> None:
    """Put the calling thread, and whatever it starts, behind the filter. There is no way back.

    What it starts can send nothing to the thread `out_of_range`.
    """
    code = program(network, out_of_range=_SOMEBODY)
    code = code.replace(struct.pack("=I", _SOMEBODY), struct.pack("=I", out_of_range))
    buffer = ctypes.create_string_buffer(code, len(code))
    filled = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    forbid_new_privileges()
    call(libc().prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filled), 0, 0), "seccomp")


# ── the parts of the program ──────────────────────────────────────────────────────────────────
def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)


def _fail(number: int) -> Instruction:
    return (_RETURN, 0, 0, _FAIL | number)


def _search(judges: Sequence[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """By halves: the kernel walks through the filter for every call there is when it takes it in.

    Each judge always returns; what none of them knows is allowed.
    """
    if len(judges) <= _FEW:
        tests = ([(_EQUAL, 0, len(judge), number), *judge] for number, judge in judges)
        return [*chain.from_iterable(tests), _allow()]
    middle = len(judges) // 2
    low, high = _search(judges[:middle]), _search(judges[middle:])
    return [(_AT_LEAST, len(low), 0, judges[middle][0]), *low, *high]


def _refusing(argument: int, value: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, _ARGUMENTS[argument]), *_search([(value, [_fail(errno.EPERM)])])]


def _only_itself() -> list[Instruction]:
    return [(_LOAD, 0, 0, _ARGUMENTS[0]), *_search([(0, [_allow()])])[:-1], _fail(errno.EPERM)]


def _clone() -> list[Instruction]:
    return [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), _fail(errno.EPERM), _allow()]


def _ioctl() -> list[Instruction]:
    return _search([(request, [_fail(errno.EPERM)]) for request in _TERMINAL_INPUT])


def _socket(families: tuple[int, ...]) -> list[Instruction]:
    tests: list[Instruction] = [
        (_EQUAL, len(families) - position, 0, family) for position, family in enumerate(families)
    ]
    return [*tests, _fail(errno.EAFNOSUPPORT), _allow()]


def _socketpair() -> list[Instruction]:
    """One of a pair that sends datagrams can send them to any other unix socket as well."""
    return [(_ANY_BIT, 0, 1, _DATAGRAMS), _fail(errno.EACCES), _allow()]
