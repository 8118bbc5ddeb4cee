"""Read: numbered text, windows of it, what is not text, and what is not a file."""

import base64
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import ToolCall, Toolkit
from ankrcode.config.settings import ReadSettings, Settings
from ankrcode.dialects import load
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tools.read import Read, ReadInput, ReadOutput
from ankrcode.workspace.documents.views import BASE64_BYTES
from tools.privileges import without_privileges


def value_of(result: ToolResult) -> ReadOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ReadOutput)


async def read(folder: Path, content: bytes | str, **arguments: Any) -> ToolResult:
    """Write the content to a file and read it."""
    data = content.encode() if isinstance(content, str) else content
    (folder / "a.txt").write_bytes(data)
    return await Bench(Read, folder).run(file_path="a.txt", **arguments)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return str(result.error.code)


# ── the form ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-012", "S0-014", "S0-202", "S1-033", "S3-054", "S4-051", "S4-164")
async def test_lines_come_numbered_from_one_as_cat_n_shows_them(tmp_path: Path) -> None:
    result = await read(tmp_path, "alpha\nbeta\n")
    assert result.text == "     1\talpha\n     2\tbeta"
    assert value_of(result).content == "alpha\nbeta\n"


@pytest.mark.requirement("S0-015")
async def test_the_number_is_followed_by_a_tab_and_keeps_six_places(tmp_path: Path) -> None:
    result = await read(tmp_path, "x\n" * 100_000, offset=99_999, limit=2)
    assert result.text == " 99999\tx\n100000\tx"


@pytest.mark.requirement("S2-007")
async def test_the_value_tells_size_and_time_of_change(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("नमस्ते\n".encode())
    os.utime(tmp_path / "a.txt", (1_700_000_000, 1_700_000_000))
    result = await Bench(Read, tmp_path).run(file_path="a.txt")
    value = value_of(result)
    assert (value.size, value.modified) == (19, "2023-11-14T22:13:20Z")
    known = {"size": 19, "modified": "2023-11-14T22:13:20Z", "encoding": "utf-8"}
    assert result.metadata == known
    assert result.title == f"Read {tmp_path}/a.txt"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\nb", 2),
        ("a\nb\n", 2),
        ("\n", 1),
        ("\n\n", 2),
        ("a\r\nb\r\n", 2),
        ("a\u2028b\u2029c\u0085d\x0ce\n", 1),
        ("a\rb\n", 1),
    ],
    ids=["no-final-newline", "newline", "one-empty", "two-empty", "crlf", "unicode-marks", "cr"],
)
async def test_only_newlines_end_a_line(content: str, lines: int, tmp_path: Path) -> None:
    result = await read(tmp_path, content)
    assert value_of(result).total_lines == value_of(result).lines == lines
    assert value_of(result).content == content
    assert result.text.count("\n") == lines - 1


async def test_windows_line_ends_are_not_shown_but_kept_in_the_value(tmp_path: Path) -> None:
    result = await read(tmp_path, "a\r\nb\r\n")
    assert result.text == "     1\ta\n     2\tb"
    assert value_of(result).content == "a\r\nb\r\n"


async def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    result = await read(tmp_path, b"\xef\xbb\xbfa\n")
    assert result.text == "     1\ta"
    assert value_of(result).content == "a\n"


async def test_devanagari_and_emoji_come_back_unchanged(tmp_path: Path) -> None:
    text = "क्षत्रिय ज्ञान\n👩‍👩‍👧‍👦 ठीक है\n"
    result = await read(tmp_path, text)
    assert value_of(result).content == text
    assert result.text == "     1\tक्षत्रिय ज्ञान\n     2\t👩‍👩‍👧‍👦 ठीक है"


@pytest.mark.requirement("S4-050")
async def test_a_long_line_is_cut_in_the_text_and_whole_in_the_value(tmp_path: Path) -> None:
    result = await read(tmp_path, f"{'क' * 2_000}\n{'x' * 2_003}\n")
    first, second = result.text.split("\n")
    assert first == "     1\t" + "क" * 2_000
    assert second == "     2\t" + "x" * 2_000 + "… [3 more characters]"
    assert value_of(result).content.endswith("x" * 2_003 + "\n")


