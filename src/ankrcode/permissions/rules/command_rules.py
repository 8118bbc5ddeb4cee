"""Rules about commands: which of them fits a line, part by part.

A deny or ask rule counts if any part of the line fits it, however it is spelled. A permission
counts only for what it covers: every part must fit one, and what the line does beyond its parts
– a redirection, a dangerous variable – needs a permission of its own.
"""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import fields

from ankrcode.permissions.effects import Effect, EffectKind, Part
from ankrcode.permissions.judge import CommandVerdict, judge
from ankrcode.permissions.paths import walk_to
from ankrcode.permissions.places import CommandEnv
from ankrcode.permissions.programs import lookup
from ankrcode.permissions.rules.rules import Rule
from ankrcode.permissions.rules.wildcards import glob_fits
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.syntax import Assignment, Redirect, Simple, Unparsed
from ankrcode.permissions.shell.variables import danger
from ankrcode.workspace.path_text import fault_of

_UNKNOWN = "…"
_WRAPPERS = frozenset(
    ("timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "ionice")
)
# They read more than they are told, and these take names of tasks rather than of files.
_STORES = frozenset(("git", "openssl"))
_RUNNERS = frozenset(("npm", "pnpm", "yarn", "bun", "make", "just", "cargo"))
_OUTPUTS = (">", ">>", ">|", "&>", "&>>", "<>", ">&")


class CommandView(Struct, frozen=True):
    """One command line, as rules look at it."""

    command: str
    verdict: CommandVerdict
    env: CommandEnv

    @property
    def is_read_only(self) -> bool:
        return self.verdict.verdict == "read_only"

    @property
    def is_certain(self) -> bool:
        """Was it understood? What was not can never be allowed by a rule."""
        is_doubtful = any(one.kind == "unknown" and not one.target for one in self.effects)
        has_names = all(_UNKNOWN not in part.argv[0] for part in self.parts if part.argv)
        return has_names and not is_doubtful and bool(self.parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.verdict.parts

    @property
    def effects(self) -> tuple[Effect, ...]:
        return self.verdict.effects

    def read_places(self) -> list[str]:
        return _places(self.effects, ("read", "list", "secret"))

    def named_places(self) -> list[str]:
        """What the words of its commands may stand for.

        Nobody knows all that a program opens if it does more than read (`frob key`, `. ./key`,
        `curl -d @key`), nor what a repository has in store (`git show HEAD:key`).
        """
        words = {word for part in self.parts for word in _named_by(part)}
        named = (Effect("read", os.path.join(at, word)) for at in self._folders for word in words)  # noqa: PTH118
        return _places(tuple(named), ("read",))

    @property
    def _folders(self) -> tuple[str, ...]:
        return self.verdict.folders or (self.env.cwd,)

    def written_places(self) -> list[str]:
        """Where a program writes without saying where, it writes what it reads: `sed -i`."""
        written = [one for one in self.effects if one.kind in ("write", "delete")]
        is_vague = any(not one.target.startswith("/") for one in written)
        kinds: tuple[EffectKind, ...] = ("write", "delete")
        return _places(self.effects, (*kinds, "read", "secret") if is_vague else kinds)


def _places(effects: tuple[Effect, ...], kinds: tuple[EffectKind, ...]) -> list[str]:
    """Where the targets are: as named, and where they lead. An empty text is somewhere unknown."""
    found: dict[str, None] = {}
    for effect in effects:
        if effect.kind not in kinds:
            continue
        if effect.target.startswith("/"):
            found[os.path.normpath(effect.target)] = None
            found[walk_to(effect.target).real_path] = None
        else:
            found[""] = None
    return list(found)


def _named_by(part: Part) -> Iterator[str]:
    """The words that may be paths, without what stands before one: `--in=`, `@`, `HEAD:`."""
    program = os.path.basename(part.argv[0]) if part.argv else ""  # noqa: PTH119
    if part.verdict == "read_only" and program not in _STORES:
        return
    for at, given in enumerate(part.argv):
        spellings = (given, given.partition("=")[2], given.partition(":")[2] * (program == "git"))
        for word in (one.rpartition("=@")[2].lstrip("@") for one in spellings):
            is_plain = "/" not in word and "." not in word
            if not word or _UNKNOWN in word or (is_plain and (not at or program in _RUNNERS)):
                continue
            if fault_of(word) is None:
                yield word


def viewed(command: str, env: CommandEnv) -> CommandView:
    return CommandView(command, judge(command, env), env)


def first_hit(rules: Iterable[Rule], view: CommandView) -> Rule | None:
    """The first deny or ask rule that any part fits."""
    texts = {" ".join(view.command.split()), view.command.strip()}
    for part in view.parts:
        texts.update(_spellings(part.argv))
    return next((rule for rule in rules if any(_fits(rule, text) for text in texts)), None)


def permitting(rules: tuple[Rule, ...], view: CommandView) -> list[Rule] | None:
    """The rules that together permit every part; None where one of them is not permitted.

    What only reads needs none, so there may be none.
    """
    if not view.is_certain or not rules:
        return None
    if sets_danger(view.command):
        return None
    used: dict[Rule, None] = {}
    covered = [part.argv for part in view.parts if part.verdict == "read_only"]
    for part in view.parts:  # what a wrapper runs stands before the wrapper
        if part.verdict == "read_only":
            continue
        rule = _permitting_rule(rules, part.argv)
        if rule is not None:
            used[rule] = None
        elif not is_wrapped(part.argv, covered):
            return None
        covered.append(part.argv)
    return list(used)


def covers(rules: tuple[Rule, ...], view: CommandView) -> bool:
    """Do these rules name every part of the line, and does it do nothing beyond its parts?"""
    if not view.is_certain or sets_danger(view.command) or redirected(view):
        return False
    covered: list[tuple[str, ...]] = []
    for part in view.parts:
        if _permitting_rule(rules, part.argv) is None and not is_wrapped(part.argv, covered):
            return False
        covered.append(part.argv)
    return True


def _quoted(argv: Iterable[str]) -> str:
    import shlex  # few lines meet a rule

    return shlex.join(argv)


def redirected(view: CommandView) -> list[str]:
    """What the line writes beyond what its parts write by themselves; empty texts are unknown."""
    if not _has_outputs(view.command):
        return []
    own = {
        place
        for part in view.parts
        for place in viewed(_quoted(part.argv), view.env).written_places()
    }
    return [place for place in view.written_places() if place not in own]


def _permitting_rule(rules: tuple[Rule, ...], argv: tuple[str, ...]) -> Rule | None:
    """Quoted as a shell would need it: a word with a blank in it is not two words."""
    texts = {_quoted(argv)}
    if all(word and not set(word) & set(" \t\n'\"") for word in argv):
        texts.add(" ".join(argv))
    return next((rule for rule in rules if any(_fits(rule, text) for text in texts)), None)


def _spellings(argv: tuple[str, ...]) -> Iterator[str]:
    if not argv:
        return
    plain = (os.path.basename(argv[0]), *argv[1:])  # noqa: PTH119
    for words in (argv, plain, *_without_options(plain)):
        yield " ".join(words)
        yield _quoted(words)


def _without_options(argv: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """`git -C x push` is `git push` too. An option that is not known may take a value or not."""
    spec = lookup(argv[0])
    if spec is None or not spec.has_commands:
        return
    pending, seen = [1], set[int]()
    while pending:
        at = pending.pop()
        if at in seen or at >= len(argv):
            continue
        seen.add(at)
        if not argv[at].startswith("-"):
            if at > 1:
                yield (argv[0], *argv[at:])
            continue
        flag = spec.long_flag(argv[at].partition("=")[0])
        takes_next = "=" not in argv[at] and (flag is None or flag.arity == "=")
        if flag is None or not takes_next:
            pending.append(at + 1)
        if takes_next:
            pending.append(at + 2)


def _fits(rule: Rule, text: str) -> bool:
    pattern = rule.what
    if rule.is_for_all:
        return True
    if pattern.endswith(":*"):
        return _begins(pattern[:-2].rstrip(), text)
    if pattern.endswith(" *"):
        head = pattern[:-2].rstrip()
        return glob_fits(head, text) or glob_fits(pattern, text)
    return glob_fits(pattern, text)


def _begins(head: str, text: str) -> bool:
    """By whole words: `npm run` begins `npm run test`, not `npm runx`."""
    return glob_fits(head, text) or glob_fits(head + " *", text)


def is_wrapped(argv: tuple[str, ...], covered: list[tuple[str, ...]]) -> bool:
    """Is it one of the harmless wrappers around a command that is covered already?"""
    name = os.path.basename(argv[0])  # noqa: PTH119
    return name in _WRAPPERS and any(
        inner and argv[-len(inner) :] == inner for inner in covered if len(inner) < len(argv)
    )


def sets_danger(command: str) -> bool:
    """Does the line set a variable that changes what programs do?"""
    return any(danger(name) for name in _variables(command))


def _variables(command: str) -> list[str]:
    """The variables that are set for the commands of the line."""
    return [
        one.name
        for node in _nodes(command)
        if isinstance(node, Simple)
        for one in node.assignments
        if isinstance(one, Assignment)
    ]


def _has_outputs(command: str) -> bool:
    return any(isinstance(node, Redirect) and node.operator in _OUTPUTS for node in _nodes(command))


@lru_cache(maxsize=256)
def _nodes(command: str) -> tuple[Struct, ...]:
    """Every node of the line's tree; none where it cannot be parsed, which permits nothing."""
    try:
        pending: list[object] = [parse(command).script]
    except (Unparsed, RecursionError):
        return ()
    found: list[Struct] = []
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            found.append(node)
            pending.extend(getattr(node, field.name) for field in fields(node))
    return tuple(found)
