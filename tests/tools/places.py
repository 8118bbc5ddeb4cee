"""A place for commands that will not go away: what they leave is found, whatever it calls itself.

Every process of a command inherits a variable by which it is known.
"""

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash
from workspace.running import bearing, descriptors, long_sleep, settle


class Place(NamedTuple):
    bench: Bench
    mark: str

    def prepared(self, command: str) -> str:
        return command.replace("SLEEP", long_sleep()).replace("PYTHON", sys.executable)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("ANKRCODE_TEST_MARK", mark)
    bench = Bench(Bash, tmp_path, mode="bypass")
    before = descriptors()
    yield Place(bench, mark)
    assert bench.kit.agent.processes.running == ()
    assert bearing(mark) == []
    bench.kit.close()
    settle(descriptors, before)
