"""Files a command touches: each path is judged by where it really leads."""

import re

from ankrcode.permissions.effects import Ledger
from ankrcode.permissions.places import Places, is_critical_file, is_device
from ankrcode.permissions.shell.scope import Scope
from ankrcode.permissions.shell.values import Arg, Hole

# Patterns are text here: each is compiled by its first use, not by every start.
_QUIET = r"/dev/(null|zero|full|stdin|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]"
_NETWORK = r"/dev/(tcp|udp)/([^/]*).*"


class Touching:
    """Judges paths in a scope; findings go to the ledger."""

    def __init__(self, ledger: Ledger, places: Places) -> None:
        self.ledger = ledger
        self.places = places

    # ── reading ───────────────────────────────────────────────────────────────────────────────
    def read(self, arg: Arg, scope: Scope) -> None:
        """The content of a file comes out."""
        named = self.named(arg, scope)
        if named is None:
            self.ledger.ask("unknown_path", "read")
            return
        for path in named:
            self._read_one(path)
            self._note_read(path, is_known=arg.text is not None)
        secret = self._secret_of(arg, scope)
        if secret:
            self.ledger.ask("secret", "secret", secret)

    def _read_one(self, path: str) -> None:
        places = self.places
        if any(places.is_secret(one) for one in places.both(path, "/")):
            self.ledger.ask("secret", "secret", path)
            return
        real = places.both(path, "/")[-1]
        if is_device(real):
            self.ledger.ask("device_read", "secret", real)
        elif re.fullmatch(_NETWORK, real):
            self.ledger.ask("connect", "connect", real)
        elif not places.may_read(real):
            self.ledger.ask("outside", "read", real)

    def _note_read(self, path: str, *, is_known: bool) -> None:
        real = self.places.both(path, "/")[-1]
        if is_known and not re.fullmatch(_QUIET, real):
            self.ledger.note("read", real)
        elif not is_known:  # something in that folder
            self.ledger.note("list", real.rpartition("/")[0] or "/")

    def _secret_of(self, arg: Arg, scope: Scope) -> str:
        """What the open part of a path may be, if that is a secret."""
        pattern = arg.pattern
        if arg.text is None and pattern is not None:
            found = [self.places.secrets_for(pattern, cwd) for cwd in scope.cwds]
            return next(filter(None, found), "")
        for piece in arg.pieces:
            if isinstance(piece, Hole) and any(map(self.places.aims_at_secret, piece.names)):
                return ", ".join(piece.names)
        return ""

    def look(self, arg: Arg, scope: Scope) -> None:
        """Names, sizes and dates come out, no content."""
        for path in self.named(arg, scope) or ():
            places = self.places.both(path, "/")
            is_hidden = any(self.places.is_secret(one + "/x") for one in places)
            if is_hidden and not self.places.is_inside(places[-1]):
                self.ledger.ask("secret", "secret", path)
            else:
                self.ledger.note("list", places[-1])

    # ── writing ───────────────────────────────────────────────────────────────────────────────
    def write(self, arg: Arg, scope: Scope, *, appends: bool = False) -> None:
        """A file is made or changed."""
        if arg.text == "-":
            return
        named = self.named(arg, scope)
        if named is None:
            self.ledger.ask("writes", "write")
            return
        for path, folder in zip(named, self.folders(arg, scope), strict=True):
            self.write_path(path, appends=appends, within=folder)

    def write_path(self, path: str, *, appends: bool = False, within: str = "") -> None:
        plain, *rest = self.places.both(path, "/")
        real = rest[-1] if rest else plain
        found = re.fullmatch(_NETWORK, plain)
        if found:
            self.ledger.ask("connect", "connect", found[2])
        elif is_device(plain) or is_device(real):
            self.ledger.block("device", "write", plain)
        elif not appends and (is_critical_file(real) or is_critical_file(plain)):
            self.ledger.block("critical_file", "write", real)
        elif not re.fullmatch(_QUIET, plain):
            self.ledger.ask("writes", "write", real, within=within)
            if real != plain:  # the link itself may be what is moved or replaced
                self.ledger.note("write", plain, within=within)

    def delete(self, arg: Arg, scope: Scope) -> None:
        """A file goes, or a folder that nobody needs to be alive."""
        named = self.named(arg, scope) or [""]
        for path, folder in zip(named, self.folders(arg, scope), strict=True):
            plain, *rest = self.places.both(path, "/") if path else ("",)
            if is_critical_file(plain):
                self.ledger.block("critical_file", "delete", plain)
                continue
            self.ledger.ask("deletes", "delete", plain, within=folder)
            if rest and ".." in path:  # a link on the way leads elsewhere than the names say
                self.ledger.note("delete", rest[-1], within=folder)

    def destroy(
        self, arg: Arg, scope: Scope, *, why: str = "delete_tree", workspace: bool = True
    ) -> bool:
        """A folder goes with all that is in it; was that catastrophic?

        The workspace counts only if `workspace`: it may be moved or given other rights.
        """
        for path in self._destroyed(arg, scope):
            if self._is_catastrophe(path, workspace=workspace):
                self.ledger.block(why, "delete", arg.shown)
                return True
        return False

    def _is_catastrophe(self, path: str, *, workspace: bool) -> bool:
        found = {self.places.critical(one) for one in self.places.both(path, "/")} - {""}
        if not workspace:
            found -= {"workspace"}
        return bool(found) or self.places.finds_critical(path)

    # ── paths ─────────────────────────────────────────────────────────────────────────────────
    def named(self, arg: Arg, scope: Scope) -> list[str] | None:
        """Each place this argument may name, from the root on; None where nobody knows.

        What is open in it is replaced by a plain name, if it can only be one.
        """
        text = ""
        for piece in arg.pieces:
            if isinstance(piece, str):
                text += piece
            elif piece.kind == "any":
                return None
            elif piece.kind == "path" and not text:
                text = piece.place or "."
            elif piece.kind == "glob":
                text += "x"
            else:
                text += "0"
        return self._from(text, scope)

    def folders(self, arg: Arg, scope: Scope) -> list[str]:
        """For each of these, the folder that holds it wherever it is open; empty if it is not."""
        named = self.named(arg, scope)
        if arg.text is not None or named is None:
            return [""] * len(named or [""])
        first = arg.pieces[0]
        if isinstance(first, Hole) and first.kind == "path":
            start = first.place
        else:
            start = arg.prefix[: arg.prefix.rfind("/") + 1]
        return [self.places.both(one, "/")[-1] for one in self._from(start or ".", scope) or []]

    def _from(self, text: str, scope: Scope) -> list[str] | None:
        if "\0" in text:
            return None
        if text.startswith("/"):
            return [text]
        if not scope.cwds:
            return None
        cwds = dict.fromkeys((*scope.cwds, *scope.moved_from))
        return [f"{cwd.rstrip('/')}/{text}" for cwd in cwds]

    def _destroyed(self, arg: Arg, scope: Scope) -> list[str]:
        """Each folder that may go; `x/*` is x itself."""
        text = ""
        for piece in arg.pieces:
            if isinstance(piece, str):
                text += piece
            elif piece.kind == "glob":
                text += piece.place
            elif piece.kind == "path" and (piece.whole or piece.listing) and not text:
                text = piece.place
            elif piece.variable and not text and arg.shown.lstrip("…").startswith("/"):
                continue  # "$x/": nobody knows that it holds something
            elif piece.kind == "path" and text.endswith("/"):
                text += "*"  # each name of a listing: all that is in that folder
            else:
                return []
        return self._from(_emptied(text), Scope({}, {}, scope.cwds)) or []


_ALL = r"(?:\.?\*+|\*\.\*|\{?\.?\[[^\]]*\]\*|\.\?\?\*|\?\*|\.)"


def _emptied(text: str) -> str:
    """`x/*` and `x/.*` mean all that is in x; a glob within a name is that name."""
    while True:
        folder, slash, last = text.rstrip("/").rpartition("/")
        if not last or not re.fullmatch(_ALL, last) or last == ".":
            return text or "."
        text = folder or ("/" if slash else ".")
