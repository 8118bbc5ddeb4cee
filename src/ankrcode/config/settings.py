"""What can be set, as typed data: each field says what it means and what fits it.

A workspace may be a hostile checkout, so its files set nothing unless the field (or its whole
section) says so with `_PROJECT`; a new field is therefore the person's alone until decided.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from ankrcode.config.limits import Limits
from ankrcode.protocol.permission import Mode

_PROJECT = {"project": True}


class PermissionSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Annotated[Mode, Meta(description="How much may happen without a question")] = Mode.DEFAULT


class LogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    level: Annotated[
        Literal["off", "error", "warning", "info", "debug"],
        Meta(description="How much is written to the log file"),
    ] = "off"
    max_bytes: Annotated[
        int,
        Meta(description="How long a log file may get, in bytes", ge=10_000, le=1_000_000_000),
    ] = 1_000_000
    files: Annotated[
        int,
        Meta(description="How many full log files are kept beside the current one", ge=1, le=99),
    ] = 3


class ResultSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cut: Annotated[
        Literal["start", "end", "both"],
        Meta(description="Which part of an oversized result is shown", extra=_PROJECT),
    ] = "both"
    folder: Annotated[
        str,
        Meta(
            description="Where oversized results are saved; empty means the state folder",
            pattern=r"^($|/|~/)",
            max_length=4_000,
            examples=["/data/results", "~/results"],
        ),
    ] = ""


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting; what is not set has its default."""

    language: Annotated[
        str,
        Meta(
            description="The language of messages for people",
            pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?(?![\s\S])",  # $ would let a newline through
            examples=["en", "hi"],
            extra=_PROJECT,
        ),
    ] = "en"
    permissions: Annotated[PermissionSettings, Meta(description="Who may do what")] = field(
        default_factory=PermissionSettings
    )
    limits: Annotated[Limits, Meta(description="Bounds of calls", extra=_PROJECT)] = field(
        default_factory=Limits
    )
    plugins: Annotated[
        list[str], Meta(description="Installed tool plugins to load, by name", max_length=100)
    ] = field(default_factory=list)
    results: Annotated[ResultSettings, Meta(description="How results are shown and kept")] = field(
        default_factory=ResultSettings
    )
    log: Annotated[LogSettings, Meta(description="The log file")] = field(
        default_factory=LogSettings
    )


def settings_schema() -> dict[str, Any]:
    """A JSON Schema of a settings file, without references, so that any editor can use it."""
    from msgspec.json import schema

    raw = schema(Settings)
    inlined: dict[str, Any] = _inline(raw, raw["$defs"])
    inlined["properties"] = {"$schema": {"type": "string"}, **inlined["properties"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **inlined}


def _inline(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_inline(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    own = {name: _inline(item, definitions) for name, item in part.items() if name[0] != "$"}
    if "$ref" not in part:
        return own
    target = part["$ref"].removeprefix("#/$defs/")
    return {**_inline(definitions[target], definitions), **own}
