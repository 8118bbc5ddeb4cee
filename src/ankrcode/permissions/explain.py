"""A command line laid open for a person: how it was read, what each part does, and why."""

from collections.abc import Iterator

from ankrcode.permissions.judge import CommandVerdict
from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.syntax import (
    Branches,
    Calculation,
    Case,
    Condition,
    Coprocess,
    CountedFor,
    For,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Script,
    Simple,
    Subshell,
    Substitution,
    Word,
)
from ankrcode.permissions.shell.walking import substitutions

_TITLES: dict[type, str] = {
    Pipeline: "pipeline",
    Subshell: "subshell",
    Group: "group",
    Branches: "if",
    Loop: "loop",
    For: "for",
    CountedFor: "for ((…))",
    Case: "case",
    Function: "function",
    Condition: "[[ … ]]",
    Calculation: "(( … ))",
    Coprocess: "in the background",
    Substitution: "substitution",
}


def explained(command: str, verdict: CommandVerdict) -> str:
    """Four short chapters: the verdict, the tree, the parts, the effects."""
    parsed = parse(command)
    lines = [f"{verdict.verdict}: {verdict.reason}" if verdict.reason else verdict.verdict]
    lines += ["", "how it is read:"]
    if parsed.fault:
        lines.append(f"  not to its end: {parsed.fault}")
    lines += [f"  {line}" for line in _tree(parsed.script, command, 0)]
    lines += ["", "its commands:"]
    lines += [
        f"  {part.verdict:<14} {' '.join(part.argv)}" + (f" – {part.reason}" if part.reason else "")
        for part in verdict.parts
    ]
    effects = [
        f"  {effect.kind:<14} {effect.target or 'not known before it runs'}"
        + (f" ({effect.policy})" if effect.policy else "")
        for effect in verdict.effects
    ]
    return "\n".join([*lines, "", "what it does:", *(effects or ["  nothing but print"])])


def _tree(script: Script, command: str, level: int) -> Iterator[str]:
    for operator, node in script.items:
        sign = "" if operator == ";" else f"{operator} "
        yield from _node(node, command, level, sign)


def _node(node: Node, command: str, level: int, sign: str = "") -> Iterator[str]:
    indent = "  " * level + sign
    if isinstance(node, Simple):
        yield indent + (_written(node.words, command) or "assignment")
    elif isinstance(node, Script):
        yield from _tree(node, command, level)
        return
    else:
        name = f" {node.name}" if isinstance(node, For | Function) else ""
        yield indent + _TITLES[type(node)] + name
    for inner in _children(node):
        yield from _node(inner, command, level + 1)
    for script in substitutions(node):
        yield "  " * (level + 1) + _TITLES[Substitution]
        yield from _tree(script, command, level + 2)


def _written(words: tuple[Word, ...], command: str) -> str:
    if not words or words[0].start < 0:
        return " ".join(word.literal or "…" for word in words)
    return " ".join(command[word.start : word.end] for word in words)


def _children(node: Node) -> Iterator[Node]:
    match node:
        case Pipeline(commands=commands):
            yield from commands
        case Subshell(body=body) | Group(body=body) | For(body=body) | CountedFor(body=body):
            yield body
        case Loop(test=test, body=body):
            yield from (test, body)
        case Branches(branches=branches):
            yield from (part for branch in branches for part in branch if part is not None)
        case Case(bodies=bodies):
            yield from bodies
        case Function(body=inner) | Coprocess(body=inner):
            yield inner
