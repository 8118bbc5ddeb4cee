"""Oversized results: shown in part, saved whole, for their owner only."""

import errno
import os
import re
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.app import Toolkit
from ankrcode.config.limits import Limits
from ankrcode.config.settings import ResultSettings, Settings
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.function import tool
from ankrcode.tooling.graphemes import is_border
from ankrcode.tooling.results import Cut, ResultStore, fit, shown_part
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WHERE = "[Output truncated. Full content saved to: /saved.txt]"


@pytest.mark.requirement("S4-143", "S4-145", "S4-146")
@pytest.mark.parametrize(
    ("cut", "shown"),
    [
        (Cut.START, f"abcdefghij...\n\n{WHERE}"),
        (Cut.END, f"{WHERE}\n\n...qrstuvwxyz"),
        (Cut.BOTH, f"abcde...\n\n[16 chars truncated]\n\n...vwxyz\n\n{WHERE}"),
    ],
)
def test_each_strategy_has_its_own_words(cut: Cut, shown: str) -> None:
    assert shown_part(LETTERS, 10, cut, "/saved.txt") == shown


def test_what_fits_exactly_is_neither_cut_nor_saved(tmp_path: Path) -> None:
    store = ResultStore(str(tmp_path / "results"))
    assert fit(LETTERS, 26, Cut.BOTH, store) == (LETTERS, None)
    assert not (tmp_path / "results").exists()


@given(
    st.text(st.sampled_from("aक्षि👨‍👩‍👧🇮🇳\r\né\u0301한"), min_size=40, max_size=120),
    st.integers(5, 39),
    st.sampled_from(Cut),
)
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_no_more_than_the_limit_is_shown_and_no_character_is_split(
    text: str, limit: int, cut: Cut
) -> None:
    shown = shown_part(text, limit, cut, "/p")
    start = shown.partition("...\n\n[")[0] if cut is not Cut.END else ""
    end = shown.partition("]\n\n...")[2].removesuffix(
        "\n\n[Output truncated. Full content saved to: /p]"
    )
    end = end if cut is not Cut.START else ""
    assert len(start) + len(end) <= limit
    assert text.startswith(start)
    assert text.endswith(end)
    assert is_border(text, len(start))
    assert is_border(text, len(text) - len(end))


class TalkInput(ToolInput):
    words: str


class Talk(Tool[TalkInput]):
    name = "Talk"
    description = "Say these words."
    max_result_chars = 300

    async def run(self, args: TalkInput, ctx: ToolContext) -> str:
        return args.words


def talking(tmp_path: Path, tool: Any = Talk, *, cut: Any = "both") -> Bench:
    results = ResultSettings(folder=str(tmp_path / "results"), cut=cut)
    return Bench(tool, tmp_path, mode="bypass", settings=Settings(results=results))


def saved(result: ToolResult) -> Path:
    return Path(result.metadata["saved_to"])


HINDI = "क्षत्रिय 👨‍👩‍👧\r\nनमस्ते " * 60


@pytest.mark.requirement("S4-047", "S4-251", "S4-252", "S4-142")
async def test_an_oversized_result_is_saved_whole_and_stays_a_success(tmp_path: Path) -> None:
    result = await talking(tmp_path).run(words=HINDI)
    assert result.ok
    assert saved(result).read_bytes() == HINDI.encode()
    assert result.value == HINDI
    assert result.metadata["total_chars"] == len(HINDI)
    assert f"[Output truncated. Full content saved to: {saved(result)}]" in result.text


@pytest.mark.requirement("S4-250")
async def test_by_default_both_ends_are_shown_and_the_first_error_stays_visible(
    tmp_path: Path,
) -> None:
    result = await talking(tmp_path).run(words=f"first error {'x' * 5_000} last line")
    assert result.text.startswith("first error xxx")
    assert " last line\n\n[Output truncated." in result.text
    assert "[4722 chars truncated]" in result.text


@pytest.mark.requirement("S4-143")
@pytest.mark.parametrize(("cut", "first", "last"), [("start", "aaa", "]"), ("end", "[", "zzz")])
async def test_a_person_may_choose_what_is_shown(
    tmp_path: Path, cut: str, first: str, last: str
) -> None:
    result = await talking(tmp_path, cut=cut).run(words="a" * 500 + "z" * 500)
    assert result.text.startswith(first)
    assert result.text.endswith(last)


async def test_a_tool_may_choose_what_is_shown(tmp_path: Path) -> None:
    class Logs(Talk):
        cut = Cut.END

    result = await talking(tmp_path, Logs, cut="start").run(words="a" * 500 + "z" * 500)
    assert result.text.endswith("zzz")


async def test_only_the_owner_may_look_at_what_was_saved(tmp_path: Path) -> None:
    path = saved(await talking(tmp_path).run(words=HINDI))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.parent.parent == tmp_path / "results"  # a folder for each session


@pytest.mark.requirement("S4-144")
async def test_the_name_of_the_file_never_comes_from_outside(tmp_path: Path) -> None:
    bench = talking(tmp_path)
    ids = ["../../evil", "toolu_1", "a/b", "x\0y"]
    calls = [
        ToolCall(id=one, name="Talk", arguments={"words": f"{number}{HINDI}"})
        for number, one in enumerate(ids)
    ]
    names = {saved(result).name for result in await bench.kit.call_all(calls)}
    assert len(names) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{24}\.txt", name) for name in names)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


@pytest.mark.requirement("S4-249")
async def test_without_a_choice_results_are_kept_with_our_own_data(
    tmp_path: Path, own_home: Path
) -> None:
    result = await Bench(Talk, tmp_path, mode="bypass").run(words=HINDI)
    assert saved(result).is_relative_to(own_home / ".local/state/ankrcode/results")


@tool
def flood(size: int) -> str:
    """Say much."""
    return "x" * size


@pytest.mark.requirement("S4-141", "S4-015")
async def test_the_limit_is_thirty_thousand_characters_unless_it_is_set(tmp_path: Path) -> None:
    usual = Bench(flood, tmp_path, mode="bypass")
    assert "saved_to" not in (await usual.run(size=30_000)).metadata
    assert "saved_to" in (await usual.run(size=30_001)).metadata
    tight = Settings(limits=Limits(result_chars=200))
    result = await Bench(flood, tmp_path, mode="bypass", settings=tight).run(size=201)
    assert result.metadata["total_chars"] == 201


async def test_what_was_saved_can_be_read_on_without_a_question(tmp_path: Path) -> None:
    (tmp_path / "space").mkdir()
    results = ResultSettings(folder=str(tmp_path / "results"))
    kit = Toolkit([Talk], cwd=tmp_path / "space", settings=Settings(results=results))
    kit.agent.policy.grant("Talk", "*")
    path = saved(await kit.call("Talk", words="line\n" * 500))
    again = await kit.call("Read", file_path=str(path), offset=400, limit=1)
    assert again.value.content == "line\n"


async def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("in the way", encoding="utf-8")
    result = await talking(tmp_path).run(words=HINDI)
    assert result.error is not None
    assert (result.error.code, result.error.kind) == ("IO_ERROR", "system_error")
    assert "too long to show, and saving it whole failed" in result.text
    assert os.strerror(errno.ENOTDIR) in result.text


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    script = f"""
        import resource, signal
        from ankrcode.tooling.results import ResultStore
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        try:
            ResultStore({str(tmp_path)!r}).save("x" * 1_000_000)
        except OSError as problem:
            print(problem.strerror)
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == os.strerror(errno.EFBIG)
    assert list(tmp_path.iterdir()) == []
