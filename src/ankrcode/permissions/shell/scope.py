"""What the shell would know at one point of a line: variables, functions, folder, input."""

from msgspec import Struct

from ankrcode.permissions.shell.syntax import Function
from ankrcode.permissions.shell.values import MANY, Arg, Args, Options, Value, merged

MAX_CWDS = 4
NOTHING: Args = (Arg(()),)
ANYTHING: Args = (MANY,)


class Scope(Struct):
    variables: dict[str, Value]
    functions: dict[str, tuple[Function | None, ...]]  # None: on some way it is not defined
    cwds: tuple[str, ...]  # where it may be; empty: nobody knows
    positional: Options = ((),)
    stdin: Args = ANYTHING
    depth: int = 0  # commands inside commands: wrappers, bash -c, eval
    calls: tuple[tuple[str, int], ...] = ()  # each function entered, and the forks by then
    is_posix: bool = False
    forks: int = 0  # pipes and & on the way here: commands that run beside others
    endless: bool = False  # in a loop that never ends
    moved_from: tuple[str, ...] = ()  # where it was before the last cd, which may have failed

    def copy(self) -> "Scope":
        """A subshell: what it changes stays there."""
        return Scope(
            dict(self.variables),
            dict(self.functions),
            self.cwds,
            self.positional,
            self.stdin,
            self.depth,
            self.calls,
            self.is_posix,
            self.forks,
            self.endless,
            self.moved_from,
        )

    def become(self, others: "list[Scope]") -> None:
        """One of these ways was taken, nobody knows which."""
        names = {name for other in others for name in other.variables}
        for name in names:
            held = [other.variables.get(name) for other in others]
            known = [value for value in held if value is not None]
            if len(known) == len(others):
                self.variables[name] = merged(known)
            else:  # unset on one way: the environment may know it
                self.variables[name] = merged([*known, Value(((Arg(()),),))])
        named = {name for other in others for name in other.functions}
        for name in named:
            ways: list[Function | None] = []
            for other in others:
                ways += [one for one in other.functions.get(name, (None,)) if one not in ways]
            self.functions[name] = tuple(ways)
        self.cwds = _united([other.cwds for other in others])

    def may_be_map(self, name: str) -> bool:
        """Does `declare -A` make it a map for the rest of the line? Not what is an array already,
        and in a function only until it ends.
        """
        return name not in self.variables and not self.calls

    def is_like(self, other: "Scope") -> bool:
        return self.variables == other.variables and self.cwds == other.cwds


def _united(all_cwds: list[tuple[str, ...]]) -> tuple[str, ...]:
    if any(not cwds for cwds in all_cwds):
        return ()
    found = tuple(dict.fromkeys(cwd for cwds in all_cwds for cwd in cwds))
    return found if len(found) <= MAX_CWDS else ()
