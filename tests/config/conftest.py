"""Fixtures of the settings' tests."""

from pathlib import Path

import pytest

from config.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
