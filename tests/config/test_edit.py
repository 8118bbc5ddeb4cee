"""Changing one value of a settings file, and nothing else in it."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ankrcode.config.edit import set_value, unset_value
from ankrcode.config.keys import all_keys
from ankrcode.errors import SettingsError
from ankrcode.protocol.permission import Mode
from config.machine import Machine
from people import ordinary_person

CHARS = "limits.result_chars"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_a_value_is_written_and_found_again(machine: Machine) -> None:
    assert set_value(machine.user_file, CHARS, "5000") == 5000
    assert machine.load().value(CHARS) == 5000


def test_the_file_is_written_for_people(machine: Machine) -> None:
    set_value(machine.user_file, CHARS, "5000")
    set_value(machine.user_file, "language", "hi")
    assert machine.user_file.read_text(encoding="utf-8") == (
        '{\n  "limits": {\n    "result_chars": 5000\n  },\n  "language": "hi"\n}\n'
    )


def test_text_that_is_no_json_is_taken_as_text_where_text_fits(machine: Machine) -> None:
    assert set_value(machine.user_file, "permissions.mode", "plan") is Mode.PLAN
    set_value(machine.user_file, "results.folder", "/data")
    saved = json.loads(machine.user_file.read_text(encoding="utf-8"))
    assert saved == {"permissions": {"mode": "plan"}, "results": {"folder": "/data"}}


@pytest.mark.parametrize(
    ("key", "text", "fault"),
    [
        (CHARS, "many", "setting_wrong"),
        (CHARS, "5", "setting_wrong"),
        ("language", "x", "setting_wrong"),
        ("limits", "5", "setting_is_section"),
        ("limits.result_char", "500", "setting_unknown.near"),
        ("sky", "blue", "setting_unknown"),
    ],
)
def test_nothing_is_written_unless_the_value_fits(
    machine: Machine, key: str, text: str, fault: str
) -> None:
    before = machine.user({"language": "hi"}).read_bytes()
    with pytest.raises(SettingsError) as caught:
        set_value(machine.user_file, key, text)
    assert caught.value.key == fault
    assert machine.user_file.read_bytes() == before
    assert names_in(machine.user_file.parent) == {"settings.json"}


def test_other_values_keep_their_order_and_their_spelling(machine: Machine) -> None:
    machine.user(
        '{"zeta": [1, 2.50, 1e3, 123456789012345678901234567890], "limits": {"b": "\\u0041", '
        '"result_chars": 300}, "alpha": {"भाषा": null}}'
    )
    set_value(machine.user_file, CHARS, "400")
    text = machine.user_file.read_text(encoding="utf-8")
    assert list(json.loads(text)) == ["zeta", "limits", "alpha"]
    for spelling in ("2.50", "1e3", "123456789012345678901234567890", '"\\u0041"', '"भाषा": null'):
        assert spelling in text


def test_mark_and_line_ends_of_the_file_stay(machine: Machine) -> None:
    machine.user(b'\xef\xbb\xbf{\r\n  "language": "hi"\r\n}\r\n')
    set_value(machine.user_file, "log.level", "info")
    content = machine.user_file.read_bytes()
    assert content.startswith(b'\xef\xbb\xbf{\r\n  "language": "hi",\r\n')
    assert content.count(b"\n") == content.count(b"\r\n")
    assert machine.load().settings.log.level == "info"


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"a": 1,}', b"[" * 99_999])
def test_a_file_that_is_not_understood_is_not_touched(machine: Machine, content: bytes) -> None:
    machine.user(content)
    for change in (
        lambda: set_value(machine.user_file, "language", "hi"),
        lambda: unset_value(machine.user_file, "language"),
    ):
        with pytest.raises(SettingsError):
            change()
        assert machine.user_file.read_bytes() == content


def test_a_value_in_place_of_a_section_is_not_overwritten(machine: Machine) -> None:
    machine.user({"limits": 5})
    with pytest.raises(SettingsError, match="'limits' is a group of settings"):
        set_value(machine.user_file, CHARS, "500")


def test_a_new_file_and_its_folder_belong_to_their_owner_alone(machine: Machine) -> None:
    set_value(machine.user_file, "language", "hi")
    assert mode_of(machine.user_file) == 0o600
    assert mode_of(machine.user_file.parent) == 0o700


def test_a_file_keeps_its_mode(machine: Machine) -> None:
    machine.user({}).chmod(0o640)
    set_value(machine.user_file, "language", "hi")
    assert mode_of(machine.user_file) == 0o640


def test_nothing_is_left_beside_the_file_but_its_lock(machine: Machine) -> None:
    set_value(machine.user_file, "language", "hi")
    assert names_in(machine.user_file.parent) == {"settings.json", ".settings.json.lock"}


def test_a_linked_file_is_changed_where_it_is(machine: Machine, tmp_path: Path) -> None:
    target = machine.write(tmp_path / "dotfiles" / "mine.json", {"language": "hi"})
    machine.user_file.parent.mkdir(parents=True)
    machine.user_file.symlink_to(target)
    set_value(machine.user_file, CHARS, "900")
    assert machine.user_file.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8"))["limits"] == {"result_chars": 900}


def test_a_link_to_nowhere_makes_the_file_it_leads_to(machine: Machine, tmp_path: Path) -> None:
    machine.user_file.parent.mkdir(parents=True)
    machine.user_file.symlink_to(tmp_path / "new.json")
    set_value(machine.user_file, "language", "hi")
    assert (tmp_path / "new.json").is_file()


def test_a_lock_that_is_a_link_is_refused(machine: Machine, tmp_path: Path) -> None:
    machine.user({})
    precious = machine.write(tmp_path / "precious", "data")
    machine.user_file.with_name(".settings.json.lock").symlink_to(precious)
    with pytest.raises(SettingsError) as caught:
        set_value(machine.user_file, "language", "hi")
    assert caught.value.key == "settings_unwritable"
    assert precious.read_text(encoding="utf-8") == "data"


def test_a_folder_that_may_not_be_written_is_told(machine: Machine) -> None:
    folder = machine.user({}).parent
    folder.chmod(0o500)
    told = pytest.raises(SettingsError, match="could not be written: Permission denied")
    with ordinary_person(owns=folder), told:
        set_value(machine.user_file, "language", "hi")


def test_a_file_in_place_of_the_folder_is_told(machine: Machine) -> None:
    machine.write(machine.user_file.parent, "in the way")
    with pytest.raises(SettingsError, match="could not be written"):
        set_value(machine.user_file, "language", "hi")


# --- files of a workspace


def test_a_project_file_takes_what_a_project_may_set(machine: Machine) -> None:
    set_value(machine.project_file, CHARS, "700", root=machine.root)
    assert machine.load().value(CHARS) == 700


@pytest.mark.parametrize(
    "key",
    [key for key in all_keys().values() if not (key.is_for_projects or key.needs_trust)],
)
def test_a_project_file_takes_nothing_else(machine: Machine, key: object) -> None:
    name, default = getattr(key, "name", ""), getattr(key, "default", "")
    with pytest.raises(SettingsError) as caught:
        set_value(machine.project_file, name, str(default), root=machine.root)
    assert caught.value.key == "setting_not_here"
    assert f"ankrcode config set {name}" in caught.value.suggestion
    assert not machine.project_file.exists()


def test_a_project_file_that_is_a_link_out_of_the_project_is_refused(machine: Machine) -> None:
    before = machine.user({"language": "hi"}).read_bytes()
    machine.project_file.parent.mkdir()
    machine.project_file.symlink_to(machine.user_file)
    with pytest.raises(SettingsError, match="outside the workspace"):
        set_value(machine.project_file, CHARS, "700", root=machine.root)
    assert machine.user_file.read_bytes() == before


def test_a_project_folder_that_is_a_link_out_of_the_project_is_refused(machine: Machine) -> None:
    machine.user({})
    machine.project_file.parent.symlink_to(machine.user_file.parent)
    with pytest.raises(SettingsError, match="outside the workspace"):
        set_value(machine.project_file, CHARS, "700", root=machine.root)


def test_a_workspace_that_does_not_exist_is_not_made(machine: Machine) -> None:
    gone = machine.root / "gone"
    with pytest.raises(SettingsError, match="No such file"):
        set_value(gone / ".ankrcode" / "settings.json", CHARS, "700", root=gone)
    assert not gone.exists()


# --- taking values out


def test_a_value_is_taken_out_and_its_empty_section_too(machine: Machine) -> None:
    machine.user({"limits": {"result_chars": 500}, "language": "hi"})
    assert unset_value(machine.user_file, CHARS)
    assert json.loads(machine.user_file.read_text(encoding="utf-8")) == {"language": "hi"}


def test_the_rest_of_a_section_stays(machine: Machine) -> None:
    machine.user({"limits": {"result_chars": 500, "concurrent_calls": 2}})
    assert unset_value(machine.user_file, CHARS)
    saved = json.loads(machine.user_file.read_text(encoding="utf-8"))
    assert saved == {"limits": {"concurrent_calls": 2}}


def test_taking_out_what_is_not_there_changes_nothing(machine: Machine) -> None:
    content = b'{"language":"hi",   "limits":{}}'
    machine.user(content)
    assert not unset_value(machine.user_file, CHARS)
    assert machine.user_file.read_bytes() == content


def test_taking_out_of_no_file_makes_none(machine: Machine) -> None:
    assert not unset_value(machine.user_file, CHARS)
    assert not machine.user_file.parent.exists()


def test_a_key_that_does_not_exist_can_be_taken_out(machine: Machine) -> None:
    machine.user({"colour": "blue", "limits": {"old": 1}})
    assert unset_value(machine.user_file, "colour")
    assert unset_value(machine.user_file, "limits.old")
    assert machine.load().warnings == ()


def test_a_key_that_neither_exists_nor_is_there_is_told(machine: Machine) -> None:
    machine.user({})
    with pytest.raises(SettingsError, match="no setting 'langauge'"):
        unset_value(machine.user_file, "langauge")


# --- several at once

SETTER = """
import sys
from pathlib import Path
from ankrcode.config.edit import set_value
file, key, values = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
sys.stdin.read()  # all start when the test closes this
for value in values:
    set_value(file, key, value)
