"""Programs that try to get out. Each is a real attack: without a wall it does its harm.

`{outside}`, `{work}`, `{home}` are folders; `{victim}` is a process of ours that sleeps; `{tcp}`,
`{udp}`, `{unix}` and `{abstract}` are ears that hear whatever reaches them. A program that can only
tell by a system call's answer prints ESCAPED.
"""

from dataclasses import dataclass

# What an escape does, as the test sees it from outside.
WRITES = "a file outside was changed"
ATTRIBUTES = "mode or time of a file outside was changed"
TALKS = "something was heard outside"
KILLS = "a process outside was ended"
READS = "a secret was read"
PROTECTED = "a protected name was changed"
STAYS = "a process was left behind"
CALLS = "a forbidden call was answered"


@dataclass(frozen=True)
class Escape:
    name: str
    harm: str
    script: str
    language: str = "bash"
    is_safe_without: bool = True  # may it be tried without a wall, to see that it works at all?


def bash(name: str, harm: str, script: str, *, safe: bool = True) -> Escape:
    return Escape(name, harm, script, "bash", safe)


def python(name: str, harm: str, script: str, *, safe: bool = True) -> Escape:
    return Escape(name, harm, script, "python", safe)


def syscall(name: str, *arguments: str, numbers: dict[str, int]) -> Escape:
    """A call that must not get past the filter: any answer but a refusal is an escape."""
    return Escape(
        name,
        CALLS,
        "import ctypes, errno, platform\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"number = {numbers!r}[platform.machine()]\n"
        f"answer = libc.syscall(number, {', '.join(arguments)})\n"
        "refused = ctypes.get_errno() in (errno.EPERM, errno.ENOSYS, errno.EACCES)\n"
        "print('ESCAPED' if answer >= 0 or not refused else 'refused')",
        "python",
        is_safe_without=False,
    )


def both(x86_64: int, aarch64: int) -> dict[str, int]:
    return {"x86_64": x86_64, "aarch64": aarch64}


FILES = (
    bash("write a new file", WRITES, "echo evil > {outside}/new"),
    bash("append to a file", WRITES, "echo evil >> {outside}/victim"),
    bash("empty a file", WRITES, ": > {outside}/victim"),
    python("truncate a file by its path", WRITES, "import os; os.truncate('{outside}/victim', 1)"),
    bash("delete a file", WRITES, "rm -f {outside}/victim"),
    bash("rename a file", WRITES, "mv {outside}/victim {outside}/gone"),
    bash("move a file into the workspace", WRITES, "mv -f {outside}/victim {work}/mine"),
    bash("move a file out of the workspace", WRITES, "echo a > a; mv a {outside}/a"),
    bash("make a folder", WRITES, "mkdir {outside}/folder"),
    bash("make a pipe", WRITES, "mkfifo {outside}/pipe"),
    bash("make a symbolic link", WRITES, "ln -s /etc {outside}/link"),
    bash("write through a symbolic link", WRITES, "ln -s {outside} out; echo evil > out/new"),
    bash("write through a link to a file", WRITES, "ln -s {outside}/victim v; echo evil > v"),
    bash("write through dots", WRITES, "echo evil > ../outside/new"),
    bash("hard-link a file in and write to it", WRITES, "ln {outside}/victim v; echo evil > v"),
    bash("hard-link a file out", WRITES, "echo a > a; ln a {outside}/a"),
    bash("write through /proc/self/root", WRITES, "echo evil > /proc/self/root{outside}/new"),
    bash("write through another's root", WRITES, "echo evil > /proc/{victim}/root{outside}/new"),
    bash(
        "write through the first process's root",
        WRITES,
        "echo evil > /proc/1/root{outside}/new",
        safe=False,
    ),
    bash("write through another's current folder", WRITES, "echo evil > /proc/{victim}/cwd/new"),
    bash(
        "rename the workspace away",
        WRITES,
        "cd ..; mv work moved && ln -s outside work && echo evil > work/new",
    ),
    bash("rename the workspace's parent", WRITES, "mv {base} {base}-moved; touch {base}-moved/x"),
    python(
        "swap a folder for a link while writing",
        WRITES,
        """
import os, threading, time
os.mkdir('real')
stop = time.monotonic() + 0.5
def swap():
    while time.monotonic() < stop:
        try:
            os.rename('real', 'aside'); os.symlink('{outside}', 'real')
            os.unlink('real'); os.rename('aside', 'real')
        except OSError: pass
thread = threading.Thread(target=swap); thread.start()
while time.monotonic() < stop:
    try: open('real/new', 'w').write('evil')
    except OSError: pass
thread.join()
""",
    ),
    python(
        "run a program from memory",
        WRITES,
        """
import os, shutil
handle = os.memfd_create('evil', 0)
with open(shutil.which('touch'), 'rb') as program: os.sendfile(handle, program.fileno(), 0, 1 << 26)
os.execve(handle, ['touch', '{outside}/new'], dict(os.environ))
""",
    ),
    bash("change a mode", ATTRIBUTES, "chmod 777 {outside}/victim"),
    bash("change a time", ATTRIBUTES, "touch -m -d 2001-01-01 {outside}/victim"),
)

