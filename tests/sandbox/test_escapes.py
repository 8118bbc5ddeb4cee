"""Real programs that try to get out, behind each wall that stands here."""

import pytest

from sandbox.escapes import ESCAPES, KNOWN_GAPS, Escape
from sandbox.site import Site, attempt
from sandbox.walls import PRESENT

BY_NAME = {escape.name: escape for escape in ESCAPES}


def test_there_are_plenty_of_them_and_each_has_its_name() -> None:
    assert len(ESCAPES) == len(BY_NAME) >= 30
    assert all(names <= set(BY_NAME) for names in KNOWN_GAPS.values())


@pytest.mark.parametrize("wall", PRESENT)
@pytest.mark.parametrize("escape", ESCAPES, ids=lambda e: e.name)
def test_behind_a_wall_it_does_none(escape: Escape, wall: str, site: Site) -> None:
    expected = {escape.harm} if escape.name in KNOWN_GAPS.get(wall, ()) else set()
    assert attempt(escape, site, wall, "workspace-write") == expected


READ_ONLY = (
    "write a new file",
    "write a hook",
    "TCP",
    "UDP",
    "read a private key",
    "kill a process",
)


@pytest.mark.parametrize("wall", PRESENT)
@pytest.mark.parametrize("name", READ_ONLY)
def test_the_narrower_profile_holds_as_well(name: str, wall: str, site: Site) -> None:
    assert attempt(BY_NAME[name], site, wall, "read-only") == set()
