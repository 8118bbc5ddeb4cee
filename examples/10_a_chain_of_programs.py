"""Part of a chain of programs: text piped in, an answer by a schema out, a session that goes on."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LOG = "12:00 started\n12:05 error: disk full\n12:06 stopped\n"
SCHEMA = {
    "type": "object",
    "properties": {"cause": {"type": "string"}, "at": {"type": "string"}},
    "required": ["cause", "at"],
}


def ask(folder: Path, task: str, *options: str, said: Any, piped: str = "") -> str:
    script = folder.parent / "said.json"
    script.write_text(json.dumps([said]), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "ankrcode", "-p", task, *options]
    done = subprocess.run(  # noqa: S603 - our own words
        [*command, "--model", f"scripted/{script}"],
        cwd=folder,
        input=piped,
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout


with TemporaryDirectory() as place:
    folder = Path(place, "work")
    folder.mkdir()
    answer = ask(
        folder,
        "why did it stop?",
        *("--json-schema", json.dumps(SCHEMA)),
        said={"text": '{"cause": "disk full", "at": "12:05"}', "when": "error: disk full"},
        piped=LOG,
    )
    print(json.loads(answer)["cause"])
    # The next one knows what was said before.
    print(ask(folder, "and in one word?", "--continue", said="Disk."), end="")
