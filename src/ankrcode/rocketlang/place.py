"""What a sentence may ask about the place it is spoken in."""

from typing import Protocol


class Place(Protocol):
    """Answers from the workspace. Asked only about names that the sentence holds."""

    def is_file(self, path: str) -> bool: ...

    def is_folder(self, path: str) -> bool: ...

    def named(self, name: str) -> tuple[str, ...]:
        """The files with this bare name, with or without its ending; at most a few."""
        ...

    def matching(self, glob: str) -> tuple[str, ...]:
        """The files a pattern stands for; none where that is too many or not known."""
        ...

    def test_command(self) -> str:
        """How tests are run here; empty for the usual way."""
        ...


class Nowhere:
    """Knows nothing: what a sentence means by itself."""

    def is_file(self, path: str) -> bool:
        return False

    def is_folder(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def matching(self, glob: str) -> tuple[str, ...]:
        return ()

    def test_command(self) -> str:
        return ""


NOWHERE = Nowhere()
