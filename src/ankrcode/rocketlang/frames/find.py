"""Searching: text in files, files by name, the web; and counting."""

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.frames.plan import Lack, Plan, call, missing, shell
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.shapes import is_folder_name

_PLACES = ("IN", "FROM", "OF", "TO")
_ASIDE = frozenset(("FILE", "FOLDER", "ALL", "EVERYWHERE", "HERE", "NAME", "TEXT", "NEW", "LISTN"))
_MOST_WORDS = 2


def find(basket: Basket) -> Plan:
    if basket.has("WEB"):
        return _on_the_web(basket)
    basket.has("ALL", "EVERYWHERE", "HERE", "TEXT")
    if any(_is_speech(item) for item in basket.free("word", "noun")):
        return Lack("not_a_command", "text")
    folders = _folders(basket)
    patterns = _patterns(basket)
    filters = basket.free("kind", "glob")
    if not patterns:
        return _by_name(basket, folders, filters)
    basket.has("FILE", "FOLDER")
    glob = ""
    if filters:
        glob = filters[0].value or filters[0].text
        filters[0].is_used = True
    return [_grep(text, folder, glob) for text in patterns for folder in folders or [""]]


def _is_speech(item: Item) -> bool:
    """`find the bug`: nobody looks for the letters b, u, g with an article."""
    is_aside = item.kind == "noun" and item.value in _ASIDE
    return item.has_article and item.text.islower() and not item.role and not is_aside


def count(basket: Basket) -> Plan:
    if basket.says("LINE"):
        basket.has("LINE", "ALL")
        paths = [basket.path(item) for item in basket.paths(words=basket.says("FILE"))]
        if not paths and basket.it is not None:
            paths = [basket.it]
        return [shell("wc", "-l", path) for path in paths] or missing("file")
    plan = find(basket)
    if not isinstance(plan, list) or any(one.tool != "Grep" for one in plan):
        return missing("text") if isinstance(plan, list) else plan
    return [Planned(tool="Grep", args={**one.args, "output_mode": "count"}) for one in plan]


def _on_the_web(basket: Basket) -> Plan:
    texts = basket.texts()
    if texts:
        return [call("WebSearch", query=basket.take(texts[0]))]
    words = [item for item in basket.free("word", "noun", "kind", "path") if item.role != "IN"]
    query = " ".join(basket.take(item) for item in words)
    return [call("WebSearch", query=query)] if query else missing("text")


def _folders(basket: Basket) -> list[str]:
    """Where to look: what is marked as a place, and paths that stand beside a quoted text."""
    has_text = bool(basket.free("str"))
    has_aim = any(item.role == "FOR" for item in basket.items)  # search src for TODO
    found: list[str] = []
    for item in basket.items:
        if item.is_used or item.kind in ("kind", "glob", "number", "stray", "open"):
            continue
        is_marked = item.role in _PLACES and item.kind in ("path", "word", "var", "pronoun")
        if is_marked and item.role == "OF" and basket.says("NAME"):
            continue  # `test_app.py naam ki file`
        is_folder = item.role in _PLACES and basket.is_place(item, words=False)
        is_bare = item.role in ("", "OBJ")
        is_file = is_bare and item.kind in ("path", "var") and (has_text or has_aim)
        is_file = is_file or (is_bare and has_aim and item.kind == "word")
        is_file = is_file or (is_bare and _is_folder_beside(item, basket))
        if is_marked or is_folder or is_file:
            found.append(basket.path(item))
    return found


def _is_folder_beside(item: Item, basket: Basket) -> bool:
    """`grep TODO src`: a usual folder beside one other word."""
    others = [one for one in basket.free("word", "str", "noun") if one is not item and not one.role]
    is_folder = item.kind == "word" and is_folder_name(item.text) and not item.is_joined
    return is_folder and len(others) == 1 and not others[0].is_joined


def _patterns(basket: Basket) -> list[str]:
    """Quoted texts; without any, the words and nouns that nothing else explains."""
    texts = [item for item in basket.free("str", "var") if item.role not in ("IN",)]
    if texts:
        return [basket.take(item) for item in texts]
    words = [
        item
        for item in basket.free("word", "noun", "number", "flag")
        if not (item.kind == "noun" and item.value in _ASIDE) and item.role not in _PLACES
    ]
    if basket.says("NAME") or not 0 < len(words) <= _MOST_WORDS:
        return []
    if any(item.text.islower() for item in words):
        basket.is_guess = True  # `find bug` may be meant otherwise; `find TODO` may not
    if len(words) == _MOST_WORDS and not words[1].is_joined:
        basket.is_guess = True
        return [" ".join(basket.take(item) for item in words)]
    return [basket.take(item) for item in words]


def _by_name(basket: Basket, folders: list[str], filters: list[Item]) -> Plan:
    """No text to look for: files of a kind, a pattern or a name."""
    patterns = []
    for item in filters:
        item.is_used = True
        patterns.append(f"**/{item.value}" if item.kind == "kind" else item.text)
    is_named = basket.has("NAME")
    names = basket.free("path", "word") if is_named else basket.free("path")
    patterns += [_anywhere(basket.take(item)) for item in names]
    if not patterns and basket.says("FILE", "FOLDER"):
        patterns = ["**/*"] if basket.says("FILE") else ["**/"]
    if not patterns and basket.it is not None and basket.is_piped and folders:
        patterns = [_anywhere(basket.it)]
    basket.has("FILE", "FOLDER")
    if not patterns:
        return missing("text")
    plan = [(pattern, folder) for pattern in patterns for folder in folders or [""]]
    return [
        call("Glob", pattern=pattern, path=folder) if folder else call("Glob", pattern=pattern)
        for pattern, folder in plan
    ]


def _anywhere(name: str) -> str:
    return name if "/" in name else f"**/{name}"


def _grep(pattern: str, folder: str, glob: str) -> Planned:
    args = {"pattern": pattern}
    if folder and folder != ".":
        args["path"] = folder
    if glob:
        args["glob"] = glob
    return Planned(tool="Grep", args=args)
