"""Git in words: its state shown, commits, branches."""

from collections.abc import Callable

from ankrcode.rocketlang.basket import Basket
from ankrcode.rocketlang.frames.plan import Lack, Plan, missing, shell, unknown
from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.shapes import is_file_name, is_name

_USUAL_COMMITS = 10
_REMOTES = ("origin", "remote", "github")
_WHOLE = ("ALL", "DIFF", "FILE", "GIT", "NEW")


def shown(basket: Basket) -> list[Planned] | None:
    """What of git is asked to be shown, in the order it is said; None where nothing is."""
    found = {item.value: item for item in basket.items if item.kind == "noun"}
    plan = [_SHOWN[noun](basket) for noun in found if noun in _SHOWN and _is_asked(noun, basket)]
    return plan or None


def _is_asked(noun: str, basket: Basket) -> bool:
    """`log` may be a file; `commits` and `log` are one thing, shown once."""
    if noun == "LOG":
        return not _is_logfile(basket) and not basket.says("COMMITS")
    return True


def _status(basket: Basket) -> Planned:
    basket.has("STATUS", "GIT")
    return shell("git", "status")


def _diff(basket: Basket) -> Planned:
    basket.has("DIFF", "GIT", "ALL", "LAST")
    paths = [basket.path(item) for item in basket.paths()]
    return shell("git", "diff", *(["--", *paths] if paths else []))


def _branches(basket: Basket) -> Planned:
    basket.has("BRANCH", "GIT", "ALL", "LISTN")
    return shell("git", "branch")


def _is_logfile(basket: Basket) -> bool:
    return any(item.text.endswith(".log") for item in basket.items)


def _log(basket: Basket) -> Planned:
    is_one = _is_last_one(basket)
    basket.has("COMMITS", "LOG", "GIT", "LAST", "FIRST", "ALL", "LISTN")
    numbers = basket.free("number")
    count = int(basket.take(numbers[0])) if numbers else 1 if is_one else _USUAL_COMMITS
    paths = [basket.path(item) for item in basket.paths()]
    tail = ["--", *paths] if paths else []
    return shell("git", "log", "--oneline", "-n", str(count), *tail)


_SHOWN: dict[str, Callable[[Basket], Planned]] = {
    "STATUS": _status,
    "DIFF": _diff,
    "COMMITS": _log,
    "LOG": _log,
    "BRANCH": _branches,
}


def _is_last_one(basket: Basket) -> bool:
    """`the last commit`, not `pichle commit`, which are several."""
    texts = {item.value: item.text.lower() for item in basket.items if item.kind == "noun"}
    last = texts.get("LAST", "")
    is_single = texts.get("COMMITS", "") in ("commit", "कमिट", "கமிட்", "కమిట్", "ಕಮಿಟ್")
    return is_single and bool(last) and not last.endswith(("le", "ले", "che", "चे"))


def committed(basket: Basket) -> Plan:
    basket.has("GIT", "MESSAGE", "COMMITS", "DIFF", "FILE")
    is_all = basket.has("ALL")
    for flag in basket.free("flag"):
        if flag.text in ("-m", "-am", "-a"):
            flag.is_used = True
            is_all = is_all or "a" in flag.text
    texts = basket.texts()
    if not texts:
        return missing("message")
    return [shell("git", "commit", *(["-a"] if is_all else []), "-m", basket.take(texts[0]))]


def pushed(basket: Basket) -> Plan:
    return _remote(basket, "push")


def pulled(basket: Basket) -> Plan:
    return _remote(basket, "pull")


def _remote(basket: Basket, verb: str) -> Plan:
    basket.has("GIT", "DIFF", "COMMITS", "ALL", "LAST", "NEW")
    for item in basket.free("word"):
        item.is_used = item.text.lower() in _REMOTES
    branch = branch_of(basket)
    basket.has("BRANCH")
    return [shell("git", verb, *(["origin", branch] if branch else []))]


def branch_of(basket: Basket) -> str:
    """The branch that is named: a quoted or usual name, one like a name, or beside `branch`."""
    is_said = basket.says("BRANCH")
    for item in basket.free("str", "var", "word", "path", "pronoun"):
        if item.kind == "path" and is_file_name(item.text):
            continue  # `git checkout app.py` would throw changes away
        is_usual = (
            item.text.lower() in names().branches or is_name(item.text) or item.kind != "word"
        )
        if is_usual or is_said:
            return basket.take(item)
    return ""


def staged(basket: Basket) -> Plan:
    basket.has("GIT")
    for flag in basket.free("flag"):
        flag.is_used = flag.text in ("-A", "--all")
    items = basket.paths(words=False)
    if not basket.are_together(items):
        return unknown(items[1])
    paths = [basket.path(item) for item in items]
    paths += [basket.take(item) for item in basket.free("glob")]
    if paths:
        basket.has("FILE")
        return [shell("git", "add", *paths)]
    if basket.it is not None and basket.is_piped:
        return [shell("git", "add", basket.it)]
    basket.has(*_WHOLE)
    return [shell("git", "add", "-A")]


def checked_out(basket: Basket) -> Plan:
    basket.has("GIT")
    is_new = basket.has("NEW")
    for flag in basket.free("flag"):
        if flag.text in ("-b", "-c"):
            flag.is_used = is_new = True
    branch = branch_of(basket)
    basket.has("BRANCH", "NAME")
    if not branch:
        words = basket.free("word", "path")
        return unknown(words[0]) if words else missing("branch")
    return [shell("git", "checkout", *(["-b"] if is_new else []), branch)]


def branched(basket: Basket) -> Plan:
    """CREATE branch."""
    branch = branch_of(basket)
    basket.has("BRANCH", "NEW", "NAME", "GIT")
    return [shell("git", "checkout", "-b", branch)] if branch else missing("branch")


def named(basket: Basket) -> Plan:
    """`git status`, said without a verb."""
    found = shown(basket)
    if found is None or basket.left():
        return Lack("unknown_command", "verb", " ".join(item.text for item in basket.items))
    return found
