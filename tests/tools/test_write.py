"""Write: whole files, new or instead of one that was read, with everything kept that belongs."""

import base64
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Approval, ApprovalAnswer, Mode, Permission, ToolCall, Toolkit, dialects, tools
from ankrcode.config.settings import ReadSettings, Settings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench, FakePerson
from ankrcode.tools.write import Write, WriteOutput
from swapper import Swapper
from torture import examples


def kit_in(folder: Path, **options: Any) -> Toolkit:
    return Toolkit(cwd=folder, mode="acceptEdits", **options)


def value_of(result: ToolResult) -> WriteOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), WriteOutput)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    assert result.error.suggestion
    return str(result.error.code)


async def replaced(path: Path, old: bytes, content: str, **arguments: Any) -> ToolResult:
    """The result of reading a file whole and then writing it."""
    path.write_bytes(old)
    kit = kit_in(path.parent)
    read = await kit.call("Read", file_path=str(path), limit=0, encoding="base64")
    assert read.ok, read.text
    return await kit.call("Write", file_path=str(path), content=content, **arguments)


# ── new files ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-020", "S0-021", "S4-179", "S4-181", "S1-053", "S3-055")
async def test_a_new_file_is_written_exactly_as_given_with_its_directories(tmp_path: Path) -> None:
    content = "roses\r\nare\nred – और नीला\n"
    result = await kit_in(tmp_path).call("Write", file_path="a/b/c.txt", content=content)
    path = tmp_path / "a" / "b" / "c.txt"
    assert path.read_bytes() == content.encode()
    size = len(content.encode())
    assert value_of(result) == WriteOutput(file_path=str(path), size=size, created=True)
    assert result.text == f"Created {path} (3 lines, {size} bytes)."


@pytest.mark.requirement("S2-010")
async def test_without_leave_to_make_directories_a_missing_one_is_an_error(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    result = await kit.call("Write", file_path="a/b/c.txt", content="x", create_dirs=False)
    assert code_of(result) == "FILE_NOT_FOUND"
    assert str(tmp_path / "a" / "b") in result.text
    assert list(tmp_path.iterdir()) == []


async def test_a_file_in_place_of_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    result = await kit_in(tmp_path).call("Write", file_path="a/b/c.txt", content="x")
    assert code_of(result) == "NOT_A_DIRECTORY"
    assert str(tmp_path / "a") in result.text


@pytest.mark.requirement("S2-009")
async def test_base64_writes_any_bytes(tmp_path: Path) -> None:
    content = bytes(range(256))
    text = base64.encodebytes(content).decode()  # with line breaks, as some send it
    result = await kit_in(tmp_path).call("Write", file_path="f", content=text, encoding="base64")
    assert (tmp_path / "f").read_bytes() == content
    assert value_of(result).size == 256


@pytest.mark.parametrize("content", ["?", "AAE", "ÄÖÜ="])
async def test_what_is_not_base64_is_refused(content: str, tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    result = await kit.call("Write", file_path="f", content=content, encoding="base64")
    assert code_of(result) == "INVALID_INPUT"
    assert list(tmp_path.iterdir()) == []


async def test_an_empty_file_can_be_written(tmp_path: Path) -> None:
    result = await kit_in(tmp_path).call("Write", file_path="f", content="")
    assert result.text == f"Created {tmp_path / 'f'} (0 lines, 0 bytes)."


# ── read before overwriting ───────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-022", "S4-062", "S1-011")
async def test_a_file_that_was_not_read_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("precious", encoding="utf-8")
    result = await kit_in(tmp_path).call("Write", file_path="f", content="x")
    assert code_of(result) == "NOT_READ"
    assert "Read it first" in result.text
    assert (tmp_path / "f").read_text(encoding="utf-8") == "precious"


@pytest.mark.requirement("S0-020", "S4-180")
async def test_a_file_that_was_read_is_overwritten(tmp_path: Path) -> None:
    result = await replaced(tmp_path / "f", b"one\ntwo\n", "three\n")
    assert (tmp_path / "f").read_bytes() == b"three\n"
    assert not value_of(result).created
    expected = f"Overwrote {tmp_path / 'f'} (2 lines before, 1 line now, 6 bytes)."
    assert result.text == expected


async def test_having_seen_a_part_is_not_enough(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("1\n2\n3\n4\n", encoding="utf-8")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="f", offset=2, limit=2)
    result = await kit.call("Write", file_path="f", content="x")
    assert code_of(result) == "NOT_READ"
    assert "in part only (lines 2 to 3)" in result.text
    await kit.call("Read", file_path="f", limit=0)
    assert (await kit.call("Write", file_path="f", content="x")).ok


async def test_a_change_since_the_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old\n", encoding="utf-8")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="f")
    status = (tmp_path / "f").stat()
    (tmp_path / "f").write_text("NEW\n", encoding="utf-8")
    os.utime(tmp_path / "f", ns=(status.st_atime_ns, status.st_mtime_ns))
    result = await kit.call("Write", file_path="f", content="x")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert (tmp_path / "f").read_text(encoding="utf-8") == "NEW\n"


async def test_our_own_write_counts_as_a_read_and_its_change_is_shown(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    for content in ("one\n", "two\n", "three\n"):
        assert (await kit.call("Write", file_path="f", content=content)).ok
    (tmp_path / "f").write_text("four\n", encoding="utf-8")
    result = await kit.call("Write", file_path="f", content="five\n")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert "-three\n+four" in result.text


async def test_the_same_content_again_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"same\r\n")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="f")
    before = (tmp_path / "f").stat()
    result = await kit.call("Write", file_path="f", content="same\n")
    assert "nothing was written" in result.text
    assert (tmp_path / "f").stat() == before
    assert not value_of(result).created


async def test_a_file_that_was_deleted_after_the_read_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="f")
    (tmp_path / "f").unlink()
    assert value_of(await kit.call("Write", file_path="f", content="new")).created


