"""Names of models as parts of a path."""


def segment(name: str) -> str:
    """With what would end or change a part of a path written as a number."""
    for mark in "%:/?#":
        name = name.replace(mark, f"%{ord(mark):02X}")
    return name
