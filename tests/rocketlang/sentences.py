"""Sentences and what they come to, for the tests of the language."""

import shlex
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.sentence import read_sentence

Call = tuple[str, dict[str, Any]]
CORPUS = Path(__file__).parent / "corpus"


def corpus(name: str) -> list[dict[str, Any]]:
    """The lines of one collection."""
    lines = (CORPUS / f"{name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]


def calls_of(text: str, **more: Any) -> list[Call]:
    """What a sentence comes to; a fault fails the test and says itself."""
    reading = read_sentence(text, **more)
    assert reading.fault is None, (text, reading.fault)
    return [(call.tool, call.args) for call in reading.calls]


def only_call(text: str, **more: Any) -> Call:
    calls = calls_of(text, **more)
    assert len(calls) == 1, (text, calls)
    return calls[0]


def refused(text: str, **more: Any) -> str:
    """The code of the fault; calls fail the test."""
    reading = read_sentence(text, **more)
    assert reading.calls == (), (text, reading.calls)
    assert reading.fault is not None, text
    return reading.fault.code


def compared(calls: list[Call] | list[dict[str, Any]] | tuple[Planned, ...]) -> list[Call]:
    """Calls as they are compared: commands word by word, the prompt of a page left out."""
    pairs: list[Call] = []
    for call in calls:
        if isinstance(call, Planned):
            pairs.append((call.tool, call.args))
        elif isinstance(call, dict):
            pairs.append((call["tool"], call["args"]))
        else:
            pairs.append(call)
    return [(tool, _comparable(tool, args)) for tool, args in pairs]


def _comparable(tool: str, args: dict[str, Any]) -> dict[str, Any]:
    if tool == "Bash":
        return {**args, "command": shlex.split(args["command"])}
    if tool == "WebFetch":
        return {"url": args["url"]}
    return args


def is_run_at_once(reading: Reading) -> bool:
    return bool(reading.calls) and not reading.confirm


class Village:
    """A place with a few files, as the workspace would answer for it."""

    def __init__(self, *files: str, test_command: str = "") -> None:
        self.files = files
        self.command = test_command

    def is_file(self, path: str) -> bool:
        return path in self.files

    def is_folder(self, path: str) -> bool:
        return any(file.startswith(f"{path.rstrip('/')}/") for file in self.files)

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(
            file for file in self.files if name in (file.rpartition("/")[2], Path(file).stem)
        )

    def matching(self, glob: str) -> tuple[str, ...]:
        return tuple(file for file in self.files if Path(file).match(glob))

    def test_command(self) -> str:
        return self.command
