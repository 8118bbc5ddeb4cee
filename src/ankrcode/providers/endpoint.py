"""How one provider is reached from here: its row, a person's settings and the environment."""

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.config.models import ModelSettings, ProviderSettings
from ankrcode.errors import ProviderError
from ankrcode.providers.base_urls import as_said, base_url_for, is_azure
from ankrcode.providers.keys import Keys
from ankrcode.providers.table import ALIASES, Provider, find_provider, provider_names
from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.transport.auth import Login, Sign
from ankrcode.providers.transport.secret import Secret

_PLAIN = ProviderSettings()


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


def row_for(name: str, settings: ChosenSettings) -> Provider:
    """The table's row with a person's changes, or a row of their own."""
    own = settings.providers.get(name)
    row = find_provider(name)
    if row is None:
        if own is None:
            raise _unknown(name, (*settings.providers, *provider_names()))
        row = Provider(title=name, needs_key=bool(own.key_env), may_lack_tools=True)
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
) -> Endpoint:
    """Raises one sentence on what to set where something is missing."""
    row, own = row_for(name, settings), settings.providers.get(name, _PLAIN)
    chosen = base_url or own.base_url or keys.in_environment(row.base_url_variables)
    url = base_url_for(name, row, own, chosen, environ)
    if is_azure(row) and "api-version=" in url:
        row = replace(row, quirks=(*row.quirks, "azure_deployments"))
    key = keys.find(name, row.keys) if row.auth != "none" else None
    login = _login(row, own, environ, url, key)
    address = parse_address(url)
    # Plain http is a server of one's own, and may not care; every vendor speaks TLS.
    if row.needs_key and login is None and address.is_tls and not address.is_loopback:
        raise missing_key(name, row)
    return Endpoint(
        name=name,
        row=row,
        own=own,
        base_url=url,
        is_usual=not chosen or chosen.rstrip("/") == row.base_url,
        said_url=as_said(chosen, url),
        login=login or Login("none", None, variable=(*row.keys, "")[0]),
    )


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


def _login(
    row: Provider, own: ProviderSettings, environ: Mapping[str, str], url: str, key: Secret | None
) -> Login | None:
    if key is not None:
        variable = next((name for name in row.keys if environ.get(name)), (*row.keys, "")[0])
        return Login("bearer" if row.auth == "sigv4" else row.auth, key, variable=variable)
    sign = _signer(own, environ, url) if row.auth == "sigv4" else None
    return Login("none", None, sign, variable="AWS_SECRET_ACCESS_KEY") if sign else None


def _signer(own: ProviderSettings, environ: Mapping[str, str], url: str) -> Sign | None:
    from ankrcode.providers.transport.aws import Aws
    from ankrcode.providers.transport.sigv4 import signed_headers

    aws = Aws(environ)
    credentials = aws.credentials()
    if credentials is None:
        return None
    host = parse_address(url).host.split(".")
    in_host = host[1] if host[0].startswith("bedrock-runtime") and len(host) > 1 else ""
    return partial(
        signed_headers,
        "POST",
        credentials=credentials,
        region=in_host or own.region or aws.region() or "us-east-1",
        service="bedrock",
    )
