"""Reading and showing: files, lines, folders, pages, todos, the state of git."""

from ankrcode.rocketlang.basket import ONE_FILE, Basket, Item
from ankrcode.rocketlang.frames.git import shown
from ankrcode.rocketlang.frames.lines import Lines, lines_of
from ankrcode.rocketlang.frames.plan import Lack, Plan, call, missing, shell, unknown
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.shapes import is_file_name

_PROMPT = "Summarise this page."


def read(basket: Basket) -> Plan:
    pages = basket.free("url")
    if pages:
        return [fetched(basket, item) for item in pages]
    if basket.says("TODO") and not basket.paths():
        basket.has("TODO", "LISTN", "ALL")
        return [call("TodoRead")]
    if basket.says("HELP") and len(basket.items) == 1:
        basket.has("HELP")
        return [call("Help")]
    lines = lines_of(basket) if basket.paths() or basket.is_piped else None
    git = None if lines else shown(basket)
    return git or _files(basket, lines)


def listed(basket: Basket) -> Plan:
    """LIST: a folder, or whatever else can be listed."""
    if basket.says("TODO") and not basket.paths():
        basket.has("TODO")
        return [call("TodoRead")]
    git = shown(basket)
    if git:
        return git
    is_vouched = basket.has("FOLDER")
    basket.has("LISTN", "FILE", "ALL")
    kinds = basket.free("kind", "glob")
    if kinds:
        return _globs(basket, kinds)
    items = basket.paths(words=is_vouched or basket.lang != "en")
    marked = [item for item in basket.free("word") if item.role in ("IN", "OF")]
    items = [item for item in basket.items if item in items or item in marked]
    if not basket.are_together(items):
        return unknown(items[1])
    found = [basket.path(item) for item in items]
    return [call("List", path=path) for path in found or ["."]]


def fetched(basket: Basket, item: Item) -> Planned:
    texts = basket.free("str")
    prompt = basket.take(texts[0]) if texts else _PROMPT
    return call("WebFetch", url=basket.take(item), prompt=prompt)


def fetch(basket: Basket) -> Plan:
    pages = basket.free("url")
    return [fetched(basket, item) for item in pages] if pages else missing("url")


def _files(basket: Basket, lines: Lines | None) -> Plan:
    kinds = basket.free("kind", "glob")
    if kinds:
        return _globs(basket, kinds)
    basket.in_folder()
    is_listed = basket.has("LISTN") | basket.says("FOLDER")
    is_listed |= basket.says("FILE") and any(i.role in ("OF", "IN") for i in basket.paths())
    basket.has("ALL", "NAME")
    found = basket.paths(words=basket.says("FOLDER", "FILE"))
    if any(item.kind == "path" for item in found):
        found = [item for item in found if item.kind != "word" or basket.is_place(item)]
    plan: list[Planned] = []
    for item in found:
        is_folder = basket.is_folder(item) or (is_listed and not is_file_name(item.text))
        path = basket.path(item)
        plan.append(call("List", path=path) if is_folder else _lines(path, lines or Lines()))
    if plan:
        basket.has("FOLDER")
        return plan
    return _without_path(basket, lines)


def _without_path(basket: Basket, lines: Lines | None) -> Plan:
    if basket.it is not None and basket.op != "SAY":
        return [_lines(basket.it, lines or Lines())]
    words = basket.free("word", "str")
    if words:
        return unknown(words[0])
    if basket.has("FOLDER", "LISTN", "HERE") or _are_files(basket):
        return [call("List", path=".")]
    return missing("file")


def _are_files(basket: Basket) -> bool:
    """`files dikhao` asks for all of them, `file kholo` forgot to say which."""
    said = [item.text.lower() for item in basket.items if item.value == "FILE"]
    return basket.op == "SHOW" and bool(said) and said[0] not in ONE_FILE


def _globs(basket: Basket, kinds: list[Item]) -> Plan:
    basket.has("ALL", "LISTN", "FILE", "FOLDER")
    plan: list[Planned] = []
    folders = [basket.path(item) for item in basket.paths(words=True)]
    for item in kinds:
        item.is_used = True
        pattern = f"**/{item.value}" if item.kind == "kind" else item.text
        if folders:
            plan.extend(call("Glob", pattern=pattern, path=path) for path in folders)
        else:
            plan.append(call("Glob", pattern=pattern))
    return plan


def _lines(path: str, lines: Lines) -> Planned:
    if lines.last:
        return shell("tail", "-n", str(lines.last), path)
    args: dict[str, object] = {"file_path": path}
    if lines.offset:
        args["offset"] = lines.offset
    if lines.limit:
        args["limit"] = lines.limit
    return Planned(tool="Read", args=args)


def explained(basket: Basket) -> Plan:
    """EXPLAIN: an agent reads it; needs a model when it runs."""
    found = [basket.path(item) for item in basket.paths()]
    if not found and basket.it is not None:
        found = [basket.it]
    if not found:
        return Lack("not_a_command", "file") if basket.left() else missing("file")
    return [call("Task", subagent_type="explore", prompt=f"Explain: {path}") for path in found]
