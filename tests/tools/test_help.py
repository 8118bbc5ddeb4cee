"""Help: what can be done, with examples in the person's language."""

from pathlib import Path

import pytest

from ankrcode import Toolkit
from ankrcode.config.settings import Settings
from ankrcode.testing import Bench
from ankrcode.tools import definitions
from ankrcode.tools.help import Help


async def test_the_overview_names_the_tools_and_shows_examples(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    result = await kit.call("Help")
    assert result.ok
    assert "wapas lo" in result.text
    for name in ("Read", "Undo", "Bash"):
        assert name in result.text.splitlines()[-1]


@pytest.mark.parametrize(
    ("language", "word"),
    [
        *(("en", "read src/app.py"), ("hi", "पढ़ो"), ("hi-Latn", "padho"), ("mr", "वाचा")),
        *(("mr-Latn", "vacha"), ("ta", "படி"), ("ta-Latn", "padi"), ("te", "చదువు")),
        *(("te-Latn", "chaduvu"), ("kn", "ಓದು"), ("kn-Latn", "odu"), ("tlh", "read src/app.py")),
    ],
)
async def test_the_examples_are_in_the_language_that_is_asked_for(
    language: str, word: str, tmp_path: Path
) -> None:
    assert word in (await Bench(Help, tmp_path).run(language=language)).text
    bench = Bench(Help, tmp_path, settings=Settings(language=language))
    assert word in (await bench.run()).text


@pytest.mark.parametrize("topic", ["Read", "read", "APPLYPATCH"])
async def test_one_tool_is_told_about_whatever_the_letters(topic: str, tmp_path: Path) -> None:
    result = await Bench(Help, tmp_path).run(topic=topic)
    (one,) = [one for one in definitions().values() if one.name.lower() == topic.lower()]
    assert result.text.startswith(f"{one.name}: {one.summary}")


async def test_a_tool_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    result = await Bench(Help, tmp_path).run(topic="Fly")
    assert not result.ok
    assert "Read" in result.text


@pytest.mark.parametrize("mode", ["plan", "dontAsk"])
async def test_it_touches_nothing_and_so_runs_in_every_mode(mode: str, tmp_path: Path) -> None:
    assert (await Bench(Help, tmp_path, mode=mode).run()).ok
