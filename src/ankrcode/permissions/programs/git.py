"""git: what its table cannot say, and how a read-only git is run safely.

Plain `git status` and `git diff` run programs that the repository's own settings name (fsmonitor,
external diff, textconv, filters, gpg …). `hardened` rewrites a line so that they do not.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from ankrcode.permissions.effects import Part
from ankrcode.permissions.programs import Spec, knowledge, lookup
from ankrcode.permissions.programs.kinds import KINDS, MUTE, REST
from ankrcode.permissions.programs.options import Sorted, sort
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.syntax import Script, Simple, Word
from ankrcode.permissions.shell.values import Args, constant
from ankrcode.permissions.shell.walking import simple_commands

# What the repository's settings may not say while git only reads.
SETTINGS = ("--no-optional-locks", *(word for one in MUTE for word in ("-c", one)))
DIFF_FLAGS = ("--no-ext-diff", "--no-textconv")
# Sub-commands that know DIFF_FLAGS (tried with git 2.39).
DIFFING = {
    *("diff", "log", "show", "whatchanged", "diff-tree", "diff-index", "diff-files", "reflog"),
    *("stash", "blame", "annotate"),
}
_RUNNERS = {"env", "xargs", "find", "command", "exec", "builtin", "time", "bash", "sh"}
_GETS = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool")
_LISTS = ("-l", "--list")
_PREVIEWS = ("--stat", "--numstat", "--summary", "--check")
_APPLIES = ("--apply", "--index", "--cached", "-3", "--3way", "--reject", "--build-fake-ancestor")


def git(call: Call) -> Args:
    spec = lookup("git")
    assert spec is not None
    call.scope = call.scope.copy()
    given = sort(spec, call.args, stops=True)
    name = given.rest[0].text if given.rest else ""
    if knowledge.only_informs(call, spec):
        return ANYTHING
    if [arg.text for arg in given.rest[1:]] == ["--help"]:
        call.ledger.ask("program_runs", "execute", "man")  # by settings of the repository
    inner = spec.command(name) if name else None
    if inner is not None and name == "apply":
        return _apply(call, inner, given)
    output = knowledge.apply(call, spec)
    _check_folder(call)
    if inner is not None and name == "clean":
        _clean(call, sort(inner, tuple(given.rest[1:])))
    if inner is not None and name == "config":
        _config(call, sort(inner, tuple(given.rest[1:])))
    return output


def _check_folder(call: Call) -> None:
    """Another repository has other settings: it must be in the workspace too."""
    if not call.scope.cwds:
        call.ledger.ask("unknown_path", "read")
    for cwd in call.scope.cwds:
        call.shell.touching.read(constant(cwd), call.scope)
        KINDS["inside"](call, constant(cwd))


def _clean(call: Call, given: Sorted) -> None:
    """Everything that is not tracked goes; in a home, that is everything."""
    if not given.has("-n", "--dry-run"):
        for cwd in call.scope.cwds:
            call.shell.touching.destroy(constant(cwd), call.scope, workspace=False)


def _apply(call: Call, spec: Spec, given: Sorted) -> Args:
    """`git apply --stat` and its like only look at the patch."""
    inner = sort(spec, tuple(given.rest[1:]))
    if inner.faults or not inner.has(*_PREVIEWS) or inner.has(*_APPLIES):
        return knowledge.apply(call, lookup("git") or spec)
    for arg in inner.rest:
        KINDS["path"](call, arg)
    return ANYTHING


def _config(call: Call, given: Sorted) -> None:
    """`git config NAME` shows, `git config NAME VALUE` writes; newer git has verbs."""
    rest = [arg.text or "" for arg in given.rest]
    shows = given.has(*_GETS, *_LISTS) or rest[:1] in (["get"], ["list"])
    if rest[:1] in (["set"], ["unset"], ["edit"], ["rename-section"], ["remove-section"]) or (
        not shows and len(rest) != 1
    ):
        call.ledger.ask("change", "change", "git config", "git.config")
    for arg in given.rest[:2]:
        KINDS["key"](call, arg)


# ── running it ────────────────────────────────────────────────────────────────────────────────
def hardened(command: str, more: tuple[str, ...] = ()) -> str:
    """The same line, every git in it deaf to the repository's settings, and to `more` of them."""
    edits = sorted(_edits(parse(command).script, command, more), reverse=True)
    for start, end, text in edits:
        command = command[:start] + text + command[end:]
    return command


