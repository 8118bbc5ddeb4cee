"""How else a server that takes a vendor's place may want to be spoken to.

Such a server mostly knows one path: the other wire of the same vendor, or the same below a base
URL without a version, is tried where it says that there is no such path (`either`).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ankrcode.providers.base_urls import by_deployments, is_azure
from ankrcode.providers.endpoint import Endpoint
from ankrcode.providers.transport.address import parse_address, with_version


def other_ways(endpoint: Endpoint, model: str, wire: str) -> Iterator[tuple[Endpoint, str]]:
    """Endpoints and wires to try in turn; none at the vendor's own address."""
    row = endpoint.row
    if endpoint.is_usual or endpoint.own.wire:
        return
    compatible = "openai-chat" if row.wire == "ollama" else row.compatible_wire
    if compatible:
        other = row.wire if wire == compatible else compatible
        if other == "openai-chat" and _versioned(endpoint) != endpoint:
            yield _versioned(endpoint), other
        yield endpoint, other
    if is_azure(row) and "azure_deployments" not in row.quirks:
        older = replace(row, quirks=(*row.quirks, "azure_deployments"))
        yield replace(endpoint, row=older, base_url=by_deployments(endpoint.base_url)), wire
    if row.wire == "bedrock" and ("anthropic" in model or "claude" in model):
        invoking = replace(row, quirks=(*row.quirks, "bedrock_invoke"))
        yield replace(endpoint, row=invoking), "anthropic"
    if mirrored := _mirrored(endpoint):
        yield mirrored, wire
    if endpoint.said_url:
        yield replace(endpoint, base_url=endpoint.said_url), wire
    elif wire == "openai-chat" and _versioned(endpoint) != endpoint and not is_azure(row):
        yield _versioned(endpoint), wire
    if row.further_wire:
        yield endpoint, row.further_wire


def _mirrored(endpoint: Endpoint) -> Endpoint | None:
    """Below a bare host, all of the vendor's own path: `/openai/v1` and the like."""
    usual, base = endpoint.row.base_url, endpoint.said_url or endpoint.base_url
    if not usual or "{" in usual or parse_address(base).path != "/":
        return None
    url = base.rstrip("/") + parse_address(usual).path.rstrip("/")
    return replace(endpoint, base_url=url) if url != endpoint.base_url else None


def _versioned(endpoint: Endpoint) -> Endpoint:
    """Where most servers of this kind have their paths."""
    return replace(endpoint, base_url=with_version(endpoint.base_url, "/v1"))
