"""NotebookEdit: one cell is changed, the rest of the file is not touched."""

import json
import warnings
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import NO, YES, FakePerson, FixedSource
from ankrcode.tools.notebook_edit import NotebookEdit, NotebookEditInput, NotebookEditOutput
from documents import code_cell, markdown_cell, notebook, stream, written

MADE = notebook(
    markdown_cell("# Title", "intro"),
    code_cell("x = 1\nprint(x)", stream("1\n"), cell_id="first", run=3),
    code_cell("y = 2", stream("2\n"), cell_id="second", run=4),
)


class Desk:
    """A folder with one notebook, and the tools to read and edit it."""

    def __init__(self, folder: Path, content: str | bytes | None = None) -> None:
        self.file = folder / "a.ipynb"
        text = written(MADE) if content is None else content
        self.file.write_bytes(text.encode() if isinstance(text, str) else text)
        self.kit = Toolkit(cwd=folder, mode="acceptEdits", source=FixedSource())

    @property
    def text(self) -> str:
        return self.file.read_bytes().decode()

    @property
    def cells(self) -> list[dict[str, Any]]:
        cells: list[dict[str, Any]] = json.loads(self.text)["cells"]
        return cells

    @property
    def sources(self) -> list[str]:
        return ["".join(cell["source"]) for cell in self.cells]

    async def read(self, **arguments: Any) -> ToolResult:
        return await self.kit.call("Read", {"file_path": "a.ipynb", **arguments})

    async def edit(self, **arguments: Any) -> ToolResult:
        return await self.kit.call("NotebookEdit", {"notebook_path": "a.ipynb", **arguments})

    async def edited(self, **arguments: Any) -> NotebookEditOutput:
        result = await self.edit(**arguments)
        assert result.error is None, result.error
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nbformat.validate(json.loads(self.text))
        return msgspec.convert(msgspec.to_builtins(result.value), NotebookEditOutput)

    async def refused(self, **arguments: Any) -> ToolResult:
        """The call fails, and not a byte has changed."""
        before, status = self.file.read_bytes(), self.file.stat()
        result = await self.edit(**arguments)
        assert result.error is not None, result.text
        assert self.file.read_bytes() == before
        assert self.file.stat().st_mtime_ns == status.st_mtime_ns
        assert list(self.file.parent.iterdir()) == [self.file]
        return result


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    assert (await desk.read()).ok
    return desk


def code_of(result: ToolResult) -> str:
    assert result.error is not None
    return str(result.error.code)


# ── the three ways ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("cell", [{"cell_id": "first"}, {"cell_number": 1}], ids=str)
@pytest.mark.requirement("S0-151", "S4-236")
async def test_a_source_is_replaced_and_stale_outputs_go(desk: Desk, cell: dict[str, Any]) -> None:
    value = await desk.edited(**cell, new_source="x = 5\nprint(x)\n")
    assert desk.sources == ["# Title", "x = 5\nprint(x)\n", "y = 2"]
    changed, other = desk.cells[1:]
    assert (changed["outputs"], changed["execution_count"]) == ([], None)
    assert (other["outputs"], other["execution_count"]) == ([stream("2\n")], 4)
    assert changed["source"] == ["x = 5\n", "print(x)\n"]
    assert (value.cell_number, value.cell_id, value.cells) == (1, "first", 3)


async def test_the_result_shows_what_changed(desk: Desk) -> None:
    result = await desk.edit(cell_id="first", new_source="x = 5\nprint(x)")
    first, *rest = result.text.split("\n")
    assert first == (
        f"Replaced the source of cell 1 of {desk.file}; its outputs were stale and are cleared."
    )
    assert "-x = 1" in rest
    assert "+x = 5" in rest
    assert " print(x)" in rest


async def test_a_markdown_cell_is_replaced(desk: Desk) -> None:
    await desk.edited(cell_number=0, new_source="## शीर्षक")
    assert desk.cells[0] == markdown_cell("## शीर्षक", "intro")


@pytest.mark.parametrize(
    ("where", "number"),
    [({}, 0), ({"cell_id": "intro"}, 1), ({"cell_number": 2}, 3)],
    ids=["start", "after-first", "end"],
)
@pytest.mark.parametrize("kind", ["code", "markdown"])
async def test_a_cell_is_inserted_after_another_or_at_the_start(
    desk: Desk, where: dict[str, Any], number: int, kind: str
) -> None:
    value = await desk.edited(edit_mode="insert", new_source="new", cell_type=kind, **where)
    assert value.cell_number == number
    cell = desk.cells[number]
    assert (cell["cell_type"], "".join(cell["source"])) == (kind, "new")
    assert cell["id"] == value.cell_id
    assert len({one["id"] for one in desk.cells}) == len(desk.cells) == value.cells == 4


