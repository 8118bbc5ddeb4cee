"""How one provider is reached from here: its row, a person's settings and the environment."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.config.models import ModelSettings, ProviderSettings
from ankrcode.errors import ProviderError
from ankrcode.providers.base_urls import as_said, base_url_for, is_azure
from ankrcode.providers.keys import Keys
from ankrcode.providers.logins import Logins
from ankrcode.providers.table import ALIASES, Provider, find_provider, provider_names
from ankrcode.providers.transport.address import parse_address, split_login
from ankrcode.providers.transport.auth import Login
from ankrcode.providers.transport.secret import Secret

_PLAIN = ProviderSettings()
_SHORTEST_SECRET = 8  # shorter words occur in ordinary sentences


class ChosenSettings(Protocol):
    """The part of the settings that matters here: a first request need not load all of them."""

    @property
    def model(self) -> str: ...
    @property
    def models(self) -> ModelSettings: ...
    @property
    def providers(self) -> Mapping[str, ProviderSettings]: ...


class Endpoint(Struct, frozen=True, kw_only=True):
    """One provider, ready to be asked."""

    name: str
    row: Provider
    own: ProviderSettings
    base_url: str
    is_usual: bool  # the vendor's own address
    login: Login
    said_url: str = ""  # a person's base URL without the version that we added to it
    secrets: tuple[Secret, ...] = ()  # beside the key: what a person's settings may hold


def row_for(name: str, settings: ChosenSettings) -> Provider:
    """The table's row with a person's changes, or a row of their own."""
    own = settings.providers.get(name)
    row = find_provider(name)
    if row is None:
        if own is None:
            raise _unknown(name, (*settings.providers, *provider_names()))
        row = Provider(
            title=name, needs_key=bool(own.key_env or own.key_command), may_lack_tools=True
        )
    if own is None:
        return row
    return replace(
        row,
        wire=own.wire or row.wire,
        compatible_wire=own.wire or row.compatible_wire,
        auth=own.auth or row.auth,
        keys=(own.key_env,) if own.key_env else row.keys,
        headers=row.headers | own.headers,
        quirks=(*row.quirks, *own.quirks),
        context_tokens=own.context_tokens or row.context_tokens,
    )


def endpoint_for(
    name: str,
    settings: ChosenSettings,
    environ: Mapping[str, str],
    keys: Keys,
    base_url: str | None = None,
    *,
    offline: bool = False,
) -> Endpoint:
    """Raises one sentence on what to set where something is missing."""
    row, own = row_for(name, settings), settings.providers.get(name, _PLAIN)
    chosen = base_url or own.base_url or keys.in_environment(row.base_url_variables)
    chosen, in_url = split_login(chosen)
    url = base_url_for(name, row, own, chosen, environ)
    if is_azure(row) and "api-version=" in url:
        row = replace(row, quirks=(*row.quirks, "azure_deployments"))
    address = parse_address(url)
    if offline and not address.is_loopback:  # before any program is asked for a key
        raise ProviderError.of("offline_provider", provider=name)
    logins = Logins(name, row, own, environ, keys, in_url=in_url)
    login = logins.to(url)
    # Plain http is a server of one's own, and may not care; every vendor speaks TLS.
    if row.needs_key and login is None and address.is_tls and not address.is_loopback:
        raise missing_key(name, row)
    return Endpoint(
        name=name,
        row=replace(row, headers=_headers(row, keys)),
        own=own,
        base_url=url,
        is_usual=not chosen or url.rstrip("/") == row.base_url,
        said_url=as_said(chosen, row, url),
        secrets=_secrets(own, in_url),
        login=login or Login("none", None, variable=logins.place()),
    )


def _headers(row: Provider, keys: Keys) -> dict[str, str]:
    """With those that variables set; what a person's settings say counts before them."""
    said = {name.lower() for name in row.headers}
    found = {
        name: value
        for name, variables in row.header_variables.items()
        if name not in said and (value := keys.in_environment(variables))
    }
    return found | row.headers


def _secrets(own: ProviderSettings, in_url: str) -> tuple[Secret, ...]:
    """What a server might repeat: the values of headers, the password of an address."""
    values = [value.split()[-1] for value in own.headers.values() if value.strip()]
    values.append(in_url.partition(":")[2])
    return tuple(Secret(value) for value in values if len(value) >= _SHORTEST_SECRET)


def _unknown(name: str, names: tuple[str, ...]) -> ProviderError:
    from difflib import get_close_matches  # only a mistake pays for it

    near = get_close_matches(name.lower()[:100], (*names, *ALIASES), n=1, cutoff=0.7)
    if near:
        return ProviderError.of("provider_unknown.near", name=name, near=near[0])
    return ProviderError.of("provider_unknown", name=name, names=", ".join(names))


def missing_key(name: str, row: Provider) -> ProviderError:
    if row.auth == "sigv4":
        return ProviderError.of("key_missing.aws")
    if name == "vertex":
        return ProviderError.of("key_missing.vertex")
    return ProviderError.of("key_missing", provider=name, variable=(*row.keys, "a key")[0])
