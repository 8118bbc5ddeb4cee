"""One command of a sentence: its words bound, its frame filled, every token accounted for."""

from msgspec import Struct

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.binding import bind
from ankrcode.rocketlang.effects import changes
from ankrcode.rocketlang.frames.plan import Lack
from ankrcode.rocketlang.frames.table import FRAMES
from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.tags import Unit
from ankrcode.rocketlang.verbs import Verb


class Command(Struct, frozen=True, kw_only=True):
    """What one clause comes to."""

    calls: list[Planned]
    is_sure: bool  # every word explained, nothing guessed
    asks_first: bool
    doubt: Item | None  # a word that nothing explains
    mentioned: str | None  # what a pronoun in the next clause stands for


class Context(Struct, frozen=True, kw_only=True):
    """What a clause may know beyond its own words."""

    place: Place
    it: str | None  # what a pipeline hands on
    mentioned: str | None = None  # the last path of the clause before


def read_command(units: list[Unit], verb: Verb, context: Context) -> "Command | Lack | Item":
    """The calls of a clause; else what it lacks, or the item that nothing explains."""
    basket = Basket(
        items=bind(units, verb),
        lang=verb.lang,
        op=verb.op,
        it=context.it if context.it is not None else context.mentioned,
        is_piped=context.it is not None,
        place=context.place,
        has_bare_verb=verb.lang == "en" and 0 < verb.at == len(units) - 1,
    )
    plan = FRAMES[verb.op](basket)
    if isinstance(plan, Lack):
        return plan
    left = basket.left()
    changing = verb.changes or any(changes(call) for call in plan)
    if left and (changing or not _is_tolerable(left, basket)):
        return left[0]
    is_certain = verb.is_exact and not basket.is_guess
    are_exact = all(unit.is_exact for unit in units if unit.senses)
    return Command(
        calls=plan,
        is_sure=is_certain and are_exact and not left,
        asks_first=changing and not is_certain,
        doubt=left[0] if left else None,
        mentioned=_mentioned(basket, plan, context),
    )


def _is_tolerable(left: list[Item], basket: Basket) -> bool:
    """A look may leave one plain word unexplained beside something it surely looks at."""
    kinds = ("path", "str", "glob", "url", "var")
    has_object = any(item.is_used and item.kind in kinds for item in basket.items)
    return has_object and len(left) == 1 and left[0].kind == "word"


def _mentioned(basket: Basket, plan: list[Planned], context: Context) -> str | None:
    """What `it` is from here on: the one path named, or where it went. Of several, none."""
    if len(plan) == 1 and plan[0].tool == "Move":
        source, target = str(plan[0].args["source"]), str(plan[0].args["destination"])
        return target + source.rpartition("/")[2] if target.endswith("/") else target
    paths = {item.text for item in basket.items if item.kind in ("path", "var")}
    if len(paths) > 1:
        return None
    return paths.pop() if paths else context.mentioned
