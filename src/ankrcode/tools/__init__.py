"""The built-in tools: one file and one .md per tool, so the listing is the vocabulary.

`definitions.json` holds what models and people are told, prebuilt (`make definitions`) and
checked fresh by a test: listing the tools, or sending them to a model, imports none of them.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.protocol.definition import Definition

PREBUILT = Path(__file__).with_name("definitions.json")


@cache
def definitions() -> dict[str, Definition]:
    """Every built-in tool by its module's name."""
    return msgspec.json.decode(PREBUILT.read_bytes(), type=dict[str, Definition])


def load(module: str) -> Any:
    """The tool that lives in `tools/MODULE.py`: the class named as the definition says."""
    tool_class = getattr(import_module(f"{__name__}.{module}"), definitions()[module].name)
    return tool_class()
