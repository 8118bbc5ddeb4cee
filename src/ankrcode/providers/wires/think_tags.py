"""Thought that stands in the text between tags, told apart from it."""

_OPENERS = ("<think>", "<thinking>", "<thought>")
_CLOSERS = ("</think>", "</thinking>", "</thought>")


class ThinkTags:
    """Text in, (is thought, text) out. What could be the beginning of a tag is held back."""

    def __init__(self, *, begins_inside: bool = False) -> None:
        self._is_inside = begins_inside
        self._held = ""
        self._after_tag = False  # newlines there are part of the tag
        self._may_open = True  # thought stands in front; later tags are what the model talks of

    def feed(self, piece: str) -> list[tuple[bool, str]]:
        said: list[tuple[bool, str]] = []
        rest = self._held + piece
        self._held = ""
        while rest:
            if self._after_tag:
                rest = rest.lstrip("\n")
                self._after_tag = not rest
                continue
            if not self._is_inside and not self._may_open:
                said.append((False, rest))
                break
            rest = self._inside(rest, said) if self._is_inside else self._before(rest)
        return said

    def end(self) -> list[tuple[bool, str]]:
        held, self._held = self._held, ""
        return [(self._is_inside, held)] if held else []

    def _before(self, rest: str) -> str:
        """Only blanks may stand before the tag that opens."""
        begun = rest.lstrip()
        for tag in _OPENERS:
            if begun.startswith(tag):
                self._is_inside = self._after_tag = True
                return begun[len(tag) :]
        if any(tag.startswith(begun) for tag in _OPENERS):
            self._held = rest
            return ""
        self._may_open = False
        return rest

    def _inside(self, rest: str, said: list[tuple[bool, str]]) -> str:
        ends = [(at, tag) for tag in _CLOSERS if (at := rest.find(tag)) >= 0]
        if ends:
            at, tag = min(ends)
            if at:
                said.append((True, rest[:at]))
            self._is_inside = self._may_open = False
            self._after_tag = True
            return rest[at + len(tag) :]
        border = rest.rfind("<")
        if border >= 0 and any(tag.startswith(rest[border:]) for tag in _CLOSERS):
            self._held, rest = rest[border:], rest[:border]
        if rest:
            said.append((True, rest))
        return ""
