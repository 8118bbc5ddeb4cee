"""What may be asked of the kernel from behind a wall: system calls, sockets, devices, threads."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ankrcode.sandbox import seccomp
from sandbox.site import Site
from sandbox.walls import PRESENT, Runner

pytestmark = pytest.mark.parametrize("wall", PRESENT)

# Name → (x86-64, ARM64, arguments that would do no harm if it were answered).
FORBIDDEN = {
    "mount": (165, 40, "b'none', b'/nowhere', b'tmpfs', 0, 0"),
    "umount2": (166, 39, "b'/nowhere', 0"),
    "pivot_root": (155, 41, "b'/nowhere', b'/nowhere'"),
    "chroot": (161, 51, "b'/nowhere'"),
    "setns": (308, 268, "-1, 0"),
    "unshare user": (272, 97, "0x10000000"),
    "unshare network": (272, 97, "0x40000000"),
    "unshare nothing": (272, 97, "0"),
    "clone user": (56, 220, "0x10000011, 0, 0, 0, 0"),
    "clone mounts": (56, 220, "0x00020011, 0, 0, 0, 0"),
    "clone processes": (56, 220, "0x20000011, 0, 0, 0, 0"),
    "clone3": (435, 435, "0, 0"),
    "open_tree": (428, 428, "-1, b'', 0"),
    "move_mount": (429, 429, "-1, b'', -1, b'', 0"),
    "fsopen": (430, 430, "b'tmpfs', 0"),
    "fsconfig": (431, 431, "-1, 0, 0, 0, 0"),
    "fsmount": (432, 432, "-1, 0, 0"),
    "fspick": (433, 433, "-1, b'', 0"),
    "mount_setattr": (442, 442, "-1, b'', 0, 0, 0"),
    "open_by_handle_at": (304, 265, "-1, 0, 0"),
    "bpf": (321, 280, "0, 0, 0"),
    "perf_event_open": (298, 241, "0, 0, -1, -1, 0"),
    "userfaultfd": (323, 282, "0"),
    "io_uring_setup": (425, 425, "1, 0"),
    "io_uring_enter": (426, 426, "-1, 0, 0, 0, 0, 0"),
    "io_uring_register": (427, 427, "-1, 0, 0, 0"),
    "keyctl": (250, 219, "0, -3, 0"),
    "add_key": (248, 217, "b'user', b'k', b'v', 1, -2"),
    "request_key": (249, 218, "b'user', b'k', 0, 0"),
    "fanotify_init": (300, 262, "0, 0"),
    "init_module": (175, 105, "0, 0, b''"),
    "finit_module": (313, 273, "-1, b'', 0"),
    "delete_module": (176, 106, "b'nothing', 0"),
    "kexec_load": (246, 104, "0, 0, 0, 0"),
    "kexec_file_load": (320, 294, "-1, -1, 0, 0, 0"),
    "reboot": (169, 142, "0, 0, 0, 0"),
    "swapon": (167, 224, "b'/nowhere', 0"),
    "swapoff": (168, 225, "b'/nowhere'"),
    "acct": (163, 89, "b'/nowhere'"),
    "syslog": (103, 116, "10, 0, 0"),
    "sethostname": (170, 161, "b'', -1"),
    "setdomainname": (171, 162, "b'', -1"),
    "settimeofday": (164, 170, "0, 0"),
    "clock_settime": (227, 112, "0, 0"),
    "clock_adjtime": (305, 266, "0, 0"),
    "adjtimex": (159, 171, "0"),
    "quotactl": (179, 60, "0, 0, 0, 0"),
    "quotactl_fd": (443, 443, "-1, 0, 0, 0"),
    "vhangup": (153, 58, ""),
}

ASK = """
import ctypes, errno, os, platform
libc = ctypes.CDLL(None, use_errno=True)
which = 0 if platform.machine() == 'x86_64' else 1
refused = (errno.EPERM, errno.ENOSYS)
for name, numbers, arguments in {calls!r}:
    if os.fork() == 0:
        answer = libc.syscall(numbers[which], *eval(f'({{arguments}},)' if arguments else '()'))
        if answer >= 0 or ctypes.get_errno() not in refused:
            os.write(1, f'{{name}}: {{answer}} {{ctypes.get_errno()}}\\n'.encode())
        os._exit(0)
    os.wait()
