"""Arguments sorted into flags and the rest, the way each program's own parser does it.

gnu     getopt_long: flags anywhere, -abc bundled, --lon for --long, -- ends them
posix   the same, but the first plain argument ends the flags (env, xargs, sudo …)
exact   as gnu without abbreviations (clap, cobra, optparse)
long    one dash or two, no bundles (go, terraform, java)
"""

from msgspec import Struct

from ankrcode.permissions.programs import Flag, Spec
from ankrcode.permissions.shell.values import Arg


class Given(Struct, frozen=True):
    """A flag as it was given."""

    flag: Flag
    value: Arg | None


class Sorted(Struct):
    flags: list[Given]
    rest: list[Arg]
    faults: list[str]  # what the table does not know

    def has(self, *names: str) -> bool:
        return any(given.flag.name in names for given in self.flags)

    def value(self, *names: str) -> Arg | None:
        """The value of the last of these flags."""
        found = [given.value for given in self.flags if given.flag.name in names]
        return found[-1] if found else None


def sort(spec: Spec, args: tuple[Arg, ...], *, stops: bool = False) -> Sorted:
    """`stops`: the first plain argument ends the flags (it is a sub-command)."""
    return _Sorting(spec, args, stops=stops or spec.style == "posix").run()


class _Sorting:
    def __init__(self, spec: Spec, args: tuple[Arg, ...], *, stops: bool) -> None:
        self.spec = spec
        self.args = list(args)
        self.stops = stops
        self.found = Sorted([], [], [])

    def run(self) -> Sorted:
        while self.args:
            arg = self.args.pop(0)
            if arg.text == "--":
                self.found.rest += self.args
                break
            prefix = arg.prefix
            if not prefix.startswith("-") or arg.text == "-":
                self._plain(arg)
                if self.stops:
                    self.found.rest += self.args
                    break
            elif self.spec.style == "long" or prefix.startswith("--"):
                self._long(arg, prefix)
            elif self.spec.takes_numbers and arg.text and arg.text[1:].isdigit():
                continue
            else:
                self._short(arg, prefix)
        return self.found

    def _plain(self, arg: Arg) -> None:
        if arg.may_be_flag and arg.text != "-" and self.spec.has_danger:
            self.found.faults.append(arg.shown)
        self.found.rest.append(arg)

    def _long(self, arg: Arg, prefix: str) -> None:
        name, equals, start = prefix.partition("=")
        if self.spec.style == "long":
            name = name if name in self.spec.flags else "-" + name.lstrip("-")
        flag = self.spec.long_flag(name)
        if flag is None or (not equals and arg.text is None):
            self.found.faults.append(arg.shown)
            return
        if equals:
            if flag.arity == "":
                self.found.faults.append(arg.shown)
            self._give(flag, Arg(((start,) if start else ()) + arg.pieces[1:]))
        elif flag.arity in ("=", "=="):
            self._give_next(flag)
        else:
            self._give(flag, None)

    def _short(self, arg: Arg, prefix: str) -> None:
        whole = self.spec.flags.get(prefix)
        if whole is not None and prefix[2:] and arg.text is not None:
            self._give_next(whole) if whole.arity == "=" else self._give(whole, None)
            return
        for place in range(1, len(prefix)):
            flag = self.spec.flags.get("-" + prefix[place])
            if flag is None:
                self.found.faults.append(arg.shown)
                return
            rest = prefix[place + 1 :]
            attached = Arg(((rest,) if rest else ()) + arg.pieces[1:], arg.many, arg.computed)
            if flag.arity and attached.pieces:
                self._give(flag, attached)
                return
            if flag.arity == "=":
                self._give_next(flag)
                return
            self._give(flag, None)
        if len(arg.pieces) > 1:
            self.found.faults.append(arg.shown)

    def _give_next(self, flag: Flag) -> None:
        if flag.arity == "==" and self.args:
            self.args.pop(0)
        if not self.args:
            self.found.faults.append(flag.name)
        elif self.args[0].many:
            self.found.faults.append(self.args[0].shown)
            self._give(flag, self.args.pop(0))
        else:
            self._give(flag, self.args.pop(0))

    def _give(self, flag: Flag, value: Arg | None) -> None:
        self.found.flags.append(Given(flag, value))
