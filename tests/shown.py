"""Output as documents show it: exact, but for `…`, which stands for anything."""

import re


def fits(shown: str, real: str) -> bool:
    """Is the real output what was shown? `…` stands for any text, a line of `…` for any lines."""
    lines = [
        r"(?:[^\n]*\n)*" if line == "…" else re.escape(line).replace("…", r"[^\n]*") + r"\n"
        for line in shown.rstrip().split("\n")
    ]
    return re.fullmatch("".join(lines), f"{real.rstrip()}\n") is not None
