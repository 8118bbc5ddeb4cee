"""The base URL of a provider: the vendor's own, or a person's, completed by what it leaves out."""

from collections.abc import Mapping

from ankrcode.config.models import ProviderSettings
from ankrcode.errors import ProviderError
from ankrcode.providers.table import Provider
from ankrcode.providers.transport.address import parse_address, with_version

# Wires whose paths begin with a version or the like, and what a base URL then need not end in.
_VERSIONED_PATHS = {"ollama": ("/v1", "/api"), "cohere": ("/v1", "/v2")}
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - where others listen
_AZURE_VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")


def base_url_for(
    name: str, row: Provider, own: ProviderSettings, chosen: str, environ: Mapping[str, str]
) -> str:
    """`chosen` is what a person said; empty means the vendor's own."""
    if not chosen:
        url = _filled(name, row, own, environ)
    else:
        url = _completed(name, row, own, _with_scheme(chosen, row), environ)
    return _azure(own, url, environ) if is_azure(row) else url


def is_azure(row: Provider) -> bool:
    return "{resource}" in row.base_url


def as_said(chosen: str, row: Provider, url: str) -> str:
    """The base URL without the version that was added to it; empty where none was."""
    plain = _with_scheme(chosen, row).rstrip("/")
    return plain if chosen and url.startswith(f"{plain}/v") else ""


def by_deployments(url: str) -> str:
    """Azure's older way, below the same resource."""
    return url.removesuffix("/v1")


def _with_scheme(url: str, row: Provider) -> str:
    """`OLLAMA_HOST=0.0.0.0` is where a server listens, at its usual port; it is reached on
    loopback."""
    url = url.strip()
    if "://" not in url:
        host, slash, path = url.partition("/")
        has_port = host.rpartition(":")[2].isdigit() and not host.endswith("]")
        port = f":{parse_address(row.base_url).port}" if row.is_local and not has_port else ""
        url = f"http://{host}{port}{slash}{path}"
    return _reachable(url)


def _reachable(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    for everywhere, here in _EVERYWHERE.items():
        after = rest.removeprefix(everywhere)
        if after != rest and after[:1] in ("", ":", "/", "?"):
            return f"{scheme}{mark}{here}{after}"
    return url


def _completed(
    name: str, row: Provider, own: ProviderSettings, chosen: str, environ: Mapping[str, str]
) -> str:
    """With the version or the project that stands behind the host of the vendor's own."""
    is_bare = parse_address(chosen).path == "/"
    if "{project}" in row.base_url and is_bare:
        try:
            usual = parse_address(_filled(name, row, own, environ)).path
        except ProviderError:  # a server of one's own may not care
            usual = ""
        return chosen.rstrip("/") + usual
    if not row.base_url:
        return with_version(chosen, "/v1") if is_bare else chosen
    if is_azure(row):
        return chosen
    if is_bare and _is_at(row, chosen):
        return row.base_url
    if row.wire in _VERSIONED_PATHS:
        return _unversioned(chosen, row)
    return with_version(chosen, row.base_url)


def _is_at(row: Provider, url: str) -> bool:
    """Is this the vendor's own host?"""
    if "{" in row.base_url:
        return False
    said, usual = parse_address(url), parse_address(row.base_url)
    return (said.scheme, said.host, said.port) == (usual.scheme, usual.host, usual.port)


def _unversioned(url: str, row: Provider) -> str:
    """People write what other programs want: `http://localhost:11434/v1`."""
    path = parse_address(url).path.rstrip("/")
    ending = next((one for one in _VERSIONED_PATHS[row.wire] if path.endswith(one)), "")
    return url.rstrip("/").removesuffix(ending)


def _filled(name: str, row: Provider, own: ProviderSettings, environ: Mapping[str, str]) -> str:
    """The row's, with region, project and the like in their places."""
    if not row.base_url:
        variable = (*row.base_url_variables, "--base-url")[0]
        raise ProviderError.of("provider_without_url", provider=name, variable=variable)
    words = {"project": own.project, "location": own.region}
    words["region"] = own.region or _aws_region(row, environ)
    for word, variables in row.fill.items():
        usual = "".join(text for text in variables if not text.isupper())
        found = next(filter(None, map(environ.get, variables)), None)
        words[word] = words.get(word) or found or usual
        if not words[word]:
            raise ProviderError.of(
                "provider_without_part", provider=name, part=word, variable=variables[0]
            )
    before = "" if words["location"] == "global" else f"{words['location']}-"
    return row.base_url.format_map(words | {"host": f"{before}aiplatform.googleapis.com"})


def _aws_region(row: Provider, environ: Mapping[str, str]) -> str:
    if row.auth != "sigv4":
        return ""
    from ankrcode.providers.transport.aws import Aws

    return Aws(environ).region()


def _azure(own: ProviderSettings, url: str, environ: Mapping[str, str]) -> str:
    """Azure's two ways: `openai/v1`, or deployments with a version of the API in the query."""
    url = url.partition("?")[0].rstrip("/").removesuffix("/v1").removesuffix("/openai")
    version = own.api_version or next(filter(None, map(environ.get, _AZURE_VERSIONS)), "")
    if version in ("", "v1"):
        return f"{url}/openai/v1"
    return f"{url}/openai?api-version={version}"
