"""Arguments bound by their case markers: postpositions to the left, prepositions to the right."""

from collections.abc import Sequence

from ankrcode.rocketlang.basket import ONE_FILE, Item
from ankrcode.rocketlang.clauses import is_and
from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.numbers import compose, is_number_slot
from ankrcode.rocketlang.tags import Unit
from ankrcode.rocketlang.verbs import Verb

_HEADS = frozenset(
    ("FILE", "FOLDER", "TEXT", "COMMAND", "BRANCH", "AGENT", "MESSAGE", "NUMBER", "LINE", "NAME")
)
_BRANCHING = ("PUSH", "PULL", "CHECKOUT")
_ARTICLES = ("the", "a", "an", "my", "this", "that")
_FOLDERS = ("TESTS", "BUILD")  # nouns that are names of folders too
_ORDER = ("join", "pronoun", "noun", "kind", "marker", "prep", "filler", "number", "ordinal")
_THINGS = frozenset(
    ("str", "path", "glob", "url", "var", "number", "range", "ordinal", "flag", "open")
)


def bind(units: Sequence[Unit], verb: Verb) -> list[Item]:
    """The items of a clause, in order, each with its role."""
    binder = _Binder(units, verb)
    for at in range(len(units)):
        binder.read(at)
    _spread(binder.items)
    return binder.items


class _Binder:
    def __init__(self, units: Sequence[Unit], verb: Verb) -> None:
        self.units = units
        self.verb = verb
        self.items: list[Item] = []
        self.pending = ""  # the role a preposition gives to what follows
        self.is_joined = False
        self.can_bind = False  # does a thing stand right before, for a postposition to mark?
        self.skip_to = -1
        self.article_end = -1  # where an article ended, for the word right behind it

    def read(self, at: int) -> None:
        unit = self.units[at]
        if at < self.skip_to:
            return
        if at == self.verb.at or self._helps(at):
            self.can_bind = self.is_joined = False
        elif unit.kind in ("comma", "stop", "question"):
            self.is_joined = unit.kind == "comma" or self.is_joined
        elif self._is_kind(at):
            self._put("kind", unit, value=f"*{unit.text}")
        elif unit.kind in _THINGS:
            self._put(unit.kind, unit)
        elif unit.kind != "word":
            self._put("stray", unit)
        elif is_number_slot(self.units, at, self.verb):
            self._number(at)
        elif self._is_listed(at):
            self._put("word", unit)
        else:
            self._word(unit)

    def _is_kind(self, at: int) -> bool:
        """`.py files`: an ending alone, where files are spoken of."""
        unit, after = self.units[at], self.units[at + 1 : at + 2]
        is_ending = (
            unit.kind == "path" and unit.text[:1] == "." and unit.text[1:] in names().endings
        )
        files = [u for u in after if any(one.value == "FILE" for one in u.all("noun"))]
        return is_ending and any(u.text.lower() not in ONE_FILE for u in files)

    def _is_listed(self, at: int) -> bool:
        """`folders a and b`: an article is a name where it is joined to one."""
        after = self.units[at + 1 : at + 2]
        is_article = self.units[at].text.lower() in ("a", "an")
        return is_article and bool(after) and (is_and(after[0]) or after[0].kind == "comma")

    def _helps(self, at: int) -> bool:
        """Light verbs and auxiliaries right behind the verb, and at the end."""
        unit = self.units[at]
        if not (unit.is_a("aux") or unit.is_a("light")) or self.verb.at < 0:
            return False
        if at < self.verb.at:
            return False
        return self._are_helps(self.verb.at + 1, at) or self._are_helps(at, len(self.units))

    def _are_helps(self, start: int, end: int) -> bool:
        """Nothing but light verbs, auxiliaries and courtesies there."""
        kinds = ("aux", "light", "filler")
        return all(
            unit.kind in ("stop", "comma") or any(unit.is_a(kind) for kind in kinds)
            for unit in self.units[start:end]
        )

    def _number(self, at: int) -> None:
        value, length = compose(self.units, at)
        kind = "ordinal" if self.units[at].is_a("ordinal") else "number"
        self._put(kind, self.units[at], text=str(value))
        self.skip_to = at + length

    def _word(self, unit: Unit) -> None:
        kind, value = self._meaning(unit)
        if kind == "filler":
            if unit.text.lower() in _ARTICLES:
                self.article_end = unit.end
            return
        if kind == "join" and value == "AND":
            self.is_joined = True
        elif kind == "marker":
            self._mark(value)
        elif kind == "prep":
            self.pending = value
            self.can_bind = False
        elif kind in ("noun", "kind", "pronoun"):
            self._put(kind, unit, value=value)
        else:
            self._put("word", unit)

    def _meaning(self, unit: Unit) -> tuple[str, str]:
        """One sense, as the place of the word and the language of the sentence allow."""
        if is_and(unit):
            return "join", "AND"
        if unit.text == "main" and (self.verb.op in _BRANCHING or self.verb.lang != "hi"):
            return "word", ""  # the branch or a name, not the postposition
        for lang in (self.verb.lang, "en", None):
            senses = [one for one in unit.senses if lang is None or one.lang == lang]
            for kind in ("marker", *_ORDER) if self.can_bind else _ORDER:
                for one in senses:
                    if one.kind == kind and (kind != "marker" or self.can_bind):
                        return kind, one.value
        return "word", ""

    def _mark(self, role: str) -> None:
        last = self.items[-1]
        if last.role:
            if last.role == "OF" or role == "OF":  # `app.py ke andar`, `src mein ki files`
                last.role = role if last.role == "OF" else last.role
            return
        last.role = role
        if last.kind == "noun" and last.value in _HEADS and len(self.items) > 1:
            before = self.items[-2]
            is_thing = before.kind not in ("noun", "number", "range") or before.value in _FOLDERS
            if not before.role and is_thing:
                before.role = role

    def _put(self, kind: str, unit: Unit, *, text: str = "", value: str = "") -> None:
        item = Item(
            kind=kind,
            text=text or unit.text,
            value=value,
            role=self.pending,
            start=unit.start,
            end=unit.end,
            is_joined=self.is_joined and bool(self.items),
            has_article=0 <= self.article_end == unit.start - 1,
        )
        self.items.append(item)
        self.can_bind = True
        self.is_joined = False
        if not (kind == "noun" and value in _HEADS) and kind not in ("kind",):
            self.pending = ""


def _spread(items: list[Item]) -> None:
    """Things joined by `and` share the role that only the first or the last of them shows."""
    for at in range(len(items) - 1, 0, -1):
        if items[at].is_joined and not items[at - 1].role and _are_alike(items[at], items[at - 1]):
            items[at - 1].role = items[at].role
    for at in range(1, len(items)):
        if items[at].is_joined and not items[at].role and _are_alike(items[at], items[at - 1]):
            items[at].role = items[at - 1].role


def _are_alike(one: Item, other: Item) -> bool:
    """A text and a path are never joined, whatever stands between them."""
    if one.kind == other.kind:
        return True
    return not {"noun", "str", "number"} & {one.kind, other.kind}
