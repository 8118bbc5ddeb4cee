"""For tests that need folders on a disk: `from on_disk import folders`."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A wall shows a `/dev` of its own: what it must hide and keep lies elsewhere."""
    base = tmp_path_factory.mktemp("folders")
    base.chmod(0o711)  # for tests that become somebody else
    return (base / str(number) for number in count())
