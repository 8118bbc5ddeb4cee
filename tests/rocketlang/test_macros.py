"""Commands of one's own, from a file."""

from pathlib import Path

import pytest

from ankrcode.errors import SettingsError
from ankrcode.rocketlang.api import parse, play
from ankrcode.rocketlang.macros import MAX_BYTES, load_macros
from rocketlang.scripts import as_pair, bash


def test_the_macros_of_a_file_become_commands(tmp_path: Path) -> None:
    file = tmp_path / "macros.rl"
    text = "# ours\nmacro ship\n push karo\nend\nकाम जाँच\n test चलाओ\nखत्म\n"
    file.write_text(text, encoding="utf-8")
    macros = load_macros(file)
    assert list(macros) == ["ship", "जाँच"]
    for sentence, command in {
        "ship karo": "git push",
        "/ship": "git push",
        "जाँच करो": "python -m pytest -q",
    }.items():
        calls = play(parse(sentence, macros=macros))
        assert [as_pair(one) for one in calls] == [bash(command)]


def test_what_is_no_macro_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "macros.rl"
    file.write_text('old.log hatao\nx = "1"\nmacro a\n push karo\nend\n', encoding="utf-8")
    assert list(load_macros(file)) == ["a"]


def test_no_file_means_no_macros(tmp_path: Path) -> None:
    assert load_macros(tmp_path / "macros.rl") == {}
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert load_macros(tmp_path / "file" / "macros.rl") == {}


@pytest.mark.parametrize("content", [b"macro a\n push karo\n", b"x" * (MAX_BYTES + 1)])
def test_a_file_that_cannot_be_used_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "macros.rl"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_macros(file)
    assert str(file) in str(caught.value)


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "macros.rl").mkdir()
    with pytest.raises(SettingsError):
        load_macros(tmp_path / "macros.rl")
