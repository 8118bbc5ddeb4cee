"""Files as wholes: moved, renamed, copied."""

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.frames.plan import (
    WHOLE,
    Lack,
    Plan,
    call,
    first_with,
    missing,
    shell,
    unknown,
)

_PAIR = 2


def moved(basket: Basket) -> Plan:
    pairs = _pairs(basket, is_name=basket.has("NAME"))
    if isinstance(pairs, Lack):
        return pairs
    return [call("Move", source=source, destination=target) for source, target in pairs]


def copied(basket: Basket) -> Plan:
    pairs = _pairs(basket, is_name=basket.has("NAME"))
    if isinstance(pairs, Lack):
        return pairs
    return [shell("cp", "-r", source, target) for source, target in pairs]


def _pairs(basket: Basket, *, is_name: bool) -> list[tuple[str, str]] | Lack:
    """From and to: by their markers, else in the order they are named."""
    items = _things(basket)
    if len(items) < _PAIR:
        if items and basket.it is not None and basket.is_piped:
            return [(basket.it, basket.path(items[0]))]
        words = [item for item in basket.free("word") if item not in items]
        return unknown(words[0]) if words else missing("destination" if items else "source")
    target = _target(items, is_name=is_name)
    sources = [item for item in items if item is not target]
    if len(sources) > 1 and not all(item.is_joined for item in sources[1:]):
        return unknown(sources[1])
    basket.has("FOLDER", "FILE")
    if target.kind == "pronoun":
        return unknown(target)
    path = basket.path(target)
    if any(source.text.rstrip("/") in WHOLE for source in sources):
        return unknown(sources[0])
    return [(basket.path(source), path) for source in sources]


def _things(basket: Basket) -> list[Item]:
    items = basket.paths()
    if len(items) < _PAIR:  # a plain word counts only beside a path, and marked or vouched for
        is_vouched = basket.says("FOLDER")
        words = [item for item in basket.free("word") if item.role or is_vouched]
        items = [item for item in basket.items if item in items or item in words]
    return items


def _target(items: list[Item], *, is_name: bool) -> Item:
    """`se` and its kin lead away from what is moved, but to a new name."""
    target = first_with(items, "TO", "IN") or (first_with(items, "BY") if is_name else None)
    return target or _unmarked(items)


def _unmarked(items: list[Item]) -> Item:
    """Beside marked sources the one without a marker, else the last."""
    plain = [item for item in items if not item.role]
    return plain[0] if len(plain) == 1 else items[-1]