@pytest.mark.requirement("S4-057")
async def test_an_empty_file_is_reported_as_empty(tmp_path: Path) -> None:
    result = await read(tmp_path, "")
    assert result.text == f"{tmp_path}/a.txt exists but is empty."
    assert (value_of(result).content, value_of(result).total_lines) == ("", 0)


@pytest.mark.requirement("S0-011", "S0-158")
async def test_its_reply_is_success_and_the_numbered_text_as_output(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    kit, claude = Toolkit(cwd=tmp_path), load("claude")
    reply = await kit.call_in(claude, ToolCall(name="Read", arguments={"file_path": "a.txt"}))
    assert reply == {"success": True, "output": "     1\talpha"}
    reply = await kit.call_in(claude, ToolCall(name="Read", arguments={"file_path": "b"}))
    assert reply["success"] is False
    assert reply["error"].startswith("There is no file at")


# ── a window ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("window", "shown"),
    [
        ({"offset": 2}, [2, 3, 4, 5]),
        ({"limit": 2}, [1, 2]),
        ({"offset": 2, "limit": 2}, [2, 3]),
        ({"offset": 5, "limit": 9}, [5]),
        ({"offset": 5}, [5]),
        ({"limit": 0}, [1, 2, 3, 4, 5]),
        ({"offset": 4, "limit": 0}, [4, 5]),
        ({"offset": 0, "limit": 1}, [1]),
        ({"offset": 1, "limit": 10**30}, [1, 2, 3, 4, 5]),
    ],
    ids=str,
)
@pytest.mark.requirement("S0-156", "S0-019", "S4-167", "S1-032", "S3-054", "S4-166")
async def test_offset_and_limit_choose_the_lines(
    window: dict[str, int], shown: list[int], tmp_path: Path
) -> None:
    result = await read(tmp_path, "1\n2\n3\n4\n5\n", **window)
    assert [int(line.split("\t")[0]) for line in result.text.split("\n")] == shown
    assert [int(line.split("\t")[1]) for line in result.text.split("\n")] == shown
    value = value_of(result)
    assert (value.first_line, value.lines, value.total_lines) == (shown[0], len(shown), 5)


@pytest.mark.parametrize("offset", [6, 1_000, 10**30])
async def test_an_offset_past_the_end_says_how_long_the_file_is(
    offset: int, tmp_path: Path
) -> None:
    result = await read(tmp_path, "1\n2\n3\n4\n5\n", offset=offset)
    assert result.text == f"{tmp_path}/a.txt has 5 lines; line {offset} is past its end."
    assert (value_of(result).content, value_of(result).lines) == ("", 0)


@pytest.mark.parametrize("wrong", [{"offset": -1}, {"limit": -1}])
async def test_a_negative_window_is_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    result = await read(tmp_path, "1\n", **wrong)
    assert code_of(result) == "INVALID_INPUT"
    assert "of at least 0" in result.text


@pytest.mark.requirement("S0-157", "S4-049")
async def test_two_thousand_lines_are_shown_unless_all_are_asked_for(tmp_path: Path) -> None:
    content = "".join(f"{number}\n" for number in range(1, 2_502))
    result = await read(tmp_path, content)
    more = "[Lines 1 to 2000 of 2501. Read on with offset=2001.]"
    assert result.text.endswith(f"\n  2000\t2000\n{more}")
    assert (value_of(result).lines, value_of(result).total_lines) == (2_000, 2_501)
    result = await read(tmp_path, content, limit=0)
    assert result.text.endswith("\n  2501\t2501")