"""


def test_setters_at_the_same_time_do_not_lose_each_others_values(machine: Machine) -> None:
    work = {
        "language": ("en", "hi"),
        CHARS: ("1000", "2000"),
        "limits.concurrent_calls": ("3", "5"),
        "limits.call_timeout_s": ("30", "60"),
        "log.level": ("info", "debug"),
        "log.files": ("4", "6"),
    }
    setters = [
        subprocess.Popen(
            [sys.executable, "-c", SETTER, str(machine.user_file), key, *(values * 8)],
            stdin=subprocess.PIPE,
        )
        for key, values in work.items()
    ]
    for setter in setters:
        assert setter.stdin
        setter.stdin.close()
    assert [setter.wait(timeout=60) for setter in setters] == [0] * len(setters)
    loaded = machine.load()
    for key, values in work.items():
        assert loaded.value(key) == all_keys()[key].parse(values[-1], "test")


READER = """
import sys
from pathlib import Path
from ankrcode.config.document import read_document
file = Path(sys.argv[1])
print("ready", flush=True)
seen = set()
while "stop" not in seen:
    seen.add(read_document(file)["results"]["folder"].rsplit("/")[-1])
"""


def test_a_reader_never_sees_a_half_written_file(machine: Machine) -> None:
    set_value(machine.user_file, "results.folder", "/start")
    command = [sys.executable, "-c", READER, str(machine.user_file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        try:
            assert reader.stdout
            assert reader.stdout.readline() == "ready\n"
            for number in range(60):
                set_value(machine.user_file, "results.folder", "/" + "x" * (number * 50))
            set_value(machine.user_file, "results.folder", "/stop")
            assert reader.wait(timeout=60) == 0
        finally:
            reader.kill()  # one that saw no end would read for ever
