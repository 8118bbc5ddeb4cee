"""Text of an answer, with thought taken out of it where the provider is known for tags."""

from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.think_tags import ThinkTags

_TAGGING = frozenset({quirks.THINK_TAGS, quirks.OPEN_THINK_TAG})


class TaggedText:
    """Goes to the answer as text or as thought."""

    def __init__(self, answer: Answer) -> None:
        its = answer.target.quirks
        self._answer = answer
        self._tags: ThinkTags | None = None
        if its & _TAGGING:
            self._tags = ThinkTags(begins_inside=quirks.OPEN_THINK_TAG in its)

    def take(self, piece: str) -> None:
        if self._tags is None:
            self._answer.text(piece)
        else:
            self._tell(self._tags.feed(piece))

    def flush(self) -> None:
        """Something else follows: what could have become a tag is none."""
        if self._tags is not None:
            self._tell(self._tags.end())

    def _tell(self, said: list[tuple[bool, str]]) -> None:
        for is_thought, piece in said:
            if is_thought:
                self._answer.think(piece)
            else:
                self._answer.text(piece)
