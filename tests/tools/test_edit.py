"""Edit: exact or the one place that is meant, all or nothing, and never over what nobody read."""

# ruff: noqa: E501 - tables are easier to read in one piece

import asyncio
import difflib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import ApprovalAnswer, ToolCall, Toolkit, dialects, tools
from ankrcode.config.limits import EDIT_MAX_EDITS
from ankrcode.config.settings import EditSettings, Settings, UndoSettings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import NO, YES, FakePerson
from ankrcode.tools.edit import Edit, EditInput, EditOutput
from ankrcode.workspace.reads import ReadRecord, version_of
from people import ordinary_person
from torture import examples


class Desk:
    """A folder with one file, and an agent that may edit it."""

    def __init__(self, folder: Path, content: str | bytes = b"", name: str = "a.txt", **kit: Any):
        self.folder = folder
        self.file = folder / name
        self.file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.kit = Toolkit(cwd=folder, **{"mode": "acceptEdits", **kit})

    async def read(self, **window: int) -> "Desk":
        result = await self.kit.call("Read", file_path=self.file.name, **window)
        assert result.ok, result.text
        return self

    async def edit(self, old: str, new: str, **more: Any) -> ToolResult:
        arguments = {"old_string": old, "new_string": new, **more}
        return await self.kit.call("Edit", file_path=self.file.name, **arguments)

    async def edits(self, *steps: tuple[str, str]) -> ToolResult:
        edits = [{"old_string": old, "new_string": new} for old, new in steps]
        return await self.kit.call("Edit", file_path=self.file.name, edits=edits)

    @property
    def content(self) -> bytes:
        return self.file.read_bytes()


async def desk(folder: Path, content: str | bytes, name: str = "a.txt", **kit: Any) -> Desk:
    return await Desk(folder, content, name, **kit).read()


def value_of(result: ToolResult) -> EditOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), EditOutput)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return str(result.error.code)