def out_of_reach(command: str, parts: Iterable[Part]) -> str:
    """The git that `hardened` would not find, hidden in a text that only the line makes."""
    ran = {_command_of(part.argv[1:]) for part in parts if _is_git(part.argv[0])}
    return next(iter(ran - set(_reached(command))), "") if ran else ""


def _command_of(words: Sequence[str]) -> str:
    given = sort(_spec(), tuple(map(constant, words)), stops=True).rest
    return f"git {given[0].text}" if given else "git"


def _reached(command: str) -> Iterator[str]:
    for node in simple_commands(parse(command).script):
        at = _place_of_git(node.words)
        if at is not None:
            yield _command_of([word.literal or "?" for word in node.words[at + 1 :]])
        for word in _scripts(node, command):
            yield from _reached(shlex.split(command[word.start : word.end])[0])


def _edits(script: Script, command: str, more: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    for node in simple_commands(script):
        words = node.words
        if not words or any(word.start < 0 for word in words):
            continue
        yield from _edits_of_git(words, more)
        yield from _edits_of_shell(node, command, more)


def _edits_of_git(words: tuple[Word, ...], more: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    at = _place_of_git(words)
    if at is None:
        return
    yield words[at].end, words[at].end, " " + " ".join((*SETTINGS, *more))
    rest = words[at + 1 :]
    left = len(sort(_spec(), tuple(constant(one.literal or "?") for one in rest), stops=True).rest)
    name = rest[len(rest) - left] if left else None
    if name is None or name.literal not in DIFFING:
        return
    verb = rest[len(rest) - left + 1 :][:1]
    has_verb = bool(verb) and verb[0].literal in ("show", "list")
    end = verb[0].end if has_verb and name.literal in ("stash", "reflog") else name.end
    flags = DIFF_FLAGS[1:] if name.literal in ("blame", "annotate") else DIFF_FLAGS
    yield end, end, " " + " ".join(flags)


def _place_of_git(words: tuple[Word, ...]) -> int | None:
    """Where the command is git: the first word, or behind one that runs another command."""
    at = next((at for at, word in enumerate(words) if _is_git(word.literal)), None)
    return at if at == 0 or (at and _runs_another(words[0].literal or "")) else None


def _runs_another(name: str) -> bool:
    spec = lookup(name.rpartition("/")[2])
    kinds = {one.kind for one in spec.positionals} if spec is not None else set()
    return bool(kinds & set(REST)) or name in _RUNNERS


def _spec() -> Spec:
    spec = lookup("git")
    assert spec is not None
    return spec


def _is_git(text: str | None) -> bool:
    return text is not None and (text == "git" or text.endswith("/git"))


def _edits_of_shell(
    node: Simple, command: str, more: tuple[str, ...]
) -> Iterator[tuple[int, int, str]]:
    for word in _scripts(node, command):
        inner = shlex.split(command[word.start : word.end])[0]
        if hardened(inner, more) != inner:
            yield word.start, word.end, shlex.quote(hardened(inner, more))


def _scripts(node: Simple, command: str) -> Iterator[Word]:
    """`bash -c 'git …'`: a plain text that is a command line of its own."""
    names = {word.literal for word in node.words}
    if not names & {"bash", "sh", "dash", "zsh"} or "-c" not in names:
        return
    for word in node.words:
        raw = command[word.start : word.end]
        is_plain = raw[:1] == "'" or (raw[:1] == '"' and not set(raw) & set("$`\\"))
        if is_plain and "git" in raw and len(shlex.split(raw)) == 1:
            yield word
