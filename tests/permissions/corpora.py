"""Labelled cases, one JSON object a line, and the score that a checker reaches on them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "corpus"
MOST_NOISE = 0.02

Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def wrong(name: str, answer: Callable[[Case], str]) -> list[str]:
    """The cases that are not answered as they are labelled, as lines to read."""
    found = ((case, answer(case)) for case in cases(name))
    return [f"{got}: {json.dumps(case)}" for case, got in found if got != case["want"]]
