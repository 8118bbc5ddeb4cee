"""A plain `sed -i` is understood, and worked out by sed itself."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.processes.sed import understood, worked_out
from torture import examples

PLAIN = [
    "sed -i 's/a/b/' f.txt",
    "sed -i s/a/b/g f.txt",
    'sed -i "s/a b/c/" f.txt',
    "sed -i 's|/usr|/opt|g' f.txt",
    "sed -i -E 's/(a+)b/\\1/' f.txt",
    "sed -E -i 's/(a|b)/x/I' f.txt",
    "sed -i -e 's/a/b/' -e 's/c/d/2' f.txt",
    "sed -i 's/a/b/;s/c/d/' f.txt",
    "sed -i '2s/a/b/' f.txt",
    "sed -i '/x y/,$s/a/b/' f.txt",
    "sed -i '1,3d' f.txt",
    "sed -i '/^#/d' f.txt",
    "sed -i '2!s/a/\\//' f.txt",
    "  sed  --in-place  's/a/b/'  f.txt ",
    "sed -i 's/a/\\n/' f.txt",
]
NOT_PLAIN = [
    "sed 's/a/b/' f.txt",
    "sed -i.bak 's/a/b/' f.txt",
    "sed -i '' 's/a/b/' f.txt",
    "sed -i 's/a/b/' one two",
    "sed -i 's/a/b/' *.txt",
    "sed -i 's/a/b/' $FILE",
    'sed -i "s/a/$B/" f.txt',
    "sed -i 's/a/b/' ~/f.txt",
    "sed -i 's/a/b/' f.txt; rm x",
    "sed -i 's/a/b/' f.txt && make",
    "sed -i 's/a/b/' f.txt > out",
    "sed -i 's/a/b/w out' f.txt",
    "sed -i 's/a/rm x/e' f.txt",
    "sed -i 'e rm x' f.txt",
    "sed -i 'w out' f.txt",
    "sed -i 'r /etc/passwd' f.txt",
    "sed -i '1i\\text' f.txt",
    "sed -i 's/a/b' f.txt",
    "sed -i -n 's/a/b/p' f.txt",
    "sed -i -f script f.txt",
    "sed -i 's/a/b/'",
    "sed -i",
    "sudo sed -i 's/a/b/' f.txt",
    "sed -i 's/a/b/' `x`",
    "sed -i 's/a/b/' f.txt\nrm x",
    "",
]
TEXT = b"a b a b\nx y a\n# comment\n/usr/lib c c c\naab Ab\n"


@pytest.mark.parametrize("command", NOT_PLAIN)
def test_whatever_does_more_is_an_ordinary_command(command: str) -> None:
    assert understood(command) is None


@pytest.mark.parametrize("command", PLAIN)
def test_what_is_worked_out_is_what_sed_would_have_done(command: str, tmp_path: Path) -> None:
    edit = understood(command)
    assert edit is not None
    assert edit.path == "f.txt"
    (tmp_path / "f.txt").write_bytes(TEXT)
    ours = worked_out(edit, TEXT, os.environ)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, timeout=20)
    assert ours == (tmp_path / "f.txt").read_bytes() != TEXT


def test_a_script_that_sed_refuses_is_left_to_sed() -> None:
    edit = understood("sed -i 's/[/x/' f.txt")
    assert edit is not None
    assert worked_out(edit, TEXT, os.environ) is None


def test_bytes_that_are_no_text_pass_unharmed() -> None:
    edit = understood("sed -i 's/a/b/' f.txt")
    assert edit is not None
    assert worked_out(edit, b"\xff\0a\r\n", os.environ) == b"\xff\0b\r\n"


@given(script=st.text(st.sampled_from("s/d;,$!0123gIwer\\n ab{}|\n"), max_size=25))
@examples(in_ci=150, in_torture=10_000)
@pytest.mark.torture
def test_no_script_that_is_called_plain_touches_anything_but_the_text(
    script: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    edit = understood(f"sed -i '{script}' f.txt")
    if edit is None:
        return
    folder = tmp_path_factory.mktemp("sed")
    before = Path.cwd()
    os.chdir(folder)
    try:
        worked_out(edit, TEXT, os.environ)
        assert list(folder.iterdir()) == []
    finally:
        os.chdir(before)
        shutil.rmtree(folder)
