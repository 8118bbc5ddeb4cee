"""Follow a task line by line (`stream-json`), as clients of other agents do."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TURNS = [
    {"text": "I look.", "calls": [{"name": "Grep", "arguments": {"pattern": "TODO"}}]},
    {"text": "There is one, in notes.txt."},
]


def followed(folder: Path, task: str) -> Iterator[dict[str, Any]]:
    """Each line when it comes."""
    model = folder.parent / "turns.json"
    model.write_text(json.dumps(TURNS), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "ankrcode", "-p", task]
    command += ["--model", f"scripted/{model}", "--output-format", "stream-json"]
    process = subprocess.Popen(  # noqa: S603 - our own words
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process:
        yield from map(json.loads, process.stdout)


def shown(block: dict[str, Any]) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use":
            return f"calls {block['name']} {block['input']}"
        case "tool_result":
            return f"gets {block['content'].splitlines()[0]}"
    return str(block["type"])


with TemporaryDirectory() as place:
    folder = Path(place, "notes")
    folder.mkdir()
    (folder / "notes.txt").write_text("TODO: rest\n", encoding="utf-8")
    for line in followed(folder, "is anything left to do?"):
        match line["type"]:
            case "system" if line["subtype"] == "init":
                print("session", bool(line["session_id"]), "Grep" in line["tools"])
            case "assistant" | "user":
                for block in line["message"]["content"]:
                    print(line["type"], "–", shown(block))
            case "result":
                print("result –", line["subtype"], line["num_turns"])
