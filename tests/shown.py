"""Output as documents show it: exact, but for `…`, which stands for anything."""

import re


def fits(shown: str, real: str) -> bool:
    """Is the real output what was shown? `…` stands for any text, a line `…` for any lines."""
    pattern = ".*".join(re.escape(part) for part in shown.rstrip().split("…"))
    return re.fullmatch(pattern, real.rstrip(), re.DOTALL) is not None
