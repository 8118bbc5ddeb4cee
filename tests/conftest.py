"""What every test may use."""

import os
import signal
from pathlib import Path

import pytest

pytest_plugins = ["requirement_plugin"]

# A shell starts what it puts in the background with interrupts ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has a home of its own: no test reads or changes the person's settings."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        if name.startswith(("ANKRCODE_", "XDG_")) and name != "ANKRCODE_TORTURE":
            monkeypatch.delenv(name)
    monkeypatch.delenv("AGENT_WORKSPACE_ROOT", raising=False)
    return home