@pytest.mark.requirement("S4-059")
async def test_more_than_a_hundred_thousand_characters_are_cut_between_lines(
    tmp_path: Path,
) -> None:
    line = "the quick brown fox jumps over the lazy dog and then sleeps until the morning " * 12
    (tmp_path / "a.txt").write_text(f"{line}\n" * 130, encoding="utf-8")
    bench = Bench(Read, tmp_path, settings=Settings(read=ReadSettings(max_tokens=100_000)))
    result = await bench.run(file_path="a.txt")
    *shown, more = result.text.split("\n")
    count = len(shown)
    assert all(row == f"{number:>6}\t{line}" for number, row in enumerate(shown, 1))
    assert more == f"[Lines 1 to {count} of 130. Read on with offset={count + 1}.]"
    assert 95_000 < len(result.text) <= 100_000
    assert value_of(result).is_cut
    assert value_of(result).content == f"{line}\n" * 130
    record = bench.kit.agent.reads.check_current(str(tmp_path / "a.txt"))
    assert (record.offset, record.limit) == (1, count)  # only what was shown was read


# ── what is not text ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("content", [b"\x89PNG\r\n\0\0", b"\0", b"text" * 1_000 + b"\0"])
@pytest.mark.requirement("S1-035")
async def test_a_binary_file_is_named_as_such(content: bytes, tmp_path: Path) -> None:
    result = await read(tmp_path, content)
    assert code_of(result) == "NOT_TEXT"
    assert 'encoding "base64"' in result.text


async def test_what_is_not_utf8_is_shown_with_the_encoding_it_may_be(tmp_path: Path) -> None:
    result = await read(tmp_path, b"abc\xff\xfe")
    assert result.text == "     1\tabcÿþ\n[The file is latin-1 (a guess); edits keep that.]"
    assert value_of(result).encoding == result.metadata["encoding"] == "latin-1"


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\0\0\xff", b"plain text\n"])
@pytest.mark.requirement("S2-006")
async def test_base64_gives_the_bytes_of_any_file(content: bytes, tmp_path: Path) -> None:
    result = await read(tmp_path, content, encoding="base64")
    value = value_of(result)
    assert base64.b64decode(value.content) == content
    assert (value.encoding, value.size) == ("base64", len(content))


async def test_another_encoding_is_refused_with_the_choice(tmp_path: Path) -> None:
    result = await read(tmp_path, "a", encoding="latin-1")
    assert code_of(result) == "INVALID_INPUT"
    assert "one of 'base64', 'utf-8'" in result.text


async def test_bytes_above_the_limit_are_refused_before_they_are_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(BASE64_BYTES + 1)
    result = await Bench(Read, tmp_path).run(file_path="sparse", encoding="base64")
    assert code_of(result) == "TOO_LARGE"
    assert f"up to {BASE64_BYTES:,}" in result.text


async def test_base64_that_is_too_long_to_show_is_in_the_value(tmp_path: Path) -> None:
    content = os.urandom(200_000)
    result = await read(tmp_path, content, encoding="base64")
    assert base64.b64decode(value_of(result).content) == content
    assert "200,000 bytes are 266,668 characters of base64" in result.text
    assert len(result.text) < 300


# ── what is not a file ────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-048", "S4-056", "S1-041")
async def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").touch()
    result = await Bench(Read, tmp_path).run(file_path="setings.toml")
    assert code_of(result) == "FILE_NOT_FOUND"
    assert result.error is not None
    assert result.error.kind == "user_error"
    assert result.error.suggestion == f"Did you mean {tmp_path}/settings.toml?"


async def test_a_missing_file_with_no_like_name_points_to_list(tmp_path: Path) -> None:
    result = await Bench(Read, tmp_path).run(file_path="nowhere/at/all")
    assert code_of(result) == "FILE_NOT_FOUND"
    assert "Use List" in result.text


@pytest.mark.requirement("S4-055")
async def test_a_directory_is_refused_and_points_to_list(tmp_path: Path) -> None:
    result = await Bench(Read, tmp_path).run(file_path=".")
    assert code_of(result) == "IS_A_DIRECTORY"
    assert "is a directory" in result.text
    assert "Use List" in result.text


