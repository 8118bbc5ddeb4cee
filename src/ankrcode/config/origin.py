"""Where a value comes from."""

from enum import StrEnum

from msgspec import Struct


class Layer(StrEnum):
    """Weakest first."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"
    MANAGED = "managed"

    @property
    def is_of_workspace(self) -> bool:
        """Does it come with the checkout, and so perhaps from a stranger?"""
        return self in (Layer.PROJECT, Layer.LOCAL)


class Origin(Struct, frozen=True):
    """Which layer gave a value, and where exactly: a file, a variable, an argument."""

    layer: Layer
    place: str = ""
