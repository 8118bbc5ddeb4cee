"""Text that cannot be a path, or that would mislead whoever reads or resolves it."""

import re
import unicodedata

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
JOINERS = "\u200c\u200d"  # part of how Indic words and emoji are written, and only of those

Fault = tuple[str, str]  # why it is unusable, and what to leave out

# Patterns are text here: each is compiled by its first use, not by every start.
_OTHER_SYSTEMS = (
    r"""(?x) [A-Za-z]:[\\/] | [A-Za-z]:\Z | \\\\ | [A-Za-z][A-Za-z0-9+.-]*:// | file:/ | %[A-Z]+%"""
)
_VARIABLE = r"\$(?:[{(]|[A-Z_][A-Z0-9_]*(?:/|\Z))|`"
# `..` and NUL as a URL would spell them, once or twice encoded.
_ENCODED = (
    r"(?i)(?:\.|%(?:25)?2e){2}(?:%(?:25)?(?:2f|5c)|[/\\]|\Z)|%(?:25)?00|%c[01]%[89ab][0-9a-f]"
)
_OTHER_HOME = r"~[A-Za-z0-9_+.-]"
# Windows opens a device by any of these names, in any folder.
_DEVICES = frozenset(
    [
        *("con", "prn", "aux", "nul", "conin$", "conout$", "clock$"),
        *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)),
    ]
)


def fault_of(path: str) -> Fault | None:
    """What is wrong with the text itself; None where it could be a path."""
    if not path or not path.strip():
        return "it is empty", "only blanks"
    if "\0" in path:
        return "it holds a NUL byte", "NUL bytes"
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "it is not valid Unicode", "lone surrogates"
    if size > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes", "so many characters"
    return _misleading(path) or _foreign(path) or _fault_of_a_name(path)


def is_hidden(char: str) -> bool:
    """Does it show nothing, or change the order of what stands around it?"""
    category = unicodedata.category(char)
    return category in ("Cc", "Zl", "Zp", "Cs") or (category == "Cf" and char not in JOINERS)


def _misleading(path: str) -> Fault | None:
    if path.isascii() and path.isprintable():
        return None
    if any(is_hidden(char) for char in path):
        return "it holds characters that cannot be seen", "control and direction characters"
    for before, char, after in zip(" " + path, path, path[1:] + " ", strict=False):
        if char in JOINERS and (before.isascii() or after.isascii()):
            return "it holds a joiner that joins nothing", "invisible characters"
    return None


def _foreign(path: str) -> Fault | None:
    """Spellings that mean a place to another program, and a strange file name to this one."""
    if re.match(_OTHER_SYSTEMS, path):
        return "it is written as on another system", "drive letters, shares and schemes"
    if re.match(_OTHER_HOME, path):
        return "it begins with ~ and a name", "~NAME (begin with ./ if the file is called that)"
    if re.match(_VARIABLE, path):
        return "variables are not replaced here", "variables"
    folded = unicodedata.normalize("NFKC", path).replace("\\", "/")
    if _climbs(folded) > _climbs(path) or (folded != path and folded.count("/") > path.count("/")):
        return "it holds look-alikes of / or ..", "backslashes and look-alikes"
    if any("%" in found[0] for found in re.finditer(_ENCODED, path)):
        return "it holds an encoded .. or NUL", "percent signs"
    return None


def _climbs(path: str) -> int:
    return sum(name.strip() == ".." for name in path.split("/"))


def _fault_of_a_name(path: str) -> Fault | None:
    for name in path.split("/"):
        if len(name) > MAX_NAME_BYTES // 4 and len(name.encode()) > MAX_NAME_BYTES:
            return f"a name in it is longer than {MAX_NAME_BYTES} bytes", "overlong names"
        if name.endswith((" ", "\u00a0", "\u3000")):
            return "a name in it ends with a blank", "blanks at the end of a name"
        if name.strip(". ") == "" and len(name) > len(".."):
            return "a name in it has only dots", "names of three or more dots"
        if name.casefold() in _DEVICES:
            return f"{name} is a device on some systems", "device names"
        if "::$" in name.lower():
            return "it names a stream of a file", "::$"
    return None