print('all asked')
"""


def test_no_call_that_could_open_the_wall_is_answered(wall: str, tmp_path: Path) -> None:
    calls = [(name, (x86, arm), words) for name, (x86, arm, words) in FORBIDDEN.items()]
    runner = Runner(tmp_path / "state", wall=wall)
    for profile in ("workspace-write", "read-only", "workspace-write-network"):
        done = runner.python(ASK.format(calls=calls), roots=[tmp_path], profile=profile)
        assert done.text == "all asked\n", profile


SOCKETS = """
import socket
for family in range(64):
    for kind in (1, 2, 3, 5):
        try: made = socket.socket(family, kind)
        except OSError: continue
        print(family, kind)
        made.close()
"""
AF_INET, AF_INET6, AF_NETLINK = 2, 10, 16


@pytest.mark.parametrize("profile", ["workspace-write", "read-only", "workspace-write-network"])
def test_only_sockets_that_a_network_of_its_own_holds_can_be_made(
    profile: str, wall: str, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "state", wall=wall)
    done = runner.python(SOCKETS, roots=[tmp_path], profile=profile)
    families = {int(line.split()[0]) for line in done.text.splitlines()}
    if wall == "landlock" and not profile.endswith("network"):
        assert families == set(), "there is no network namespace here: so no sockets at all"
    else:
        assert {AF_INET} <= families <= {AF_INET, AF_INET6, AF_NETLINK}
    kinds = {line for line in done.text.splitlines() if line.startswith((f"{AF_INET} ", "10 "))}
    assert not kinds & {f"{AF_INET} 3", f"{AF_INET6} 3"}, "nobody makes raw packets"


@pytest.mark.parametrize("profile", ["workspace-write", "workspace-write-network"])
def test_pairs_of_sockets_work_but_for_those_that_could_reach_others(
    profile: str, wall: str, tmp_path: Path
) -> None:
    script = (
        "import socket as s\n"
        "for kind in (s.SOCK_STREAM, s.SOCK_SEQPACKET, s.SOCK_DGRAM):\n"
        "    try: a, b = s.socketpair(s.AF_UNIX, kind)\n"
        "    except OSError: print('refused')\n"
        "    else: a.send(b'x'); print(b.recv(9))\n"
    )
    done = Runner(tmp_path / "state", wall=wall).python(script, roots=[tmp_path], profile=profile)
    assert done.text.splitlines() == ["b'x'", "b'x'", "refused"]


def test_it_has_no_descriptor_that_was_not_meant_for_it(wall: str, tmp_path: Path) -> None:
    script = "import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd')))"
    leak = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(leak, True)
    try:
        done = Runner(tmp_path / "state", wall=wall).python(script, roots=[tmp_path])
    finally:
        os.close(leak)
    assert done.text == "[0, 1, 2, 3]\n", "the last is the folder that is being listed"


def test_what_the_wall_was_told_cannot_be_read_inside(wall: str, tmp_path: Path) -> None:
    """Neither on a command line nor in a descriptor of the wall's own processes."""
    script = (
        "cat /proc/[0-9]*/cmdline; for file in /proc/[0-9]*/fd/*; do "
        "[ -f $file ] && head -c 9999 $file; done 2>/dev/null; true"
    )
    runner = Runner(tmp_path / "state", wall=wall)
    done = runner(["bash", "-c", script], roots=[tmp_path], env={"TOLD": "canary-5c1"})
    assert "canary" not in done.text