async def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    result = await Bench(Read, tmp_path).run(file_path="a.txt/b.txt")
    assert code_of(result) == "NOT_A_DIRECTORY"
    assert f"{tmp_path}/a.txt is not a directory" in result.text


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # the path of a socket has few bytes
        server.bind(path.name)


def link_to_zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "what"),
    [(make_fifo, "named pipe"), (make_socket, "socket"), (link_to_zero, "character device")],
)
async def test_what_could_block_or_never_end_is_refused_at_once(
    make: Callable[[Path], None], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # make_socket changes it
    make(tmp_path / "special")
    bench = Bench(Read, tmp_path, mode="bypass")
    result = await bench.run(file_path="special")
    assert code_of(result) == "INVALID_PATH"
    assert f"is a {what}" in result.text
    assert result.duration_ms < 5_000


async def test_a_file_of_the_system_that_claims_no_size_is_read(tmp_path: Path) -> None:
    result = await Bench(Read, tmp_path, mode="bypass").run(file_path="/proc/self/status")
    assert "Name:" in value_of(result).content


@pytest.mark.requirement("S1-042")
async def test_a_file_that_the_system_cannot_read_says_why(tmp_path: Path) -> None:
    # The memory of a process has nothing at its start.
    result = await Bench(Read, tmp_path, mode="bypass").run(file_path="/proc/self/mem")
    assert code_of(result) == "IO_ERROR"
    assert "Input/output error" in result.text
    assert result.error is not None
    assert result.error.kind == "system_error"


@pytest.mark.requirement("S2-049", "S1-043")
async def test_a_file_that_may_not_be_read_says_why(tmp_path: Path) -> None:
    bench = Bench(Read, tmp_path)
    (tmp_path / "a.txt").touch(mode=0o000)
    with without_privileges():
        result = await bench.run(file_path="a.txt")
    assert code_of(result) == "PERMISSION_DENIED"
    assert result.error is not None
    assert result.error.kind == "permission_error"
    assert f"{tmp_path}/a.txt may not be read: Permission denied" in result.text


# ── paths ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-013", "S4-165")
async def test_a_relative_path_starts_at_the_current_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("inner\n", encoding="utf-8")
    result = await Bench(Read, tmp_path / "sub").run(file_path="./a.txt")
    assert value_of(result).file_path == f"{tmp_path}/sub/a.txt"


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("", "INVALID_INPUT", "at least 1 characters"),
        ("   ", "INVALID_PATH", "it is empty"),
        ("a\0b", "INVALID_PATH", "NUL"),
        ("x" * 4_097, "INVALID_PATH", "longer than 4096 bytes"),
        ("क" * 1_400, "INVALID_PATH", "longer than 4096 bytes"),
        ("x" * 300, "INVALID_PATH", "longer than 255 bytes"),
        ("a\ud800b", "INVALID_INPUT", "lone surrogates"),
        ("a\nb", "INVALID_PATH", "a\\nb"),
        ("a\x1b[31mb", "INVALID_PATH", "a\\x1b[31mb"),
    ],
    ids=["empty", "blank", "nul", "long", "long-utf8", "name", "surrogate", "newline", "escape"],
)
async def test_a_strange_path_gets_one_clear_error(
    path: str, code: str, said: str, tmp_path: Path
) -> None:
    result = await Bench(Read, tmp_path).run(file_path=path)
    assert code_of(result) == code
    assert said in result.text
    assert "\n" not in result.text
    assert len(result.text) < 1_000


@pytest.mark.parametrize("name", ["a\nb", "a\u202eb", "a\u200bb", "~root/x", "nul", "a "])
async def test_a_name_that_misleads_is_refused_even_where_there_is_such_a_file(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name.replace("/", "_")).touch()
    result = await Bench(Read, tmp_path).run(file_path=name)
    assert code_of(result) == "INVALID_PATH"


async def test_a_link_loop_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    result = await Bench(Read, tmp_path).run(file_path="one")
    assert code_of(result) == "INVALID_PATH"


