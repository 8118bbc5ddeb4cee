"""Changing what stands in files: replace, write, create, add, delete."""

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.frames.files import moved
from ankrcode.rocketlang.frames.git import branched, staged
from ankrcode.rocketlang.frames.plan import (
    WHOLE,
    Lack,
    Plan,
    call,
    first_with,
    missing,
    paths_or_it,
    quoted,
    shell,
    unknown,
)
from ankrcode.rocketlang.reading import Planned

_PAIR = 2


def replace(basket: Basket) -> Plan:
    if basket.says("NAME"):
        return moved(basket)
    if basket.says("BRANCH"):
        return Lack("unknown_object", "object", "branch")
    is_all = basket.has("EVERYWHERE") | basket.has("ALL")
    pairs = _pairs(basket)
    if isinstance(pairs, Lack):
        return pairs
    files = _edited(basket)
    if isinstance(files, Lack):
        return files
    return [_edit(file, *pair, is_all=is_all) for file in files for pair in pairs]


def _edited(basket: Basket) -> list[str] | Lack:
    """The files to edit: one, or several named side by side."""
    basket.in_folder()
    items = basket.files()
    if not basket.are_together(items):
        return unknown(items[1])
    if not items and basket.it is not None and basket.is_piped:
        return [basket.it]
    return [basket.path(item) for item in items] or missing("file")


def _edit(file: str, old: str, new: str, *, is_all: bool = False) -> Planned:
    args: dict[str, object] = {"file_path": file, "old_string": old, "new_string": new}
    if is_all:
        args["replace_all"] = True
    return Planned(tool="Edit", args=args)


def _candidates(basket: Basket) -> list[Item]:
    """What could be old or new: quotations; words only where each is marked."""
    texts = [item for item in basket.free("str") if not _is_file(basket, item)]
    if texts:
        return texts
    words = basket.free("word", "number", "noun")
    return [item for item in words if item.role in ("OBJ", "BY", "TO", "INSTEAD", "FROM")]


def _is_file(basket: Basket, item: Item) -> bool:
    """A quoted path is the file when it is marked as the place."""
    return item.role == "IN" and basket.is_place(item) and not basket.free("path")


def _pairs(basket: Basket) -> list[tuple[str, str]] | Lack:
    """`"a" ko "b" se aur "c" ko "d" se`: one pair after the other."""
    texts = _candidates(basket)
    if len(texts) < _PAIR:
        return missing("new" if texts else "old")
    if len(texts) > _PAIR and not _are_pairs(texts):
        return unknown(texts[_PAIR])
    found: list[tuple[str, str]] = []
    for at in range(0, len(texts), _PAIR):
        pair = _old_and_new(basket, texts[at : at + _PAIR])
        if isinstance(pair, Lack):
            return pair
        found.append(pair)
    return found


def _are_pairs(texts: list[Item]) -> bool:
    olds, news = texts[::2], texts[1::2]
    return len(olds) == len(news) and all(
        old.role in ("OBJ", "INSTEAD") and new.role in ("BY", "TO", "IN", "")
        for old, new in zip(olds, news, strict=True)
    )


def _old_and_new(basket: Basket, texts: list[Item]) -> tuple[str, str] | Lack:
    old = first_with(texts, "INSTEAD") or first_with(texts, "OBJ") or first_with(texts, "FROM")
    new = first_with(texts, "TO", "BY", "IN")
    if old is None and new is None:
        return missing("old")
    if old is None:  # `"b" se "a" badlo` may be meant either way
        old = texts[0] if new is texts[1] else texts[1]
        basket.is_guess = basket.is_guess or (new is texts[0] and basket.lang != "en")
    if new is None or new is old:
        new = texts[1] if old is texts[0] else texts[0]
    return basket.take(old), basket.take(new)


def write(basket: Basket) -> Plan:
    if any(item.role == "INSTEAD" for item in basket.items):
        return replace(basket)
    if basket.says("TODO") and not basket.paths():
        return _todo(basket)
    if basket.says("END"):
        return add(basket)
    basket.has("NEW", "MESSAGE")
    basket.in_folder()
    files = _files(basket)
    texts = [item for item in basket.free("str") if item not in files]
    if not files:
        return missing("file")
    if not texts:
        texts = [item for item in basket.free("var") if item not in files]
    if not texts and basket.it is not None and basket.is_piped:
        return [call("Write", file_path=basket.path(file), content=basket.it) for file in files]
    if len(texts) != 1:
        return Lack("unknown_object", "text", texts[1].text) if texts else missing("content")
    content = basket.take(texts[0])
    return [call("Write", file_path=basket.path(file), content=content) for file in files]


def _files(basket: Basket) -> list[Item]:
    """The files of a clause that also holds a text; a variable only if marked as a place."""
    paths = [item for item in basket.files() if item.kind not in ("str", "var")]
    if paths:
        return paths[:1] if not basket.are_together(paths) else paths
    marked = [item for item in basket.paths() if item.role in ("IN", "TO")]
    return marked[:1]


