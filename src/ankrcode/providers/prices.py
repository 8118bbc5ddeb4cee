"""Prices that a person brings up to date: from a file or a URL, checked, kept in the data folder.

The file is a JSON object, `provider/model` → facts as in our own `models.json`, or some of them:
what it does not say stays as we know it. What does not fit is refused as a whole: half a table of
prices would be worse than an old one.
"""

import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.paths import make_private, state_folder
from ankrcode.errors import ProviderError
from ankrcode.providers.catalogue import ModelFacts, Prices, find_model, listed_as
from ankrcode.providers.transport.http import HttpClient
from ankrcode.providers.transport.transport_fault import TransportFault

MAX_BYTES = 8 * 1024 * 1024
_MAX_MODELS = 20_000
_MOST_USD = 10_000.0  # for a million tokens; anything above is a mistake in the unit
_DAY_CHARS = 10
_OK = 200

Facts = dict[str, ModelFacts]


def prices_file(environ: Mapping[str, str]) -> Path:
    return state_folder(environ) / "models.json"


async def refresh_prices(source: str, environ: Mapping[str, str], http: HttpClient) -> Facts:
    """Read, check and keep what `source` (a path or an https URL) says. Returns it."""
    is_url = source.startswith(("http://", "https://"))
    data = await _fetched(source, http) if is_url else _read(Path(source))
    facts = checked_prices(data, source)
    _keep(prices_file(environ), msgspec.json.format(data, indent=1))
    return facts


def checked_prices(data: bytes, source: str) -> Facts:
    """Every price a sane number with the day it was read, or an error that names the model."""
    try:
        facts = msgspec.json.decode(data, type=Facts)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise ProviderError.of("prices_wrong", source=source, why=str(problem)) from None
    if len(facts) > _MAX_MODELS:
        raise ProviderError.of("prices_wrong", source=source, why=f"> {_MAX_MODELS:,} models")
    for name, one in facts.items():
        if "/" not in name or (one.prices is not None and not _is_sane(one.prices)):
            raise ProviderError.of("prices_wrong", source=source, why=name)
    return facts


class PriceList:
    """The facts to count with: what a person brought, else our own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        path = prices_file(environ)
        self._rows: dict[str, dict[str, Any]] = {}
        if path.exists():
            data = _read(path)
            checked_prices(data, str(path))
            self._rows = msgspec.json.decode(data)

    def facts(self, name: str) -> ModelFacts:
        row = self._rows.get(listed_as(name, self._rows))
        if row is None:
            return find_model(name)
        return msgspec.convert({**msgspec.to_builtins(find_model(name)), **row}, ModelFacts)


def _is_sane(prices: Prices) -> bool:
    day = prices.as_of
    is_day = len(day) == _DAY_CHARS and day[4] == day[7] == "-" and day.replace("-", "").isdigit()
    numbers = [
        number
        for number in (
            *(prices.input, prices.output, prices.cached, prices.written),
            *(prices.above_input, prices.above_output, prices.above_cached),
        )
        if number is not None
    ]
    return is_day and all(isfinite(number) and 0 <= number <= _MOST_USD for number in numbers)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise ProviderError.of("prices_unread", source=path, why=problem.strerror) from None
    if len(data) > MAX_BYTES:
        raise ProviderError.of("prices_unread", source=path, why=f"> {MAX_BYTES:,} bytes")
    return data


async def _fetched(url: str, http: HttpClient) -> bytes:
    try:
        answer = await http.request("GET", url, {"Accept": "application/json"})
        if answer.head.status != _OK:
            answer.close()
            raise ProviderError.of("prices_unread", source=url, why=str(answer.head.status))
        return await answer.read(MAX_BYTES)
    except TransportFault as fault:
        why = fault.message.rstrip(".")
        raise ProviderError.of("prices_unread", source=url, why=why) from None


def _keep(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    make_private(path.parent)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as problem:
        raise ProviderError.of("prices_unkept", path=path, why=problem.strerror) from None
    finally:
        fresh.unlink(missing_ok=True)
