"""A fresh machine: no key, no network, no rg on PATH. Real work, through the real doors."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from frontends.command import ankrcode
from frontends.rocket_bench import small_project

REPOSITORY = Path(__file__).parents[2]
PATIENCE_S = 60.0
SENTENCES = [
    "README.md padho",
    "src mein TODO dhoondo",
    "tests chalao",
    'app.py mein "foo" ko "bar" se badlo',
    "wapas lo",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "small project")


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """What such a machine offers: the usual programs, a python with pytest, nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "bash", "env", "cat", "ls", "git", "make", "awk", "touch", "rm", "uname"):
        if place := shutil.which(name):
            (folder / name).symlink_to(place)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (folder / "python3").symlink_to(python)
    assert not (folder / "rg").exists()
    proxies = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return {"PATH": str(folder), **proxies, "ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}


@pytest.mark.requirement("S0-149")
def test_the_five_sentences_do_what_they_say(project: Path, machine: dict[str, str]) -> None:
    app = project / "app.py"
    shown = {}
    for sentence in SENTENCES[:4]:
        done = ankrcode("rl", sentence, cwd=project, env=machine)
        assert done.returncode == 0, (sentence, done.stdout, done.stderr)
        shown[sentence] = done.stdout
    assert "A small project." in shown["README.md padho"]
    assert f"{project}/src/work.py" in shown["src mein TODO dhoondo"]
    assert "1 passed" in shown["tests chalao"]
    assert app.read_text(encoding="utf-8") == 'NAME = "bar"\n'
    done = ankrcode("rl", "wapas lo", cwd=project, env=machine)
    assert done.returncode == 0, done.stderr
    assert app.read_text(encoding="utf-8") == 'NAME = "foo"\n'


def test_line_by_line_they_do_the_same(project: Path, machine: dict[str, str]) -> None:
    done = ankrcode(cwd=project, env=machine, given="\n".join(SENTENCES))
    assert (done.returncode, done.stderr) == (0, "")
    places = [done.stdout.find(text) for text in ("A small", "work.py", "1 passed", '"bar"', "~ ")]
    assert places == sorted(places)
    assert -1 not in places
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "foo"\n'


def made(*arguments: str, machine: dict[str, str], given: str = "") -> tuple[int, str]:
    """`make run`, as it stands after a first build."""
    done = subprocess.run(
        ["make", "--no-print-directory", "-o", ".venv/.run", "run", *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **machine},
        input=given.encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_make_run_is_the_same_door(project: Path, machine: dict[str, str]) -> None:
    here = f"--cwd '{project}'"
    for sentence in SENTENCES:
        quoted = sentence.replace('"', '\\"')
        code, said = made(f'ARGS={here} rl "{quoted}"', machine=machine)
        assert code == 0, (sentence, said)
    code, said = made(f"ARGS={here}", machine=machine, given="\n".join(SENTENCES))
    assert code == 0, said
    assert "1 passed" in said
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "foo"\n'
