"""Where our own documents are, for the agent that answers from them."""

from functools import cache
from pathlib import Path

from ankrcode.agent.agent_files import AgentType

NAME = "guide"
_PLACEHOLDER = "${docs}"
_KNOWN_PAGE = "settings.md"


@cache
def docs_folder() -> Path | None:
    """As installed, or in a checkout; None where neither is there."""
    package = Path(__file__).parent.parent
    for folder in (package / "docs", package.parent.parent / "docs"):
        if (folder / _KNOWN_PAGE).is_file():
            return folder
    return None


def reads_docs(one: AgentType) -> bool:
    return _PLACEHOLDER in one.prompt


def with_docs(prompt: str) -> str:
    """The prompt with the place of the documents in it."""
    folder = docs_folder()
    place = str(folder) if folder else "(not installed here: say that, and answer nothing else)"
    return prompt.replace(_PLACEHOLDER, place)
