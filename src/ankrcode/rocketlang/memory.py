"""What a conversation in RocketLang remembers from line to line."""

from msgspec import Struct, field

from ankrcode.rocketlang.blocks import Macro
from ankrcode.rocketlang.variables import Value


class Memory(Struct, kw_only=True):
    """Names and macros, what the last command was about, and how the last call went."""

    variables: dict[str, Value] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    it: Value | None = None  # None: nothing was said yet
    ok: bool | None = None  # None: nothing was called yet

    def copy(self) -> "Memory":
        """For a rehearsal: what it changes is not remembered."""
        return Memory(
            variables=dict(self.variables), macros=dict(self.macros), it=self.it, ok=self.ok
        )
