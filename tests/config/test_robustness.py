"""Whatever stands in the layers: a clear error or a warning, never a crash, never wider rights."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.config.document import read_document
from ankrcode.config.edit import set_value, unset_value
from ankrcode.config.keys import all_keys
from ankrcode.config.loaded import LoadedSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from config.machine import Machine

NAMES = st.one_of(
    st.sampled_from([part for name in all_keys() for part in (name, *name.split("."))]),
    st.text(max_size=8),
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=10),
        st.sampled_from(["bypass", "debug", "hi", "both", "/etc", 500, 10**30]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
DOCUMENTS = st.one_of(
    st.binary(max_size=200),
    VALUES.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
    st.dictionaries(NAMES, VALUES, max_size=5).map(lambda value: json.dumps(value).encode()),
)
TRUSTED = {name: key.default for name, key in all_keys().items() if not key.is_for_projects}


def attempt(
    *command_line: str, environ: dict[str, str] | None = None, **layers: bytes
) -> LoadedSettings | SettingsError:
    """Load on a machine with these layers; a refusal is a result like another."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        for layer, content in layers.items():
            getattr(machine, layer)(content)
        try:
            return machine.load(*command_line, environ=environ)
        except SettingsError as problem:
            return problem


def is_clear(problem: SettingsError) -> bool:
    text = str(problem)
    return (
        text.replace("\u200c", "").replace("\u200d", "").isprintable()
        and len(text.encode()) < 2_000
    )


def is_sound(outcome: LoadedSettings | SettingsError) -> bool:
    """Either settings that fit their own types, or one clear error."""
    if isinstance(outcome, SettingsError):
        return is_clear(outcome)
    again = msgspec.convert(msgspec.to_builtins(outcome.settings), Settings)
    return again == outcome.settings and all(is_clear(warning) for warning in outcome.warnings)


@given(DOCUMENTS)
def test_a_users_file_is_read_or_refused_with_a_clear_error(content: bytes) -> None:
    assert is_sound(attempt(user=content))


@given(DOCUMENTS)
def test_a_managed_file_is_read_or_refused_with_a_clear_error(content: bytes) -> None:
    assert is_sound(attempt(managed=content))


@given(DOCUMENTS, DOCUMENTS)
def test_no_workspace_stops_the_start_or_widens_its_rights(project: bytes, local: bytes) -> None:
    loaded = attempt(project=project, local=local)
    assert isinstance(loaded, LoadedSettings)
    assert is_sound(loaded)
    assert {name: loaded.value(name) for name in TRUSTED} == TRUSTED


@given(st.dictionaries(NAMES.map(lambda name: f"ANKRCODE_{name.upper()}"), st.text(max_size=10)))
def test_no_environment_does_more_than_raise_a_clear_error(environ: dict[str, str]) -> None:
    assert is_sound(attempt(environ=environ))


@given(st.lists(st.one_of(st.text(), st.tuples(NAMES, st.text()).map("=".join)), max_size=3))
def test_no_command_line_does_more_than_raise_a_clear_error(assignments: list[str]) -> None:
    assert is_sound(attempt(*assignments))


@settings(deadline=None)  # every change is flushed to the disk
@given(DOCUMENTS, st.sampled_from(list(all_keys())), st.text(max_size=8))
def test_a_change_either_fits_or_leaves_every_byte(content: bytes, key: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.json"
        file.write_bytes(content)
        try:
            value = set_value(file, key, text)
        except SettingsError:
            assert file.read_bytes() == content
        else:
            document = json.loads(file.read_text(encoding="utf-8-sig"))
            for part in key.split("."):
                document = document[part]
            assert document == msgspec.to_builtins(value)


@settings(deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sampled_from(list(all_keys())))
def test_setting_and_unsetting_keeps_all_other_values(
    document: dict[str, object], key: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        section = key.partition(".")[0]
        try:
            set_value(file, key, msgspec.json.encode(all_keys()[key].default).decode())
            unset_value(file, key)
        except SettingsError:
            assert not isinstance(document.get(section, {}), dict)
            return
        after = json.loads(file.read_text(encoding="utf-8"))
        assert {name: value for name, value in after.items() if name != section} == {
            name: value for name, value in document.items() if name != section
        }


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_named_with_advice_for_people(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "settings.json")
    with pytest.raises(SettingsError, match=r"settings\.json") as caught:
        read_document(tmp_path / "settings.json")
    assert caught.value.suggestion == "Mend the file, or remove it."
