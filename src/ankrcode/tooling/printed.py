"""What a program printed, as the model is shown it: bounded, readable, and where the rest is."""

from msgspec import Struct

from ankrcode.tooling.graphemes import border_after, border_before
from ankrcode.words import say
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.text import plain, whole_characters

_BYTES_PER_CHAR = 4  # at most, in UTF-8
_LEAST_CHARS = 100


class Printed(Struct, frozen=True):
    """The text that is shown, whether it is all, and where the output goes on."""

    text: str
    is_whole: bool
    end: int


def printed(output: Output, max_chars: int, *, offset: int = 0) -> Printed:
    """What came from `offset` on, in at most about `max_chars` characters: head and tail."""
    most = max(_LEAST_CHARS, max_chars)
    extract = output.extract(offset, most=most * _BYTES_PER_CHAR)
    first, last, end = extract.head, extract.tail, extract.end
    if not output.is_closed:  # the rest of the last character is still to come
        unfinished = len(last or first) - whole_characters(last or first)
        end -= unfinished
        if unfinished:
            first, last = (first, last[:-unfinished]) if last else (first[:-unfinished], b"")
    head, tail = plain(first.decode(errors="replace")), plain(last.decode(errors="replace"))
    if not extract.skipped and len(head) + len(tail) <= most:
        return Printed(head + tail, is_whole=True, end=end)
    if not tail:
        head, tail = head[: len(head) // 2], head[len(head) // 2 :]
    head = head[: border_before(head, most // 2)]
    tail = tail[border_after(tail, max(0, len(tail) - most // 2)) :]
    hidden = max(0, end - offset - len(head.encode()) - len(tail.encode()))
    return Printed(f"{head}\n\n{say('output_cut', size=hidden)}\n\n{tail}", is_whole=False, end=end)


def saved_note(output: Output, *, is_whole: bool) -> str:
    """Where all of it is, or why it is not; empty where all of it is shown."""
    if output.save_error:
        key = "output_not_saved.part" if output.path else "output_not_saved"
        return say(key, why=output.save_error, path=output.path, size=output.dropped)
    if is_whole or not output.path:
        return ""
    if output.dropped:
        return say("output_saved.dropped", path=output.path, size=output.dropped)
    return say("output_saved", path=output.path)
