"""AWS Signature Version 4: a request signed with a key that itself never travels."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from hmac import digest
from urllib.parse import parse_qsl, quote

from msgspec import Struct

from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.transport.secret import Secret

_ALGORITHM = "AWS4-HMAC-SHA256"


class AwsCredentials(Struct, frozen=True, kw_only=True):
    access_key: str
    secret_key: Secret
    session_token: Secret | None = None


def signed_headers(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    credentials: AwsCredentials,
    region: str,
    service: str,
    now: datetime | None = None,
) -> dict[str, str]:
    """The headers with host, date, token and signature added."""
    address = parse_address(url)
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    fields = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    fields |= {"host": address.authority, "x-amz-date": stamp}
    if credentials.session_token:
        fields["x-amz-security-token"] = credentials.session_token.reveal()
    names = ";".join(sorted(fields))
    request = _canonical(method, address.path, fields, body)
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join([_ALGORITHM, stamp, scope, sha256(request.encode()).hexdigest()])
    signature = digest(_key(credentials, scope), to_sign.encode(), "sha256").hex()
    fields["authorization"] = (
        f"{_ALGORITHM} Credential={credentials.access_key}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return fields


def _canonical(method: str, path: str, fields: Mapping[str, str], body: bytes) -> str:
    """The request as both sides write it before they sign it."""
    lines = [f"{name}:{fields[name]}" for name in sorted(fields)]
    names = ";".join(sorted(fields))
    return "\n".join(
        [method, *_canonical_target(path), *lines, "", names, sha256(body).hexdigest()]
    )


def _canonical_target(path_and_query: str) -> tuple[str, str]:
    """The path encoded once more, as every service but S3 wants it; the query sorted."""
    path, _, query = path_and_query.partition("?")
    pairs = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parse_qsl(query, keep_blank_values=True)
    )
    return quote(path, safe="/-_.~"), "&".join(f"{name}={value}" for name, value in pairs)


def _key(credentials: AwsCredentials, scope: str) -> bytes:
    key = b"AWS4" + credentials.secret_key.reveal().encode()
    for part in scope.split("/"):
        key = digest(key, part.encode(), "sha256")
    return key
