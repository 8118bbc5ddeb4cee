"""What is confined needs no question, as long as nothing it does reaches beyond the wall."""

from pathlib import Path

import pytest

from ankrcode.permissions.decide import CallFacts, Decision, decide
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.acts import EVERYTHING, Acts, file, tree
from ankrcode.protocol.permission import Mode
from ankrcode.workspace.roots import Workspace


def decision(acts: Acts, mode: Mode, folder: Path) -> Decision:
    call = CallFacts(tool="RunCode", arguments={}, acts=acts)
    return decide(call, Policy(mode=mode), Workspace([folder])).decision


@pytest.mark.parametrize("mode", list(Mode))
def test_a_confined_run_that_reads_the_workspace_is_allowed_in_every_mode(
    mode: Mode, tmp_path: Path
) -> None:
    acts = Acts(reads=(tree(str(tmp_path)),), runs=("python code",), confined=True)
    assert decision(acts, mode, tmp_path) is Decision.ALLOW


@pytest.mark.parametrize(
    "acts",
    [
        Acts(runs=("python code",)),
        Acts(runs=("python code",), connects=("*",), confined=True),
        Acts(runs=("python code",), writes=(EVERYTHING,), confined=True),
        Acts(runs=("python code",), writes=(file("/etc/x"),), confined=True),
        Acts(runs=("python code",), reads=(file("/etc/x"),), confined=True),
    ],
)
def test_being_confined_excuses_nothing_else(acts: Acts, tmp_path: Path) -> None:
    assert decision(acts, Mode.DEFAULT, tmp_path) is Decision.ASK
    assert decision(acts, Mode.PLAN, tmp_path) is Decision.DENY
