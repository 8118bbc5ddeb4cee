"""A toolkit that plans, and a person who approves."""

from pathlib import Path
from typing import Any

from ankrcode import Mode, Toolkit
from ankrcode.protocol.approval import ApprovalAnswer
from ankrcode.testing import FakePerson

PLAN = "# Plan\n\n1. Read\n2. Change\n"


def kit_of(folder: Path, *answers: ApprovalAnswer, **more: Any) -> tuple[Toolkit, FakePerson]:
    person = FakePerson(answers)
    return Toolkit(cwd=folder, approve=person, **more), person


def mode_of(kit: Toolkit) -> Mode:
    return kit.mode


async def planned(kit: Toolkit, plan: str = PLAN) -> str:
    """In plan mode, with a plan written."""
    entered = await kit.call("EnterPlanMode")
    path = str(entered.value.plan_file)
    written = await kit.call("Write", file_path=path, content=plan)
    assert written.ok, written.text
    return path
