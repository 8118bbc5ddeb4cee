"""The same programs without a wall: each is a real attack, or the other tests show nothing."""

import pytest

from sandbox.escapes import ESCAPES, STAYS, Escape
from sandbox.site import Site, attempt

# Processes see to it by themselves that ordinary daemons do not stay.
REAL = [e for e in ESCAPES if e.is_safe_without and (e.harm != STAYS or "mark" in e.name)]


@pytest.mark.parametrize("escape", REAL, ids=lambda e: e.name)
def test_without_a_wall_it_does_its_harm(escape: Escape, site: Site) -> None:
    assert escape.harm in attempt(escape, site, "none", "open")
