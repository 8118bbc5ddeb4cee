"""A task that needs no model: RocketLang understands it in full, and nothing is guessed."""

import asyncio
from collections.abc import Callable

from ankrcode.agent.answer import Answer, Denial, Subtype
from ankrcode.app import Toolkit
from ankrcode.frontends.cli.print_mode import tell
from ankrcode.frontends.rocket import DENIED, DONE, Rocket
from ankrcode.frontends.said import PersonSaid
from ankrcode.protocol.result import ToolResult
from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.reading import Planned
from ankrcode.tooling.person import Approver


def without_model(task: str, kit_for: Callable[[Approver], Toolkit]) -> tuple[Toolkit, Answer]:
    """What came of it."""
    person = PersonSaid()
    kit = kit_for(person)
    try:
        return kit, asyncio.run(_run(task, kit, person))
    finally:
        kit.close()
        kit.activity.flush()


async def _run(task: str, kit: Toolkit, person: PersonSaid) -> Answer:
    said: list[str] = []
    denials: list[Denial] = []

    def show(planned: Planned, result: ToolResult) -> None:
        if result.error is None:
            said.append(result.text)
            return
        tell(result.text)
        denials.append(
            Denial(
                tool=planned.tool,
                call_id=result.call_id,
                arguments=dict(planned.args),
                reason=result.error.message,
            )
        )

    rocket = Rocket(kit, person, show=show, tell=tell)
    started = kit.source.monotonic()
    await rocket.run(parse(task, place=rocket.place))
    is_denied = rocket.code == DENIED
    subtype: Subtype = "success" if rocket.code == DONE else "error_blocked"
    return Answer(
        text="\n".join(said),
        subtype="error_denied" if is_denied else subtype,
        session_id=kit.agent.session_id,
        duration_ms=(kit.source.monotonic() - started) * 1000,
        denials=tuple(denials) if is_denied else (),
    )