async def test_an_inserted_cell_is_code_unless_said_otherwise(desk: Desk) -> None:
    await desk.edited(edit_mode="insert", new_source="z")
    assert desk.cells[0]["cell_type"] == "code"


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_a_cell_is_deleted(desk: Desk, number: int) -> None:
    left = [cell for at, cell in enumerate(desk.cells) if at != number]
    value = await desk.edited(edit_mode="delete", cell_number=number)
    assert desk.cells == left
    assert value.cells == 2
    assert all(line.startswith(("-", "@", "+++", "\\")) for line in value.diff.split("\n"))


async def test_all_cells_can_go_and_come_again(desk: Desk) -> None:
    for _ in range(3):
        await desk.edited(edit_mode="delete", cell_number=0)
    assert desk.cells == []
    await desk.edited(edit_mode="insert", new_source="again", cell_type="markdown")
    assert desk.sources == ["again"]


@pytest.mark.parametrize(("number", "kind"), [(0, "code"), (1, "markdown")])
async def test_a_cell_becomes_another_type(desk: Desk, number: int, kind: str) -> None:
    await desk.edited(cell_number=number, new_source="same", cell_type=kind)
    assert desk.cells[number]["cell_type"] == kind
    assert ("outputs" in desk.cells[number]) == (kind == "code")


async def test_the_same_source_changes_nothing_not_even_the_file(desk: Desk) -> None:
    before, status = desk.text, desk.file.stat()
    result = await desk.edit(cell_id="first", new_source="x = 1\nprint(x)")
    assert result.ok
    assert "nothing changed" in result.text
    assert desk.text == before
    assert (desk.file.stat().st_mtime_ns, desk.file.stat().st_ino) == (
        status.st_mtime_ns,
        status.st_ino,
    )


async def test_edits_follow_each_other_without_reading_again(desk: Desk) -> None:
    await desk.edited(edit_mode="insert", cell_number=0, new_source="a = 0")
    await desk.edited(cell_number=1, new_source="a = 1")
    await desk.edited(edit_mode="delete", cell_id="second")
    assert desk.sources == ["# Title", "a = 1", "x = 1\nprint(x)"]


async def test_an_old_notebook_without_ids_gets_none(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written(notebook(code_cell("x"), minor=2)))
    await desk.read()
    await desk.edited(edit_mode="insert", cell_number=0, new_source="y")
    assert all("id" not in cell for cell in desk.cells)


# ── the file around it ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("prefix", "encoding"),
    [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")],
    ids=["plain", "mark", "utf-16"],
)
async def test_encoding_mode_and_line_ends_are_kept(
    prefix: bytes, encoding: str, tmp_path: Path
) -> None:
    text = json.dumps(MADE, indent=2, ensure_ascii=False).replace("\n", "\r\n")
    desk = Desk(tmp_path, prefix + text.encode(encoding))
    desk.file.chmod(0o640)
    await desk.read()
    result = await desk.edit(cell_id="intro", new_source="# नया")
    assert result.ok, result.text
    after = desk.file.read_bytes()
    expected = text.replace('"# Title"', '"# नया"')
    assert after == prefix + expected.encode(encoding)
    assert desk.file.stat().st_mode & 0o777 == 0o640


async def test_every_other_byte_of_a_strange_file_stays(tmp_path: Path) -> None:
    text = (
        '{ "nbformat" : 4,"nbformat_minor":5,\n\n  "metadata": {"x": 1.10, "y": "\\u00e9"},\n'
        '"cells": [ {"cell_type":"raw","metadata":{},"id":"a",   "source":"one" },\n'
        ' {"id": "b", "cell_type": "markdown", "metadata": {"extra": [ 1 ]}, "source": ["t"]}]}'
    )
    desk = Desk(tmp_path, text)
    await desk.read()
    assert (await desk.edit(cell_id="b", new_source="u")).ok
    assert desk.text.replace(" ", "").replace("\n", "") == text.replace('["t"]', '["u"]').replace(
        " ", ""
    ).replace("\n", "")
    assert desk.text.startswith(text[: text.index('"source": ["t"')])
    assert (await desk.edit(cell_id="a", new_source="two")).ok
    assert '"source":"two" }' in desk.text


