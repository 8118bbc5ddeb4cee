"""Draw docs/picture.svg from real commands, so that the picture in the README stays true."""

import subprocess
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMANDS = (
    "ankrcode tools list",
    "ankrcode exec Read file_path=README.md limit=3",
    "ankrcode exec Read fil_path=README.md",
    "ankrcode exec Read file_path=/etc/passwd",
)
WIDTH, LINE, MARGIN, COLUMNS = 920, 20, 18, 104


def main() -> None:
    lines = [line for command in COMMANDS for line in session(command)]
    (ROOT / "docs" / "picture.svg").write_text(drawing(lines), encoding="utf-8")


def session(command: str) -> list[str]:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ankrcode"), *command.split()[1:]],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    said = (done.stdout + done.stderr).rstrip().expandtabs(8).splitlines()
    return [f"$ {command}", *(line for long in said for line in wrapped(long)), ""]


def wrapped(line: str) -> list[str]:
    return [line[at : at + COLUMNS] for at in range(0, len(line), COLUMNS)] or [""]


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
