"""A second reader: tree-sitter's grammar of bash must not see a command that ours did not.

Ours follows bash more closely (tree-sitter-bash misreads continued lines, misses backticks in
here-documents and rejects some valid text), so it decides; but where the other one finds a
command name that ours has not, something is wrong and a person is asked.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any

from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.syntax import Text
from ankrcode.permissions.shell.walking import simple_commands

# What a line is made of that no two readers disagree about. Sets, as patterns cost 1 ms to compile.
_OPERATORS = ("&&", "||", "|", ";")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+=- \t")
_RESERVED = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case"),
        *("esac", "in", "select", "function", "time", "coproc"),
    )
)
_KEYWORDS = {"time", "coproc", "!", "}", "{", "]]", "esac", "done", "fi"}


@lru_cache(maxsize=512)
def witness(command: str) -> str:
    """What the other reader saw beyond ours; empty where they agree."""
    if is_plain(command):
        return ""
    theirs = names_by_tree_sitter(command)
    if not theirs:
        return ""
    ours = {word for node in simple_commands(parse(command).script) for word in _texts(node)}
    extra = sorted(theirs - ours - _KEYWORDS)
    return f"two readers of the text disagree about '{extra[0]}'" if extra else ""


def is_plain(command: str) -> bool:
    """Is it so simple that it cannot be misread? Then the other one need not be loaded: 8 ms."""
    quote = "'" if "'" in command else '"'  # both in one line are not simple
    pieces = command.split(quote)
    bare, quoted = "_".join(pieces[::2]), pieces[1::2]
    if len(pieces) % 2 == 0 or not all(_is_literal(text, quote) for text in quoted):
        return False
    if ";;" in bare:
        return False
    for operator in _OPERATORS:
        bare = bare.replace(operator, " ")
    return _PLAIN.issuperset(bare) and not any(map(_may_be_special, bare.split()))


def _is_literal(quoted: str, quote: str) -> bool:
    if quote == '"':
        return _PLAIN.issuperset(quoted)
    return "\\" not in quoted and "\n" not in quoted


def _may_be_special(word: str) -> bool:
    """A reserved word, or what looks like an assignment."""
    return word in _RESERVED or (not word.startswith("-") and "=" in word)


def _texts(node: Any) -> list[str]:
    return [
        "".join(part.text for part in word.parts if isinstance(part, Text)) for word in node.words
    ]


def names_by_tree_sitter(command: str) -> set[str]:
    """The plain command names in its tree; none where the text is beyond it."""
    source = command.encode("utf-8", "surrogatepass")
    root = _parser().parse(source).root_node
    if root.has_error or b"\\\n" in source:
        return set()
    found: set[str] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "command_name" and node.child_count == 1:
            only = node.children[0]
            text = source[only.start_byte : only.end_byte].decode("utf-8", "replace")
            if only.type == "word" and "\\" not in text:
                found.add(text)
    return found


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter

    return tree_sitter.Parser(tree_sitter.Language(_bash().language()))


def _bash() -> Any:
    """The grammar itself: the package around it loads 5 ms of what we do not need."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    package = find_spec("tree_sitter_bash")
    places = package.submodule_search_locations if package is not None else None
    binding = PathFinder.find_spec("_binding", places) if places else None
    if binding is None or binding.loader is None:
        return import_module("tree_sitter_bash")
    module = module_from_spec(binding)
    binding.loader.exec_module(module)
    return module