# ── permission ────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def outside(tmp_path: Path) -> tuple[Path, Path]:
    """A workspace, and a file beside it."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "work-2").mkdir()
    secret = tmp_path / "work-2" / "secret.txt"
    secret.write_text("s3cret\n", encoding="utf-8")
    return workspace, secret


@pytest.mark.requirement("S2-008")
async def test_a_file_inside_is_read_without_a_question_in_every_mode(tmp_path: Path) -> None:
    for mode in ("default", "plan", "acceptEdits", "dontAsk"):
        (tmp_path / "a.txt").write_text("inside\n", encoding="utf-8")
        bench = Bench(Read, tmp_path, mode=mode)
        assert (await bench.run(file_path="a.txt")).ok
        assert not bench.asked


@pytest.mark.parametrize("way", ["absolute", "dots", "link", "linked-folder"])
@pytest.mark.requirement("S4-058", "S2-049", "S1-043")
async def test_whatever_lies_outside_needs_a_yes(way: str, outside: tuple[Path, Path]) -> None:
    workspace, secret = outside
    (workspace / "link").symlink_to(secret)
    (workspace / "folder").symlink_to(secret.parent)
    path = {
        "absolute": str(secret),
        "dots": "../work-2/secret.txt",
        "link": "link",
        "linked-folder": "folder/secret.txt",
    }[way]
    bench = Bench(Read, workspace, answers=[YES])
    assert value_of(await bench.run(file_path=path)).content == "s3cret\n"
    (approval,) = bench.asked
    assert str(secret) in approval.reason

    refused = await bench.run(file_path=path)  # the person has no second yes
    assert code_of(refused) == "PERMISSION_DENIED"
    assert "s3cret" not in refused.text


@pytest.mark.parametrize("mode", ["default", "dontAsk", "plan", "acceptEdits"])
async def test_with_nobody_to_ask_the_outside_is_denied(
    mode: str, outside: tuple[Path, Path]
) -> None:
    workspace, secret = outside
    result = await Toolkit(cwd=workspace, mode=mode).call("Read", file_path=str(secret))
    assert code_of(result) == "PERMISSION_DENIED"
    assert f"it reads outside the workspace ({secret})" in result.text


# ── what is remembered ────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-019", "S4-035", "S4-156", "S4-171")
async def test_a_whole_read_is_remembered_with_its_version(tmp_path: Path) -> None:
    bench = Bench(Read, tmp_path)
    file = tmp_path / "a.txt"
    file.write_text("1\n2\n", encoding="utf-8")
    await bench.run(file_path="a.txt")
    record = bench.kit.agent.reads.check_current(str(file))
    assert record.is_whole
    assert record.version.size == 4
    assert record.version.mtime_ns == file.stat().st_mtime_ns


@pytest.mark.parametrize(
    ("window", "offset", "limit"),
    [({"limit": 1}, 1, 1), ({"offset": 2}, 2, 2), ({"offset": 9}, 9, 0)],
    ids=["start", "rest", "nothing"],
)
async def test_a_partial_read_is_remembered_with_its_window(
    window: dict[str, int], offset: int, limit: int, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n", encoding="utf-8")
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.txt", **window)
    record = bench.kit.agent.reads.get(str(tmp_path / "a.txt"))
    assert record is not None
    assert not record.is_whole
    assert (record.offset, record.limit) == (offset, limit)


async def test_a_read_that_failed_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\0")
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.txt")
    assert bench.kit.agent.reads.get(str(tmp_path / "a.txt")) is None


@pytest.mark.requirement("S4-170")
async def test_read_is_read_only_and_safe_beside_others(tmp_path: Path) -> None:
    tool = Read()
    assert tool.is_read_only
    assert tool.is_concurrency_safe(ReadInput(file_path="a"))
    (tmp_path / "a").write_text("a\n", encoding="utf-8")
    bench = Bench(Read, tmp_path)
    before = sorted(tmp_path.iterdir())
    both = await bench.kit.call_all([ToolCall(name="Read", arguments={"file_path": "a"})] * 2)
    assert [result.text for result in both] == ["     1\ta"] * 2
    assert sorted(tmp_path.iterdir()) == before
