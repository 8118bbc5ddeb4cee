"""Whom we trust over TLS, and who we say we are."""

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ankrcode.errors import ProviderError

Tls = Any  # an ssl.SSLContext: loading its module takes 5 ms, and a server of one's own needs none


class TlsFiles(Struct, frozen=True, kw_only=True):
    """Paths; empty means the usual."""

    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""


def tls_files(environ: Mapping[str, str], own: TlsFiles) -> TlsFiles:
    """A person's settings first, then the variables that other programs honour."""
    from_environ = (
        environ.get(name, "")
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    )
    ca_file = own.ca_file or next(filter(None, from_environ), "")
    return TlsFiles(ca_file=ca_file, client_cert=own.client_cert, client_key=own.client_key)


def tls_context(files: TlsFiles) -> Tls:
    """The checks are never switched off: a wrong certificate is always an error."""
    import ssl

    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        if files.ca_file:
            place = os.path.expanduser(files.ca_file)  # noqa: PTH111
            is_folder = os.path.isdir(place)  # noqa: PTH112
            context.load_verify_locations(**{"capath" if is_folder else "cafile": place})
    except (OSError, ssl.SSLError):
        raise ProviderError.of("ca_file_wrong", path=files.ca_file) from None
    try:
        if files.client_cert:
            cert, key = map(os.path.expanduser, (files.client_cert, files.client_key))
            context.load_cert_chain(cert, key or None, password=lambda: b"")
    except (OSError, ssl.SSLError):
        raise ProviderError.of("client_cert_wrong", path=files.client_cert) from None
    return context
