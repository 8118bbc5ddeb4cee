"""Where things are kept."""

import os
import stat
from pathlib import Path
from pwd import getpwuid

import pytest

from ankrcode.config import paths


def test_the_usual_places_are_below_the_home_folder() -> None:
    environ = {"HOME": "/home/asha"}
    assert paths.config_file(environ) == Path("/home/asha/.config/ankrcode/settings.json")
    assert paths.state_folder(environ) == Path("/home/asha/.local/state/ankrcode")
    assert paths.cache_folder(environ) == Path("/home/asha/.cache/ankrcode")


def test_the_xdg_variables_move_each_place() -> None:
    environ = {
        "HOME": "/home/asha",
        "XDG_CONFIG_HOME": "/c",
        "XDG_STATE_HOME": "/s",
        "XDG_CACHE_HOME": "/t",
    }
    assert paths.config_file(environ) == Path("/c/ankrcode/settings.json")
    assert paths.state_folder(environ) == Path("/s/ankrcode")
    assert paths.cache_folder(environ) == Path("/t/ankrcode")


@pytest.mark.parametrize("value", ["", "relative/folder", "./here", "~/config"])
def test_a_relative_xdg_value_is_ignored(value: str) -> None:
    environ = {"HOME": "/home/asha", "XDG_CONFIG_HOME": value, "XDG_STATE_HOME": value}
    assert paths.config_file(environ) == Path("/home/asha/.config/ankrcode/settings.json")
    assert paths.state_folder(environ) == Path("/home/asha/.local/state/ankrcode")


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "not/absolute"}])
def test_without_a_usable_home_the_system_is_asked(environ: dict[str, str]) -> None:
    home = Path(getpwuid(os.getuid()).pw_dir)
    assert paths.cache_folder(environ) == home / ".cache" / "ankrcode"


def test_the_home_is_not_needed_where_xdg_says_everything() -> None:
    assert paths.config_file({"XDG_CONFIG_HOME": "/c"}) == Path("/c/ankrcode/settings.json")


def test_a_workspace_has_two_settings_files() -> None:
    root = Path("/project")
    assert paths.project_file(root) == Path("/project/.ankrcode/settings.json")
    assert paths.local_file(root) == Path("/project/.ankrcode/settings.local.json")


def test_a_private_folder_and_its_missing_parents_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c"
    assert paths.make_private(folder) == folder
    for made in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_folder_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    paths.make_private(folder / "inner")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_private_folder_may_be_asked_for_twice(tmp_path: Path) -> None:
    paths.make_private(tmp_path / "x")
    assert paths.make_private(tmp_path / "x").is_dir()


def test_a_file_in_the_way_of_a_folder_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("in the way", encoding="utf-8")
    with pytest.raises(FileExistsError):
        paths.make_private(tmp_path / "x")
