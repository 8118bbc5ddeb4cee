"""What the tests of the sandbox share."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from pwd import getpwuid

import pytest

from on_disk import folders
from sandbox.site import Site, opened

__all__ = ["folders", "site"]


@pytest.fixture
def site(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Not below /tmp, which a wall replaces anyway: there it would be too easy."""
    assert pytestconfig.cache is not None
    near = Path(pytestconfig.cache.mkdir("escapes"))
    around = Path(getpwuid(os.getuid()).pw_dir) if near.is_relative_to("/tmp") else near
    base = around / os.urandom(4).hex()
    monkeypatch.setenv("HOME", str(base / "home"))
    # Where an attack has spoilt a repository, git must not take the one around all of this for it.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(base))
    try:
        with opened(base) as site:
            yield site
    finally:
        for place in (base, f"{base}-moved"):
            shutil.rmtree(place, ignore_errors=True)
