"""Running: tests, builds, scripts, commands; and checking numbers of the Indian state."""

from itertools import pairwise

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.frames.git import shown
from ankrcode.rocketlang.frames.plan import Lack, Plan, call, missing, quoted, shell, unknown
from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.reading import Planned

_GSTIN_LENGTH = 15
_GAP = 2  # characters between two words of one command
_USUAL_TESTS = "python -m pytest -q"
_RUNNERS = {".py": "python", ".sh": "bash", ".js": "node"}
_CHECKS = (
    ("GSTIN", "gst_validate", "gstNumber"),
    ("PAN", "pan_validate", "pan"),
    ("IFSC", "ifsc_validate", "ifsc"),
)


def run(basket: Basket) -> Plan:
    commands = basket.free("str")
    if commands:
        basket.has("COMMAND")
        return [call("Bash", command=basket.take(item)) for item in commands]
    bare = _bare_command(basket)
    if bare and basket.has_bare_verb:
        return unknown(basket.items[0])  # `npm start` is no `npm`
    if bare:
        return [call("Bash", command=bare)]
    plan: list[Planned] = [tested(basket)] if basket.says("TESTS") else []
    if basket.has("BUILD"):
        plan.append(shell("make", "build"))
    scripts = _scripts(basket)
    if isinstance(scripts, Lack):
        return scripts
    if plan or scripts:
        return [*plan, *scripts]
    words = basket.free("word", "noun")
    return unknown(words[0]) if words else missing("command")


def _scripts(basket: Basket) -> list[Planned] | Lack:
    """Files that are run, each by its interpreter."""
    basket.in_folder()
    items = [item for item in basket.paths() if item.kind not in ("word", "noun")]
    if not basket.are_together(items):
        return unknown(items[1])
    for item in items:
        if item.kind == "path" and "/" not in item.text and not _runner(item.text):
            return unknown(item)
    paths = [basket.path(item) for item in items]
    if not items and basket.it is not None and basket.is_piped and not basket.left():
        paths = [basket.it]
    return [_script(path) for path in paths]


def _runner(path: str) -> str:
    return _RUNNERS.get(path[path.rfind(".") :], "")


def _script(path: str) -> Planned:
    runner = _runner(path)
    return shell(runner, path) if runner else call("Bash", command=quoted(path))


def _bare_command(basket: Basket) -> str:
    """`npm install chalao`: words that begin with the name of a program are a command."""
    items = [item for item in basket.items if not (item.kind == "noun" and item.value == "COMMAND")]
    if not items or items[0].text not in names().programs or items[0].kind == "str":
        return ""
    if any(item.kind in ("stray", "open", "str") or item.role for item in items):
        return ""
    if any(after.start - before.end > _GAP for before, after in pairwise(items)):
        return ""  # words of both sides of the verb make no command
    for item in items:
        item.is_used = True
    return " ".join(item.text for item in items)


def tests(basket: Basket) -> Plan:
    return [tested(basket)]


def tested(basket: Basket) -> Planned:
    basket.has("TESTS", "ALL", "FILE")
    command = basket.place.test_command() or _USUAL_TESTS
    items = basket.paths()
    items = items if basket.are_together(items) else items[:1]
    paths = [quoted(basket.path(item)) for item in items]
    if paths:
        basket.has("FOLDER")
    return call("Bash", command=" ".join([command, *paths]))


def check(basket: Basket) -> Plan:
    for noun, tool, parameter in _CHECKS:
        numbers = [item for item in basket.free("word", "str", "var") if _fits(noun, item, basket)]
        if numbers:
            basket.has(noun, "NUMBER")
            return [call(tool, **{parameter: basket.take(item)}) for item in numbers]
        if basket.says(noun):
            return missing(noun.lower())
    if basket.says("STATUS", "DIFF", "LOG", "COMMITS", "BRANCH"):
        return shown(basket) or missing("file")
    if basket.free("word", "str") and not basket.paths():
        return unknown(basket.free("word", "str")[0])
    return tests(basket)


def _fits(noun: str, item: Item, basket: Basket) -> bool:
    """By the noun beside it, or by the form of the number alone."""
    if basket.says(noun):
        return item.kind != "word" or any(letter.isdigit() for letter in item.text)
    form = _form(item.text)
    if noun == "GSTIN":
        return len(form) == _GSTIN_LENGTH and form.startswith("99AAAAA9999A")
    return item.kind != "var" and form == _FORMS[noun]


def _form(text: str) -> str:
    return "".join("9" if c.isdigit() else "A" if c.isalpha() and c.isascii() else c for c in text)


_FORMS = {"PAN": "AAAAA9999A", "IFSC": "AAAA9999999"}
