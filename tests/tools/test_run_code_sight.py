"""RunCode sees the workspace, the system's programs and its own temporary folder. Nothing else."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.settings import SandboxSettings, Settings
from ankrcode.testing import Bench
from ankrcode.tools.run_code import RunCode
from on_disk import folders  # noqa: F401
from sandbox.walls import PRESENT

pytestmark = pytest.mark.parametrize("wall", PRESENT)


class Place:
    """A workspace among other things that are somebody's."""

    def __init__(self, base: Path) -> None:
        self.base, self.work, self.home = base, base / "work", base / "home"
        for folder in (self.work / "deep", self.home / "code", base / "other"):
            folder.mkdir(parents=True)
        for path in (
            *(self.work / "mine", self.work / "deep" / "mine"),
            *(base / "beside", base / "other" / "file", self.home / "diary", self.home / "code/a"),
        ):
            path.write_text(f"canary of {path.name}\n", encoding="utf-8")

    def bench(self, wall: str, **sandbox: Any) -> Bench:
        settings = Settings(sandbox=SandboxSettings(wall=wall, **sandbox))  # type: ignore[arg-type]
        return Bench(RunCode, self.work, settings=settings)


@pytest.fixture
def place(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    assert pytestconfig.cache is not None
    base = Path(pytestconfig.cache.mkdir("sight")) / os.urandom(4).hex()
    monkeypatch.setenv("HOME", str(base / "home"))
    try:
        yield Place(base)
    finally:
        shutil.rmtree(base)


async def shown(bench: Bench, code: str, language: str = "bash", **more: Any) -> str:
    result = await bench.run(language=language, code=code, **more)
    assert result.error is None, result.text
    return str(result.value.stdout)


OUTSIDE = {
    "beside the workspace": "cat {base}/beside",
    "by dots": "cat ../beside",
    "from deeper down": "cd deep; cat ../../beside",
    "in another folder": "cat {base}/other/file",
    "in the home": "cat {home}/diary ~/diary",
    "deep in the home": "cat {home}/code/a",
    "through a link": "ln -s {base}/beside $TMPDIR/l; cat $TMPDIR/l",
    "through /proc": "cat /proc/self/root{base}/beside /proc/self/cwd/../beside",
    "through a hard link": "ln {base}/beside $TMPDIR/l && cat $TMPDIR/l",
    "by a copy": "cp -r {base}/other $TMPDIR/copy; cat $TMPDIR/copy/file",
    "by a search": "grep -rh canary {base}/other {home}",
    "all of it": "tar -cf - {base}/other {home} 2>/dev/null",
}


@pytest.mark.requirement("S2-027")
@pytest.mark.parametrize("script", OUTSIDE.values(), ids=OUTSIDE)
async def test_what_lies_outside_the_workspace_cannot_be_read(
    script: str, wall: str, place: Place
) -> None:
    code = script.replace("{base}", str(place.base)).replace("{home}", str(place.home))
    assert "canary" not in await shown(place.bench(wall), code)


async def test_the_workspace_can_be_read_from_top_to_bottom(wall: str, place: Place) -> None:
    code = f"cat mine deep/mine {place.work}/mine; ls -R | head -99; pwd -P"
    text = await shown(place.bench(wall), code)
    assert text.count("canary of mine") == 3
    assert text.endswith(f"{place.work}\n")


async def test_temporary_files_of_others_cannot_be_read(wall: str, place: Place) -> None:
    theirs = Path("/tmp") / f"ankrcode-test-{os.urandom(6).hex()}"
    theirs.write_text("canary", encoding="utf-8")
    try:
        assert "canary" not in await shown(place.bench(wall), f"cat {theirs}; cat /tmp/*")
    finally:
        theirs.unlink()


PYTHON = {
    "library": "import json, sqlite3, ssl, zoneinfo; print(zoneinfo.ZoneInfo('Asia/Kolkata'))",
    "packages": "import msgspec, pytest; print('Asia/Kolkata')",
    "itself": "import subprocess as s, sys; line = [sys.executable, '-c', 'print(1 + 1)']\n"
    "print(s.run(line, capture_output=True).stdout == b'2\\n' and 'Asia/Kolkata')",
    "temporary files": "import locale, getpass, tempfile\n"
    "with tempfile.TemporaryDirectory() as t: print('Asia/Kolkata')",
    "threads": "from concurrent.futures import ThreadPoolExecutor as T\n"
    "with T() as t: print(*t.map(str.title, ['asia/kolkata']))",
}


@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
async def test_python_has_all_it_needs(code: str, wall: str, place: Place) -> None:
    assert "Asia/Kolkata" in await shown(place.bench(wall), code, "python")


@pytest.mark.parametrize("program", ["git", "awk", "sort", "tar", "find", "date"])
async def test_the_programs_of_the_system_are_there(program: str, wall: str, place: Place) -> None:
    text = await shown(place.bench(wall), f"{program} --version >/dev/null 2>&1; echo $?")
    assert text.strip() != "127"


async def test_programs_on_the_path_are_seen_wherever_they_lie(
    wall: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As version managers put them: below the home, with what they need beside them."""
    tool = place.home / ".tool" / "bin" / "greet"
    tool.parent.mkdir(parents=True)
    (place.home / ".tool" / "words").write_text("नमस्ते", encoding="utf-8")
    tool.write_text('#!/bin/sh\ncat "$(dirname "$0")/../words"\n', encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    text = await shown(place.bench(wall), f"greet; cat {place.home}/diary")
    assert text == "नमस्ते"


@pytest.mark.parametrize("folder", ["bin", ".local/bin"])
async def test_a_folder_of_programs_in_the_home_does_not_show_the_home(
    folder: str, wall: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = place.home / folder
    programs.mkdir(parents=True)
    (programs.parent / "diary").write_text("canary", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    text = await shown(place.bench(wall), f"ls {programs} && echo seen; cat {programs}/../diary")
    assert text == "seen\n"


async def test_a_path_that_names_the_whole_machine_shows_nothing_more(
    wall: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/:{place.home}:.:relative/bin:")
    assert await shown(place.bench(wall), f"cat {place.home}/diary {place.base}/beside") == ""


async def test_keys_inside_what_is_seen_stay_hidden(
    wall: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = place.home / ".cargo"
    (cargo / "bin").mkdir(parents=True)
    (cargo / "credentials.toml").write_text("canary", encoding="utf-8")
    (cargo / "env").write_text("plain", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{cargo}/bin:{os.environ['PATH']}")
    assert await shown(place.bench(wall), f"cat {cargo}/env {cargo}/credentials.toml") == "plain"


async def test_it_can_write_to_its_temporary_folder_and_nowhere_else(
    wall: str, place: Place
) -> None:
    code = (
        "import os, tempfile\n"
        f"places = ['.', 'deep', {str(place.home)!r}, {str(place.base)!r}, '/usr', '/etc',\n"
        " '/var', '/var/tmp', '/opt', '/dev/shm', '/run', '/', '/proc', '/sys/fs/cgroup']\n"
        "for place in [*places, tempfile.gettempdir()]:\n"
        "    try: open(os.path.join(place, 'evil'), 'w').close()\n"
        "    except OSError: continue\n"
        "    print(place)\n"
    )
    result = await place.bench(wall).run(language="python", code=code)
    printed = set(result.value.stdout.split())
    # Behind bubblewrap some of these are private, and gone afterwards.
    private = {"/var/tmp", "/dev/shm", "/run"} if wall == "bubblewrap" else set()
    assert printed - private == {p for p in printed if p.startswith("/tmp")}
    assert len(printed - private) == 1
    assert not list(place.base.rglob("evil"))
    for top in ("/usr", "/etc", "/var", "/var/tmp", "/opt", "/dev/shm", "/run", "/"):
        assert not Path(top, "evil").exists()


async def test_what_it_is_told_by_the_environment_is_little(
    wall: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "DB_PASSWORD"):
        monkeypatch.setenv(name, "canary-0123456789abcdef")
    for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.setenv(name, f"/run/nowhere/{name}")
    text = await shown(place.bench(wall), "env; tr '\\0' '\\n' < /proc/self/environ")
    assert "canary" not in text


@pytest.mark.parametrize("language", ["python", "bash"])
async def test_each_run_starts_afresh(language: str, wall: str, place: Place) -> None:
    bench = place.bench(wall)
    leave = {"python": "import os; os.environ['LEFT'] = '1'; os.chdir('/'); x = 1"}
    look = {"python": "import os; print(os.environ.get('LEFT'), os.getcwd(), 'x' in globals())"}
    leave["bash"], look["bash"] = "export LEFT=1; cd /; x=1", 'echo "$LEFT" "$PWD" "$x"'
    await shown(bench, leave[language], language)
    text = await shown(bench, look[language], language)
    assert (
        text.split()
        == {
            "python": ["None", str(place.work), "False"],
            "bash": [str(place.work)],
        }[language]
    )


async def test_a_traceback_names_the_line_of_the_code(wall: str, place: Place) -> None:
    result = await place.bench(wall).run(language="python", code="x = 1\n\nraise ValueError('no')")
    assert result.value.exit_code == 1
    assert 'main.py", line 3' in result.value.stderr
    assert result.value.stderr.endswith("ValueError: no\n")
    assert sys.prefix not in result.value.stderr