# ── refusals ──────────────────────────────────────────────────────────────────────────────────
async def test_an_unread_notebook_is_not_edited(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    result = await desk.refused(cell_number=0, new_source="x")
    assert code_of(result) == "NOT_READ"
    assert "Must read file before editing" in result.text


async def test_a_notebook_that_changed_since_is_not_edited(desk: Desk) -> None:
    desk.file.write_text(written(MADE).replace("y = 2", "y = 3"), encoding="utf-8")
    result = await desk.refused(cell_number=0, new_source="x")
    assert code_of(result) == "CHANGED_SINCE_READ"


async def test_only_cells_that_were_shown_are_edited(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.read(offset=2, limit=1)
    for number in (0, 2):
        result = await desk.refused(cell_number=number, new_source="x")
        assert code_of(result) == "NOT_READ"
        assert "cells 1 to 1 were" in result.text
    await desk.edited(cell_number=1, new_source="x")
    await desk.edited(edit_mode="insert", cell_number=1, new_source="z")
    await desk.edited(cell_number=2, new_source="zz")
    assert code_of(await desk.refused(cell_number=3, new_source="x")) == "NOT_READ"
    await desk.edited(edit_mode="insert", new_source="top")  # moves what was shown down by one
    assert code_of(await desk.refused(cell_number=1, new_source="x")) == "NOT_READ"
    await desk.edited(cell_number=2, new_source="xx")
    assert desk.sources == ["top", "# Title", "xx", "zz", "y = 2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"cell_id": "nobody"}, "no cell with the id 'nobody'"),
        ({"cell_number": 3}, "there is no cell 3"),
        ({"cell_number": 10**20}, "there is no cell"),
        ({"cell_id": "first", "cell_number": 1}, "not by both"),
        ({}, "Neither cell_id nor cell_number"),
        ({"edit_mode": "delete"}, "Neither cell_id nor cell_number"),
        ({"cell_number": -1}, "cell_number"),
        ({"cell_number": 0, "cell_type": "raw"}, "cell_type"),
        ({"cell_number": 0, "edit_mode": "append"}, "edit_mode"),
    ],
    ids=str,
)
async def test_a_cell_that_is_not_there_is_refused(
    desk: Desk, arguments: dict[str, Any], said: str
) -> None:
    result = await desk.refused(new_source="x", **arguments)
    assert code_of(result) == "INVALID_INPUT"
    assert said in result.text


async def test_an_id_that_two_cells_have_is_ambiguous(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written(notebook(markdown_cell("a", "x"), markdown_cell("b", "x"))))
    await desk.read()
    result = await desk.refused(cell_id="x", new_source="c")
    assert "several cells" in result.text
    assert (await desk.edit(cell_number=1, new_source="c")).ok


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"cells": []}',
        written({**MADE, "nbformat": 3}),
        written({**MADE, "cells": [{"cell_type": "code", "source": []}]}),
        written({**MADE, "cells": {}}),
        "plain text\n",
    ],
    ids=["open", "list", "bare", "old", "cell", "cells", "text"],
)
async def test_an_invalid_notebook_is_refused_untouched(content: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path, content)
    assert (await desk.read()).ok
    result = await desk.refused(cell_number=0, new_source="x")
    assert code_of(result) == "NOT_TEXT"
    assert "not a valid notebook" in result.text


async def test_a_missing_notebook_is_refused(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    result = await kit.call("NotebookEdit", notebook_path="none.ipynb", cell_number=0)
    assert result.error is not None
    assert not list(tmp_path.iterdir())


# ── permission ────────────────────────────────────────────────────────────────────────────────
async def test_a_person_is_shown_the_difference_and_may_refuse(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    person = FakePerson([NO, YES])
    desk.kit = Toolkit(cwd=tmp_path, approve=person)
    await desk.read()
    result = await desk.refused(cell_id="first", new_source="x = 5")
    assert code_of(result) == "PERMISSION_DENIED"
    preview = person.asked[0].preview
    assert preview is not None
    assert preview.format == "diff"
    assert "+x = 5" in preview.body
    await desk.edited(cell_id="first", new_source="x = 5")


async def test_what_cannot_be_done_is_refused_before_anyone_is_asked(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    person = FakePerson([YES])
    desk.kit = Toolkit(cwd=tmp_path, approve=person)
    await desk.read()
    assert code_of(await desk.refused(cell_id="nobody", new_source="x")) == "INVALID_INPUT"
    assert not person.asked


def test_it_writes_and_is_not_safe_beside_others(tmp_path: Path) -> None:
    tool = NotebookEdit()
    args = NotebookEditInput(notebook_path="a.ipynb", cell_number=0)
    assert not tool.is_read_only
    assert not tool.is_concurrency_safe(args)
    assert tool.subject(args) == "a.ipynb"
