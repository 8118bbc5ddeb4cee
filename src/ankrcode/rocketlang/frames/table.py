"""Which frame belongs to which verb."""

from collections.abc import Callable

from ankrcode.rocketlang.basket import Basket
from ankrcode.rocketlang.frames import change, files, find, git, run, show, talk
from ankrcode.rocketlang.frames.plan import Lack, Plan

_PAIR = 2


def _done(basket: Basket) -> Plan:
    """Only `karo`: a new name (`a.py ka naam b.py karo`), or one text made another."""
    if basket.says("NAME"):
        return files.moved(basket)
    if basket.says("TESTS", "BUILD"):
        return run.run(basket)
    if basket.says("LISTN") and not basket.free("str"):
        return show.listed(basket)
    if len(basket.free("str")) == _PAIR and basket.paths():
        return change.replace(basket)
    return Lack("unknown_command", "verb", " ".join(item.text for item in basket.items))


def _called(basket: Basket) -> Plan:
    """`a.py ka naam b.py rakho`: to keep by a name is to give it."""
    if basket.says("NAME"):
        return files.moved(basket)
    return Lack("unknown_command", "verb", " ".join(item.text for item in basket.items))


FRAMES: dict[str, Callable[[Basket], Plan]] = {
    "READ": show.read,
    "SHOW": show.read,
    "LIST": show.listed,
    "FETCH": show.fetch,
    "EXPLAIN": show.explained,
    "FIND": find.find,
    "COUNT": find.count,
    "REPLACE": change.replace,
    "WRITE": change.write,
    "CREATE": change.create,
    "ADD": change.add,
    "DELETE": change.delete,
    "MOVE": files.moved,
    "COPY": files.copied,
    "RUN": run.run,
    "CHECK": run.check,
    "COMMIT": git.committed,
    "PUSH": git.pushed,
    "PULL": git.pulled,
    "STAGE": git.staged,
    "CHECKOUT": git.checked_out,
    "UNDO": talk.undo,
    "REDO": talk.redo,
    "REMEMBER": talk.remember,
    "RECALL": talk.recall,
    "ASK": talk.ask,
    "SAY": talk.say,
    "HELP": talk.helped,
    "CALL": _called,
    "DO": _done,
    "NAMED": git.named,
}
