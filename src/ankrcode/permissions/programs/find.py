"""find: its expression read primary by primary."""

import re

from ankrcode.permissions.programs.wrappers import replaced
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.values import MANY, Arg, Args, Hole, constant

_ALONE = {
    *("-empty", "-executable", "-false", "-nogroup", "-nouser", "-readable", "-true", "-writable"),
    *("-depth", "-d", "-mount", "-xdev", "-x", "-noleaf", "-daystart", "-follow", "-print"),
    *("-ignore_readdir_race", "-noignore_readdir_race", "-print0", "-ls", "-prune", "-quit"),
    *("-a", "-and", "-o", "-or", "-not", "!", "(", ")", ",", "-warn", "-nowarn", "-help"),
    *("--help", "-version", "--version", "-H", "-L", "-P", "-E", "-X", "-s"),
}
_VALUED = {
    *("-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-fstype", "-gid", "-group"),
    *("-ilname", "-iname", "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname"),
    *("-mindepth", "-maxdepth", "-mmin", "-mtime", "-name", "-newer", "-path", "-perm", "-regex"),
    *("-regextype", "-samefile", "-size", "-type", "-uid", "-used", "-user", "-wholename"),
    *("-xtype", "-context", "-printf", "-D", "-flags", "-Bmin", "-Bnewer", "-Btime", "-depth"),
}
_NARROW = {
    *("-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-wholename", "-iwholename"),
    *("-size", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-newer", "-empty"),
    *("-user", "-group", "-uid", "-gid", "-perm", "-inum", "-samefile", "-links", "-lname"),
    *("-nouser", "-nogroup", "-used"),
}
# Patterns are text here: each is compiled by its first use, not by every start.
_NEWER = r"-newer[aBcm][aBcmt]"
_EVERYTHING = {"*", "**", "*.*", "?*", ".*", "/*", "./*"}


class _Find:
    def __init__(self, call: Call) -> None:
        self.call = call
        self.args = list(call.args)
        self.starts: list[Arg] = []
        self.names: list[str] = []
        self.is_narrow = False

    def run(self) -> Args:
        self._take_starts()
        for start in self.starts:
            self.call.shell.touching.look(start, self.call.scope)
        self._look_ahead()
        while self.args:
            self._primary(self.args.pop(0))
        return tuple(self._found(start) for start in self.starts[:8])

    def _take_starts(self) -> None:
        while self.args:
            text = self.args[0].text or ""
            if text in ("-H", "-L", "-P") or text.startswith("-O"):
                self.args.pop(0)
            elif text == "-D":
                del self.args[:2]
            elif self.args[0].prefix.startswith(("-", "(", "!")):
                break
            elif self.args[0].may_be_flag:
                self.call.ledger.ask("unknown_flag", "unknown", self.args[0].shown)
                self.starts.append(self.args.pop(0))
            else:
                self.starts.append(self.args.pop(0))
        self.starts = self.starts or [constant(".")]

    def _look_ahead(self) -> None:
        """Which names are wanted: they narrow what an action is done to."""
        for place, arg in enumerate(self.args):
            value = self.args[place + 1] if place + 1 < len(self.args) else None
            if arg.text in _NARROW or re.fullmatch(_NEWER, arg.text or ""):
                text = value.text if value is not None else None
                self.is_narrow |= text not in _EVERYTHING
                if arg.text in ("-name", "-iname", "-path", "-wholename") and text:
                    self.names.append(text.rpartition("/")[2])

    def _found(self, start: Arg) -> Arg:
        text = start.text
        if text is None:
            hole = start.hole
            place = hole.place if hole is not None and hole.kind == "path" else None
            if place is None:
                return MANY
            text = place
        hole = Hole("path", text, tuple(self.names), whole=not self.is_narrow)
        return Arg((hole,), many=True, computed=True)

    def _primary(self, arg: Arg) -> None:
        text = arg.text
        if text in _ALONE:
            return
        if text in _VALUED or re.fullmatch(_NEWER, text or ""):
            if self.args and self.args[0].text is None and self.args[0].may_be_flag:
                self.call.ledger.ask("unknown_flag", "unknown", f"find {self.args[0].shown}")
            self.args[:1] = []
        elif text == "-delete":
            self._delete()
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            self._execute(in_place=text.endswith("dir"))
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            target = self.args.pop(0) if self.args else constant("")
            self.call.shell.touching.write(target, self.call.scope)
            if text == "-fprintf":
                self.args[:1] = []
        elif text == "-files0-from":
            self.call.shell.touching.read(self.args.pop(0), self.call.scope)
        else:
            self.call.ledger.ask("unknown_flag", "unknown", f"find {arg.shown}")

    def _delete(self) -> None:
        for start in self.starts:
            found = self._found(start)
            if not self.call.shell.touching.destroy(found, self.call.scope):
                self.call.shell.touching.delete(start, self.call.scope)

    def _execute(self, *, in_place: bool) -> None:
        command: list[Arg] = []
        while self.args and self.args[0].text != ";":
            is_plus = self.args[0].text == "+" and command and command[-1].text == "{}"
            if is_plus:
                break
            command.append(self.args.pop(0))
        self.args[:1] = []
        for start in self.starts[:4]:
            found = self._found(start)
            args = tuple(replaced(one, "{}", found.item) for one in command)
            if in_place:
                self._in_its_folder(args)
            else:
                self.call.run(args)

    def _in_its_folder(self, args: Args) -> None:
        """-execdir: the folder is that of each file, so nothing relative is known."""
        scope = self.call.deeper()
        scope.cwds = ()
        if args and "/" not in (args[0].text or "/"):
            self.call.shell.run_argv(args, scope)
        else:
            self.call.ledger.ask("program_place", "execute", args[0].shown if args else "")


def find(call: Call) -> Args:
    if not call.args:
        return (Arg((Hole("path", "."),), many=True, computed=True),)
    return _Find(call).run() or ANYTHING
