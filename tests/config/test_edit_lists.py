"""Adding to a list in a settings file and taking from it, and nothing else in the file changes."""

import json
import threading
from pathlib import Path

import pytest

from ankrcode.config.edit import add_to_list, remove_from_list
from ankrcode.errors import SettingsError

KEY = "permissions.allow"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_that_is_not_there_is_made(file: Path) -> None:
    assert add_to_list(file, KEY, ["A", "B"])
    assert json.loads(file.read_bytes()) == {"permissions": {"allow": ["A", "B"]}}
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("before", "items", "after"),
    [
        ("{}", ["A"], {"permissions": {"allow": ["A"]}}),
        ('{"language": "hi"}', ["A"], {"language": "hi", "permissions": {"allow": ["A"]}}),
        ('{"permissions": {"allow": ["A"]}}', ["B"], {"permissions": {"allow": ["A", "B"]}}),
        (
            '{"permissions": {"allow": ["B", "A"]}}',
            ["A", "C"],
            {"permissions": {"allow": ["B", "A", "C"]}},
        ),
        (
            '{"permissions": {"deny": ["A"]}}',
            ["A"],
            {"permissions": {"deny": ["A"], "allow": ["A"]}},
        ),
        ('{"permissions": {"allow": []}}', ["A"], {"permissions": {"allow": ["A"]}}),
    ],
)
def test_what_is_new_is_put_at_the_end(
    before: str, items: list[str], after: object, file: Path
) -> None:
    assert add_to_list(written(file, before), KEY, items)
    assert json.loads(file.read_bytes()) == after


def test_what_is_there_already_changes_nothing(file: Path) -> None:
    text = '{ "permissions" : {"allow":["A",   "B"]} }'
    assert not add_to_list(written(file, text), KEY, ["B", "A"])
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("before", "was_there", "after"),
    [
        ('{"permissions": {"allow": ["A", "B"]}}', True, {"permissions": {"allow": ["B"]}}),
        ('{"permissions": {"allow": ["A"]}}', True, {}),
        (
            '{"permissions": {"allow": ["A"], "deny": ["A"]}}',
            True,
            {"permissions": {"deny": ["A"]}},
        ),
        ('{"permissions": {"allow": ["A", "A"]}}', True, {}),
        ('{"permissions": {"allow": ["B"]}}', False, {"permissions": {"allow": ["B"]}}),
        ('{"language": "hi"}', False, {"language": "hi"}),
    ],
)
def test_taking_out_leaves_nothing_empty_behind(
    before: str, was_there: bool, after: object, file: Path
) -> None:
    assert remove_from_list(written(file, before), KEY, "A") is was_there
    assert json.loads(file.read_bytes()) == after


def test_nothing_is_taken_out_of_a_file_that_is_not_there(file: Path) -> None:
    assert not remove_from_list(file, KEY, "A")
    assert not file.exists()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"permissions": []}',
        '{"permissions": {"allow": "A"}}',
        '{"permissions": {"allow": [5]}}',
    ],
)
def test_a_file_that_is_wrong_is_not_touched(text: str, file: Path) -> None:
    written(file, text)
    with pytest.raises(SettingsError):
        add_to_list(file, KEY, ["A"])
    with pytest.raises(SettingsError):
        remove_from_list(file, KEY, "A")
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_leads_out_of_its_workspace_is_refused(tmp_path: Path, file: Path) -> None:
    root = tmp_path / "root"
    (root / ".ankrcode").mkdir(parents=True)
    link = root / ".ankrcode" / "settings.local.json"
    link.symlink_to(written(file, "{}"))
    with pytest.raises(SettingsError):
        add_to_list(link, KEY, ["A"], root=root)
    assert file.read_text(encoding="utf-8") == "{}"


def test_a_key_that_does_not_exist_is_refused(file: Path) -> None:
    with pytest.raises(SettingsError, match="permissions"):
        add_to_list(file, "permissions.alow", ["A"])


def test_a_list_that_would_grow_too_long_is_refused(file: Path) -> None:
    add_to_list(file, KEY, [f"R{n}" for n in range(1_000)])
    with pytest.raises(SettingsError):
        add_to_list(file, KEY, ["one more"])
    assert len(json.loads(file.read_bytes())["permissions"]["allow"]) == 1_000


def test_many_at_once_lose_nothing(file: Path) -> None:
    def add(number: int) -> None:
        for turn in range(5):
            add_to_list(file, KEY, [f"{number}-{turn}"])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads(file.read_bytes())["permissions"]["allow"]) == 30
