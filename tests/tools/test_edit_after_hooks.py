"""A formatter that runs as a hook: its rewrite is told as a diff, and known from then on."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import HookAnswer, ToolCall, Toolkit
from ankrcode.config.settings import Settings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import FixedSource
from ankrcode.tooling.context import ToolContext
from ankrcode.workspace import reads


class Formatter:
    """Rewrites one file after every call that succeeded, as a formatter set up as a hook does."""

    def __init__(self, file: Path, rewrite: Callable[[Path], object]) -> None:
        self._file = file
        self._rewrite = rewrite

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
        return None

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        if call.name != "Read":
            self._rewrite(self._file)

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        self._rewrite(self._file)


def replacing(old: str, new: str) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))


def kit_with(folder: Path, file: str, rewrite: Callable[[Path], object], **more: Any) -> Toolkit:
    hooks = [Formatter(folder / file, rewrite)]
    return Toolkit(cwd=folder, hooks=hooks, **{"mode": "bypass", **more})


async def read(kit: Toolkit, **window: Any) -> None:
    result = await kit.call("Read", file_path="a.py", **window)
    assert result.ok, result.text


async def edit(kit: Toolkit, old: str, new: str) -> ToolResult:
    return await kit.call("Edit", file_path="a.py", old_string=old, new_string=new)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.py"
    file.write_text("x = 'one'\ny = 2\nz = 3\n", encoding="utf-8")
    return file


async def test_what_a_hook_changed_is_shown_after_what_the_tool_changed(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", replacing("'", '"'))
    await read(kit)
    result = await edit(kit, "y = 2", "y = '2'")
    own, _, hooked = result.text.partition(f"A hook changed {file} after it was written:\n")
    assert "-y = 2\n+y = '2'" in own
    assert hooked.startswith(f"--- {file}\n+++ {file}\n@@ -1,3 +1,3 @@\n")
    assert "-x = 'one'\n-y = '2'\n+x = \"one\"\n+y = \"2\"\n z = 3" in hooked
    assert file.read_text("utf-8") == 'x = "one"\ny = "2"\nz = 3\n'


async def test_what_a_hook_changed_can_be_edited_at_once(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", replacing("'", '"'))
    await read(kit)
    assert (await edit(kit, "y = 2", "y = '2'")).ok
    again = await edit(kit, 'y = "2"', "y = 4")
    assert again.ok, again.text
    assert "A hook changed" not in again.text, "nothing was left for it to change"


async def test_a_hook_that_changes_nothing_is_not_mentioned(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", lambda file: None)
    await read(kit)
    assert "A hook " not in (await edit(kit, "y = 2", "y = 3")).text


async def test_a_hook_that_only_touches_the_file_leaves_it_known(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", lambda file: os.utime(file, ns=(1, 1)))
    await read(kit)
    first = await edit(kit, "y = 2", "y = 3")
    assert "A hook " not in first.text
    record = kit.agent.reads.get(str(file))
    assert record is not None
    assert record.version.mtime_ns == 1
    assert (await kit.call("Write", file_path="a.py", content="all new\n")).ok


async def test_a_formatter_set_up_as_a_command_is_told_of_the_same_way(file: Path) -> None:
    command = {"type": "command", "command": f"sed -i s/one/ONE/ {file}"}
    hooks = {"PostToolUse": [{"matcher": "Edit", "hooks": [command]}]}
    settings = msgspec.convert({"hooks": hooks}, Settings)
    kit = Toolkit(cwd=file.parent, mode="bypass", settings=settings)
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert f"A hook changed {file} after it was written:" in result.text
    assert "-x = 'one'\n+x = 'ONE'" in result.text
    assert (await edit(kit, "x = 'ONE'", "x = 'two'")).ok


async def test_a_file_that_the_tool_did_not_write_is_none_of_its_business(file: Path) -> None:
    other = file.parent / "other.txt"
    other.write_text("other\n", encoding="utf-8")
    kit = kit_with(file.parent, "other.txt", replacing("other", "changed"))
    await read(kit)
    assert (await kit.call("Read", file_path="other.txt")).ok
    assert "other.txt" not in (await edit(kit, "y = 2", "y = 3")).text
    arguments = {"file_path": "other.txt", "old_string": "other", "new_string": "mine"}
    stale = await kit.call("Edit", arguments)
    assert stale.error is not None
    assert stale.error.code == "CHANGED_SINCE_READ"
    assert "-other\n+changed" in stale.text


async def test_a_read_is_not_refreshed_by_what_happens_after_it(file: Path) -> None:
    class Restless(Formatter):
        async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
            replacing("y = 2", "y = 5")(file)

    kit = Toolkit(cwd=file.parent, mode="bypass", hooks=[Restless(file, str)])
    result = await kit.call("Read", file_path="a.py")
    assert "A hook " not in result.text
    stale = await edit(kit, "z = 3", "z = 4")
    assert stale.error is not None
    assert stale.error.code == "CHANGED_SINCE_READ"


async def test_a_file_that_a_hook_removed_must_be_made_anew(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", lambda file: file.unlink(missing_ok=True))
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert result.ok
    assert f"A hook removed {file} after it was written." in result.text
    assert kit.agent.reads.get(str(file)) is None
    gone = await edit(kit, "y = 3", "y = 4")
    assert gone.error is not None
    assert gone.error.code == "FILE_NOT_FOUND"


@pytest.mark.parametrize(
    "arguments",
    [
        {"tool": "Write", "file_path": "new.txt", "content": "a'b\n"},
        {"tool": "Edit", "file_path": "new.txt", "old_string": "", "new_string": "a'b\n"},
        {"tool": "ApplyPatch", "patch": "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+a'b\n"},
    ],
    ids=lambda arguments: str(arguments["tool"]),
)
async def test_every_tool_that_writes_tells_it(arguments: dict[str, str], tmp_path: Path) -> None:
    kit = kit_with(tmp_path, "new.txt", replacing("'", '"'))
    tool = arguments["tool"]
    result = await kit.call(tool, {k: v for k, v in arguments.items() if k != "tool"})
    assert result.ok, result.text
    assert "A hook changed" in result.text
    assert "-a'b\n+a\"b" in result.text
    follow = await kit.call("Edit", file_path="new.txt", old_string='a"b', new_string="c")
    assert follow.ok, follow.text


async def test_a_patch_of_several_files_tells_each_that_was_rewritten(tmp_path: Path) -> None:
    def both(file: Path) -> None:
        for name in ("one.txt", "two.txt"):
            replacing("'", '"')(file.with_name(name))

    kit = kit_with(tmp_path, "one.txt", both)
    added = ["*** Add File: one.txt", "+1'", "*** Add File: two.txt", "+2'"]
    added += ["*** Add File: three.txt", "+3"]
    patch = "\n".join(["*** Begin Patch", *added, "*** End Patch"])
    result = await kit.call("ApplyPatch", patch=patch)
    for name, was in (("one.txt", 1), ("two.txt", 2)):
        assert f"A hook changed {tmp_path}/{name}" in result.text
        assert f"-{was}'\n+{was}\"" in result.text
    assert "three.txt after it was written" not in result.text


# ── what was not seen is not known ────────────────────────────────────────────────────────────
LINES = "".join(f"line {number}\n" for number in range(1, 21))


async def test_after_a_partial_read_a_rewrite_inside_the_window_moves_its_end(file: Path) -> None:
    file.write_text(LINES, encoding="utf-8")
    kit = kit_with(file.parent, "a.py", replacing("line 6\n", "line 6\nmore\nmore\n"))
    await read(kit, offset=5, limit=4)
    assert (await edit(kit, "line 7", "seven")).ok
    record = kit.agent.reads.get(str(file))
    assert record is not None
    assert (record.offset, record.limit) == (5, 6)
    assert (await edit(kit, "line 8", "eight")).ok


@pytest.mark.parametrize("changed", ["line 2\n", "line 12\n", "line"])
async def test_after_a_partial_read_a_rewrite_elsewhere_asks_for_a_read(
    changed: str, file: Path
) -> None:
    file.write_text(LINES, encoding="utf-8")
    kit = kit_with(file.parent, "a.py", replacing(changed, changed.upper()))
    await read(kit, offset=5, limit=4)
    result = await edit(kit, "line 7", "seven")
    assert result.ok
    assert "Read it again before you change it." in result.text
    stale = await edit(kit, "seven", "7")
    assert stale.error is not None
    assert stale.error.code == "CHANGED_SINCE_READ"
    await read(kit)
    assert (await edit(kit, "seven", "7")).ok


async def test_a_rewrite_that_is_too_long_to_show_asks_for_a_read(file: Path) -> None:
    file.write_text("".join(f"x = '{number}'\n" for number in range(300)), encoding="utf-8")
    kit = kit_with(file.parent, "a.py", replacing("'", '"'))
    await read(kit)
    result = await edit(kit, "x = '0'", "x = 'zero'")
    assert "more than is shown here. Read it again before you change it." in result.text
    assert "more lines of this diff" in result.text
    stale = await edit(kit, "zero", "0")
    assert stale.error is not None
    assert stale.error.code == "CHANGED_SINCE_READ"


async def test_a_rewrite_into_something_that_is_no_text_asks_for_a_read(file: Path) -> None:
    kit = kit_with(
        file.parent, "a.py", lambda file: file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    )
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert result.ok
    assert "Read it again" in result.text


async def test_a_file_too_large_to_be_kept_asks_for_a_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "MAX_KEPT_FILE_BYTES", 10)
    kit = kit_with(file.parent, "a.py", replacing("'", '"'))
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert "Read it again before you change it." in result.text


async def test_a_byte_order_mark_that_a_hook_adds_is_noticed_without_a_diff(file: Path) -> None:
    def mark(file: Path) -> None:
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().removeprefix(b"\xef\xbb\xbf"))

    kit = kit_with(file.parent, "a.py", mark)
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert result.text.endswith(f"A hook changed {file} after it was written:")
    assert (await edit(kit, "y = 3", "y = 4")).ok
    assert file.read_bytes().startswith(b"\xef\xbb\xbfx = ")


async def test_a_notebook_of_which_only_some_cells_were_seen_must_be_read_again(
    tmp_path: Path,
) -> None:
    cells = [
        {"cell_type": "markdown", "id": f"c{number}", "metadata": {}, "source": [f"cell {number}"]}
        for number in range(4)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    file = tmp_path / "n.ipynb"
    file.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    kit = kit_with(tmp_path, "n.ipynb", replacing("cell 3", "cell three"))
    assert (await kit.call("Read", file_path="n.ipynb", offset=1, limit=2)).ok
    result = await kit.call(
        "NotebookEdit", notebook_path="n.ipynb", cell_id="c0", new_source="changed"
    )
    assert result.ok, result.text
    assert "Read it again before you change it." in result.text
    again = {"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": "changed"}
    stale = await kit.call("NotebookEdit", again)
    assert stale.error is not None
    assert stale.error.code == "CHANGED_SINCE_READ"


async def test_a_secret_that_a_hook_wrote_is_not_shown(file: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    kit = kit_with(file.parent, "a.py", replacing("z = 3", f"z = '{secret}'"))
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert "A hook changed" in result.text
    assert secret not in result.text
    assert secret in file.read_text("utf-8")


async def test_a_hook_that_raises_after_its_rewrite_hides_neither(file: Path) -> None:
    def rewrite_and_raise(file: Path) -> None:
        replacing("'", '"')(file)
        raise RuntimeError("out of paper")

    kit = kit_with(file.parent, "a.py", rewrite_and_raise)
    await read(kit)
    result = await edit(kit, "y = 2", "y = 3")
    assert "A hook changed" in result.text
    assert "out of paper" in result.metadata["hook_errors"][0]


async def test_a_failed_call_tells_of_no_rewrite(file: Path) -> None:
    kit = kit_with(file.parent, "a.py", replacing("y = 2", "y = 9"))
    await read(kit)
    result = await edit(kit, "nowhere to be found", "x")
    assert not result.ok
    assert "A hook " not in result.text


# ── when it was read, and when it changed ─────────────────────────────────────────────────────
@pytest.mark.requirement("S4-018")
async def test_a_stale_edit_names_the_time_of_the_read_and_of_the_change(file: Path) -> None:
    kit = Toolkit(cwd=file.parent, mode="bypass", source=FixedSource(now=1_700_000_000.0))
    await read(kit)
    file.write_text("changed\n", encoding="utf-8")
    os.utime(file, (1_700_000_060, 1_700_000_060))
    result = await edit(kit, "y = 2", "y = 3")
    assert result.error is not None
    assert result.error.code == "CHANGED_SINCE_READ"
    assert result.error.details["path"] == str(file)
    assert result.error.details["read_at"] == "2023-11-14T22:13:20Z"
    assert result.error.details["modified_at"] == "2023-11-14T22:14:20Z"


@pytest.mark.requirement("S4-018")
@pytest.mark.parametrize("tool", ["Write", "ApplyPatch"])
async def test_every_tool_that_overwrites_names_them(tool: str, file: Path) -> None:
    arguments = {
        "Write": {"file_path": "a.py", "content": "new\n"},
        "ApplyPatch": {"patch": "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-y = 2\n+y = 3\n"},
    }
    kit = Toolkit(cwd=file.parent, mode="bypass")
    await read(kit)
    file.write_text("changed\n", encoding="utf-8")
    result = await kit.call(tool, arguments[tool])
    assert result.error is not None
    assert result.error.code == "CHANGED_SINCE_READ"
    assert result.error.details["read_at"] <= result.error.details["modified_at"]


async def test_a_file_that_was_replaced_by_nothing_has_no_time_of_change(file: Path) -> None:
    state = Toolkit(cwd=file.parent, mode="bypass").agent.reads
    file.unlink()
    error = state.changed(str(file))
    assert "modified_at" not in error.details
    assert "read_at" not in error.details, "it was never read"


@pytest.mark.requirement("S4-016")
async def test_a_read_is_kept_with_content_times_and_window(file: Path) -> None:
    kit = Toolkit(cwd=file.parent, mode="bypass", source=FixedSource(now=1_700_000_000.0))
    await read(kit, offset=2, limit=1)
    record = kit.agent.reads.get(str(file))
    assert record is not None
    assert record.read_at == 1_700_000_000.0
    assert (record.offset, record.limit) == (2, 1)
    assert record.version.mtime_ns == file.stat().st_mtime_ns
    assert kit.agent.reads.kept(str(file)) == file.read_bytes()


@pytest.mark.requirement("S0-113", "S0-027")
async def test_an_edit_of_an_unread_file_is_stopped_before_the_tool_runs(file: Path) -> None:
    ran: list[Path] = []
    kit = kit_with(file.parent, "a.py", ran.append)
    result = await edit(kit, "y = 2", "y = 3")
    assert not ran, "hooks hear of calls that ran, whether they failed or not"
    assert result.text.casefold().startswith("Must Read file before Edit".casefold())
    assert result.error is not None
    assert result.error.code == "NOT_READ"
    assert file.read_text("utf-8") == "x = 'one'\ny = 2\nz = 3\n"
