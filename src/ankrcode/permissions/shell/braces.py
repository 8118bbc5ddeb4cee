"""Brace expansion, as bash does it before anything else: a{b,c}d, {1..5}, nested, exact."""

import re

from ankrcode.permissions.shell.syntax import Part, Text, Unparsed

MAX_WORDS = 1_000
MAX_BRACES = 64
# Patterns are text here: each is compiled by its first use, not by every start.
_RANGE = r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d+))?"

Atom = str | Part  # one unquoted character, or something that braces do not look into
Atoms = list[Atom]


def expanded(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    """Every word that these parts become."""
    if sum(part.text.count("{") for part in parts if isinstance(part, Text)) > MAX_BRACES:
        raise Unparsed("there are too many braces in a word")
    atoms: Atoms = []
    for part in parts:
        atoms += list(part.text) if isinstance(part, Text) and not part.quoted else [part]
    return [_parts(word) for word in _words(atoms)]


def _words(atoms: Atoms) -> list[Atoms]:
    """The first brace that closes and holds a comma or a range is multiplied out."""
    for start, atom in enumerate(atoms):
        if atom != "{" or (start and atoms[start - 1] == "$"):
            continue
        end = _closing(atoms, start)
        inner = atoms[start + 1 : end] if end is not None else []
        choices = _choices(inner) if end is not None else []
        if end is None or not choices:
            continue
        rest = _words(atoms[end + 1 :])
        middle = [word for choice in choices for word in _words(choice)]
        if len(middle) * len(rest) > MAX_WORDS:
            raise Unparsed("braces make too many words")
        return [[*atoms[:start], *one, *tail] for one in middle for tail in rest]
    return [atoms]


def _closing(atoms: Atoms, start: int) -> int | None:
    level = 0
    for place in range(start, len(atoms)):
        if atoms[place] == "{":
            level += 1
        elif atoms[place] == "}":
            level -= 1
            if level == 0:
                return place
    return None


def _choices(inner: Atoms) -> list[Atoms]:
    found: list[Atoms] = [[]]
    level = 0
    for atom in inner:
        level += {"{": 1, "}": -1}.get(atom, 0) if isinstance(atom, str) else 0
        if atom == "," and level == 0:
            found.append([])
        else:
            found[-1].append(atom)
    if len(found) > 1:
        return found
    if all(isinstance(atom, str) for atom in inner):
        return [list(text) for text in _range("".join(map(str, inner)))]
    return []


def _range(text: str) -> list[str]:
    found = re.fullmatch(_RANGE, text)
    if not found:
        return []
    if found[4]:
        first, last, step = ord(found[4]), ord(found[5]), int(found[6] or 1)
    else:
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    step = max(abs(step), 1)
    if abs(last - first) // step > MAX_WORDS:
        raise Unparsed("braces make too many words")
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if found[4]:
        return [chr(number) for number in numbers]
    width = max(len(one) for one in found.group(1, 2)) if _is_padded(found) else 0
    return [str(number).zfill(width) for number in numbers]


def _is_padded(found: re.Match[str]) -> bool:
    return any(re.match(r"-?0\d", one) for one in found.group(1, 2))


def _parts(atoms: Atoms) -> tuple[Part, ...]:
    found: list[Part] = []
    for atom in atoms:
        if not isinstance(atom, str):
            found.append(atom)
        elif found and isinstance(found[-1], Text) and not found[-1].quoted:
            found[-1] = Text(found[-1].text + atom, quoted=False)
        else:
            found.append(Text(atom, quoted=False))
    return tuple(found)
