"""Notebooks as other people and programs leave them: the reference is the judge of every edit."""

import base64
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.workspace.documents.notebook_edits import cell_spans
from documents import code_cell, display, markdown_cell, png, stream
from torture import examples

Change = Callable[[Any], Any]
PICTURE = base64.b64encode(png(3, 2)).decode()
# What the reference raises over data that it did not expect at all.
STUMBLES = (AssertionError, AttributeError, ImportError, LookupError, TypeError, ValueError)
ERROR = {
    "ename": "ZeroDivisionError",
    "evalue": "division by zero",
    "output_type": "error",
    "traceback": [
        "\x1b[0;31m---------------------------------------------------------------------\x1b[0m",
        "\x1b[0;32m<ipython-input-1>\x1b[0m in \x1b[0;36m<module>\x1b[0;34m\x1b[0m",
        "\x1b[1;32m----> 1\x1b[0;31m \x1b[0;36m1\x1b[0m\x1b[0;34m/\x1b[0m\x1b[0;36m0\x1b[0m",
        "\x1b[0;31mZeroDivisionError\x1b[0m: division by zero",
    ],
}


def rich(minor: int = 5) -> dict[str, Any]:
    """A notebook with one of everything, valid in every minor version."""
    result = {
        "data": {"text/html": ["<b>7</b>"], "text/plain": ["7"], "application/json": {"a": [1]}},
        "execution_count": 2,
        "metadata": {},
        "output_type": "execute_result",
    }
    cells = [
        markdown_cell("# Größe – आकार\n![x](attachment:a.png)"),
        code_cell("1/0", stream("a\n"), stream("b\n", "stderr"), ERROR, run=1),
        code_cell("7", result, display(image_png=PICTURE, text_plain="<Figure>"), run=2),
        {"cell_type": "raw", "metadata": {"format": "text/html"}, "source": "<i>raw</i>"},
        code_cell(""),
    ]
    cells[0]["attachments"] = {"a.png": {"image/png": PICTURE}}
    cells[1]["metadata"] = {"tags": ["keep", "slow"], "collapsed": False, "scrolled": "auto"}
    for number, cell in enumerate(cells):
        if minor >= 5:
            cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    language = {"name": "python", "version": "3.12", "codemirror_mode": {"name": "x", "version": 3}}
    metadata = {"kernelspec": kernel, "language_info": language, "our": {"x": [1.5, None]}}
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    copied: dict[str, Any] = json.loads(json.dumps(made))
    return copied


