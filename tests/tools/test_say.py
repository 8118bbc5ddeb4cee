"""Say: a text for the person, exactly as given."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ankrcode.testing import Bench
from ankrcode.tools.say import Say


async def test_it_says_what_it_is_given(tmp_path: Path) -> None:
    bench = Bench(Say, tmp_path)
    result = await bench.run(text="नमस्ते {x} $y\n  दुनिया  ")
    assert (result.ok, result.text) == (True, "नमस्ते {x} $y\n  दुनिया  ")
    assert bench.asked == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=100))
async def test_no_letter_of_it_is_changed(tmp_path: Path, text: str) -> None:
    assert (await Bench(Say, tmp_path).run(text=text)).text == text


@pytest.mark.parametrize("mode", ["plan", "dontAsk", "default"])
async def test_it_touches_nothing_and_so_runs_in_every_mode(mode: str, tmp_path: Path) -> None:
    assert (await Bench(Say, tmp_path, mode=mode).run(text="hi")).ok


async def test_a_text_must_be_given(tmp_path: Path) -> None:
    assert not (await Bench(Say, tmp_path).run()).ok


async def test_nothing_is_an_empty_line(tmp_path: Path) -> None:
    assert (await Bench(Say, tmp_path).run(text="")).text == "\n"
