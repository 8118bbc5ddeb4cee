"""How much of a command a remembered yes stands for: a table of beginnings (`arity.txt`)."""

import os
from functools import cache
from pathlib import Path

ANY_WORD = "_"

# They run whatever they are given, so no rule that begins with one would mean anything.
_SHELLS = "bash sh zsh dash ksh mksh fish csh tcsh rbash ash nu pwsh powershell xonsh busybox"
_INTERPRETERS = (
    "python python2 python3 pypy pypy3 ipython node nodejs deno bun ruby irb perl php lua luajit "
    "Rscript R julia awk gawk mawk nawk sed tclsh wish expect osascript groovy scala kotlin jshell "
    "guile racket sbcl elixir iex erl escript ocaml ghci runghc ts-node tsx emacs vim vi nvim ed ex"
)
_WRAPPERS = (
    "sudo su doas pkexec runuser env xargs parallel find fd fdfind watch entr time timeout nice "
    "ionice nohup stdbuf setsid chronic unbuffer script strace ltrace gdb perf valgrind chroot "
    "nsenter unshare bwrap firejail ssh eval exec source . command builtin flock taskset numactl "
    "systemd-run at batch crontab git-bisect tmux screen dbus-run-session caffeinate hyperfine"
)
# Followed by one of those they are the same again.
_RUNNERS = "npx pnpx bunx uvx pipx uv poetry pdm pipenv hatch bundle rye conda mamba docker podman"

_RUNS_ANYTHING = frozenset(f"{_SHELLS} {_INTERPRETERS} {_WRAPPERS}".split())
_MAY_RUN_ANYTHING = frozenset(_RUNNERS.split())


@cache
def beginnings() -> dict[str, list[tuple[str, ...]]]:
    """The table by first word, longest beginnings first."""
    table: dict[str, list[tuple[str, ...]]] = {}
    text = Path(__file__).with_name("arity.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        words = tuple(line.split())
        if words and words[0] != "#":
            table.setdefault(words[0], []).append(words)
    for entries in table.values():
        entries.sort(key=len, reverse=True)
    return table


def beginning_of(argv: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words of `argv` that a remembered yes stands for; None where it is all of them."""
    for entry in beginnings().get(argv[0] if argv else "", ()):
        words = argv[: len(entry)]
        if len(words) == len(entry) and all(map(_is_word, entry, words)):
            return words
    return None


def is_remembered(argv: tuple[str, ...]) -> bool:
    """May a yes to this command become a rule at all?"""
    if not argv or not argv[0]:
        return False
    if beginning_of(argv) is not None:
        return True
    name = os.path.basename(argv[0])  # noqa: PTH119
    if _is_in(name, _RUNS_ANYTHING):
        return False
    if name not in _MAY_RUN_ANYTHING:
        return True
    names = (os.path.basename(word) for word in argv[1:])  # noqa: PTH119
    return not any(_is_in(name, _RUNS_ANYTHING) for name in names)


def _is_word(wanted: str, given: str) -> bool:
    if wanted == ANY_WORD:
        return bool(given) and not given.startswith("-")
    return wanted == given


def _is_in(name: str, names: frozenset[str]) -> bool:
    """Versions are the same program: python3.12, perl5.36, node20."""
    return name in names or name.rstrip("0123456789.-") in names
