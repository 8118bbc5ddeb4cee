"""What programs print becomes text that is harmless on any screen."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.processes.text import Stream, plain
from torture import examples

CLEANED = {
    "nothing special": ("plain\ttext\n", "plain\ttext\n"),
    "colours": ("\x1b[1;31mred\x1b[0m\n", "red\n"),
    "true colour": ("\x1b[38;2;1;2;3mx\x1b[m", "x"),
    "cursor and erase": ("a\x1b[2K\x1b[1Gb\x1b[?25l", "ab"),
    "a title": ("\x1b]0;evil title\x07text", "text"),
    "a link": ("\x1b]8;;http://x\x1b\\label\x1b]8;;\x1b\\", "label"),
    "a device string": ("\x1bPq#0;2\x1b\\text", "text"),
    "eight-bit sequences": ("\x9b31mred\x9d0;t\x9ctext", "redtext"),
    "a character set": ("\x1b(Btext\x1b=\x1b>", "text"),
    "an unfinished sequence": ("a\x1b[31", "a\\x1b[31"),
    "a title without end hides nothing": ("\x1b]0;title\nvisible\n", "\\x1b]0;title\nvisible\n"),
    "a progress bar": ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
    "a bar that wipes itself": ("50%\r\x1b[K100%\r\x1b[K\nnext", "100%\nnext"),
    "a bar with an empty end": ("50%\r100%\r\n", "100%\n"),
    "windows lines": ("a\r\nb\r\n", "a\nb\n"),
    "bold by overstriking": ("N\bNA\bAM\bME\bE", "NAME"),
    "underlined by overstriking": ("_\bx", "x"),
    "steps back too far": ("\b\ba", "a"),
    "a bell and NUL": ("a\x07b\x00c", "a\\x07b\\x00c"),
    "text that runs backwards": ("\u202etxt.exe\u2066", "\\u202etxt.exe\\u2066"),
    "joiners of Indic scripts": ("क्‍ष می‌خواهم 👩‍👧", "क्‍ष می‌خواهم 👩‍👧"),
}


@pytest.mark.parametrize(("raw", "cleaned"), CLEANED.values(), ids=CLEANED)
def test_what_is_printed_is_shown_as_a_reader_would_copy_it(raw: str, cleaned: str) -> None:
    assert plain(raw) == cleaned


terminal_text = st.text(
    st.one_of(st.sampled_from("\x1b\x9b[]();0123456789mKHJ\x07\\\r\n\b\t ax"), st.characters())
)


@given(raw=terminal_text)
@examples(in_ci=400, in_torture=50_000)
@pytest.mark.torture
def test_no_control_character_survives(raw: str) -> None:
    cleaned = plain(raw)
    assert not [c for c in cleaned if unicodedata.category(c) == "Cc" and c not in "\t\n"]
    assert not set(cleaned) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert plain(cleaned) == cleaned
    assert cleaned.count("\n") == raw.count("\n") or "\x1b" in raw or "\x9d" in raw


@given(text=st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf"))))
@examples(in_ci=200, in_torture=20_000)
@pytest.mark.torture
def test_ordinary_text_in_any_language_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    "hostile", ["\x1b" * 60_000, "\x1b]" * 30_000, "\b" * 60_000, "\r" * 60_000]
)
def test_hostile_text_takes_no_time(hostile: str) -> None:
    started = time.thread_time()
    plain("x" * 1000 + hostile)
    assert time.thread_time() - started < 1


# ── streams ───────────────────────────────────────────────────────────────────────────────────
def streamed(pieces: list[bytes]) -> list[str]:
    stream, chunks = Stream(), []
    for number, piece in enumerate(pieces):
        stream.feed(memoryview(piece))
        chunks.append(stream.take(float(number)))
    return [*chunks, stream.take(float(len(pieces)), is_last=True)]


@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\b")),
    data=st.data(),
)
@examples(in_ci=300, in_torture=20_000)
@pytest.mark.torture
def test_chunks_add_up_to_the_text_wherever_they_are_cut(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    joined = "".join(streamed(pieces))
    if "\x1b" not in text and not set(text) & set("\x90\x98\x9b\x9d\x9e\x9f"):
        assert joined == plain(text)
    assert not [c for c in joined if unicodedata.category(c) == "Cc" and c not in "\t\n"]


def test_a_sequence_split_over_two_chunks_is_still_one() -> None:
    assert streamed([b"a\x1b[3", b"1mred\x1b", b"[0m!"]) == ["a", "red", "!", ""]


def test_a_character_split_over_two_chunks_is_still_one() -> None:
    raw = "नमस्ते".encode()
    assert streamed([raw[:1], raw[1:4], raw[4:]]) == ["", "न", "मस्ते", ""]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert "".join(streamed([b"a\xff\xfeb", b"\xe0\x80"])) == "a\ufffd\ufffdb\ufffd\ufffd"


def test_a_bar_gets_a_line_for_each_chunk_that_shows_it() -> None:
    assert streamed([b"10%\r20%", b"\r30%\r40%", b"\r\n"]) == ["20%", "\n40%", "\n", ""]


def test_of_a_flood_only_the_end_of_each_chunk_is_shown() -> None:
    stream = Stream()
    for number in range(100):
        stream.feed(memoryview(b"%07d\n" % number * 1000))
    shown = stream.take(0.0)
    first, rest = shown.split("\n", 1)
    assert first == f"[{800_000 - 8192} bytes not shown here]"
    assert rest == "0000098\n" * 24 + "0000099\n" * 1000


def test_chunks_come_a_few_times_a_second() -> None:
    stream = Stream()
    assert stream.due_in(5.0) == 0
    stream.take(5.0)
    assert 0 < stream.due_in(5.0) <= 0.1
    assert stream.due_in(5.2) == 0