# ── what it does ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-023", "S0-026", "S0-160", "S4-172", "S1-071", "S3-056")
async def test_the_text_is_replaced_and_the_reply_shows_the_change(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\ntwo\nthree\n")
    result = await on.edit("two", "2")
    assert on.content == b"one\n2\nthree\n"
    path = str(on.file)
    assert result.text == (
        f"Replaced 1 occurrence(s) in {path}\n"
        f"--- {path}\n+++ {path}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    )
    value = value_of(result)
    assert (value.file_path, value.replaced, value.created) == (path, 1, False)
    assert result.metadata.pop("change_id")
    assert result.metadata == {"replaced": 1, "strategies": ["exact"]}


@pytest.mark.requirement("S0-160", "S4-176", "S0-026")
async def test_replace_all_changes_every_occurrence_and_counts_them(tmp_path: Path) -> None:
    on = await desk(tmp_path, "x = x + xx\n")
    result = await on.edit("x", "y", replace_all=True)
    assert on.content == b"y = y + yy\n"
    assert "Replaced 4 occurrence(s)" in result.text


@pytest.mark.requirement("S0-025", "S4-175")
async def test_text_that_is_not_unique_is_counted_with_its_lines_and_both_remedies(
    tmp_path: Path,
) -> None:
    on = await desk(tmp_path, "x\ny\nx\nx\n")
    result = await on.edit("x", "z")
    assert code_of(result) == "TEXT_NOT_UNIQUE"
    assert "occurs 3 times" in result.text
    assert "at lines 1, 3, 4" in result.text
    assert "Add lines around it" in result.text
    assert "replace_all" in result.text
    assert on.content == b"x\ny\nx\nx\n"


@pytest.mark.requirement("S0-024", "S4-173")
async def test_text_that_is_absent_shows_the_closest_block_and_the_cause(tmp_path: Path) -> None:
    on = await desk(tmp_path, "def f():\n\treturn 1\n")
    result = await on.edit("def f():\n    return 2\n", "x")
    assert code_of(result) == "TEXT_NOT_FOUND"
    assert "old_string not found in file" in result.text
    assert "closest block is lines 1 to 2" in result.text
    assert "the file has a tab, old_string has a space (tabs against spaces)" in result.text
    assert result.text.endswith("     1\tdef f():\n     2\t\treturn 1")
    assert on.content == b"def f():\n\treturn 1\n"


@pytest.mark.requirement("S4-060")
async def test_the_same_text_twice_is_refused(tmp_path: Path) -> None:
    on = await desk(tmp_path, "x\n")
    result = await on.edit("x", "x")
    assert code_of(result) == "INVALID_INPUT"
    assert "nothing to change" in result.text


@pytest.mark.parametrize("new", ["$&", "$1", r"\1", r"\g<0>", "\\", "%(x)s", "${x}"])
async def test_nothing_in_the_replacement_is_special(new: str, tmp_path: Path) -> None:
    on = await desk(tmp_path, "a x b\n")
    await on.edit("x", new)
    assert on.content == f"a {new} b\n".encode()


@pytest.mark.requirement("S0-028")
async def test_indentation_is_kept_exactly(tmp_path: Path) -> None:
    on = await desk(tmp_path, "def f():\n\tif x:\n\t    y()\n")
    await on.edit("\t    y()", "\t    z()")
    assert on.content == b"def f():\n\tif x:\n\t    z()\n"


# ── several edits ─────────────────────────────────────────────────────────────────────────────
async def test_edits_follow_one_another_on_the_running_text(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\ntwo\n")
    result = await on.edits(("one", "1"), ("1\ntwo", "1\n2"), ("2", "2!"))
    assert on.content == b"1\n2!\n"
    assert value_of(result).replaced == 3
    assert result.text.count("@@ -") == 1


async def test_if_one_edit_fails_none_is_made_and_it_is_named(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\ntwo\n")
    before = on.file.stat()
    result = await on.edits(("one", "1"), ("three", "3"))
    assert code_of(result) == "TEXT_NOT_FOUND"
    assert "edits[1].old_string" in result.text
    assert on.content == b"one\ntwo\n"
    assert on.file.stat().st_mtime_ns == before.st_mtime_ns


async def test_a_text_that_an_earlier_edit_of_the_call_replaced_is_told_as_such(
    tmp_path: Path,
) -> None:
    on = await desk(tmp_path, "one\ntwo\n")
    result = await on.edits(("one", "1"), ("one", "uno"))
    assert "was there before the earlier edits of this call" in result.text


async def test_each_edit_may_replace_all(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a b a\n")
    edits = [{"old_string": "a", "new_string": "x", "replace_all": True}]
    result = await on.kit.call("Edit", file_path="a.txt", edits=edits)
    assert value_of(result).replaced == 2
    assert on.content == b"x b x\n"


async def test_edits_follow_the_first_replacement_of_the_call(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one two one\n")
    more = [{"old_string": "1 two", "new_string": "12"}]
    result = await on.kit.call(
        "Edit", file_path="a.txt", old_string="one", new_string="1", replace_all=True, edits=more
    )
    assert (value_of(result).replaced, on.content) == (3, b"12 1\n")


async def test_edits_that_cancel_each_other_out_are_refused(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a\n")
    result = await on.edits(("a", "b"), ("b", "a"))
    assert "leave" in result.text
    assert not result.ok


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "'old_string' is required"),
        ({"old_string": "a"}, "'new_string' is required"),
        ({"new_string": "a"}, "'old_string' is required"),
        ({"edits": []}, "'old_string' is required"),
        ({"edits": [{"old_string": "a", "new_string": "b"}], "old_string": "a"}, "'new_string' is"),
        ({"edits": [{"old_string": "a"}]}, "'edits[0].new_string' is required"),
        ({"edits": [{"old_string": "a", "new_string": "b", "x": 1}]}, "'edits[0].x' is not a parameter"),
        ({"old_string": 1, "new_string": "b"}, "'old_string' must be"),
    ],
)  # fmt: skip
@pytest.mark.requirement("S0-023", "S4-172")
async def test_a_call_of_the_wrong_shape_is_refused_before_anyone_is_asked(
    arguments: dict[str, Any], said: str, tmp_path: Path
) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, "a\n", mode="default", approve=person)
    result = await on.kit.call("Edit", file_path="a.txt", **arguments)
    assert code_of(result) == "INVALID_INPUT"
    assert said in result.text
    assert not person.asked


async def test_more_edits_than_the_limit_are_refused(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a\n")
    result = await on.edits(*[("a", "b")] * (EDIT_MAX_EDITS + 1))
    assert code_of(result) == "INVALID_INPUT"


# ── new and empty files ───────────────────────────────────────────────────────────────────────
async def test_an_empty_old_string_makes_a_new_file_and_its_folders(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    result = await kit.call("Edit", file_path="x/y/new.txt", old_string="", new_string="hi\n")
    assert (tmp_path / "x/y/new.txt").read_text(encoding="utf-8") == "hi\n"
    assert value_of(result).created
    assert result.text.startswith(f"Created {tmp_path}/x/y/new.txt")
    again = await kit.call("Edit", file_path="x/y/new.txt", old_string="hi", new_string="ho")
    assert again.ok, "what was just written counts as read"


async def test_an_empty_old_string_fills_an_empty_file(tmp_path: Path) -> None:
    on = Desk(tmp_path, "")
    result = await on.edit("", "hi\n")
    assert on.content == b"hi\n"
    assert not value_of(result).created


async def test_an_empty_old_string_never_replaces_text(tmp_path: Path) -> None:
    on = await desk(tmp_path, "text\n")
    result = await on.edit("", "hi\n")
    assert code_of(result) == "INVALID_INPUT"
    assert "only fills an empty or new file" in result.text
    assert on.content == b"text\n"


@pytest.mark.parametrize("old", ["a", ""])
async def test_a_folder_is_refused(old: str, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    result = await kit.call("Edit", file_path=".", old_string=old, new_string="b")
    assert code_of(result) == "IS_A_DIRECTORY"


async def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    Desk(tmp_path, "x", "settings.toml")
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    result = await kit.call("Edit", file_path="setings.toml", old_string="a", new_string="b")
    assert code_of(result) == "FILE_NOT_FOUND"
    assert "settings.toml" in result.text


# ── read before edit ──────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-027", "S4-017", "S4-174")
async def test_a_file_that_was_not_read_is_refused(tmp_path: Path) -> None:
    on = Desk(tmp_path, "a\n")
    result = await on.edit("a", "b")
    assert code_of(result) == "NOT_READ"
    assert result.text.startswith("Must read file before editing")
    assert result.error is not None
    assert result.error.details["path"] == str(on.file)
    assert on.content == b"a\n"


async def test_a_file_changed_outside_is_refused_with_what_changed(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\ntwo\n")
    on.file.write_text("one\nTWO\n", encoding="utf-8")
    result = await on.edit("two", "2")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert "-two\n+TWO" in result.text
    assert "was there when the file was read" in result.text
    assert on.content == b"one\nTWO\n"
    assert (await (await on.read()).edit("TWO", "2")).ok


async def test_a_change_that_keeps_size_and_time_is_noticed(tmp_path: Path) -> None:
    for old in ("two", "TWO"):
        on = await desk(tmp_path, "one\ntwo\n")
        times = on.file.stat()
        on.file.write_text("one\nTWO\n", encoding="utf-8")
        os.utime(on.file, ns=(times.st_atime_ns, times.st_mtime_ns))
        result = await on.edit(old, "2")
        assert code_of(result) == "CHANGED_SINCE_READ"
        assert on.content == b"one\nTWO\n"


async def test_a_file_that_was_only_touched_is_still_known(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\n")
    os.utime(on.file, (1, 1))
    assert (await on.edit("one", "1")).ok
    assert on.content == b"1\n"


async def test_a_file_that_vanished_is_named(tmp_path: Path) -> None:
    on = await desk(tmp_path, "one\n")
    on.file.unlink()
    assert code_of(await on.edit("one", "1")) == "FILE_NOT_FOUND"


async def test_our_own_edits_refresh_what_is_known(tmp_path: Path) -> None:
    on = await desk(tmp_path, "0\n")
    for number in range(5):
        assert (await on.edit(f"{number}", f"{number + 1}")).ok
    assert on.content == b"5\n"


async def test_an_edit_that_was_made_before_says_so(tmp_path: Path) -> None:
    on = await desk(tmp_path, "colour = red\n")
    assert (await on.edit("colour = red", "colour = blue")).ok
    result = await on.edit("colour = red", "colour = blue")
    assert "new_string is already there, at line 1" in result.text


LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("line 5\n", "LINE 5\n"),
        ("line 8", "LINE 8"),
        ("line 5\nline 6\nline 7\nline 8\n", "x\n"),
        ("\nline 5\n", "\nfive\n"),
        ("line 6", "line 6\nmore\nmore"),
    ],
)
async def test_a_partial_read_allows_edits_of_the_lines_it_showed(
    old: str, new: str, tmp_path: Path
) -> None:
    on = await Desk(tmp_path, LINES).read(offset=5, limit=4)
    result = await on.edit(old, new)
    assert result.ok, result.text
    assert on.content.decode() == LINES.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "first", "last"),
    [("line 4\n", 4, 4), ("line 9\n", 9, 9), ("line 8\nline 9\n", 8, 9), ("line 20", 20, 20)],
)
async def test_a_partial_read_covers_no_other_lines(
    old: str, first: int, last: int, tmp_path: Path
) -> None:
    on = await Desk(tmp_path, LINES).read(offset=5, limit=4)
    result = await on.edit(old, "x")
    assert code_of(result) == "NOT_READ"
    assert result.error is not None
    assert (result.error.details["first"], result.error.details["last"]) == (first, last)
    assert f"offset {first} and limit {last - first + 1}" in result.text
    assert "lines 5 to 8" in result.text
    assert on.content.decode() == LINES


async def test_replace_all_needs_all_its_places_to_have_been_read(tmp_path: Path) -> None:
    on = await Desk(tmp_path, LINES).read(offset=5, limit=4)
    assert code_of(await on.edit("line", "LINE", replace_all=True)) == "NOT_READ"


async def test_after_an_edit_the_window_of_known_lines_grows_and_shrinks_with_it(
    tmp_path: Path,
) -> None:
    on = await Desk(tmp_path, LINES).read(offset=5, limit=4)
    assert (await on.edit("line 6\n", "line 6\nnew a\nnew b\n")).ok
    record = on.kit.agent.reads.get(str(on.file))
    assert record is not None
    assert (record.offset, record.limit) == (5, 6)
    assert (await on.edit("line 8\n", "eight\n")).ok
    assert code_of(await on.edit("line 9\n", "nine\n")) == "NOT_READ"


# ── ranked matching ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("content", "old", "new", "after", "strategy"),
    [
        ("a\r\nb\r\n", "a\nb\n", "a\nc\n", "a\r\nc\r\n", "line endings"),
        ("a  \nb\n", "a\nb\n", "a\nc\n", "a  \nc\n", "trailing blanks"),
        ("a\nb\n", "     2\tb", "     2\tc", "a\nc\n", "line-number prefixes"),
        ("“a” b\n", '"a" b', '"a" c', "“a” c\n", "Unicode look-alikes"),
        ("\tif a:\n\t\tb\n", "  if a:\n    b\n", "  if a:\n    c\n", "\tif a:\n\t\tc\n", "indentation"),
        ("f(a,b)\ng()\nh()\n", "f(a, b)\ng()\nh()\n", "f(a, b)\ng()\ni()\n", "f(a,b)\ng()\ni()\n", "similarity"),
    ],
)  # fmt: skip
@pytest.mark.requirement("S0-024", "S4-173")
async def test_the_reply_says_how_the_place_was_found(
    content: str, old: str, new: str, after: str, strategy: str, tmp_path: Path
) -> None:
    on = await desk(tmp_path, content)
    result = await on.edit(old, new)
    assert on.content.decode() == after
    assert f"The exact text was not there; it matched without regard to {strategy}." in result.text
    assert result.metadata["strategies"] == [strategy]
    assert value_of(result).strategies == [strategy]


async def test_the_exact_setting_refuses_them(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a\r\nb\r\n", settings=Settings(edit=EditSettings(match="exact")))
    result = await on.edit("a\nb\n", "a\nc\n")
    assert code_of(result) == "TEXT_NOT_FOUND"
    assert "The file has CRLF line endings, old_string has LF" in result.text


@pytest.mark.parametrize("setting", ["ranked", "exact"])
@pytest.mark.parametrize(
    ("dialect", "is_exact"), [("ankrcode", True), ("claude", False)], ids=["spec-0", "spec-4"]
)
async def test_the_dialect_of_spec_0_matches_exactly_whatever_the_setting_says(
    dialect: str, is_exact: bool, setting: Literal["exact", "ranked"], tmp_path: Path
) -> None:
    settings = Settings(edit=EditSettings(match=setting))
    on = await desk(tmp_path, "a  \nb\n", settings=settings)
    arguments = {"file_path": "a.txt", "old_string": "a\nb\n", "new_string": "a\nc\n"}
    call = ToolCall(name="Edit", arguments=arguments)
    reply = await on.kit.call_in(dialects.load(dialect), call)
    if is_exact or setting == "exact":
        assert not reply["success"]
        assert reply["error"].startswith("old_string not found in file")
        assert on.content == b"a  \nb\n"
    else:
        assert reply["success"]
        assert on.content == b"a  \nc\n"
    exact = ToolCall(name="Edit", arguments={**arguments, "old_string": "a  \n"})
    assert (await on.kit.call_in(dialects.load(dialect), exact))["success"]


async def test_a_dialect_changes_the_settings_of_its_own_calls_only(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a  \nb\n")
    arguments = {"file_path": "a.txt", "old_string": "a\nb\n", "new_string": "a\nc\n"}
    call = ToolCall(name="Edit", arguments=arguments)
    refused, made = await asyncio.gather(
        on.kit.call_in(dialects.load("ankrcode"), call), on.kit.call("Edit", arguments)
    )
    assert not refused["success"]
    assert made.ok, made.text


async def test_a_loose_match_at_two_places_is_refused(tmp_path: Path) -> None:
    on = await desk(tmp_path, "\tx()\n\t\tx()\n")
    result = await on.edit("   x()\n", "   y()\n")
    assert code_of(result) == "TEXT_NOT_UNIQUE"
    assert "without regard to indentation it matches 2 places, at lines 1, 2" in result.text


# ── what survives ─────────────────────────────────────────────────────────────────────────────
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8": lambda text: text.encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-32": lambda text: b"\xff\xfe\0\0" + text.encode("utf-32-le"),
}
TEXTS = {
    "lf": ("one\ntwo\nthree\n", "one\n2\nmore\nthree\n"),
    "crlf": ("one\r\ntwo\r\nthree\r\n", "one\r\n2\r\nmore\r\nthree\r\n"),
    "no-final-newline": ("one\ntwo", "one\n2\nmore"),
    "mixed": ("one\r\ntwo\nthree\r\n", "one\r\n2\nmore\nthree\r\n"),
    "tabs": ("\tone\n\ttwo\n", "\tone\n\t2\nmore\n"),
    "hindi": ("नमस्ते\ntwo\n", "नमस्ते\n2\nmore\n"),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize(("before", "after"), TEXTS.values(), ids=TEXTS)
async def test_line_endings_byte_order_mark_and_encoding_survive(
    encode: Callable[[str], bytes], before: str, after: str, tmp_path: Path
) -> None:
    on = await desk(tmp_path, encode(before))
    assert (await on.edit("two", "2\nmore")).ok
    assert on.content == encode(after)


async def test_mode_and_hard_links_survive(tmp_path: Path) -> None:
    on = Desk(tmp_path, "a\n", "run.sh")
    on.file.chmod(0o751)
    (tmp_path / "other").hardlink_to(on.file)
    await on.read()
    assert (await on.edit("a", "b")).ok
    assert on.file.stat().st_mode & 0o777 == 0o751
    assert (tmp_path / "other").read_bytes() == b"b\n"


async def test_a_link_is_written_through_to_its_target(tmp_path: Path) -> None:
    on = Desk(tmp_path, "a\n")
    (tmp_path / "link.txt").symlink_to("a.txt")
    await on.read()
    assert (await on.kit.call("Edit", file_path="link.txt", old_string="a", new_string="b")).ok
    assert (tmp_path / "link.txt").is_symlink()
    assert on.content == b"b\n"


async def test_a_character_that_the_encoding_cannot_hold_is_refused(tmp_path: Path) -> None:
    text = "Le cœur a ses raisons que la raison ne connaît point. Déjà vu, été, garçon.\n" * 9
    on = await desk(tmp_path, text.encode("cp1252"))
    result = await on.edit(text[:75], "क")
    assert not result.ok
    assert on.content == text.encode("cp1252")


async def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    on = Desk(tmp_path, b"\x89PNG\0\0\0\0")
    path = str(on.file)
    version = version_of(path)
    assert version is not None
    on.kit.agent.reads.record(path, ReadRecord(version=version))
    assert code_of(await on.edit("PNG", "GIF")) == "NOT_TEXT"


async def test_a_file_that_may_not_be_written_is_left_alone(tmp_path: Path) -> None:
    on = Desk(tmp_path, "a\n")
    on.file.chmod(0o444)
    with ordinary_person(tmp_path):
        await on.read()
        assert code_of(await on.edit("a", "b")) == "PERMISSION_DENIED"
    assert on.content == b"a\n"
    assert sorted(tmp_path.iterdir()) == [on.file]


async def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    on = Desk(tmp_path, "")
    with on.file.open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    path = str(on.file)
    version = version_of(path)
    assert version is not None
    on.kit.agent.reads.record(path, ReadRecord(version=version))
    assert code_of(await on.edit("a", "b")) == "TOO_LARGE"


# ── syntax ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "content", "old", "new"),
    [
        ("a.py", "x = (1)\n", "1)", "1"),
        ("a.json", '{"a": 1}\n', "1}", "1"),
        ("a.toml", "a = 1\n", "1", "["),
        ("a.yaml", "a: 1\n", "1", "[1"),
    ],
)
async def test_a_file_that_no_longer_parses_is_written_with_a_warning(
    name: str, content: str, old: str, new: str, tmp_path: Path
) -> None:
    on = await desk(tmp_path, content, name)
    result = await on.edit(old, new)
    assert on.content.decode() == content.replace(old, new)
    assert f"Warning: {on.file} could be parsed before and no longer can" in result.text
    assert result.metadata["warning"] == value_of(result).warning
    mended = await on.edit(new, old)
    assert "Warning" not in mended.text


# ── permission ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-178")
def test_edit_writes_and_is_neither_read_only_nor_safe() -> None:
    tool = Edit()
    assert not tool.is_read_only
    assert not tool.is_concurrency_safe(EditInput(file_path="a", old_string="a", new_string="b"))
    assert tool.permission == "write"


async def test_a_person_who_is_asked_sees_the_diff(tmp_path: Path) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, "one\ntwo\n", mode="default", approve=person)
    assert (await on.edit("two", "2")).ok
    (approval,) = person.asked
    assert approval.preview is not None
    assert approval.preview.format == "diff"
    assert "-two\n+2" in approval.preview.body
    assert approval.acts.writes_files == (str(on.file),)


async def test_nobody_is_asked_about_an_edit_that_cannot_be_made(tmp_path: Path) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, "one\n", mode="default", approve=person)
    assert code_of(await on.edit("two", "2")) == "TEXT_NOT_FOUND"
    assert not person.asked


async def test_outside_the_workspace_nothing_is_told_before_the_person_agreed(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret\n", encoding="utf-8")
    for answer, code in ((NO, "PERMISSION_DENIED"), (YES, "NOT_READ")):
        person = FakePerson([answer])
        kit = Toolkit(cwd=tmp_path / "work", mode="acceptEdits", approve=person)
        result = await kit.call("Edit", file_path=str(secret), old_string="a", new_string="b")
        assert code_of(result) == code
        assert len(person.asked) == 1


async def test_edited_arguments_are_what_is_written(tmp_path: Path) -> None:
    other = {"file_path": "a.txt", "old_string": "one", "new_string": "uno"}
    person = FakePerson([ApprovalAnswer(approved=True, arguments=other)])
    on = await desk(tmp_path, "one\n", mode="default", approve=person)
    assert (await on.edit("one", "1")).ok
    assert on.content == b"uno\n"


@pytest.mark.requirement("S4-061", "S4-063", "S4-177")
def test_the_description_teaches_what_goes_wrong_most() -> None:
    text = tools.definitions()["edit"].description
    assert "line number and the tab after it are no part of the text" in text
    assert "Prefer this to writing a whole file" in text
    assert "emojis" in text
    assert "absolute, or relative" in text
    assert "replace_all" in text
    assert len(text.split()) <= 250


# ── from any text to any text ─────────────────────────────────────────────────────────────────
LINE = st.sampled_from(["a", "b", "  a", "\tb", "", "क", "x = '1'", "}"])


@st.composite
def two_texts(draw: st.DrawFn) -> tuple[str, str]:
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    lines = st.lists(st.tuples(LINE, st.sampled_from(ends)).map("".join), max_size=10).map("".join)
    last = st.sampled_from(["", "", "end"])
    return draw(lines) + draw(last), draw(lines) + draw(last)


def edits_between(one: str, other: str) -> list[tuple[str, str]]:
    """Edits with as many lines around each as make it unique, the last place first."""
    old, new = one.splitlines(keepends=True), other.splitlines(keepends=True)
    running = list(old)
    edits: list[tuple[str, str]] = []
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in reversed(codes):
        if tag == "equal":
            continue
        above, below = i1, i2
        while True:
            part = "".join(running[above:below])
            if part and occurs_once("".join(running), part):
                break
            if above == 0 and below == len(running):
                break
            above, below = max(0, above - 1), min(len(running), below + 1)
        changed = [*running[above:i1], *new[j1:j2], *running[i2:below]]
        edits.append((part, "".join(changed)))
        running[above:below] = changed
        running = "".join(running).splitlines(keepends=True)
    return edits


def occurs_once(text: str, part: str) -> bool:
    first = text.find(part)
    return first >= 0 and text.find(part, first + 1) < 0


@pytest.mark.torture
@examples(in_ci=60, in_torture=600)
@given(texts=two_texts(), encoding=st.sampled_from(sorted(ENCODINGS)))
async def test_edits_from_any_text_to_any_other_give_exactly_the_other(
    texts: tuple[str, str], encoding: str, tmp_path: Path
) -> None:
    one, other = texts
    steps = edits_between(one, other)
    if not steps:
        return
    encode = ENCODINGS[encoding]
    on = Desk(tmp_path, encode(one))
    await on.read()
    together = await on.edits(*steps)
    assert together.ok, (one, other, steps, together.text)
    assert on.content == encode(other)

    on = await Desk(tmp_path, encode(one)).read()
    for old, new in steps:
        if old != new:
            result = await on.edit(old, new)
            assert result.ok, (one, other, old, new, result.text)
    assert on.content == encode(other)


# ── cost ──────────────────────────────────────────────────────────────────────────────────────
async def test_a_large_file_is_edited_in_a_few_times_what_plain_python_takes(
    tmp_path: Path,
) -> None:
    text = "".join(f"line {number} of a file that is large\n" for number in range(260_000))
    on = Desk(tmp_path, text, settings=Settings(undo=UndoSettings(enabled=False)))
    path = str(on.file)
    ratios: list[float] = []
    for number in range(5):
        version = version_of(path)
        assert version is not None
        on.kit.agent.reads.record(path, ReadRecord(version=version))
        old, new = f"line {130_000 + number} of", f"LINE {number} of"
        started = time.perf_counter()
        assert (await on.edit(old, new)).ok
        ours = time.perf_counter() - started
        started = time.perf_counter()
        replaced_plainly(on.file, new, f"line {number} again of")
        ratios.append(ours / (time.perf_counter() - started))
    assert min(ratios) < 3, ratios


def replaced_plainly(file: Path, old: str, new: str) -> None:
    content = file.read_bytes().decode().replace(old, new, 1).encode()
    temporary = file.with_suffix(".tmp")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)


async def test_a_text_that_is_not_in_a_large_file_is_refused_in_bounded_time(
    tmp_path: Path,
) -> None:
    text = "".join(f"line {number} of a file that is large\n" for number in range(100_000))
    on = Desk(tmp_path, text)
    path = str(on.file)
    version = version_of(path)
    assert version is not None
    on.kit.agent.reads.record(path, ReadRecord(version=version))
    started = time.perf_counter()
    block = "".join(f"line {number} of a file that is LARGE\n" for number in range(500, 700))
    assert code_of(await on.edit(block, "x")) == "TEXT_NOT_FOUND"
    assert time.perf_counter() - started < 5
