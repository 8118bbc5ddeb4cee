"""What a task consists of: the words, what is piped in, pictures, the form of the answer."""

import os
import select
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from ankrcode.errors import ToolError, UsageError
from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.result import Attachment
from ankrcode.tooling.arguments import json_fault
from ankrcode.words import say

MAX_PIPED_CHARS = 400_000  # a model could not read more; both ends are kept
_MAX_PIPED_BYTES = 64 * 1024 * 1024
_BLOCK = 64 * 1024
_FIRST_BYTE_S = 3.0  # whoever pipes something in has begun by then
_IDLE_S = 10.0
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # what such files begin with
_MAX_SCHEMA_CHARS = 4 * 1024 * 1024
_COMMAND = "-p"
_STDIN = "-"  # as a task: standard input is all of it


def task_of(words: Iterable[str]) -> str:
    """The task as it goes to the model: the words, and what is piped in as context."""
    text = " ".join(words).strip()
    if text == _STDIN:
        text = ""
    piped = piped_in(is_all=not text).strip("\r\n")
    if text and piped.strip():
        return f"{text}\n\n<stdin>\n{bounded(piped)}\n</stdin>"
    task = text or bounded(piped)
    if not task.strip():
        raise UsageError.of("usage", why="Say what to do", command=_COMMAND)
    return task


def piped_in(*, is_all: bool) -> str:
    """Standard input, if somebody gives some. Unless it `is_all` there is, nobody waits for it."""
    try:
        handle = sys.stdin.fileno()
        mode = os.fstat(handle).st_mode
    except (OSError, ValueError):
        return ""
    if os.isatty(handle) or stat.S_ISDIR(mode):
        return ""
    data = b"".join(_blocks(handle, None if is_all else _FIRST_BYTE_S))
    if data[:2] in _UTF16:
        with suppress(UnicodeDecodeError):
            return data.decode("utf-16")
    return data.decode("utf-8-sig", "replace")


def _blocks(handle: int, first_s: float | None) -> Iterator[bytes]:
    wait, size = first_s, 0
    while size < _MAX_PIPED_BYTES:
        ready, _, _ = select.select([handle], [], [], wait)
        if not ready:  # an open pipe that nobody writes to must not hold up the work
            print(f"ankrcode: {say('stdin_silent', seconds=wait)}", file=sys.stderr)
            return
        try:
            block = os.read(handle, _BLOCK)
        except OSError:  # opened for writing alone, as nohup does: there is no input
            return
        if not block:
            return
        yield block
        size += len(block)
        wait = None if first_s is None else _IDLE_S


def bounded(text: str) -> str:
    """What a conversation can take; more would end it for good."""
    left_out = len(text) - MAX_PIPED_CHARS
    if left_out <= 0:
        return text
    half = MAX_PIPED_CHARS // 2
    return f"{text[:half]}\n[… {left_out:,} characters are left out here …]\n{text[-half:]}"


def pictures(paths: Iterable[str]) -> tuple[Attachment, ...]:
    """Pictures to go with the task, in a form that models take."""
    return tuple(_picture(path) for path in paths)


def _picture(path: str) -> Attachment:
    from ankrcode.workspace.documents.images import MAX_FILE_BYTES  # only who shows one pays

    try:
        with Path(os.path.expanduser(path)).open("rb") as file:  # noqa: PTH111
            content = file.read(MAX_FILE_BYTES + 1)
        return attached(content, path)
    except OSError as problem:
        why = f"{path}: {problem.strerror or problem}"
    except ValueError as problem:
        why = str(problem).rstrip(".")
    raise UsageError.of("usage", why=why, command=_COMMAND)


def attached(content: bytes, name: str) -> Attachment:
    """A picture for the model; raises `ValueError` where it is none, or cannot be made to fit."""
    from base64 import b64encode

    from ankrcode.workspace.documents.filetypes import shown_type
    from ankrcode.workspace.documents.images import MAX_FILE_BYTES, picture_of

    kind = shown_type(content)
    if kind is None or not kind.is_image:
        raise ValueError(f"{name} is no picture")
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"{name} has more than {MAX_FILE_BYTES:,} bytes")
    try:
        found = picture_of(content, kind, name)
    except ToolError as problem:
        raise ValueError(str(problem)) from None
    data = b64encode(found.data).decode("ascii")
    return Attachment(type="image", mime=found.mime, data=data, name=Path(name).name)


def schema_of(given: str | None) -> JsonSchema | None:
    """The form of the answer: a JSON Schema, or the file that holds one."""
    if given is None:
        return None
    try:
        text = given if given.lstrip().startswith("{") else _read(given)
        schema = msgspec.json.decode(text)
    except OSError as problem:
        raise _wrong_schema(f"{given[:200]}: {problem.strerror or problem}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise _wrong_schema(f"it is no JSON: {json_fault(problem)}") from None
    except ValueError as problem:
        raise _wrong_schema(str(problem)) from None
    if not isinstance(schema, dict):
        raise _wrong_schema("it is no object")
    from ankrcode.agent.structured import check_schema  # only who asks for a schema pays for it

    check_schema(schema)
    return schema


def _wrong_schema(why: str) -> UsageError:
    return UsageError.of("usage", why=f"--json-schema: {why}", command=_COMMAND)


def _read(path: str) -> str:
    if not path.strip():
        raise ValueError("give a JSON Schema, or a file that holds one")
    with Path(os.path.expanduser(path)).open(encoding="utf-8-sig") as file:  # noqa: PTH111
        text = file.read(_MAX_SCHEMA_CHARS + 1)
    if len(text) > _MAX_SCHEMA_CHARS:
        raise ValueError(f"{path} has more than {_MAX_SCHEMA_CHARS:,} characters")
    return text


def rules_in(given: Iterable[str]) -> list[str]:
    """`--allowed-tools "Bash(git log:*),Edit Read"`: parted by commas and blanks outside of ()."""
    found: list[str] = []
    for text in given:
        depth, begun = 0, ""
        for char in text:
            depth += (char == "(") - (char == ")")
            if depth <= 0 and (char == "," or char.isspace()):
                found.append(begun)
                begun = ""
            else:
                begun += char
        found.append(begun)
    return [one.strip() for one in found if one.strip()]
