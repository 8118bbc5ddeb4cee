"""Which model a further agent asks: the one that was named, its type's size, or its parent's."""

import os

from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode, ProviderError, ToolError
from ankrcode.providers.client import WireModel
from ankrcode.providers.resolve import model_for
from ankrcode.providers.router import Router
from ankrcode.providers.table import TIERS
from ankrcode.providers.wire import Model

INHERIT = "inherit"  # the parent's own, whatever the type says


def is_own_kind(wish: str) -> bool:
    """Does it name no model, but the parent's or a size of its vendor's?"""
    return _size(wish) in (INHERIT, *TIERS)


def model_of(wish: str, parent: Model, settings: Settings) -> Model:
    """A size is only a wish: where it cannot be had, the parent's own model does it."""
    size = _size(wish)
    if size in ("", INHERIT):
        return parent
    if size not in TIERS:
        return _named(wish.strip(), settings)
    tier = TIERS[size]
    try:
        if chosen := str(getattr(settings.models, tier)):
            return model_for(chosen, settings, os.environ)
        if _is_at_home(parent, settings):
            provider = parent.name.partition("/")[0]
            return model_for(f"{provider}/{tier}", settings, os.environ)
    except ProviderError:
        pass
    return parent


def _size(wish: str) -> str:
    """`Haiku` is the size, too: names of models are written small."""
    return wish.strip().casefold()


def _is_at_home(parent: Model, settings: Settings) -> bool:
    """Does it ask its vendor at the usual address? One that was sent elsewhere stays there, and
    so do those who work for it: nothing may go to a server that the person did not choose."""
    address = _address(parent)
    return bool(address) and address == _address(model_for(parent.name, settings, os.environ))


def _address(model: Model) -> str:
    """Where its requests go; empty where that cannot be told."""
    first = model.candidates[0].model if isinstance(model, Router) else model
    return first.target.base_url if isinstance(first, WireModel) else ""


def _named(name: str, settings: Settings) -> Model:
    try:
        return model_for(name, settings, os.environ)
    except ProviderError as problem:
        error = ToolError.of("subagent_no_model", model=name, why=problem.message.rstrip("."))
        raise error.coded(ErrorCode.INVALID_INPUT, model=name) from None
