"""Code in other languages: always asked; what it obviously destroys is blocked."""

import re
from collections.abc import Callable, Iterator

from ankrcode.permissions.programs import knowledge, lookup
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.values import Arg, Args, constant

# `system("rm …")`, `exec 'rm …'`, `subprocess.run("rm …")`, `do shell script "…"`
# Patterns are text here: each is compiled by its first use, not by every start.
_CALLS = (
    r"(?s)(?:system|execute|do shell script|popen|exec[lv]?p?e?|spawn\w*|run|call|check_output"
    r"|check_call|execSync|qx|getoutput"
    r"|shell_exec|passthru|sh)\s*\(?\s*(?:b|r|f)?(['\"`])(?P<text>(?:\\.|(?!\1).)*)\1"
)
_QUOTES = r"`(?P<a>[^`]*)`|(?:qx|%x)\s*[({\[|](?P<b>[^)}\]|]*)[)}\]|]"  # perl, ruby
_LISTS = r"\[\s*((?:['\"][^'\"]*['\"]\s*,?\s*)+)\]"
_REMOVES = (
    r"(?:rmtree|rm_rf|rm_r|remove_tree|removeSync|rmSync|rmdirSync|remove_entry_secure|rimraf)"
    r"\s*\(?\s*(?:[\w.]+\(\s*)?(?:(?:b|r|f)?['\"](?P<path>[^'\"]*)['\"]|(?P<home>Path\.home\(|\)))"
)
_OPENS = r"open\w*\s*\(?[^)\n]*?['\"]\s*(?P<mode>[>+|]*)\s*(?P<path>/dev/\w+)['\"]"
_WRITES = re.compile(r"['\"][wa+r]*[wa+][bt+]*['\"]")
_FORKS = (
    r"fork\s+while\s+(?:fork|1|true)|while\s*\(?\s*(?:1|true|True)\s*\)?\s*[:{]?\s*(?:os\.)?fork"
    r"|while\s+fork|fork\s*(?:\(\s*\))?\s*while|loop\s*\{\s*fork"
)
INTERPRETERS = (
    *("python", "python2", "python3", "perl", "ruby", "node", "nodejs", "php", "lua", "deno"),
    *("bun", "tclsh", "Rscript", "osascript", "ipython", "pypy3"),
    *(f"python3.{minor}" for minor in range(8, 15)),
)
_EDITORS = ("vim", "vi", "nvim", "ex", "view", "ed")


def interpret(call: Call) -> Args:
    """perl, python, ruby, node …: code as an argument, or in the input."""
    texts = [text for text in call.texts if text and not text.startswith("-")]
    if not texts:
        texts = [one.text for one in call.scope.stdin if one.text]
    for text in texts:
        _look_into(call, text)
    return _by_table(call)


def edit(call: Call) -> Args:
    """`vim -c '!cmd'`, `ed <<< '!cmd'`: an exclamation mark runs a command."""
    given = [one.text for one in call.scope.stdin] if call.name in ("ed", "ex") else []
    for text in (*call.texts, *given):
        for line in (text or "").splitlines():
            command = line.lstrip("+:")
            if command.startswith("!"):
                call.run_text(command[1:])
    return _by_table(call)


def _look_into(call: Call, code: str) -> None:
    if re.search(_FORKS, code):
        call.ledger.block("fork_bomb", "execute", call.name)
    home = call.shell.places.env.home
    for found in re.finditer(_REMOVES, code):
        path = home if found["home"] else found["path"].replace("~", home, 1)
        call.shell.touching.destroy(Arg((path,)), call.scope)
    for found in re.finditer(_OPENS, code):
        if ">" in found["mode"] or _WRITES.search(code, found.end()):
            call.shell.touching.write(constant(found["path"]), call.scope)
    for script in _scripts(call.name, code):
        call.run_text(script)


def _scripts(name: str, code: str) -> Iterator[str]:
    for found in re.finditer(_CALLS, code):
        yield found["text"].replace('\\"', '"')
    for found in re.finditer(_LISTS, code):
        yield " ".join(re.findall(r"['\"]([^'\"]*)['\"]", found[1]))
    if name in ("perl", "ruby"):
        for found in re.finditer(_QUOTES, code):
            yield found["a"] or found["b"] or ""


def _by_table(call: Call) -> Args:
    spec = lookup(call.name)
    assert spec is not None, call.name
    return knowledge.apply(call, spec)


LANGUAGES: dict[str, Callable[[Call], Args]] = {
    **dict.fromkeys(INTERPRETERS, interpret),
    **dict.fromkeys(_EDITORS, edit),
}
