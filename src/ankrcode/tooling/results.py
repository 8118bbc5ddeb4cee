"""Results that fit: an oversized one is saved whole and shown in part, cut between characters."""

import os
from contextlib import suppress
from enum import StrEnum

from ankrcode.tooling.graphemes import border_after, border_before


class Cut(StrEnum):
    """Which part of an oversized result is shown."""

    START = "start"
    END = "end"
    BOTH = "both"


class ResultStore:
    """Where oversized results are saved whole: a folder per session, for its owner only."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def save(self, text: str) -> str:
        """Write the text to a new file and return its path.

        The name is random: an id from outside never becomes a path.
        """
        os.makedirs(self.folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        path = os.path.join(self.folder, f"{os.urandom(12).hex()}.txt")  # noqa: PTH118
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with open(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                file.write(text)
        except OSError:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - half a file would pass for the whole
            raise
        return path


def fit(text: str, limit: int, cut: Cut, store: ResultStore) -> tuple[str, str | None]:
    """The text as it is shown, and where the whole was saved (None where it fits)."""
    if len(text) <= limit:
        return text, None
    path = store.save(text)
    return shown_part(text, limit, cut, path), path


def shown_part(text: str, limit: int, cut: Cut, path: str) -> str:
    """At most `limit` characters of the text, and a line that says where the whole is."""
    where = f"[Output truncated. Full content saved to: {path}]"
    match cut:
        case Cut.START:
            return f"{text[: border_before(text, limit)]}...\n\n{where}"
        case Cut.END:
            return f"{where}\n\n...{text[border_after(text, len(text) - limit) :]}"
        case Cut.BOTH:
            first = border_before(text, limit // 2)
            last = border_after(text, len(text) - limit // 2)
            return (
                f"{text[:first]}...\n\n[{last - first} chars truncated]\n\n...{text[last:]}"
                f"\n\n{where}"
            )
