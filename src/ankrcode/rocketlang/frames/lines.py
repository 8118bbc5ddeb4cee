"""Which lines of a file: 10 se 20 tak, pehli bees, last 15, line number 7."""

from msgspec import Struct

from ankrcode.rocketlang.basket import Basket, Item

_PAIR = 2


class Lines(Struct, frozen=True):
    """A stretch of lines, counted from 1; or so many at the end."""

    offset: int = 0
    limit: int = 0
    last: int = 0


def lines_of(basket: Basket) -> Lines | None:
    """None where no lines are spoken of."""
    is_first, is_last = basket.says("FIRST"), basket.says("LAST")
    numbers = basket.free("number", "range", "ordinal")
    if not (basket.says("LINE") or (numbers and (is_first or is_last))):
        return None
    if is_first and is_last:
        return None
    if len(numbers) > _PAIR or (len(numbers) == _PAIR and "range" in {n.kind for n in numbers}):
        return None  # nobody can say which lines those are: they stay unexplained
    basket.has("LINE", "FIRST", "LAST", "NUMBER") if numbers or is_first or is_last else None
    for item in numbers:
        item.is_used = True
    _use_between(basket, numbers)
    if is_last:
        return Lines(last=_single(numbers))
    if is_first and not any(item.kind == "ordinal" for item in numbers):
        return _first(numbers)
    return _stretch(basket, numbers)


def _use_between(basket: Basket, numbers: list[Item]) -> None:
    """In Marathi `te` stands between two numbers; elsewhere it is a pronoun."""
    if len(numbers) > 1:
        for item in basket.items:
            if item.kind == "pronoun" and numbers[0].start < item.start < numbers[-1].start:
                item.is_used = True


def _first(numbers: list[Item]) -> Lines:
    """`pehli bees lines`; in Tamil the same word says from: `10 mudhal 20 varai`."""
    if len(numbers) > 1:
        return _between(int(numbers[0].text), int(numbers[1].text))
    return Lines(limit=_single(numbers))


def _single(numbers: list[Item]) -> int:
    return int(numbers[0].text) if numbers and numbers[0].kind != "range" else 1


def _between(start: int, end: int) -> Lines:
    return Lines(offset=start, limit=end - start + 1) if 0 < start <= end else Lines()


def _stretch(basket: Basket, numbers: list[Item]) -> Lines:
    if not numbers:
        return Lines()
    if numbers[0].kind == "range":
        start, _, end = numbers[0].text.replace("..", "-").replace(":", "-").partition("-")
        return _between(int(start), int(end))
    if len(numbers) > 1:
        return _between(int(numbers[0].text), int(numbers[1].text))
    only = numbers[0]
    value = int(only.text)
    if only.role == "TILL":
        return Lines(limit=value)
    if only.role in ("FROM", "BY"):
        return Lines(offset=value)
    if only.role == "AFTER":
        return Lines(offset=value + 1)
    if only.kind == "ordinal" or _is_numbered(basket, only):
        return Lines(offset=value, limit=1)
    return Lines(limit=value)


def _is_numbered(basket: Basket, number: Item) -> bool:
    """`line 5` and `5 number line` name one line; `5 lines` counts them."""
    at = basket.items.index(number)
    before = basket.items[at - 1] if at else None
    is_behind = before is not None and before.kind == "noun" and before.value in ("LINE", "NUMBER")
    return is_behind or basket.says("NUMBER")
