"""What a decision rests on: the mode, the grants given so far, and the capabilities held."""

from fnmatch import fnmatchcase

from msgspec import Struct

from ankrcode.protocol.permission import Mode, Permission


class Grant(Struct, frozen=True, kw_only=True):
    """Calls of `tool` whose subject fits `pattern` need no further question."""

    tool: str
    pattern: str = "*"

    def covers(self, tool: str, subject: str) -> bool:
        return tool == self.tool and fnmatchcase(subject, self.pattern)


class Policy:
    """One agent's permissions. Only the person widens it; a sub-agent gets a narrowed copy."""

    def __init__(
        self,
        *,
        mode: Mode = Mode.DEFAULT,
        granted: frozenset[Permission] = frozenset(Permission),
        readable: tuple[str, ...] = (),
    ) -> None:
        self.mode = mode
        self.granted = granted
        self.readable = readable  # folders outside the roots that may be read: saved results
        self.grants: list[Grant] = []

    def grant(self, tool: str, pattern: str = "*") -> None:
        grant = Grant(tool=tool, pattern=pattern)
        if grant not in self.grants:
            self.grants.append(grant)

    def is_granted(self, tool: str, subject: str) -> bool:
        return any(grant.covers(tool, subject) for grant in self.grants)