def create(basket: Basket) -> Plan:
    if basket.says("BRANCH"):
        return branched(basket)
    if basket.has("PLAN"):
        basket.has("NEW")
        return [call("EnterPlanMode")]
    if basket.says("TODO") and basket.free("str"):
        basket.has("NEW")
        return _todo(basket)
    basket.in_folder()
    if any(item.value == "FOLDER" for item in basket.free("noun")):
        return _folder(basket)
    if basket.says("BUILD") and not basket.paths():
        basket.has("BUILD")
        return [shell("make", "build")]
    return _new_files(basket)


def _folder(basket: Basket) -> Plan:
    basket.has("FOLDER", "NEW", "NAME")
    items = [item for item in basket.paths(words=True) if item.kind != "pronoun"]
    if _is_inside(items):
        return [shell("mkdir", "-p", "/".join(basket.path(item).rstrip("/") for item in items))]
    if not basket.are_together(items):
        return unknown(items[1])
    paths = [basket.path(item) for item in items]
    paths += [basket.take(item) for item in basket.free("str")]
    return [shell("mkdir", "-p", path) for path in paths] or missing("folder")


def _is_inside(items: list[Item]) -> bool:
    """`src ke andar utils naam ka folder`: one folder in another."""
    if len(items) != _PAIR or items[1].is_joined:
        return False
    return items[0].role == "IN" and items[1].role in ("", "OF") and "/" not in items[1].text


def _new_files(basket: Basket) -> Plan:
    is_named = basket.says("FILE") and (basket.says("NAME") or len(basket.free("word")) == 1)
    basket.has("NEW", "NAME")
    contents = [item for item in basket.free("str") if not basket.is_place(item)]
    if len(contents) > 1:
        return unknown(contents[1])
    content = basket.take(contents[0]) if contents else ""
    items = [item for item in basket.paths(words=is_named) if item.kind not in ("noun", "pronoun")]
    items = [item for item in items if item.kind != "word" or is_named]
    if not items:
        words = basket.free("word", "noun")
        return unknown(words[0]) if words else missing("file")
    if not basket.are_together(items):
        return unknown(items[1])
    plan: list[Planned] = []
    for item in items:
        path = basket.path(item)
        is_folder = path.endswith("/")
        plan.append(
            shell("mkdir", "-p", path)
            if is_folder
            else call("Write", file_path=path, content=content)
        )
    return plan


def add(basket: Basket) -> Plan:
    texts = basket.free("str")
    if basket.says("TODO") and not basket.paths():
        return _todo(basket)
    if basket.says("DIFF") and not texts:
        return staged(basket)
    if basket.says("GIT") or (not texts and not basket.is_piped and not basket.free("word")):
        return staged(basket) if basket.says("GIT") else missing("content")
    basket.has("END", "LINE", "NEW")
    files = _files(basket)
    if not files:
        return missing("file")
    texts = [item for item in texts if item not in files]
    if not texts and basket.it is not None and basket.is_piped:
        return [_append(basket.it, basket.path(file)) for file in files]
    if len(texts) != 1:
        return unknown(texts[1]) if texts else missing("content")
    text = basket.take(texts[0])
    return [_append(text, basket.path(file)) for file in files]


def _append(text: str, file: str) -> Planned:
    return call("Bash", command=f"printf '%s\\n' {quoted(text)} >> {quoted(file)}")


def _todo(basket: Basket) -> Plan:
    basket.has("TODO", "LISTN", "NEW")
    texts = basket.texts()
    if not texts:
        return missing("content")
    todos = [
        {"content": text, "activeForm": text, "status": "pending"}
        for text in [basket.take(item) for item in texts]
    ]
    return [call("TodoWrite", todos=todos)]


def delete(basket: Basket) -> Plan:
    texts = [item for item in basket.free("str") if not basket.is_place(item)]
    if texts:
        return _cut(basket, texts)
    globs = basket.free("glob")
    if globs:
        return _globs(basket, globs)
    basket.in_folder()
    is_vouched = basket.says("FOLDER", "FILE")
    items = basket.paths(words=is_vouched)
    if not basket.are_together(items):
        return unknown(items[1])
    paths = paths_or_it(basket, words=is_vouched)
    if not paths:
        words = basket.free("word", "noun")
        return unknown(words[0]) if words else missing("file")
    basket.has("FOLDER", "FILE")
    if any(path.rstrip("/") in WHOLE for path in paths):
        return Lack("unknown_object", "object", paths[0])
    return [call("Delete", path=path) for path in paths]


def _cut(basket: Basket, texts: list[Item]) -> Plan:
    """A quoted text out of a file."""
    if len(texts) > 1:
        return unknown(texts[1])
    is_all = basket.has("EVERYWHERE") | basket.has("ALL")
    files = _edited(basket)
    if isinstance(files, Lack):
        return files
    old = basket.take(texts[0])
    return [_edit(file, old, "", is_all=is_all) for file in files]


def _globs(basket: Basket, globs: list[Item]) -> Plan:
    """Only where the place knows what a pattern stands for, and never without asking."""
    found = [path for item in globs for path in basket.place.matching(item.text)]
    if not found:
        return unknown(globs[0])
    for item in globs:
        item.is_used = True
    basket.has("ALL", "FILE")
    basket.is_guess = True
    return [call("Delete", path=path) for path in found]
