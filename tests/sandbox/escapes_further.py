"""More programs that try to get out: the less obvious ways. See escapes.py for what they are given;
`{mail}` is a unix socket that takes datagrams, `{terminal}` a terminal that somebody works at."""

from sandbox.escapes import CALLS, KILLS, READS, TALKS, WRITES, Escape, bash, python

_ADDRESS = "('169.254.169.254', 80)"


def tried(name: str, setup: str, attempt: str, *, safe: bool = True) -> Escape:
    """One that is known by its answer: whatever is not refused is an escape."""
    script = f"{setup}\ntry: {attempt}\nexcept OSError as e: print(e)\nelse: print('ESCAPED')"
    return python(name, CALLS, script, safe=safe)


FILES = (
    bash("reopen a descriptor for writing", WRITES, "exec 3<{outside}/victim; echo e > /dev/fd/3"),
    bash("write through /proc/self/cwd", WRITES, "echo evil > /proc/self/cwd/../outside/new"),
    bash("write with tee", WRITES, "echo evil | tee {outside}/victim"),
    bash("write with dd", WRITES, "echo evil | dd of={outside}/victim conv=notrunc"),
    bash("write with sed", WRITES, "sed -i s/precious/evil/ {outside}/victim"),
    bash("write with install", WRITES, "echo e > a; install -m 644 a {outside}/new"),
    bash("write with tar", WRITES, "echo e > new; tar -cf - new | tar -xf - -C {outside}"),
    bash("write with git", WRITES, "git init -q {outside}/repository"),
    bash("write beside the workspace", WRITES, "cd ..; echo evil > beside"),
    bash("remove everything", WRITES, "rm -rf {outside}"),
    bash("remove everything, by dots", WRITES, "rm -rf ../outside"),
    bash("remove everything found", WRITES, "find {outside} -delete"),
    bash("leave a device", WRITES, "mknod {outside}/null c 1 3", safe=False),
    python(
        "write below a folder held open",
        WRITES,
        "import os; d = os.open('{outside}', os.O_PATH); "
        "os.write(os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=d), b'evil')",
    ),
    python(
        "exchange two files",
        WRITES,
        "import ctypes, platform; open('mine', 'w').write('evil')\n"
        "number = dict(x86_64=316, aarch64=276)[platform.machine()]\n"
        "ctypes.CDLL(None).syscall(number, -100, b'mine', -100, b'{outside}/victim', 2)",
    ),
    python(
        "write through a mapping",
        WRITES,
        "import mmap; f = open('{outside}/victim', 'r+b'); mmap.mmap(f.fileno(), 0)[0:4] = b'evil'",
    ),
    python(
        "copy between descriptors",
        WRITES,
        "import os; open('a', 'w').write('evil evil'); a = os.open('a', os.O_RDONLY)\n"
        "os.copy_file_range(a, os.open('{outside}/victim', os.O_WRONLY), 9)",
    ),
    python(
        "have a child write after we are gone",
        WRITES,
        "import os, time\n"
        "if os.fork() == 0:\n os.setsid(); time.sleep(0.2); open('{outside}/new', 'w').close()",
        safe=False,  # processes see to it by themselves
    ),
    python("reserve space", WRITES, "import os; f = os.open('{outside}/victim', os.O_RDWR); "
           "os.posix_fallocate(f, 0, 4096)"),
    tried("attach an attribute", "import os", "os.setxattr('{outside}/victim', 'user.x', b'e')"),
    tried(
        "set a flag",
        "import fcntl, os, struct; f = os.open('{outside}/victim', os.O_RDONLY)",
        "fcntl.ioctl(f, 0x40086602, struct.pack('l', 0x40))",
    ),
    tried("open the terminal of somebody", "", "open('{terminal}', 'r+b', buffering=0)"),
    bash("write to the terminal of somebody", TALKS, "echo evil > {terminal}"),
)  # fmt: skip

PROCESSES = (
    bash("halt a process", CALLS, "kill -STOP {victim} && echo ESCAPED"),
    bash("end a whole group", KILLS, "kill -9 -- -{victim}"),
    bash("read the memory of a process", CALLS, "head -c 1 /proc/{victim}/maps && echo ESCAPED"),
    bash("list what a process has open", CALLS, "readlink /proc/{victim}/fd/0 && echo ESCAPED"),
    bash("see where a process is", CALLS, "readlink /proc/{victim}/cwd && echo ESCAPED"),
    bash("see how a process was called", CALLS, "grep -q sleep /proc/{victim}/cmdline && "
         "echo ESCAPED"),
    bash("sacrifice a process first", CALLS, "echo 1000 > /proc/{victim}/oom_score_adj && "
         "echo ESCAPED"),
    bash("lower a process", CALLS, "renice -n 5 -p {victim} && echo ESCAPED"),
    tried("pin a process", "import os", "os.sched_setaffinity({victim}, [0])"),
    tried(
        "limit a process",
        "import resource as r",
        "r.prlimit({victim}, r.RLIMIT_CORE, (0, 0))",
    ),
    python(
        "queue a signal",
        KILLS,
        """
import ctypes, platform, struct
number = dict(x86_64=129, aarch64=138)[platform.machine()]
info = ctypes.create_string_buffer(struct.pack('iii', 9, 0, -1), 128)
ctypes.CDLL(None).syscall(number, {victim}, 9, info)
""",
    ),
    python(
        "signal a thread",
        KILLS,
        "import ctypes, platform; number = dict(x86_64=234, aarch64=131)[platform.machine()]\n"
        "ctypes.CDLL(None).syscall(number, {victim}, {victim}, 9)",
    ),
    python(
        "read memory across processes",
        CALLS,
        """
import ctypes, platform
number = dict(x86_64=310, aarch64=270)[platform.machine()]
libc, room = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(8)
class Part(ctypes.Structure): _fields_ = (('at', ctypes.c_void_p), ('size', ctypes.c_size_t))
own = Part(ctypes.addressof(room), 8)
one, nothing = ctypes.c_long(1), ctypes.c_long(0)  # whole words: the call looks at all of each
answer = libc.syscall(number, {victim}, ctypes.byref(own), one, ctypes.byref(own), one, nothing)
# A wrong address is told only to who may look.
print('ESCAPED' if answer >= 0 or ctypes.get_errno() == 14 else 'refused')
""",
    ),
    bash("read the environment of whoever started us", CALLS,
         "grep -q PATH /proc/{tester}/environ && echo ESCAPED"),
    tried("write the memory of whoever started us", "", "open('/proc/{tester}/mem', 'r+b')"),
    tried("read the memory of whoever started us", "", "open('/proc/{tester}/mem', 'rb')"),
)  # fmt: skip

