"""Macros from files: commands of one's own, from `macros.rl`."""

from pathlib import Path

from ankrcode.errors import SettingsError
from ankrcode.rocketlang.blocks import Macro
from ankrcode.rocketlang.script import ScriptFault, read_script

MAX_BYTES = 256 * 1024


def load_macros(file: Path) -> dict[str, Macro]:
    """The macros that a file defines; what else stands in it is left out. None: no file."""
    try:
        content = file.read_bytes()[: MAX_BYTES + 1]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise SettingsError.of("rl_file_unreadable", path=file, why=why) from None
    if len(content) > MAX_BYTES:
        raise SettingsError.of("rl_file_too_large", path=file, size=len(content), limit=MAX_BYTES)
    try:
        script = read_script(content.decode("utf-8", "replace"))
    except ScriptFault as problem:
        raise SettingsError.of("rl_macros_wrong", path=file, why=str(problem)) from None
    return {one.name: one for one in script.statements if isinstance(one, Macro)}
