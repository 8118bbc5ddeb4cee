"""Memory, agents, and what needs no object: undo, help, say."""

from ankrcode.rocketlang.basket import Basket
from ankrcode.rocketlang.frames.plan import Lack, Plan, call, missing

_RECALLED = 5
_USUAL_AGENT = "explore"


def remember(basket: Basket) -> Plan:
    basket.has("TEXT")
    texts = basket.texts()
    if texts:
        return [call("Remember", content=basket.take(item), type="semantic") for item in texts]
    if basket.it is not None and basket.is_piped and not basket.left():
        return [call("Remember", content=basket.it, type="semantic")]
    return missing("content")


def recall(basket: Basket) -> Plan:
    texts = basket.texts()
    if texts:
        return [call("Recall", query=basket.take(texts[0]), limit=_RECALLED)]
    words = basket.free("word", "noun", "kind", "path")
    if not 0 < len(words) <= 2:  # noqa: PLR2004 - more than two words are speech
        return Lack("not_a_command", "text") if words else missing("text")
    query = " ".join(basket.take(item) for item in words)
    return [call("Recall", query=query, limit=_RECALLED)]


def ask(basket: Basket) -> Plan:
    texts = basket.texts()
    if not texts:
        return Lack("not_a_command", "text") if basket.left() else missing("content")
    agent = _USUAL_AGENT
    if basket.has("AGENT"):
        words = basket.free("word", "noun")
        agent = basket.take(words[0]) if words else agent
    return [call("Task", subagent_type=agent, prompt=basket.take(texts[0]))]


def say(basket: Basket) -> Plan:
    texts = basket.texts()
    if texts:
        return [call("Say", text=basket.take(texts[0]))]
    if basket.it is not None and basket.is_piped and not basket.left():
        return [call("Say", text=basket.it)]
    return Lack("not_a_command", "text") if basket.left() else missing("content")


def undo(basket: Basket) -> Plan:
    return _bare(basket, "Undo")


def redo(basket: Basket) -> Plan:
    return _bare(basket, "Redo")


def helped(basket: Basket) -> Plan:
    return _bare(basket, "Help")


def _bare(basket: Basket, tool: str) -> Plan:
    basket.has("LAST", "DIFF", "HELP")
    for item in basket.items:
        if item.kind == "pronoun":
            item.is_used = True
    return Lack("not_a_command", "object") if basket.left() else [call(tool)]
