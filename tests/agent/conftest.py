"""What every test of the agent may rely on."""

from collections.abc import Iterator
from typing import Any

import pytest

from ankrcode import Toolkit


@pytest.fixture(autouse=True)
def closed_kits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test left open is closed behind it: later Pythons warn of open databases."""
    made: list[Toolkit] = []
    begin = Toolkit.__init__

    def noted(self: Toolkit, *args: Any, **more: Any) -> None:
        begin(self, *args, **more)
        made.append(self)

    monkeypatch.setattr(Toolkit, "__init__", noted)
    # A source mended within its second, and as long as before, would not be compiled again.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    yield
    for kit in made:
        kit.close()
