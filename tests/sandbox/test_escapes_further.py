"""The less obvious ways out, behind each wall that stands here; and that they are ways out."""

import pytest

from sandbox.escapes import STAYS, Escape
from sandbox.escapes_further import FURTHER, FURTHER_GAPS
from sandbox.site import Site, attempt
from sandbox.walls import PRESENT

BY_NAME = {escape.name: escape for escape in FURTHER}


def test_each_has_its_name() -> None:
    assert len(BY_NAME) == len(FURTHER)
    assert all(names <= set(BY_NAME) for names in FURTHER_GAPS.values())


@pytest.mark.parametrize("wall", PRESENT)
@pytest.mark.parametrize("escape", FURTHER, ids=lambda e: e.name)
def test_behind_a_wall_it_does_no_harm(escape: Escape, wall: str, site: Site) -> None:
    expected = {escape.harm} if escape.name in FURTHER_GAPS.get(wall, ()) else set()
    assert attempt(escape, site, wall, "workspace-write") - {STAYS} == expected


@pytest.mark.parametrize("escape", [e for e in FURTHER if e.is_safe_without], ids=lambda e: e.name)
def test_without_a_wall_it_does_its_harm(escape: Escape, site: Site) -> None:
    assert escape.harm in attempt(escape, site, "none", "open")
