"""How else a server that takes a vendor's place may want to be spoken to.

Such a server mostly knows one path: the other wire of the same vendor, or the same below a base
URL without a version, is tried where it says that there is no such path (`either`).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ankrcode.providers.base_urls import by_deployments, is_azure
from ankrcode.providers.endpoint import Endpoint


def other_ways(endpoint: Endpoint, model: str, wire: str) -> Iterator[tuple[Endpoint, str]]:
    """Endpoints and wires to try in turn; none at the vendor's own address."""
    row = endpoint.row
    if endpoint.is_usual or endpoint.own.wire:
        return
    if row.compatible_wire:
        yield endpoint, row.wire if wire == row.compatible_wire else row.compatible_wire
    if is_azure(row) and "azure_deployments" not in row.quirks:
        older = replace(row, quirks=(*row.quirks, "azure_deployments"))
        yield replace(endpoint, row=older, base_url=by_deployments(endpoint.base_url)), wire
    if row.wire == "bedrock" and ("anthropic" in model or "claude" in model):
        invoking = replace(row, quirks=(*row.quirks, "bedrock_invoke"))
        yield replace(endpoint, row=invoking), "anthropic"
    if endpoint.said_url:
        yield replace(endpoint, base_url=endpoint.said_url), wire