# ── what is kept ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"a\nb\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
        (b"a\rb\r", "x\ny\n", b"x\ry\r"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffx\n", b"\xef\xbb\xbfx\n"),
        ("é\n".encode("latin-1"), "ü\n", "ü\n".encode("latin-1")),
        ("\ufeffa\r\n".encode("utf-16-le"), "अ\n", "\ufeffअ\r\n".encode("utf-16-le")),
        ("日本語のテスト\r\n".encode("cp932"), "文字\n", "文字\r\n".encode("cp932")),
        (b"\0\1\2binary", "text\n", b"text\n"),
    ],
)
async def test_line_endings_mark_and_encoding_of_what_is_replaced_are_kept(
    old: bytes, content: str, new: bytes, tmp_path: Path
) -> None:
    assert (await replaced(tmp_path / "f", old, content)).ok
    assert (tmp_path / "f").read_bytes() == new


@pytest.mark.torture
@examples(in_ci=40, in_torture=2_000)
@given(
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    old=st.lists(st.text("abc अआ é 🎉", min_size=1), min_size=2, max_size=5),
    new=st.lists(st.text("xyz कख ü 🚀"), max_size=5),
)
async def test_any_text_keeps_the_form_of_the_file(
    encoding: str, newline: str, old: list[str], new: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "f"
    before = newline.join([*old, ""]).encode(encoding)
    assert (await replaced(path, before, "\n".join(["first line", *new]))).ok
    assert path.read_bytes() == newline.join(["first line", *new]).encode(encoding)


async def test_mode_and_hard_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    (tmp_path / "f").chmod(0o755)
    os.link(tmp_path / "f", tmp_path / "g")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="f")
    assert (await kit.call("Write", file_path="f", content="new")).ok
    assert (tmp_path / "g").read_bytes() == b"new"
    assert (tmp_path / "g").stat().st_mode & 0o777 == 0o755


