"""A task that needs no model: RocketLang understands it in full, and nothing is guessed."""

import asyncio
from collections.abc import Callable

from ankrcode.agent.answer import Answer, Denial, Subtype
from ankrcode.app import Toolkit
from ankrcode.frontends.cli.print_mode import tell
from ankrcode.frontends.rocket import DENIED, DONE, NO_MODEL, Rocket
from ankrcode.frontends.said import PersonSaid
from ankrcode.protocol.result import ToolResult
from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.speech import unsure_text
from ankrcode.tooling.person import Approver

_SUBTYPES: dict[int, Subtype] = {
    DONE: "success",
    NO_MODEL: "error_provider",
    DENIED: "error_denied",
}


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
    wrong: list[str] = []  # for the person: the printer tells it, each in its own way
    denials: list[Denial] = []

    def show(planned: Planned, result: ToolResult) -> None:
        if result.error is None:
            said.append(result.text)
            return
        wrong.append(result.text)
        denials.append(
            Denial(
                tool=planned.tool,
                call_id=result.call_id,
                arguments=dict(planned.args),
                reason=result.error.message,
            )
        )

    rocket = Rocket(kit, person, show=show, tell=wrong.append)
    started = kit.source.monotonic()
    program = parse(task, place=rocket.place)
    for one in program.checked:
        if one.reading.confirm:  # nobody is there to ask: nothing of it runs
            unsure = unsure_text(one.text, one.reading, rocket.place)
            session_id = kit.agent.session_id
            return Answer(subtype="error_denied", error=unsure, session_id=session_id)
    await rocket.run(program)
    while rocket.code == DONE and wrong:  # what a script has dealt with itself
        tell(wrong.pop(0))
    is_denied = rocket.code == DENIED
    return Answer(
        text="\n".join(said),
        subtype=_SUBTYPES.get(rocket.code, "error_blocked"),
        error="\n".join(wrong),
        session_id=kit.agent.session_id,
        duration_ms=(kit.source.monotonic() - started) * 1000,
        denials=tuple(denials) if is_denied else (),
    )
