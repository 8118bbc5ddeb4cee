"""The agents that come with the house: one file each in `presets/`, in the form people use too."""

from functools import cache
from pathlib import Path

from ankrcode.agent.agent_files import AgentType, agent_type

FOLDER = Path(__file__).with_name("presets")
OTHER_VENDOR = "other"  # as a preset's model: whoever asks names it

THOROUGHNESS = {
    "quick": "Be quick: a first look, a handful of searches, then answer.",
    "medium": "Look around as far as a good answer needs.",
    "very thorough": (
        "Be very thorough: several names and spellings, every place it could be, "
        "and check what you found before you answer."
    ),
}
TURNS = {"quick": 10, "medium": 20, "very thorough": 40}


@cache
def presets() -> dict[str, AgentType]:
    """By name, as they are listed to models."""
    files = sorted(FOLDER.glob("*.md"))
    found = [agent_type(file.read_text(encoding="utf-8"), str(file)) for file in files]
    return {one.name: one for one in found}


def find_type(name: str, types: dict[str, AgentType]) -> AgentType | None:
    """By its name or another it goes by; capitals do not matter where nothing else fits."""
    if name in types:
        return types[name]
    for one in types.values():
        if name in one.aliases:
            return one
    folded = name.strip().casefold()
    for one in types.values():
        if folded in (one.name.casefold(), *(alias.casefold() for alias in one.aliases)):
            return one
    return None