NETWORK = (
    python(
        "a datagram by one of a pair",
        TALKS,
        "import socket as s; a, b = s.socketpair(s.AF_UNIX, s.SOCK_DGRAM); "
        "a.sendto(b'evil', '{mail}')",
    ),
    python(
        "a datagram by one of a raw pair",
        TALKS,
        "import socket as s; a, b = s.socketpair(s.AF_UNIX, s.SOCK_RAW); "
        "a.sendto(b'evil', '{mail}')",
    ),
    python(
        "a datagram by one of a pair that connects anew",
        TALKS,
        "import socket as s; a, b = s.socketpair(s.AF_UNIX, s.SOCK_DGRAM); "
        "a.connect('{mail}'); a.send(b'evil')",
    ),
    python(
        "a datagram to a unix socket",
        TALKS,
        "import socket as s; a = s.socket(s.AF_UNIX, s.SOCK_DGRAM); a.sendto(b'evil', '{mail}')",
    ),
    tried(
        "the cloud's own address by UDP",
        "import socket as s",
        f"s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'x', {_ADDRESS})",
        safe=False,
    ),
    tried(
        "the cloud's own address by TCP",
        "import socket as s",
        f"s.create_connection({_ADDRESS}, 2)",
        safe=False,
    ),
    tried(
        "the cloud's own address by a question whether it is there",
        "import socket as s",
        f"s.socket(s.AF_INET, s.SOCK_DGRAM, 1).sendto(bytes([8, 0, 247, 255, 0, 0]), {_ADDRESS})",
        safe=False,
    ),
    tried(
        "an address in the other notation",
        "import socket as s",
        "s.socket(s.AF_INET6, s.SOCK_DGRAM).sendto(b'x', ('::ffff:169.254.169.254', 80))",
        safe=False,
    ),
    tried(
        "everybody on the network",
        "import socket as s; a = s.socket(s.AF_INET, s.SOCK_DGRAM); "
        "a.setsockopt(s.SOL_SOCKET, s.SO_BROADCAST, 1)",
        "a.sendto(b'x', ('255.255.255.255', 9))",
        safe=False,
    ),
    python(
        "TCP over IPv6",
        TALKS,
        "import socket; s = socket.create_connection(('::ffff:127.0.0.1', {tcp}), 3); s.send(b'e')",
    ),
    python(
        "UDP by a connected socket",
        TALKS,
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "s.connect(('127.0.0.1', {udp})); s.send(b'evil')",
    ),
)  # fmt: skip

KEYS = (
    bash("read the passwords", CALLS, "grep -q ^root: /etc/shadow && echo ESCAPED", safe=False),
    bash("read the groups' passwords", CALLS, "grep -q . /etc/gshadow && echo ESCAPED", safe=False),
    bash("read a key by its descriptor", READS, "exec 3<{home}/.netrc; cat <&3"),
    bash("read a key from a folder up", READS, "cd {home}; cat ./.ssh/../.ssh/id_ed25519"),
    bash("find keys", READS, "find {home} -type f -exec cat {} +"),
    bash("archive the home", READS, "tar -cf - {home} 2>/dev/null"),
    bash("mount the home elsewhere", READS, "mkdir m; mount --bind {home} m; cat m/.netrc",
         safe=False),
    python(
        "read a key past the cache",
        READS,
        "import os; print(os.read(os.open('{home}/.ssh/id_ed25519', os.O_RDONLY), 99))",
    ),
    python(
        "run a key",
        READS,
        "import subprocess as s; s.run(['bash', '{home}/.aws/credentials'])",
    ),
)  # fmt: skip

FURTHER = (*FILES, *PROCESSES, *NETWORK, *KEYS)

# What a wall does not hold back; each is named in docs/sandbox.md and by `sandbox status`.
FURTHER_GAPS = {
    "landlock": {
        "attach an attribute",
        "set a flag",
        "see how a process was called",
    },
}
