"""Where a program lies. By hand: `shutil` loads three compressors, 3 ms before a first command."""

import os


def program_on(name: str, path: str | None = None) -> str | None:
    """The first of that name in the folders of a PATH; this process's own where none is given.

    An empty entry would mean the current folder, whose programs are nobody's choice: left out.
    """
    folders = os.environ.get("PATH", os.defpath) if path is None else path
    for folder in filter(None, folders.split(os.pathsep)):
        place = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(place) and os.access(place, os.X_OK):  # noqa: PTH113
            return place
    return None
