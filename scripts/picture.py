"""Draw docs/picture.svg from real commands, so that the picture in the README stays true."""

import os
import shlex
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

ROOT = Path(__file__).parent.parent
COMMANDS = (
    'ankrcode rl "src में TODO खोजो"',
    'ankrcode rl \'hello.py mein "नमस्ते" ko "வணக்கம்" se badlo\'',
    'ankrcode rl "wapas lo"',
    'ankrcode rl "hello.py mat hatao"',
    'ankrcode -p "Say it in Telugu." --model scripted/talk.json --permission-mode acceptEdits',
    "ankrcode undo",
    "ankrcode exec Read file_path=/etc/shadow",
)
FILES = {
    "hello.py": 'def hello():\n    return "नमस्ते"\n',
    "src/app.py": "# TODO: greet in more languages\n",
    # A script in place of a model: it edits, and claims more than it did.
    "talk.json": """[
        {"calls": [{"name": "Read", "arguments": {"file_path": "hello.py"}}]},
        {"calls": [{"name": "Edit", "arguments":
            {"file_path": "hello.py", "old_string": "नमस्ते", "new_string": "నమస్కారం"}}]},
        "hello.py greets in Telugu now. All tests pass."
    ]""",
}
PLACE = "~/demo"
WIDTH, LINE, MARGIN, COLUMNS = 920, 20, 18, 104


def main() -> None:
    with TemporaryDirectory() as home:
        folder = Path(home).resolve() / "demo"
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        lines = [line for command in COMMANDS for line in session(command, folder)]
    (ROOT / "docs" / "picture.svg").write_text(drawing(lines), encoding="utf-8")


def session(command: str, folder: Path) -> list[str]:
    program = Path(sys.executable).parent / "ankrcode"
    done = subprocess.run(
        [str(program), *shlex.split(command)[1:]],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={"HOME": str(folder.parent), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        check=False,
    )
    said = (done.stdout + done.stderr).rstrip().expandtabs(8).replace(str(folder), PLACE)
    return [f"$ {command}", *(line for long in said.splitlines() for line in wrapped(long)), ""]


def wrapped(line: str) -> list[str]:
    return wrap(line, COLUMNS, drop_whitespace=False) or [""]


def drawing(lines: list[str]) -> str:
    height = LINE * len(lines) + 2 * MARGIN
    texts = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE * number + 14}" xml:space="preserve" '
        f'fill="{"#8fd" if line.startswith("$") else "#ddd"}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'font-family="monospace" font-size="14">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>\n{texts}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