SYSTEM = (
    bash("remount everything writable", CALLS, "mount -o remount,rw / && echo ESCAPED", safe=False),
    bash("mount over a folder", CALLS, "mount -t tmpfs none {outside} && echo ESCAPED", safe=False),
    bash("be root in a new namespace", CALLS, "unshare -Urm true && echo ESCAPED", safe=False),
    bash("leave for another namespace", CALLS, "nsenter -t 1 -m true && echo ESCAPED", safe=False),
    bash("change the root", CALLS, "chroot / true && echo ESCAPED", safe=False),
    bash(
        "open the machine's memory",
        CALLS,
        "for d in /dev/mem /dev/kmem /dev/port /dev/sda /dev/vda /dev/nvme0n1; do "
        "( : < $d ) 2>/dev/null && echo ESCAPED; done",
        safe=False,
    ),
    bash(
        "gain rights by a program's owner",
        CALLS,
        "grep -q 'NoNewPrivs:.0' /proc/self/status && echo ESCAPED",
    ),
    bash(
        "have capabilities",
        CALLS,
        "grep -q 'CapEff:.0000000000000000' /proc/self/status || echo ESCAPED",
        safe=False,
    ),
    python(
        "type into a terminal",
        CALLS,
        """
import fcntl, os
_, terminal = os.openpty()
try: fcntl.ioctl(terminal, 0x5412, b'x')
except PermissionError: print('refused')
else: print('ESCAPED')
""",
        safe=False,
    ),
    syscall("keyctl", "0", "-3", "0", numbers=both(250, 219)),
    syscall("add_key", "b'user'", "b'k'", "b'v'", "1", "-2", numbers=both(248, 217)),
    syscall("bpf", "0", "0", "0", numbers=both(321, 280)),
    syscall("perf_event_open", "0", "0", "-1", "-1", "0", numbers=both(298, 241)),
    syscall("userfaultfd", "0", numbers=both(323, 282)),
    syscall("io_uring_setup", "1", "0", numbers=both(425, 425)),
    syscall("open_by_handle_at", "-1", "0", "0", numbers=both(304, 265)),
    syscall("unshare", "0x10000000", numbers=both(272, 97)),
    syscall("clone into a user namespace", "0x10000011", "0", "0", "0", "0", numbers=both(56, 220)),
    syscall("init_module", "0", "0", "b''", numbers=both(175, 105)),
    syscall("reboot", "0", "0", "0", "0", numbers=both(169, 142)),
    syscall("move_mount", "-1", "b''", "-1", "b''", "0", numbers=both(429, 429)),
)

