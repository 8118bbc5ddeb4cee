"""Names that are the same in every language: endings of files, usual folders, programs."""

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class Names(Struct, frozen=True):
    """What a bare word is known as."""

    endings: frozenset[str]
    files: frozenset[str]
    folders: frozenset[str]
    programs: frozenset[str]
    branches: frozenset[str]
    noes: frozenset[str]  # romanised words that forbid, wherever they stand


@cache
def names() -> Names:
    file = Path(__file__).parent / "words" / "names.json"
    lists = msgspec.json.decode(file.read_bytes(), type=dict[str, list[str]])
    return Names(**{key: frozenset(" ".join(lines).split()) for key, lines in lists.items()})
