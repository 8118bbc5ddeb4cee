"""Bash behind the wall, for those who want it always there."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.settings import SandboxSettings, Settings
from ankrcode.errors import ErrorCode
from ankrcode.testing import YES, Bench
from ankrcode.tools.bash import Bash
from sandbox.site import Site
from sandbox.walls import PRESENT


def bench(folder: Path, **sandbox: Any) -> Bench:
    settings = Settings(sandbox=SandboxSettings(**sandbox))
    return Bench(Bash, folder, answers=[YES, YES], settings=settings)


@pytest.mark.requirement("S0-110")
@pytest.mark.parametrize("wall", PRESENT)
async def test_with_the_setting_also_an_approved_command_is_confined(wall: str, site: Site) -> None:
    on = bench(site.work, wall=wall, always=True)
    result = await on.run(command=f"echo 1 > inside; echo 1 > {site.outside}/new; mkdir /usr/evil")
    assert result.metadata["sandbox"] == wall
    assert result.metadata["profile"] == "workspace-write"
    assert (site.work / "inside").exists()
    assert not (site.outside / "new").exists()
    assert f"[sandbox: {wall}]" in result.text


async def test_without_the_setting_it_is_open_and_says_so(site: Site) -> None:
    result = await bench(site.work).run(command=f"echo 1 > {site.outside}/new")
    assert result.ok
    assert result.metadata["profile"] == "open"
    assert (site.outside / "new").exists()


async def test_required_but_missing_is_a_refusal(tmp_path: Path) -> None:
    on = bench(tmp_path, wall="none", always=True, required=True)
    result = await on.run(command="touch was-run")
    assert result.error is not None
    assert result.error.code is ErrorCode.SANDBOX_MISSING
    assert not (tmp_path / "was-run").exists()


async def test_missing_but_not_required_is_told_in_the_result(tmp_path: Path) -> None:
    result = await bench(tmp_path, wall="none", always=True).run(command="true")
    assert result.ok
    assert result.metadata["sandbox"] == "none"


@pytest.mark.parametrize("wall", PRESENT)
async def test_what_was_undone_stands_in_the_result(wall: str, tmp_path: Path) -> None:
    result = await bench(tmp_path, wall=wall, always=True).run(command="echo evil > .zshrc")
    assert "is protected" in result.text
    assert not (tmp_path / ".zshrc").exists()


@pytest.mark.parametrize("wall", PRESENT)
async def test_the_directory_still_goes_along(wall: str, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    on = bench(tmp_path, wall=wall, always=True)
    await on.run(command="cd deep")
    assert (await on.run(command="pwd")).value.output == f"{tmp_path}/deep\n"


@pytest.mark.requirement("S0-167")
@pytest.mark.parametrize("wall", PRESENT)
async def test_in_auto_mode_it_is_the_wall_that_answers_for_a_command(
    wall: str, site: Site
) -> None:
    settings = Settings(sandbox=SandboxSettings(wall=wall))  # type: ignore[arg-type]
    on = Bench(Bash, site.work, mode="auto", settings=settings)
    result = await on.run(command="echo 1 > inside; cat ~/.ssh/id_ed25519; curl -sm 2 127.0.0.1:9")
    if on.asked:  # it is known before it runs that this wants out
        assert result.error is not None
        return
    assert result.metadata["profile"] == "workspace-write"
    assert "canary" not in result.text


@pytest.mark.requirement("S0-167")
async def test_a_wall_is_no_leave_to_skip_the_question(site: Site) -> None:
    settings = Settings(sandbox=SandboxSettings(always=True))
    result = await Bench(Bash, site.work, mode="dontAsk", settings=settings).run(command="touch x")
    assert result.error is not None
    assert result.error.code is ErrorCode.PERMISSION_DENIED
    assert not (site.work / "x").exists()
