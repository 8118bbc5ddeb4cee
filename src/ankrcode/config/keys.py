"""The dotted names of settings: which exist, what fits each, and what was probably meant."""

import os
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import msgspec
from msgspec import Struct

from ankrcode.config.faults import expected, short, shown
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from ankrcode.words import say


class Key(Struct, frozen=True, kw_only=True):
    """One setting: `limits.result_chars` and what is known about it."""

    name: str
    kind: Any  # the annotated type
    default: Any
    is_for_projects: bool
    needs_trust: bool = False  # for projects that the person trusts

    @property
    def description(self) -> str:
        return str(self._schema()["description"])

    @property
    def expected(self) -> str:
        """What fits, for people."""
        return expected(self._schema())

    @property
    def variable(self) -> str:
        """Its name in the environment: `ANKRCODE_LIMITS__RESULT_CHARS`."""
        return "ANKRCODE_" + self.name.upper().replace(".", "__")

    def fit(self, value: Any, where: str) -> Any:
        """The value as its type wants it; raises what `where` got wrong."""
        try:
            if not _is_text_of_a_file(value):
                raise msgspec.ValidationError
            return msgspec.convert(value, self.kind)
        except msgspec.ValidationError as problem:
            if isinstance(value, dict) and self._schema().get("type") == "object":
                raise SettingsError.of(
                    "setting_wrong.inside", where=where, key=self.name, why=str(problem)
                ) from None
            got = shown(value)
            raise SettingsError.of(
                "setting_wrong", where=where, key=self.name, expected=self.expected, got=got
            ) from None

    def parse(self, text: str, where: str) -> Any:
        """A value written as text: JSON where that fits, else the text itself."""
        try:
            value = msgspec.json.decode(os.fsencode(text))
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            return self.fit(text, where)
        try:
            return self.fit(value, where)
        except SettingsError as problem:
            try:
                return self.fit(text, where)
            except SettingsError:
                raise problem from None

    def _schema(self) -> dict[str, Any]:
        schema = msgspec.json.schema(self.kind)
        for definition in schema.pop("$defs", {}).values():  # an enumeration is put inline
            schema = {**definition, **schema}
        return schema


@cache
def all_keys() -> dict[str, Key]:
    """Every setting by its dotted name, in the order of the sections."""
    return {key.name: key for key in _keys_of(Settings, "", is_for_projects=False)}


@cache
def sections() -> frozenset[str]:
    return frozenset(name.rpartition(".")[0] for name in all_keys()) - {""}


def find_key(name: str, where: str) -> Key:
    """The setting of that name, or an error that says which one was probably meant."""
    key = all_keys().get(name) or _of_provider(name)
    if key is not None:
        return key
    if name in sections():
        raise SettingsError.of("setting_is_section", where=where, key=name)
    near = near_key(name)
    if near:
        raise SettingsError.of("setting_unknown.near", where=where, key=short(name), near=near)
    raise SettingsError.of(
        "setting_unknown", where=where, key=short(name), hint=say("setting_see_list")
    )


def _of_provider(name: str) -> Key | None:
    if not name.startswith("providers."):
        return None
    from ankrcode.config.provider_keys import provider_key  # few settings are of this kind

    return provider_key(name)


def near_key(name: str) -> str:
    """The setting whose name looks most like this one; empty where none does."""
    from difflib import get_close_matches  # only a mistake pays for it

    by_last_part = {key.rpartition(".")[2]: key for key in reversed(all_keys())}
    candidates = [*all_keys(), *by_last_part]
    near = get_close_matches(short(name).lower(), candidates, n=1, cutoff=0.75)
    return by_last_part.get(near[0], near[0]) if near else ""


def _keys_of(section: type[Struct], prefix: str, *, is_for_projects: bool) -> Iterator[Key]:
    for field in msgspec.structs.fields(section):
        kind = get_args(field.type)[0]
        is_open = is_for_projects or _openness(field.type) is True
        if isinstance(kind, type) and issubclass(kind, Struct):
            yield from _keys_of(kind, f"{prefix}{field.name}.", is_for_projects=is_open)
        else:
            name, make = prefix + field.name, field.default_factory
            default = field.default if make is msgspec.NODEFAULT else make()
            yield Key(
                name=name,
                kind=field.type,
                default=default,
                is_for_projects=is_open,
                needs_trust=_openness(field.type) == "trusted",
            )


def _openness(annotated: Any) -> Any:
    """`True` where a project may set it, `"trusted"` where a trusted one may."""
    extra = get_args(annotated)[1].extra
    return extra.get("project") if extra else None


def _is_text_of_a_file(value: Any) -> bool:
    """Neither NUL nor bytes that are no Unicode, which the environment may hold."""
    if not isinstance(value, str):
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value
