"""What a program printed, made fit to read: harmless on any screen, and without the flicker.

Terminal sequences vanish, a progress bar leaves its last state, overstruck letters leave one, and
every other control character is shown instead of sent.
"""

import re

# Patterns are text here: each is compiled by its first use, not by every start.
_NOT_PLAIN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_SEQUENCE = r"""(?x)
    (?: \x1b\[ | \x9b ) [0-?]{0,64} [\x20-/]{0,8} [@-~]           # colours, cursor movements
  | (?: \x1b\] | \x9d ) [^\x07\x1b\x9c\n]{0,4096} (?: \x07 | \x1b\\ | \x9c )  # titles, links
  | (?: \x1b[PX^_] | [\x90\x98\x9e\x9f] ) [^\x1b\x9c\n]{0,4096} (?: \x1b\\ | \x9c )
  | \x1b [\x20-/]{0,8} [0-OQ-WYZ\\`-~]                             # the short ones
"""
# The end of a chunk that may be the beginning of a sequence.
_UNFINISHED = r"""(?x)
    (?: (?: \x1b\[ | \x9b ) [0-?]{0,64} [\x20-/]{0,8}
      | (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] ) [^\x07\x1b\x9c\n]{0,4096} \x1b?
      | \x1b [\x20-/]{0,8}
      | \r ) \Z
"""
_HIDDEN = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"
} | {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}

STREAM_EVERY_S = 0.1
_STREAM_CHUNK_BYTES = 8_192


def plain(text: str) -> str:
    """The text as a careful reader would copy it from a terminal."""
    if not re.search(_NOT_PLAIN, text):
        return text
    text = re.sub(_SEQUENCE, "", text)
    if "\r" in text:
        text = "\n".join(map(_last_state, text.split("\n")))
    if "\b" in text:
        text = "\n".join(map(_struck, text.split("\n")))
    return text.translate(_HIDDEN)


def _last_state(line: str) -> str:
    """What a line rewritten by carriage returns shows in the end."""
    if "\r" not in line:
        return line
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""


def _struck(line: str) -> str:
    """Bold as old printers made it: a letter, a step back, the letter again."""
    if "\b" not in line:
        return line
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


class Stream:
    """Output on its way to whoever watches: a few readable chunks a second, never a flood."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._skipped = 0
        self._told_at = float("-inf")

    @property
    def is_empty(self) -> bool:
        return not self._pending

    def feed(self, data: memoryview) -> None:
        """Keep what a screen has use for: the end, if there is more than a screen can show."""
        excess = len(self._pending) + len(data) - _STREAM_CHUNK_BYTES
        if excess <= 0:
            self._pending += data
            return
        self._skipped += excess
        kept = max(0, _STREAM_CHUNK_BYTES - len(data))
        self._pending = self._pending[len(self._pending) - kept :] + data[-_STREAM_CHUNK_BYTES:]

    def due_in(self, now: float) -> float:
        """How long the next chunk should wait, in seconds."""
        return max(0.0, self._told_at + STREAM_EVERY_S - now)

    def take(self, now: float, *, is_last: bool = False) -> str:
        """What can be shown now; the beginning of something unfinished waits for its rest."""
        self._told_at = now
        data, skipped = bytes(self._pending), self._skipped
        self._pending, self._skipped = bytearray(), 0
        if not is_last:
            ready = whole_characters(data)
            self._pending += data[ready:]
            data = data[:ready]
        text = data.decode(errors="replace")
        if not is_last and (unfinished := re.search(_UNFINISHED, text)):
            self._pending = bytearray(unfinished[0].encode()) + self._pending
            text = text[: unfinished.start()]
        if text.startswith("\r") and not text.startswith("\r\n"):
            text = "\n" + text.lstrip("\r")  # a bar's next state goes on a line of its own
        before = f"[{skipped} bytes not shown here]\n" if skipped else ""
        return before + plain(text)


def whole_characters(data: bytes) -> int:
    """Where a UTF-8 character that is not yet complete begins; else the length."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:  # noqa: PLR2004
            return len(data)
        if byte >= 0xC0:  # noqa: PLR2004 - a first byte, which tells how many follow
            needed = 2 + (byte >= 0xE0) + (byte >= 0xF0)  # noqa: PLR2004
            return len(data) - back if needed > back else len(data)
    return len(data)
