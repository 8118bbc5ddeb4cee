"""Changing one value in a settings file, and nothing else in it.

Other values keep their spelling and their order. The file is replaced in one step, under a
lock, so it is never half written and setters at the same time do not lose each other's values.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import msgspec
from msgspec import Raw

from ankrcode.config.document import BYTE_ORDER_MARK, parse_document, read_file
from ankrcode.config.keys import find_key
from ankrcode.config.paths import make_private
from ankrcode.errors import SettingsError
from ankrcode.workspace.roots import is_inside

Members = dict[str, Raw]
Act = Callable[[Members], bool]  # changes the members; did it?


def set_value(file: Path, key: str, text: str, *, root: Path | None = None) -> Any:
    """Write a value that fits `key`, and return it.

    `root` is the workspace the file belongs to, if it belongs to one: then keys that no project
    may set are refused, and so is a file that is a link out of the workspace.
    """
    known = find_key(key, str(file))
    if root is not None and not (known.is_for_projects or known.needs_trust):
        raise SettingsError.of("setting_not_here", where=file, key=key)
    value = known.parse(text, str(file))
    *above, last = key.split(".")

    def put(members: Members) -> bool:
        members[last] = Raw(msgspec.json.encode(value))
        return True

    _change(file, lambda members: _act_within(members, above, put, file), root)
    return value


def unset_value(file: Path, key: str, *, root: Path | None = None) -> bool:
    """Take `key` out of the file; was it there? A key that does not exist may be taken out too."""
    *above, last = key.split(".")

    def drop(members: Members) -> bool:
        return members.pop(last, None) is not None

    is_removed = bool(read_file(file)) and _change(
        file, lambda members: _act_within(members, above, drop, file), root
    )
    if not is_removed:
        find_key(key, str(file))
    return is_removed


def add_to_list(file: Path, key: str, items: list[str], *, root: Path | None = None) -> bool:
    """Put what is not there yet at the end of the list; was there any?"""

    def added(before: list[str]) -> list[str]:
        return [*before, *(item for item in items if item not in before)]

    return _change_list(file, key, added, root)


def remove_from_list(file: Path, key: str, item: str, *, root: Path | None = None) -> bool:
    """Take it out of the list; was it there? An empty list is not left behind."""

    def kept(before: list[str]) -> list[str]:
        return [one for one in before if one != item]

    return bool(read_file(file)) and _change_list(file, key, kept, root)


def _change_list(
    file: Path, key: str, change: Callable[[list[str]], list[str]], root: Path | None
) -> bool:
    known = find_key(key, str(file))
    *above, last = key.split(".")

    def act(members: Members) -> bool:
        raw = members.get(last)
        before = known.fit(msgspec.json.decode(raw), str(file)) if raw is not None else []
        after = change(before)
        if after == before:
            return False
        if after:
            members[last] = Raw(msgspec.json.encode(known.fit(after, str(file))))
        else:
            del members[last]
        return True

    return _change(file, lambda members: _act_within(members, above, act, file), root)


def _act_within(members: Members, above: list[str], act: Act, file: Path) -> bool:
    """Act on the section that `above` leads to; an empty section is not left behind."""
    if not above:
        return act(members)
    name, *rest = above
    try:
        section = msgspec.json.decode(members.get(name, b"{}"), type=Members)
    except msgspec.ValidationError:
        raise SettingsError.of("setting_is_section", where=file, key=name) from None
    is_changed = _act_within(section, rest, act, file)
    if section:
        members[name] = Raw(msgspec.json.encode(section))
    else:
        members.pop(name, None)
    return is_changed


def _change(file: Path, act: Act, root: Path | None) -> bool:
    target = Path(os.path.realpath(file))
    if root is not None and not is_inside(str(target), os.path.realpath(root)):
        raise SettingsError.of("settings_outside", path=file, target=target)
    try:
        if root is None:
            make_private(target.parent)
        else:
            target.parent.mkdir(exist_ok=True)
        with locked(target):
            after = _edited(read_file(target), act, file)
            if after is not None:
                replace_file(target, after)
            return after is not None
    except OSError as problem:
        raise SettingsError.of("settings_unwritable", path=file, why=problem.strerror) from None


@contextmanager
def locked(target: Path) -> Iterator[None]:
    lock = target.with_name(f".{target.name}.lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _edited(before: bytes, act: Act, file: Path) -> bytes | None:
    """The new content; none where nothing changes. Byte order mark and line ends stay."""
    parse_document(before, file)  # a file that is not understood is not touched
    text = before.removeprefix(BYTE_ORDER_MARK)
    members = msgspec.json.decode(text, type=Members) if text.strip() else {}
    if not act(members):
        return None
    after = msgspec.json.format(msgspec.json.encode(members), indent=2) + b"\n"
    if b"\r\n" in text:
        after = after.replace(b"\n", b"\r\n")
    return before[: len(before) - len(text)] + after


def replace_file(target: Path, content: bytes) -> None:
    handle, temporary = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123
            _keep_owner_and_mode(target, handle)
            stream.write(content)
            stream.flush()
            os.fsync(handle)
        os.replace(temporary, target)  # noqa: PTH105
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108
        raise
    _sync_folder(target.parent)


def _keep_owner_and_mode(target: Path, handle: int) -> None:
    """A new file keeps what it was made with: only its owner may read it."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return
    if status.st_uid != os.geteuid():
        os.fchown(handle, status.st_uid, status.st_gid)
    os.fchmod(handle, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
