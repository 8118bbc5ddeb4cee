"""What the judges of single commands may ask of the shell that plays a line through."""

from typing import Protocol

from msgspec import Struct

from ankrcode.permissions.effects import Ledger
from ankrcode.permissions.places import Places
from ankrcode.permissions.programs import Spec
from ankrcode.permissions.programs.options import Sorted
from ankrcode.permissions.shell.expansion import Expander
from ankrcode.permissions.shell.scope import Scope
from ankrcode.permissions.shell.syntax import Function, Simple
from ankrcode.permissions.shell.values import Args
from ankrcode.permissions.touching import Touching


class Player(Protocol):
    ledger: Ledger
    places: Places
    expander: Expander
    touching: Touching

    def run_text(self, text: str, scope: Scope) -> Args: ...
    def run_argv(self, args: Args, scope: Scope) -> Args: ...
    def call(self, node: Function, args: Args, scope: Scope) -> Args: ...


class Call(Struct):
    """One command about to be judged."""

    shell: Player
    name: str
    args: Args  # without the name
    scope: Scope
    spec: Spec | None = None
    given: Sorted | None = None
    node: Simple | None = None  # the command as it was written

    @property
    def ledger(self) -> Ledger:
        return self.shell.ledger

    @property
    def texts(self) -> list[str | None]:
        return [arg.text for arg in self.args]

    def deeper(self) -> Scope:
        """The scope of a command that this one runs."""
        inner = self.scope.copy()
        inner.depth += 1
        return inner

    def run(self, args: Args) -> Args:
        """Another command, given as arguments."""
        return self.shell.run_argv(args, self.deeper())

    def run_text(self, text: str, *, is_posix: bool = False) -> Args:
        """Another script, given as text."""
        inner = self.deeper()
        inner.is_posix = is_posix
        return self.shell.run_text(text, inner)
