"""A tool as data: what models and people are told, without loading the tool itself."""

from typing import Any

from msgspec import Struct

from ankrcode.protocol.permission import Permission

JsonSchema = dict[str, Any]


class Definition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about a tool but how it is done."""

    name: str
    summary: str  # one line, for people and short lists
    description: str  # for the model; may hold ${workspace}, ${directory}, ${cwd}
    input_schema: JsonSchema
    output_schema: JsonSchema | None = None
    permission: Permission = Permission.EXECUTE
    more_permissions: tuple[Permission, ...] = ()  # required as well
    optional_permissions: tuple[Permission, ...] = ()
    category: str = "other"
    quiet: bool = False
    max_result_chars: int | None = None

    @property
    def permissions(self) -> frozenset[Permission]:
        """All that must be held."""
        return frozenset((self.permission, *self.more_permissions))