async def test_a_letter_that_the_file_cannot_hold_is_refused_untouched(tmp_path: Path) -> None:
    old = "Größe\n".encode("latin-1")
    result = await replaced(tmp_path / "f", old, "Größe →\n")
    assert code_of(result) == "NOT_TEXT"
    assert (tmp_path / "f").read_bytes() == old


# ── where ─────────────────────────────────────────────────────────────────────────────────────
async def test_a_link_means_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    kit = kit_in(tmp_path)
    await kit.call("Read", file_path="link")
    result = await kit.call("Write", file_path="link", content="new")
    assert value_of(result).file_path == str(tmp_path / "real")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


async def test_a_link_out_of_the_workspace_is_asked_for_as_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "link").symlink_to("../outside")
    bench = Bench(Write, tmp_path / "work", mode="acceptEdits")
    result = await bench.run(file_path="link", content="x")
    assert not result.ok
    (asked,) = bench.asked
    assert str(tmp_path / "outside") in asked.reason
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".", "IS_A_DIRECTORY"),
        ("pipe", "INVALID_PATH"),
        ("/dev/null", "INVALID_PATH"),
        ("loop", "INVALID_PATH"),
        ("x" * 300, "INVALID_PATH"),
        ("a\0b", "INVALID_PATH"),
    ],
)
async def test_what_is_no_file_is_refused(path: str, code: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    result = await Bench(Write, tmp_path, mode="bypass").run(file_path=path, content="x")
    assert code_of(result) == code


@pytest.mark.requirement("S4-182", "S3-055")
def test_it_writes_and_is_neither_read_only_nor_safe() -> None:
    tool = Write()
    assert tool.permission is Permission.WRITE
    assert not tool.is_read_only
    assert not tool.is_concurrency_safe(
        msgspec.convert({"file_path": "f", "content": ""}, Write.input)
    )


@pytest.mark.requirement("S4-063")
@pytest.mark.parametrize("name", ["Edit", "Write"])
def test_models_are_told_to_prefer_edits_and_to_add_nothing_unasked(name: str) -> None:
    (told,) = (one.description for one in tools.definitions().values() if one.name == name)
    for word in ("prefer", "documents", "emojis", "asked"):
        assert word in told.casefold()


async def asked_for(folder: Path, **arguments: Any) -> Approval:
    """What the person is asked before a file that was read is written."""
    person = FakePerson()
    kit = Toolkit(
        cwd=folder, approve=person, settings=Settings(read=ReadSettings(max_tokens=10**8))
    )
    await kit.call("Read", file_path=str(arguments["file_path"]), limit=0)
    await kit.call("Write", arguments)
    (asked,) = person.asked
    return asked


# ── asking ────────────────────────────────────────────────────────────────────────────────────
async def test_the_person_sees_a_diff_first(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\ntwo\n", encoding="utf-8")
    asked = await asked_for(tmp_path, file_path="f", content="one\nthree\n")
    assert asked.preview is not None
    assert asked.preview.format == "diff"
    assert "-two\n+three" in asked.preview.body
    assert asked.acts.writes_files == (str(tmp_path / "f"),)


async def test_the_preview_of_something_large_is_short(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"line\n" * 7_000)
    for name, content in (("f", "x"), ("g", "".join(f"{n}\n" for n in range(100_000)))):
        asked = await asked_for(tmp_path, file_path=name, content=content)
        assert asked.preview is not None
        assert len(asked.preview.body) < 20_000
        assert asked.preview.body


async def test_edited_content_is_what_is_written(tmp_path: Path) -> None:
    edited = ApprovalAnswer(approved=True, arguments={"file_path": "g", "content": "mine"})
    result = await Bench(Write, tmp_path, answers=[edited]).run(file_path="f", content="yours")
    assert result.ok
    assert [one.name for one in tmp_path.iterdir()] == ["g"]
    assert (tmp_path / "g").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.DONT_ASK])