def is_valid(made: Any) -> bool:
    """By the reference; a missing or doubled id is a warning there, and it mends both itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nbformat.validate(json.loads(json.dumps(made)))
        except (nbformat.ValidationError, *STUMBLES):
            return False
    return True


class Desk:
    def __init__(self, folder: Path, content: bytes | str) -> None:
        self.file = folder / "a.ipynb"
        self.file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.kit = Toolkit(cwd=folder, mode="acceptEdits")

    async def read(self, **arguments: Any) -> ToolResult:
        return await self.kit.call("Read", {"file_path": "a.ipynb", **arguments})

    async def edit(self, **arguments: Any) -> ToolResult:
        return await self.kit.call("NotebookEdit", {"notebook_path": "a.ipynb", **arguments})

    @property
    def made(self) -> Any:
        return json.loads(self.file.read_bytes())


# ── valid or refused, as the reference says ───────────────────────────────────────────────────
def put(*path: Any, value: Any) -> Change:
    def change(made: Any) -> Any:
        place = made
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        return made

    return change


def drop(*path: Any) -> Change:
    def change(made: Any) -> Any:
        place = made
        for step in path[:-1]:
            place = place[step]
        place.pop(path[-1], None)
        return made

    return change


C1 = ("cells", 1)
OUT = ("cells", 2, "outputs", 0)
CHANGES: dict[str, Change] = {
    "nothing": lambda made: made,
    "no cells": put("cells", value=[]),
    "unknown field of the notebook": put("signature", value="sha256:1"),
    "worksheets": put("worksheets", value=[]),
    "unknown field of a cell": put(*C1, "extra", value=1),
    "prompt number of format 3": put(*C1, "prompt_number", value=1),
    "attachments of code": put(*C1, "attachments", value={}),
    "outputs of markdown": put("cells", 0, "outputs", value=[]),
    "run count of markdown": put("cells", 0, "execution_count", value=None),
    "unknown field of a stream": put(*C1, "outputs", 0, "encoding", value="x"),
    "unknown field of an error": put(*C1, "outputs", 2, "frames", value=[]),
    "unknown field of a result": put(*OUT, "transient", value={}),
    "an output of format 3": put(*OUT, value={"output_type": "pyout", "text": "x"}),
    "text in a result is a number": put(*OUT, "data", "text/plain", value=7),
    "text in a result is an object": put(*OUT, "data", "text/html", value={}),
    "json in a result is a number": put(*OUT, "data", "application/json", value=7),
    "vendor json": put(*OUT, "data", "application/vnd.x.v1+json", value={"a": None}),
    "what only looks like json": put(*OUT, "data", "application/jsonx", value={}),
    "text of a result is null": put(*OUT, "data", "text/plain", value=None),
    "result without data": drop(*OUT, "data"),
    "result without count": drop(*OUT, "execution_count"),
    "result with count as text": put(*OUT, "execution_count", value="2"),
    "a count as float": put(*OUT, "execution_count", value=2.5),
    "output metadata is a list": put(*OUT, "metadata", value=[]),
    "output metadata is anything": put(*OUT, "metadata", value={"image/png": {"width": 3}}),
    "a stream of another name": put(*C1, "outputs", 0, "name", value="log"),
    "a stream in one text": put(*C1, "outputs", 0, "text", value="a\nb\n"),
    "traceback of numbers": put(*C1, "outputs", 2, "traceback", value=[1]),
    "outputs null": put(*C1, "outputs", value=None),
    "source null": put(*C1, "source", value=None),
    "source in one text": put(*C1, "source", value="a\nb"),
    "source of lists": put(*C1, "source", value=[["a"]]),
    "tags doubled": put(*C1, "metadata", "tags", value=["a", "a"]),
    "tags with a comma": put(*C1, "metadata", "tags", value=["a,b"]),
    "tags as text": put(*C1, "metadata", "tags", value="a"),
    "no tags": put(*C1, "metadata", "tags", value=[]),
    "empty name": put(*C1, "metadata", "name", value=""),
    "a name": put(*C1, "metadata", "name", value="setup"),
    "name as number": put("cells", 0, "metadata", "name", value=3),
    "collapsed as text": put(*C1, "metadata", "collapsed", value="true"),
    "scrolled as a number": put(*C1, "metadata", "scrolled", value=1),
    "scrolled as another text": put(*C1, "metadata", "scrolled", value="yes"),
    "scrolled true": put(*C1, "metadata", "scrolled", value=True),
    "format of a raw cell as number": put("cells", 3, "metadata", "format", value=1),
    "format of another cell as number": put("cells", 0, "metadata", "format", value=1),
    "cell metadata of others": put(*C1, "metadata", value={"colab": {"x": 1}, "vscode": None}),
    "attachments as a list": put("cells", 0, "attachments", value=[]),
    "attachment as text": put("cells", 0, "attachments", value={"a": "b"}),
    "attachment of numbers": put("cells", 0, "attachments", value={"a": {"image/png": 1}}),
    "no attachments": drop("cells", 0, "attachments"),
    "kernel without display name": drop("metadata", "kernelspec", "display_name"),
    "kernel without name": drop("metadata", "kernelspec", "name"),
    "kernel null": put("metadata", "kernelspec", value=None),
    "no kernel": drop("metadata", "kernelspec"),
    "language without name": drop("metadata", "language_info", "name"),
    "language mode as number": put("metadata", "language_info", "codemirror_mode", value=1),
    "language mode as text": put("metadata", "language_info", "codemirror_mode", value="ipython"),
    "language extension as number": put("metadata", "language_info", "file_extension", value=1),
    "no language": drop("metadata", "language_info"),
    "no metadata at all": put("metadata", value={}),
    "title as number": put("metadata", "title", value=1),
    "authors": put("metadata", "authors", value=[{"name": "a"}]),
    "authors as text": put("metadata", "authors", value="a"),
    "original format": put("metadata", "orig_nbformat", value=3),
    "original format null": put("metadata", "orig_nbformat", value=None),
    "original format zero": put("metadata", "orig_nbformat", value=0),
    "format 3": put("nbformat", value=3),
    "format 5": put("nbformat", value=5),
    "format as text": put("nbformat", value="4"),
    "minor as text": put("nbformat_minor", value="5"),
    "minor null": put("nbformat_minor", value=None),
    "cell type of format 3": put("cells", 0, "cell_type", value="heading"),
    "cell without type": drop("cells", 0, "cell_type"),
    "cell without metadata": drop("cells", 0, "metadata"),
    "cell without source": drop("cells", 0, "source"),
    "code without outputs": drop(*C1, "outputs"),
    "code without run count": drop(*C1, "execution_count"),
    "run count below zero": put(*C1, "execution_count", value=-1),
    "run count null": put(*C1, "execution_count", value=None),
    "run count true": put(*C1, "execution_count", value=True),
    "an id": put("cells", 0, "id", value="abc_DEF-123"),
    "an id with a blank": put("cells", 0, "id", value="a b"),
    "an id in another script": put("cells", 0, "id", value="क"),
    "an id of 64": put("cells", 0, "id", value="x" * 64),
    "an id of 65": put("cells", 0, "id", value="x" * 65),
    "an id null": put("cells", 0, "id", value=None),
    "an id missing": drop("cells", 0, "id"),
    "an id twice": put("cells", 0, "id", value="cell-1"),
    "cells as an object": put("cells", value={"0": {}}),
    "a cell null": put("cells", 4, value=None),
}


@pytest.mark.parametrize("minor", [0, 5])
@pytest.mark.parametrize("name", CHANGES)
async def test_an_edit_is_made_exactly_where_the_reference_finds_no_fault(
    name: str, minor: int, tmp_path: Path
) -> None:
    made = CHANGES[name](rich(minor))
    content = json.dumps(made, indent=1).encode()
    desk = Desk(tmp_path, content)
    shown = await desk.read(limit=0)
    assert shown.ok
    assert "cell 1 (code" in shown.text or "as text" in shown.text or not made["cells"]
    result = await desk.edit(edit_mode="insert", new_source="x = 1")
    assert result.ok == is_valid(made), result.text
    if result.ok:
        assert is_valid(desk.made)
        assert desk.made["cells"][1:] == made["cells"]
    else:
        assert result.error is not None
        assert result.error.code == "NOT_TEXT"
        assert "not a valid notebook" in result.text
        assert desk.file.read_bytes() == content


@pytest.mark.parametrize("minor", [6, 7, 99])
async def test_a_minor_version_of_the_future_may_have_fields_that_nobody_knows(
    minor: int, tmp_path: Path
) -> None:
    made = put(*C1, "later", value=1)(rich())
    made["nbformat_minor"] = minor
    desk = Desk(tmp_path, json.dumps(made))
    await desk.read()
    assert (await desk.edit(cell_number=1, new_source="x")).ok
    assert desk.made["cells"][1]["later"] == 1


# ── every edit in every version and style ─────────────────────────────────────────────────────
STYLES: dict[str, Callable[[Any], str]] = {
    "indent 1": lambda made: json.dumps(made, indent=1, ensure_ascii=False) + "\n",
    "indent 2, escaped": lambda made: json.dumps(made, indent=2) + "\n",
    "indent 4, sorted": lambda made: json.dumps(made, indent=4, sort_keys=True),
    "tabs": lambda made: json.dumps(made, indent="\t", ensure_ascii=False),
    "one line": json.dumps,
    "compact": lambda made: json.dumps(made, separators=(",", ":"), ensure_ascii=False),
    "windows": lambda made: (json.dumps(made, indent=1) + "\n").replace("\n", "\r\n"),
    "blanks around": lambda made: f"\n\n {json.dumps(made, indent=2)} \n\n\n",
}
EDITS: dict[str, tuple[dict[str, Any], int, list[str]]] = {
    # what is asked, how many cells are more, and the sources that are expected
    "first": ({"cell_number": 0}, 0, ["N", "1/0", "7", "<i>raw</i>", ""]),
    "code with outputs": ({"cell_number": 1}, 0, ["", "N", "7", "<i>raw</i>", ""]),
    "raw": ({"cell_number": 3}, 0, ["", "1/0", "7", "N", ""]),
    "last": ({"cell_number": 4}, 0, ["", "1/0", "7", "<i>raw</i>", "N"]),
    "before all": ({"edit_mode": "insert"}, 1, ["N", "", "1/0", "7", "<i>raw</i>", ""]),
    "after the first": (
        {"edit_mode": "insert", "cell_number": 0, "cell_type": "markdown"},
        *(1, ["", "N", "1/0", "7", "<i>raw</i>", ""]),
    ),
    "behind all": (
        {"edit_mode": "insert", "cell_number": 4, "cell_type": "code"},
        *(1, ["", "1/0", "7", "<i>raw</i>", "", "N"]),
    ),
    "delete the first": (
        {"edit_mode": "delete", "cell_number": 0},
        -1,
        ["1/0", "7", "<i>raw</i>", ""],
    ),
    "delete the last": (
        {"edit_mode": "delete", "cell_number": 4},
        -1,
        ["", "1/0", "7", "<i>raw</i>"],
    ),
    "delete between": (
        {"edit_mode": "delete", "cell_number": 2},
        -1,
        ["", "1/0", "<i>raw</i>", ""],
    ),
    "code to markdown": (
        {"cell_number": 1, "cell_type": "markdown"},
        *(0, ["", "N", "7", "<i>raw</i>", ""]),
    ),
    "markdown to code": (
        {"cell_number": 0, "cell_type": "code"},
        *(0, ["N", "1/0", "7", "<i>raw</i>", ""]),
    ),
    "raw to code": ({"cell_number": 3, "cell_type": "code"}, 0, ["", "1/0", "7", "N", ""]),
    "raw to markdown": ({"cell_number": 3, "cell_type": "markdown"}, 0, ["", "1/0", "7", "N", ""]),
}


@pytest.mark.parametrize("minor", [4, 5])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", EDITS)
async def test_an_edit_leaves_all_else_byte_for_byte_and_a_valid_notebook(
    name: str, style: str, minor: int, tmp_path: Path
) -> None:
    arguments, more, sources = EDITS[name]
    made = rich(minor)
    made["cells"][0]["source"] = ""
    before = STYLES[style](made)
    desk = Desk(tmp_path, before)
    await desk.read(limit=0)
    result = await desk.edit(**{"new_source": "N", **arguments})
    assert result.ok, result.text
    after = desk.file.read_bytes().decode()
    assert is_valid(json.loads(after))
    assert ["".join(cell["source"]) for cell in json.loads(after)["cells"]] == sources
    old = [before[span.start : span.end] for span in cell_spans(before)]
    new = [after[span.start : span.end] for span in cell_spans(after)]
    assert len(new) == len(old) + more
    assert len([one for one in old if one in new]) == len(old) - (more != 1)
    first, last = cell_spans(before)[0].start, cell_spans(before)[-1].end
    assert after.startswith(before[:first])
    assert after.endswith(before[last:])
    assert after.count("\r") == after.count("\n") * ("\r\n" in before)


@pytest.mark.parametrize("minor", [0, 1, 2, 3, 4, 5])
async def test_ids_are_given_only_where_the_version_has_them(minor: int, tmp_path: Path) -> None:
    desk = Desk(tmp_path, json.dumps(rich(minor)))
    await desk.read()
    assert (await desk.edit(edit_mode="insert", new_source="x")).ok
    assert ("id" in desk.made["cells"][0]) == (minor == 5)
    assert is_valid(desk.made)


async def test_a_hundred_inserted_cells_have_a_hundred_ids(tmp_path: Path) -> None:
    desk = Desk(tmp_path, json.dumps({**rich(), "cells": []}))
    await desk.read()
    for number in range(100):
        assert (await desk.edit(edit_mode="insert", new_source=str(number))).ok
    assert len({cell["id"] for cell in desk.made["cells"]}) == 100
    assert ["".join(cell["source"]) for cell in desk.made["cells"]] == [
        str(number) for number in reversed(range(100))
    ]


@pytest.mark.parametrize("arguments", [{"cell_id": "cell-1"}, {"cell_number": 1}], ids=str)
async def test_what_belongs_to_the_old_source_goes_and_the_rest_of_the_cell_stays(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    desk = Desk(tmp_path, json.dumps(rich()))
    await desk.read()
    result = await desk.edit(new_source="x = 1\ny = 2", **arguments)
    cell = desk.made["cells"][1]
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert cell["metadata"] == rich()["cells"][1]["metadata"]
    assert cell["source"] == ["x = 1\n", "y = 2"]
    assert "outputs" in result.text


async def test_a_markdown_cell_keeps_its_attachments_and_loses_them_as_code(tmp_path: Path) -> None:
    desk = Desk(tmp_path, json.dumps(rich()))
    await desk.read()
    assert (await desk.edit(cell_number=0, new_source="![x](attachment:a.png)")).ok
    assert "a.png" in desk.made["cells"][0]["attachments"]
    assert (await desk.edit(cell_number=0, new_source="x", cell_type="code")).ok
    assert "attachments" not in desk.made["cells"][0]
    assert is_valid(desk.made)


# ── broken files ──────────────────────────────────────────────────────────────────────────────
WHOLE = json.dumps(rich(), indent=1, ensure_ascii=False)


@pytest.mark.parametrize(
    "content",
    [
        WHOLE[:-1].encode(),
        WHOLE.encode() + b"}",
        WHOLE.encode() + b"\nmore",
        WHOLE.encode() * 2,
        b"[" + WHOLE.encode() + b"]",
        WHOLE.replace("cells", "cell", 1).encode(),
        WHOLE.replace('"nbformat": 4', '"nbformat": 4,').replace("5\n}", "5,\n}").encode(),
        ("// made by hand\n" + WHOLE).encode(),
        WHOLE.replace('"', "'").encode(),
        b"<<<<<<< HEAD\n" + WHOLE.encode() + b"=======\n",
        b"",
        b"\n",
        b"null",
        b'"text"',
        b"{}",
    ],
    ids=[
        *("truncated", "brace behind", "words behind", "twice", "in a list", "no cells"),
        *("trailing comma", "comment", "single quotes", "merge conflict"),
        *("empty", "blank", "null", "string", "object"),
    ],
)
async def test_what_is_no_notebook_is_shown_as_text_and_never_touched(
    content: bytes, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, content)
    assert (await desk.read(limit=0)).ok
    for mode in ("replace", "insert", "delete"):
        result = await desk.edit(edit_mode=mode, cell_number=0, new_source="x")
        assert result.error is not None
        assert result.error.code == "NOT_TEXT", result.text
        assert result.error.suggestion
    assert desk.file.read_bytes() == content


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32-le", "cp1252"])
async def test_an_encoding_that_nobody_should_use_is_kept(encoding: str, tmp_path: Path) -> None:
    made = rich()
    made["cells"][0]["source"] = ["Größe"]
    before = json.dumps(made, indent=1, ensure_ascii=False)
    desk = Desk(tmp_path, before.encode(encoding))
    assert (await desk.read()).ok
    assert (await desk.edit(cell_number=0, new_source="Straße")).ok
    assert desk.file.read_bytes() == before.replace("Größe", "Straße").encode(encoding)


async def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    content = WHOLE.encode()[:200] + b"\0\x01\x02" * 30 + WHOLE.encode()[200:]
    desk = Desk(tmp_path, content)
    result = await desk.read()
    assert result.error is not None
    assert result.error.code == "NOT_TEXT"
    assert not (await desk.edit(cell_number=0, new_source="x")).ok
    assert desk.file.read_bytes() == content


# ── naming a cell ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"cell_number": 5}, "INVALID_INPUT"),
        ({"cell_number": -1}, "INVALID_INPUT"),
        ({"cell_number": 1.5}, "INVALID_INPUT"),
        ({"cell_number": "1"}, None),
        ({"cell_number": None}, "INVALID_INPUT"),
        ({"cell_number": True}, "INVALID_INPUT"),
        ({"cell_number": 2**70}, "INVALID_INPUT"),
        ({"cell_id": ""}, "INVALID_INPUT"),
        ({"cell_id": "CELL-1"}, "INVALID_INPUT"),
        ({"cell_id": "cell-1 "}, "INVALID_INPUT"),
        ({"cell_id": 1}, "INVALID_INPUT"),
        ({"cell_id": "1"}, "INVALID_INPUT"),
        ({"cell_id": "cell-1\0"}, "INVALID_INPUT"),
        ({"cell_id": "x" * 10_000}, "INVALID_INPUT"),
        ({"cell_id": "cell-1"}, None),
    ],
    ids=str,
)
async def test_a_cell_is_named_exactly_or_not_at_all(
    arguments: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, WHOLE)
    await desk.read()
    result = await desk.edit(new_source="x", **arguments)
    if code is None:
        assert "".join(desk.made["cells"][1]["source"]) == "x" or result.error is not None
    else:
        assert result.error is not None
        assert result.error.code == code
        assert len(result.text) < 1_000
        assert desk.file.read_bytes() == WHOLE.encode()


async def test_cells_of_an_empty_notebook_cannot_be_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path, json.dumps({**rich(), "cells": []}))
    await desk.read()
    for mode in ("replace", "insert", "delete"):
        result = await desk.edit(edit_mode=mode, cell_number=0, new_source="x")
        assert result.error is not None
        assert result.error.code == "INVALID_INPUT"
    assert (await desk.edit(edit_mode="insert", new_source="x")).ok


# ── what is shown ─────────────────────────────────────────────────────────────────────────────
def with_output(output: Any) -> str:
    return json.dumps({**rich(), "cells": [{**code_cell("run()", output), "id": "a"}]})


SHOWN = {
    "colours": (stream("\x1b[1;31mred\x1b[0m \x1b[38;5;208morange\x1b[0m"), ["red orange"]),
    "cursor": (stream("\x1b[2K\x1b[1Gdone\x1b[?25h"), ["done"]),
    "link": (stream("\x1b]8;;http://x.test\x1b\\here\x1b]8;;\x1b\\"), ["here"]),
    "progress": (stream("10 %\r50 %\r100 %\n"), ["100 %"]),
    "bell and nul": (stream("a\x07b\x00c"), ["a\\x07b\\x00c"]),
    "traceback": (ERROR, ["<ipython-input-1> in <module>", "ZeroDivisionError: division by zero"]),
    "error without trace": ({**ERROR, "traceback": []}, ["ZeroDivisionError: division by zero"]),
    "html alone": (display(text_html="<table>1</table>"), ["text/html", "<table>1</table>"]),
    "latex": (display(text_latex="$x$", text_html="<b>"), ["text/latex", "$x$"]),
    "svg": (display(**{"image_svg+xml": "<svg/>"}), ["image/svg+xml", "<svg/>"]),
    "widget": (display(**{"application_vnd.w+json": {"model_id": "m"}}), ["model_id"]),
    "javascript": (display(application_javascript="alert(1)"), ["alert(1)"]),
    "no picture": (display(image_png="not base64!"), ["image/png"]),
    "text as picture": (display(image_png=base64.b64encode(b"hello").decode()), ["image/png"]),
    "nothing": (display(), ["nothing"]),
    "marks of direction": (stream("a\u202eb"), ["a\\u202eb"]),
}


@pytest.mark.parametrize("name", SHOWN)
async def test_an_output_is_shown_as_harmless_text(name: str, tmp_path: Path) -> None:
    output, parts = SHOWN[name]
    result = await Desk(tmp_path, with_output(output)).read()
    for part in parts:
        assert part in result.text
    assert not {"\x1b", "\x07", "\0", "\r", "\u202e"} & set(result.text)


async def test_a_picture_is_attached_and_its_description_left_out(tmp_path: Path) -> None:
    output = display(image_png=PICTURE, text_plain="<Figure size 3x2>")
    result = await Desk(tmp_path, with_output(output)).read()
    (attachment,) = result.attachments
    assert (attachment.mime, attachment.data) == ("image/png", PICTURE)
    assert "<Figure" not in result.text


@pytest.mark.parametrize(
    "output",
    [
        stream("x" * 3_000_000),
        stream("line\n" * 400_000),
        display(text_html="<td>" * 500_000),
        display(application_json={"rows": [[1, 2, 3]] * 100_000}),
        {**ERROR, "traceback": ["frame\n" * 200] * 500},
    ],
    ids=["one line", "lines", "html", "json", "traceback"],
)
async def test_a_huge_output_is_cut_in_the_reading_and_gone_with_the_edit(
    output: Any, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, with_output(output))
    result = await desk.read()
    assert result.ok, result.text
    assert len(result.text) < 6_000
    assert "more characters" in result.text
    assert (await desk.edit(cell_number=0, new_source="x")).ok
    assert desk.file.stat().st_size < 3_000


async def test_a_source_with_everything_in_it_comes_back_as_it_was_given(tmp_path: Path) -> None:
    source = (
        'a = "\\n{}[],:\\"\t\u2028\u2029\x0c\x85"\r\nb\rc\n\n# नमस्ते 🎉\n\x1b[0m\\u0041 </script>'
    )
    for style in STYLES.values():
        desk = Desk(tmp_path, style(rich()))
        await desk.read(limit=0)
        assert (await desk.edit(cell_number=4, new_source=source)).ok
        assert "".join(desk.made["cells"][4]["source"]) == source
        assert is_valid(desk.made)


# ── anything at all ───────────────────────────────────────────────────────────────────────────
PATHS = [name for name in CHANGES if name != "nothing"]


@pytest.mark.torture
@examples(in_ci=120, in_torture=10_000)
@given(
    names=st.lists(st.sampled_from(PATHS), min_size=1, max_size=3),
    minor=st.integers(0, 5),
    style=st.sampled_from(sorted(STYLES)),
    edit=st.sampled_from(sorted(EDITS)),
)
async def test_several_faults_at_once_are_judged_as_the_reference_judges_them(
    tmp_path: Path, names: list[str], minor: int, style: str, edit: str
) -> None:
    made = rich(minor)
    for name in names:
        try:
            made = CHANGES[name](made)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # the place is gone by an earlier change
    desk = Desk(tmp_path, STYLES[style](made))
    before = desk.file.read_bytes()
    assert (await desk.read(limit=0)).ok
    result = await desk.edit(**{"new_source": "N", **EDITS[edit][0]})
    if result.ok:
        assert is_valid(made)
        assert is_valid(desk.made)
    else:
        assert desk.file.read_bytes() == before
        assert not is_valid(made) or len(made["cells"]) < 5
