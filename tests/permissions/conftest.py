"""What the tests of permissions share."""

from on_disk import folders

__all__ = ["folders"]  # places in memory lie under /dev, and are judged by rules of their own
