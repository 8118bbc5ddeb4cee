"""What the tests of files share."""

from pathlib import Path
from tempfile import mkdtemp

import pytest


@pytest.fixture
def tmp_path(memory: Path) -> Path:
    """In memory: much of what is tested here waits until it is safe on the disk."""
    return Path(mkdtemp(dir=memory))