def test_devices_of_the_machine_are_not_there_or_closed(wall: str, tmp_path: Path) -> None:
    script = (
        "import os\n"
        "for folder, _, names in os.walk('/dev'):\n"
        "    for name in names:\n"
        "        path = os.path.join(folder, name)\n"
        "        try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))\n"
        "        except OSError: continue\n"
        "        print(os.path.realpath(path))\n"
    )
    done = Runner(tmp_path / "state", wall=wall).python(script, roots=[tmp_path])
    harmless = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
    own = {line for line in done.text.splitlines() if line.startswith(("/dev/pts/", "/proc/"))}
    opened = set(done.text.splitlines()) - own
    assert opened <= harmless | {"/dev/ptmx"}
    assert wall == "bubblewrap" or not {one for one in own if one.startswith("/dev/pts/")}


def test_shared_memory_of_others_cannot_be_written_and_none_is_left(
    wall: str, tmp_path: Path
) -> None:
    name = f"ankrcode-{os.urandom(6).hex()}"
    theirs, left = Path("/dev/shm") / f"{name}-theirs", Path("/dev/shm") / f"{name}-left"
    theirs.write_text("precious", encoding="utf-8")
    try:
        runner = Runner(tmp_path / "state", wall=wall)
        runner.bash(f"echo evil > {theirs}; echo evil > {left}; rm -f {theirs}", roots=[tmp_path])
        assert theirs.read_text(encoding="utf-8") == "precious"
        assert not left.exists()
    finally:
        for path in (theirs, left):
            path.unlink(missing_ok=True)


# ── whoever starts it ─────────────────────────────────────────────────────────────────────────
@contextmanager
def busy() -> Iterator[None]:
    """Others keep the interpreter to themselves: a thread that is over takes its time to leave."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            sum(range(1_000))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


# The thread that started us may still be there, and for a moment it is behind the same wall.
LOOK = """
for round in {1..6}; do
  for thread in /proc/{tester}/task/*; do
    {attempt} && echo ESCAPED
  done
done 2>/dev/null | sort -u
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "read -r -d '' x < $thread/environ",
        "head -c 1 $thread/maps >/dev/null",
        "readlink $thread/fd/0 >/dev/null",
        "kill -0 ${thread##*/}",
    ],
)
def test_it_never_reaches_the_thread_that_started_it(attempt: str, wall: str, site: Site) -> None:
    runner = Runner(site.home, wall=wall)
    script = LOOK.replace("{tester}", str(os.getpid())).replace("{attempt}", attempt)
    with busy():
        texts = {runner.bash(script, roots=[site.work]).text for _ in range(2)}
    assert texts == {""}


def test_it_cannot_signal_a_thread_that_was_put_out_of_its_range(wall: str) -> None:
    """The kernel asks the filter, so the filter is asked here, about a thread that lives."""
    code = (
        "import ctypes, os, sys, threading\n"
        "from ankrcode.sandbox import seccomp\n"
        "stay, here = threading.Event(), []\n"
        "def still(): here.append(threading.get_native_id()); stay.wait()\n"
        "other = threading.Thread(target=still); other.start()\n"
        "while not here: pass\n"
        "seccomp.install('none', out_of_range=here[0])\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for call, *words in ((62, here[0], 0), (200, here[0], 0), (234, os.getpid(), here[0], 0),"
        " (434, here[0], 0x80), (62, os.getpid(), 0), (62, 0, 0)):\n"
        "    answer = libc.syscall(call, *words)\n"
        "    print(call, answer, ctypes.get_errno() if answer < 0 else 0)\n"
        "stay.set()\n"
    )
    if not seccomp.is_known() or os.uname().machine != "x86_64":
        assert wall in PRESENT
        return
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    refused = [f"{call} -1 1" for call in (62, 200, 234, 434)]
    assert done.stdout.splitlines() == [*refused, "62 0 0", "62 0 0"]
