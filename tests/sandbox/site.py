"""A workspace with a world around it that notices every harm done to it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox import escapes
from sandbox.escapes import Escape
from sandbox.walls import Runner

CANARY = "canary-7f3a9"


class Site:
    """`base/work` is the workspace; `base/outside`, `base/home` and a few ears are the world."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.work, self.outside, self.home = base / "work", base / "outside", base / "home"
        self.nap = f"{9_000_000 + os.getpid()}.{id(self) % 100_000}"
        self._make()
        self.heard: list[str] = []
        self.ears = Ears(base, self.heard)
        self.victim = subprocess.Popen(
            ["sleep", "600"],
            cwd=self.outside,
            env={**os.environ, "TOKEN": CANARY},
            start_new_session=True,
        )
        self._contents: list[tuple[Path, int, bytes]] = []
        self._attributes: tuple[int, ...] = ()
        self.before = self._snapshot()

    def _make(self) -> None:
        for folder in (self.work, self.outside, self.home):
            folder.mkdir(parents=True)
        (self.outside / "victim").write_text("precious\n", encoding="utf-8")
        for name in (
            *(".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml"),
            *(".gnupg/secring", ".local/state/ankrcode/log", ".config/ankrcode/settings.json"),
        ):
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{CANARY} {name}\n", encoding="utf-8")
        make_repository(self.work)
        (self.work / ".git" / "hooks" / "post-merge").write_text("#!/bin/sh\n", encoding="utf-8")
        (self.work / ".idea").mkdir()
        (self.work / ".idea" / "workspace.xml").write_text("<x/>\n", encoding="utf-8")
        (self.work / "gemini").mkdir()
        (self.work / ".gemini").symlink_to("gemini")

    def fill(self, script: str) -> str:
        values = {
            "base": self.base,
            "work": self.work,
            "outside": self.outside,
            "home": self.home,
            "victim": self.victim.pid,
            "tester": os.getpid(),
            "nap": self.nap,
            "tcp": self.ears.tcp_port,
            "udp": self.ears.udp_port,
            "unix": self.ears.unix_path,
            "mail": self.ears.mail_path,
            "terminal": self.ears.terminal,
            "abstract": self.ears.abstract,
        }
        for name, value in values.items():
            script = script.replace(f"{{{name}}}", str(value))
        return script

    def harms(self, output: str) -> set[str]:
        """What was done, seen from outside."""
        after = self._snapshot()
        found = {kind for kind, state in after.items() if state != self.before[kind]}
        if self.ears.has_heard():
            found.add(escapes.TALKS)
        if self.victim.poll() is not None or self._is_dying():
            found.add(escapes.KILLS)
        if CANARY in output:
            found.add(escapes.READS)
        if "ESCAPED" in output:
            found.add(escapes.CALLS)
        if self.stays_behind():
            found.add(escapes.STAYS)
        return found

    def _is_dying(self) -> bool:
        """Was it sent the signal that it has not yet had the time to obey?"""
        status = Path(f"/proc/{self.victim.pid}/status").read_text(encoding="ascii")
        pending = status.partition("ShdPnd:")[2].split()[0]
        return bool(int(pending, 16) & 1 << 8)

    def stays_behind(self) -> bool:
        """What is being ended may take a moment; who is there after two seconds stays."""
        give_up = time.monotonic() + 2
        while self.left_behind():
            if time.monotonic() > give_up:
                return True
            time.sleep(0.02)
        return False

    def left_behind(self) -> list[int]:
        """The processes that still sleep for the number of seconds that only we name."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if self.nap.encode() in words and words[0] == b"sleep":
                    found.append(int(entry.name))
        return found

    def _snapshot(self) -> dict[str, object]:
        outside = {path: path.lstat() for path in sorted(self.outside.rglob("*"))}
        contents = [
            (path, status.st_ino, path.read_bytes() if path.is_file() else b"")
            for path, status in outside.items()
        ]
        places = sorted(path.name for path in self.base.iterdir()) if self.base.exists() else []
        victim = outside.get(self.outside / "victim")
        # Only what happens to a file that is otherwise the same: writing changes the time as well.
        attributes: tuple[int, ...] = (victim.st_mode, victim.st_mtime_ns) if victim else ()
        if self._contents and contents != self._contents:
            attributes = self._attributes
        self._contents, self._attributes = contents, attributes
        return {
            escapes.WRITES: (places, contents),
            escapes.ATTRIBUTES: attributes,
            escapes.PROTECTED: self._protected(),
        }

    def _protected(self) -> list[tuple[str, str]]:
        names = [
            *(".git/hooks", ".git/config", ".git/info", ".git/modules", ".ankrcode", ".claude"),
            *(".gemini", "gemini", ".mcp.json", ".vscode", ".idea", ".bashrc", ".gitconfig"),
        ]
        found = []
        for name in names:
            top = self.work / name
            for path in (top, *sorted(top.rglob("*"))):
                if path.is_symlink():
                    found.append((str(path), str(path.readlink())))
                elif path.is_file():
                    found.append((str(path), path.read_text(encoding="utf-8")))
                elif path.exists():
                    found.append((str(path), "folder"))
        return found

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        self.ears.close()
        for pid in self.left_behind():
            os.kill(pid, 9)


def make_repository(folder: Path) -> None:
    """As `git init` makes one, without the time it takes."""
    git = folder / ".git"
    for name in ("hooks", "info", "objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (git / "config").write_text(
        "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = A\n\temail = a@example.com\n",
        encoding="utf-8",
    )


class Ears:
    """Sockets of every kind; whatever reaches one of them is noted."""

    def __init__(self, base: Path, heard: list[str]) -> None:
        self._heard = heard
        self.abstract = f"ankrcode-{os.getpid()}-{id(self)}"
        # A unix socket's path may have a hundred characters only.
        self._folder = base / "s"
        self._folder.mkdir()
        self._shortcut = os.open(self._folder, os.O_PATH)
        self.unix_path, self.mail_path = self._folder / "u", self._folder / "m"
        self._screen, self._keyboard = os.openpty()
        self.terminal = os.ttyname(self._keyboard)
        tcp, udp = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        unix.bind(f"/proc/self/fd/{self._shortcut}/u")
        abstract.bind(f"\0{self.abstract}")
        mail = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        mail.bind(f"/proc/self/fd/{self._shortcut}/m")
        self.tcp_port, self.udp_port = tcp.getsockname()[1], udp.getsockname()[1]
        self._datagrams, self._streams = (udp, mail), (tcp, unix, abstract)
        for stream in self._streams:
            stream.listen()
            stream.setblocking(False)
        for silent in (udp, mail):
            silent.setblocking(False)
        os.set_blocking(self._screen, False)

    def has_heard(self) -> bool:
        """Loopback delivers before the sender's call returns: nothing needs to be waited for."""
        for stream in self._streams:
            try:
                connection, _ = stream.accept()
            except BlockingIOError:
                continue
            connection.close()
            self._heard.append("a connection")
        for silent in self._datagrams:
            with suppress(BlockingIOError):
                self._heard.append(repr(silent.recv(2048)))
        with suppress(BlockingIOError):
            self._heard.append(repr(os.read(self._screen, 2048)))
        return bool(self._heard)

    def close(self) -> None:
        for one in (*self._streams, *self._datagrams):
            one.close()
        for handle in (self._shortcut, self._screen, self._keyboard):
            os.close(handle)


@contextmanager
def opened(base: Path) -> Iterator[Site]:
    site = Site(base)
    try:
        yield site
    finally:
        site.close()


def attempt(escape: Escape, site: Site, wall: str, profile: str) -> set[str]:
    program = ["bash", "-c"] if escape.language == "bash" else [sys.executable, "-I", "-c"]
    runner = Runner(site.base / "home" / "saved", wall=wall)
    done = runner([*program, site.fill(escape.script)], roots=[site.work], profile=profile)
    return site.harms(done.text)