_SEND = "s.connect({address}); s.send(b'evil')"

NETWORK = (
    bash("/dev/tcp", TALKS, "echo evil > /dev/tcp/127.0.0.1/{tcp}"),
    bash("/dev/udp", TALKS, "echo evil > /dev/udp/127.0.0.1/{udp}"),
    bash("curl", TALKS, "curl -s --max-time 3 http://127.0.0.1:{tcp}/evil", safe=False),
    bash("nc", TALKS, "echo evil | nc -w 1 127.0.0.1 {tcp}", safe=False),
    bash("getent", CALLS, "getent ahostsv4 example.com && echo ESCAPED", safe=False),
    python(
        "TCP",
        TALKS,
        "import socket; s = socket.create_connection(('127.0.0.1', {tcp}), 3); s.send(b'evil')",
    ),
    python(
        "UDP",
        TALKS,
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "s.sendto(b'evil', ('127.0.0.1', {udp}))",
    ),
    python(
        "TCP fast open",
        TALKS,
        "import socket; s = socket.socket(); s.sendto(b'evil', 0x20000000, ('127.0.0.1', {tcp}))",
    ),
    python(
        "a DNS question",
        TALKS,
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto("
        "bytes.fromhex('abcd01000001000000000000046576696c00000100 01'.replace(' ', '')), "
        "('127.0.0.1', {udp}))",
    ),
    python(
        "a unix socket",
        TALKS,
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('{unix}'); s.send(b'evil')",
    ),
    python(
        "a unix socket, reached through the workspace",
        TALKS,
        "import os, socket; os.symlink('{unix}', 's'); s = socket.socket(socket.AF_UNIX); "
        "s.connect('s'); s.send(b'evil')",
    ),
    python(
        "an abstract unix socket",
        TALKS,
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0{abstract}'); "
        "s.send(b'evil')",
    ),
    python(
        "the socket of a virtual machine",
        CALLS,
        """
import socket
try: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
except OSError: print('refused')
else: print('ESCAPED')
""",
        safe=False,
    ),
    python(
        "a raw packet",
        CALLS,
        """
import socket
for family, kind in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW)):
    try: socket.socket(family, kind)
    except OSError: print('refused')
    else: print('ESCAPED')
""",
        safe=False,
    ),
)

PROCESSES = (
    bash("kill a process", KILLS, "kill -9 {victim}"),
    bash("signal whoever started us", CALLS, "kill -0 {tester} && echo ESCAPED"),
    python(
        "signal by handle",
        KILLS,
        "import os, signal; signal.pidfd_send_signal(os.pidfd_open({victim}), 9)",
    ),
    python(
        "attach to a process",
        CALLS,
        """
import ctypes
answer = ctypes.CDLL(None).ptrace(16, {victim}, 0, 0)
print('ESCAPED' if answer == 0 else 'refused')
""",
    ),
    bash("read a process's environment", READS, "tr '\\0' '\\n' < /proc/{victim}/environ"),
    python(
        "write a process's memory",
        CALLS,
        """
try: open('/proc/{victim}/mem', 'r+b')
except OSError: print('refused')
else: print('ESCAPED')
""",
    ),
    python(
        "take a process's descriptor",
        CALLS,
        """
import ctypes, os
try: handle = os.pidfd_open({victim})
except OSError: print('refused')
else: print('ESCAPED' if ctypes.CDLL(None).syscall(438, handle, 0, 0) >= 0 else 'refused')
""",
    ),
    bash("leave a daemon", STAYS, "setsid sleep {nap} & disown; sleep 0.1"),
    python(
        "leave a daemon that has no parent",
        STAYS,
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for handle in range(3): os.close(handle)
        os.execvpe('sleep', ['sleep', '{nap}'], dict(PATH=os.environ['PATH']))
    os._exit(0)
os.wait(); time.sleep(0.1)
""",
    ),
)

_DROPPING = """
import os, resource, time
resource.setrlimit(resource.RLIMIT_RTTIME, (1 << 40, resource.getrlimit(resource.RLIMIT_RTTIME)[1]))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for handle in range(3): os.close(handle)
        os.execvp('sleep', ['sleep', '{nap}'])
    os._exit(0)
os.wait(); time.sleep(0.1)
"""
DROPPING = python("leave a daemon that drops its mark", STAYS, _DROPPING)

KEYS = (
    bash("read a private key", READS, "cat {home}/.ssh/id_ed25519"),
    bash("read every key", READS, "cat {home}/.aws/credentials {home}/.netrc {home}/.config/gh/*"),
    bash("read a key ring", READS, "cat {home}/.gnupg/secring"),
    bash(
        "read our own state",
        READS,
        "cat {home}/.local/state/ankrcode/log {home}/.config/ankrcode/*",
    ),
    bash("read a key through /proc", READS, "cat /proc/self/root{home}/.ssh/id_ed25519"),
    bash("read a key through a link", READS, "ln -s {home}/.ssh keys; cat keys/id_ed25519"),
    bash("link a key into the workspace", READS, "ln {home}/.ssh/id_ed25519 key; cat key"),
    bash("copy the home", READS, "cp -r {home} copy; grep -r canary copy"),
    bash("read a key by a program", READS, "tar -cf - -C {home} .ssh .netrc | tr -d '\\0'"),
)

NAMES = (
    bash("write a hook", PROTECTED, "echo evil > .git/hooks/pre-commit"),
    bash("change a hook that is there", PROTECTED, "echo evil >> .git/hooks/post-merge"),
    bash(
        "replace the hooks", PROTECTED, "rm -rf .git/hooks; mkdir .git/hooks; echo e > .git/hooks/h"
    ),
    bash("rename the hooks away", PROTECTED, "mv .git/hooks .git/h; mkdir .git/hooks"),
    bash(
        "rename the repository away",
        PROTECTED,
        "mv .git .g; mkdir -p .git/hooks; echo e > .git/hooks/h",
    ),
    bash("change the repository's settings", PROTECTED, "git config core.fsmonitor evil"),
    bash("write attributes", PROTECTED, "echo '* filter=evil' > .git/info/attributes"),
    bash("add a module", PROTECTED, "mkdir -p .git/modules/m; echo evil > .git/modules/m/config"),
    bash(
        "add settings of ours", PROTECTED, "mkdir -p .ankrcode; echo evil > .ankrcode/settings.json"
    ),
    bash(
        "add another agent's settings",
        PROTECTED,
        "mkdir -p .claude; echo e > .claude/settings.json",
    ),
    bash("replace a link's target", PROTECTED, "echo evil > .gemini/settings.json"),
    bash(
        "replace a link", PROTECTED, "rm .gemini; mkdir .gemini; echo evil > .gemini/settings.json"
    ),
    bash("add a server", PROTECTED, "echo evil > .mcp.json"),
    bash("add a task of the editor", PROTECTED, "mkdir -p .vscode; echo evil > .vscode/tasks.json"),
    bash("change the editor's settings", PROTECTED, "echo evil >> .idea/workspace.xml"),
    bash("add a shell's start-up file", PROTECTED, "echo evil > .bashrc"),
    bash("add settings of git", PROTECTED, "echo evil > .gitconfig"),
    bash(
        "unmount what protects",
        PROTECTED,
        "umount -l .git/hooks; echo evil > .git/hooks/pre-commit",
    ),
)

ESCAPES = (*FILES, *SYSTEM, *NETWORK, *PROCESSES, DROPPING, *KEYS, *NAMES)

# What a wall does not hold back. Each is named in docs/sandbox.md, and a test sees that it is so.
KNOWN_GAPS = {
    "landlock": {"change a mode", "change a time", "leave a daemon that drops its mark"},
}
