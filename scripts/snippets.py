"""The Python that the documents show, checked as strictly as our own.

Whoever copies a snippet into a typed program should find no fault in it. The snippets of a page are
one module, for later ones build on earlier ones, at the lines where they stand; all pages and the
examples are checked in one run, against the package as it is installed.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".mypy_cache" / "snippets"
# A page may say `kit = …` or `async def main()` in several snippets, each for itself.
STRICT = ("--strict", "--warn-unreachable", "--allow-redefinition", "--disable-error-code=no-redef")


def main() -> int:
    PLACE.mkdir(parents=True, exist_ok=True)
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    written = dict(filter(None, map(module_of, pages)))
    for path in sorted((ROOT / "examples").glob("*.py")):
        written[f"example_{path.name}"] = path.read_text(encoding="utf-8")
    for name in {path.name for path in PLACE.glob("*.py")} - written.keys():
        (PLACE / name).unlink()
    for name, text in written.items():
        if not (PLACE / name).exists() or (PLACE / name).read_text(encoding="utf-8") != text:
            (PLACE / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", *STRICT, "--config-file=", "--cache-dir=cache"]
    return subprocess.run([*command, *sorted(written)], cwd=PLACE, check=False).returncode


def module_of(page: Path) -> tuple[str, str] | None:
    """The snippets of a page, each at its own line."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for start, snippet in snippets_of(text):
        for number, line in enumerate(snippet.splitlines()):
            lines[start + number] = line
    if not any(lines):
        return None
    return re.sub(r"\W", "_", page.stem.lower()) + "_md.py", "\n".join(lines) + "\n"


def snippets_of(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, found.start(1)), found[1]


if __name__ == "__main__":
    sys.exit(main())
