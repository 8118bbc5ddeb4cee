"""What every test may use."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import pytest

IN_MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30

pytest_plugins = ["requirement_plugin", "fold_plugin"]

# A shell starts what it puts in the background with interrupts ignored, and children inherit that;
# nohup does the same with another signal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All that is collected stays to the end: it is never searched for garbage."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.fixture(scope="session")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: waiting until the disk has it takes no time."""
    if not IN_MEMORY.is_dir() or shutil.disk_usage(IN_MEMORY).free < ROOM_BYTES:
        yield tmp_path_factory.mktemp("memory")
        return
    made = tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="ankr-", ignore_cleanup_errors=True)
    with made as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def folders(memory: Path) -> Iterator[Path]:
    """Folders that are there for no one yet; made by hand, as there are two for each test."""
    memory.chmod(0o711)  # for tests that become somebody else
    return (memory / str(number) for number in count())


@pytest.fixture
def tmp_path(folders: Iterator[Path]) -> Iterator[Path]:
    """An empty folder in memory, gone afterwards: pytest's own looks through all others first."""
    folder = next(folders)
    folder.mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def own_home(folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test has a home of its own: no test reads or changes the person's settings."""
    home = next(folders)
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        if name.startswith(("ANKRCODE_", "XDG_")) and name != "ANKRCODE_TORTURE":
            monkeypatch.delenv(name)
    monkeypatch.delenv("AGENT_WORKSPACE_ROOT", raising=False)
    yield home
    shutil.rmtree(home, ignore_errors=True)