async def test_modes_that_write_nothing_write_nothing(mode: Mode, tmp_path: Path) -> None:
    result = await Bench(Write, tmp_path, mode=mode).run(file_path="f", content="x")
    assert code_of(result) == "PERMISSION_DENIED"
    assert list(tmp_path.iterdir()) == []


# ── beside others ─────────────────────────────────────────────────────────────────────────────
async def test_writes_and_reads_of_one_file_keep_their_order(tmp_path: Path) -> None:
    calls = [
        ToolCall(name="Write", arguments={"file_path": "f", "content": "one\n"}),
        ToolCall(name="Read", arguments={"file_path": "f"}),
        ToolCall(name="Write", arguments={"file_path": "f", "content": "two\n"}),
        ToolCall(name="Read", arguments={"file_path": str(tmp_path / "f")}),
    ]
    results = await kit_in(tmp_path).call_all(calls)
    assert all(one.ok for one in results), [one.text for one in results]
    assert "one" in results[1].text
    assert "two" in results[3].text


async def test_a_file_that_appears_in_the_last_moment_is_not_overwritten(tmp_path: Path) -> None:
    class Late(Write):
        async def validate(self, args: Any, ctx: Any) -> None:
            await super().validate(args, ctx)
            (tmp_path / "f").write_bytes(b"theirs")

    result = await Bench(Late, tmp_path, mode="bypass").run(file_path="f", content="ours")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert (tmp_path / "f").read_bytes() == b"theirs"


async def test_five_hundred_writes_against_a_swapper_put_no_byte_outside(tmp_path: Path) -> None:
    """The place that is written is the place that was judged, whoever moves links meanwhile."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "in").mkdir(parents=True)
    outside.mkdir()
    with Swapper(work / "in", outside) as swapper:
        kit = kit_in(work)
        for number in range(500):
            where = f"in/{number}"
            await kit.call("Write", file_path=where, content="x", create_dirs=False)
    assert swapper.swaps
    assert list((work / "in").iterdir()) != []
    assert list(outside.iterdir()) == []


# ── as spec 2 says it ─────────────────────────────────────────────────────────────────────────
WORKSPACE = dialects.load("workspace")


async def write_file(kit: Toolkit, **arguments: Any) -> dict[str, Any]:
    return await kit.call_in(WORKSPACE, ToolCall(name="write_file", arguments=arguments))


@pytest.mark.requirement("S2-058", "S2-009", "S2-011", "S2-012")
async def test_write_file_of_a_new_file_needs_no_approval_where_edits_are_accepted(
    tmp_path: Path,
) -> None:
    kit = kit_in(tmp_path)
    reply = await write_file(kit, path="f", content="AP8=", encoding="base64")
    assert reply == {"ok": True, "value": {"path": str(tmp_path / "f"), "size": 2}}


@pytest.mark.requirement("S2-010")
async def test_write_file_makes_parents_only_with_create_dirs(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    refused = await write_file(kit, path="a/f", content="x")
    assert (refused["ok"], refused["error"]["code"]) == (False, "FILE_NOT_FOUND")
    assert (await write_file(kit, path="a/f", content="x", createDirs=True))["ok"]
    definition = next(
        one for one in kit.definitions("anthropic", WORKSPACE) if one["name"] == "write_file"
    )
    assert definition["input_schema"]["properties"]["createDirs"]["default"] is False


@pytest.mark.requirement("S2-013")
async def test_overwriting_by_write_file_is_confirmed(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old", encoding="utf-8")
    asked = []

    async def person(approval: Any) -> ApprovalAnswer:
        asked.append(approval)
        return YES

    kit = Toolkit(cwd=tmp_path, approve=person)
    assert (await kit.call("Read", file_path="f")).ok
    assert (await write_file(kit, path="f", content="new"))["ok"]
    assert len(asked) == 1
