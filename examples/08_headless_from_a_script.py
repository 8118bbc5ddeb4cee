"""A task for `ankrcode -p` from another program: one JSON object back, and an exit code.

The model here is a script in a file, so that this runs without a key; leave `--model` out to use
the one that is configured.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

TURNS = [
    {"calls": [{"name": "Read", "arguments": {"file_path": "prices.txt"}}]},
    {"calls": [{"name": "Write", "arguments": {"file_path": "total.txt", "content": "35\n"}}]},
    {"text": "The total is 35."},
]


def ask(folder: Path, task: str, *options: str) -> tuple[int, dict[str, object]]:
    model = folder.parent / "turns.json"
    model.write_text(json.dumps(TURNS), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "ankrcode", "-p", task, *options]
    command += ["--model", f"scripted/{model}", "--output-format", "json"]
    done = subprocess.run(  # noqa: S603 - our own words
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


with TemporaryDirectory() as place:
    folder = Path(place, "shop")
    folder.mkdir()
    (folder / "prices.txt").write_text("tea 15\ncoffee 20\n", encoding="utf-8")

    # Nobody is there to say yes, so what would need a question is refused.
    code, result = ask(folder, "write the total to total.txt")
    print(code, result["subtype"], [one["tool_name"] for one in result["permission_denials"]])  # type: ignore[attr-defined]

    # Unless a rule says beforehand what may happen.
    code, result = ask(
        folder, "write the total to total.txt", "--allowed-tools", "Write(total.txt)"
    )
    print(code, result["subtype"], result["result"], result["num_turns"])
    print((folder / "total.txt").read_text(encoding="utf-8"), end="")
