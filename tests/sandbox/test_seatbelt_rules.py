"""The profile for macOS, read as macOS reads it: the last rule that fits decides."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest

from ankrcode.sandbox.limits import Bounds
from ankrcode.sandbox.profiles import View
from ankrcode.sandbox.protected import Protected
from ankrcode.sandbox.seatbelt import profile_text

HOME, WORK = "/Users/me", "/Users/me/code/work"
SCRATCH = "/private/var/folders/x/ankrcode-1"
SECRETS = (f"{HOME}/.ssh", f"{HOME}/.config/gh", f"{HOME}/.netrc")
TOKEN = re.compile(r'\s*(?:([()])|(#?"(?:\\.|[^"\\])*")|([^\s()"]+))')


def view(*, writes: bool = False, is_code: bool = False, network: bool = False) -> View:
    return View(
        roots=(WORK,),
        tools=(f"{HOME}/.pyenv",) if is_code else (),
        writable=(WORK, f"{HOME}/.npm") if writes else (),
        hidden=("/Users", "/Volumes", *SECRETS) if is_code else SECRETS,
        protected=Protected(
            fixed=(f"{WORK}/.git/config",),
            missing=(f"{WORK}/.claude",),
            pinned=(f"{WORK}/.git",),
        )
        if writes
        else Protected(),
        network=network,
        bounds=Bounds(),
    )


PROFILES = {
    "write": profile_text(view(writes=True), SCRATCH),
    "write, network": profile_text(view(writes=True, network=True), SCRATCH),
    "code": profile_text(view(is_code=True), SCRATCH),
}


# ── a reader of the language, as far as we use it ─────────────────────────────────────────────
def forms(text: str) -> list[Any]:
    stack: list[list[Any]] = [[]]
    for found in TOKEN.finditer(text):
        mark, string, word = found.groups()
        if mark == "(":
            stack.append([])
        elif mark == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word or string)
    assert len(stack) == 1, "the brackets do not match"
    return stack[0]


def unquoted(text: str) -> str:
    body = text.removeprefix("#")[1:-1]
    return body.replace('\\"', '"') if text.startswith("#") else re.sub(r"\\(.)", r"\1", body)


def fits(condition: list[str], path: str) -> bool:
    kind, value = condition[0], unquoted(condition[1]) if condition[1].endswith('"') else ""
    match kind:
        case "literal":
            return path == value
        case "subpath":
            return path == value or path.startswith(f"{value}/")
        case "regex":
            return re.search(value, path) is not None
    return False  # processes and services: not for files


def rules(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    for form in forms(text):
        if form[0] in ("allow", "deny"):
            operations = [word for word in form[1:] if isinstance(word, str)]
            yield form[0], operations, [part for part in form[1:] if isinstance(part, list)]


def is_allowed(text: str, operation: str, path: str = "") -> bool:
    answer = "deny"
    for decision, operations, conditions in rules(text):
        is_meant = any(one == "default" or fnmatchcase(operation, one) for one in operations)
        if is_meant and (not conditions or any(fits(one, path) for one in conditions)):
            answer = decision
    return answer == "allow"


# ── what it says ──────────────────────────────────────────────────────────────────────────────
READ, WRITE, LOOK = "file-read-data", "file-write-data", "file-read-metadata"
MAKE, DROP = "file-write-create", "file-write-unlink"


@pytest.mark.parametrize(
    ("profile", "operation", "path", "expected"),
    [
        ("write", READ, "/usr/lib/libc.dylib", True),
        ("write", READ, f"{HOME}/notes.txt", True),
        ("write", READ, f"{WORK}/a.py", True),
        ("write", WRITE, f"{WORK}/a.py", True),
        ("write", MAKE, f"{WORK}/deep/new", True),
        ("write", DROP, f"{WORK}/a.py", True),
        ("write", WRITE, f"{SCRATCH}/a", True),
        ("write", WRITE, f"{HOME}/.npm/x", True),
        ("write", WRITE, f"{HOME}/notes.txt", False),
        ("write", MAKE, f"{WORK}-other/x", False),
        ("write", WRITE, "/etc/hosts", False),
        ("write", WRITE, "/tmp/x", False),
        ("write", READ, f"{HOME}/.ssh/id", False),
        ("write", WRITE, f"{HOME}/.ssh/id", False),
        ("write", READ, f"{HOME}/.netrc", False),
        ("write", READ, f"{HOME}/.config/gh/hosts.yml", False),
        ("write", READ, f"{HOME}/.config/git/ignore", True),
        ("write", WRITE, f"{WORK}/.git/config", False),
        ("write", WRITE, f"{WORK}/.GIT/Config", False),
        ("write", MAKE, f"{WORK}/.git/hooks/pre-commit", False),
        ("write", MAKE, f"{WORK}/.git/commondir", False),
        ("write", MAKE, f"{WORK}/.git/modules/m/config", False),
        ("write", WRITE, f"{WORK}/.git/index", True),
        ("write", MAKE, f"{WORK}/.git/objects/ab/cd", True),
        ("write", DROP, f"{WORK}/.git", False),
        ("write", MAKE, f"{WORK}/.claude/settings.json", False),
        ("write", MAKE, f"{WORK}/.Claude", False),
        ("write", MAKE, f"{WORK}/.zshrc", False),
        ("write", MAKE, f"{WORK}/.zshrc.d", True),
        ("write", READ, f"{WORK}/.git/config", True),
        ("write", WRITE, "/dev/null", True),
        ("write", WRITE, "/dev/ttys003", True),
        ("write", WRITE, "/dev/disk0", False),
        ("code", READ, f"{WORK}/a.py", True),
        ("code", WRITE, f"{WORK}/a.py", False),
        ("code", WRITE, f"{SCRATCH}/a", True),
        ("code", READ, f"{HOME}/notes.txt", False),
        ("code", READ, f"{HOME}/code/other/a.py", False),
        ("code", READ, "/Users/you/notes.txt", False),
        ("code", READ, "/Volumes/disk/x", False),
        ("code", READ, f"{HOME}/.pyenv/versions/3.11/bin/python", True),
        ("code", WRITE, f"{HOME}/.pyenv/x", False),
        ("code", READ, f"{HOME}/.ssh/id", False),
        ("code", READ, "/usr/bin/env", True),
        ("code", LOOK, HOME, True),
        ("code", LOOK, "/Users", True),
        ("code", READ, HOME, False),
        ("code", LOOK, f"{HOME}/notes.txt", False),
    ],
)
def test_a_file_is_for_it_or_not(profile: str, operation: str, path: str, expected: bool) -> None:
    assert is_allowed(PROFILES[profile], operation, path) is expected


@pytest.mark.parametrize(
    ("profile", "operation", "expected"),
    [
        ("write", "network-outbound", False),
        ("write", "network-bind", False),
        ("code", "network-outbound", False),
        ("code", "system-socket", False),
        ("write, network", "network-outbound", True),
        ("write, network", "system-socket", True),
        ("write", "process-fork", True),
        ("write", "process-exec", True),
        ("write", "sysctl-read", True),
        ("write", "sysctl-write", False),
        ("write", "system-reboot", False),
        ("write", "nvram-set", False),
        ("write", "iokit-open", False),
        ("write", "mach-register", False),
        ("write", "job-creation", False),
        ("write", "appleevent-send", False),
        ("write", "lsopen", False),
        ("write", "system-privilege", False),
        ("write", "ipc-posix-shm-read-data", False),
        ("write", "distributed-notification-post", False),
    ],
)
def test_anything_else_is_for_it_or_not(profile: str, operation: str, expected: bool) -> None:
    assert is_allowed(PROFILES[profile], operation) is expected


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a (b)", "a.b", "a*b", "naïve नमस्ते", "a'b"])
def test_no_name_of_a_folder_breaks_out_of_its_rule(name: str) -> None:
    odd = f"/Users/me/{name}"
    seen = View(
        roots=(odd,),
        writable=(odd,),
        hidden=(f"{odd}/secret",),
        protected=Protected(fixed=(f"{odd}/.git/hooks",), pinned=(f"{odd}/.git",)),
        network=False,
        bounds=Bounds(),
    )
    text = profile_text(seen, SCRATCH)
    assert is_allowed(text, WRITE, f"{odd}/file")
    assert not is_allowed(text, WRITE, f"{odd}/.git/hooks/x")
    assert not is_allowed(text, WRITE, f"{odd}/.claude/x")
    assert not is_allowed(text, READ, f"{odd}/secret/key")
    assert not is_allowed(text, WRITE, "/Users/me/other")
