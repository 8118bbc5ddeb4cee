"""Whatever a command prints: what the model is shown, what a watcher sees, what is saved."""

import hashlib
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.config.limits import Limits
from ankrcode.config.settings import Settings, ShellSettings
from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash
from torture import IS_TORTURE, examples

MANY = 1_000_000_000 if IS_TORTURE else 30_000_000


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Bash, tmp_path, mode="bypass")


# What is printed (by printf) → what is shown.
SHOWN = {
    "colours": (r"\e[31mred\e[0m", "red"),
    "bold and bright": (r"\e[1;97mred\e[22;39m", "red"),
    "256 colours": (r"\e[38;5;200mred\e[m", "red"),
    "colours by colons": (r"\e[38:2::1:2:3mred\e[m", "red"),
    "a title": (r"\e]0;not what it seems\atext", "text"),
    "a title that ends otherwise": (r"\e]2;title\e\\text", "text"),
    "a link": (r"\e]8;;http://evil\e\\click\e]8;;\e\\", "click"),
    "a notification": (r"\e]9;look here\atext", "text"),
    "what is on the clipboard": (r"\e]52;c;ZXZpbA==\atext", "text"),
    "a picture": (r"\ePq#0;2;0;0;0~~\e\\text", "text"),
    "a privacy message": (r"\e^secret\e\\text", "text"),
    "another screen": (r"\e[?1049htext\e[?1049l", "text"),
    "the cursor hidden": (r"\e[?25ltext\e[?25h", "text"),
    "the cursor moved": (r"a\e[10;20Hb\e[2A", "ab"),
    "the screen wiped": (r"secret\e[2J\e[3J\e[Htext", "secrettext"),
    "the terminal reset": (r"\ectext", "text"),
    "keys redefined": (r"\eP1;1|17/0a\e\\text", "text"),
    "an answer asked for": (r"\e[c\e[6ntext", "text"),
    "a character set": (r"\e(0lqk\e(B", "lqk"),
    "eight-bit sequences": (r"\xc2\x9b31mred", "red"),
    "bells": (r"a\a\a\ab", r"a\x07\x07\x07b"),
    "backspaces": (r"abc\b\b\bxyz", "xyz"),
    "backspaces over a wide character": (r"\xe6\xbc\xa2\bx", "x"),
    "overstruck": (r"b\bbo\bol\bld\bd", "bold"),
    "underlined": (r"_\bu", "u"),
    "a progress bar": (r"1%%\r50%%\r100%%\n", "100%"),
    "a bar with a spinner": (r"|\r/\r-\r\\\\\rdone\n", "done"),
    "a bar that wipes itself": (r"\r\e[K50%%\r\e[K100%%\n", "100%"),
    "a bar that ends in the middle": (r"start\n50%%\r75%%", "start\n75%"),
    "two bars": (r"a 1\ra 2\nb 1\rb 2\n", "a 2\nb 2"),
    "windows lines": (r"a\r\nb\r\n", "a\nb"),
    "old Mac lines": (r"a\rb\r", "b"),
    "NULs": (r"a\0b\0", r"a\x00b\x00"),
    "a form feed": (r"a\fb", r"a\x0cb"),
    "a vertical tab": (r"a\vb", r"a\x0bb"),
    "delete": (r"a\x7fb", r"a\x7fb"),
    "escape alone": (r"a\e", r"a\x1b"),
    "half a sequence": (r"a\e[31", r"a\x1b[31"),
    "tabs": (r"a\tb", "a\tb"),
    "text that runs backwards": (r"\xe2\x80\xaegpj.exe", r"\u202egpj.exe"),
    "text inside another direction": (r"\xe2\x81\xa6a\xe2\x81\xa9", r"\u2066a\u2069"),
    "a line separator": (r"a\xe2\x80\xa8b", "a\u2028b"),
    "invalid bytes": (r"a\xff\xfeb", "a\ufffd\ufffdb"),
    "half a character": (r"a\xe0\xa4", "a\ufffd"),
    "an overlong character": (r"a\xc0\xaf", "a\ufffd\ufffd"),
    "half a pair": (r"a\xed\xa0\x80b", "a\ufffd\ufffd\ufffdb"),
    "beyond Unicode": (r"a\xf5\x80\x80\x80b", "a\ufffd\ufffd\ufffd\ufffdb"),
    "Latin-1": (r"caf\xe9", "caf\ufffd"),
    "wide characters": (r"\xe6\xbc\xa2\xe5\xad\x97", "漢字"),
    "combining characters": (r"e\xcc\x81", "e\u0301"),
    "Devanagari": (r"\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7", "क्ष"),
    "emoji": (r"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "👩\u200d👧"),
    "a mark at the beginning": (r"\xef\xbb\xbftext", "\ufefftext"),
}


@pytest.mark.parametrize(("given", "shown"), SHOWN.values(), ids=SHOWN)
async def test_what_is_printed_is_shown_harmless(bench: Bench, given: str, shown: str) -> None:
    result = await bench.run(command=f"printf '{given}'")
    assert result.ok
    assert result.text == shown.rstrip("\n")
    result.text.encode()


@pytest.mark.parametrize(("given", "shown"), SHOWN.values(), ids=SHOWN)
async def test_byte_by_byte_it_is_the_same_and_the_watcher_is_not_harmed(
    bench: Bench, tmp_path: Path, given: str, shown: str
) -> None:
    """Cut anywhere, a sequence or a character is still one."""
    (tmp_path / "slow.py").write_text(
        "import os, sys\nfor byte in sys.stdin.buffer.read(): os.write(1, bytes([byte]))\n",
        encoding="utf-8",
    )
    result = await bench.run(command=f"printf '{given}' | {sys.executable} slow.py")
    assert result.text == shown.rstrip("\n")
    assert not [
        char for char in bench.output if unicodedata.category(char) == "Cc" and char not in "\t\n"
    ]


# ── the order ─────────────────────────────────────────────────────────────────────────────────
async def test_output_and_errors_stand_in_the_order_of_their_arrival(bench: Bench) -> None:
    result = await bench.run(command="for i in {1..200}; do echo o$i; echo e$i >&2; done")
    assert result.text.split() == [f"{kind}{i}" for i in range(1, 201) for kind in "oe"]


async def test_so_they_do_when_programs_take_turns(bench: Bench) -> None:
    command = "for i in {1..20}; do /bin/echo o$i; ls /nowhere/$i; done 2>&1"
    result = await bench.run(command=f"{command}; true")
    lines = result.text.splitlines()
    assert lines[::2] == [f"o{i}" for i in range(1, 21)]
    assert all(f"/nowhere/{i}" in line for i, line in enumerate(lines[1::2], 1))


async def test_errors_alone_are_shown_too(bench: Bench) -> None:
    result = await bench.run(command="seq 1 20000 >&2")
    assert result.text.startswith("1\n2\n")
    assert "\n20000\n" in result.text
    assert Path(result.metadata["saved_to"]).stat().st_size == 108_894


# ── much ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("limit", [1_000, 5_000, 30_000, 100_000])
async def test_no_more_is_shown_than_the_limit_says(tmp_path: Path, limit: int) -> None:
    settings = Settings(limits=Limits(result_chars=limit))
    bench = Bench(Bash, tmp_path, mode="bypass", settings=settings)
    result = await bench.run(command="seq 1 100000; exit 3")
    assert len(result.text) <= limit
    assert result.text.startswith("1\n2\n")
    assert "\n100000\n" in result.text
    assert result.text.endswith("Exit code: 3")


@pytest.mark.parametrize("size", [27_990, 28_000, 28_001, 29_999, 30_000, 30_001, 131_071, 131_073])
async def test_around_the_limits_nothing_is_lost(bench: Bench, size: int) -> None:
    result = await bench.run(command=f"yes 123456789 | head -c {size}")
    whole = ("123456789\n" * (size // 10 + 1))[:size]
    if "saved_to" in result.metadata:
        assert Path(result.metadata["saved_to"]).read_text(encoding="utf-8") == whole
        assert len(result.text) <= 30_000
        assert "bytes" in result.text
    else:
        assert result.text == whole.rstrip("\n")


async def test_what_is_hidden_is_counted(bench: Bench) -> None:
    result = await bench.run(command="yes 123456789 | head -c 1000000")
    head, _, rest = result.value.output.partition("\n\n[")
    note, _, tail = rest.partition("]\n\n")
    hidden = int("".join(filter(str.isdigit, note)))
    assert len(head) + hidden + len(tail) == 1_000_000


@pytest.mark.parametrize(
    "word", ["नमस्ते", "é\u0301", "👩\u200d👩\u200d👧", "漢字", "\u0e01\u0e33", "a\u0308\u0323"]
)
async def test_characters_are_never_cut_apart(bench: Bench, word: str) -> None:
    result = await bench.run(command=f"yes '{word}' | head -n 20000 | tr -d '\\n'")
    head, _, rest = result.value.output.partition("\n\n[")
    tail = rest.partition("]\n\n")[2]
    assert head
    assert head.replace(word, "") in ("", *(word[:n] for n in range(len(word))))
    assert tail.replace(word, "") in ("", *(word[n:] for n in range(len(word))))
    assert "\ufffd" not in result.text


async def test_one_line_without_end_is_cut_like_any_other(bench: Bench) -> None:
    result = await bench.run(
        command=f"printf begin; head -c {MANY} /dev/zero | tr '\\0' x; printf end", timeout=600_000
    )
    assert result.text.startswith("beginxxx")
    assert "xxxend" in result.text
    assert len(result.text) <= 30_000
    path = Path(result.metadata["saved_to"])
    assert path.stat().st_size == MANY + 8
    path.unlink()


async def test_past_the_limit_of_a_command_the_middle_is_dropped_and_that_is_said(
    tmp_path: Path,
) -> None:
    settings = Settings(shell=ShellSettings(saved_bytes=4_000_000))
    bench = Bench(Bash, tmp_path, mode="bypass", settings=settings)
    result = await bench.run(command="seq 1 2000000")
    saved = Path(result.metadata["saved_to"])
    assert saved.stat().st_size < 4_100_000
    assert result.metadata["dropped_bytes"] > 10_000_000
    text = saved.read_text(encoding="utf-8")
    assert text.startswith("1\n2\n")
    assert text.endswith("1999999\n2000000\n")
    assert f"{result.metadata['dropped_bytes']:,} bytes were dropped here" in text
    assert "dropped" in result.text


# ── secrets ───────────────────────────────────────────────────────────────────────────────────
KEY = "ghp_" + "a1B2c3D4" * 5


async def test_a_secret_is_neither_shown_nor_streamed_nor_saved(bench: Bench) -> None:
    result = await bench.run(command=f"seq 1 30000; echo token {KEY}; seq 1 30000")
    saved = Path(result.metadata["saved_to"]).read_text(encoding="utf-8")
    assert KEY not in result.text + bench.output + saved
    numbers = "".join(f"{number}\n" for number in range(1, 30_001))
    assert saved == f"{numbers}token [redacted:github-token:1]\n{numbers}"


@pytest.mark.parametrize("step", [3, 11, 40])
async def test_nor_when_it_comes_in_pieces(bench: Bench, tmp_path: Path, step: int) -> None:
    (tmp_path / "slow.py").write_text(
        f"import os\nfor at in range(0, {len(KEY)}, {step}):\n"
        f"    os.write(1, {KEY!r}[at : at + {step}].encode())\n",
        encoding="utf-8",
    )
    command = f"seq 1 30000; {sys.executable} slow.py; echo; seq 1 30000"
    result = await bench.run(command=command)
    saved = Path(result.metadata["saved_to"]).read_text(encoding="utf-8")
    assert KEY[:20] not in result.text + bench.output + saved
    assert saved.count("[redacted:github-token:1]") == 1


async def test_nor_in_the_background(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    command = f"echo begin; echo {KEY}; read x; echo {KEY} end"
    started = await kit.call("Bash", command=command, run_in_background=True, stdin=True)
    waiting = await kit.call("TaskOutput", task_id=started.value.task_id)
    assert waiting.value.task.output == "begin\n[redacted:github-token:1]\n"
    await kit.call("TaskInput", task_id=started.value.task_id, text="\n")
    ended = await kit.call("TaskOutput", task_id=started.value.task_id, offset=-1)
    assert ended.value.task.output == "[redacted:github-token:1] end\n"
    saved = Path(started.value.output_path).read_text(encoding="utf-8")
    assert saved == "begin\n[redacted:github-token:1]\n[redacted:github-token:1] end\n"
    kit.close()


async def test_a_prompt_for_a_password_is_shown_while_it_waits(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    command = "printf 'Password: '; read -s x; echo thanks"
    started = await kit.call("Bash", command=command, run_in_background=True, stdin=True)
    waiting = await kit.call("TaskOutput", task_id=started.value.task_id)
    assert waiting.value.task.output == "Password: "
    assert waiting.value.task.waiting_for_input
    await kit.call("TaskInput", task_id=started.value.task_id, text="x\n")
    ended = await kit.call("TaskOutput", task_id=started.value.task_id)
    assert ended.value.task.output == "Password: thanks\n"
    kit.close()


async def test_a_placeholder_that_comes_back_stands_for_the_secret(bench: Bench) -> None:
    shown = await bench.run(command=f"echo {KEY}")
    result = await bench.run(command=f"printf %s '{shown.text}' | wc -c")
    assert result.text == str(len(KEY))


# ── any bytes at all ──────────────────────────────────────────────────────────────────────────
@given(data=st.binary(max_size=2_000))
@examples(in_ci=40, in_torture=2_000)
@pytest.mark.torture
def test_any_bytes_are_shown_and_saved(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "data").write_bytes(data)
    kit = Toolkit(cwd=folder, mode="bypass")
    result = kit.call_sync("Bash", command="cat data", run_in_background=True)
    task = kit.agent.tasks.get(result.value.task_id)
    assert task.work.wait(20)
    if "redacted" not in Path(result.value.output_path).read_bytes().decode(errors="replace"):
        assert Path(result.value.output_path).read_bytes() == data
    shown = kit.call_sync("TaskOutput", task_id=task.id)
    assert shown.ok
    shown.text.encode()
    kit.close()


async def test_a_flood_of_sequences_takes_no_time(bench: Bench) -> None:
    started = time.monotonic()
    result = await bench.run(command="yes $'\\e[31m\\e]0;x\\a\\b\\r' | head -c 3000000")
    assert result.ok
    assert "\x1b" not in result.text
    assert time.monotonic() - started < 10


async def test_what_the_login_shell_sets_is_taken_over_in_clear_and_saved_nowhere(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    profile = f"seq 1 100000\nexport GH_TOKEN={KEY} NPM_TOKEN={KEY}\n"
    (own_home / ".bash_profile").write_text(profile, encoding="utf-8")
    settings = Settings(shell=ShellSettings(profile=True, env_pass=["GH_TOKEN"]))
    bench = Bench(Bash, tmp_path, mode="bypass", settings=settings)
    result = await bench.run(command='printf %s "$GH_TOKEN" | md5sum; echo "[$NPM_TOKEN]"')
    assert result.text == f"{hashlib.md5(KEY.encode()).hexdigest()}  -\n[]"
    assert not list(own_home.rglob("*.txt"))
