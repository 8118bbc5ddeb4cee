"""Small texts are read at once, everything else in a thread of its own."""

import os
from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.call import ToolCall
from ankrcode.tools.read import Read, is_quick


def quick(folder: Path, name: str) -> bool:
    kit = Toolkit(cwd=folder)
    call = ToolCall(name="Read", arguments={"file_path": name})
    return is_quick(name, kit._pipeline.resolve(call, kit.agent).ctx)


def test_a_small_text_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    assert quick(tmp_path, "a.py")
    assert quick(tmp_path, str(tmp_path / "a.py"))


@pytest.mark.parametrize(
    "name", ["large.py", "pipe.txt", "folder.md", "none.py", "picture", "a.pdf"]
)
def test_what_may_take_longer_is_not(tmp_path: Path, name: str) -> None:
    (tmp_path / "large.py").write_text("a = 1\n" * 20_000)
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "picture").write_bytes(b"\x89PNG")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    assert not quick(tmp_path, name)


async def test_both_ways_show_the_same(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(300))
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "a.unknown").write_text(text)
    kit = Toolkit([], cwd=tmp_path)
    one = await kit.call("Read", file_path="a.py", offset=20, limit=50)
    other = await kit.call("Read", file_path="a.unknown", offset=20, limit=50)
    assert one.ok
    assert one.text == other.text
    assert one.value.tokens == other.value.tokens
    assert Read.name == "Read"
