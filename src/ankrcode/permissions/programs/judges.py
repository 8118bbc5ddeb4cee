"""Who looks at a command by more than its table."""

from collections.abc import Callable

from ankrcode.permissions.programs.catastrophe import DESTROYERS
from ankrcode.permissions.programs.code import LANGUAGES
from ankrcode.permissions.programs.find import find
from ankrcode.permissions.programs.particular import MORE
from ankrcode.permissions.programs.wrappers import WRAPPERS
from ankrcode.permissions.shell.builtins import BUILTINS
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.values import Args

JUDGES: dict[str, Callable[[Call], Args]] = {
    **BUILTINS,
    **WRAPPERS,
    **DESTROYERS,
    **LANGUAGES,
    **MORE,
    "find": find,
}
