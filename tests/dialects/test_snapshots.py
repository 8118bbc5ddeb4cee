"""What each dialect shows of each tool, kept as plain files: a change is seen before it ships.

After a change on purpose: `ANKRCODE_UPDATE_SNAPSHOTS=1 make test ARGS=tests/dialects`.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ankrcode import dialects, tools
from ankrcode.errors import UsageError

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"
IS_UPDATE = os.environ.get("ANKRCODE_UPDATE_SNAPSHOTS") == "1"


def shown() -> dict[str, Any]:
    """The outward definitions by the names of their files."""
    files: dict[str, Any] = {}
    for name in dialects.names():
        dialect = dialects.load(name)
        if not dialect.tools and name != dialects.DEFAULT:
            continue  # it shows what the default does
        for native in tools.definitions().values():
            if one := dialect.outward(native):
                files[f"{name}/{one.name}.json"] = {
                    "name": one.name,
                    "description": one.description,
                    "input_schema": one.input_schema,
                    "output_schema": one.output_schema,
                }
    return files


def as_text(view: Any) -> str:
    return json.dumps(view, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


@pytest.mark.parametrize("name", shown())
def test_a_tool_is_shown_as_it_was(name: str) -> None:
    file, text = SNAPSHOTS / name, as_text(shown()[name])
    if IS_UPDATE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def test_there_is_no_snapshot_of_a_tool_that_is_gone() -> None:
    kept = {str(file.relative_to(SNAPSHOTS)) for file in SNAPSHOTS.glob("*/*.json")}
    if IS_UPDATE:
        for name in kept - set(shown()):
            (SNAPSHOTS / name).unlink()
        kept &= set(shown())
    assert kept == set(shown())


def test_both_dialects_of_this_house_are_shown() -> None:
    assert {"claude", "workspace"} <= set(dialects.names())
    assert {"claude/Read.json", "workspace/read_file.json"} <= set(shown())


def test_an_unknown_dialect_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no dialect 'klingon'. Dialects: .*claude"):
        dialects.load("klingon")
